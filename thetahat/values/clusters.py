"""How unequal clusters or sources are."""

from __future__ import annotations

from thetahat.values.types import FloatArray, IntArray


def compute_imbalance(sizes: FloatArray | IntArray) -> float:
    """Return how many clusters there are for each equal one that they weigh like; at least 1.

    Clusters weigh like (sum of the sizes)^2 / (sum of their squares) equal ones: 30 of which one
    has half of the rows like 3.9.
    """
    relative = sizes / sizes.mean()
    return float((relative**2).mean())
