from __future__ import annotations

import dataclasses

import pytest

from grade.errors import SettingsError
from grade.hints import nearest
from grade.ingest.limits import Limits
from grade.settings import DEFAULTS, Settings, override, parse_settings


def test_nothing_said_gives_the_defaults():
    assert parse_settings("") == DEFAULTS == Settings()
    assert (DEFAULTS.confidence_threshold, DEFAULTS.max_rejects, DEFAULTS.batch_runs) == (0.7, 0, 10_000)


def test_a_file_sets_what_it_names():
    settings = parse_settings("confidence_threshold = 0.8\nbatch_runs = 10  # a comment\n")
    assert settings == Settings(confidence_threshold=0.8, batch_runs=10)


def test_an_option_goes_before_the_file_and_none_says_nothing():
    settings = override(parse_settings("max_rejects = 3"), {"max_rejects": 5, "batch_runs": None})
    assert settings == Settings(max_rejects=5)


@pytest.mark.parametrize(
    ("key", "hint"), [("confidence_treshold", "did you mean confidence_threshold?"), ("colour", "")]
)
def test_an_unknown_key_is_an_error_that_names_the_nearest(key, hint):
    with pytest.raises(SettingsError) as fault:
        parse_settings(f"{key} = 1", where="my.toml")
    assert (fault.value.where, fault.value.got, fault.value.hint) == ("my.toml", key, hint)


@pytest.mark.parametrize(
    "line",
    [
        "confidence_threshold = 1.1", "confidence_threshold = -0.1", "confidence_threshold = nan",
        'confidence_threshold = "0.7"', "confidence_threshold = true",
        "max_rejects = -1", "max_rejects = 1.5", "max_rejects = true", "batch_runs = 0",
        "max_depth = []", "[max_depth]", "max_record_bytes = 99999999999999",
    ],
)  # fmt: skip
def test_a_value_that_does_not_fit_is_an_error(line):
    with pytest.raises(SettingsError, match="does not fit"):
        parse_settings(line)


@pytest.mark.parametrize("text", ["=", "a = ", "max_rejects = 1\nmax_rejects = 2", "\x00"])
def test_a_file_that_is_no_toml_says_where(text):
    with pytest.raises(SettingsError, match="not valid TOML") as fault:
        parse_settings(text, where="my.toml")
    assert fault.value.where == "my.toml"


def test_a_whole_number_is_a_threshold_too():
    threshold = parse_settings("confidence_threshold = 1").confidence_threshold
    assert isinstance(threshold, float)


def test_the_limits_are_those_of_the_reader():
    assert DEFAULTS.limits == Limits()
    assert parse_settings("max_depth = 9").limits == Limits(max_depth=9)


def test_the_digest_changes_with_the_method_and_only_with_it():
    assert Settings(batch_runs=1, max_rejects=9).digest == DEFAULTS.digest
    changed = {Settings(confidence_threshold=0.5).digest, Settings(max_depth=9).digest, DEFAULTS.digest}
    assert len(changed) == 3


def test_settings_cannot_change():
    with pytest.raises(dataclasses.FrozenInstanceError):
        DEFAULTS.max_rejects = 1


def test_every_setting_says_what_it_is():
    assert all(spec.metadata["note"].endswith(".") for spec in dataclasses.fields(Settings))


def test_the_nearest_name():
    assert nearest("scroe", ["score", "demo"]) == "did you mean score?"
