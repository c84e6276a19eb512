"""Sums under random signs, by tables of the partial sums of four terms."""

from __future__ import annotations

from typing import Final

import numpy as np

from thetahat.kernels.compiling import compiled
from thetahat.types import FloatArray

MANY_FLIPS: Final = 10**7
"""Terms times patterns from which the tables pay for their compilation."""

_GROUP = 4
_NIBBLES = 16  # groups in a word
_NIBBLE, _SHIFT = np.uint64(15), np.uint64(4)
_BITS = np.arange(2**_GROUP)[:, None] >> np.arange(_GROUP)[None, :] & 1
_SIGNS = (1.0 - 2.0 * _BITS).T.copy()


def add_sums(terms: FloatArray, words: np.ndarray, out: FloatArray) -> None:
    """Add to ``out`` (r,) the sum of (n,) terms under each row of signs (r, n / 64 rounded up).

    Bit i of a row is set where term i changes its sign.
    """
    padded = np.zeros(64 * words.shape[1])
    padded[: len(terms)] = terms
    tables = (padded.reshape(-1, _GROUP) @ _SIGNS).ravel()
    compiled(look_up)(tables, words, out)


def look_up(tables: FloatArray, words: np.ndarray, out: FloatArray) -> None:
    """Add the partial sum that each four bits of a row pick, four sums side by side."""
    for b in range(words.shape[0]):
        s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
        place = 0
        for w in range(words.shape[1]):
            word = words[b, w]
            for _ in range(_NIBBLES // 4):
                s0 += tables[place + np.intp(word & _NIBBLE)]
                word >>= _SHIFT
                s1 += tables[place + 16 + np.intp(word & _NIBBLE)]
                word >>= _SHIFT
                s2 += tables[place + 32 + np.intp(word & _NIBBLE)]
                word >>= _SHIFT
                s3 += tables[place + 48 + np.intp(word & _NIBBLE)]
                word >>= _SHIFT
                place += 64
        out[b] += (s0 + s1) + (s2 + s3)
