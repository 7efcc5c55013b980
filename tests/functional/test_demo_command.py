from __future__ import annotations

import polars as pl


def test_the_demo_ends_with_a_leaderboard_and_the_folder(grade, tmp_path):
    finished = grade("demo", "--out", "result")
    assert finished.returncode == 0, finished.stderr
    lines = finished.stdout.splitlines()
    assert lines[0] == "Ranking"
    assert lines[-1] == "Result folder: result"
    models = pl.read_parquet(tmp_path / "result" / "overall_scores.parquet")["model_id"]
    assert models.len() >= 4
    assert all(model in finished.stdout for model in models)


def test_the_packs_that_ship_are_what_the_generator_makes(grade):
    assert grade("packs", "build", "--out", "packs").returncode == 0
    checked = grade("packs", "check", "packs")
    assert (checked.returncode, checked.stdout) == (0, "nothing is wrong\n")


def test_a_pack_that_was_changed_by_hand_is_told(grade, tmp_path):
    grade("packs", "build", "--out", "packs")
    data = next((tmp_path / "packs").rglob("students.csv"))
    data.write_bytes(data.read_bytes() + b"\n")
    checked = grade("packs", "check", "packs")
    assert checked.returncode == 1
    assert "students.csv" in checked.stdout
