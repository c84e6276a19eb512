"""The functions of ``pyarrow.compute`` that reading a table needs, without importing that module.

``pyarrow.compute`` writes wrappers and descriptions of 300 functions when it is imported, which
takes as long as importing the rest of pyarrow. Any of its functions is called by its name here.
Methods of arrays (``cast``, ``take``, ``is_valid``, ``drop_null``) import ``pyarrow.compute`` too;
these functions stand in their place.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Final

import pyarrow as pa
from pyarrow import _compute


def cast(values: Any, kind: pa.DataType, *, safe: bool = True) -> Any:
    """Return values of another type; unless ``safe``, also values that it cannot hold exactly."""
    options = _compute.CastOptions.safe(kind) if safe else _compute.CastOptions.unsafe(kind)
    return _compute.call_function("cast", [values], options)


def index(values: pa.Array, value: Any) -> pa.Scalar:
    """Return the first place of a value, -1 if there is none."""
    options = _compute.IndexOptions(value=pa.scalar(value, type=values.type))
    return _compute.call_function("index", [values], options)


def __getattr__(name: str) -> Any:
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return partial(_call, name)


def _call(name: str, *arguments: Any, **options: Any) -> Any:
    """Call a function; options are keywords, or follow the values, as in ``pyarrow.compute``."""
    if name not in _OPTIONS and not options:
        return _compute.call_function(name.removesuffix("_"), list(arguments))  # and_ is "and"
    values, *further = arguments
    return _compute.call_function(name, [values], _OPTIONS[name](*further, **options))


_OPTIONS: Final = {
    "ends_with": _compute.MatchSubstringOptions,
    "find_substring": _compute.MatchSubstringOptions,
    "is_in": _compute.SetLookupOptions,
    "match_substring": _compute.MatchSubstringOptions,
    "match_substring_regex": _compute.MatchSubstringOptions,
    "replace_substring": _compute.ReplaceSubstringOptions,
    "replace_substring_regex": _compute.ReplaceSubstringOptions,
    "starts_with": _compute.MatchSubstringOptions,
    "utf8_ltrim": _compute.TrimOptions,
}
"""The class of the options of each function that takes some; others have their defaults."""
