"""Compiled loops over drawn documents: counts of words by class, and scores without one's block.

Plain functions over numpy arrays, as ``thetahat.numerics.loops.compiling`` takes them. Counts are
whole
numbers and indices unsigned, for which numba does not look whether they count from the end. The log
of a count is looked up, so that a score costs no logarithms.
"""

from __future__ import annotations

import numpy as np

from thetahat.values.types import FloatArray


def add_words(  # noqa: PLR0913 - the parts of a compressed matrix, and of what is counted
    indptr: np.ndarray,
    indices: np.ndarray,
    data: np.ndarray,
    classes: np.ndarray,
    rows: np.ndarray,
    sums: np.ndarray,
) -> None:
    """Add the words of some documents, each as often as it is named, to (V, 2) counts by class."""
    for i in rows:
        c = classes[i]
        for k in range(indptr[i], indptr[i + 1]):
            sums[indices[k], c] += data[k]


def score_blocks(  # noqa: C901, PLR0913 - a compiled loop calls no other; as add_words
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
    """Write the log odds that each document's words have in ``sums`` without its block.

    ``rows`` is (m,), block b from ``starts[b]`` on; ``scores`` is (m,). The log of a count n is
    ``logs[n]``. The odds of the first ``n_common[b]`` words are kept in a table while block b is
    scored, those of the others looked up where they are met: the same numbers.
    """
    n_words = len(sums)
    held = np.zeros((n_words, 2), dtype=np.uint32)
    odds = np.empty(n_words)
    for b in range(len(starts) - 1):
        block = rows[starts[b] : starts[b + 1]]
        n_stored = np.int64(0)
        for i in block:
            c = classes[i]
            n_stored += np.int64(indptr[i + 1] - indptr[i])
            for k in range(indptr[i], indptr[i + 1]):
                held[indices[k], c] += data[k]
        common = n_common[b]
        for w in range(common):
            odds[w] = logs[sums[w, 1] - held[w, 1]] - logs[sums[w, 0] - held[w, 0]]
        for at in range(starts[b], starts[b + 1]):
            i, total = rows[at], 0.0
            for k in range(indptr[i], indptr[i + 1]):
                w = indices[k]
                if w < common:
                    total += data[k] * odds[w]
                else:
                    said = logs[sums[w, 1] - held[w, 1]] - logs[sums[w, 0] - held[w, 0]]
                    total += data[k] * said
            scores[at] = total
        if n_stored > n_words:
            held[:] = 0
        else:
            for i in block:
                for k in range(indptr[i], indptr[i + 1]):
                    held[indices[k], 0] = 0
                    held[indices[k], 1] = 0


def score_others(  # noqa: PLR0913 - as add_words
    indptr: np.ndarray,
    indices: np.ndarray,
    data: np.ndarray,
    rows: np.ndarray,
    n_common: int,
    sums: np.ndarray,
    logs: FloatArray,
    scores: FloatArray,
) -> None:
    """Write the log odds that the words of other documents have in ``sums``: (m,) ``scores``."""
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
