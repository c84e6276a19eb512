"""A request as JSON: arrays, series and frames in it are lists of numbers and texts.

No package of arrays or frames is imported: they are recognised by their methods.
"""

from __future__ import annotations

import json
from typing import Any, Final

_LISTING: Final = ("tolist", "to_list", "to_pylist")
"""What turns an array or a series of NumPy, pandas, polars or pyarrow into a list."""


def encode_request(request: object) -> bytes:
    """Return the JSON of a request, in which arrays, series and frames may stand for lists.

    A frame stands for an object with a list for each column, as in ``losses`` or ``predictions``.

    Raises
    ------
    ValueError
        A number is not finite: JSON has none of these.
    TypeError
        A value is neither of JSON nor an array, a series or a frame.
    """
    text = json.dumps(request, allow_nan=False, ensure_ascii=False, default=_list_values)
    return text.encode()


def _list_values(value: Any) -> Any:
    columns = getattr(value, "column_names", None)
    if columns is None:
        columns = getattr(value, "columns", None)
    if columns is not None and hasattr(value, "__getitem__"):
        return {str(name): value[name] for name in columns}
    for method in _LISTING:
        if hasattr(value, method):
            return getattr(value, method)()
    kind = type(value)
    raise TypeError(
        f"A request has a value of type {kind.__module__}.{kind.__qualname__}, which cannot be "
        "written as JSON. Arrays, series and frames can."
    )
