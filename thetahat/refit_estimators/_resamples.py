"""Fits to bootstrap resamples, and the out-of-bag errors that are computed from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from thetahat.cautions import (
    FEW_OUT_OF_BAG_RESAMPLES,
    FEW_RESAMPLES,
    NEGATIVE_VARIANCE,
    NEVER_OUT_OF_BAG,
    ZERO_VARIANCE,
    Caution,
)
from thetahat.parameter_checks import check_count
from thetahat.refit_estimators._checks import require_rows, zero_if_rounding
from thetahat.refit_estimators.base import APPARENT, EstimatesVariance, RefitLosses
from thetahat.schemes._class_draws import RowsToDraw, caution_about_repeated_draws
from thetahat.schemes.base import Rows, Split, Splits
from thetahat.seeds import make_random_stream
from thetahat.values.json_values import JsonValue
from thetahat.values.types import FloatArray, IntArray, MeanKind, Target
from thetahat.variances.base import VarianceEstimate


@dataclass(frozen=True)
class ResamplesDesign:
    """One fit to all rows, and one to each of B resamples of n rows with replacement.

    Each is tested on all rows; ``counts`` shows which of them were out of the bag. A resample that
    leaves nothing out, or that has one class only while the data have more, is drawn again.
    """

    n_resamples: int
    """B."""

    def n_splits(self, rows: Rows) -> int:
        """Return B + 1, the number of fits."""
        require_rows(rows, 2, "a bootstrap")
        RowsToDraw.read(rows).check_size(3, "a bootstrap")
        return self.n_resamples + 1

    def n_tests(self, rows: Rows) -> int:
        """Return (B + 1) n, the number of losses."""
        return (self.n_resamples + 1) * rows.n

    def splits(self, rows: Rows, seed: int, *, start: int = 0, stop: int | None = None) -> Splits:
        """Yield the fit to all rows first, then those to the resamples."""
        all_rows = np.arange(rows.n, dtype=np.intp)
        numbers = range(self.n_splits(rows))[start:stop]
        to_draw = RowsToDraw.read(rows)
        bags = _list_resamples(self, to_draw, seed) if len(numbers) > self.n_resamples else None
        for split in numbers:
            if split == 0:
                yield Split(0, 0, APPARENT, train=all_rows, test=all_rows)
            else:
                copies = self.draw(to_draw, seed, split)[0] if bags is None else bags[split - 1][0]
                train = np.repeat(all_rows, copies)
                yield Split(0, split, split, train=train, test=all_rows)

    def draw(self, rows: RowsToDraw, seed: int, resample: int) -> tuple[IntArray, int]:
        """Return (n,) numbers of copies of each row in a resample, and the draws with one class.

        Resamples count from 1.
        """
        n, rng = rows.n, make_random_stream(seed, "resamples", resample)

        def draw_counts() -> IntArray:
            while True:
                counts = np.bincount(rng.integers(n, size=n), minlength=n)
                if (counts == 0).any():
                    return counts

        return rows.draw(draw_counts, lambda counts: rows.count_classes(np.flatnonzero(counts)) > 1)

    def get_counts(self, rows: Rows, seed: int) -> list[npt.NDArray[np.int32]]:
        """Return (n,) numbers of copies for each resample."""
        return [counts for counts, _ in _list_resamples(self, RowsToDraw.read(rows), seed)]

    def count_drawn_again(self, rows: Rows, seed: int) -> int:
        """Return the number of resamples that were drawn again because they had one class."""
        return sum(n for _, n in _list_resamples(self, RowsToDraw.read(rows), seed))

    def in_bag_errors(self, fits: RefitLosses) -> FloatArray:
        """Return (B,) errors of each fit on its own resample."""
        bags = zip(self.get_counts(fits.rows, fits.seed), fits.losses[1:], strict=True)
        return np.array([counts @ losses / fits.rows.n for counts, losses in bags])


@lru_cache(maxsize=1)
def _list_resamples(
    design: ResamplesDesign, rows: RowsToDraw, seed: int
) -> tuple[tuple[npt.NDArray[np.int32], int], ...]:
    """Return every resample with its number of draws; cached for all models and methods."""
    draws = (design.draw(rows, seed, b) for b in range(1, design.n_resamples + 1))
    return tuple((counts.astype(np.int32), n_again) for counts, n_again in draws)


@dataclass(frozen=True, slots=True, eq=False)
class OutOfBagErrors:
    r"""Out-of-bag errors, and the influence of each instance on them.

    .. math::
        D_i = \Bigl(2 + \frac{1}{n-1}\Bigr) \frac{\hat E_i - \hat E}{n}
        + \frac{\sum_b (N_{ib} - \bar N_i) q_b}{\sum_b I_{ib}}, \quad
        q_b = \frac1n \sum_i I_{ib} (L_{ib} - \hat E)

    with N_ib the number of copies of i in resample b, I_ib = 1 if N_ib = 0, L_ib the loss of i,
    and E_i its mean over the resamples that leave it out.

    D_i is an average over B resamples, so the sum of its squares is too large by the variance of
    that average, which is estimated from the spread over the resamples:

    .. math::
        \frac1B \sum_i V_b\Bigl[\frac{B}{\sum_b I_{ib}} \Bigl(\Bigl(2 + \frac{1}{n-1}\Bigr)
        \frac{I_{ib} (L_{ib} - \hat E_i)}{n} + (N_{ib} - \bar N_i) q_b\Bigr)\Bigr]

    Source: efron1997; efron1992 for the noise of the resamples.

    Deviations: the source's q_b has L_ib instead of L_ib - E. With infinitely many resamples
    both are the same, because N_ib does not correlate with the number of instances out of the bag;
    with few resamples this one is less noisy, and it does not change when a number is added to all
    losses.
    """

    by_instance: float
    """E, the mean of the E_i over the instances that were out of a bag at least once."""
    by_split: float
    """The mean over the resamples of their mean out-of-bag loss."""
    influence: FloatArray
    """(n,) D_i, the derivative of E in the weight of instance i, over n; 0 if i was never out."""
    noise: float
    """Amount that the noise of the resamples adds to the sum of the squared D_i."""
    n_used: int
    """Number of instances that were out of a bag at least once."""
    n_drawn_again: int
    """Number of resamples that were drawn again because they had one class."""

    def variance(self, *, without_noise: bool) -> float:
        """Return the sum of the squared D_i, times n over the number used."""
        return self.variance_of_influence(self.influence, self.noise if without_noise else 0.0)

    def variance_of_influence(self, influence: FloatArray, noise: float) -> float:
        """Return the variance of a statistic with this influence of each instance."""
        return (float(influence @ influence) - noise) * len(influence) / self.n_used


def compute_out_of_bag_errors(design: ResamplesDesign, fits: RefitLosses) -> OutOfBagErrors:
    """Return the out-of-bag errors and their influences, in two passes over the resamples."""
    n = fits.rows.n
    bags = design.get_counts(fits.rows, fits.seed)
    sums, times = np.zeros(n), np.zeros(n)
    sums_of_bags = np.empty((len(bags), 2))
    level = float(fits.losses[0].mean())  # subtracted, so that large losses lose no digits
    for sums_of_bag, counts, losses in zip(sums_of_bags, bags, fits.losses[1:], strict=True):
        out = counts == 0
        own_losses = np.where(out, losses - level, 0.0)
        sums += own_losses
        times += out
        sums_of_bag[:] = own_losses.sum(), np.count_nonzero(out)
    used = times > 0
    E_i = sums[used] / times[used]
    E = float(E_i.mean())
    q = (sums_of_bags[:, 0] - E * sums_of_bags[:, 1]) / n
    by_split = float((sums_of_bags[:, 0] / sums_of_bags[:, 1]).mean())

    weighted_counts, N_sum = np.zeros(n), np.zeros(n)
    for counts, q_b in zip(bags, q.tolist(), strict=True):
        weighted_counts += counts * q_b
        N_sum += counts
    weighted_counts -= N_sum / len(bags) * q.sum()
    influence = np.zeros(n)
    influence[used] = (2 + 1 / (n - 1)) * (E_i - E) / n + weighted_counts[used] / times[used]
    drift = np.zeros(n)
    drift[used] = weighted_counts[used] / times[used]
    error_of_rows = np.zeros(n)
    error_of_rows[used] = level + E_i
    noise = _sum_noise_variances(bags, fits.losses[1:], q, times, error_of_rows, drift)
    n_drawn_again = design.count_drawn_again(fits.rows, fits.seed)
    return OutOfBagErrors(
        level + E, level + by_split, influence, noise, int(used.sum()), n_drawn_again
    )


def _sum_noise_variances(  # noqa: PLR0913 - the six parts of D_i
    bags: Sequence[npt.NDArray[np.int32]],
    losses: Sequence[FloatArray],
    q: FloatArray,
    times: FloatArray,
    E_i: FloatArray,
    drift: FloatArray,
) -> float:
    """Return the sum over instances of the variance (ddof 1) of an average over resamples."""
    n, B = len(times), len(bags)
    scale = np.divide(B, times, out=np.zeros(n), where=times > 0)
    N_mean = sum((counts.astype(np.float64) for counts in bags), np.zeros(n)) / B
    squares = np.zeros(n)
    for counts, losses_of_fit, q_b in zip(bags, losses, q.tolist(), strict=True):
        terms = np.where(counts == 0, losses_of_fit - E_i, 0.0) * (2 + 1 / (n - 1)) / n
        squares += (scale * (terms + (counts - N_mean) * q_b) - drift) ** 2
    return float(squares.sum()) / (B - 1) / B


class ResamplesEstimate(EstimatesVariance):
    """Base class of errors that are computed from the fits to bootstrap resamples."""

    __slots__ = ()

    n_resamples: int
    correct_noise: bool
    is_own_estimate: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_count("n_resamples", self.n_resamples, 2)

    @property
    def design(self) -> ResamplesDesign:
        """Resamples of the rows."""
        return ResamplesDesign(self.n_resamples)

    def scale_variance(self, out: OutOfBagErrors, estimate: float) -> float:
        """Return the out-of-bag variance times the squared ratio of the two estimates."""
        if out.by_instance == 0:
            return 0.0
        ratio = estimate / out.by_instance
        return out.variance(without_noise=self.correct_noise) * ratio**2

    def build_estimate(  # noqa: PLR0913 - the parts of an estimate
        self,
        fits: RefitLosses,
        out: OutOfBagErrors,
        estimate: float,
        variance: float,
        details: dict[str, JsonValue],
        cautions: tuple[Caution, ...] = (),
    ) -> VarianceEstimate:
        """Return the estimate of the error; a variance that is only rounding counts as 0."""
        value = zero_if_rounding(variance, fits.losses)
        return VarianceEstimate(
            value=value,
            target=Target.THESE_SOURCES,
            mean=MeanKind.POOLED,
            estimate=estimate,
            degrees_of_freedom=None,
            usable=value > 0,
            cautions=(
                *_check_variance(value),
                *cautions,
                *_check_resamples(
                    out, self.n_resamples, fits.rows.n, without_noise=self.correct_noise
                ),
            ),
            details=details,
        )


def _check_resamples(
    out: OutOfBagErrors, n_resamples: int, n: int, *, without_noise: bool
) -> tuple[Caution, ...]:
    """Return the cautions on a standard error from few resamples, and on the draws."""
    cautions = list(caution_about_repeated_draws(out.n_drawn_again, n_resamples))
    if n_resamples < FEW_OUT_OF_BAG_RESAMPLES and not without_noise:
        cautions.append(
            FEW_RESAMPLES(
                subject="The standard error",
                n=n_resamples,
                what="resamples",
                least=FEW_OUT_OF_BAG_RESAMPLES,
            )
        )
    if out.n_used < n:
        cautions.append(NEVER_OUT_OF_BAG(n_never=n - out.n_used, n=n))
    return tuple(cautions)


def _check_variance(value: float) -> tuple[Caution, ...]:
    """Return the caution on a variance of 0, or on a negative one after subtracting noise."""
    if value > 0:
        return ()
    if value < 0:
        return (
            NEGATIVE_VARIANCE(
                subject="After the noise of resampling was subtracted, the variance",
                variance=value,
            ),
        )
    return (
        ZERO_VARIANCE(
            reason="the out-of-bag losses do not vary", consequence="No interval is built on it."
        ),
    )
