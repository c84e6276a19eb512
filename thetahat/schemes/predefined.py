"""Folds that a column of the data names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from thetahat.errors import InsufficientData, InvalidParameter
from thetahat.registry import PARTITIONS, MethodInfo
from thetahat.schemes._partitions import get_column, yield_partition_splits
from thetahat.schemes.base import Rows, Scheme, Splits
from thetahat.tables.labels import encode_labels
from thetahat.values.types import BlockKind, IntArray, Label


@dataclass(frozen=True, slots=True, kw_only=True)
class Predefined(Scheme):
    """Each value of the fold column is the test set once.

    The source calls it data splitting by a predefined partition.

    Parameters
    ----------
    blocks : "random" or "source"
        What a fold is. Only the person who made the column knows; ``random`` is right where
        the folds were drawn at random over rows, ``source`` where a fold is a subject, a site
        or a domain.
    """

    blocks: Literal["random", "source"] = "random"

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Folds from a column",
        summary=(
            "A column of the data names the fold of each row. Each fold is the test set of a model "
            "trained on the others."
        ),
        references=("arlot2010",),
        assumptions=(
            "The folds are what blocks declares them to be, and were not chosen by looking at "
            "losses."
        ),
        errs=(
            "Folds that are sources but are declared random give variances that are too small for "
            "a new source."
        ),
        blocks=PARTITIONS,
    )
    requires: ClassVar[frozenset[str]] = frozenset({"fold"})

    def __post_init__(self) -> None:
        if self.blocks not in {"random", "source"}:
            raise InvalidParameter(
                f"blocks must be 'random' or 'source', and is {self.blocks!r}.",
                loc=("blocks",),
                value=self.blocks,
            )

    @property
    def block_kind(self) -> BlockKind:
        """The kind of its blocks: the value of ``blocks``."""
        return BlockKind(self.blocks)

    def n_splits(self, rows: Rows) -> int:
        """Return the number of folds that the column names."""
        return len(self._read_folds(rows)[1])

    def splits(self, rows: Rows, seed: int, *, start: int = 0, stop: int | None = None) -> Splits:
        """Yield one split for each fold, in order of first appearance."""
        del seed  # nothing is drawn
        codes, labels = self._read_folds(rows)
        return yield_partition_splits(lambda _repeat: codes, labels, 1, start, stop)

    def _read_folds(self, rows: Rows) -> tuple[IntArray, tuple[Label, ...]]:
        codes, labels = encode_labels(get_column(rows, "fold", self.info.name))
        if len(labels) < 2:
            raise InsufficientData(
                f"The fold column names one fold, {labels[0]!r}, and two are needed. For one "
                "test set use holdout.",
                loc=("columns", "fold"),
                value=labels[0],
            )
        if {*labels} & {-1, "-1"}:
            raise InvalidParameter(
                "The fold column has the fold -1, which scikit-learn's PredefinedSplit takes for "
                "rows that are never tested, and this scheme would test. Leave such rows out, or "
                "give the fold another number.",
                loc=("columns", "fold"),
                value=-1,
            )
        return codes, labels
