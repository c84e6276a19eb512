"""Multinomial naive Bayes on samples of a large population of documents, by compiled loops.

Words are numbered by decreasing frequency, so that frequent words are adjacent in memory. No
document is copied: a sample is an array of row numbers.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import numpy as np

from thetahat.numerics.loops.compiling import compiled
from thetahat.values.types import FloatArray, IntArray
from thetahat_replications.loops import drawn_words
from thetahat_replications.multiple_sources.documents import (
    Documents,
    compute_prior_log_odds,
    is_class_one,
)

_COUNT_LIMIT: Final = 2**32
"""The counts of a word in a sample must be below this."""
_FIRST_LOGS: Final = 1024
"""Length of the table of logarithms when it is first made."""


@dataclass(frozen=True, slots=True, eq=False)
class RankedDocuments:
    """A population whose words are numbered by how many documents contain them."""

    indptr: np.ndarray
    indices: np.ndarray
    data: np.ndarray
    """The counts as a compressed sparse row matrix; the words of a row ascend."""
    y: np.ndarray
    """(n,) class, 0 or 1."""
    lengths: FloatArray
    """(n,) words of each document."""
    rarity: FloatArray
    """(V,) documents per document that contains a word, ascending."""
    smoothing: float
    """Laplace smoothing of the word counts."""
    logs: list[FloatArray] = field(default_factory=list)
    """One array with the logarithms of 0, 1, 2, ... plus the smoothing; it grows on demand."""

    @classmethod
    def rank(cls, documents: Documents, smoothing: float) -> RankedDocuments | None:
        """Return the ranked documents, or None unless counts are integers below 2^16."""
        counts = documents.counts
        short = counts.data.astype(np.uint16) if counts.data.max() < 2**16 else counts.data[:0]
        if not np.array_equal(short, counts.data):
            return None
        frequency = np.bincount(counts.indices, minlength=documents.n_words)
        order = np.argsort(-frequency, kind="stable")
        rank = np.empty(len(order), dtype=np.intp)
        rank[order] = np.arange(len(order))
        row = np.repeat(np.arange(documents.n), np.diff(counts.indptr))
        ranked = rank[counts.indices]
        sort = np.lexsort((ranked, row))
        return cls(
            counts.indptr.astype(np.uint32),
            ranked[sort].astype(np.uint32),
            short[sort],
            documents.y.astype(np.uint8),
            np.asarray(np.bincount(row, counts.data, documents.n), dtype=np.float64),
            documents.n / np.maximum(frequency[order], 0.5),
            smoothing,
        )

    @property
    def n_words(self) -> int:
        """V, the size of the vocabulary."""
        return len(self.rarity)

    def can_hold(self, n_drawn: int) -> bool:
        """Whether the counts of a sample of so many documents cannot overflow."""
        return n_drawn * int(self.data.max()) < _COUNT_LIMIT

    def sample(self, rows: IntArray) -> RankedSample:
        """Return the sample with these rows, each as often as it is listed."""
        sums = np.zeros((self.n_words, 2), dtype=np.uint32)
        loop = compiled(drawn_words.add_words)
        loop(self.indptr, self.indices, self.data, self.y, rows.view(np.uint64), sums)
        return RankedSample(self, rows, sums)

    def count_common_words(self, n_documents: IntArray) -> IntArray:
        """Return how many words are expected at least once in so many documents."""
        return np.searchsorted(self.rarity, n_documents, side="right")

    def compute_logs(self, most: int) -> FloatArray:
        """Return the logarithms of 0, 1, ... plus the smoothing, up to ``most`` or further."""
        if not self.logs or len(self.logs[0]) <= most:
            size = max(_FIRST_LOGS, 2 * (most + 1))
            self.logs[:] = [np.log(np.arange(size) + self.smoothing)]
        return self.logs[0]


@dataclass(frozen=True, slots=True, eq=False)
class RankedSample:
    """Rows drawn from ranked documents, and their (V, 2) counts of words by class."""

    documents: RankedDocuments
    rows: IntArray
    sums: np.ndarray

    def compute_errors_by_block(self, block: IntArray, n_blocks: int) -> FloatArray:
        """Return the (n,) 0/1 loss of each document by the classifier of the other blocks."""
        documents = self.documents
        order = np.argsort(block.astype(np.uint16), kind="stable")
        sizes = np.bincount(block, minlength=n_blocks)
        scores = np.empty(len(block))
        compiled(drawn_words.score_blocks)(
            documents.indptr,
            documents.indices,
            documents.data,
            documents.y,
            self.rows[order].view(np.uint64),
            np.concatenate([[0], np.cumsum(sizes)]),
            documents.count_common_words(sizes),
            self.sums,
            documents.compute_logs(int(self.sums.max())),
            scores,
        )
        in_order = np.empty(len(block))
        in_order[order] = scores
        words, counts = self._count_by_class(block, n_blocks)
        others = words.sum(axis=0) - words, counts.sum(axis=0) - counts
        return self._compute_errors(in_order, self.rows, others, block)

    def compute_errors_on(self, tested: IntArray) -> FloatArray:
        """Return the (m,) 0/1 loss of population rows by the classifier of the sample."""
        documents, one_block = self.documents, np.zeros(len(self.rows), dtype=np.intp)
        scores = np.empty(len(tested))
        compiled(drawn_words.score_others)(
            documents.indptr,
            documents.indices,
            documents.data,
            tested.view(np.uint64),
            int(documents.count_common_words(np.array([len(tested)]))[0]),
            self.sums,
            documents.compute_logs(int(self.sums.max())),
            scores,
        )
        counts = self._count_by_class(one_block, 1)
        return self._compute_errors(scores, tested, counts, np.zeros(len(tested), dtype=np.intp))

    def _count_by_class(self, block: IntArray, n_blocks: int) -> tuple[FloatArray, FloatArray]:
        """Return the (B, 2) numbers of words and of documents, by block and class."""
        group, size = 2 * block + self.documents.y[self.rows], 2 * n_blocks
        words = np.bincount(group, self.documents.lengths[self.rows], size)
        documents = np.bincount(group, np.ones(len(group)), size)
        return _pair_classes(words), _pair_classes(documents)

    def _compute_errors(
        self,
        scores: FloatArray,
        rows: IntArray,
        counts: tuple[FloatArray, FloatArray],
        block: IntArray,
    ) -> FloatArray:
        documents, (words, n_documents) = self.documents, counts
        per_class = np.log(words + documents.smoothing * documents.n_words)
        constant = documents.lengths[rows] * (per_class[:, 0] - per_class[:, 1])[block]
        margin = scores + constant + compute_prior_log_odds(n_documents)[block]
        return np.asarray(is_class_one(margin) != documents.y[rows], dtype=np.float64)


def _pair_classes(by_group: np.ndarray) -> FloatArray:
    return np.asarray(by_group, dtype=np.float64).reshape(-1, 2)
