from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grade.report.filenames import file_stem

AWKWARD = [
    "acme/model-a", "acme__model-a", "acme_model-a", "ACME/model-a", "Acme/Model-A", "acme\\model-a",
    "..", ".", "", "/", "../../etc/passwd", "/etc/passwd", "a/../b", "a/b", "a b", "a\tb", "a\nb", "a\0b",
    "con", "CON", "nul.txt", "com1", "😀", "😀😀", "é", "e\u0301", "x" * 300, "x" * 301, "X" * 300,
    "-rf", ".hidden",
    "model.", "model", "Model", "MODEL", "model~0123456789abcdef", "\ud800",
]  # fmt: skip


@pytest.mark.parametrize("model_id", AWKWARD)
def test_a_name_stays_in_its_folder_and_fits_every_file_system(tmp_path, model_id):
    name = file_stem(model_id) + ".json"
    assert (tmp_path / name).resolve().parent == tmp_path.resolve()
    assert len(name.encode()) <= 120
    assert not name.startswith((".", "-"))
    assert name.isascii()
    (tmp_path / name).write_text("{}")


def test_no_two_ids_share_a_file_even_where_case_does_not_count():
    names = [file_stem(model_id).lower() for model_id in AWKWARD]
    assert len(set(names)) == len(AWKWARD)


def test_plain_names_stay_as_they_are():
    assert file_stem("model-a_1.5") == "model-a_1.5"


def test_other_names_stay_readable():
    assert file_stem("Acme/Model A").startswith("acme__model_a~")


@given(st.lists(st.text(), unique=True, min_size=2, max_size=20))
def test_any_ids_are_told_apart(model_ids):
    names = [file_stem(model_id).lower() for model_id in model_ids]
    assert len(set(names)) == len(names)


@given(
    st.text(st.sampled_from("aA/._-~😀\\"), max_size=8), st.text(st.sampled_from("aA/._-~😀\\"), max_size=8)
)
def test_close_ids_are_told_apart(one, other):
    assert (file_stem(one).lower() == file_stem(other).lower()) == (one == other)


def test_the_windows_device_names_are_avoided():
    for name, ending in itertools.product(("con", "prn", "aux", "nul", "com1", "lpt9"), ("", ".md")):
        assert "~" in file_stem(name + ending)
