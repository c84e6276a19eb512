"""Documents of several sources as word counts, and naive Bayes cross-validation on them.

The presets on multiple sources fit a naive Bayes classifier a million times on samples of one set
of documents. The counts of all rows are therefore summed once, those of a block are subtracted, and
a document is scored with the words that it contains only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from thetahat.errors import InsufficientData, InvalidParameter
from thetahat.tables.data import Data
from thetahat.values.types import FloatArray, IntArray

if TYPE_CHECKING:
    from thetahat.tables.sparse import CsrMatrix


@dataclass(frozen=True, slots=True, eq=False)
class Documents:
    """Word counts of documents, with the class and the text of each."""

    counts: CsrMatrix
    """(n, V) counts, 0 or more."""
    y: IntArray
    """(n,) class, 0 or 1."""
    text: IntArray
    """(n,) code of the text; copies of one text have the same code."""

    @property
    def n(self) -> int:
        """Number of documents."""
        return len(self.y)

    @property
    def n_words(self) -> int:
        """V, the size of the vocabulary."""
        return int(self.counts.shape[1])

    def rows(self, index: IntArray) -> Documents:
        """Return the rows at these positions, each as often as it is listed."""
        return Documents(self.counts[index], self.y[index], self.text[index])


def read_documents(data: Data, role: str) -> tuple[Documents, list[IntArray]]:
    """Return the documents of a data set, and the rows of each of its sources.

    Raises
    ------
    InvalidParameter
        The target does not have two classes, there is no source column, or a feature is not a
        count.
    InsufficientData
        There are fewer than three sources, or a source has documents of one class only.
    """
    loc = ("data", role)
    if data.n_classes != 2:
        raise InvalidParameter(
            f"The target has {data.n_classes} classes; this preset needs two.", loc=loc
        )
    if data.source is None:
        raise InvalidParameter(
            "This preset needs the source of every document. Name the source column.", loc=loc
        )
    counts = data.features.sparse_matrix()
    if counts.nnz and counts.data.min() < 0:
        least = float(counts.data.min())
        raise InvalidParameter(
            f"The features must be word counts of 0 or more; the smallest is {least:g}.",
            loc=loc,
            value=least,
        )
    labels, code = np.unique(data.source, return_inverse=True)
    if len(labels) < 3:
        raise InsufficientData(
            f"The data set has {len(labels)} sources; this preset needs at least three.",
            loc=loc,
            value=len(labels),
        )
    y = np.asarray(data.y, dtype=np.intp)
    sources = [np.flatnonzero(code == k) for k in range(len(labels))]
    for label, rows in zip(labels.tolist(), sources, strict=True):
        if len(np.unique(y[rows])) < 2:
            raise InsufficientData(
                f"The source {label!r} has documents of one class only; each source needs both.",
                loc=loc,
            )
    text = np.arange(data.n) if data.cluster is None else _encode_labels(data.cluster)
    return Documents(counts, y, text), sources


def _encode_labels(labels: np.ndarray) -> IntArray:
    return np.asarray(np.unique(labels, return_inverse=True)[1], dtype=np.intp)


@dataclass(frozen=True, slots=True, kw_only=True)
class NaiveBayes:
    """The naive Bayes classifiers of ``thetahat.learners`` for cross-validation over blocks."""

    is_bernoulli: bool = False
    """Whether it counts the documents with a word, and not the words."""
    smoothing: float = 1.0

    def __post_init__(self) -> None:
        if not self.smoothing > 0:
            raise InvalidParameter(
                f"smoothing must be above 0, got {self.smoothing}.",
                loc=("smoothing",),
                value=self.smoothing,
            )

    def compute_errors_by_block(
        self, drawn: Documents, block: IntArray, n_blocks: int
    ) -> FloatArray:
        """Return the (n,) 0/1 loss of each document by the classifier of the other blocks."""
        counts = self._count(drawn, block, n_blocks)
        margin = self._compute_log_odds(drawn, block, counts.sum_blocks(), counts)
        return np.asarray(is_class_one(margin) != drawn.y, dtype=np.float64)

    def compute_errors_on(self, train: Documents, test: Documents) -> FloatArray:
        """Return the (n,) 0/1 loss of test documents by the classifier fitted on ``train``."""
        counts = self._count(train, np.zeros(train.n, dtype=np.intp), 1)
        margin = self._compute_log_odds(test, np.zeros(test.n, dtype=np.intp), counts, None)
        return np.asarray(is_class_one(margin) != test.y, dtype=np.float64)

    def _count(self, drawn: Documents, block: IntArray, n_blocks: int) -> _ClassCounts:
        """Count words and documents of each class in each block."""
        group, row = block * 2 + drawn.y, _list_rows_of_counts(drawn)
        values = None if self.is_bernoulli else drawn.counts.data
        cells = (group * drawn.n_words)[row] + drawn.counts.indices
        size = 2 * n_blocks * drawn.n_words
        words = np.bincount(cells, weights=values, minlength=size)
        per_group = np.bincount(group[row], weights=values, minlength=2 * n_blocks)
        documents = np.bincount(group, minlength=2 * n_blocks)
        return _ClassCounts(
            words.reshape(n_blocks, 2, drawn.n_words).astype(np.float64, copy=False),
            per_group.reshape(n_blocks, 2).astype(np.float64, copy=False),
            documents.reshape(n_blocks, 2),
        )

    def _compute_log_odds(
        self,
        drawn: Documents,
        block: IntArray,
        counts: _ClassCounts,
        excluded: _ClassCounts | None,
    ) -> FloatArray:
        """Return the (n,) log odds of class 1, without the counts of each document's own block."""
        row, word, v = _list_rows_of_counts(drawn), drawn.counts.indices, drawn.n_words
        sides = [counts.words[0, c, word] + self.smoothing for c in (0, 1)]
        if excluded is not None:
            cells = (block * (2 * v))[row] + word
            excluded_words = excluded.words.ravel()
            sides = [side - excluded_words[cells + c * v] for c, side in enumerate(sides)]
        documents = counts.documents - (0 if excluded is None else excluded.documents)
        if self.is_bernoulli:
            most = documents + 2 * self.smoothing
            sides = [side / (most[block[row], c] - side) for c, side in enumerate(sides)]
            present = counts.words - (0.0 if excluded is None else excluded.words)
            absent = np.log1p(-(present + self.smoothing) / most[:, :, None]).sum(axis=2)
            word_odds = np.log(sides[1] / sides[0])
            constant = (absent[:, 1] - absent[:, 0])[block]
        else:
            totals = counts.totals - (0.0 if excluded is None else excluded.totals)
            per_class = np.log(totals + self.smoothing * v)
            word_odds = np.log(sides[1] / sides[0]) * drawn.counts.data
            lengths = np.bincount(row, weights=drawn.counts.data, minlength=drawn.n)
            constant = lengths * (per_class[:, 0] - per_class[:, 1])[block]
        of_words = np.bincount(row, weights=word_odds, minlength=drawn.n)
        return np.asarray(of_words + constant + compute_prior_log_odds(documents)[block])


@dataclass(frozen=True, slots=True, eq=False)
class _ClassCounts:
    """Counts by block and class: (B, 2, V) of each word, (B, 2) of all words and of documents."""

    words: FloatArray
    totals: FloatArray
    documents: IntArray

    def sum_blocks(self) -> _ClassCounts:
        """Return the sums over the blocks, with B = 1."""
        sums = [part.sum(axis=0)[None] for part in (self.words, self.totals, self.documents)]
        return _ClassCounts(*sums)


_ROUNDING: Final = 1e-9
"""Log odds this near to 0 are taken as 0: they differ from it by the order of summation."""


def is_class_one(margin: FloatArray) -> np.ndarray:
    """Return whether log odds favour class 1; odds of one are class 0."""
    return np.asarray(margin > _ROUNDING)


def compute_prior_log_odds(documents: FloatArray | IntArray) -> FloatArray:
    """Return the (B,) prior log odds of class 1 from the (B, 2) documents by class.

    A class without documents has the prior 0 and is never predicted.
    """
    of_class_0, of_class_1 = documents[:, 0], documents[:, 1]
    seen = (of_class_0 > 0) & (of_class_1 > 0)
    odds = np.log(np.where(seen, of_class_1, 1) / np.where(seen, of_class_0, 1))
    return np.where(seen, odds, np.where(of_class_1 > 0, np.inf, -np.inf))


def _list_rows_of_counts(drawn: Documents) -> IntArray:
    """Return the (nonzeros,) row of each stored count."""
    return np.repeat(np.arange(drawn.n), np.diff(drawn.counts.indptr))
