"""False alarms and power of sequential methods over 100 looks, beside a t test at every look."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy import stats

from thetahat.sequential._boundaries import find_boundaries, spend_obrien_fleming
from thetahat.sequential._moments import LEAST_DIFFERING
from thetahat.sequential.asymptotic import (
    DEFAULT_NARROWEST_AT,
    LEAST_ROWS,
    compute_reach,
    compute_rho_squared,
)
from thetahat.sequential.base import SequentialQuestion
from thetahat.sequential.binomial_mixture import SHARE_OF_RATE, compute_log_e_value
from thetahat.sequential.bounded import Bounded
from thetahat.values.types import BoolArray, FloatArray, IntArray
from thetahat_replications.edges.simulated_intervals import compute_oracle_power
from thetahat_replications.edges.table import TableRow, format_share

ALPHA: Final = 0.05
LOOKS: Final = 100
UNITS_PER_LOOK: Final = 40
N: Final = LOOKS * UNITS_PER_LOOK
ENDS: Final = np.arange(1, LOOKS + 1) * UNITS_PER_LOOK
PLANNED: Final = 10
"""Looks of the planned method, equally spaced."""
POWER: Final = 0.9
"""Power of the t test with all units, by which the effect is chosen."""
AT_ONCE: Final = 200
"""Samples that are in memory together."""
CLUSTER: Final = 10
CORRELATION: Final = 0.3

TITLE: Final = "Looking again and again"
ABOUT: Final = f"""
{LOOKS} looks, one after every {UNITS_PER_LOOK} units, at level {1 - ALPHA:g}. False alarms: how
often the interval of any look leaves out a mean that is true. Decided: the same where the true mean
is off by so much that one t test with all {N} units would find it with probability {POWER:g}. Power
is that share over how often one normal test with all units finds it that knows the standard
deviation of their mean; methods with too many false alarms have more. Mean
units: at the decision, or {N} without one. `t test` looks with an ordinary interval each time,
`planned` {PLANNED} times. `asymptotic without the rule` is the method without the rule that
{LEAST_DIFFERING} values must differ from the commonest one. Clusters: {CLUSTER} rows each with
correlation {CORRELATION:g}, which one design sends as independent rows and the next as clusters.
Drift: the standard deviation grows threefold.
"""

Draw = Callable[[np.random.Generator, int, float], FloatArray]
"""Takes a generator, the number of samples and a shift; returns (samples, N) values."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LookedAtValues:
    """Values of single units, with the mean 0 of a pair or the reference of one model."""

    name: str
    draw: Draw
    deviation: float
    """Standard deviation, by which the shift is chosen."""
    reference: float = 0.0
    loss_range: tuple[float, float] | None = None
    is_zero_one: bool = False
    is_pair: bool = True

    @property
    def shift(self) -> float:
        """The shift that a t test with all units finds with the power of the table."""
        quantiles = stats.norm.ppf(1 - ALPHA / 2) + stats.norm.ppf(POWER)
        return float(quantiles * self.deviation / math.sqrt(N))


def _draw_pair(rate: float) -> Draw:
    def draw(rng: np.random.Generator, n_samples: int, shift: float) -> FloatArray:
        a = rng.random((n_samples, N)) < rate - shift
        b = rng.random((n_samples, N)) < rate
        return a.astype(np.float64) - b

    return draw


def _draw_rate(rate: float) -> Draw:
    def draw(rng: np.random.Generator, n_samples: int, shift: float) -> FloatArray:
        return (rng.random((n_samples, N)) < rate + shift).astype(np.float64)

    return draw


def _draw_clusters(rng: np.random.Generator, n_samples: int, shift: float) -> FloatArray:
    common = rng.standard_normal((n_samples, N // CLUSTER, 1)) * math.sqrt(CORRELATION)
    own = rng.standard_normal((n_samples, N // CLUSTER, CLUSTER)) * math.sqrt(1 - CORRELATION)
    return np.asarray((common + own).reshape(n_samples, N) + shift)


def _draw_means(rng: np.random.Generator, n_samples: int, shift: float) -> FloatArray:
    common = rng.standard_normal((n_samples, N)) * math.sqrt(CORRELATION)
    own = rng.standard_normal((n_samples, N)) * math.sqrt((1 - CORRELATION) / CLUSTER)
    return np.asarray(common + own + shift)


def _draw_heavy(rng: np.random.Generator, n_samples: int, shift: float) -> FloatArray:
    return np.asarray(rng.standard_t(3, (n_samples, N)) + shift)


def _draw_skewed(rng: np.random.Generator, n_samples: int, shift: float) -> FloatArray:
    return np.asarray(rng.standard_exponential((n_samples, N)) + shift)


def _draw_normal(rng: np.random.Generator, n_samples: int, shift: float) -> FloatArray:
    return np.asarray(rng.standard_normal((n_samples, N)) + shift)


def _draw_drift(rng: np.random.Generator, n_samples: int, shift: float) -> FloatArray:
    return np.asarray(rng.standard_normal((n_samples, N)) * np.linspace(1, 3, N) + shift)


def _make_pair(rate: float, name: str) -> LookedAtValues:
    return LookedAtValues(
        name=name,
        draw=_draw_pair(rate),
        deviation=math.sqrt(2 * rate * (1 - rate)),
        loss_range=(0, 1),
        is_zero_one=True,
    )


def _make_rate(rate: float, name: str) -> LookedAtValues:
    return LookedAtValues(
        name=name,
        draw=_draw_rate(rate),
        deviation=math.sqrt(rate * (1 - rate)),
        reference=rate,
        loss_range=(0, 1),
        is_zero_one=True,
        is_pair=False,
    )


POPULATIONS: Final = (
    LookedAtValues(name="normal differences", draw=_draw_normal, deviation=1.0),
    _make_pair(0.3, "0/1 pairs, rate .3"),
    _make_pair(0.02, "0/1 pairs, rate .02"),
    _make_rate(0.3, "0/1 of one model, rate .3"),
    _make_rate(0.05, "0/1 of one model, rate .05"),
    LookedAtValues(name="heavy tails (t with 3)", draw=_draw_heavy, deviation=math.sqrt(3)),
    LookedAtValues(
        name="skewed (exponential)", draw=_draw_skewed, deviation=1.0, reference=1.0, is_pair=False
    ),
    LookedAtValues(name="clusters sent as rows", draw=_draw_clusters, deviation=1.0),
    LookedAtValues(
        name="clusters sent as clusters",
        draw=_draw_means,
        deviation=math.sqrt(CORRELATION + (1 - CORRELATION) / CLUSTER),
    ),
    LookedAtValues(name="drift in the variance", draw=_draw_drift, deviation=math.sqrt(13 / 3)),
)


COLUMNS: Final = "values | method | false alarms | decided | power | mean units"


def list_rows(repetitions: int, seed: int) -> Iterator[TableRow]:
    """Return false alarms, decisions, power and units of each method by population."""
    for number, population in enumerate(POPULATIONS):
        (alarms, _), (decided, true_sd) = (
            count(population, repetitions, np.random.default_rng([seed, number, place]), shift)
            for place, shift in enumerate((0.0, population.shift))
        )
        oracle = float(compute_oracle_power(population.shift / true_sd, 1 - ALPHA))
        for method, (false_alarms, _) in alarms.items():
            share, units = decided[method]
            shares = (format_share(each, repetitions) for each in (false_alarms, share))
            yield (population.name, method, *shares, share / oracle, round(units))


def count(
    population: LookedAtValues, repetitions: int, rng: np.random.Generator, shift: float
) -> tuple[dict[str, tuple[float, float]], float]:
    """Return how often each method decides, and after how many units on average.

    Second is the standard deviation of the mean of all units.
    """
    decided: dict[str, int] = {}
    units: dict[str, float] = {}
    means: list[float] = []
    for start in range(0, repetitions, AT_ONCE):
        values = population.draw(rng, min(AT_ONCE, repetitions - start), shift)
        means += values.mean(axis=1).tolist()
        for method, alarms in list_alarms(population, values):
            any_alarm = alarms.any(axis=1)
            first = np.where(any_alarm, ENDS[alarms.argmax(axis=1)], N)
            decided[method] = decided.get(method, 0) + int(any_alarm.sum())
            units[method] = units.get(method, 0.0) + float(first.sum())
    counted = {name: (decided[name] / repetitions, units[name] / repetitions) for name in decided}
    return counted, float(np.std(means, ddof=1))


def list_alarms(population: LookedAtValues, values: FloatArray) -> Iterator[tuple[str, BoolArray]]:
    """Yield each method with its (samples, looks) alarms: the interval leaves out the reference."""
    at_looks = (ENDS - 1).astype(np.intp)
    means = np.cumsum(values, axis=1)[:, at_looks] / ENDS
    squares = np.cumsum(values * values, axis=1)[:, at_looks] / ENDS
    deviations = np.sqrt(np.maximum(squares - means * means, 0))
    gaps = np.abs(means - population.reference)
    enough = _have_enough(population, values, at_looks) & (deviations > 0)
    quantiles = stats.t.ppf(1 - ALPHA / 2, ENDS - 1) / np.sqrt(ENDS - 1)
    yield "t test", (gaps > quantiles * deviations) & (deviations > 0)
    rho_squared = compute_rho_squared(ALPHA, DEFAULT_NARROWEST_AT)
    reaches = np.array([compute_reach(n, ALPHA, rho_squared) for n in ENDS.tolist()])
    outside = (gaps > reaches * deviations) & (ENDS >= LEAST_ROWS) & (deviations > 0)
    yield "asymptotic", outside & enough
    if population.is_zero_one:
        yield "asymptotic without the rule", outside
        yield "binomial_mixture", _find_binomial_alarms(population, values, at_looks)
    if population.loss_range is not None:
        yield "bounded", _find_bounded_alarms(population, values)
    planned = np.arange(PLANNED - 1, LOOKS, PLANNED)
    counts = ENDS[planned].tolist()
    spent = [2 * spend_obrien_fleming(n / N, ALPHA / 2) for n in counts]
    critical = np.array(find_boundaries(counts, spent, two_sided=True))
    alarms = np.zeros(gaps.shape, dtype=np.bool_)
    errors = deviations[:, planned] / np.sqrt(ENDS[planned])
    alarms[:, planned] = (gaps[:, planned] > critical * errors) & enough[:, planned]
    yield "planned", alarms


def _have_enough(population: LookedAtValues, values: FloatArray, at_looks: IntArray) -> BoolArray:
    """Return where so many values differ from the commonest one as a normal mean needs."""
    if not population.is_zero_one:
        return np.ones((len(values), LOOKS), dtype=np.bool_)
    counts = [np.cumsum(values == value, axis=1)[:, at_looks] for value in (-1, 0, 1)]
    return np.asarray(ENDS - np.max(counts, axis=0) >= LEAST_DIFFERING)


def _find_binomial_alarms(
    population: LookedAtValues, values: FloatArray, at_looks: IntArray
) -> BoolArray:
    ones = np.cumsum(values == 1, axis=1)[:, at_looks]
    if population.is_pair:
        failures, rate = np.cumsum(values == -1, axis=1)[:, at_looks], 0.5
        limit = -math.log((1 - SHARE_OF_RATE) * ALPHA)
    else:
        failures, rate, limit = ENDS - ones, population.reference, -math.log(ALPHA)
    find = np.frompyfunc(lambda s, f: compute_log_e_value(s, f, rate), 2, 1)
    return np.asarray(find(ones, failures).astype(np.float64) >= limit)


def _find_bounded_alarms(population: LookedAtValues, values: FloatArray) -> BoolArray:
    assert population.loss_range is not None  # noqa: S101 - asked only where there is one
    method = Bounded(population.loss_range)
    question = SequentialQuestion(
        level=1 - ALPHA, reference=population.reference, is_pair=population.is_pair
    )
    alarms = np.zeros((len(values), LOOKS), dtype=np.bool_)
    for sample, row in enumerate(values):
        state = method.begin()
        for look, batch in enumerate(np.split(row, LOOKS)):
            state, outcome = method.advance(state, batch, question)
            if outcome.lower is None or outcome.upper is None:
                alarms[sample, look:] = True  # disjoint intervals: one of them is wrong
                break
            alarms[sample, look] = not outcome.lower <= population.reference <= outcome.upper
    return alarms
