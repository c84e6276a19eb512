"""A trial of the advised scheme: expected losses are drawn and evaluated by the library.

What interval will be recommended, what the verdict will rest on and how wide both will be follows
from the library's own rules and formulas. So the trial draws losses with the expected spread, puts
them into the layout of the scheme and evaluates them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from thetahat.advice.rules import FOLDS, SchemeChoice
from thetahat.advice.situation import Situation
from thetahat.analyses.losses import Choices, ChosenMethod, evaluate
from thetahat.analyses.losses.recommendation import DEFAULT_TARGET
from thetahat.analyses.losses.result import EvaluationResult
from thetahat.intervals import INTERVALS
from thetahat.intervals.base import Interval, PairedRatesInterval, ZeroOneInterval
from thetahat.schemes import SCHEMES
from thetahat.schemes.base import Rows, Split
from thetahat.seeds import make_random_stream
from thetahat.traits import IntervalForm
from thetahat.values.block_losses import BlockLosses, LossTable
from thetahat.values.layout import Layout, build_layout
from thetahat.values.types import BlockKind, FloatArray, IntArray

MAX_ROWS: Final = 2000
"""Rows of a trial. With more, losses are drawn with a spread that gives the precision of all."""
N_DRAWS: Final = 12
"""Draws over which the squared standard error is averaged, which then is certain to 10 %."""
DEFAULT_ERROR: Final = 0.2
"""Share of errors that is assumed of a classification if none is expected."""
DEFAULT_SPREAD: Final = 1.0
MODELS: Final = ("a", "b")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SchemeTrial:
    """How the library evaluates the expected losses."""

    kind: BlockKind
    """What a block of the scheme is."""
    layout: Layout
    """The layout of the scheme."""
    answers: bool
    """Whether the interval is about the question; else it is about what the scheme can show."""
    interval: Interval | None
    """The recommended interval of a model."""
    difference: Interval | None
    """The interval of the difference on which the verdict rests."""
    error: float
    error_of_difference: float
    """Standard errors, averaged over draws as the root of the mean square."""
    spread: float
    """Standard deviation of the losses."""


def expects_zero_one(situation: Situation) -> bool:
    """Return whether losses are taken to be 0 and 1."""
    if situation.loss_spread is not None:
        return False
    return bool(situation.class_counts) or situation.expected_error is not None


def get_expected_spread(situation: Situation) -> float:
    """Return the standard deviation of a model's losses."""
    if situation.loss_spread is not None:
        return situation.loss_spread
    error = situation.expected_error
    if error is None and not situation.class_counts:
        return DEFAULT_SPREAD
    share = DEFAULT_ERROR if error is None else error
    return math.sqrt(share * (1 - share))


def run_trial(situation: Situation, choice: SchemeChoice) -> SchemeTrial:
    """Draw losses for the advised scheme and return how the library evaluates them."""
    rows = _build_rows(situation)
    method: Any = SCHEMES[choice.name]
    scheme = method(**choice.parameters)
    splits = list(scheme.splits(rows, 0))
    layout = _build_layout(scheme.block_kind, splits, rows)
    tested = np.concatenate([split.test for split in splits])
    spread = get_expected_spread(situation)
    choices = Choices(
        level=situation.level,
        margin=situation.margin,
        power=situation.power,
        target=situation.target if _can_ask(scheme.block_kind, situation) else None,
        intervals=_list_intervals(layout, of_error_rates=False),
        tests=(),
        omnibus=(),
    )

    def run(losses: dict[str, FloatArray], choices: Choices) -> EvaluationResult:
        models = {
            name: BlockLosses(layout, values=values[tested]) for name, values in losses.items()
        }
        return evaluate(LossTable(layout, models), choices, 0)

    has_rates = scheme.block_kind is BlockKind.HOLDOUT and expects_zero_one(situation)
    of_rates = replace(choices, intervals=_list_intervals(layout, of_error_rates=has_rates))
    described = run(_draw_described(situation, rows, spread), of_rates)
    draws = [run(losses, choices) for losses in _draw_precise(situation, rows, spread)]
    target = situation.target
    if described.models["a"].recommended.get(target) is None:
        target = DEFAULT_TARGET[scheme.block_kind]
    intervals = [draw.models["a"].recommended.get(target) for draw in draws]
    differences = [_get_difference(draw) for draw in draws]
    return SchemeTrial(
        kind=scheme.block_kind,
        layout=layout,
        interval=described.models["a"].recommended.get(target),
        answers=target is situation.target,
        difference=_get_difference(described),
        error=_average_error(intervals),
        error_of_difference=_average_error(differences),
        spread=spread,
    )


def _can_ask(kind: BlockKind, situation: Situation) -> bool:
    """Return whether a request may ask for verdicts about the target of the question."""
    return kind is not BlockKind.HOLDOUT or situation.target.value == "these_models"


def _get_difference(result: EvaluationResult) -> Interval | None:
    (pair,) = result.comparisons
    return pair.interval


def _average_error(intervals: list[Interval | None]) -> float:
    errors = [
        interval.standard_error
        for interval in intervals
        if interval is not None and interval.standard_error is not None
    ]
    return math.sqrt(sum(error**2 for error in errors) / len(errors)) if errors else math.nan


def _list_intervals(layout: Layout, *, of_error_rates: bool) -> tuple[ChosenMethod[Any], ...]:
    """Return the intervals that the library may recommend on a layout without resampling."""
    methods: list[tuple[str, Any]] = [(name, kind()) for name, kind in INTERVALS.items()]
    return tuple(
        ChosenMethod(name, name, method)
        for name, method in methods
        if method.info.interval.form in {IntervalForm.T, IntervalForm.NORMAL, IntervalForm.SKEWED}
        or (
            of_error_rates
            and isinstance(method, ZeroOneInterval | PairedRatesInterval)
            and method.inapplicable(layout) is None
        )
    )


def _build_rows(situation: Situation) -> Rows:
    """Return the rows of a trial, with sources, clusters and classes in their shares."""
    n = min(situation.n, MAX_ROWS)
    share = n / situation.n
    source = _repeat_labels([max(round(size * share), 1) for size in situation.source_sizes])
    if source is not None:
        n = len(source)
    cluster = None
    if situation.n_clusters is not None:
        cluster = np.arange(n) * min(situation.n_clusters, n) // n
    y = _draw_classes(list(situation.class_counts.values()), n)
    return Rows(
        n=n,
        y=y,
        source=cluster if source is None else source,
        cluster=cluster,
        time=np.arange(n),
        classes=tuple(situation.class_counts),
    )


def _draw_classes(counts: list[int], n: int) -> IntArray | None:
    """Return (n,) class codes in the shares of the counts, in random order; None without classes.

    A small class keeps enough rows for a stratified scheme.
    """
    if not counts:
        return None
    shares = [max(round(count * n / sum(counts)), min(count, max(FOLDS))) for count in counts]
    codes = np.repeat(np.arange(len(shares)), shares)
    largest = int(np.argmax(shares))
    more = np.full(max(n - len(codes), 0), largest)
    if len(codes) > n:
        codes = np.delete(codes, np.flatnonzero(codes == largest)[: len(codes) - n])[:n]
    return make_random_stream(0, "classes").permutation(np.append(codes, more))


def _repeat_labels(sizes: list[int]) -> IntArray | None:
    return np.repeat(np.arange(len(sizes)), sizes) if sizes else None


def _build_layout(kind: BlockKind, splits: list[Split], rows: Rows) -> Layout:
    sizes = [len(split.test) for split in splits]
    tested = np.concatenate([split.test for split in splits])
    return build_layout(
        kind,
        np.repeat([split.block for split in splits], sizes),
        repeat=np.repeat([split.repeat for split in splits], sizes),
        instance=tested,
        cluster=None if rows.cluster is None else np.asarray(rows.cluster)[tested],
        n_train=None
        if kind is BlockKind.HOLDOUT
        else np.repeat([float(split.n_train) for split in splits], sizes),
    )


def _draw_described(situation: Situation, rows: Rows, spread: float) -> dict[str, FloatArray]:
    """Return losses of the expected kind: of 0 and 1 for a classification, else positive."""
    rng = make_random_stream(0, "described")
    if expects_zero_one(situation):
        error = situation.expected_error or DEFAULT_ERROR
        n_errors = min(max(round(error * rows.n), 1), rows.n - 1)
        wrong = (np.arange(rows.n) < n_errors).astype(np.float64)
        return {name: rng.permutation(wrong) for name in MODELS}
    return {name: spread * rng.exponential(size=rows.n) for name in MODELS}


def _draw_precise(
    situation: Situation, rows: Rows, spread: float
) -> Iterator[dict[str, FloatArray]]:
    """Yield losses whose means vary as much as means over all rows of the situation."""
    within = spread * math.sqrt(rows.n / situation.n)
    for draw in range(N_DRAWS):
        rng = make_random_stream(0, "precise", draw)
        common = math.sqrt(situation.correlation) * rng.standard_normal(rows.n)
        own = math.sqrt(1 - situation.correlation)
        losses = {name: within * (common + own * rng.standard_normal(rows.n)) for name in MODELS}
        if situation.between_sources and rows.source is not None:
            n_sources = int(np.max(rows.source)) + 1
            # the spread of a difference is that of one model, so each has half of its variance
            shared, *alone = rng.standard_normal((3, n_sources)) / math.sqrt(2)
            for name, own_effects in zip(MODELS, alone, strict=True):
                losses[name] += situation.between_sources * (shared + own_effects)[rows.source]
        yield losses
