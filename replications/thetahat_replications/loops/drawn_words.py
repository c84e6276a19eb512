"""Compiled loops over drawn documents: word counts by class, and scores without the own block.

The functions are compiled by ``thetahat.numerics.loops.compiling``. Counts and indices are unsigned
integers, because numba checks signed indices for being negative. Logarithms of counts are looked up
in a table.
"""

from __future__ import annotations

import numpy as np

from thetahat.values.types import FloatArray


def add_words(  # noqa: PLR0913 - the parts of a sparse matrix, and the counts
    indptr: np.ndarray,
    indices: np.ndarray,
    data: np.ndarray,
    classes: np.ndarray,
    rows: np.ndarray,
    sums: np.ndarray,
) -> None:
    """Add the words of documents, each as often as it is listed, to (V, 2) counts by class."""
    for i in rows:
        c = classes[i]
        for k in range(indptr[i], indptr[i + 1]):
            sums[indices[k], c] += data[k]


def score_blocks(  # noqa: C901, PLR0913 - one compiled loop; arguments as above
    indptr: np.ndarray,
    indices: np.ndarray,
    data: np.ndarray,
    classes: np.ndarray,
    rows: np.ndarray,
    starts: np.ndarray,
    n_common: np.ndarray,
    sums: np.ndarray,
    logs: FloatArray,
    scores: FloatArray,
) -> None:
    """Write the (m,) log odds of the words of each document by ``sums`` without its own block.

    ``rows`` is (m,); block b begins at ``starts[b]``. The logarithm of a count n is ``logs[n]``.
    While block b is scored, the odds of the first ``n_common[b]`` words are kept in a table; those
    of the others are computed on demand, with the same result.
    """
    n_words = len(sums)
    block_counts = np.zeros((n_words, 2), dtype=np.uint32)
    odds = np.empty(n_words)
    for b in range(len(starts) - 1):
        block = rows[starts[b] : starts[b + 1]]
        n_stored = np.int64(0)
        for i in block:
            c = classes[i]
            n_stored += np.int64(indptr[i + 1] - indptr[i])
            for k in range(indptr[i], indptr[i + 1]):
                block_counts[indices[k], c] += data[k]
        common = n_common[b]
        for w in range(common):
            odds[w] = logs[sums[w, 1] - block_counts[w, 1]] - logs[sums[w, 0] - block_counts[w, 0]]
        for at in range(starts[b], starts[b + 1]):
            i, total = rows[at], 0.0
            for k in range(indptr[i], indptr[i + 1]):
                w = indices[k]
                if w < common:
                    total += data[k] * odds[w]
                else:
                    word_odds = (
                        logs[sums[w, 1] - block_counts[w, 1]]
                        - logs[sums[w, 0] - block_counts[w, 0]]
                    )
                    total += data[k] * word_odds
            scores[at] = total
        if n_stored > n_words:
            block_counts[:] = 0
        else:
            for i in block:
                for k in range(indptr[i], indptr[i + 1]):
                    block_counts[indices[k], 0] = 0
                    block_counts[indices[k], 1] = 0


def score_others(  # noqa: PLR0913 - arguments as above
    indptr: np.ndarray,
    indices: np.ndarray,
    data: np.ndarray,
    rows: np.ndarray,
    n_common: int,
    sums: np.ndarray,
    logs: FloatArray,
    scores: FloatArray,
) -> None:
    """Write the (m,) log odds of the words of other documents by ``sums``."""
    odds = np.empty(n_common)
    for w in range(n_common):
        odds[w] = logs[sums[w, 1]] - logs[sums[w, 0]]
    for at in range(len(rows)):
        i, total = rows[at], 0.0
        for k in range(indptr[i], indptr[i + 1]):
            w = indices[k]
            if w < n_common:
                total += data[k] * odds[w]
            else:
                total += data[k] * (logs[sums[w, 1]] - logs[sums[w, 0]])
        scores[at] = total
