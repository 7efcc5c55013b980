"""A safe file name for any model id: readable, inside its folder, and never the same for two ids."""

from __future__ import annotations

import hashlib
import re
from typing import Final

_LONGEST: Final = 80
_UNSAFE: Final = re.compile(r"[^a-z0-9._-]+")
_PLAIN: Final = re.compile(r"[a-z0-9]([a-z0-9._-]*[a-z0-9_-])?")
_RESERVED: Final = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?")


def file_stem(model_id: str) -> str:
    """Return the file name, without an ending, of a model's result and scorecard.

    An id that is a plain lower-case name already is its own file name. Any other id is cleaned
    for reading and gets a part of its hash, so that two ids that clean to the same name, or that
    differ in case only, have different files on every file system.

    Args:
        model_id: Any text.

    Examples:
        >>> file_stem("model-a")
        'model-a'
        >>> file_stem("acme/model-a")
        'acme__model-a~6f6ab02764da5e01'
    """
    is_plain = _PLAIN.fullmatch(model_id) and not _RESERVED.fullmatch(model_id)
    if is_plain and len(model_id) <= _LONGEST:
        return model_id
    digest = hashlib.sha256(model_id.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    readable = _UNSAFE.sub("_", model_id.lower().replace("/", "__"))[:_LONGEST].strip("._-")
    return f"{readable or 'model'}~{digest}"
