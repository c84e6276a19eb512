"""Sums of terms with random signs, from tables of partial sums of eight terms."""

from __future__ import annotations

from typing import Final

import numpy as np

from thetahat.numerics.loops.compiling import compiled
from thetahat.numerics.loops.hashes import HASHES_PER_BATCH, UInt64Array, fill_hashes
from thetahat.values.types import FloatArray

WORD: Final = 64  # terms whose signs are one number

_GROUP = 8
_TABLE = 2**_GROUP
_WORDS_OF_TABLES = 32  # 512 KB of tables are made at once, of which 16 KB are in use at a time
_BYTE = np.uint64(255)
_BITS = np.arange(_TABLE)[:, None] >> np.arange(_GROUP)[None, :] & 1
_SIGNS = (1.0 - 2.0 * _BITS).T.copy()


def add_sums(terms: FloatArray, keys: UInt64Array, out: FloatArray) -> None:
    """Add to ``out`` (B,) the sums of (n,) terms with random signs, one key per 64 terms."""
    padded = np.zeros(WORD * len(keys))
    padded[: len(terms)] = terms
    groups = padded.reshape(-1, WORD // _GROUP, _GROUP)
    for first in range(0, len(keys), _WORDS_OF_TABLES):
        some = slice(first, first + _WORDS_OF_TABLES)
        tables = (groups[some] @ _SIGNS).reshape(-1, WORD // _GROUP * _TABLE)
        compiled(look_up)(tables, keys[some], out)


def look_up(tables: FloatArray, keys: UInt64Array, out: FloatArray) -> None:
    """Add the partial sums selected by the eight bytes of each hash.

    So the tables in use, those of 64 terms, stay in the fastest cache. Hash b of a key is
    splitmix64's; hashes are made some at a time, which compiles to vector instructions.
    """
    hashes = np.empty(HASHES_PER_BATCH, dtype=np.uint64)
    for w in range(len(keys)):
        table, key = tables[w], keys[w]
        for done in range(0, len(out), HASHES_PER_BATCH):
            n_now = min(HASHES_PER_BATCH, len(out) - done)
            fill_hashes(key, done, hashes, n_now)
            sums = out[done : done + n_now]
            for p in range(n_now):
                x = hashes[p]
                s0 = table[np.intp(x & _BYTE)]
                s1 = table[256 + np.intp((x >> np.uint64(8)) & _BYTE)]
                s2 = table[512 + np.intp((x >> np.uint64(16)) & _BYTE)]
                s3 = table[768 + np.intp((x >> np.uint64(24)) & _BYTE)]
                s4 = table[1024 + np.intp((x >> np.uint64(32)) & _BYTE)]
                s5 = table[1280 + np.intp((x >> np.uint64(40)) & _BYTE)]
                s6 = table[1536 + np.intp((x >> np.uint64(48)) & _BYTE)]
                s7 = table[1792 + np.intp(x >> np.uint64(56))]
                sums[p] += ((s0 + s1) + (s2 + s3)) + ((s4 + s5) + (s6 + s7))
