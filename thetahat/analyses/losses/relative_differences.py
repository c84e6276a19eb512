"""By what share the mean of one model is larger or smaller than that of another."""

from __future__ import annotations

from thetahat.analyses.losses.optional_results import LogRatio, RelativeDifference
from thetahat.analyses.losses.pair_coverage import add_coverage_of_ratios
from thetahat.distributions import compute_upper_quantile
from thetahat.numerics.fieller import MeansOfPair, RatioSet, find_log_ratios, find_ratios
from thetahat.paired_tests.base import PairedLosses
from thetahat.values.block_losses import EPSILON, BlockLosses
from thetahat.values.number_text import format_percent
from thetahat.values.types import MeanKind
from thetahat.variances.base import MULTIPLE, VarianceEstimate, VarianceEstimator


def compute_relative_difference(  # noqa: PLR0913 - the pair, its names, its variance and the level
    losses: PairedLosses,
    names: tuple[str, str],
    variance: tuple[str, VarianceEstimator, VarianceEstimate] | None,
    *,
    alpha: float,
    level: float,
    simultaneous_pairs: int | None,
) -> RelativeDifference:
    """Return the ratio of two means with Fieller's set.

    The variance of a - r b is a quadratic form in r for every variance that is one in the losses,
    so three of its values give the covariance: c = (v_a + v_b - v_d) / 2. Where the multiple of a
    variance depends on the losses, all three have that of the difference.

    Parameters
    ----------
    losses : PairedLosses
        The losses or scores of both models, and their difference.
    names : tuple of str
        Names of the models.
    variance : tuple or None
        Key of the variance in the result, the variance, and its estimate for the difference, which
        has the degrees of freedom. None where no variance can be used.
    alpha : float
        1 minus the level of this pair by itself.
    level, simultaneous_pairs : float, int or None
        The level, and for how many pairs it holds at once.

    Deviations: the degrees of freedom are those of the difference, also for ratios other than 1.

    Degenerate cases: values below 0 have no ratio, because their means may be negative; nor have
    means of 0. Without spread, as of two models with equal losses, there is a ratio and no set.
    """
    mean = MeanKind.MACRO if variance is None else variance[2].mean
    mean_a, mean_b = (_get_mean(one, mean) for one in (losses.a, losses.b))
    found: RatioSet | None = None
    log: tuple[float, float, float] | None = None
    if _has_negative(losses.a) or _has_negative(losses.b):
        ratio, reason = None, "negative"
    elif mean_b <= 0:
        ratio, reason = None, "zero"
    else:
        ratio, reason = mean_a / mean_b, "no_spread"
        pair = None if variance is None else _read_pair(losses, variance, (mean_a, mean_b))
        if variance is not None and pair is not None:
            quantile = compute_upper_quantile(alpha / 2, variance[2].degrees_of_freedom)
            found = find_set(pair, quantile)
            log = None if found is None else find_log_ratios(pair, quantile)
    if found is not None and found.shape != "interval":
        ratio = None
    key, degrees = (None, None) if variance is None else (variance[0], variance[2])
    relative = RelativeDifference(
        mean_a=mean_a,
        mean_b=mean_b,
        mean=mean,
        ratio=ratio,
        change=None if ratio is None else ratio - 1,
        method="fieller",
        shape=None if found is None else found.shape,
        lower=None if found is None else found.lower,
        upper=None if found is None else found.upper,
        g=None if found is None else found.g,
        log_ratio=None if log is None else LogRatio(*log),
        level=level,
        simultaneous_pairs=simultaneous_pairs,
        variance=None if found is None else key,
        degrees_of_freedom=None if found is None or degrees is None else degrees.degrees_of_freedom,
        sentence=_write(losses, names, ratio, found, reason, level),
    )
    return add_coverage_of_ratios(relative, losses)


def _read_pair(
    losses: PairedLosses,
    variance: tuple[str, VarianceEstimator, VarianceEstimate],
    means: tuple[float, float],
) -> MeansOfPair | None:
    """Return the means with their variances; None where these are not positive."""
    _, method, of_difference = variance
    v_a, v_b = (_align(method.estimate(one), of_difference) for one in (losses.a, losses.b))
    v_d = of_difference.value
    if v_a is None or v_b is None or not isinstance(v_d, float):
        return None
    if not (v_a >= 0 and v_b >= 0 and v_d > 0):
        return None
    return MeansOfPair(
        a=means[0],
        b=means[1],
        variance_a=v_a,
        variance_b=v_b,
        covariance=(v_a + v_b - v_d) / 2,
    )


def _align(estimate: VarianceEstimate, like: VarianceEstimate) -> float | None:
    """Return the variance with the multiple of the other one; None if it is no number."""
    if not isinstance(estimate.value, float):
        return None
    own, other = (each.details.get(MULTIPLE, 1.0) for each in (estimate, like))
    assert isinstance(own, float)  # noqa: S101 - as the variance sets it
    assert isinstance(other, float)  # noqa: S101 - same
    return estimate.value * (other / own)


def find_set(pair: MeansOfPair, quantile: float) -> RatioSet | None:
    """Return Fieller's set without ratios below 0; None where it is the ratio alone."""
    found = find_ratios(pair, quantile)
    if found.shape != "interval" or found.lower is None or found.upper is None:
        return found
    if found.upper - found.lower <= 1e4 * EPSILON * abs(found.upper):
        return None
    if found.lower >= 0:
        return found
    return RatioSet(shape="interval", lower=0.0, upper=found.upper, g=found.g)


def _get_mean(losses: BlockLosses, mean: MeanKind) -> float:
    moments = losses.moments
    return moments.macro_mean if mean is MeanKind.MACRO else moments.pooled_mean


def _has_negative(losses: BlockLosses) -> bool:
    values = losses.scores if losses.values is None else losses.values
    return values is not None and float(values.min()) < 0


def _write(  # noqa: PLR0913 - what the sentence is about
    losses: PairedLosses,
    names: tuple[str, str],
    ratio: float | None,
    found: RatioSet | None,
    reason: str,
    level: float,
) -> str:
    words = losses.a.layout.words
    a, b = names
    value = f"mean {words.value}"
    if ratio is None and reason == "negative":
        return (
            f"Some {words.values} are below 0, so the means could be negative, and their ratio "
            "says nothing. Use the difference."
        )
    if ratio is None and reason == "zero":
        return f"The {value} of {b} is 0, so there is no ratio to it. Use the difference."
    if found is not None and found.shape != "interval":
        limit = ""
        if found.shape == "two_rays" and found.upper is not None and found.upper > 0:
            low = "" if (found.lower or -1.0) < 0 else f"at most {found.lower:.3g} or "
            limit = f" The data fit every ratio of {low}at least {found.upper:.3g}."
        return (
            f"The {value} of {b} is not clearly above 0, so there is no relative "
            f"difference.{limit} Use the difference."
        )
    assert ratio is not None  # noqa: S101 - every reason for None is above
    if ratio == 1 and found is None:
        return f"The {value} of {a} is that of {b}; equal {words.values} give no interval."
    start = f"The {value} of {a} is {_word_change(ratio - 1)} than that of {b}"
    if found is None or found.lower is None or found.upper is None:
        return f"{start}; without a spread there is no interval."
    ends = sorted((found.lower - 1, found.upper - 1), key=abs)
    return (
        f"{start} ({format_percent(level)} interval by Fieller: {_word_change(ends[0])} to "
        f"{_word_change(ends[1])})."
    )


def _word_change(change: float) -> str:
    word = "larger" if change > 0 else "smaller"
    return f"{float(f'{100 * abs(change):.2g}'):g} % {word}"
