"""Formats of other packages: found by name, loaded when asked for, and told apart."""

from __future__ import annotations

import sys

import pytest

from grade.errors import InputError
from pipelines.exports.registry import EXPORTERS, exporters, run_export
from pipelines.plugins import EXPORTERS_GROUP, READERS_GROUP, choose_plugin, find_plugins


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Put a package on the path, as an installer would leave it there."""
    monkeypatch.syspath_prepend(tmp_path)

    def add(package: str, group: str, entries: dict[str, str], code: str = "") -> None:
        module = package.replace("-", "_")
        (tmp_path / f"{module}.py").write_text(code, encoding="utf-8")
        monkeypatch.delitem(sys.modules, module, raising=False)
        about = tmp_path / f"{module}-1.2.dist-info"
        about.mkdir()
        (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.2\n")
        lines = [f"{name} = {target}" for name, target in entries.items()]
        (about / "entry_points.txt").write_text("\n".join([f"[{group}]", *lines]))

    return add


def test_without_plugins_there_is_what_ships():
    assert exporters() == EXPORTERS
    assert find_plugins(READERS_GROUP) == ()


def test_an_installed_package_adds_a_format_that_runs(install, tmp_path):
    code = "def write(results, out, tables=None):\n    out.write_text(f'{results.name} {tables}')\n"
    install("grade-parade", EXPORTERS_GROUP, {"parade": "grade_parade:write"}, code)
    added = exporters()[-1]
    assert (added.name, added.summary) == ("parade", "from the package grade-parade 1.2")
    run_export("parade", tmp_path / "result", tmp_path / "out.txt", {"tables": ["runs"]})
    assert (tmp_path / "out.txt").read_text() == "result ['runs']"


def test_listing_formats_imports_none_of_them(install):
    install("grade-bomb", EXPORTERS_GROUP, {"bomb": "grade_bomb:write"}, "raise RuntimeError('loaded')\n")
    assert exporters()[-1].name == "bomb"
    with pytest.raises(InputError, match=r"(?s)cannot be loaded.*grade-bomb 1\.2.*RuntimeError: loaded"):
        exporters()[-1].load()


def test_what_is_no_function_is_refused(install):
    install("grade-odd", EXPORTERS_GROUP, {"odd": "grade_odd:write"}, "write = 3\n")
    with pytest.raises(InputError, match="no function"):
        exporters()[-1].load()


def test_a_plugin_never_takes_the_place_of_what_ships(install):
    install("grade-other", EXPORTERS_GROUP, {"csv": "grade_other:write"})
    assert exporters() == EXPORTERS


def test_two_packages_with_one_name_are_told_apart_by_the_user(install):
    install("grade-one", READERS_GROUP, {"ledger": "grade_one:read"})
    install("grade-two", READERS_GROUP, {"ledger": "grade_two:read"})
    with pytest.raises(InputError, match=r"(?s)grade-one 1\.2, grade-two 1\.2.*uninstall"):
        choose_plugin("ledger", find_plugins(READERS_GROUP))
    assert choose_plugin("csv", find_plugins(READERS_GROUP)) is None
