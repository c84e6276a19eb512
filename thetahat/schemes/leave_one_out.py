"""Leave-one-out cross-validation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from thetahat.registry import FOLDS, MethodInfo
from thetahat.schemes._partitions import check_two_rows
from thetahat.schemes.base import LeaveOneOutSplits, Rows, Scheme, Splits


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaveOneOut(Scheme):
    """Each row is the test set once, of a model trained on all the others.

    Blocks are named by their row number. Nothing is drawn: the seed does not matter.

    Degenerate cases: with one instance per block there is no variance within blocks, so the
    variances that need it (theta_4, theta_5 and others) do not apply.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Leave-one-out cross-validation",
        summary=(
            "As many splits as rows: each model is trained on all rows but one and tested on that "
            "row."
        ),
        references=("stone1974",),
        assumptions="Rows are exchangeable.",
        errs=(
            "Nearly unbiased for the error of a model trained on n rows. But the training parts "
            "are almost the same, so for unstable learners the estimate varies much from sample "
            "to sample."
        ),
        blocks=FOLDS,
    )

    def n_splits(self, rows: Rows) -> int:
        """Return the number of rows."""
        check_two_rows(rows.n)
        return rows.n

    def splits(self, rows: Rows, seed: int, *, start: int = 0, stop: int | None = None) -> Splits:
        """Yield one split for each row; only one split is in memory at a time."""
        del seed  # nothing is drawn
        n = self.n_splits(rows)
        return LeaveOneOutSplits(n, start, n if stop is None else min(stop, n))
