"""The models and the comparisons of a result as columns, and as a frame of an installed package."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final, Literal, TypeAlias

from thetahat_presentation.document import Json
from thetahat_presentation.parts.models import ModelsResult, find_recommended

FramePart: TypeAlias = Literal["models", "comparisons"]
FramePackage: TypeAlias = Literal["pandas", "polars", "pyarrow"]
Columns: TypeAlias = Mapping[str, Sequence[str | float | None]]

PARTS: Final = ("models", "comparisons")
PACKAGES: Final = ("pandas", "polars", "pyarrow")
"""Packages whose frames can be made; the first ones are preferred."""
WRITERS: Final = {"pandas": "DataFrame", "polars": "DataFrame", "pyarrow": "table"}

_MODEL: Final = ("standard_error", "lower", "upper", "level", "method", "variance")
_COMPARISON: Final = (
    *("a", "b", "difference", "lower", "upper", "target"),
    *("p_value", "p_value_adjusted", "decision"),
)


def tabulate_result(result: Json, part: str, target: str | None) -> Columns:
    """Return the columns of a part of a result.

    Parameters
    ----------
    result : mapping
        The result as JSON.
    part : str
        ``models`` or ``comparisons``.
    target : str or None
        What the intervals of the models are about; None for the target of the verdicts.
    """
    if part not in PARTS:
        raise ValueError(f"A result has no part {part!r}; the parts are {' and '.join(PARTS)}.")
    if "models" not in result:
        raise ValueError(f"The result of kind {result.get('kind')} has no models.")
    shown = ModelsResult(result, {})
    if part == "models":
        return _tabulate_models(shown, target)
    if target is not None:
        raise ValueError(
            "A comparison has the interval of its first verdict alone, so target is for models. "
            "Verdicts for other targets are in other_verdicts of each comparison."
        )
    return _tabulate_comparisons(shown)


def make_frame(columns: Columns, package: str | None = None) -> Any:
    """Return columns as a frame.

    Parameters
    ----------
    columns : mapping of str to sequence
        The entries of each column.
    package : str or None
        ``pandas``, ``polars`` or ``pyarrow``; None for the first of these that the program has
        imported, or else that is installed.

    Raises
    ------
    ImportError
        The package is not installed, or none is.
    """
    chosen = package or _choose_package()
    if chosen not in PACKAGES:
        raise ValueError(f"The package {chosen!r} is not one of {', '.join(PACKAGES)}.")
    try:
        module = import_module(chosen)
    except ImportError:
        message = f"A frame of {chosen} needs the package {chosen}, which is not installed."
        raise ImportError(message) from None
    return getattr(module, WRITERS[chosen])(dict(columns))


def _choose_package() -> str:
    imported = [name for name in PACKAGES if sys.modules.get(name) is not None]
    for name in (*imported, *PACKAGES):
        if name in imported or (name not in sys.modules and find_spec(name) is not None):
            return name
    raise ImportError(
        "A frame needs one of the packages pandas, polars and pyarrow, and none is installed: "
        "pip install pandas, or pip install polars. to_dict() needs none."
    )


def _tabulate_models(shown: ModelsResult, target: str | None) -> Columns:
    """Return one row for each model, the best one first."""
    if target is not None and target not in shown.targets:
        known = ", ".join(shown.targets) or "none"
        raise ValueError(f"No interval is about the target {target!r}; the targets are: {known}.")
    chosen = target or shown.main_target
    columns: dict[str, list[str | float | None]] = {
        name: [] for name in ("model", "mean", *_MODEL, "target", "n", "blocks")
    }
    for name in shown.names:
        model = shown.models[name]
        interval = find_recommended(model).get(chosen or "")
        found: Json = {} if interval is None else interval
        columns["model"].append(name)
        columns["mean"].append(found.get("estimate", model.get("mean", {}).get("macro")))
        for field in _MODEL:
            columns[field].append(found.get(field))
        columns["target"].append(None if interval is None else chosen)
        columns["n"].append(model.get("n"))
        columns["blocks"].append(model.get("blocks"))
    return columns


def _tabulate_comparisons(shown: ModelsResult) -> Columns:
    """Return one row for each pair, in the order of the result."""
    columns: dict[str, list[str | float | None]] = {name: [] for name in _COMPARISON}
    for pair in shown.comparisons:
        interval: Json = pair["interval"] or {}
        for field in ("a", "b", "difference"):
            columns[field].append(pair[field])
        for field in ("lower", "upper", "target"):
            columns[field].append(interval.get(field))
        for field in ("p_value", "p_value_adjusted", "decision"):
            columns[field].append(pair["verdict"].get(field))
    return columns
