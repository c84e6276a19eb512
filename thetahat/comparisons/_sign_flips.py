"""The distribution of a sum when each term's sign is a fair coin.

Random signs are laid out once and for all: term by term in pieces of ``PIECE`` terms, and in each
piece resample by resample, one bit of a 64-bit word for each term, the lowest first. So a pattern
is a function of the stream and its number alone, whichever way the sums are made.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from thetahat.distributions import fair_coin_p_value
from thetahat.kernels.sign_flips import MANY_FLIPS, add_sums
from thetahat.types import Alternative, FloatArray

TIE = 1e-12  # sums closer than this share of the sum of sizes are equal
PIECE = 8192  # terms; their tables of partial sums stay in the cache
_SIGNS_AT_ONCE = 2**20


def by_binomial(terms: FloatArray, alternative: Alternative) -> float | None:
    """Return the exact p-value where all terms have one size, else None.

    The sum is then a count of heads: for zero-one losses the sign-flip test is a sign test.
    """
    sizes = np.abs(terms)
    if len(terms) and np.ptp(sizes) > TIE * sizes.max():
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
    """(B,) sums of the (n,) terms under random signs.

    Many flips take tables of the 16 partial sums of four terms each, so that one look-up does the
    work of four signs and four additions; few are one matrix product.
    """
    if len(terms) * n_resamples < MANY_FLIPS:
        return np.asarray(random_sums_of_rows(terms[None, :], n_resamples, rng)[0])
    sums = np.zeros(n_resamples)
    for piece, words in _signs(len(terms), n_resamples, rng):
        for rows, part in words:
            add_sums(terms[piece], part, sums[rows])
    return sums


def random_sums_of_rows(rows: FloatArray, n_resamples: int, rng: np.random.Generator) -> FloatArray:
    r"""(m, B) sums of each of m rows of (m, n) terms under the same random signs.

    .. math:: \sum_i \pm x_i = \sum_i x_i - 2 \sum_{i \in F_b} x_i

    with F_b the terms that pattern b flips: a product of a matrix of bits with the terms.
    """
    sums = np.zeros((len(rows), n_resamples))
    for piece, words in _signs(rows.shape[1], n_resamples, rng):
        terms = rows[:, piece]
        for at, part in words:
            flipped = np.unpackbits(part.view(np.uint8), axis=1, bitorder="little")
            sums[:, at] -= 2.0 * (terms @ flipped[:, : terms.shape[1]].astype(np.float64).T)
        sums += terms.sum(axis=1, keepdims=True)
    return sums


def _signs(
    n: int, n_resamples: int, rng: np.random.Generator
) -> Iterator[tuple[slice, Iterator[tuple[slice, np.ndarray]]]]:
    """Yield each piece of the terms with its signs, some resamples at a time: (r, words)."""
    for start in range(0, n, PIECE):
        stop = min(start + PIECE, n)
        yield slice(start, stop), _words(-(-(stop - start) // 64), n_resamples, rng)


def _words(
    n_words: int, n_resamples: int, rng: np.random.Generator
) -> Iterator[tuple[slice, np.ndarray]]:
    step = max(1, _SIGNS_AT_ONCE // (64 * n_words))
    for start in range(0, n_resamples, step):
        stop = min(start + step, n_resamples)
        drawn = rng.bit_generator.random_raw((stop - start) * n_words)
        words = np.asarray(drawn, dtype="<u8").reshape(stop - start, n_words)
        yield slice(start, stop), words


def count_extreme(sums: FloatArray, terms: FloatArray, alternative: Alternative) -> int:
    """Count the sums at least as far in the alternative's direction as the sum of the terms."""
    observed, slack = float(terms.sum()), TIE * float(np.abs(terms).sum())
    return count_beyond(sums, observed, slack, alternative)


def count_beyond(sums: FloatArray, observed: float, slack: float, alternative: Alternative) -> int:
    """Count the sums that lie as far as the observed one, or nearer by no more than the slack."""
    if alternative is Alternative.TWO_SIDED:
        return int(np.count_nonzero(np.abs(sums) >= abs(observed) - slack))
    if alternative is Alternative.LESS:
        return int(np.count_nonzero(sums <= observed + slack))
    return int(np.count_nonzero(sums >= observed - slack))
