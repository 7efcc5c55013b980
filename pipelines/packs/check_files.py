"""Check a pack's files against its manifest."""

from __future__ import annotations

from collections.abc import Iterator

from pipelines.packs import files
from pipelines.packs.problems import Problem
from pipelines.packs.reading import PackFiles

_REBUILD = "rebuild the pack, or write the file's new hash into the manifest if the change is meant"


def check_files(pack: PackFiles) -> Iterator[Problem]:
    """Yield a problem for each file that is missing, changed or unknown; none without hashes."""
    if pack.manifest is None or "files" not in pack.manifest:
        return
    listed = pack.manifest["files"]
    if not isinstance(listed, dict):
        yield Problem(
            field=files.MANIFEST, problem="files is no object", hint="map each file name to its sha256"
        )
        return
    present = {path.name for path in pack.folder.iterdir() if path.is_file()} - {files.MANIFEST}
    for name in sorted(present - listed.keys()):
        yield Problem(field=name, problem="is not in the manifest", hint="list it under files, or delete it")
    for name, entry in sorted(listed.items()):
        if name not in present:
            yield Problem(
                field=name, problem="is in the manifest but missing", hint="restore or unlist the file"
            )
            continue
        found = files.sha256((pack.folder / name).read_bytes())
        expected = entry.get("sha256") if isinstance(entry, dict) else entry
        if found != expected:
            yield Problem(
                field=name, problem=f"has sha256 {found}, the manifest says {expected}", hint=_REBUILD
            )
    yield from _check_rows(pack)


def _check_rows(pack: PackFiles) -> Iterator[Problem]:
    counts = (pack.manifest or {}).get("counts", {})
    rows = counts.get("rows", {}) if isinstance(counts, dict) else {}
    for name, expected in sorted(rows.items()) if isinstance(rows, dict) else ():
        if name in pack.tables and pack.tables[name].height != expected:
            yield Problem(
                field=pack.table_files[name],
                problem=f"has {pack.tables[name].height} rows, the manifest says {expected}",
                hint=_REBUILD,
            )
