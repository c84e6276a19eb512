"""K-fold cross-validation over whole sources, with the classes spread evenly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thetahat.errors import InsufficientData
from thetahat.registry import SOURCES, MethodInfo
from thetahat.schemes._partitions import check_enough, get_column
from thetahat.schemes._strata import get_class_codes, get_class_label
from thetahat.schemes.base import Rows
from thetahat.schemes.source_k_fold import SourceKFold
from thetahat.tables.labels import encode_labels
from thetahat.values.types import FloatArray, IntArray


@dataclass(frozen=True, slots=True, kw_only=True)
class StratifiedSourceKFold(SourceKFold):
    """K folds of whole sources, each with about the class shares of the whole.

    :math:`n_{cf}` in the formula is the number of rows of class c in fold f. The sum is kept small
    by a greedy rule: the source with the most uneven classes comes first, and each goes to the fold
    where it adds least to the sum; equal sources come in an order drawn from the seed. A block is a
    set of sources, named ``fold 0``, ...

    Deviations: the greedy rule is of the kind of scikit-learn's ``StratifiedGroupKFold``, with this
    sum in the place of its standard deviations.

    Degenerate cases: a fold that would lack a class is refused, as where a source with one class
    would be a fold by itself.

    Parameters
    ----------
    n_folds : int
        K, between 2 and the number of sources.
    """

    n_folds: int = 5

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Stratified K-fold cross-validation over sources",
        summary=(
            "Whole sources are put together into K folds so that each fold has about the class "
            "shares of the whole. No source is in both parts of a split."
        ),
        formula=(
            r"\min \sum_c \sum_f \Bigl(\frac{n_{cf}}{n_c} - \frac1K\Bigr)^2"
            r" \text{ for } n_{cf} \text{ rows of class } c \text{ in fold } f"
        ),
        references=("kohavi1995", "roberts2017"),
        assumptions="The sources are a sample of the sources to come.",
        errs=(
            "The same as source_k_fold. Folds are more alike than random sets of sources, so the "
            "spread between folds is too small for a new source."
        ),
        blocks=SOURCES,
    )
    requires: ClassVar[frozenset[str]] = frozenset({"source", "y"})

    def n_splits(self, rows: Rows) -> int:
        """Return K; raise if a class cannot be in every fold."""
        self._read_shares(rows)
        return self.n_folds

    def assign_folds(self, rows: Rows, rng: np.random.Generator) -> IntArray:
        """Return the (n,) fold of each row."""
        source, shares = self._read_shares(rows)
        of_source = _assign_balanced_folds(shares, self.n_folds, rng)
        self._check_folds(rows, shares, of_source)
        return of_source[source]

    def _read_shares(self, rows: Rows) -> tuple[IntArray, FloatArray]:
        """Return the source of each row, and (sources, classes) shares of each class."""
        source, labels = encode_labels(get_column(rows, "source", self.info.name))
        code = get_class_codes(rows, self.info.name, SourceKFold.info.name)
        check_enough(len(labels), self.n_folds, "sources")
        counts = np.zeros((len(labels), int(code.max()) + 1))
        np.add.at(counts, (source, code), 1)
        in_sources = np.count_nonzero(counts, axis=0)
        scarce = (in_sources > 0) & (in_sources < self.n_folds)
        if scarce.any():
            at = int(np.argmax(scarce))
            raise InsufficientData(
                f"Class {get_class_label(rows, at)!r} is in {in_sources[at]} of {len(labels)} "
                f"sources, fewer than {self.n_folds} folds. Use fewer folds or source_k_fold.",
                loc=("n_folds",),
                value=self.n_folds,
            )
        return source, counts[:, in_sources > 0] / counts.sum(axis=0)[in_sources > 0]

    def _check_folds(self, rows: Rows, shares: FloatArray, of_source: IntArray) -> None:
        """Refuse folds of which one lacks a class."""
        fold_shares = np.zeros((self.n_folds, shares.shape[1]))
        np.add.at(fold_shares, of_source, shares)
        if fold_shares.all():
            return
        fold, column = (int(i) for i in np.argwhere(fold_shares == 0)[0])
        present = np.unique(np.asarray(rows.y))
        labels = encode_labels(get_column(rows, "source", self.info.name))[1]
        named = ", ".join(repr(labels[s]) for s in np.flatnonzero(of_source == fold)[:5])
        raise InsufficientData(
            f"fold {fold} (source {named}) would have no row of class "
            f"{get_class_label(rows, int(present[column]))!r}. Use fewer folds or source_k_fold.",
            loc=("n_folds",),
            value=self.n_folds,
        )


def _assign_balanced_folds(shares: FloatArray, n_folds: int, rng: np.random.Generator) -> IntArray:
    """Return the (sources,) fold of each source; ``shares`` is (sources, classes)."""
    shuffled = rng.permutation(len(shares))
    weight = (shares**2).sum(axis=1)
    of_source = np.empty(len(shares), dtype=np.intp)
    fold_shares = np.zeros((n_folds, shares.shape[1]))
    sizes = np.zeros(n_folds)
    for source in shuffled[np.argsort(-weight[shuffled], kind="stable")]:
        # the increase of the sum of squares, up to a constant
        added = 2 * fold_shares @ shares[source]
        lowest = added <= added.min() + 1e-12
        fold = int(np.argmin(np.where(lowest, sizes, np.inf)))
        of_source[source] = fold
        fold_shares[fold] += shares[source]
        sizes[fold] += shares[source].sum()
    return of_source
