"""How often the caution about neighbouring rows is raised, and how intervals cover without it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final, Literal, NamedTuple

import numpy as np
from scipy import stats
from scipy.signal import lfilter

from thetahat.analyses.losses.neighbours import FALSE_ALARMS, NeighbourTests, RowDependence
from thetahat.cautions import FEWEST_NEIGHBOURS, NEIGHBOURS_ALIKE
from thetahat.values.block_losses import BlockLosses, LossTable
from thetahat.values.layout import Layout, build_block_layout
from thetahat.values.types import BlockKind, FloatArray
from thetahat_replications.edges.simulated_intervals import SHIFT, iterate_designs, measure_power
from thetahat_replications.edges.table import TableRow, format_share

LEVEL: Final = 0.95
N_TESTS: Final = 3
"""Tests in the result of two models: theirs and that of their difference."""
SIZES: Final = (FEWEST_NEIGHBOURS, 15, 30, 60, 200, 1000)

Sampler = Callable[[np.random.Generator, int], tuple[FloatArray, float]]


class RowDesign(NamedTuple):
    """How the values of the rows are drawn."""

    draw: Sampler
    """The values of a block of n rows, and their mean."""
    arrangement: Literal["by block", "sorted", "dealt"] = "by block"
    """Whether the values of each block are sorted, or one block is drawn and dealt to all."""


def draw_independent(
    draw: Callable[[np.random.Generator, int], FloatArray], mean: float
) -> Sampler:
    """Return the sampler of n independent values with this mean."""
    return lambda rng, n: (draw(rng, n), mean)


def draw_rates(rng: np.random.Generator, n: int, rate: float) -> FloatArray:
    """Return n independent losses of 0 and 1."""
    return np.asarray(rng.random(n) < rate, dtype=np.float64)


def draw_around_own_mean(rng: np.random.Generator, n: int) -> tuple[FloatArray, float]:
    """Return n normal values around a mean that differs from block to block."""
    mean = 2 * float(rng.standard_normal())
    return mean + rng.standard_normal(n), mean


def draw_own_rate(rng: np.random.Generator, n: int) -> tuple[FloatArray, float]:
    """Return n errors at a rate that differs from block to block."""
    rate = 0.6 * float(rng.random())
    return draw_rates(rng, n, rate), rate


def draw_own_scale(rng: np.random.Generator, n: int) -> tuple[FloatArray, float]:
    """Return n normal values whose standard deviation differs from block to block."""
    return float(np.exp(rng.standard_normal())) * rng.standard_normal(n), 0.0


def draw_autoregression(rng: np.random.Generator, n: int, coefficient: float) -> FloatArray:
    """Return n values of which each is the one before it times the coefficient, plus noise."""
    noise = rng.standard_normal(n)
    noise[0] /= np.sqrt(1 - coefficient**2)
    return np.asarray(lfilter([1.0], [1.0, -coefficient], noise))


def draw_groups(rng: np.random.Generator, n: int, size: int, share: float) -> FloatArray:
    """Return n values in groups of neighbours that hold this share of their variance."""
    of_group = np.repeat(rng.standard_normal(-(-n // size)), size)[:n]
    return np.asarray(np.sqrt(share) * of_group + np.sqrt(1 - share) * rng.standard_normal(n))


NORMAL: Final = draw_independent(lambda g, n: g.standard_normal(n), 0.0)
RARE: Final = draw_independent(lambda g, n: draw_rates(g, n, 0.05), 0.05)
LOGNORMAL: Final = draw_independent(lambda g, n: g.lognormal(size=n), float(np.exp(0.5)))


def draw_series(coefficient: float) -> Sampler:
    """Return the sampler of an autoregression."""
    return draw_independent(lambda g, n: draw_autoregression(g, n, coefficient), 0.0)


def draw_alike(size: int, share: float) -> Sampler:
    """Return the sampler of groups of neighbours."""
    return draw_independent(lambda g, n: draw_groups(g, n, size, share), 0.0)


ONE_SET: Final[Mapping[str, RowDesign]] = {
    "normal": RowDesign(NORMAL),
    "exponential": RowDesign(draw_independent(lambda g, n: g.exponential(size=n), 1.0)),
    "lognormal": RowDesign(LOGNORMAL),
    "t, 2 degrees": RowDesign(draw_independent(lambda g, n: g.standard_t(2, size=n), 0.0)),
    "errors, rate .3": RowDesign(draw_independent(lambda g, n: draw_rates(g, n, 0.3), 0.3)),
    "errors, rate .05": RowDesign(RARE),
    "differences of two rates of .05": RowDesign(
        draw_independent(lambda g, n: draw_rates(g, n, 0.05) - draw_rates(g, n, 0.05), 0.0)
    ),
    "normal, sorted": RowDesign(NORMAL, "sorted"),
    "autoregression, .3": RowDesign(draw_series(0.3)),
    "autoregression, .5": RowDesign(draw_series(0.5)),
    "autoregression, .9": RowDesign(draw_series(0.9)),
    "groups of 5, half the variance": RowDesign(draw_alike(5, 0.5)),
    "groups of 20, .1 of the variance": RowDesign(draw_alike(20, 0.1)),
}
"""Values of one test set; the rows of the first eight designs are independent."""
BLOCKS: Final[Mapping[str, RowDesign]] = {
    "normal": RowDesign(NORMAL),
    "lognormal": RowDesign(LOGNORMAL),
    "errors, rate .05": RowDesign(RARE),
    "normal, means of blocks differ": RowDesign(draw_around_own_mean),
    "normal, scales of blocks differ": RowDesign(draw_own_scale),
    "errors, rates of blocks differ": RowDesign(draw_own_rate),
    "normal, sorted": RowDesign(NORMAL, "sorted"),
    "autoregression, .3": RowDesign(draw_series(0.3)),
    "autoregression, .5": RowDesign(draw_series(0.5)),
    "groups of 5, half the variance": RowDesign(draw_alike(5, 0.5)),
    "autoregression, .5, dealt at random": RowDesign(draw_series(0.5), "dealt"),
}
"""Values of several blocks; the rows of the first seven designs are independent in their block."""
LAYOUTS: Final = ((25,) * 8, (40,) * 5, (5,) * 40, (100, 50, 25, 12, 6, 4))

TITLE: Final = "Neighbouring rows that are alike"
ABOUT: Final = f"""
The rows of one test set, or of blocks (8 x 25 is 8 sources or folds of 25 rows), in their order.
The caution `neighbours_alike` is raised where the Newey-West standard error is at least
{NEIGHBOURS_ALIKE.threshold:g} times that of independent rows and its test is significant at
{FALSE_ALARMS:g}, divided by the number of tests in the result. Autocorrelations are of values
around the mean of their block, and pooled over the blocks; of several blocks the correlation and
the factor are without what the means take from them. Columns: how often
it is raised by the only test of a result, and by one of {N_TESTS} tests, as two models have; how
often the correlation with the next row exceeds 2 over the square root of n, the simple rule that
was not taken; the median of the factor that the caution names; how often the t interval of level
{LEVEL:g} for the mean of these blocks covers, and its power: how often it excludes a value that is
{SHIFT:g} standard deviations of the estimate from that mean, as a share of the power of the normal
test that knows the standard deviation (above 1 where intervals are too short). Sorted values are
found out, and get no caution.
"Dealt at random" is one series whose rows are dealt to folds, each in the order of the series.
"""
COLUMNS: Final = (
    "rows | n | raised by the only test | raised by one of three | simple rule | median factor | "
    "t interval covers | t interval, power"
)


def list_rows(repetitions: int, seed: int) -> Iterator[TableRow]:
    """Return how often the caution is raised, with coverage and power of the t interval."""
    for name, design, n, rng in iterate_designs(ONE_SET, SIZES, seed):
        yield (name, n, *_judge(design, (n,), rng, repetitions))
    for name, design, place, rng in iterate_designs(BLOCKS, range(len(LAYOUTS)), seed + 1):
        sizes = LAYOUTS[place]
        yield (name, _write_sizes(sizes), *_judge(design, sizes, rng, repetitions))


def _write_sizes(sizes: tuple[int, ...]) -> str:
    if len(set(sizes)) == 1:
        return f"{len(sizes)} x {sizes[0]}"
    return " + ".join(map(str, sizes))


def _draw(
    design: RowDesign, sizes: tuple[int, ...], rng: np.random.Generator
) -> tuple[FloatArray, FloatArray]:
    """Return the (n,) values of the rows, and the mean of each."""
    n = sum(sizes)
    if design.arrangement == "dealt":
        values, mean = design.draw(rng, n)
        block = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
        return values[np.argsort(block, kind="stable")], np.full(n, mean)
    drawn = [design.draw(rng, size) for size in sizes]
    is_sorted = design.arrangement == "sorted"
    values = np.concatenate([np.sort(one) if is_sorted else one for one, _ in drawn])
    return values, np.repeat([mean for _, mean in drawn], sizes)


def _judge(
    design: RowDesign, sizes: tuple[int, ...], rng: np.random.Generator, repetitions: int
) -> tuple[str | float, ...]:
    n, n_blocks = sum(sizes), len(sizes)
    kind = BlockKind.HOLDOUT if n_blocks == 1 else BlockKind.SOURCE
    layout = build_block_layout(kind, sizes, n_train=None if n_blocks == 1 else 0)
    quantile = float(stats.t.ppf((1 + LEVEL) / 2, n - n_blocks))
    found: list[RowDependence] = []
    errors, reaches = np.empty((2, repetitions))
    for place in range(repetitions):
        values, means = _draw(design, sizes, rng)
        measured = _measure(values, layout)
        found += [] if measured is None else [measured]
        moments = BlockLosses(layout, values=values).moments
        assert moments.centred_squares is not None  # noqa: S101 - the values are of rows
        variance = float(moments.centred_squares.sum()) / (n - n_blocks) / n
        errors[place] = values.mean() - means.mean()
        reaches[place] = quantile * np.sqrt(variance)
    counts = [sum(one.depend_on_each_other(n_tests) for one in found) for n_tests in (1, N_TESTS)]
    counts.append(sum(one.correlation > 2 / n**0.5 for one in found))
    return (
        *(format_share(count / repetitions, repetitions) for count in counts),
        float(np.median([one.factor for one in found])) if found else "",
        format_share(float(np.mean(np.abs(errors) <= reaches)), repetitions),
        measure_power(errors - reaches, errors + reaches, float(errors.std(ddof=1))),
    )


def _measure(values: FloatArray, layout: Layout) -> RowDependence | None:
    table = LossTable(layout, {"model": BlockLosses(layout, values=values)})
    tests = NeighbourTests.prepare(table, 0)
    return None if tests.rows is None else tests.rows.measure(values[tests.places])
