"""Forward chaining: learn from the past, test on what came next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thetahat.cautions import ORDER_OF_TIME, Caution
from thetahat.errors import InsufficientData
from thetahat.parameter_checks import MAX_ROWS
from thetahat.registry import SUBSAMPLES, MethodInfo
from thetahat.schemes._partitions import check_number, check_two_rows, get_column
from thetahat.schemes.base import Rows, Scheme, Split, Splits
from thetahat.values.types import IntArray


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeSeries(Scheme):
    """K blocks in order of time; each is the test set of a model trained on earlier rows only.

    The last K m rows in order of time are divided into K blocks of m rows; the rows before the
    first block are never tested. A model is trained on all rows strictly before the first instant
    of its block, without the last ``gap`` of them. tashman2000 calls it rolling-origin evaluation;
    blocked forms and gaps are from bergmeir2012.

    Deviations: rows of the same instant as the first test row are not used for training. Where all
    instants differ the blocks are those of scikit-learn's ``TimeSeriesSplit``.

    Degenerate cases: a block before which there are no rows to train on is refused.

    Parameters
    ----------
    n_folds : int
        K, at least 2.
    test_size : int or None
        m, the number of test rows of each fold.
    gap : int
        Rows left out between training and test part, at least 0: as many as it takes for what
        the target of the last training rows looks ahead.
    max_train_size : int or None
        Most rows to learn from, the latest ones; None for all. A window of fixed length.
    """

    n_folds: int = 5
    test_size: int | None = None
    gap: int = 0
    max_train_size: int | None = None

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Forward chaining",
        summary=(
            "Blocks in order of time. Each is the test set of a model trained on earlier rows "
            "only, as it would be in use."
        ),
        formula=r"m = \lfloor n / (K + 1) \rfloor \text{ rows in each block}",
        references=("bergmeir2012", "tashman2000"),
        assumptions="The time column orders the rows, and the future is like the past.",
        errs=(
            "The first models are trained on few rows, so the error is overestimated. Rows that "
            "follow each other depend on each other; only intervals for the trained models allow "
            "for that, and they are too short where the dependence is strong."
        ),
        blocks=SUBSAMPLES,
    )
    requires: ClassVar[frozenset[str]] = frozenset({"time"})
    cautions: ClassVar[tuple[Caution, ...]] = (ORDER_OF_TIME(),)

    def __post_init__(self) -> None:
        check_number("n_folds", self.n_folds, 2)
        for name, least in (("test_size", 1), ("gap", 0), ("max_train_size", 1)):
            value = getattr(self, name)
            if value is not None:
                check_number(name, value, least, MAX_ROWS)

    def n_splits(self, rows: Rows) -> int:
        """Return K; raise if a block has no earlier rows."""
        self._find_edges(rows)
        return self.n_folds

    def splits(self, rows: Rows, seed: int, *, start: int = 0, stop: int | None = None) -> Splits:
        """Yield one pair per block, in order of time."""
        del seed  # nothing is drawn
        order, edges = self._find_edges(rows)
        return (self._split(order, *edges[k], k) for k in range(self.n_folds)[start:stop])

    def _find_edges(self, rows: Rows) -> tuple[IntArray, list[tuple[int, int, int]]]:
        """Return rows in order of time and (end of training, start, end of test) of each block."""
        time = get_column(rows, "time", self.info.name)
        check_two_rows(rows.n)
        order = np.argsort(time, kind="stable").astype(np.intp, copy=False)
        size = self.test_size or rows.n // (self.n_folds + 1)
        first = rows.n - self.n_folds * size
        if size == 0 or first < 1:
            loc = "n_folds" if self.test_size is None else "test_size"
            raise InsufficientData(
                f"{self.n_folds} blocks in order of time and rows before them need more than "
                f"{rows.n} rows.",
                loc=(loc,),
                value=getattr(self, loc),
            )
        in_order = time[order]
        edges = []
        for k in range(self.n_folds):
            start = first + k * size
            before = int(np.searchsorted(in_order, in_order[start], side="left")) - self.gap
            if before < 1:
                raise InsufficientData(
                    f"Block {k} starts at {in_order[start]}, and with a gap of {self.gap} no row "
                    "before that is left to learn from.",
                    loc=("gap",) if self.gap else ("columns", "time"),
                    value=self.gap or str(in_order[start]),
                )
            edges.append((before, start, start + size))
        return order, edges

    def _split(self, order: IntArray, before: int, start: int, end: int, k: int) -> Split:
        oldest = 0 if self.max_train_size is None else max(0, before - self.max_train_size)
        return Split(0, k, k, np.sort(order[oldest:before]), np.sort(order[start:end]))
