"""The distribution of a sum when each term's sign is a fair coin."""

from __future__ import annotations

import numpy as np

from thetahat.distributions import fair_coin_p_value
from thetahat.types import Alternative, FloatArray

_TIE = 1e-12  # sums closer than this share of the sum of sizes are equal
_GROUP = 8  # terms per table: one byte of random signs picks a partial sum
_GROUPS_AT_ONCE = 512  # 1 MB of tables stays in the cache
_LOOKUPS_AT_ONCE = 2**17
_TABLE_STARTS = 256 * np.arange(_GROUPS_AT_ONCE, dtype=np.int32)
_BYTES = np.arange(256, dtype=np.uint8)
_SIGNS = 1.0 - 2.0 * np.unpackbits(_BYTES[None, :], axis=0).reshape(_GROUP, 256)


def by_binomial(terms: FloatArray, alternative: Alternative) -> float | None:
    """Return the exact p-value where all terms have one size, else None.

    The sum is then a count of heads: for zero-one losses the sign-flip test is a sign test.
    """
    sizes = np.abs(terms)
    if len(terms) and np.ptp(sizes) > _TIE * sizes.max():
        return None
    return fair_coin_p_value(int((terms > 0).sum()), len(terms), alternative)


def by_enumeration(terms: FloatArray, alternative: Alternative) -> float:
    """Exact p-value over all 2^n sign patterns, by doubling the list of partial sums."""
    sums = np.zeros(1)
    for term in terms:
        sums = np.concatenate([sums + term, sums - term])
    return count_extreme(sums, terms, alternative) / len(sums)


def by_sampling(
    terms: FloatArray, alternative: Alternative, n_resamples: int, rng: np.random.Generator
) -> float:
    """Return (count + 1) / (B + 1) over B random sign patterns; memory is O(B + n)."""
    sums = random_sums(terms, n_resamples, rng)
    return (count_extreme(sums, terms, alternative) + 1) / (n_resamples + 1)


def random_sums(terms: FloatArray, n_resamples: int, rng: np.random.Generator) -> FloatArray:
    """(B,) sums of the terms under random signs, eight terms at a time.

    A table holds the 256 partial sums of a group of eight terms, so that one random byte does
    the work of eight signs and eight additions. Groups are taken in batches: a call of numpy
    costs as much as a thousand additions.
    """
    sums = np.zeros(n_resamples)
    batch = max(1, min(_GROUPS_AT_ONCE, _LOOKUPS_AT_ONCE // n_resamples))
    step = _GROUP * batch
    for start in range(0, len(terms), step):
        part = terms[start : start + step]
        padded = np.zeros(-(-len(part) // _GROUP) * _GROUP)
        padded[: len(part)] = part
        tables = padded.reshape(-1, _GROUP) @ _SIGNS
        signs = np.frombuffer(rng.bytes(len(tables) * n_resamples), dtype=np.uint8)
        place = signs.reshape(len(tables), n_resamples) + _TABLE_STARTS[: len(tables), None]
        sums += tables.ravel().take(place).sum(axis=0)
    return sums


def count_extreme(sums: FloatArray, terms: FloatArray, alternative: Alternative) -> int:
    """Count the sums at least as far in the alternative's direction as the sum of the terms."""
    observed, slack = float(terms.sum()), _TIE * float(np.abs(terms).sum())
    if alternative is Alternative.TWO_SIDED:
        return int((np.abs(sums) >= abs(observed) - slack).sum())
    if alternative is Alternative.LESS:
        return int((sums <= observed + slack).sum())
    return int((sums >= observed - slack).sum())
