"""The resamples of an evaluation, and the bootstrap intervals that are built by default."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from thetahat.analyses.losses.method_selection import SelectedMethods
from thetahat.analyses.losses.result import NotApplicable
from thetahat.intervals.base import IntervalMethod, ResampledInterval
from thetahat.numerics.bootstrap import SharedResamples, draw_seed
from thetahat.seeds import make_random_stream
from thetahat.values.block_losses import LossTable

OF_THE_TEST = "tests/bootstrap_difference"
"""Name of the random stream of the paired bootstrap test."""

NOT_ON_A_VARIANCE = (
    "it is not built on a variance, and the request names variances; name the interval to get it"
)


def prepare_resamples(
    table: LossTable,
    intervals: SelectedMethods[IntervalMethod],
    pairs: Sequence[tuple[str, str]],
    seed: int,
) -> SharedResamples:
    """Return the resamples of a table and of the pairs that get intervals; drawn on first use.

    Their seed is that of the paired bootstrap test, which can then use the same resamples.
    """
    own = draw_seed(make_random_stream(seed, OF_THE_TEST))
    errors = any(method.needs_errors for method in _list_resampled(intervals).values())
    return SharedResamples(table.models, own, tuple(pairs), errors)


def omit_slow_defaults(
    resamples: SharedResamples,
    intervals: SelectedMethods[IntervalMethod],
    *,
    named_variances: bool,
    for_pairs: bool,
) -> SelectedMethods[IntervalMethod]:
    """Return the intervals without those default bootstrap intervals that are not to be built.

    These are the slow ones, or all of them if the request names variances.
    """
    if intervals.named:
        return intervals
    reasons = {
        key: NOT_ON_A_VARIANCE
        if named_variances
        else resamples.too_much(with_errors=for_pairs and method.needs_errors)
        for key, method in _list_resampled(intervals).items()
    }
    omitted = tuple(
        NotApplicable(name=entry.name, reason=f"{entry.name}: {reason}", family="intervals")
        for entry in intervals.methods
        if (reason := reasons.get(entry.key)) is not None
    )
    remaining = tuple(entry for entry in intervals.methods if reasons.get(entry.key) is None)
    return intervals._replace(methods=remaining, left_out=(*intervals.left_out, *omitted))


def _list_resampled(intervals: SelectedMethods[IntervalMethod]) -> Mapping[str, ResampledInterval]:
    return {
        entry.key: entry.method
        for entry in intervals.methods
        if isinstance(entry.method, ResampledInterval)
    }
