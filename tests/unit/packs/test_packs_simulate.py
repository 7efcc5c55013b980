"""The simulated runs are reproducible, and the scores give back what was planted in them."""

from __future__ import annotations

import csv
import json
from collections import Counter, defaultdict
from statistics import fmean

import pytest

from pipelines.simulate.build import build_runs
from pipelines.simulate.dice import Dice
from pipelines.simulate.gold import load_tasks
from pipelines.simulate.models import ERRORS
from pipelines.simulate.restate import entities, restate

SILENT = {"empty_answer", "vague_answer"}


@pytest.fixture(scope="module")
def runs(simulated, read_lines):
    return [run for path in sorted((simulated / "runs").iterdir()) for run in read_lines(path)]


@pytest.fixture(scope="module")
def verdicts(simulated, read_lines):
    return [row for path in sorted((simulated / "verdicts").iterdir()) for row in read_lines(path)]


@pytest.fixture(scope="module")
def simulation(simulated):
    return json.loads((simulated / "simulation.json").read_bytes())


@pytest.fixture(scope="module")
def planted(simulated):
    """(model, task, run) -> error -> the targets where it was planted."""
    found = defaultdict(lambda: defaultdict(set))
    with (simulated / "planted_errors.csv").open() as lines:
        for row in csv.DictReader(lines):
            found[row["model_id"], row["task_id"], int(row["run_index"])][row["error"]].add(row["target"])
    return found


@pytest.fixture(scope="module")
def scored(score, tasks, runs, verdicts):
    return score(tasks, runs, verdicts)


def key_of(row):
    return row["model_id"], row["task_id"], row["run_index"]


def test_simulating_twice_gives_the_same_bytes(built, simulated, tmp_path):
    build_runs(built, tmp_path, 42)
    for path in simulated.rglob("*"):
        if path.is_file():
            assert (tmp_path / path.relative_to(simulated)).read_bytes() == path.read_bytes()


def test_the_shipped_runs_are_what_the_simulation_writes(simulated, shipped, plain):
    """Unpacked, since compressors of other versions write other bytes."""
    written = {path.relative_to(simulated) for path in simulated.rglob("*") if path.is_file()}
    folders = {shipped / "runs", shipped / "verdicts"}
    assert {path.relative_to(shipped) for folder in folders for path in folder.iterdir()} <= written
    for name in written:
        assert plain(shipped / name) == plain(simulated / name), name


def test_at_least_six_models_answer_every_task_five_times(runs, tasks, simulation):
    answered = Counter((run["model_id"], run["task_id"]) for run in runs)
    assert len(simulation["models"]) >= 6
    assert answered == {(model, task["task_id"]): 5 for model in simulation["models"] for task in tasks}
    assert len({key_of(run) for run in runs}) == len(runs)


def test_everything_says_that_it_is_simulated(runs, verdicts, simulation):
    assert simulation["simulated"] is True
    assert {run["runtime_metadata"]["provider"] for run in runs} == {"simulated"}
    assert all(run["model_id"].startswith("sim/") for run in runs)
    assert {row["judge_id"] for row in verdicts} == {"sim/judge-1", "sim/judge-2", "human:simulated-reader"}


def test_the_shipped_data_stays_small(shipped):
    assert sum(path.stat().st_size for path in shipped.rglob("*") if path.is_file()) < 8_000_000


def test_one_model_is_free_and_one_tells_no_cost(runs):
    costs = defaultdict(set)
    for run in runs:
        costs[run["model_id"]].add(run["runtime_metadata"]["cost_usd"])
    assert {0} in costs.values()
    assert {None} in costs.values()


def test_verdicts_are_consistent_and_unique(verdicts):
    keys = [(*key_of(row), row.get("dimension") or row["claim_id"], row["judge_id"]) for row in verdicts]
    assert len(set(keys)) == len(keys)
    assert all(("dimension" in row) != ("claim_id" in row) for row in verdicts)
    assert all(("int_score" in row) != ("score" in row) for row in verdicts)
    assert any(row.get("confidence", 1) < 0.7 for row in verdicts)


def test_the_counts_are_those_of_the_list(planted, simulation):
    listed = Counter(
        (key[0], error) for key, errors in planted.items() for error, t in errors.items() for _ in t
    )
    for model, described in simulation["models"].items():
        assert described["errors"].keys() == ERRORS.keys()
        for error, line in described["errors"].items():
            assert listed[model, error] == line["planted"] <= line["opportunities"]


def test_planted_rates_are_near_the_intended_ones(simulation):
    for described in simulation["models"].values():
        for error, line in described["errors"].items():
            if line["opportunities"]:
                spread = (line["rate"] * (1 - line["rate"]) / line["opportunities"]) ** 0.5
                assert abs(line["realised"] - line["rate"]) <= 4 * spread + 1e-3, error


def test_each_error_is_planted_by_some_model(simulation):
    for error in ERRORS:
        assert any(each["errors"][error]["planted"] for each in simulation["models"].values()), error


@pytest.mark.slow
def test_facts_score_zero_where_an_error_was_planted_and_one_elsewhere(scored, planted):
    wrong, swapped = [], Counter()
    for row in scored["fact_checks"]:
        errors, target = planted[key_of(row)], f"fact:{row['fact_id']}"
        spoiled = any(target in errors[error] for error in ("wrong_number", "omitted_fact"))
        if errors["swapped_entities"]:
            swapped[key_of(row)] += row["score"] == 0 and not spoiled
        elif row["score"] != float(not spoiled and not SILENT & errors.keys()):
            wrong.append((key_of(row), target))
    assert wrong == []
    assert set(swapped.values()) == {2}
    assert len(swapped) == sum(bool(errors["swapped_entities"]) for errors in planted.values())


@pytest.mark.slow
def test_claims_are_made_unless_an_error_was_planted(scored, planted, verdicts):
    judged = {(*key_of(row), row["claim_id"]) for row in verdicts if "claim_id" in row}
    wrong = []
    for row in scored["claim_checks"]:
        errors, target = planted[key_of(row)], row["claim_id"]
        if row["kind"] == "forbidden":
            made = target in errors["forbidden_claim"]
        else:
            lost = any(target in errors[error] for error in ("negated_insight", "missing_caveat"))
            unseen = target in errors["paraphrase"] and (*key_of(row), target) not in judged
            made = not lost and not unseen and not SILENT & {e for e, targets in errors.items() if targets}
        if row["made"] != made:
            wrong.append((key_of(row), target))
    assert wrong == []


@pytest.mark.slow
def test_no_paraphrase_is_found_without_a_judge(scored, planted):
    for row in scored["claim_checks"]:
        if row["claim_id"] in planted[key_of(row)]["paraphrase"]:
            assert row["status"] in {"judge", "none", "inconclusive"}, row


def test_every_claim_has_another_wording(built):
    from pipelines.simulate import build

    wording = build._HERE / "wording"
    for task in load_tasks(built, wording):
        for statement in (*task.insights, *task.limitations):
            assert statement.paraphrase not in {None, statement.text}, (task.task_id, statement.text)


@pytest.mark.slow
def test_shuffled_findings_cost_consistency(scored, simulation):
    groups = defaultdict(list)
    for row in scored["consistency"]:
        groups[row["model_id"]].append(row["ranking_stability"] or 0)
    found = {model: fmean(values) for model, values in groups.items()}
    rates = {
        model: described["errors"]["shuffled_findings"]["realised"]
        for model, described in simulation["models"].items()
    }
    assert min(found, key=found.get) == max(rates, key=rates.get)


@pytest.mark.parametrize(
    ("claim", "old", "new", "said"),
    [
        ("Attendance stood at 80.2% in 2025.", 0.8019, 0.751, "Attendance stood at 75.1% in 2025."),
        ("The gap is 13.6 percentage points.", 13.636, 9.98, "The gap is 10.0 percentage points."),
        ("Delivered 31,050 minutes.", 31050, 29876, "Delivered 29876 minutes."),
        ("TUT-007 left 20 sessions, TUT-020 none.", 20, 23, "TUT-007 left 23 sessions, TUT-020 none."),
        ("Nothing to see.", 5, 6, None),
    ],
)
def test_restating_changes_the_number_and_nothing_else(claim, old, new, said):
    assert restate(claim, old, new) == said


def test_entities_are_identifiers_and_months():
    assert entities("In May, REF-002 and October") == [("REF", "REF-002"), ("month", "October")]


def test_dice_depend_on_the_run_and_the_name_alone():
    dice = Dice(1, "run")
    assert dice.roll("a") == dice.roll("a") != dice.roll("b")
    assert dice.roll("a") != Dice(1, "other").roll("a")
    shuffled = dice.shuffle("s", "abcd")
    assert sorted(shuffled) == list("abcd")
    assert all(Dice(seed, "r").shuffle("s", "ab") == ["b", "a"] for seed in range(5))
