"""Find policies: the ones that ship, by name, and a user's own, by file."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Final

from grade.errors import InputError, SettingsError
from grade.hints import nearest
from grade.policy import Policy, parse_policy

BUILT_IN: Final = ("default", "strict")
"""The policies that ship."""


def load_policy(name: str | None) -> Policy:
    """Return a policy.

    Args:
        name: A built-in policy's name or the path of a TOML file; None is the default policy.

    Raises:
        InputError: There is no such policy and no such file.
        SettingsError: The file is not a policy.
    """
    if name is None or name in BUILT_IN:
        chosen = name or BUILT_IN[0]
        text = files("grade").joinpath("policies", f"{chosen}.toml").read_text(encoding="utf-8")
        return parse_policy(text, where=f"{chosen}.toml")
    path = Path(name)
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as fault:
        raise SettingsError("the policy file is not UTF-8", where=name, got=str(fault)) from fault
    except OSError as fault:
        raise InputError(
            "there is no such policy",
            where=name,
            got=fault.strerror or str(fault),
            expected="a TOML file, or one of " + ", ".join(BUILT_IN),
            hint=nearest(name, BUILT_IN),
        ) from fault
    return parse_policy(text, where=name)
