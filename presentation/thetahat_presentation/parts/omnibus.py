"""Tests of all models at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from thetahat_presentation.document import Cell, Json, Number, PValue, Table
from thetahat_presentation.parts.models import ModelsResult

MOST_TIED: Final = 6
"""Models named in a cell; of more their number is written."""


def tabulate_omnibus(shown: ModelsResult) -> Table:
    """Return one row for each test of all models."""
    tests: Mapping[str, Json] = shown.result.get("omnibus") or {}
    control = next(filter(None, (test.get("tied_with") for test in tests.values())), None)
    best = control or shown.best
    has_groups = any(test.get("tied") is not None for test in tests.values())
    columns = ["Test", "About", "Statistic", "p"]
    columns += [f"Not shown to differ from {best}"] * has_groups
    rows: list[list[Cell]] = [
        [
            shown.head_method(name),
            shown.about(test["target"]),
            Number(test.get("statistic")),
            PValue(test["p_value"]),
            *[_write_tied(shown, test.get("tied"), best)] * has_groups,
        ]
        for name, test in tests.items()
    ]
    return Table(caption="Tests of all models at once", columns=columns, rows=rows)


def _write_tied(shown: ModelsResult, groups: Sequence[Sequence[str]] | None, best: str) -> str:
    """Return the other models of the best one's groups; nothing where a test has no groups."""
    if groups is None:
        return ""
    names = dict.fromkeys(name for group in groups if best in group for name in group)
    names.pop(best, None)
    if not names:
        return "none"
    n_others = len(shown.models) - 1
    return ", ".join(names) if len(names) <= MOST_TIED else f"{len(names)} of {n_others}"
