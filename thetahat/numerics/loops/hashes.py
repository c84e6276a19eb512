"""The counter-based hash of all draws: splitmix64.

A number is a function of its seed and its place, not of the numbers before it. The functions take
part in compiled loops (``thetahat.numerics.loops.compiling.inlined``), and NumPy arrays as well.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np

from thetahat.numerics.loops.compiling import inlined

UInt32Array = np.ndarray[tuple[int, ...], np.dtype[np.uint32]]
UInt64Array = np.ndarray[tuple[int, ...], np.dtype[np.uint64]]

_Words = TypeVar("_Words", np.uint64, UInt64Array)

STEP = np.uint64(0x9E3779B97F4A7C15)
FIRST_FACTOR = np.uint64(0xBF58476D1CE4E5B9)
SECOND_FACTOR = np.uint64(0x94D049BB133111EB)
S30, S27, S31 = np.uint64(30), np.uint64(27), np.uint64(31)
# a hash has two halves
LOW_32_BITS = np.uint64(0xFFFFFFFF)
HALF = np.uint64(32)
RANGE = np.uint64(2**32)
HASHES_PER_BATCH = 256


@inlined
def mix(x: _Words) -> _Words:
    """Return the splitmix64 hash of each number."""
    x = (x ^ (x >> S30)) * FIRST_FACTOR
    x = (x ^ (x >> S27)) * SECOND_FACTOR
    return x ^ (x >> S31)


@inlined
def fill_hashes(state: np.uint64, first: int, hashes: UInt64Array, n: int) -> None:
    """Write the hashes of the n counters after ``first`` to the beginning of ``hashes``.

    A short loop of its own becomes vector instructions; a long one that uses them does not.
    """
    for p in range(n):
        hashes[p] = mix(state + STEP * np.uint64(first + p + 1))
