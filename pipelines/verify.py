"""`grade verify`: derive a result again from the inputs that its manifest names, and say what differs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, NamedTuple

from grade.errors import InputError
from grade.ingest.limits import Limits
from grade.policy import read_policy
from grade.schemas import GROUP_KEY
from grade.settings import DEFAULTS, override
from pipelines.demo import data_folder
from pipelines.desk.folder import ResultFolder, open_result
from pipelines.files import Found
from pipelines.fingerprints import code_digest
from pipelines.folder_differences import Difference, compare_folders, compare_manifests
from pipelines.ingest import ingest
from pipelines.manifest import grade_version, list_outputs
from pipelines.places import Place
from pipelines.progress import Progress
from pipelines.recorded import KINDS, Located, as_found, lay_out_packs, lay_out_stores, list_recorded, locate
from pipelines.redecide import redecide
from pipelines.score import ScoreRequest, score
from pipelines.write import MANIFEST

_SHORT: Final = 12


class Verified(NamedTuple):
    """What came of a verification.

    Attributes:
        n_inputs: Files of inputs, all as recorded.
        n_files: Files of the result that were compared, the manifest included.
        notes: What is to be known beside the differences: another program, other engines.
        differences: Files that differ from what the inputs give, sorted by path.
    """

    n_inputs: int
    n_files: int
    notes: tuple[str, ...]
    differences: tuple[Difference, ...]


def verify(
    results: Place,
    *,
    inputs: Path | None = None,
    n_shown: int = 3,
    threads: int | None = None,
    progress: Progress,
) -> Verified:
    """Derive a result again, in a temporary folder, and compare; the result itself is only read.

    What an earlier decision said (`previous_status`) is history and taken from the folder.

    Args:
        results: The result.
        inputs: Folder to look for the inputs in, before looking where they were.
        n_shown: Most differing rows or lines to show per file.
        threads: Threads to use; None leaves it open.
        progress: Where progress is told.

    Raises:
        InputError: The folder is no result, or an input is missing or has changed.
    """
    result = open_result(results)
    where = str(results / MANIFEST)
    entries = list_recorded(result.manifest, where=where)
    located = locate(entries, home=result.path, search=_search(result.manifest, inputs))
    with TemporaryDirectory(prefix="grade-verify-") as name:
        scratch = Path(name)
        request = _request(result, located, scratch, threads)
        score(request, progress=progress)
        _tell_history(result, request)
        derived, home = open_result(request.out), result.whole()
        is_same_code = result.manifest.get("code_sha256") == derived.manifest["code_sha256"]
        ignored = {} if is_same_code else {"groups.parquet": ("fingerprint",)}  # which names the code
        differences = compare_folders(home, derived.path, n_shown=n_shown, ignored=ignored)
        differences += compare_manifests(result.manifest, derived.manifest)
    names = {*list_outputs(home), *derived.manifest["outputs"]}
    return Verified(
        len(entries), len(names), tuple(_notes(result.manifest, derived.manifest)), tuple(sorted(differences))
    )


def _search(manifest: Mapping[str, Any], inputs: Path | None) -> list[Path]:
    """Folders to look through: the user's, and that of the data that ship for a result of theirs."""
    if inputs is not None and not inputs.is_dir():
        raise InputError("there is no such folder of inputs", where=str(inputs))
    shipped = [data_folder()] if "told_below" in manifest else []
    return ([inputs] if inputs is not None else []) + shipped


def _request(
    result: ResultFolder, located: Sequence[Located], scratch: Path, threads: int | None
) -> ScoreRequest:
    manifest, where = result.manifest, str(result.place / MANIFEST)
    of_kind = {kind: [one for one in located if one.entry.kind == kind] for kind in KINDS}
    try:
        about = manifest["inputs"]
        policy = {name: value for name, value in manifest["policy"].items() if name != "sha256"}
        given = about["verdicts"]["given"]
        stores, of_kind["verdicts"] = lay_out_stores(of_kind["verdicts"], given, scratch)
        found = {kind: as_found(of_kind[kind], about[kind]["unread"], scratch) for kind in KINDS[1:]}
        additions = about["runs"].get("additions")
        store = None if additions is None else _restore(found["runs"], of_kind["runs"], additions, scratch)
        return ScoreRequest(
            runs=() if store else tuple(found["runs"]),
            store=store,
            packs=lay_out_packs(of_kind["packs"], about["packs"], scratch / "packs"),
            verdicts=(*found["verdicts"], *stores),
            out=scratch / "result",
            settings=override(DEFAULTS, manifest["method"]["settings"], where=where),
            policy=read_policy(policy, where=where),
            threads=threads,
        )
    except (LookupError, TypeError, AttributeError) as fault:
        raise InputError(
            "the manifest does not say how the result was made",
            where=where,
            got=f"no {fault}",
            hint="the result was made by an older version of grade; score again",
        ) from fault


def _restore(
    found: Sequence[Found],
    located: Sequence[Located],
    additions: Sequence[Mapping[str, Any]],
    scratch: Path,
) -> Path:
    """Make the store anew: the same files, added in the same order."""
    folder = scratch / "store"
    by_key = {(entry.name, entry.sha256): one for (entry, _), one in zip(located, found, strict=False)}
    unopened = found[len(located) :]
    for addition in additions:
        files = [by_key[name, digest] for name, digest, _ in addition["files"]]
        limits = Limits(**addition["limits"])
        ingest([*files, *unopened], folder, replaces=addition["replaces"], limits=limits)
        unopened = []
    return folder


def _tell_history(result: ResultFolder, request: ScoreRequest) -> None:
    """Put what earlier decisions said beside the derived ones, where the result tells of such."""
    if "decisions" not in result.files:
        return
    decisions = result.frame("decisions")
    if "previous_status" not in decisions.columns or decisions["previous_status"].is_null().all():
        return
    told = decisions.drop_nulls("previous_status").select(*GROUP_KEY, status="previous_status")
    redecide(request.out, request.policy, previous=told.unique(GROUP_KEY, keep="first", maintain_order=True))


def _notes(recorded: Mapping[str, Any], derived: Mapping[str, Any]) -> list[str]:
    notes = []
    if recorded.get("code_sha256") != derived["code_sha256"]:
        before = f"{recorded.get('grade_version')} ({str(recorded.get('code_sha256'))[:_SHORT]})"
        this = f"{grade_version()} ({code_digest()[:_SHORT]})"
        notes.append(f"made by another version of grade: {before}; this is {this}")
    versions = recorded.get("versions", {})
    others = [
        f"{name} {versions.get(name)}, here {version}"
        for name, version in derived["versions"].items()
        if versions.get(name) != version
    ]
    return [*notes, f"made with other versions: {'; '.join(others)}"] if others else notes
