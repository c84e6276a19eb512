"""On how many units each of two models is better."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from thetahat.analyses.losses.optional_results import WinRate
from thetahat.analyses.losses.pair_coverage import add_coverage_of_win_rate
from thetahat.analyses.losses.pair_family import PairFamily
from thetahat.analyses.losses.pairs import list_units
from thetahat.distributions import compute_fair_coin_p_value
from thetahat.numerics.paired_rates import count_clustered_pair, find_upper_end
from thetahat.paired_tests.base import PairedLosses
from thetahat.values.block_losses import EPSILON
from thetahat.values.number_text import format_percent
from thetahat.values.paired_counts import PairedCounts, count_pair
from thetahat.values.types import Alternative, BlockKind, FloatArray, IntArray

IN_TIME: Final = (
    "Rows in the order of time depend on each other, so the win rate has no interval and no "
    "p-value."
)
IN_CLUSTERS: Final = "The sign test takes {units} as independent, so in clusters it has no p-value."
ALONE: Final = "An interval needs two {units} or more."
EQUAL_CLUSTERS: Final = "No win or loss varies between clusters, so there is no interval."


def compute_win_rate(
    losses: PairedLosses, names: tuple[str, str], family: PairFamily, level: float
) -> WinRate:
    r"""Return the counts of wins and ties, the win rate with Tango's interval, and a sign test.

    A tie counts one half, so that the win rate is :math:`1/2 + (p_a - p_b) / 2` with the shares of
    units on which a and b are better, and the interval for the difference of these paired shares
    gives its ends. The t interval of the mean of 1, 1/2 and 0 covers too rarely with few units and
    near 0 and 1 (edges/win_rates). Where units come in clusters, the counts are divided by their
    design effect.

    Parameters
    ----------
    losses : PairedLosses
        The losses or scores of both models, and their difference.
    names : tuple of str
        Names of the models.
    family : PairFamily
        The pairs for which interval and p-value hold at once.
    level : float
        The level at which they do.

    Deviations: a difference within 8 units in the last place of the largest loss is a tie.

    Degenerate cases: in clusters without a win or loss, with a single cluster or unit, and for rows
    in the order of time there is no interval, and for both no p-value.
    """
    unit, differences = list_units(losses.difference)
    a, b = _list_wins(losses, differences)
    cluster = _find_clusters(losses, unit)
    n, n_a, n_b = len(differences), int(a.sum()), int(b.sum())
    counts: PairedCounts | None
    in_time = losses.difference.layout.time is not None
    if in_time:
        counts = None
    elif cluster is None:
        counts = count_pair(a, b) if n > 1 else None
    else:
        counts = count_clustered_pair(a, b, cluster)
    in_clusters = cluster is not None
    p_value = None
    if not (in_clusters or in_time):
        p_value = compute_fair_coin_p_value(n_a, n_a + n_b, Alternative.TWO_SIDED)
    ends = None if counts is None else compute_ends(counts, family.pair_alpha, p_value)
    rate = (1 + (n_a - n_b) / n) / 2
    wins = WinRate(
        unit=unit,
        a=n_a,
        b=n_b,
        ties=n - n_a - n_b,
        win_rate=rate,
        standard_error=None if in_time else _compute_standard_error((a - b) / 2, cluster),
        method=None if ends is None else "score_clusters" if in_clusters else "score",
        lower=None if ends is None else ends[0],
        upper=None if ends is None else ends[1],
        level=level,
        simultaneous_pairs=family.simultaneous_pairs,
        p_value=p_value,
        p_value_adjusted=None if p_value is None else family.adjust_as_interval(p_value),
        sentence=_write(losses, names, unit, (n_a, n_b, n), ends, level),
        reason=_explain_missing(losses, unit, in_clusters=in_clusters, has_ends=ends is not None),
    )
    return add_coverage_of_win_rate(wins, losses.difference.layout)


def _explain_missing(
    losses: PairedLosses, unit: str, *, in_clusters: bool, has_ends: bool
) -> str | None:
    """Return why there is no interval, or no p-value; None where there are both."""
    if losses.difference.layout.time is not None:
        return IN_TIME
    units = losses.a.layout.words.get_unit(unit).plural
    if in_clusters:
        no_p_value = IN_CLUSTERS.format(units=units)
        return no_p_value if has_ends else f"{EQUAL_CLUSTERS} {no_p_value}"
    return None if has_ends else ALONE.format(units=units)


def _list_wins(losses: PairedLosses, differences: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return (n,) ones where a is better, and where b is."""
    known = [one.scores if one.values is None else one.values for one in (losses.a, losses.b)]
    largest = max(float(np.abs(values).max()) for values in known if values is not None)
    reach = 8 * EPSILON * largest
    above = (differences > reach).astype(np.float64)
    below = (differences < -reach).astype(np.float64)
    return (above, below) if losses.higher_is_better else (below, above)


def _find_clusters(losses: PairedLosses, unit: str) -> IntArray | None:
    """Return the (n,) clusters of the units; None where units are independent or sources."""
    layout = losses.difference.layout
    if unit == "block" or layout.cluster is None or layout.kind is BlockKind.SOURCE:
        return None
    if layout.instance is None:
        return layout.cluster
    of_instance = np.empty(layout.n_instances, dtype=layout.cluster.dtype)
    of_instance[layout.instance] = layout.cluster
    return of_instance


def compute_ends(counts: PairedCounts, alpha: float, p_value: float | None) -> tuple[float, float]:
    """Return the ends of the win rate, which contain one half unless the sign test rejects it."""
    upper = (1 + find_upper_end(counts, alpha / 2, of_margin=False)) / 2
    lower = (1 - find_upper_end(counts.swap(), alpha / 2, of_margin=False)) / 2
    if p_value is None or p_value < alpha:
        return lower, upper
    # McNemar's mid-p value, on which the ends rest, is smaller than that of the sign test.
    return min(lower, 0.5), max(upper, 0.5)


def _compute_standard_error(halves: FloatArray, cluster: IntArray | None) -> float | None:
    """Return the standard error of the mean by independent units, or by CR2 over clusters."""
    n = len(halves)
    if n < 2 or halves.max() == halves.min():
        return None
    if cluster is None:
        return math.sqrt(float(halves.var(ddof=1)) / n)
    sizes = np.bincount(cluster).astype(np.float64)
    residuals = np.bincount(cluster, weights=halves) - sizes * halves.mean()
    if len(sizes) < 2:
        return None
    return math.sqrt(float((residuals**2 / (1 - sizes / n)).sum())) / n


def _write(  # noqa: PLR0913 - what the sentence is about
    losses: PairedLosses,
    names: tuple[str, str],
    unit: str,
    counts: tuple[int, int, int],
    ends: tuple[float, float] | None,
    level: float,
) -> str:
    noun = losses.a.layout.words.get_unit(unit)
    (a, b), (n_a, n_b, n) = names, counts
    ties = n - n_a - n_b
    first = (
        f"{a} is better on {n_a} and {b} on {n_b} of {n} {noun.singular if n == 1 else noun.plural}"
    )
    tied = f"; {ties} {'is a tie' if ties == 1 else 'are ties'}" if ties else ""
    rate = f"{100 * (n + n_a - n_b) / (2 * n):.3g} %"
    within = ""
    if ends is not None:
        low, high = (f"{100 * end:.3g} %" for end in ends)
        within = f" ({format_percent(level)} interval: {low} to {high})"
    half = ", a tie counting one half," if ties else ""
    missing = "" if losses.difference.layout.time is None else f" {IN_TIME}"
    return f"{first}{tied}. The win rate of {a}{half} is {rate}{within}.{missing}"
