"""Gold content is read whole or not at all, and every fault has its place."""

from __future__ import annotations

import json

import pytest

from grade.dimensions import DIMENSIONS
from grade.errors import InputError
from grade.ingest.packs import pack_id_of, pack_id_of_file
from grade.ingest.tasks import TaskFile, is_task_file, read_tasks


def lines(*tasks):
    return b"".join(
        (task if isinstance(task, bytes) else json.dumps(task).encode()) + b"\n" for task in tasks
    )


def read(*tasks, pack_id="pack_a"):
    return read_tasks([TaskFile("p/tasks.jsonl", lines(*tasks), pack_id)])


def test_tasks_come_sorted_with_their_pack(task):
    first, second = read(task(task_id="T-2"), task(task_id="T-1", pack_id="outcomes_pack"))
    assert (first.task_id, first.pack_id) == ("T-1", "pack_outcomes")
    assert (second.task_id, second.pack_id) == ("T-2", "pack_a")


def test_insights_are_texts_or_objects(task):
    [one] = read(task(gold_insights=["a", {"text": "b", "calibration": True}]))
    assert [(insight.text, insight.calibration) for insight in one.gold_insights] == [
        ("a", False),
        ("b", True),
    ]


def test_fields_beyond_the_format_are_kept_aside(task):
    [one] = read(task(difficulty="hard"))
    assert one.extra == {"difficulty": "hard"}


@pytest.mark.parametrize("tolerance", [None, 0, 0.5, "5%", " 2.5 % "])
def test_tolerances_that_can_be_read(tolerance, task):
    [one] = read(
        task(gold_facts=[{"fact_id": "F1", "claim": "c", "numeric_value": 1, "tolerance": tolerance}])
    )
    assert one.gold_facts[0].tolerance == tolerance


@pytest.mark.parametrize(
    "fact",
    [
        {"tolerance": -1},
        {"tolerance": "5"},
        {"tolerance": "-5%"},
        {"tolerance": "nan%"},
        {"tolerance": True},
        {"numeric_value": True},
        {"numeric_value": "135"},
        {"claim": None},
        {"fact_id": " "},
        {"unit": "furlongs"},
        {"metric_keys": "total"},
    ],
)
def test_a_fact_that_cannot_be_read_names_its_place(fact, task):
    bad = {"fact_id": "F1", "claim": "c", "numeric_value": 1, "tolerance": 0} | fact
    with pytest.raises(InputError, match="line 2"):
        read(task(), task(task_id="T-2", gold_facts=[bad]))


@pytest.mark.parametrize("value", ["NaN", "Infinity", "1e999"])
def test_a_gold_value_that_is_no_number_is_refused(value, task):
    text = json.dumps(task()).replace('"numeric_value": 135', f'"numeric_value": {value}').encode()
    with pytest.raises(InputError, match="line 1"):
        read(text)


@pytest.mark.parametrize(
    "changes",
    [
        {"task_id": ""},
        {"track": 6},
        {"track": "1"},
        {"allowed_inputs": ...},
        {"gold_insights": [1]},
        {"gold_insights": [{"calibration": True}]},
        {"forbidden_claims": ["a", None]},
        {"rubric": {"grounding_accuracy": 1}},
        {"gold_facts": [{"fact_id": "F", "claim": "a"}] * 2},
    ],
)
def test_an_invalid_task_stops_with_its_place(changes, task):
    with pytest.raises(InputError, match=r"tasks\.jsonl, line 1"):
        read(task(**changes))


@pytest.mark.parametrize("line", [b'{"gold_facts": [', b"{}", b"[]", b"\xff", b'{"gold_facts": NaN}'])
def test_a_broken_line_stops_with_its_place(line, task):
    with pytest.raises(InputError, match=r"tasks\.jsonl, line 3"):
        read(task(), b"", line)


def test_all_bad_rubrics_are_named_with_their_sums(task):
    def rubric(**weights):
        return {key: {"weight": weights.get(key, 1 / 6)} for key in DIMENSIONS}

    with pytest.raises(InputError) as fault:
        read(
            task(task_id="T-low", rubric=rubric(consistency=0.1)),
            task(task_id="T-good", rubric=rubric()),
            task(task_id="T-minus", rubric=rubric(consistency=-1, insight_quality=2)),
            task(task_id="T-five", rubric={key: {"weight": 0.2} for key in DIMENSIONS[:5]}),
            task(task_id="T-other", rubric={f"x{key}": {"weight": 0.2} for key in DIMENSIONS}),
        )
    message = str(fault.value)
    assert all(name in message for name in ("T-low", "T-minus", "T-five", "T-other"))
    assert "T-good" not in message
    assert "0.93333333333333" in message
    assert fault.value.where.endswith("line 4 and 3 more tasks")  # T-five, the first by its id
    assert fault.value.exit_code == 2


@pytest.mark.parametrize(("excess", "is_right"), [(0, True), (9e-7, True), (-9e-7, True), (2e-6, False)])
def test_weights_sum_to_one_within_a_millionth(excess, is_right, task):
    rubric = {key: {"weight": 1 / 6} for key in DIMENSIONS}
    rubric["consistency"]["weight"] += excess
    if is_right:
        assert len(read(task(rubric=rubric))) == 1
    else:
        with pytest.raises(InputError):
            read(task(rubric=rubric))


def test_a_task_id_in_two_packs_names_both_places(task):
    files = [TaskFile("a/tasks.jsonl", lines(task()), "a"), TaskFile("b_pack.jsonl", lines(b"", task()), "b")]
    with pytest.raises(InputError) as fault:
        read_tasks(files)
    assert "a/tasks.jsonl, line 1" in fault.value.where
    assert "b_pack.jsonl, line 2" in fault.value.where


@pytest.mark.parametrize(
    ("data", "is_one"),
    [
        (b'{"gold_facts": []}', True),
        (b'{"x": 1}\n{"gold_facts": [', True),
        ('{"gold_facts": []}'.encode("utf-16"), True),
        (b'{"task": {"gold_facts": []}}', False),
        (b'{"text": "\\"gold_facts\\""}', False),
        (b"", False),
        (b'{"x": 1', False),
    ],
)
def test_a_task_file_is_known_by_its_objects(data, is_one):
    assert is_task_file(data) is is_one


@pytest.mark.parametrize(
    ("name", "pack_id"),
    [
        ("operations", "pack_operations"),
        ("pack_operations", "pack_operations"),
        ("operations_pack", "pack_operations"),
        ("pack_a_pack", "pack_a"),
    ],
)
def test_a_pack_has_one_spelling(name, pack_id):
    assert pack_id_of(name) == pack_id


@pytest.mark.parametrize(
    ("path", "manifest", "pack_id"),
    [
        ("packs/operations/tasks.jsonl", None, "pack_operations"),
        ("packs/operations/tasks.jsonl", "other", "pack_other"),
        ("packs/operations_pack.jsonl", None, "pack_operations"),
        ("operations_pack.jsonl", None, "pack_operations"),
        ("tasks.jsonl", None, "pack_tasks"),
    ],
)
def test_a_pack_is_named_by_manifest_folder_or_file(path, manifest, pack_id):
    assert pack_id_of_file(path, manifest_pack_id=manifest) == pack_id
