"""Each fault that an author can make is found, and told with task, field and fix."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import polars as pl
import pytest

from grade.errors import InputError
from pipelines.packs.check import check_packs
from pipelines.packs.files import jsonl_bytes
from pipelines.packs.problems import PROBLEMS
from pipelines.packs.reading import normal_pack_id

PACK, TASK = "pack_outcomes", "OUT-T2-05"


@pytest.fixture
def pack(built, tmp_path):
    """A copy of one small pack that a test may spoil."""
    return shutil.copytree(built / PACK, tmp_path / PACK)


def change_task(pack, change):
    """Change one task and drop the hashes, so that only the change itself can be found."""
    path = pack / "tasks.jsonl"
    tasks = [json.loads(line) for line in path.read_text().splitlines()]
    change(next(task for task in tasks if task["task_id"] == TASK))
    path.write_bytes(jsonl_bytes(tasks))
    forget_hashes(pack)


def forget_hashes(folder):
    path = folder / "manifest.json"
    manifest = json.loads(path.read_bytes())
    del manifest["files"]
    path.write_text(json.dumps(manifest))


def setter(*keys, to):
    def change(task):
        for key in keys[:-1]:
            task = task[key]
        task[keys[-1]] = to

    return change


def remover(*keys):
    def change(task):
        for key in keys[:-1]:
            task = task[key]
        del task[keys[-1]]

    return change


def test_sound_packs_give_an_empty_table(packs):
    problems = check_packs(packs)
    assert problems.is_empty()
    assert dict(problems.schema) == PROBLEMS
    assert check_packs(packs / "pack_outcomes").is_empty()


FACT = ("gold_facts", 0)


@pytest.mark.parametrize(
    ("change", "field", "problem"),
    [
        (setter("rubric", "consistency", "weight", to=0.2), "rubric", "sum to 1.1"),
        (setter("rubric", "consistency", "weight", to=-0.1), "rubric.consistency.weight", "no weight"),
        (setter("rubric", "consistency", "weight", to=True), "rubric.consistency.weight", "no weight"),
        (remover("rubric", "consistency"), "rubric.consistency", "is missing"),
        (setter("rubric", "charm", to={"weight": 0}), "rubric.charm", "no dimension"),
        (setter("track", to=6), "track", "is 6"),
        (setter("title", to=" "), "title", "missing, empty"),
        (remover("user_prompt"), "user_prompt", "missing"),
        (setter("pack_id", to="pack_other"), "pack_id", "pack_other"),
        (setter("allowed_inputs", 0, to="prog.csv"), "allowed_inputs", "prog.csv is not in the pack"),
        (setter("allowed_inputs", 0, to="../manifest.json"), "allowed_inputs", "is not in the pack"),
        (setter("user_prompt", to="Use events.csv."), "user_prompt", "names events.csv"),
        (setter(*FACT, "fact_id", to="F2"), "gold_facts.F2", "2 facts have this id"),
        (setter(*FACT, "fact_id", to=""), "gold_facts.0.fact_id", "missing or empty"),
        (setter(*FACT, "claim", to=""), "gold_facts.F1.claim", "missing or empty"),
        (setter(*FACT, to="a fact"), "gold_facts", "something else than objects"),
        (setter(*FACT, "numeric_value", to=14), "gold_facts.F1.sql", "the pack says 14"),
        (setter(*FACT, "numeric_value", to="14"), "gold_facts.F1.numeric_value", "'14'"),
        (setter(*FACT, "tolerance", to="2 %"), "gold_facts.F1.tolerance", "'2 %'"),
        (setter(*FACT, "tolerance", to=-1), "gold_facts.F1.tolerance", "-1"),
        (setter(*FACT, "unit", to="kilo"), "gold_facts.F1.unit", "'kilo'"),
        (remover(*FACT, "sql"), "gold_facts.F1.sql", "nothing recomputes 1"),
        (setter(*FACT, "sql", to="SELECT no_such FROM progress"), "gold_facts.F1.sql", "cannot be run"),
        (setter(*FACT, "sql", to="DROP TABLE progress"), "gold_facts.F1.sql", "not one SELECT"),
        (setter(*FACT, "sql", to="SELECT 1, 2"), "gold_facts.F1.sql", "one value"),
        (
            setter(*FACT, "source_files", to=["events.csv"]),
            "gold_facts.F1.source_files",
            "events.csv is not among",
        ),
        (
            setter(*FACT, "source_columns", to={"progress.csv": ["state"]}),
            "gold_facts.F1.source_columns",
            "no column state",
        ),
        (setter("gold_insights", 0, to=""), "gold_insights.0", "empty or no text"),
        (setter("gold_insights", 0, to={"calibration": True}), "gold_insights.0", "empty or no text"),
        (
            setter("forbidden_claims", to=["Attendance is fine.", "Attendance is fine."]),
            "forbidden_claims.1",
            "repeats an earlier one",
        ),
        (setter("premises", to=[{"says": "It rained.", "sql": "SELECT false"}]), "premises.0", "It rained."),
        (setter("premises", to=[{"says": "It rained."}]), "premises.0", "It rained."),
    ],
)  # fmt: skip
def test_a_fault_in_a_task_is_found_and_placed(pack, change, field, problem):
    change_task(pack, change)
    found = check_packs(pack)
    placed = found.filter(pack_id=PACK, task_id=TASK, field=field)
    assert any(problem in text for text in placed["problem"]), found.rows()
    assert placed["hint"].str.len_chars().min() > 0


def test_a_weight_that_is_off_by_a_millionth_passes(pack):
    change_task(pack, setter("rubric", "consistency", "weight", to=0.10 + 9e-7))
    assert check_packs(pack).is_empty()


def test_a_changed_file_is_found_by_its_hash_and_by_the_gold(pack):
    path = pack / "progress.csv"
    header, first, *rest = path.read_text().splitlines(keepends=True)
    path.write_text("".join([header, re.sub(r"(,\w+,)\d+(,\d+,)", r"\g<1>1\g<2>", first), *rest]))
    path.write_text(path.read_text().replace(",high,", ",low,", 1))
    problems = check_packs(pack)
    assert "sha256" in problems.filter(field="progress.csv")["problem"][0]
    assert "gold_facts.F2.sql" in problems.filter(task_id=TASK)["field"].to_list()
    assert any(field.startswith("ground_truth.json: ") for field in problems["field"])


@pytest.mark.parametrize(
    ("spoil", "field", "problem"),
    [
        (lambda folder: (folder / "extra.csv").write_text("a\n1\n"), "extra.csv", "not in the manifest"),
        (lambda folder: (folder / "DATASET_CARD.md").unlink(), "DATASET_CARD.md", "missing"),
        (lambda folder: (folder / "measures.sql").write_text("SELECT 1"), "measures.sql", "not a view"),
        (lambda folder: (folder / "manifest.json").write_text("{"), "manifest.json", "no JSON"),
        (lambda folder: (folder / "tasks.jsonl").write_text("{}\nx\n"), "tasks.jsonl:2", "no JSON object"),
        (lambda folder: (folder / "tasks.jsonl").write_text(""), "tasks.jsonl", "holds no task"),
        (lambda folder: (folder / "events.csv").write_bytes(b""), "events.csv", "cannot be read"),
        (
            lambda folder: pl.DataFrame({"a": [1]}).write_parquet(folder / "events.parquet"),
            "events.parquet",
            "shares its name with events.csv",
        ),
    ],
)  # fmt: skip
def test_a_fault_in_the_files_is_found(pack, spoil, field, problem):
    spoil(pack)
    found = check_packs(pack).filter(pack_id=PACK, field=field)
    assert any(problem in text for text in found["problem"])


def test_rows_that_break_an_invariant_are_found(pack):
    path = pack / "events.csv"
    path.write_text(path.read_text().replace("SCH-003", "SCH-009", 1))
    forget_hashes(pack)
    found = check_packs(pack).filter(field="invariant events_within_term")
    assert found["problem"][0].startswith("1 rows break it")


def test_an_unknown_invariant_is_named(pack):
    path = pack / "manifest.json"
    manifest = json.loads(path.read_bytes())
    path.write_text(json.dumps(manifest | {"checks": ["no_such_check"]}))
    assert "no_such_check" in check_packs(pack)["problem"][0]


def test_an_id_may_be_used_once_over_all_packs(pack):
    other = shutil.copytree(pack, pack.parent / "other")
    forget_hashes(other)
    found = check_packs(pack.parent)
    assert found.filter(field="task_id")["task_id"].n_unique() == 5
    assert "2 packs have this id" in found["problem"].to_list()


@pytest.mark.parametrize("missing", ["nowhere", "."])
def test_a_folder_without_a_pack_is_an_error(tmp_path, missing):
    with pytest.raises(InputError, match="no pack"):
        check_packs(tmp_path / missing)


def test_pack_names_have_one_form():
    names = ("operations", "pack_operations", "operations_pack")
    assert {normal_pack_id(name) for name in names} == {"pack_operations"}


ROOT = Path(__file__).parents[3]
GUIDES = (ROOT / "docs/how-to/write-a-task.md", ROOT / "data/packs/WRITE_A_TASK.md")


def guide_blocks():
    """The fenced blocks of the guide, by language, in order."""
    text = next(path for path in GUIDES if path.is_file()).read_text(encoding="utf-8")
    blocks = re.findall(r"^( *)```(\w+)\n(.*?)^ *```", text, re.MULTILINE | re.DOTALL)
    return [
        (language, re.sub(rf"^{indent}", "", body, flags=re.MULTILINE)) for indent, language, body in blocks
    ]


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_the_pack_of_the_guide_passes(tmp_path, kind):
    blocks = {}
    for language, body in guide_blocks():
        blocks.setdefault(language, []).append(body)
    folder = tmp_path / "library_visits"
    folder.mkdir()
    task = json.dumps(json.loads(blocks["json"][1])).replace("visits.csv", f"visits.{kind}")
    (folder / "visits.csv").write_text(blocks["csv"][0])
    if kind == "parquet":
        pl.read_csv(folder / "visits.csv").write_parquet(folder / "visits.parquet")
        (folder / "visits.csv").unlink()
    (folder / "measures.sql").write_text(blocks["sql"][0])
    (folder / "manifest.json").write_text(blocks["json"][0])
    (folder / "tasks.jsonl").write_text(task + "\n")
    assert check_packs(tmp_path).is_empty()


def test_the_answer_of_the_guide_scores_one(score, answer):
    task = json.loads([body for language, body in guide_blocks() if language == "json"][1])
    said = [fact["claim"] for fact in task["gold_facts"]] + [
        task["gold_insights"][0],
        task["gold_insights"][1]["text"],
    ]
    tables = score([task], [answer(task["task_id"], said, task["required_limitations"])], [])
    scored = {row["dimension"]: row["score"] for row in tables["run_scores"] if row["score"] is not None}
    assert set(scored.values()) == {1.0}
    assert len(scored) == 3
