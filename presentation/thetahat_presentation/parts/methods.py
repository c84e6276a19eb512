"""Every number of a result by method, for the part of a page that is folded away."""

from __future__ import annotations

from typing import Final

from thetahat_presentation.document import Cell, Json, Name, Number, PValue, Table
from thetahat_presentation.numbers import MISSING, format_number
from thetahat_presentation.parts.models import ModelsResult, build_interval

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
                [Name(method["name"]), method["reason"]]
                for method in shown.result.get("not_applicable") or ()
            ],
        )
    )
    return tables


def _tabulate_intervals(shown: ModelsResult, name: str, model: Json) -> Table:
    level = f"{shown.level} interval"
    return Table(
        caption=f"Intervals of {name}",
        columns=["Method", "Variance", "About", "Mean", level, "Degrees of freedom"],
        rows=[
            [
                Name(interval["method"] + (" (recommended)" if interval["recommended"] else "")),
                Name(interval.get("variance") or MISSING),
                shown.about(interval["target"]),
                interval["mean"],
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
                Name(method),
                shown.about(variance["target"]),
                Number(None if isinstance(variance["value"], list) else variance["value"]),
                Number(variance["standard_error"]),
                "yes" if variance["usable"] else "no",
            ]
            for method, variance in (model.get("variances") or {}).items()
        ],
    )


def _tabulate_tests(shown: ModelsResult, pair: Json) -> Table:
    rows: list[list[Cell]] = []
    has_regions = False
    for method, test in (pair.get("tests") or {}).items():
        regions = MISSING
        if "p_rope" in test:
            has_regions = True
            shares = (test[key] for key in ("p_left", "p_rope", "p_right"))
            regions = " / ".join(map(format_number, shares))
        rows.append(
            [
                Name(method),
                shown.about(test.get("target")),
                Number(test.get("statistic")),
                PValue(test.get("p_value_adjusted")),
                PValue(test.get("p_value")),
                regions,
            ]
        )
    columns = ["Test", "About", "Statistic", "p, corrected for all pairs", "p, uncorrected"]
    note = (
        "The last column has the probabilities of Bayesian tests that the difference is below, "
        "inside and above the region of practical equivalence."
    )
    if has_regions:
        columns.append("Below / inside / above")
    return Table(
        caption=f"Tests of {pair['a']} against {pair['b']}",
        columns=columns,
        rows=[row[: len(columns)] for row in rows],
        notes=[note] if has_regions else [],
    )
