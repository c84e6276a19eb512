"""Five repeats of two folds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from thetahat.registry import FOLDS, MethodInfo
from thetahat.schemes._partitions import check_enough, deal_to_folds, yield_partition_splits
from thetahat.schemes._strata import deal_to_folds_by_class, get_stratifiable_codes
from thetahat.schemes.base import Rows, Split
from thetahat.seeds import make_random_stream
from thetahat.values.types import BlockKind, IntArray

_FOLDS, _REPEATS = 2, 5


@dataclass(frozen=True, slots=True, kw_only=True)
class FiveByTwo:
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
        name="five_by_two",
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

    @property
    def block_kind(self) -> BlockKind:
        """The kind of its blocks: random folds."""
        return BlockKind.RANDOM

    def n_splits(self, rows: Rows) -> int:
        """Return 10; raise for one row, and with ``stratified`` for a class of one row."""
        self._check(rows)
        return _FOLDS * _REPEATS

    def splits(
        self, rows: Rows, seed: int, *, start: int = 0, stop: int | None = None
    ) -> Iterator[Split]:
        """Yield one split for each half, repeat by repeat."""
        codes = self._check(rows)

        def partition(repeat: int) -> IntArray:
            rng = make_random_stream(seed, "folds", repeat)
            if codes is not None:
                return deal_to_folds_by_class(codes, _FOLDS, rng)
            return deal_to_folds(rng.permutation(rows.n), _FOLDS)

        return yield_partition_splits(partition, range(_FOLDS), _REPEATS, start, stop)

    def _check(self, rows: Rows) -> IntArray | None:
        if self.stratified:
            instead = "five_by_two with stratified false"
            return get_stratifiable_codes(rows, _FOLDS, self.info.name, instead, field="stratified")
        check_enough(rows.n, _FOLDS)
        return None


METHOD = FiveByTwo
