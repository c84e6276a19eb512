"""Every number of a result by method, for the part of the page that is folded away."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

from thetahat_service.figures.forest import choose_mean
from thetahat_service.figures.words import TARGET_ORDER, write_level
from thetahat_service.pages.tables import Table
from thetahat_service.pages.texts import (
    MISSING,
    count,
    describe_target,
    write_ends,
    write_estimate,
    write_number,
    write_p_value,
)

if TYPE_CHECKING:
    from thetahat_client.results import (
        MetricResultDict,
        ModelResultDict,
        OmnibusResultDict,
        PostHocOmnibusResultDict,
        SharedTestDict,
    )
    from thetahat_service.figures.result_types import AnyComparison, ModelsResult

Json = Mapping[str, Any]

MAX_MODELS: Final = 30
MAX_PAIRS: Final = 30


def list_method_tables(result: ModelsResult, unit: str = "source") -> list[Table]:
    """Return the intervals, variances and tests of a result with models."""
    level = write_level(result["summary"]["level"])
    tables = [
        table
        for name, model in list(result["models"].items())[:MAX_MODELS]
        for table in (
            _tabulate_intervals(name, model, unit, level),
            _tabulate_variances(name, model, unit),
        )
        if table.rows
    ]
    tables += [
        table
        for pair in result["comparisons"][:MAX_PAIRS]
        if (table := _tabulate_tests(pair, result.get("comparison_tests", {}), unit)).rows
    ]
    if result["omnibus"]:
        tables.append(_tabulate_omnibus(result["omnibus"], unit))
    if result["not_applicable"]:
        tables.append(
            Table(
                caption="Methods that were not used",
                columns=["Method", "Reason"],
                rows=[[method["name"], method["reason"]] for method in result["not_applicable"]],
            )
        )
    return tables


def _tabulate_intervals(name: str, model: ModelResultDict, unit: str, level: str) -> Table:
    return Table(
        caption=f"Intervals of {name}",
        columns=["Method", "Variance", "About", "Mean", f"{level} interval", "Degrees of freedom"],
        rows=[
            [
                interval["method"] + (" (recommended)" if interval["recommended"] else ""),
                interval["variance"] or MISSING,
                describe_target(interval["target"], unit),
                interval["mean"],
                write_ends(interval),
                write_number(interval["degrees_of_freedom"]),
            ]
            for interval in model.get("intervals", ())
        ],
        numbers=frozenset({4, 5}),
    )


def _tabulate_variances(name: str, model: ModelResultDict, unit: str) -> Table:
    return Table(
        caption=f"Variances of the mean of {name}",
        columns=["Method", "About", "Variance", "Standard error", "Usable"],
        rows=[
            [
                method,
                describe_target(variance["target"], unit),
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
    by_metric: dict[str, list[tuple[str, MetricResultDict]]] = {}
    for name, model in result["models"].items():
        for metric, estimate in model.get("metrics", {}).items():
            by_metric.setdefault(metric, []).append((name, estimate))
    if not by_metric:
        return []
    estimates = [each for entries in by_metric.values() for _, each in entries]
    targets = [t for t in TARGET_ORDER if any(t in each["recommended"] for each in estimates)]
    level = write_level(result["summary"]["level"])
    rows = []
    for metric, entries in by_metric.items():
        for name, estimate in sorted(entries, key=lambda entry: _rank_metric(entry[1])):
            error = estimate["standard_error"]
            intervals = [estimate["recommended"].get(target) for target in targets]
            value = write_estimate(choose_mean(estimate), error)
            ends = [
                _write_with_mean(interval, choose_mean(estimate), error) for interval in intervals
            ]
            rows.append([metric, name, value, *ends])
    headings = [f"{level} interval {describe_target(target, unit)}" for target in targets]
    return [
        Table(
            caption="Metrics of each model",
            columns=["Metric", "Model", "Value", *headings],
            rows=rows,
            numbers=frozenset(range(2, 3 + len(targets))),
            note="The best model of each metric is first. A number before an interval is the mean "
            "that the interval is about, where this is not the value.",
        )
    ]


def _write_with_mean(interval: Any, value: float | None, error: float | None) -> str:
    """Return an interval, after its estimate where that is another mean than the value."""
    ends = write_ends(interval, error)
    estimate = None if interval is None else interval.get("estimate")
    if estimate is None or value is None or math.isclose(estimate, value, rel_tol=1e-9):
        return ends
    return f"{write_estimate(estimate, error)}: {ends}"


def _rank_metric(estimate: MetricResultDict) -> tuple[bool, float]:
    """Return the key that sorts models by a metric, the best first and missing values last."""
    value = choose_mean(estimate)
    if value is None:
        return True, 0.0
    return False, -value if estimate["higher_is_better"] else value


def list_population_tables(result: ModelsResult) -> list[Table]:
    """Return the losses in the target population, of models and of pairs; none without weights."""
    quantity = "score" if result["summary"]["better"] == "higher" else "loss"
    level = write_level(result["summary"]["level"])
    numbers = frozenset({2, 3})
    models = [
        [name, risk, write_estimate(each["estimate"], each["standard_error"]), _write_ends_of(each)]
        for name, model in list(result["models"].items())[:MAX_MODELS]
        for risk, each in _list_risks(model)
    ]
    pairs = [
        [
            f"{pair['a']} − {pair['b']}",
            risk,
            write_estimate(each["difference"], each["standard_error"]),
            _write_ends_of(each),
        ]
        for pair in result["comparisons"][:MAX_PAIRS]
        for risk, each in _list_risks(pair)
    ]
    tables = [
        Table(
            caption=f"Mean {quantity} in the target population",
            columns=["Model", "Estimator", f"Mean {quantity}", f"{level} interval"],
            rows=models,
            numbers=numbers,
            note="Each estimator weights the rows so that they stand for the target population.",
        ),
        Table(
            caption="Difference of each pair in the target population",
            columns=["Pair", "Estimator", "Difference", f"{level} interval"],
            rows=pairs,
            numbers=numbers,
        ),
    ]
    return [table for table in tables if table.rows]


def _list_risks(part: Mapping[str, Any]) -> Iterable[tuple[str, Json]]:
    """Return the weighted risks of a model or of a comparison by estimator."""
    return (part.get("risks") or {}).items()


def _write_ends_of(risk: Json) -> str:
    return write_ends(risk["interval"], risk["standard_error"])


def list_calibration_tables(result: ModelsResult, unit: str) -> list[Table]:
    """Return how often the recommended intervals contained the truth on samples of the data."""
    calibration: Any = result.get("calibration")
    if not calibration:
        return []
    rows = []
    for name, model in list(result["models"].items())[:MAX_MODELS]:
        for target, interval in model["recommended"].items():
            measured = interval.get("calibration")
            if measured:
                shares = [_write_share(measured[key]) for key in ("coverage", "width")]
                rows.append([name, describe_target(target, unit), interval["method"], *shares])
    if not rows:
        return []
    samples = count(calibration["repetitions"], "sample")
    return [
        Table(
            caption="How often the recommended intervals contained the truth, on samples of "
            "these data",
            columns=["Model", "About", "Interval", "Coverage", "Average width"],
            rows=rows,
            numbers=frozenset({3, 4}),
            note=f"From {samples}. The number after ± is a Monte-Carlo standard error. "
            f"{calibration['note']}",
        )
    ]


def _write_share(cell: Any) -> str:
    """Return a number with its Monte-Carlo standard error."""
    if cell["standard_error"] is None:
        return write_number(cell["value"])
    value = write_estimate(cell["value"], cell["standard_error"])
    return f"{value} (± {write_number(float(format(cell['standard_error'], '.2g')))})"


def _tabulate_tests(pair: AnyComparison, shared: Mapping[str, SharedTestDict], unit: str) -> Table:
    rows, has_regions = [], False
    for method, test in pair["tests"].items():
        details: dict[str, Any] = {**shared.get(method, {}), **test}  # the fields of either class
        if "p_rope" in details:
            value = (
                f"{write_number(details['p_left'])} / {write_number(details['p_rope'])} / "
                f"{write_number(details['p_right'])}"
            )
            has_regions = True
            target = describe_target(details.get("target"), unit)
            rows.append([method, target, MISSING, MISSING, MISSING, value])
            continue
        p_value = details.get("p_value_adjusted")
        rows.append(
            [
                method,
                describe_target(details.get("target"), unit),
                write_number(details.get("statistic")),
                write_p_value(details.get("p_value")),
                write_p_value(p_value),
                MISSING,
            ]
        )
    columns = ["Test", "About", "Statistic", "p", "p, corrected for all pairs"]
    note = ""
    if has_regions:
        columns.append("Below / inside / above")
        note = (
            "The last column has the probabilities of Bayesian tests that the difference is below, "
            "inside and above the region of practical equivalence."
        )
    return Table(
        caption=f"Tests of {pair['a']} against {pair['b']}",
        columns=columns,
        rows=[row[: len(columns)] for row in rows],
        numbers=frozenset(range(2, len(columns))),
        note=note,
    )


def _tabulate_omnibus(
    omnibus: Mapping[str, OmnibusResultDict | PostHocOmnibusResultDict], unit: str
) -> Table:
    return Table(
        caption="Tests of all models at once",
        columns=["Test", "About", "Statistic", "p"],
        rows=[
            [
                method,
                describe_target(test["target"], unit),
                write_number(test["statistic"]),
                write_p_value(test["p_value"]),
            ]
            for method, test in omnibus.items()
        ],
        numbers=frozenset({2, 3}),
    )
