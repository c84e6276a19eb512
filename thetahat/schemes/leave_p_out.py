"""Leave-p-out cross-validation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from thetahat.errors import InsufficientData
from thetahat.parameter_checks import MAX_ROWS, MAX_SPLITS
from thetahat.registry import SUBSAMPLES, MethodInfo
from thetahat.schemes._combinations import count_splits, yield_all_splits
from thetahat.schemes._partitions import check_number, check_two_rows
from thetahat.schemes.base import Rows, Scheme, Splits


@dataclass(frozen=True, slots=True, kw_only=True)
class LeavePOut(Scheme):
    """Every set of p rows is the test set once, of a model trained on all the others.

    Nothing is drawn: the seed does not matter. The splits are numbered in lexicographic order of
    their test rows (of their training rows, where these are fewer).

    Degenerate cases: p = 1 is leave-one-out, but as splits that may overlap, with the corrected
    variance. More than 100000 splits are refused.

    Parameters
    ----------
    p : int
        Test rows in a split, from 1 to n - 1.
    """

    p: int = 2

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Leave-p-out cross-validation",
        summary=(
            "As many splits as there are sets of p rows: each model is tested on its set and "
            "trained on all other rows. The mean does not depend on a random split."
        ),
        formula=r"J = \binom{n}{p}, \qquad E = \frac1J \sum_{j=1}^J E_j",
        references=("arlot2010",),
        assumptions=f"Rows are exchangeable; there are at most {MAX_SPLITS} splits.",
        errs=(
            "Unbiased for the error of a model of n - p rows, so it overestimates the error of a "
            "model of all rows. Test parts overlap, so the number of splits does not show how "
            "precise the mean is."
        ),
        blocks=SUBSAMPLES,
    )

    def __post_init__(self) -> None:
        check_number("p", self.p, 1, MAX_ROWS)

    def n_splits(self, rows: Rows) -> int:
        """Return the number of splits, C(n, p)."""
        check_two_rows(rows.n)
        if self.p > rows.n - 1:
            raise InsufficientData(
                f"p = {self.p} leaves no row of {rows.n} to learn from.", loc=("p",), value=self.p
            )
        return count_splits(rows.n, self.p, ("p",))

    def splits(self, rows: Rows, seed: int, *, start: int = 0, stop: int | None = None) -> Splits:
        """Yield one split for each set of p test rows."""
        del seed  # nothing is drawn
        self.n_splits(rows)
        return yield_all_splits(rows.n, self.p, start, stop)
