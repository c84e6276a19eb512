"""Documents of several sources as counts of words, and naive Bayes on blocks of them.

The presets of multiple sources fit a naive Bayes classifier a million times on samples of one set
of documents. Here the counts of a block are taken from those of all rows, and only the words that a
document has are looked at.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from thetahat.errors import InsufficientData, InvalidParameter
from thetahat.tables.data import Data
from thetahat.values.types import FloatArray, IntArray

if TYPE_CHECKING:
    from thetahat.tables.sparse import CsrMatrix

Model = Literal["multinomial", "bernoulli"]
MODELS: Final = ("multinomial", "bernoulli")


@dataclass(frozen=True, slots=True, eq=False)
class Documents:
    """Rows of counts with their class and what they are copies of.

    Parameters
    ----------
    counts : sparse matrix
        (n, V) counts, not negative.
    y : ndarray of int
        (n,) class, 0 or 1.
    same : ndarray of int
        (n,) code of the text: copies of one text have the same.
    """

    counts: CsrMatrix
    y: IntArray
    same: IntArray

    @property
    def n(self) -> int:
        """Number of documents."""
        return len(self.y)

    @property
    def n_words(self) -> int:
        """V."""
        return int(self.counts.shape[1])

    def rows(self, index: IntArray) -> Documents:
        """Return the chosen rows, each as often as it is named."""
        return Documents(self.counts[index], self.y[index], self.same[index])


def documents_of(data: Data, role: str) -> tuple[Documents, list[IntArray]]:
    """Return the documents of a data set, and the rows of each of its sources.

    Raises
    ------
    InvalidParameter
        A regression, more than two classes, features that are no counts.
    InsufficientData
        Fewer than three sources, or a source with one class.
    """
    loc = ("data", role)
    if data.n_classes != 2:
        raise InvalidParameter(
            f"the documents need two classes, and there are {data.n_classes}", loc=loc
        )
    if data.source is None:
        raise InvalidParameter("the documents need a source column", loc=loc)
    counts = data.features.sparse_matrix()
    if counts.nnz and counts.data.min() < 0:
        raise InvalidParameter("counts are not negative", loc=loc, value=float(counts.data.min()))
    labels, code = np.unique(data.source, return_inverse=True)
    if len(labels) < 3:
        raise InsufficientData(
            f"three sources are needed, and there are {len(labels)}", loc=loc, value=len(labels)
        )
    y = np.asarray(data.y, dtype=np.intp)
    sources = [np.flatnonzero(code == k) for k in range(len(labels))]
    for label, rows in zip(labels.tolist(), sources, strict=True):
        if len(np.unique(y[rows])) < 2:
            raise InsufficientData(f"source {label!r} has one class alone", loc=loc)
    same = np.arange(data.n) if data.cluster is None else _codes(data.cluster)
    return Documents(counts, y, same), sources


def _codes(labels: np.ndarray) -> IntArray:
    return np.asarray(np.unique(labels, return_inverse=True)[1], dtype=np.intp)


@dataclass(frozen=True, slots=True, kw_only=True)
class NaiveBayes:
    """The classifiers of ``thetahat.learners``, in the one form that these studies need."""

    model: Model = "multinomial"
    smoothing: float = 1.0

    def __post_init__(self) -> None:
        if self.model not in MODELS:
            raise InvalidParameter(
                f"model is {self.model!r}; it must be multinomial or bernoulli",
                loc=("model",),
                value=self.model,
            )
        if not self.smoothing > 0:
            raise InvalidParameter(
                f"smoothing must be above 0, got {self.smoothing}",
                loc=("smoothing",),
                value=self.smoothing,
            )

    def errors_by_block(self, drawn: Documents, block: IntArray, n_blocks: int) -> FloatArray:
        """(n,) 0/1 loss of each document, of the classifier fitted on the other blocks."""
        held = self._learnt(drawn, block, n_blocks)
        margin = self._margins(drawn, block, held.of_all(), held)
        return np.asarray(is_one(margin) != drawn.y, dtype=np.float64)

    def errors_on(self, train: Documents, test: Documents) -> FloatArray:
        """(n,) 0/1 loss on test documents of the classifier fitted on all of ``train``."""
        learnt = self._learnt(train, np.zeros(train.n, dtype=np.intp), 1)
        margin = self._margins(test, np.zeros(test.n, dtype=np.intp), learnt, None)
        return np.asarray(is_one(margin) != test.y, dtype=np.float64)

    def _learnt(self, drawn: Documents, block: IntArray, n_blocks: int) -> _Learnt:
        """Count words and documents of each class in each block."""
        group, row = block * 2 + drawn.y, _row_of_each(drawn)
        values = None if self.model == "bernoulli" else drawn.counts.data
        cells = (group * drawn.n_words)[row] + drawn.counts.indices
        size = 2 * n_blocks * drawn.n_words
        words = np.bincount(cells, weights=values, minlength=size)
        per_group = np.bincount(group[row], weights=values, minlength=2 * n_blocks)
        documents = np.bincount(group, minlength=2 * n_blocks)
        return _Learnt(
            words.reshape(n_blocks, 2, drawn.n_words).astype(np.float64, copy=False),
            per_group.reshape(n_blocks, 2).astype(np.float64, copy=False),
            documents.reshape(n_blocks, 2),
        )

    def _margins(
        self, drawn: Documents, block: IntArray, learnt: _Learnt, but: _Learnt | None
    ) -> FloatArray:
        """(n,) log odds of class 1, from what was learnt but not in the document's own block."""
        row, word, v = _row_of_each(drawn), drawn.counts.indices, drawn.n_words
        sides = [learnt.words[0, c, word] + self.smoothing for c in (0, 1)]
        if but is not None:
            cells = (block * (2 * v))[row] + word
            held = but.words.ravel()
            sides = [side - held[cells + c * v] for c, side in enumerate(sides)]
        documents = learnt.documents - (0 if but is None else but.documents)
        if self.model == "bernoulli":
            most = documents + 2 * self.smoothing
            sides = [side / (most[block[row], c] - side) for c, side in enumerate(sides)]
            present = learnt.words - (0.0 if but is None else but.words)
            absent = np.log1p(-(present + self.smoothing) / most[:, :, None]).sum(axis=2)
            said, given = np.log(sides[1] / sides[0]), (absent[:, 1] - absent[:, 0])[block]
        else:
            totals = learnt.totals - (0.0 if but is None else but.totals)
            per_class = np.log(totals + self.smoothing * v)
            said = np.log(sides[1] / sides[0]) * drawn.counts.data
            lengths = np.bincount(row, weights=drawn.counts.data, minlength=drawn.n)
            given = lengths * (per_class[:, 0] - per_class[:, 1])[block]
        told = np.bincount(row, weights=said, minlength=drawn.n)
        return np.asarray(told + given + prior_odds(documents)[block])


@dataclass(frozen=True, slots=True, eq=False)
class _Learnt:
    """(B, 2, V) counts of words, (B, 2) of all words and of documents, by block and class."""

    words: FloatArray
    totals: FloatArray
    documents: IntArray

    def of_all(self) -> _Learnt:
        """Return the sums over the blocks, with B = 1."""
        sums = [part.sum(axis=0)[None] for part in (self.words, self.totals, self.documents)]
        return _Learnt(*sums)


_ROUNDING: Final = 1e-9
"""Log odds that are this near to 0 are equal ones that were summed in some order."""


def is_one(margin: FloatArray) -> np.ndarray:
    """Whether log odds are for class 1; equal ones are for class 0."""
    return np.asarray(margin > _ROUNDING)


def prior_odds(documents: FloatArray | IntArray) -> FloatArray:
    """(B,) log odds of class 1 from (B, 2) documents by class.

    A class that was not seen loses, as its prior is 0.
    """
    zeros, ones = documents[:, 0], documents[:, 1]
    seen = (zeros > 0) & (ones > 0)
    told = np.log(np.where(seen, ones, 1) / np.where(seen, zeros, 1))
    return np.where(seen, told, np.where(ones > 0, np.inf, -np.inf))


def _row_of_each(drawn: Documents) -> IntArray:
    """(nonzeros,) row of each stored count."""
    return np.repeat(np.arange(drawn.n), np.diff(drawn.counts.indptr))
