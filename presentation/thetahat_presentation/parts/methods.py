"""Every number of a result by method, for the part of a page that is folded away."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from thetahat_presentation.document import Cell, Json, Number, PValue, Table
from thetahat_presentation.numbers import MISSING, format_number
from thetahat_presentation.parts.models import ModelsResult, build_interval
from thetahat_presentation.wording import capitalise, name_method, name_methods_in

MOST_MODELS: Final = 30
MOST_PAIRS: Final = 30


def list_method_tables(shown: ModelsResult) -> list[Table]:
    """Return the intervals, variances and tests of a result with models."""
    tables = []
    for name, model in list(shown.models.items())[:MOST_MODELS]:
        tables += [_tabulate_intervals(shown, name, model), _tabulate_variances(shown, name, model)]
    tables += [_tabulate_tests(shown, pair) for pair in shown.comparisons[:MOST_PAIRS]]
    tables.append(
        Table(
            caption="Methods that were not used",
            columns=["Method", "Reason"],
            rows=[
                [_name(method["name"]), capitalise(name_methods_in(method["reason"]))]
                for method in shown.result.get("not_applicable") or ()
            ],
        )
    )
    return tables


def _name(method: str) -> str:
    return capitalise(name_method(method))


def _tabulate_intervals(shown: ModelsResult, name: str, model: Json) -> Table:
    level = f"{shown.level} interval"
    return Table(
        caption=f"Intervals of {name}",
        columns=["Method", "Variance", "About", "Mean", level, "Degrees of freedom"],
        rows=[
            [
                _name(interval["method"]) + " (recommended)" * bool(interval["recommended"]),
                _name(interval["variance"]) if interval.get("variance") else MISSING,
                shown.about(interval["target"]),
                shown.quantity if interval["mean"] == "macro" else f"{interval['mean']} mean",
                build_interval(interval),
                Number(interval.get("degrees_of_freedom")),
            ]
            for interval in model.get("intervals") or ()
        ],
    )


def _tabulate_variances(shown: ModelsResult, name: str, model: Json) -> Table:
    return Table(
        caption=f"Variances of the mean of {name}",
        columns=["Method", "About", "Variance", "Standard error", "Usable"],
        rows=[
            [
                shown.head_method(method),
                shown.about(variance["target"]),
                Number(None if isinstance(variance["value"], list) else variance["value"]),
                Number(variance["standard_error"]),
                "yes" if variance["usable"] else "no",
            ]
            for method, variance in (model.get("variances") or {}).items()
        ],
    )


def _tabulate_tests(shown: ModelsResult, pair: Json) -> Table:
    tests: Mapping[str, Json] = pair.get("tests") or {}
    has_regions = any("p_rope" in test for test in tests.values())
    rows: list[dict[str, Cell]] = []
    for method, test in tests.items():
        row: dict[str, Cell] = {
            "Test": shown.head_method(method),
            "About": shown.about(test.get("target")),
            "Statistic": Number(test.get("statistic")),
            "p, corrected for all pairs": PValue(test.get("p_value_adjusted")),
            "p, uncorrected": PValue(test.get("p_value")),
        }
        if has_regions:
            shares = [test[key] for key in ("p_left", "p_rope", "p_right") if "p_rope" in test]
            row["Below / inside / above"] = " / ".join(map(format_number, shares)) or MISSING
        rows.append(row)
    note = (
        "The last column has the probabilities of Bayesian tests that the difference is below, "
        "inside and above the region of practical equivalence."
    )
    caption = f"Tests of {pair['a']} against {pair['b']}"
    return Table.of_rows(caption, rows, [note] if has_regions else [])
