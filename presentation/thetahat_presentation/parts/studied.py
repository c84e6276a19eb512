"""How often intervals and verdicts like those of a result were right in the kept studies.

The studies simulated samples and counted how often an interval contained the true value, and how
often two equally good models were called different; a result has the shares of the design that is
nearest to its own. A result that was calibrated has the shares on samples of its own data, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, TypeAlias

from thetahat_presentation.document import (
    Cell,
    Json,
    Name,
    Number,
    Pair,
    Percent,
    PercentRange,
    Table,
)
from thetahat_presentation.numbers import count, format_level
from thetahat_presentation.parts.models import ModelsResult, find_recommended
from thetahat_presentation.renderers.cells import cell_text
from thetahat_presentation.wording import capitalise, name_method

Subject: TypeAlias = tuple[str, str, str, "Json | None"]
"""Subject, name, target and interval; a subject is ``model``, ``difference``, or a
metric or all groups of one."""

STUDIED_LEVEL: Final = 0.95
MOST_NAMES: Final = 3
"""Names of models that share a row; of more there is their number."""
MOST_MODELS: Final = 30
NOT_STUDIED: Final = "not studied"
RANGE_NOTE: Final = (
    "The number after ± is a standard error, and the range is that of the simulated learners and "
    "populations: where these data differ from them, the share can differ too."
)


def list_study_tables(shown: ModelsResult) -> list[Table]:
    """Return the shares of intervals and of verdicts; none where no study is like the result."""
    tables = [_tabulate_coverage(shown), _tabulate_sizes(shown)]
    rows = [row for table in tables for row in table.rows]
    return tables if any(row[2] != NOT_STUDIED for row in rows) else []


def explain_unstudied(shown: ModelsResult) -> list[str]:
    """Return why no interval and no verdict was studied, each reason once; else nothing."""
    if list_study_tables(shown):
        return []
    rows = [*_tabulate_coverage(shown).rows, *_tabulate_sizes(shown).rows]
    return list(dict.fromkeys(row[-1] for row in rows if isinstance(row[-1], str)))


def _tabulate_coverage(shown: ModelsResult) -> Table:
    """Return a row for each design, with the models or differences whose intervals share it."""
    names: dict[tuple[Cell, ...], list[str]] = {}
    for subject, name, target, interval in _list_intervals(shown):
        share = _find_share(interval)
        missing = None if interval is None else interval.get("expected_coverage_missing")
        cells = (subject, shown.about(target), *_build_share(share, "coverage", missing))
        names.setdefault(cells, []).append(name)
    totals = {"model": len(shown.models), "difference": len(shown.comparisons)}
    subjects = list(dict.fromkeys(str(cells[0]) for cells in names))
    ordered = sorted(names.items(), key=lambda item: subjects.index(str(item[0][0])))
    return Table(
        caption="How often such intervals contained the true value in simulations",
        columns=["Interval of", "About", "Contained it in", "Range", "Simulated design"],
        rows=[
            [_name_subject(str(cells[0]), of_row, totals), *cells[1:]] for cells, of_row in ordered
        ],
        notes=[
            _describe_level(shown),
            RANGE_NOTE,
        ],
    )


def tabulate_shares(intervals: Iterable[tuple[str, Json]]) -> Table:
    """Return a row for each design, with the names of the intervals that share it."""
    names: dict[tuple[Cell, ...], list[str]] = {}
    for name, interval in intervals:
        share, missing = _find_share(interval), interval.get("expected_coverage_missing")
        if share is not None or missing is not None:
            names.setdefault(_build_share(share, "coverage", missing), []).append(name)
    return Table(
        caption="How often such intervals contained the true value in simulations",
        columns=["Interval of", "Contained it in", "Range", "Simulated design"],
        rows=[
            [
                Name(", ".join(of_row))
                if len(of_row) <= MOST_NAMES
                else count(len(of_row), "interval"),
                *cells,
            ]
            for cells, of_row in names.items()
        ],
        notes=[RANGE_NOTE],
    )


def _describe_level(shown: ModelsResult) -> str:
    """Return which intervals were simulated, and the level of the result's where it is another."""
    studied = (
        "Two-sided intervals of level 95 % by the same methods, in the simulated design nearest to "
        "this one."
    )
    level = shown.summary.get("level", STUDIED_LEVEL)
    if level == STUDIED_LEVEL:
        return studied
    return f"{studied} Those of this result have level {format_level(level)}."


def _tabulate_sizes(shown: ModelsResult) -> Table:
    """Return a row for each design, with the differences whose verdicts share it."""
    names: dict[tuple[Cell, ...], list[str]] = {}
    for pair in shown.comparisons:
        size = pair["verdict"].get("expected_size")
        missing = pair["verdict"].get("expected_size_missing")
        if (size is not None or missing is not None) and pair["interval"] is not None:
            target = shown.about(pair["interval"]["target"])
            cells = (target, *_build_share(size, "size", missing))
            names.setdefault(cells, []).append(_name_pair(pair))
    totals = {"difference": len(shown.comparisons)}
    return Table(
        caption="How often such verdicts called equally good models different in simulations",
        columns=["Verdict on", "About", "Called them different in", "Range", "Simulated design"],
        rows=[
            [_name_subject("difference", of_row, totals), *cells] for cells, of_row in names.items()
        ],
        notes=["5 % is what a verdict at this level allows; less means that it is cautious."],
    )


def _list_intervals(shown: ModelsResult) -> Iterator[Subject]:
    """Yield the intervals of models, differences, costs, groups, metrics and runs."""
    for name, model in shown.models.items():
        for target, interval in find_recommended(model).items():
            yield "model", name, target, interval
    for pair in shown.comparisons:
        if pair["interval"] is not None:
            yield "difference", _name_pair(pair), pair["interval"]["target"], pair["interval"]
    yield from _list_cost_intervals(shown)
    yield from _list_judge_intervals(shown)
    for name, model in shown.models.items():
        yield from _list_group_levels(shown, "model", name, model)
    for pair in shown.comparisons:
        yield from _list_group_levels(shown, "difference", _name_pair(pair), pair)
    for name, model in shown.models.items():
        yield from _list_metric_intervals(shown, "model", name, model)
        for k, found in ((model.get("runs") or {}).get("pass_at") or {}).items():
            yield f"at least one of {k} runs of model", name, "these_models", found
            yield f"all of {k} runs of model", name, "these_models", found["all_succeed"]
    for pair in shown.comparisons:
        yield from _list_metric_intervals(shown, "difference", _name_pair(pair), pair)
        yield from _list_additions(pair)


def _list_additions(pair: Json) -> Iterator[Subject]:
    """Yield the set of ratios and the interval of the win rate of a pair, if it has them."""
    relative = pair.get("relative") or {}
    if relative.get("shape") is not None:
        target = (pair["interval"] or {}).get("target", "these_models")
        yield "relative difference of difference", _name_pair(pair), target, relative
    wins = pair.get("wins") or {}
    if wins.get("method") is not None:
        yield "win rate of difference", _name_pair(pair), "these_models", wins


def _list_judge_intervals(shown: ModelsResult) -> Iterator[Subject]:
    """Yield the intervals from labels and grades, and those of how a judge agrees with labels."""
    models = [("model", name, model) for name, model in shown.models.items()]
    pairs = [("difference", _name_pair(pair), pair) for pair in shown.comparisons]
    for subject, name, part in (*models, *pairs):
        judge: Json = part.get("judge") or {}
        agreement: Json = judge.get("agreement") or {}
        parts = {
            "labels alone of": judge.get("labels_only"),
            "labels and judge of": judge.get("prediction_powered"),
            "bias of the judge of": (judge.get("judge_only") or {}).get("bias"),
            "kappa of labels and judge of": agreement.get("kappa"),
            "sensitivity of the judge of": agreement.get("sensitivity"),
            "specificity of the judge of": agreement.get("specificity"),
        }
        for words, found in parts.items():
            if found is not None and found.get("lower") is not None:
                yield f"{words} {subject}", name, "these_models", found


def _list_cost_intervals(shown: ModelsResult) -> Iterator[Subject]:
    """Yield the intervals of mean costs, and of the ratios of two of them."""
    for name, model in shown.models.items():
        interval: Json | None = (model.get("cost") or {}).get("interval")
        if interval is not None:
            yield "cost of model", name, interval["target"], interval
    for pair in shown.comparisons:
        of_pair: Json = pair.get("cost") or {}
        if of_pair.get("shape") == "interval":
            target = (pair["interval"] or {}).get("target", "these_models")
            yield "ratio of costs of difference", _name_pair(pair), target, of_pair


def _list_group_levels(
    shown: ModelsResult, subject: str, name: str, part: Json
) -> Iterator[Subject]:
    """Yield the levels at which the intervals of all groups hold at once, and those of metrics."""
    for key, groups in (part.get("groups") or {}).items():
        in_all = f"all groups by {key} of {subject}"
        yield in_all, name, "these_models", groups["simultaneous"]
        for metric, level in (groups.get("simultaneous_metrics") or {}).items():
            yield f"{shown.name_method(metric)} in {in_all}", name, "these_models", level


def _list_metric_intervals(
    shown: ModelsResult, subject: str, name: str, part: Json
) -> Iterator[Subject]:
    for metric, estimate in (part.get("metrics") or {}).items():
        for target, interval in (estimate.get("recommended") or {}).items():
            yield f"{shown.name_method(metric)} of {subject}", name, target, interval


def _find_share(interval: Json | None) -> Json | None:
    """Return the share of an interval; None where it was not studied."""
    return None if interval is None else interval.get("expected_coverage")


def _build_share(share: Json | None, name: str, missing: str | None) -> tuple[Cell, Cell, Cell]:
    """Return a share with its standard error, its range and its design, or why there is none."""
    if share is None:
        return NOT_STUDIED, PercentRange(None, None), missing or Name("\N{EN DASH}")
    percent = Percent(share[name], share["standard_error"])
    return percent, PercentRange(share["least"], share["largest"]), share["design"]


def _name_subject(subject: str, names: list[str], totals: Mapping[str, int]) -> Cell:
    """Return the names of models or differences; all of them, or many, are counted."""
    metric, _, kind = subject.rpartition(" of ")
    before = f"{metric}: " if metric else ""
    if len(names) > 1 and len(names) == totals[kind]:
        return f"{before}all {kind}s" if metric else capitalise(f"all {kind}s")
    if len(names) > MOST_NAMES:
        return before + count(len(names), kind)
    return Name(before + ", ".join(names))


def _name_pair(pair: Json) -> str:
    return cell_text(Pair(pair["a"], pair["b"]))


def list_calibration_tables(shown: ModelsResult) -> list[Table]:
    """Return how often the recommended intervals contained the truth on samples of the data."""
    calibration = shown.result.get("calibration")
    if not calibration:
        return []
    rows: list[list[Cell]] = []
    for name, model in list(shown.models.items())[:MOST_MODELS]:
        for target, interval in find_recommended(model).items():
            measured = interval.get("calibration")
            if measured:
                shares = [
                    Number(measured[key]["value"], measured[key]["standard_error"], True)
                    for key in ("coverage", "width")
                ]
                rows.append(
                    [
                        Name(name),
                        shown.about(target),
                        capitalise(name_method(interval["method"])),
                        *shares,
                    ]
                )
    samples = count(calibration["repetitions"], "sample")
    return [
        Table(
            caption="How often the recommended intervals contained the truth, on samples of "
            "these data",
            columns=["Model", "About", "Interval", "Coverage", "Average width"],
            rows=rows,
            notes=[
                f"From {samples}. The number after ± is a Monte-Carlo standard error.",
                calibration["note"],
            ],
        )
    ]
