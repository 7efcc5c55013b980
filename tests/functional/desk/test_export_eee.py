"""Files for every_eval_ever: valid, complete, and the same scores when they are read back."""

from __future__ import annotations

import hashlib
import json
import sys
from datetime import UTC, datetime
from pathlib import Path

import polars as pl
import pytest
from desk_inputs import FREE, GOOD, HOSTILE, PARTIAL
from eee_reading import read_eee
from jsonschema import Draft202012Validator

from grade.dimensions import DIMENSIONS
from grade.errors import InputError, OutputError, SettingsError
from grade.report.eee.aggregate import About, file_path
from grade.report.eee.metrics import MEASURES
from pipelines.exports import eee_schema
from pipelines.exports.eee_schema import SchemaError, find_schemas

OURS = Path(__file__).parent / "eee"
LEVELS = {"overall": None, "track": "track", "pack": "pack_id", "task": "task_id"}


@pytest.fixture(scope="module")
def exported(desk, result, tmp_path_factory):
    out = tmp_path_factory.mktemp("eee") / "out"
    assert desk("export", result, "--to", "eee", "--out", out).stdout == f"{out}\n"
    return out


def scores_of(exported: Path, model_id: str) -> dict:
    (made,) = (made for _, made in files(exported) if made["model_info"]["id"] == model_id)
    return made


def files(exported: Path) -> list[tuple[Path, dict]]:
    return [(path, json.loads(path.read_bytes())) for path in sorted((exported / "data").rglob("*.json"))]


def test_every_file_is_as_we_describe_it(exported):
    scores, instance = (
        Draft202012Validator(json.loads((OURS / name).read_bytes()))
        for name in ("scores.schema.json", "instance.schema.json")
    )
    made = files(exported)
    assert len(made) == 5
    for path, content in made:
        scores.validate(content)
        beside = exported / content["detailed_evaluation_results"]["file_path"]
        assert beside.parent == path.parent
        lines = beside.read_text(encoding="utf-8").splitlines()
        for line in lines:
            instance.validate(json.loads(line))


def test_every_score_is_there_and_none_that_nobody_measured(exported, result):
    read = read_eee(exported).scores
    wanted = []
    for level, column in LEVELS.items():
        frame = pl.read_parquet(result / f"{level}_scores.parquet")
        key = pl.lit("") if column is None else pl.col(column).cast(pl.String)
        rows = frame.select("model_id", *MEASURES, level=pl.lit(level), key=key)
        wanted.append(rows.unpivot(MEASURES, index=["model_id", "level", "key"], variable_name="measure"))
    rows = (
        pl.concat(wanted)
        .rename({"value": "score"})
        .drop_nulls("score")
        .sort("model_id", "level", "key", "measure")
    )
    assert read.drop("low", "high").equals(rows.select("model_id", "level", "key", "measure", "score"))


def test_every_scored_run_is_a_line_and_no_other(exported, result):
    stored = pl.read_parquet(result / "run_scores.parquet").drop_nulls("score")
    columns = ["model_id", "task_id", "run_index", "dimension", "score"]
    assert read_eee(exported).run_scores.select(columns).equals(stored.select(columns))


def test_intervals_are_those_of_the_result(exported, result):
    stored = pl.read_parquet(result / "intervals.parquet").drop_nulls("low")
    key = pl.coalesce(pl.col("track").cast(pl.String), "pack_id", pl.lit(""))
    wanted = stored.select("model_id", "level", key.alias("key"), "measure", "low", "high")
    read = read_eee(exported).scores.drop_nulls("low").drop("score")
    assert wanted.height > 20
    assert read.equals(wanted.sort("model_id", "level", "key", "measure"))
    without = pl.read_parquet(result / "intervals.parquet").filter(pl.col("no_interval") == "all_equal")
    row = without.filter(pl.col("level") == "overall").row(0, named=True)
    (one,) = (
        one
        for one in scores_of(exported, row["model_id"])["evaluation_results"]
        if one["evaluation_result_id"] == f"grade.overall/{row['measure']}"
    )
    assert one["score_details"]["details"]["no_interval"] == "all_equal"
    assert "uncertainty" not in one["score_details"]


def test_instances_point_at_scores_and_their_file_is_vouched_for(exported):
    for _, made in files(exported):
        told = made["detailed_evaluation_results"]
        content = (exported / told["file_path"]).read_bytes()
        lines = [json.loads(line) for line in content.splitlines()]
        assert told["checksum"] == hashlib.sha256(content).hexdigest()
        assert told["total_rows"] == len(lines)
        ids = {one["evaluation_result_id"] for one in made["evaluation_results"]}
        assert len(ids) == len(made["evaluation_results"])
        assert {line["evaluation_result_id"] for line in lines} <= ids
        assert {line["evaluation_id"] for line in lines} == {made["evaluation_id"]}
        assert {line["model_id"] for line in lines} == {made["model_info"]["id"]}


def test_judges_and_how_they_were_asked_are_told_where_they_judged(exported):
    configs = {
        one["metric_config"]["metric_id"]: one["metric_config"]
        for one in scores_of(exported, GOOD)["evaluation_results"]
    }
    assert set(configs) == {f"grade.{measure}" for measure in MEASURES}
    judged = configs["grade.evidence_linkage"]["llm_scoring"]
    assert [judge["model_info"]["id"] for judge in judged["judges"]] == ["judge-1"]
    assert "verdicts.jsonl" in judged["input_prompt"]
    assert "How well is the evidence linked?" in judged["input_prompt"]
    assert "llm_scoring" not in configs["grade.grounding_accuracy"]
    assert configs["grade.insight_quality"]["additional_details"] == {"claims_settled_by": "judge-1"}
    assert sum(configs["grade.composite"]["metric_parameters"].values()) == 100


def test_a_line_holds_question_answer_and_score(exported, result):
    made = scores_of(exported, FREE)
    lines = (exported / made["detailed_evaluation_results"]["file_path"]).read_text().splitlines()
    line = next(one for one in map(json.loads, lines) if one["metadata"]["dimension"] == "grounding_accuracy")
    assert line["input"] == {
        "raw": "How many students are enrolled?",
        "reference": ["The program enrolls 135 students."],
    }
    recipe = json.dumps(
        {"raw": line["input"]["raw"], "reference": line["input"]["reference"]},
        sort_keys=True,
        separators=(",", ":"),
    )
    assert line["sample_hash"] == hashlib.sha256(recipe.encode()).hexdigest()
    assert line["evaluation"]["is_correct"] is (line["evaluation"]["score"] >= 0.8)
    assert json.loads(line["answer_attribution"][0]["extracted_value"])["key_findings"]
    assert {json.loads(one)["metadata"]["dimension"] for one in lines} == set(DIMENSIONS) - {"consistency"}
    n_runs = pl.read_parquet(result / "runs.parquet").filter(pl.col("model_id") == FREE).height
    assert len(lines) == 5 * n_runs


def test_the_same_result_has_the_same_files_and_a_model_alone_too(desk, result, exported, tmp_path):
    desk("export", result, "--to", "eee", "--out", tmp_path / "again", "--model", HOSTILE)
    made = [path for path in (tmp_path / "again" / "data").rglob("*") if path.is_file()]
    assert len(made) == 2
    for path in made:
        assert path.read_bytes() == (exported / path.relative_to(tmp_path / "again")).read_bytes()


def test_who_reports_is_said(desk, result, tmp_path):
    options = ("--organization", "Example University", "--relationship", "third_party", "--model", PARTIAL)
    desk("export", result, "--to", "eee", "--out", tmp_path / "out", *options)
    told = scores_of(tmp_path / "out", PARTIAL)["source_metadata"]
    assert told["source_organization_name"] == "Example University"
    assert told["evaluator_relationship"] == "third_party"


def test_what_is_wrong_is_told(desk, result, tmp_path):
    def export(*options: object, folder: Path = result) -> None:
        desk("export", folder, "--to", "eee", "--out", tmp_path / "out", *options)

    with pytest.raises(SettingsError, match="did you mean third_party"):
        export("--relationship", "3rd_party")
    with pytest.raises(InputError, match="did you mean acme/good"):
        export("--model", "acme/god")
    (tmp_path / "bare").mkdir()
    for path in result.glob("*.parquet"):
        (tmp_path / "bare" / path.name).write_bytes(path.read_bytes())
    with pytest.raises(InputError, match="does not say how it was made"):
        export(folder=tmp_path / "bare")
    assert not (tmp_path / "out").exists()
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.txt").write_text("keep")
    with pytest.raises(OutputError):
        export()


class TestAGivenSchema:
    def test_that_fits_is_named_in_the_manifest(self, desk, result, tmp_path):
        schemas = [option for path in sorted(OURS.iterdir()) for option in ("--schema", path)]
        desk("export", result, "--to", "eee", "--out", tmp_path / "out", *schemas)
        manifest = json.loads((tmp_path / "out" / "manifest.json").read_bytes())
        assert manifest["checked_against"] == ["instance.schema.json", "scores.schema.json"]

    @pytest.mark.parametrize(
        ("name", "where"),
        [("scores.schema.json", "evaluation_results"), ("instance.schema.json", "line 1, ")],
    )
    def test_that_does_not_fit_stops_the_export(self, desk, result, tmp_path, name, where):
        schema = json.loads((OURS / name).read_bytes())
        wanted = schema["$defs"]["score"] if "$defs" in schema else schema["properties"]["sample_id"]
        wanted |= {"minimum": 2} if "$defs" in schema else {"minLength": 100}
        (tmp_path / name).write_text(json.dumps(schema))
        with pytest.raises(SchemaError, match="does not keep to the schema") as told:
            desk("export", result, "--to", "eee", "--out", tmp_path / "out", "--schema", tmp_path / name)
        assert where in told.value.where
        assert not (tmp_path / "out").exists()

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("{}", "no schema of every_eval_ever"),
            ("[", "cannot be read"),
            ('{"properties": {"sample_id": 3}}', "no JSON"),
        ],
    )
    def test_that_is_none_is_told(self, tmp_path, text, said):
        (tmp_path / "schema.json").write_text(text)
        with pytest.raises(InputError, match=said):
            find_schemas([tmp_path / "schema.json"])
        with pytest.raises(InputError, match="cannot be read"):
            find_schemas([tmp_path / "missing.json"])

    def test_needs_a_library_and_says_which(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "jsonschema.validators", None)
        with pytest.raises(InputError, match=r"grade\[eee\]"):
            find_schemas([OURS / "scores.schema.json"])

    def test_of_the_installed_package_is_used_without_asking(self, tmp_path, monkeypatch):
        folder = tmp_path / "every_eval_ever" / "schemas"
        folder.mkdir(parents=True)
        (folder.parent / "__init__.py").write_text("raise RuntimeError('never imported')\n")
        for name, ours in zip(eee_schema._INSTALLED, ("scores", "instance"), strict=True):
            (folder / name).write_bytes((OURS / f"{ours}.schema.json").read_bytes())
        assert find_schemas([]).names == ()
        monkeypatch.syspath_prepend(tmp_path)
        assert find_schemas([]).names == eee_schema._INSTALLED


@pytest.mark.parametrize(
    ("model_id", "folders"),
    [
        ("acme/model-a", "acme/model-a"),
        ("model-a", "unknown/model-a"),
        ("a/b/c", "a/b__c~"),
        ("data/model", "data~"),
        ("../../etc/x", "model~"),
        ("/x", "unknown/x~"),
        ("x/", "unknown/x~"),
    ],
)
def test_any_model_has_a_safe_place(model_id, folders):
    about = About(datetime(2026, 1, 1, tzinfo=UTC), "1", "m", "p", (), {}, "o", "other", 1, 0.95)
    path = file_path(model_id, about)
    assert path.startswith(f"data/grade/{folders}")
    assert len(path.split("/")) == 5
    assert ".." not in path.split("/")
