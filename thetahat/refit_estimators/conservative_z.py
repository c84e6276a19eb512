"""Conservative variance of a subsampling estimate, from disjoint halves of the data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thetahat.cautions import FEW_HALVINGS, ZERO_VARIANCE, Caution
from thetahat.errors import InsufficientData
from thetahat.parameter_checks import check_count
from thetahat.refit_estimators._checks import INDEPENDENT_ROWS, require_rows, zero_if_rounding
from thetahat.refit_estimators.base import EstimatesVariance, RefitLosses, describe_refit
from thetahat.registry import MethodInfo
from thetahat.schemes._test_sizes import check_test_size, count_test_units
from thetahat.schemes.base import Rows, Split, Splits
from thetahat.seeds import make_random_stream
from thetahat.traits import Recommendation
from thetahat.values.types import FloatArray, IntArray, MeanKind, Target
from thetahat.variances.base import VarianceEstimate


@dataclass(frozen=True)
class HalvesDesign:
    """J random subsamples of all rows, then J of each half, for each of M random cuts in halves.

    Every test part has the same size. With an odd number of rows, each cut leaves one row out.
    """

    n_halvings: int
    n_subsamples: int
    """M and J."""
    test_size: float
    """Share of all rows, or number of rows, in each test part."""

    def n_splits(self, rows: Rows) -> int:
        """Return the number of splits, J (1 + 2 M)."""
        require_rows(rows, 4, "a subsampling of halves")
        n_test = count_test_units(self.test_size, rows.n)
        if n_test >= rows.n // 2:
            raise InsufficientData(
                f"test_size gives {n_test} test rows, which leaves no training rows in half of "
                f"{rows.n} rows. Use a smaller test_size.",
                loc=("test_size",),
                value=self.test_size,
            )
        return self.n_subsamples * (1 + 2 * self.n_halvings)

    def n_tests(self, rows: Rows) -> int:
        """Return the number of losses: the number of splits times the size of a test part."""
        return self.n_splits(rows) * count_test_units(self.test_size, rows.n)

    def splits(self, rows: Rows, seed: int, *, start: int = 0, stop: int | None = None) -> Splits:
        """Yield the subsamples of all rows, then those of each half of each cut in turn."""
        n_test = count_test_units(self.test_size, rows.n)
        drawn_part, rows_of_part = -1, np.empty(0, dtype=np.intp)
        for split in range(self.n_splits(rows))[start:stop]:
            part, draw = divmod(split, self.n_subsamples)
            if part != drawn_part:
                drawn_part, rows_of_part = part, self._get_rows(rows.n, seed, part)
            rng = make_random_stream(seed, "subsamples", part, draw)
            order = rows_of_part[rng.permutation(len(rows_of_part))]
            train, test = np.sort(order[n_test:]), np.sort(order[:n_test])
            yield Split(part, draw, draw, train=train, test=test)

    def _get_rows(self, n: int, seed: int, part: int) -> IntArray:
        """Return all rows for part 0, then the two halves of the first cut, the second, ..."""
        if part == 0:
            return np.arange(n, dtype=np.intp)
        cut, half_number = divmod(part - 1, 2)
        order = make_random_stream(seed, "halves", cut).permutation(n)
        half = n // 2
        return np.asarray(order[half_number * half : (half_number + 1) * half], dtype=np.intp)

    def means(self, fits: RefitLosses) -> tuple[float, FloatArray]:
        """Return the mean loss over the subsamples of all rows, and (M, 2) those of the halves."""
        of_split = np.array([part.mean() for part in fits.losses])
        rows_of_part = of_split.reshape(-1, self.n_subsamples).mean(axis=1)
        return float(rows_of_part[0]), rows_of_part[1:].reshape(-1, 2)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConservativeZ(EstimatesVariance):
    """Variance of a subsampling estimate, from the differences between disjoint halves of the data.

    mu_m^(1) and mu_m^(2) are the mean losses of J random subsamples of either half of the data.
    The estimate is the mean loss of J random subsamples of all data, with test parts of the same
    size. The halves share no instance, so their difference has twice the variance of one of them.

    Parameters
    ----------
    n_halvings : int
        M, the number of random cuts of the data in two halves.
    n_subsamples : int
        J, the number of subsamples of each half, and of all data.
    test_size : float
        Share of all rows in a test part, in (0, .5), or a number of rows. A half must keep some
        rows to learn from.

    Deviations: with an odd number of rows, one row, drawn at random, is left out of each cut.

    Degenerate cases: halves that always agree give 0.
    """

    n_halvings: int = 10
    n_subsamples: int = 15
    test_size: float = 0.1

    info: ClassVar[MethodInfo] = describe_refit(
        title="Conservative Z (Nadeau and Bengio)",
        summary=(
            "The variance of a subsampling estimate, from the difference between the same "
            "estimates on two halves of the data, which share no instance."
        ),
        formula=(
            r"\hat\sigma^2 = \frac{1}{2M} \sum_m \bigl(\hat\mu_m^{(1)} - \hat\mu_m^{(2)}\bigr)^2"
        ),
        references=("nadeau2003", "schulz2024"),
        assumptions=(
            "The instances are independent, and half of them are enough to train the learner."
        ),
        errs=(
            "Too large, as its name says: it is the variance on half of the data. In the "
            "largest published comparison its intervals covered in nearly all settings."
        ),
        mean=MeanKind.MACRO,
        recommended=(
            Recommendation(blocks=INDEPENDENT_ROWS, target=Target.THESE_SOURCES, normal=30),
        ),
    )

    def __post_init__(self) -> None:
        check_count("n_halvings", self.n_halvings, 1)
        check_count("n_subsamples", self.n_subsamples, 1)
        check_test_size(self.test_size)

    @property
    def design(self) -> HalvesDesign:
        """Subsamples of the data and of their halves."""
        return HalvesDesign(self.n_halvings, self.n_subsamples, self.test_size)

    def estimate(self, fits: RefitLosses) -> VarianceEstimate:
        """Estimate the error by subsampling, and the variance of that estimate."""
        mean, halves = self.design.means(fits)
        difference = halves[:, 0] - halves[:, 1]
        value = zero_if_rounding(float((difference**2).mean()) / 2, fits.losses)
        return VarianceEstimate(
            value=value,
            target=Target.THESE_SOURCES,
            mean=MeanKind.MACRO,
            estimate=mean,
            degrees_of_freedom=None,
            usable=value > 0,
            cautions=(*_check_agreement(value), *_check_halvings(self.n_halvings)),
        )


def _check_agreement(value: float) -> tuple[Caution, ...]:
    if value > 0:
        return ()
    return (
        ZERO_VARIANCE(reason="the halves always agree", consequence="No interval is built on it."),
    )


def _check_halvings(n_halvings: int) -> tuple[Caution, ...]:
    if n_halvings >= FEW_HALVINGS.threshold:
        return ()
    return (FEW_HALVINGS(n=n_halvings),)
