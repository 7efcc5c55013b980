from __future__ import annotations

import pytest

from grade.errors import InputError, SettingsError
from grade.policy import DEFAULT_POLICY, Policy, parse_policy, read_policy
from pipelines.policies import BUILT_IN, load_policy


def test_the_default_policy_is_the_file_that_ships():
    assert load_policy(None) == load_policy("default") == DEFAULT_POLICY


def test_the_strict_policy_ships_and_is_stricter():
    strict = load_policy("strict")
    assert (strict.name, strict.max_critical, strict.max_high, strict.judges) == (
        "strict",
        0,
        0,
        "conservative",
    )
    assert set(BUILT_IN) == {"default", "strict"}


def test_a_policy_keeps_its_hash_through_its_content():
    policy = Policy(name="mine", max_high=2, required=("consistency",))
    assert read_policy(policy.content) == policy
    assert read_policy(policy.content).digest == policy.digest != DEFAULT_POLICY.digest


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("name = ", "not valid TOML"),
        ("max_hihg = 1", "did you mean max_high"),
        ("max_high = -1", "a whole number from 0"),
        ("max_high = 1.5", "a whole number from 0"),
        ("max_high = true", "a whole number from 0"),
        ("min_int_score = 6", "from 1 to 5"),
        ("confidence_threshold = 1.5", "a number from 0 to 1"),
        ('judges = "median"', "one of mean, majority"),
        ('required = ["a", "a"]', "each once"),
        ('name = " "', "a text"),
    ],
)
def test_a_wrong_policy_is_told(text, words):
    with pytest.raises(SettingsError, match=words):
        parse_policy(text)


def test_a_policy_that_is_not_there_is_told(tmp_path):
    with pytest.raises(InputError, match="did you mean strict"):
        load_policy("strickt")
    (tmp_path / "mine.toml").write_text('name = "mine"\nmax_medium = 3\n')
    assert load_policy(str(tmp_path / "mine.toml")).max_medium == 3
