"""Five repeats of two folds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from thetahat.registry import FOLDS, MethodInfo
from thetahat.schemes._partitions import check_enough
from thetahat.schemes._strata import get_stratifiable_codes, yield_random_folds
from thetahat.schemes.base import Rows, Scheme, Splits
from thetahat.values.types import IntArray

_FOLDS, _REPEATS = 2, 5


@dataclass(frozen=True, slots=True, kw_only=True)
class FiveByTwo(Scheme):
    """Five independent random halvings; each half is trained on once and tested on once.

    ``dietterich_5x2``, ``five_by_two_t`` and ``five_by_two_f`` need it.

    Deviations: with an odd number of rows the first half has one more. With ``stratified`` a class
    of one row is refused.

    Degenerate cases: with two rows every model is trained on one.

    Parameters
    ----------
    stratified : bool
        Whether the two halves of a repeat have every class alike, to within one row.
    """

    stratified: bool = False

    n_folds: ClassVar[int] = _FOLDS
    n_repeats: ClassVar[int] = _REPEATS
    info: ClassVar[MethodInfo] = MethodInfo(
        title="Five repeats of two folds (Dietterich)",
        summary=(
            "Five random halvings of the rows; each half is used once for training and once for "
            "testing. The 5x2 tests and the 5x2 variance need it."
        ),
        references=("dietterich1998",),
        assumptions="Rows are exchangeable, as for k_fold.",
        errs=(
            "The error is overestimated, because models are trained on half of the rows. The five "
            "repeats share all rows, so they add no new data."
        ),
        blocks=FOLDS,
    )

    @property
    def requires(self) -> frozenset[str]:
        """The target, where its classes are spread."""
        return frozenset({"y"}) if self.stratified else frozenset()

    def n_splits(self, rows: Rows) -> int:
        """Return 10; raise for one row, and with ``stratified`` for a class of one row."""
        self._check(rows)
        return _FOLDS * _REPEATS

    def splits(self, rows: Rows, seed: int, *, start: int = 0, stop: int | None = None) -> Splits:
        """Yield one split for each half, repeat by repeat."""
        codes = self._check(rows)
        return yield_random_folds(rows, codes, _FOLDS, _REPEATS, seed, start, stop)

    def _check(self, rows: Rows) -> IntArray | None:
        if self.stratified:
            instead = "five_by_two with stratified false"
            return get_stratifiable_codes(rows, _FOLDS, self.info.name, instead, field="stratified")
        check_enough(rows.n, _FOLDS)
        return None
