"""Hold files to the schemas that every_eval_ever publishes, where these are given or installed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from grade.errors import GradeError, InputError

_PACKAGE: Final = "every_eval_ever"
_INSTALLED: Final = ("eval.schema.json", "instance_level_eval.schema.json")
_OF_INSTANCES: Final = "sample_id"
_OF_AGGREGATES: Final = "evaluation_results"


class SchemaError(GradeError):
    """A file does not keep to the schema that it is written for."""


@dataclass(frozen=True, slots=True)
class Schemas:
    """Schemas by what they are for.

    Attributes:
        names: The schemas, as they are told.
        aggregate: Checks files of scores.
        instance: Checks lines of instances.
    """

    names: tuple[str, ...]
    aggregate: tuple[Any, ...]
    instance: tuple[Any, ...]

    def check_aggregate(self, made: Mapping[str, Any], *, where: str) -> None:
        """Hold a file of scores to its schemas.

        Raises:
            SchemaError: It breaks one.
        """
        for validator in self.aggregate:
            _check(validator, made, where)

    def check_instances(self, lines: Iterable[str], *, where: str) -> None:
        """Hold lines of instances to their schemas.

        Raises:
            SchemaError: One breaks one.
        """
        if not self.instance:
            return
        for number, line in enumerate(lines, start=1):
            record = json.loads(line)
            for validator in self.instance:
                _check(validator, record, f"{where}, line {number}")


def find_schemas(files: Sequence[Path]) -> Schemas:
    """Load the schemas that a user names, or else those that are installed with every_eval_ever.

    Args:
        files: Schema files; each says by its members whether it is of scores or of instances.

    Raises:
        InputError: A file is no schema of every_eval_ever, or the library that checks is missing.
    """
    chosen = list(files) or _installed()
    if not chosen:
        return Schemas((), (), ())
    validators: dict[str, list[Any]] = {_OF_AGGREGATES: [], _OF_INSTANCES: []}
    for path in chosen:
        schema = _read(path)
        kind = next((kind for kind in validators if kind in schema.get("properties", {})), None)
        if kind is None:
            raise InputError(
                "this is no schema of every_eval_ever",
                where=str(path),
                expected=f"a JSON schema with the property {_OF_AGGREGATES} or {_OF_INSTANCES}",
            )
        validators[kind].append(_validator(schema, path))
    names = tuple(path.name for path in chosen)
    return Schemas(names, tuple(validators[_OF_AGGREGATES]), tuple(validators[_OF_INSTANCES]))


def _installed() -> list[Path]:
    """The schemas of the installed package, which is not imported for that."""
    spec = find_spec(_PACKAGE)
    folders = spec.submodule_search_locations or () if spec is not None else ()
    places = [Path(folder) / "schemas" / name for folder in folders for name in _INSTALLED]
    return [place for place in places if place.is_file()]


def _read(path: Path) -> dict[str, Any]:
    try:
        schema = json.loads(path.read_bytes())
    except (OSError, ValueError) as fault:
        raise InputError("the schema cannot be read", where=str(path), got=str(fault)) from fault
    return schema if isinstance(schema, dict) else {}


def _validator(schema: dict[str, Any], path: Path) -> Any:  # noqa: ANN401 - of a library without types
    try:
        from jsonschema.exceptions import SchemaError as BrokenSchemaError
        from jsonschema.validators import validator_for
    except ModuleNotFoundError as fault:
        raise InputError(
            "checking against a schema needs a library that is not installed",
            got=f"no module named {fault.name}",
            hint="install it with: pip install 'grade[eee]'",
        ) from fault
    kind = validator_for(schema)
    try:
        kind.check_schema(schema)
    except BrokenSchemaError as fault:
        raise InputError("the schema is no JSON schema", where=str(path), got=fault.message) from fault
    return kind(schema)


def _check(validator: Any, made: Mapping[str, Any], where: str) -> None:  # noqa: ANN401 - as above
    fault = next(iter(sorted(validator.iter_errors(made), key=lambda one: one.json_path)), None)
    if fault is not None:
        raise SchemaError(
            "an exported file does not keep to the schema",
            where=f"{where}, {fault.json_path}",
            got=fault.message[:300],
            hint="another version of the format? nothing was written",
        )
