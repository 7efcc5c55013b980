from __future__ import annotations

import polars as pl
import pytest

from grade.expressions.cells import flat, harmless, tidy_cells


@pytest.mark.parametrize(
    "text",
    [
        "=1+1",
        "+1+1",
        "-1+1",
        "@SUM(A1)",
        "=cmd|' /C calc'!A0",
        "\t=1+1",
        "\r=1+1",
        "\n=1+1",
        " =1+1",
        "\u200b=1+1",
        "\ufeff=1",
        "'=1+1",
        "＝1+1",
        "＋1",
        "＠x",
        "- a bullet",
        "\tplain",
    ],
)
def test_what_a_spreadsheet_might_run_gets_an_apostrophe(text):
    made = pl.DataFrame({"x": [text]}).select(harmless(pl.col("x")))["x"][0]
    assert made == "'" + text


@pytest.mark.parametrize("text", ["fine", "-0.5", "+3", "-1e-05", "a=b", "1-2", "", "x@y.z", "[1]", "T-1"])
def test_other_text_and_numbers_stay(text):
    assert pl.DataFrame({"x": [text]}).select(harmless(pl.col("x")))["x"][0] == text


def test_null_stays_null():
    frame = pl.DataFrame(
        {"x": [None, "=1"], "y": [None, ["=1"]]}, schema={"x": pl.String, "y": pl.List(pl.String)}
    )
    assert tidy_cells(frame).rows() == [(None, None), ("'=1", '["=1"]')]


def test_nested_values_become_json_and_others_stay():
    frame = pl.DataFrame(
        {"n": [1.5], "t": [True], "r": [[{"a": 'q"', "b": None}]], "e": [[]]},
        schema_overrides={"e": pl.List(pl.String)},
    )
    assert flat(frame).rows() == [(1.5, True, '[{"a":"q\\"","b":null}]', "[]")]
