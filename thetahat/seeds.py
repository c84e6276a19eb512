"""Independent random streams derived from the seed of a job.

A stream is named by what it is for and by the position of its part, never by a worker or an
attempt, so that the same job draws the same numbers on one worker or on four.
"""

from __future__ import annotations

import hashlib

import numpy as np

MAX_SEED = 2**63 - 1


def make_random_stream(seed: int, purpose: str, *position: int) -> np.random.Generator:
    """Return the random generator for a purpose (``"folds"``, ``"fit"``, ...) and a part.

    Parameters
    ----------
    seed : int
        The job's seed, in [0, 2**63).
    purpose : str
        What the numbers are for; streams of different purposes are independent.
    position : int
        Position of the part: repeat, split, pair.
    """
    word = int.from_bytes(hashlib.sha256(purpose.encode()).digest()[:8], "big")
    return np.random.default_rng(np.random.SeedSequence([seed, word, *position]))


def draw_random_state(rng: np.random.Generator) -> int:
    """Return a ``random_state`` of scikit-learn, which takes at most 2**32 - 1."""
    return int(rng.integers(2**32 - 1))


def derive_seed(*digests: str) -> int:
    """Return a seed derived from the canonical request and the data, for a job without a seed.

    Below 2**53, so that clients whose numbers are doubles read it back unchanged.
    """
    joined = "\0".join(digests).encode()
    return int.from_bytes(hashlib.sha256(joined).digest()[:8], "big") >> 11
