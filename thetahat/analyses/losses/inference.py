"""Variances and intervals of one model's losses, or of one pair's differences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from thetahat.analyses.losses.choices import Choices, ChosenMethod
from thetahat.analyses.losses.clipping import keep_in_range
from thetahat.analyses.losses.method_selection import SelectedMethods
from thetahat.analyses.losses.not_applicable import OmittedMethods, note_unbuilt, rests_on_variance
from thetahat.analyses.losses.recommendation import BuiltInterval, recommend
from thetahat.analyses.losses.refit_estimates import RefitEstimate
from thetahat.errors import InsufficientData, UnsupportedCombination
from thetahat.intervals.base import (
    IntervalMethod,
    IntervalOfLosses,
    PairedRatesInterval,
    ResampledInterval,
)
from thetahat.numerics.bootstrap import Draw
from thetahat.values.block_losses import BlockLosses
from thetahat.values.paired_counts import PairedCounts
from thetahat.values.types import Target
from thetahat.variances.base import ResampledVariance, VarianceEstimate, VarianceEstimator

DOES_NOT_FIT = (InsufficientData, UnsupportedCombination)
"""Exceptions of a method that does not fit the losses although it fits the layout."""


@dataclass(frozen=True, slots=True)
class Inference:
    """All variances and intervals of one model's losses, or of one pair's differences."""

    estimates: dict[str, VarianceEstimate]
    """Variances of the mean loss, by key."""
    built: list[BuiltInterval]
    """The intervals; one of each target is marked as recommended."""
    own_estimates: dict[str, VarianceEstimate] = field(default_factory=dict)
    """Estimates of the error in their own right, with their variances, by key."""

    def find_recommended(self, target: Target) -> BuiltInterval | None:
        """Return the recommended interval of that target, if there is one."""
        for entry in self.built:
            if entry.interval.target is target and entry.interval.recommended:
                return entry
        return None


def infer(  # noqa: PLR0913 - the losses, the methods, the options and the list of omissions
    losses: BlockLosses,
    variances: SelectedMethods[VarianceEstimator],
    intervals: SelectedMethods[IntervalMethod],
    choices: Choices,
    limits: tuple[float, float] | None,
    left_out: OmittedMethods,
    refits: Sequence[RefitEstimate] = (),
    draw: Draw | None = None,
    counts: PairedCounts | None = None,
) -> Inference:
    """Estimate every chosen variance and build every interval.

    Parameters
    ----------
    losses : BlockLosses
        Losses of one model, or differences of two.
    variances, intervals : SelectedMethods
        The methods to use.
    choices : Choices
        Level and alternative.
    limits : tuple of float or None
        Range of the mean; None where it is not known.
    left_out : OmittedMethods
        Records the default methods that do not fit these losses.
    refits : sequence of RefitEstimate
        Estimates that were computed before, by fitting the learner again.
    draw : callable or None
        Returns bootstrap replicates of the mean of these losses; None leaves out all methods that
        need them.
    counts : PairedCounts or None
        The two-by-two table of a pair whose losses are all 0 or 1; None leaves out the methods
        that need it.
    """
    estimates = {
        entry.key: estimate
        for entry in variances.methods
        if (estimate := _estimate(entry, losses, variances, left_out, draw)) is not None
    }
    on_losses = [
        built
        for entry in intervals.methods
        for built in _build_intervals(
            entry, losses, variances.methods, estimates, choices, draw, counts
        )
    ]
    on_fits = [
        built
        for refit in refits
        for built in _build_refit_intervals(refit, losses, intervals, choices)
    ]
    none_fits = not (variances.named or variances.methods or refits)
    note_unbuilt(intervals, none_fits, on_losses, losses, choices, left_out)
    layout = losses.layout
    built = recommend(
        layout.kind,
        [*on_losses, *on_fits],
        fixed_models=layout.has_fixed_models,
        named_variances=variances.named,
    )
    in_range = [
        entry._replace(
            interval=keep_in_range(
                entry.interval,
                limits,
                clip=choices.clip is not False,
                quantity=f"mean {layout.words.value}",
            ),
        )
        for entry in built
    ]
    again = {refit.key: refit for refit in refits if refit.estimate is not None}
    return Inference(
        {**estimates, **_select_estimates(again, own=False)},
        in_range,
        _select_estimates(again, own=True),
    )


def _select_estimates(
    refits: dict[str, RefitEstimate], *, own: bool
) -> dict[str, VarianceEstimate]:
    return {
        key: refit.estimate
        for key, refit in refits.items()
        if refit.estimate is not None and refit.is_own_estimate is own
    }


def _build_refit_intervals(
    refit: RefitEstimate,
    losses: BlockLosses,
    intervals: SelectedMethods[IntervalMethod],
    choices: Choices,
) -> Iterator[BuiltInterval]:
    """Yield the intervals of one refit estimate: its own, and those built on its variance."""
    for interval in refit.intervals:
        yield BuiltInterval(interval, refit.method, refit.method)
    if refit.estimate is None:
        return
    for entry in intervals.methods:
        on_it = entry.method.build(
            losses, refit.method, refit.estimate, choices.level, choices.alternative
        )
        if on_it is not None:
            keyed = replace(on_it, method=entry.key, variance=refit.key)
            yield BuiltInterval(keyed, entry.method.info, refit.method)


def _estimate(
    entry: ChosenMethod[VarianceEstimator],
    losses: BlockLosses,
    selection: SelectedMethods[VarianceEstimator],
    left_out: OmittedMethods,
    draw: Draw | None,
) -> VarianceEstimate | None:
    method = entry.method
    try:
        if draw is not None and isinstance(method, ResampledVariance):
            return method.estimate_from_replicates(losses, draw(method.n_resamples, method.unit))
        return method.estimate(losses)
    except DOES_NOT_FIT as error:
        if selection.named:
            raise
        left_out.add("variances", entry.name, error.message)
        return None


def _build_intervals(  # noqa: PLR0913 - an interval may need all of them
    entry: ChosenMethod[IntervalMethod],
    losses: BlockLosses,
    variances: tuple[ChosenMethod[VarianceEstimator], ...],
    estimates: dict[str, VarianceEstimate],
    choices: Choices,
    draw: Draw | None,
    counts: PairedCounts | None,
) -> Iterator[BuiltInterval]:
    """Yield the intervals of one method: one for each variance, or one that rests on none.

    Methods set their own names in what they build; the result has their keys.
    """
    method = entry.method
    if not rests_on_variance(entry):
        yield from _build_on_no_variance(entry, losses, choices, draw, counts)
        return
    for variance in variances:
        estimate = estimates.get(variance.key)
        if estimate is None:
            continue
        on_variance = variance.method.info
        interval = method.build(losses, on_variance, estimate, choices.level, choices.alternative)
        if interval is not None:
            keyed = replace(interval, method=entry.key, variance=variance.key)
            yield BuiltInterval(keyed, method.info, on_variance)


def _build_on_no_variance(
    entry: ChosenMethod[IntervalMethod],
    losses: BlockLosses,
    choices: Choices,
    draw: Draw | None,
    counts: PairedCounts | None,
) -> Iterator[BuiltInterval]:
    """Yield the interval on replicates, on counts or on losses, if there is one."""
    method, level, alternative = entry.method, choices.level, choices.alternative
    interval, of_rates = None, None
    if isinstance(method, ResampledInterval) and draw is not None:
        replicates = draw(method.n_resamples, None)
        interval = method.build_from_replicates(replicates, level, alternative)
    elif isinstance(method, PairedRatesInterval) and counts is not None:
        interval, of_rates = method.build_from_counts(counts, level, alternative), method
    elif isinstance(method, IntervalOfLosses):
        interval = method.build_from_losses(losses, level, alternative)
    if interval is not None:
        keyed = replace(interval, method=entry.key)
        yield BuiltInterval(keyed, method.info, None, of_rates)
