"""How often intervals over splits in the order of time cover, and how long they are."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Final, NamedTuple

import numpy as np
from scipy.signal import lfilter

from thetahat.intervals.base import Interval
from thetahat.intervals.skewness_corrected import SkewnessCorrected
from thetahat.intervals.student_t import StudentT
from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import Layout, build_layout
from thetahat.values.types import Alternative, BlockKind, FloatArray
from thetahat.variances.nadeau_bengio_calibrated import NadeauBengioCalibrated
from thetahat.variances.newey_west import NeweyWest
from thetahat.variances.newey_west_small_sample import NeweyWestSmallSample
from thetahat_replications.edges.simulated_intervals import NORMAL, SHIFT, measure_power
from thetahat_replications.edges.table import BETWEEN, TableRow, format_share

LEVEL: Final = 0.95
CORRELATIONS: Final = (0.0, 0.3, 0.6)
SIZES: Final = (60, 240)
WEIGHTS: Final = np.array([0.0, 0.7, 0.3])
"""Constant and the weights of both features."""
METHODS: Final = (NadeauBengioCalibrated(), NeweyWest(), NeweyWestSmallSample())

TITLE: Final = "Splits in the order of time"
ABOUT: Final = f"""
Cross-validation in the order of time: n rows of two features and noise, each an autoregression with
the correlation of the first column, and squared errors of least squares on both features, or their
difference from those on the first feature alone. Models are trained on all earlier rows (expanding)
or on the last sixth of n (sliding), and tested in five blocks of a sixth of n, or on one row at a
time over the second half. The intervals of level {LEVEL:g} are those on today's variance,
`nadeau_bengio_calibrated` (for the mean of one model `skewness_corrected`), and t intervals on both
forms of Newey and West over the losses in the order of time. Columns: how often each covers the
expected error of such models (`these_sources`), how often the mean error of the trained models on
new rows that do not depend on their training rows (`these_models`), its mean length over that of
the ideal interval for the expected error, 3.92 standard deviations of the estimate, and its power
for both targets: how often it excludes a value that is {SHIFT:g} standard deviations (of the
estimate about the target) from the target, as a share of the power of the normal test that knows
the standard deviation. Where the training windows are short and the correlation is strong, tested
rows depend on the training rows, and the error on such new rows is another one than that which is
observed.
"""

COLUMNS: Final = BETWEEN.join(
    [
        "value | correlation | n | training rows | test rows",
        *(
            f"{method.info.name}{what}"
            for method in METHODS
            for what in (
                ", expected error",
                ", trained models",
                ", length",
                ", power for the expected error",
                ", power for trained models",
            )
        ),
    ]
)


class TimeSplits(NamedTuple):
    """Splits of n rows in the order of time."""

    n: int
    test_size: int
    is_sliding: bool

    @property
    def starts(self) -> range:
        """First row of each test part."""
        first = self.n // 2 if self.test_size == 1 else self.n - 5 * self.test_size
        return range(first, self.n, self.test_size)

    def get_oldest(self, start: int) -> int:
        """Return the oldest training row of the split whose test part starts there."""
        return start - self.n // 6 if self.is_sliding else 0

    def build_layout(self) -> Layout:
        """Return the layout of the losses of all test parts."""
        sizes = np.array([start - self.get_oldest(start) for start in self.starts], dtype=float)
        blocks = np.repeat(np.arange(len(sizes)), self.test_size)
        rows = np.arange(len(blocks))
        n_train = np.repeat(sizes, self.test_size)
        return build_layout(BlockKind.SUBSAMPLES, blocks, instance=rows, time=rows, n_train=n_train)


def list_rows(repetitions: int, seed: int) -> Iterator[TableRow]:
    """Return coverage, length and power of the intervals on three variances."""
    designs = product(CORRELATIONS, SIZES, (False, True), (None, 1))
    for number, (correlation, n, is_sliding, one) in enumerate(designs):
        splits = TimeSplits(n, one or n // 6, is_sliding)
        rng = np.random.default_rng([seed, number])
        x = draw_autoregressions(rng, (3, repetitions, n), correlation)
        features = np.stack([np.ones((repetitions, n)), *x[:2]], axis=2)
        y = features @ WEIGHTS + x[2]
        both, of_both = fit_and_test(features, y, splits, 3)
        one_alone, of_one = fit_and_test(features, y, splits, 2)
        name = (
            correlation,
            n,
            "sliding" if is_sliding else "expanding",
            "one at a time" if one else "five blocks",
        )
        yield ("mean loss", *name, *_judge(both, of_both, splits, of_one_model=True))
        difference, truth = both - one_alone, of_both - of_one
        yield ("difference", *name, *_judge(difference, truth, splits, of_one_model=False))


def draw_autoregressions(
    rng: np.random.Generator, shape: tuple[int, ...], coefficient: float
) -> FloatArray:
    """Return autoregressions of variance 1 along the last axis."""
    noise = rng.standard_normal(shape)
    noise[..., 1:] *= np.sqrt(1 - coefficient**2)
    return np.asarray(lfilter([1.0], [1.0, -coefficient], noise, axis=-1))


def fit_and_test(
    features: FloatArray, y: FloatArray, splits: TimeSplits, n_weights: int
) -> tuple[FloatArray, FloatArray]:
    """Return (R, m) squared errors in the order of time, and the (R,) errors on new rows."""
    losses, errors = [], []
    for start in splits.starts:
        train = slice(splits.get_oldest(start), start)
        test = slice(start, start + splits.test_size)
        x = features[:, train, :n_weights]
        products = (x.transpose(0, 2, 1) @ y[:, train, None])[..., 0]
        weights = np.linalg.solve(x.transpose(0, 2, 1) @ x, products[..., None])[..., 0]
        found = np.zeros((len(y), len(WEIGHTS)))
        found[:, :n_weights] = weights
        predicted = np.einsum("rti,ri->rt", features[:, test], found)
        losses.append((y[:, test] - predicted) ** 2)
        errors.append(1 + ((found - WEIGHTS) ** 2).sum(axis=1))
    return np.concatenate(losses, axis=1), np.mean(errors, axis=0)


def _judge(
    losses: FloatArray, truth: FloatArray, splits: TimeSplits, *, of_one_model: bool
) -> Iterator[str | float]:
    layout, means = splits.build_layout(), losses.mean(axis=1)
    targets = (np.full(len(means), means.mean()), truth)
    deviations = [float((means - target).std(ddof=1)) for target in targets]
    ideal = 2 * NORMAL * deviations[0]
    for method in METHODS:
        form = SkewnessCorrected() if of_one_model and method is METHODS[0] else StudentT()
        ends = np.array([_build(method, form, layout, values) for values in losses])
        lower, upper = ends.T
        for target in targets:
            covers = (lower <= target) & (target <= upper)
            yield format_share(float(covers.mean()), len(losses))
        yield round(float((upper - lower).mean()) / ideal, 3)
        for target, true_sd in zip(targets, deviations, strict=True):
            yield measure_power(lower - target, upper - target, true_sd)


def _build(
    method: NadeauBengioCalibrated | NeweyWest | NeweyWestSmallSample,
    form: SkewnessCorrected | StudentT,
    layout: Layout,
    values: FloatArray,
) -> tuple[float, float]:
    losses = BlockLosses(layout, values=values)
    estimate = method.estimate(losses)
    found: Interval | None = form.build(losses, method.info, estimate, LEVEL, Alternative.TWO_SIDED)
    if found is None or found.lower is None or found.upper is None:
        found = StudentT().build(losses, method.info, estimate, LEVEL, Alternative.TWO_SIDED)
    assert found is not None  # noqa: S101 - normal losses vary
    assert found.lower is not None  # noqa: S101 - it is two-sided
    assert found.upper is not None  # noqa: S101 - same
    return found.lower, found.upper
