"""Multinomial naive Bayes on drawn documents of a large population, by compiled loops.

The words are numbered from the most common one on, so that those that are looked at most lie side
by side in memory, and no document is copied: a sample is its rows.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import numpy as np

from replications.loops import drawn_words
from replications.multiple_sources.documents import Documents, is_one, prior_odds
from thetahat.numerics.loops.compiling import compiled
from thetahat.values.types import FloatArray, IntArray

_MOST: Final = 2**32
"""Counts of a word in a sample stay below it."""
_FIRST_LOGS: Final = 1024


@dataclass(frozen=True, slots=True, eq=False)
class RankedDocuments:
    """A population whose words are numbered by how many documents have them.

    Parameters
    ----------
    indptr, indices, data : ndarray of unsigned int
        Rows of counts, compressed; the words of a row ascend.
    y : ndarray of unsigned int
        (n,) class, 0 or 1.
    lengths : ndarray of float
        (n,) words of each document.
    rarity : ndarray of float
        (V,) documents for each one that has a word, ascending.
    smoothing : float
        Laplace constant.
    logs : list of ndarray
        One array: the logs of 0, 1, 2, ... and the smoothing. It grows.
    """

    indptr: np.ndarray
    indices: np.ndarray
    data: np.ndarray
    y: np.ndarray
    lengths: FloatArray
    rarity: FloatArray
    smoothing: float
    logs: list[FloatArray] = field(default_factory=list)

    @classmethod
    def of(cls, documents: Documents, smoothing: float) -> RankedDocuments | None:
        """Rank words if counts are whole and fit in two bytes; else return None."""
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
        """V."""
        return len(self.rarity)

    def holds(self, n_drawn: int) -> bool:
        """Whether the counts of so many documents fit."""
        return n_drawn * int(self.data.max()) < _MOST

    def sample(self, rows: IntArray) -> RankedSample:
        """Count the words of the chosen rows, each as often as it is named."""
        sums = np.zeros((self.n_words, 2), dtype=np.uint32)
        loop = compiled(drawn_words.add_words)
        loop(self.indptr, self.indices, self.data, self.y, rows.view(np.uint64), sums)
        return RankedSample(self, rows, sums)

    def n_common(self, n_documents: IntArray) -> IntArray:
        """Return how many words are met once or more in so many documents, by expectation."""
        return np.searchsorted(self.rarity, n_documents, side="right")

    def logs_to(self, most: int) -> FloatArray:
        """Return the logs of whole numbers and the smoothing, up to ``most`` at least."""
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

    def errors_by_block(self, block: IntArray, n_blocks: int) -> FloatArray:
        """(n,) 0/1 loss of each document, of the classifier fitted on the other blocks."""
        told = self.documents
        order = np.argsort(block.astype(np.uint16), kind="stable")
        sizes = np.bincount(block, minlength=n_blocks)
        scores = np.empty(len(block))
        compiled(drawn_words.score_blocks)(
            told.indptr,
            told.indices,
            told.data,
            told.y,
            self.rows[order].view(np.uint64),
            np.concatenate([[0], np.cumsum(sizes)]),
            told.n_common(sizes),
            self.sums,
            told.logs_to(int(self.sums.max())),
            scores,
        )
        in_order = np.empty(len(block))
        in_order[order] = scores
        words, documents = self._by_class(block, n_blocks)
        left = words.sum(axis=0) - words, documents.sum(axis=0) - documents
        return self._errors(in_order, self.rows, left, block)

    def errors_on(self, tested: IntArray) -> FloatArray:
        """(m,) 0/1 loss on rows of the population of the classifier fitted on the sample."""
        told, none = self.documents, np.zeros(len(self.rows), dtype=np.intp)
        scores = np.empty(len(tested))
        compiled(drawn_words.score_others)(
            told.indptr,
            told.indices,
            told.data,
            tested.view(np.uint64),
            int(told.n_common(np.array([len(tested)]))[0]),
            self.sums,
            told.logs_to(int(self.sums.max())),
            scores,
        )
        learnt = self._by_class(none, 1)
        return self._errors(scores, tested, learnt, np.zeros(len(tested), dtype=np.intp))

    def _by_class(self, block: IntArray, n_blocks: int) -> tuple[FloatArray, FloatArray]:
        """(B, 2) words and documents of the sample, by block and class."""
        group, size = 2 * block + self.documents.y[self.rows], 2 * n_blocks
        words = np.bincount(group, self.documents.lengths[self.rows], size)
        documents = np.bincount(group, np.ones(len(group)), size)
        return _pairs(words), _pairs(documents)

    def _errors(
        self,
        scores: FloatArray,
        rows: IntArray,
        learnt: tuple[FloatArray, FloatArray],
        which: IntArray,
    ) -> FloatArray:
        told, (words, documents) = self.documents, learnt
        per_class = np.log(words + told.smoothing * told.n_words)
        given = told.lengths[rows] * (per_class[:, 0] - per_class[:, 1])[which]
        margin = scores + given + prior_odds(documents)[which]
        return np.asarray(is_one(margin) != told.y[rows], dtype=np.float64)


def _pairs(by_group: np.ndarray) -> FloatArray:
    return np.asarray(by_group, dtype=np.float64).reshape(-1, 2)
