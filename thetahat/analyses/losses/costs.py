"""What models cost: read beside their losses, compared in pairs, and weighed against quality."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final, Literal

import numpy as np

from thetahat.analyses.losses.choices import Choices
from thetahat.analyses.losses.cost_coverage import add_expected_coverage
from thetahat.analyses.losses.cost_doubts import CostDoubt, choose_tail, find_doubt
from thetahat.analyses.losses.cost_result import (
    CostOfModel,
    CostOfPair,
    CostSummary,
    Domination,
    ShownQuality,
)
from thetahat.analyses.losses.optional_results import RelativeDifference
from thetahat.analyses.losses.result import Comparison, Decision, EvaluationResult, ModelResult
from thetahat.analyses.losses.result_parts import ResultPart
from thetahat.errors import InvalidParameter, Loc, UnsupportedCombination, run_checks, shorten_value
from thetahat.similar_names import suggest_name
from thetahat.tables.frames import read_series
from thetahat.values.block_losses import MAX_LOSS, BlockLosses, LossTable
from thetahat.values.layout import Layout, build_layout
from thetahat.values.number_text import format_number, format_percent, write_share
from thetahat.values.types import BlockKind, FloatArray, IntArray

SHOWN: Final[tuple[ShownQuality, ...]] = ("better", "equivalent", "not_worse")
"""What makes a cheaper model dominate, the strongest statement first."""

WithoutRows = Literal["learners", "scores", "logs"]
"""What has no rows of its own that could have costs."""
_REFUSALS: Final[Mapping[WithoutRows, str]] = {
    "learners": "Costs by row are for losses and predictions that are sent.",
    "scores": "Costs by row need losses by row, and there is one score for each split.",
    "logs": "Costs by row do not stand beside logs, whose items are matched by name. Name the "
    "column of the logs with the cost of each run in logs.cost.",
}


@dataclass(frozen=True, slots=True, eq=False)
class CostsOfTable:
    """What the models of a table cost, each by one number or all by row."""

    numbers: Mapping[str, float]
    """One number for each model; empty where costs are by row."""
    rows: Mapping[str, FloatArray]
    """(n,) costs of the rows of the table, by model; empty where each model has one number."""
    unit: str | None = None
    """What they are counted in."""
    layout: Layout | None = None
    """The layout of the rows, if it is not that of the losses: beside a judge it has all rows."""

    def take(self, rows: IntArray) -> CostsOfTable:
        """Return the costs of rows by their numbers."""
        return replace(self, rows={name: values[rows] for name, values in self.rows.items()})

    def average(self, item: IntArray) -> CostsOfTable:
        """Return the mean costs of items, given the code of the item of each row, its run."""
        n_runs = np.bincount(item)
        means = {
            name: np.bincount(item, weights=values) / n_runs for name, values in self.rows.items()
        }
        return replace(self, rows=means)

    def lay_out_beside_judge(self, labelled: Layout) -> CostsOfTable:
        """Return the costs over all rows, of which the layout of the losses has the labelled."""
        judge = labelled.judge
        if judge is None or judge.order is None or not self.rows:
            return self
        cluster, others = labelled.cluster, judge.cluster_unlabelled
        both = None
        if cluster is not None and others is not None:  # no cluster has rows of both
            both = np.concatenate([cluster, others + int(cluster.max()) + 1])
        n = len(judge.order)
        layout = build_layout(BlockKind.HOLDOUT, np.zeros(n, dtype=np.intp), cluster=both)
        return replace(self.take(judge.order), layout=layout)


def read_costs(  # noqa: PLR0913 - the costs, what they are for, and where they stand
    cost: Mapping[str, Any] | None,
    unit: str | None,
    models: Sequence[str],
    n_rows: int,
    *,
    without_rows: WithoutRows | None = None,
    loc: Loc = ("cost",),
) -> CostsOfTable | None:
    """Return the costs of models, checked; None without any.

    Parameters
    ----------
    cost : mapping or None
        By model a number, or the costs of all rows.
    unit : str or None
        What they are counted in.
    models : sequence of str
        All models.
    n_rows : int
        Number of rows of losses.
    without_rows : str or None
        Why there can be no costs by row; None if there can.
    loc : tuple
        Path of the costs.
    """
    if cost is None:
        if unit is not None:
            raise InvalidParameter(
                "cost_unit names what costs are counted in, and there is no cost. Give the cost of "
                "each model, or leave cost_unit out.",
                loc=("cost_unit",),
                value=unit,
            )
        return None
    numbers: dict[str, float] = {}
    rows: dict[str, FloatArray] = {}

    def read(name: str) -> None:
        if not _is_by_row(cost[name]):
            numbers[name] = _check_cost(name, cost[name], (*loc, name))
        elif without_rows is None:
            rows[name] = _check_rows(name, cost[name], n_rows, (*loc, name))

    run_checks(
        *(partial(_refuse_unknown, name, models, loc) for name in cost if name not in models),
        *(partial(_refuse_missing, name, loc) for name in models if name not in cost),
        lambda: _check_form(cost, models, without_rows, loc),
        *(partial(read, name) for name in models if name in cost),
    )
    return CostsOfTable(numbers, rows, unit)


def _refuse_unknown(name: str, models: Sequence[str], loc: Loc) -> None:
    raise InvalidParameter(
        f"There is a cost of {name!r}, which is none of the models{suggest_name(name, models)}: "
        f"{', '.join(models)}.",
        loc=(*loc, name),
        value=name,
    )


def _refuse_missing(name: str, loc: Loc) -> None:
    raise InvalidParameter(
        f"The model {name!r} has no cost, and others have one. Give the cost of every model.",
        loc=(*loc, name),
    )


def _check_form(
    cost: Mapping[str, Any], models: Sequence[str], without_rows: WithoutRows | None, loc: Loc
) -> None:
    """Refuse one number beside costs by row, and costs by row where there can be none."""
    by_row = {name: _is_by_row(cost[name]) for name in models if name in cost}
    if not any(by_row.values()):
        return
    if not all(by_row.values()):
        first = next(name for name, is_row in by_row.items() if not is_row)
        raise InvalidParameter(
            f"The cost of {first!r} is one number, and other models have costs by row. Give one "
            "number for each model, or one for each row and model.",
            loc=(*loc, first),
        )
    if without_rows is not None:
        message = f"{_REFUSALS[without_rows]} Give one cost for each model."
        raise UnsupportedCombination(message, loc=loc)


def _is_by_row(value: Any) -> bool:
    return not (value is None or isinstance(value, str | bool | int | float | np.number))


def _check_rows(name: str, values: Any, n_rows: int, loc: Loc) -> FloatArray:
    """Return (n,) costs of rows, which may stand in a list for each block, as losses do."""
    column = read_series(values)
    if isinstance(column, np.ndarray):
        entries: Sequence[Any] = column.ravel().tolist()
    elif any(isinstance(entry, list | tuple) for entry in column):
        entries = [each for entry in column for each in entry]
    else:
        entries = list(column)
    if len(entries) != n_rows:
        raise InvalidParameter(
            f"The model {name!r} has {len(entries)} costs, and there are {n_rows} rows. Give one "
            "cost for each row.",
            loc=loc,
            value=len(entries),
        )
    if {int, float}.issuperset(map(type, entries)):
        numbers = np.array(entries, dtype=np.float64)
        if ((numbers >= 0) & (numbers <= MAX_LOSS)).all():
            return numbers
    wrong = [i for i, entry in enumerate(entries) if not _read_number(entry) >= 0]
    if wrong:
        n_more = len(wrong) - 1
        rows = "1 other row has" if n_more == 1 else f"{n_more} other rows have"
        more = f" {rows} no such number, either." if n_more else ""
        raise _build_cost_error(name, entries[wrong[0]], (*loc, wrong[0]), more)
    return np.array(entries, dtype=np.float64)


def _check_cost(name: str, value: Any, loc: Loc) -> float:
    number = _read_number(value)
    if number >= 0:
        return number
    raise _build_cost_error(name, value, loc)


def _read_number(value: Any) -> float:
    """Return a number that is not too large; NaN for another value."""
    is_number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    return float(value) if is_number and abs(value) <= MAX_LOSS else math.nan


def _build_cost_error(name: str, value: Any, loc: Loc, more: str = "") -> InvalidParameter:
    is_finite = math.isfinite(_read_number(value))
    where = f" in row {loc[-1]}" if isinstance(loc[-1], int) else ""
    return InvalidParameter(
        f"The cost of {name!r}{where} is {shorten_value(value)}. A cost must be a finite number, 0 "
        f"or above and at most {MAX_LOSS:g}.{more}",
        loc=loc,
        value=shorten_value(value) if is_finite else str(value),
    )


def add_costs(  # noqa: PLR0913 - what an evaluation consists of
    costs: CostsOfTable,
    table: LossTable,
    choices: Choices,
    seed: int,
    models: Mapping[str, ModelResult],
    comparisons: Sequence[Comparison],
) -> tuple[dict[str, ModelResult], tuple[Comparison, ...], CostSummary]:
    """Return models and comparisons with what they cost, and which models remain to choose from.

    Costs of rows are evaluated as losses are, over the same blocks, clusters and times, so that
    their intervals answer the question of the verdicts.
    """
    names = list(models)
    of_models: dict[str, CostOfModel]
    relative: dict[tuple[str, str], RelativeDifference] = {}
    if costs.numbers:
        of_models = {name: CostOfModel(mean=costs.numbers[name]) for name in names}
    else:
        evaluated = _evaluate_rows(costs, table, choices, seed)
        of_models = {
            name: _find_mean(evaluated.models[name], models[name], choices, table, costs.rows[name])
            for name in names
        }
        relative = {
            (pair.a, pair.b): pair.relative
            for pair in evaluated.comparisons
            if pair.relative is not None
        }
    described = tuple(
        replace(
            pair,
            cost=_compare(pair, of_models, relative.get((pair.a, pair.b)), table, choices, costs),
        )
        for pair in comparisons
    )
    summary = _summarise(of_models, described, costs, table, choices)
    return (
        {name: replace(model, cost=of_models[name]) for name, model in models.items()},
        described,
        summary,
    )


def _evaluate_rows(
    costs: CostsOfTable, table: LossTable, choices: Choices, seed: int
) -> EvaluationResult:
    """Return the evaluation of the costs of rows, in the place of losses."""
    from thetahat.analyses.losses.evaluation import evaluate  # noqa: PLC0415 - it uses this module

    words = table.layout.words._replace(value="cost", values="costs", better="lower", best="lowest")
    layout = replace(costs.layout or table.layout, words=words)
    of_costs = LossTable(
        layout, {name: BlockLosses(layout, values=costs.rows[name]) for name in table.names}
    )
    of_pairs = Choices(
        level=choices.level,
        correction=choices.correction,
        control=choices.control,
        pairs=choices.pairs,
        target=choices.target,
        range=(0.0, math.inf),
        include=(ResultPart.RELATIVE,),
    )
    return evaluate(of_costs, of_pairs, seed)


def _find_mean(
    of_costs: ModelResult,
    of_losses: ModelResult,
    choices: Choices,
    table: LossTable,
    rows: FloatArray,
) -> CostOfModel:
    """Return the mean cost with its interval for the question of the verdicts.

    Cautions that the interval of the losses has too are not repeated. Equal costs have no interval:
    they are no rate of errors if they happen to be all 0 or all 1, and depend on the unit.
    """
    target = choices.get_target(table.layout.kind)
    interval = of_costs.recommended.get(target)
    if interval is None or rows.min() == rows.max():
        return CostOfModel(mean=of_costs.mean.macro)
    other = of_losses.recommended.get(target)
    codes = set() if other is None else {caution.code for caution in other.cautions}
    own = tuple(caution for caution in interval.cautions if caution.code not in codes)
    return CostOfModel(mean=interval.estimate, interval=replace(interval, cautions=own))


def _compare(  # noqa: PLR0913 - a pair, its costs, and the words for both
    pair: Comparison,
    of_models: Mapping[str, CostOfModel],
    relative: RelativeDifference | None,
    table: LossTable,
    choices: Choices,
    costs: CostsOfTable,
) -> CostOfPair:
    mean_a, mean_b = of_models[pair.a].mean, of_models[pair.b].mean
    doubt: CostDoubt | None = None
    if costs.numbers:
        ratio = mean_a / mean_b if mean_b > 0 else None
        cheaper = None if mean_a == mean_b else min((mean_a, pair.a), (mean_b, pair.b))[1]
        found = CostOfPair(
            ratio=ratio,
            change=None if ratio is None else ratio - 1,
            method="exact",
            cheaper=cheaper,
            sentence="",
        )
    else:
        rows_a, rows_b = costs.rows[pair.a], costs.rows[pair.b]
        layout = costs.layout or table.layout
        found = add_expected_coverage(_read_relative(pair, relative), rows_a, rows_b, layout)
        if found.cheaper is not None:
            ordered = (rows_a, rows_b) if found.cheaper == pair.a else (rows_b, rows_a)
            doubt = find_doubt(*ordered, layout, choose_tail(found.simultaneous_pairs, choices))
    if doubt is not None:
        found = replace(found, cheaper=None, undecided=doubt.code)
    reason = "" if doubt is None else doubt.reason
    sentence = _write_pair(pair, found, (mean_a, mean_b), table, choices, costs.unit, reason)
    return replace(found, sentence=sentence)


def _read_relative(pair: Comparison, relative: RelativeDifference | None) -> CostOfPair:
    if relative is None:
        return CostOfPair(ratio=None, change=None, method="fieller", cheaper=None, sentence="")
    cheaper = None
    if relative.shape == "interval" and relative.lower is not None and relative.upper is not None:
        if relative.upper < 1:
            cheaper = pair.a
        elif relative.lower > 1:
            cheaper = pair.b
    return CostOfPair(
        ratio=relative.ratio,
        change=relative.change,
        method="fieller",
        shape=relative.shape,
        lower=relative.lower,
        upper=relative.upper,
        simultaneous_pairs=relative.simultaneous_pairs,
        cheaper=cheaper,
        sentence="",
    )


def find_shown_quality(
    pair: Comparison, model: str, margin: float | None, *, higher_is_better: bool
) -> Decision | None:
    """Return what the pair shows of one of its models beside the other; None if nothing.

    That b is not worse than a is read from the interval of the difference, since the verdict says
    it of a alone.
    """
    holding = [pair.verdict.decision, *pair.verdict.also]
    if model == pair.b:
        mirrored = {Decision.BETTER: Decision.WORSE, Decision.WORSE: Decision.BETTER}
        holding = [mirrored.get(each, each) for each in holding if each is not Decision.NOT_WORSE]
        interval = pair.interval
        if interval is not None and margin is not None:
            end = interval.upper if higher_is_better else interval.lower
            worse_by = None if end is None else (end if higher_is_better else -end)
            if worse_by is not None and worse_by < margin:
                holding.append(Decision.NOT_WORSE)
    order = (Decision.EQUIVALENT, Decision.BETTER, Decision.WORSE, Decision.NOT_WORSE)
    return next((each for each in order if each in holding), None)


def _write_pair(  # noqa: PLR0913 - a sentence needs all its numbers
    pair: Comparison,
    cost: CostOfPair,
    means: tuple[float, float],
    table: LossTable,
    choices: Choices,
    unit: str | None,
    reason: str,
) -> str:
    in_unit = "" if unit is None else f" {unit}"
    mean_a, mean_b = (format_number(mean) for mean in means)
    if cost.cheaper is None:
        if cost.method == "exact":
            return f"{pair.a} and {pair.b} cost the same ({mean_a}{in_unit})."
        how, end = ("decided", f": {reason}") if reason else ("shown", ".")
        return (
            f"It is not {how} which of {pair.a} and {pair.b} is cheaper (mean costs {mean_a} and "
            f"{mean_b}{in_unit}{_write_set(cost, choices)}){end}"
        )
    a_is_cheaper = cost.cheaper == pair.a
    model, other = (pair.a, pair.b) if a_is_cheaper else (pair.b, pair.a)
    numbers = (mean_a, mean_b) if a_is_cheaper else (mean_b, mean_a)
    saving = _compute_saving(cost.ratio, a_is_cheaper=a_is_cheaper)
    ends = ""
    if cost.lower is not None and cost.upper is not None:
        savings = sorted(
            _compute_saving(end, a_is_cheaper=a_is_cheaper) for end in (cost.lower, cost.upper)
        )
        ends = f", {format_percent(choices.level)} interval " + " to ".join(
            map(write_share, savings)
        )
    beside = f"{numbers[0]} against {numbers[1]}{in_unit}{ends}"
    quality = find_shown_quality(
        pair, model, choices.margin, higher_is_better=table.higher_is_better
    )
    of_other = find_shown_quality(
        pair, other, choices.margin, higher_is_better=table.higher_is_better
    )
    share, margin = write_share(saving), format_number(choices.margin or 0.0)
    if quality is Decision.EQUIVALENT:
        start = f"{model} and {other} are equivalent within {margin}, and {model} is {share}"
        return f"{start} cheaper ({beside})."
    if quality in {Decision.BETTER, Decision.WORSE}:
        link = "and" if quality is Decision.BETTER else "but"
        start = f"{model} is {quality.value} than {other}, {link} {share}"
        return f"{start} cheaper ({beside})."
    if quality is Decision.NOT_WORSE:
        start = f"{model} is not worse than {other} by more than {margin}, and {share}"
        return f"{start} cheaper ({beside})."
    if of_other is Decision.NOT_WORSE:
        return (
            f"{model} is {share} cheaper than {other} ({beside}); {other} is not worse by more "
            f"than {margin}, and {model} may be."
        )
    return (
        f"{model} is {share} cheaper than {other} ({beside}); it is not clear which of the two is "
        "better."
    )


def _write_set(cost: CostOfPair, choices: Choices) -> str:
    if cost.shape == "interval" and cost.lower is not None and cost.upper is not None:
        low, high = format_number(cost.lower), format_number(cost.upper)
        return f"; {format_percent(choices.level)} interval of their ratio {low} to {high}"
    if cost.shape is None:
        return (
            "; their ratio or difference is the same in every row, so there is no interval: if "
            "costs are fixed, give one number for each model"
        )
    return "; the second could be 0, so there is no interval of their ratio"


def _compute_saving(ratio: float | None, *, a_is_cheaper: bool) -> float:
    """Return by what share the cheaper model is cheaper, from the ratio of a to b."""
    if ratio is None:
        return 1.0
    if a_is_cheaper:
        return 1 - ratio
    return 1.0 if math.isinf(ratio) else 1 - 1 / ratio


def _summarise(
    of_models: Mapping[str, CostOfModel],
    comparisons: Sequence[Comparison],
    costs: CostsOfTable,
    table: LossTable,
    choices: Choices,
) -> CostSummary:
    """Return the models that remain, from the cheapest to the dearest.

    A model is dominated only by one that remains. Else a chain of equivalent models, each within
    the margin of the next, could take away one that is much better than the last of them.
    """
    shown: dict[str, dict[str, ShownQuality]] = {}
    for pair in comparisons:
        cheaper = None if pair.cost is None else pair.cost.cheaper
        if cheaper is None:
            continue
        quality = find_shown_quality(
            pair, cheaper, choices.margin, higher_is_better=table.higher_is_better
        )
        dearer = pair.b if cheaper == pair.a else pair.a
        for statement in SHOWN:
            if quality == statement:
                shown.setdefault(dearer, {})[cheaper] = statement
    remaining: list[str] = []
    dominated: dict[str, Domination] = {}
    for name in sorted(of_models, key=lambda name: of_models[name].mean):
        by = {each: what for each, what in shown.get(name, {}).items() if each in remaining}
        if by:
            first = min(by, key=lambda each: SHOWN.index(by[each]))
            dominated[name] = Domination(by=first, shown=by[first])
        else:
            remaining.append(name)
    n = len(of_models)
    all_pairs = len(comparisons) == n * (n - 1) // 2
    return CostSummary(
        unit=costs.unit,
        measured=not costs.numbers,
        pareto=tuple(remaining),
        dominated=dominated,
        all_pairs=all_pairs,
        sentence=_write_summary(remaining, dominated, choices, all_pairs=all_pairs),
    )


def _write_summary(
    remaining: Sequence[str],
    dominated: Mapping[str, Domination],
    choices: Choices,
    *,
    all_pairs: bool,
) -> str:
    if not dominated:
        shown = "No model is shown to be both cheaper and at least as good as another one"
        within = " within the margin" if choices.margin is not None else ""
        hint = "" if choices.margin is not None else " A margin makes that possible for equals."
        some = "" if all_pairs else ", of the pairs that are compared"
        single = len(remaining) == 1
        return "" if single else f"{shown}{within}{some}.{hint}"
    n = len(remaining) + len(dominated)
    listed = " and ".join(
        [", ".join(remaining[:-1]), remaining[-1]] if len(remaining) > 1 else remaining
    )
    remain = "remains" if len(remaining) == 1 else "remain"
    less = "; ".join(
        f"{name} costs more than {each.by}, which is {_WORDS[each.shown]}"
        for name, each in dominated.items()
    )
    some = "" if all_pairs else " Only some pairs are compared."
    return f"Of {n} models {listed} {remain} to choose from by quality and cost: {less}.{some}"


_WORDS: Final[Mapping[ShownQuality, str]] = {
    "better": "better",
    "equivalent": "equivalent",
    "not_worse": "not worse by the margin",
}
