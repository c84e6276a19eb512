"""How often the caution about neighbouring rows is raised, and how intervals cover without it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

import numpy as np
from scipy import stats

from thetahat.analyses.losses.neighbours import FALSE_ALARMS, measure_neighbours
from thetahat.cautions import FEWEST_NEIGHBOURS, NEIGHBOURS_ALIKE
from thetahat.values.types import FloatArray
from thetahat_replications.edges.simulated_intervals import iterate_designs
from thetahat_replications.edges.table import TableRow, format_share

LEVEL: Final = 0.95
SIZES: Final = (FEWEST_NEIGHBOURS, 60, 200, 1000)
N_TESTS: Final = 3
"""Tests in the result of two models: theirs and that of their difference."""

Sampler = Callable[[np.random.Generator, int], FloatArray]


def draw_rates(rng: np.random.Generator, n: int, rate: float) -> FloatArray:
    """Return n independent losses of 0 and 1."""
    return np.asarray(rng.random(n) < rate, dtype=np.float64)


def draw_autoregression(rng: np.random.Generator, n: int, coefficient: float) -> FloatArray:
    """Return n values of which each is the one before it times the coefficient, plus noise."""
    noise = rng.standard_normal(n)
    values = np.empty(n)
    values[0] = noise[0] / np.sqrt(1 - coefficient**2)
    for i in range(1, n):
        values[i] = coefficient * values[i - 1] + noise[i]
    return values


def draw_groups(rng: np.random.Generator, n: int, size: int) -> FloatArray:
    """Return n values in groups of neighbours, half of whose variance is between groups."""
    return np.repeat(rng.standard_normal(-(-n // size)), size)[:n] + rng.standard_normal(n)


DESIGNS: Final[Mapping[str, tuple[Sampler, float]]] = {
    "normal": (lambda g, n: g.standard_normal(n), 0.0),
    "exponential": (lambda g, n: g.exponential(size=n), 1.0),
    "lognormal": (lambda g, n: g.lognormal(size=n), float(np.exp(0.5))),
    "t, 2 degrees": (lambda g, n: g.standard_t(2, size=n), 0.0),
    "errors, rate .3": (lambda g, n: draw_rates(g, n, 0.3), 0.3),
    "errors, rate .05": (lambda g, n: draw_rates(g, n, 0.05), 0.05),
    "differences of two rates of .05": (
        lambda g, n: draw_rates(g, n, 0.05) - draw_rates(g, n, 0.05),
        0.0,
    ),
    "autoregression, .3": (lambda g, n: draw_autoregression(g, n, 0.3), 0.0),
    "autoregression, .5": (lambda g, n: draw_autoregression(g, n, 0.5), 0.0),
    "autoregression, .9": (lambda g, n: draw_autoregression(g, n, 0.9), 0.0),
    "groups of 5": (lambda g, n: draw_groups(g, n, 5), 0.0),
}
"""Values by row and their mean; the rows of the first seven designs are independent."""

TITLE: Final = "Neighbouring rows that are alike"
ABOUT: Final = f"""
n rows in their order. The caution `neighbours_alike` is raised where the Newey-West standard error
is at least {NEIGHBOURS_ALIKE.threshold:g} times that of independent rows and its test is
significant at {FALSE_ALARMS:g}, divided by the number of tests in the result. Columns: how often
it is raised by the only test of a result, and by one of {N_TESTS} tests, as two models have; how
often the correlation with the next row exceeds 2 over the square root of n, the simple rule that
was not taken; the median of the factor that the caution names; how often the t interval of level
{LEVEL:g} covers.
"""


COLUMNS: Final = (
    "rows | n | raised by the only test | raised by one of three | simple rule | median factor | "
    "t interval covers"
)


def list_rows(repetitions: int, seed: int) -> Iterator[TableRow]:
    """Return how often the caution is raised, with the coverage of the t interval."""
    for name, (draw, mean), n, rng in iterate_designs(DESIGNS, SIZES, seed):
        samples = [draw(rng, n) for _ in range(repetitions)]
        yield (name, n, *_judge(samples, mean))


def _judge(samples: list[FloatArray], mean: float) -> tuple[str | float, ...]:
    n, repetitions = len(samples[0]), len(samples)
    found = [measured for values in samples if (measured := measure_neighbours(values))]
    shares = [
        sum(one.depend_on_each_other(n_tests) for one in found) / repetitions
        for n_tests in (1, N_TESTS)
    ]
    shares.append(sum(one.correlation > 2 / n**0.5 for one in found) / repetitions)
    quantile = float(stats.t.ppf((1 + LEVEL) / 2, n - 1))
    covers = [
        abs(values.mean() - mean) <= quantile * values.std(ddof=1) / n**0.5 for values in samples
    ]
    return (
        *(format_share(share, repetitions) for share in shares),
        float(np.median([one.factor for one in found])),
        format_share(float(np.mean(covers)), repetitions),
    )
