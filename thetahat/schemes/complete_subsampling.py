"""Every split of one size."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from thetahat.parameter_checks import MAX_SPLITS
from thetahat.registry import SUBSAMPLES, MethodInfo
from thetahat.schemes._combinations import count_splits, yield_all_splits
from thetahat.schemes._test_sizes import check_test_size, count_test_units
from thetahat.schemes.base import Rows, Scheme, Splits


@dataclass(frozen=True, slots=True, kw_only=True)
class CompleteSubsampling(Scheme):
    r"""All splits of one size: the limit of random subsampling with endlessly many draws.

    :math:`n_2 = \lceil \mu n - 10^{-9} \rceil` with :math:`\mu` the test size, and :math:`E_j` the
    mean loss of split j. Nothing is drawn: the seed does not matter. The source calls it complete
    cross-validation.

    Degenerate cases: with a count p it is ``leave_p_out``. More than 100000 splits are refused.

    Parameters
    ----------
    test_size : float or int
        :math:`\mu`, the share of the rows to test on, in (0, 1); or a whole number from 1 to
        n - 1, which is their count. A half is the complete cross-validation of the source.
    """

    test_size: float | int = 0.5

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Complete subsampling",
        summary=(
            "Every way to divide the rows into a training and a test part of the requested sizes, "
            "one split each: random subsampling without the variation of random draws."
        ),
        formula=r"J = \binom{n}{n_2}, \qquad E = \frac1J \sum_{j=1}^J E_j",
        references=("kohavi1995",),
        assumptions=f"Rows are exchangeable; there are at most {MAX_SPLITS} splits.",
        errs=(
            "Each model is trained on fewer rows than there are, so the error of a model trained "
            "on all rows is overestimated. Test parts overlap, so the number of splits does not "
            "show how precise the mean is."
        ),
        blocks=SUBSAMPLES,
    )

    def __post_init__(self) -> None:
        check_test_size(self.test_size)

    def n_splits(self, rows: Rows) -> int:
        """Return the number of splits, C(n, n_2)."""
        return count_splits(rows.n, count_test_units(self.test_size, rows.n), ("test_size",))

    def splits(self, rows: Rows, seed: int, *, start: int = 0, stop: int | None = None) -> Splits:
        """Yield one split for each set of test rows."""
        del seed  # nothing is drawn
        self.n_splits(rows)
        return yield_all_splits(rows.n, count_test_units(self.test_size, rows.n), start, stop)
