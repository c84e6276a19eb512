"""Every number of a result by method, for the part of the page that is folded away."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from service.figures.forest import choose_mean
from service.pages.tables import Table
from service.pages.texts import (
    MISSING,
    describe_target,
    write_ends,
    write_estimate,
    write_number,
    write_p_value,
)

if TYPE_CHECKING:
    from service.figures.result_types import AnyComparison, ModelsResult
    from thetahat_client.results import (
        ModelResultDict,
        OmnibusResultDict,
        PostHocOmnibusResultDict,
        SharedTestDict,
    )

MAX_MODELS: Final = 30
MAX_PAIRS: Final = 30


def list_method_tables(result: ModelsResult) -> list[Table]:
    """Return the intervals, variances and tests of a result with models."""
    tables = [
        table
        for name, model in list(result["models"].items())[:MAX_MODELS]
        for table in (_tabulate_intervals(name, model), _tabulate_variances(name, model))
        if table.rows
    ]
    tables += [
        table
        for pair in result["comparisons"][:MAX_PAIRS]
        if (table := _tabulate_tests(pair, result.get("comparison_tests", {}))).rows
    ]
    if result["omnibus"]:
        tables.append(_tabulate_omnibus(result["omnibus"]))
    if result["not_applicable"]:
        tables.append(
            Table(
                caption="Methods that were not used",
                columns=["Method", "Reason"],
                rows=[[method["name"], method["reason"]] for method in result["not_applicable"]],
            )
        )
    return tables


def _tabulate_intervals(name: str, model: ModelResultDict) -> Table:
    return Table(
        caption=f"Intervals of {name}",
        columns=["Method", "Variance", "About", "Mean", "Interval", "Degrees of freedom"],
        rows=[
            [
                interval["method"] + (" (recommended)" if interval["recommended"] else ""),
                interval["variance"] or MISSING,
                describe_target(interval["target"]),
                interval["mean"],
                write_ends(interval),
                write_number(interval["degrees_of_freedom"]),
            ]
            for interval in model.get("intervals", ())
        ],
        numbers=frozenset({4, 5}),
    )


def _tabulate_variances(name: str, model: ModelResultDict) -> Table:
    return Table(
        caption=f"Variances of the mean of {name}",
        columns=["Method", "About", "Variance", "Standard error", "Usable"],
        rows=[
            [
                method,
                describe_target(variance["target"]),
                MISSING if isinstance(variance["value"], list) else write_number(variance["value"]),
                write_number(variance["standard_error"]),
                write_number(variance["usable"]),
            ]
            for method, variance in model.get("variances", {}).items()
        ],
        numbers=frozenset({2, 3}),
    )


def list_metric_tables(result: ModelsResult, unit: str) -> list[Table]:
    """Return one table of the metrics of all models; none if the result has no metrics."""
    rows = []
    for name, model in result["models"].items():
        for metric, estimate in model.get("metrics", {}).items():
            for target, interval in estimate["recommended"].items() or [("", None)]:
                error = estimate["standard_error"]
                rows.append(
                    [
                        metric,
                        name,
                        write_estimate(choose_mean(estimate), error),
                        write_ends(interval, error),
                        describe_target(target, unit) if target else MISSING,
                    ]
                )
    if not rows:
        return []
    return [
        Table(
            caption="Metrics of each model",
            columns=["Metric", "Model", "Value", "Interval", "About"],
            rows=sorted(rows),
            numbers=frozenset({2, 3}),
        )
    ]


def _tabulate_tests(pair: AnyComparison, shared: Mapping[str, SharedTestDict]) -> Table:
    rows = []
    for method, test in pair["tests"].items():
        details: dict[str, Any] = {**shared.get(method, {}), **test}  # the fields of either class
        if "p_rope" in details:
            value = (
                f"{write_number(details['p_left'])} / {write_number(details['p_rope'])} / "
                f"{write_number(details['p_right'])}"
            )
            rows.append([method, describe_target(details.get("target")), MISSING, MISSING, value])
            continue
        p_value = details.get("p_value_adjusted")
        rows.append(
            [
                method,
                describe_target(details.get("target")),
                write_number(details.get("statistic")),
                write_p_value(details.get("p_value")),
                write_p_value(p_value),
            ]
        )
    return Table(
        caption=f"Tests of {pair['a']} against {pair['b']}",
        columns=["Test", "About", "Statistic", "p", "p, corrected for all pairs"],
        rows=rows,
        numbers=frozenset({2, 3, 4}),
        note="Bayesian tests have three probabilities in the last column: the difference is below, "
        "inside and above the region of practical equivalence.",
    )


def _tabulate_omnibus(omnibus: Mapping[str, OmnibusResultDict | PostHocOmnibusResultDict]) -> Table:
    return Table(
        caption="Tests of all models at once",
        columns=["Test", "About", "Statistic", "p"],
        rows=[
            [
                method,
                describe_target(test["target"]),
                write_number(test["statistic"]),
                write_p_value(test["p_value"]),
            ]
            for method, test in omnibus.items()
        ],
        numbers=frozenset({2, 3}),
    )
