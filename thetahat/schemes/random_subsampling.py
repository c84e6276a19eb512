"""Many random test sets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from thetahat.registry import SUBSAMPLES, MethodInfo
from thetahat.schemes._test_sizes import check_count, check_test_size, count_test_units, draw_split
from thetahat.schemes.base import Rows, Scheme, Splits


@dataclass(frozen=True, slots=True, kw_only=True)
class RandomSubsampling(Scheme):
    r"""J splits, each drawn at random and independently of the others.

    :math:`\mu` in the formula is the test size, and :math:`E_j` the mean loss of split j;
    :math:`n_2` is kept between 1 and n - 1. nadeau2003 has 15 splits with a tenth for testing;
    arlot2010 calls it Monte Carlo cross-validation.

    Degenerate cases: with few splits some rows are never tested, and do not enter the mean.

    Parameters
    ----------
    n_draws : int
        J, at least 2. The first split is that of ``holdout`` with the same seed and size; with a
        larger J the first splits stay the same.
    test_size : float or int
        :math:`\mu`, the share of the rows to test on, in (0, 1); or a whole number from 1 to
        n - 1, which is their count. The default is the share at which the corrected resampled
        variance covered well in the largest published comparison.
    """

    n_draws: int = 15
    test_size: float | int = 0.1

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Random subsampling",
        summary=(
            "Many splits drawn independently of each other. Each model is tested on the rows that "
            "its split leaves out, and the estimate is the mean over the splits."
        ),
        formula=(
            r"n_2 = \lceil \mu n - 10^{-9} \rceil \text{ test rows for the share } \mu,"
            r" \qquad E = \frac1J \sum_{j=1}^J E_j"
        ),
        references=("arlot2010", "nadeau2003"),
        assumptions="Rows are exchangeable.",
        errs=(
            "Each model is trained on fewer rows than there are, so the error of a model trained "
            "on all rows is overestimated. Test parts overlap: more splits reduce the variation "
            "due to splitting, not that due to the sample, and add no new data."
        ),
        blocks=SUBSAMPLES,
    )

    def __post_init__(self) -> None:
        check_count("n_draws", self.n_draws)
        check_test_size(self.test_size)

    def n_splits(self, rows: Rows) -> int:
        """Return J, the number of splits."""
        count_test_units(self.test_size, rows.n)
        return self.n_draws

    def splits(self, rows: Rows, seed: int, *, start: int = 0, stop: int | None = None) -> Splits:
        """Yield the splits; each is drawn from its own random stream."""
        n_test = count_test_units(self.test_size, rows.n)
        wanted = range(self.n_draws)[start:stop]
        return (draw_split(rows.n, n_test, seed, draw) for draw in wanted)
