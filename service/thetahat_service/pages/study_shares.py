"""How often intervals and verdicts like those of a result were right in the kept studies.

The studies simulated samples and counted how often an interval contained the true value, and how
often two equally good models were called different; a result has the shares of the design that is
nearest to its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from thetahat_service.figures.words import write_level
from thetahat_service.pages.tables import Table
from thetahat_service.pages.texts import MISSING, capitalise, count, describe_target, write_percent

if TYPE_CHECKING:
    from thetahat_service.figures.result_types import AnyComparison, ModelsResult

Json = Mapping[str, Any]

STUDIED_LEVEL: Final = 0.95
MOST_NAMES: Final = 3
"""Names of models that share a row; of more there is their number."""
NOT_STUDIED: Final = "not studied"


def list_study_tables(result: ModelsResult, unit: str) -> list[Table]:
    """Return the shares of intervals and of verdicts; none without a recommended interval."""
    tables = [_tabulate_coverage(result, unit), _tabulate_sizes(result, unit)]
    return [table for table in tables if table.rows]


def _tabulate_coverage(result: ModelsResult, unit: str) -> Table:
    """Return a row for each design, with the models or differences whose intervals share it."""
    models, pairs = len(result["models"]), len(result["comparisons"])
    names: dict[tuple[str, ...], list[str]] = {}
    for subject, name, target, interval in _list_intervals(result):
        share = _find_share(interval, result)
        cells = (subject, describe_target(target, unit), *_write_share(share, "coverage"))
        names.setdefault(cells, []).append(name)
    totals = {"model": models, "difference": pairs}
    subjects = list(dict.fromkeys(cells[0] for cells in names))
    rows = [
        [_name_subject(cells[0], of_row, totals), *cells[1:]]
        for cells, of_row in sorted(names.items(), key=lambda item: subjects.index(item[0][0]))
    ]
    return Table(
        caption="How often such intervals contained the true value in simulations",
        columns=["Interval of", "About", "Contained it in", "Range", "Simulated design"],
        rows=rows,
        numbers=frozenset({2, 3}),
        note=f"{_describe_level(result)} The number after ± is a standard error, and the range is "
        "that of the simulated learners and populations: where these data differ from them, the "
        "share can differ too.",
    )


def _describe_level(result: ModelsResult) -> str:
    """Return which intervals were simulated, and the level of the result's where it is another."""
    studied = (
        "Two-sided intervals of level 95 % by the same methods, in the simulated design nearest to "
        "this one."
    )
    level = result["summary"]["level"]
    if level == STUDIED_LEVEL:
        return studied
    return f"{studied} Those of this result have level {write_level(level)}."


def _tabulate_sizes(result: ModelsResult, unit: str) -> Table:
    """Return a row for each design, with the differences whose verdicts share it."""
    names: dict[tuple[str, ...], list[str]] = {}
    for pair in result["comparisons"]:
        size: Any = pair["verdict"].get("expected_size")
        if size is not None and pair["interval"] is not None:
            about = describe_target(pair["interval"]["target"], unit)
            cells = (about, *_write_share(size, "size"))
            names.setdefault(cells, []).append(_name_pair(pair))
    totals = {"difference": len(result["comparisons"])}
    return Table(
        caption="How often such verdicts called equally good models different in simulations",
        columns=["Verdict on", "About", "Called them different in", "Range", "Simulated design"],
        rows=[
            [_name_subject("difference", of_row, totals), *cells] for cells, of_row in names.items()
        ],
        numbers=frozenset({2, 3}),
        note="5 % is what a verdict at this level allows; less means that it is cautious.",
    )


def _list_intervals(result: ModelsResult) -> Iterator[tuple[str, str, str, Json | None]]:
    """Yield subject, name, target and recommended interval of models, differences and metrics.

    A subject is ``model`` or ``difference``, or the name of a metric with one of these.
    """
    for name, model in result["models"].items():
        for target, interval in model["recommended"].items():
            yield "model", name, target, interval
    for pair in result["comparisons"]:
        if pair["interval"] is not None:
            yield "difference", _name_pair(pair), pair["interval"]["target"], pair["interval"]
    for name, model in result["models"].items():
        yield from _list_metric_intervals("model", name, model)
    for pair in result["comparisons"]:
        yield from _list_metric_intervals("difference", _name_pair(pair), pair)


def _list_metric_intervals(
    subject: str, name: str, part: Any
) -> Iterator[tuple[str, str, str, Json]]:
    for metric, estimate in (part.get("metrics") or {}).items():
        for target, interval in (estimate.get("recommended") or {}).items():
            yield f"{metric} of {subject}", name, target, interval


def _find_share(interval: Any, result: ModelsResult) -> Json | None:
    """Return the share of an interval; a brief one names only its number."""
    share: Json | None = interval.get("expected_coverage")
    brief: float | None = interval.get("expected_coverage_share")
    if share is None and brief is not None:
        listed: Any = result.get("comparison_coverages") or ()
        share = next((each for each in listed if each["coverage"] == brief), None)
    return share


def _write_share(share: Json | None, name: str) -> tuple[str, str, str]:
    """Return a share with its standard error, its range and its design."""
    if share is None:
        return NOT_STUDIED, MISSING, MISSING
    value = f"{write_percent(share[name])} (± {write_percent(share['standard_error'])})"
    least, largest = write_percent(share["least"]), write_percent(share["largest"])
    return value, least if least == largest else f"{least} to {largest}", share["design"]


def _name_subject(subject: str, names: list[str], totals: Mapping[str, int]) -> str:
    """Return the names of models or differences; all of them, or many, are counted."""
    metric, _, kind = subject.rpartition(" of ")
    before = f"{metric}: " if metric else ""
    if len(names) > 1 and len(names) == totals[kind]:
        return f"{before}all {kind}s" if metric else capitalise(f"all {kind}s")
    if len(names) > MOST_NAMES:
        return before + count(len(names), kind)
    return before + ", ".join(names)


def _name_pair(pair: AnyComparison) -> str:
    return f"{pair['a']} − {pair['b']}"
