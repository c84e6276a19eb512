"""The distribution of a sum when each term's sign is a fair coin.

The signs of 64 terms in a pattern are the bits of one number, the lowest first: a hash of the
stream, of which 64 terms they are, and of the pattern's number. So a pattern is the same whichever
way the sums are made, and whatever number of patterns is asked for.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from thetahat.distributions import fair_coin_p_value
from thetahat.numerics.bootstrap.draws import mixed
from thetahat.numerics.loops.bootstrap import STEP, UInt64Array
from thetahat.numerics.loops.sign_flips import MANY_FLIPS, WORD, add_sums
from thetahat.paired_tests._units import UnitBatch, model_units
from thetahat.paired_tests.base import PairBatch
from thetahat.values.types import Alternative, FloatArray

TIE = 1e-12  # sums closer than this share of the sum of sizes are equal
_SIGNS_AT_ONCE = 2**20
_WORDS_AT_ONCE = 128


def binomials(terms: FloatArray, alternative: Alternative) -> list[float | None]:
    """Return the exact p-value of each row of (p, u) terms that have one size or are 0, else None.

    The sum is then a count of heads: for zero-one losses the sign-flip test is a sign test.
    """
    sizes = np.abs(terms)
    largest = sizes.max(axis=1)
    sizes[sizes == 0] = np.inf
    one_size = sizes.min(axis=1) >= largest * (1 - TIE)
    heads = np.count_nonzero(terms > 0, axis=1).tolist()
    tosses = np.count_nonzero(terms, axis=1).tolist()
    return [
        fair_coin_p_value(up, n, alternative) if is_one else None
        for up, n, is_one in zip(heads, tosses, one_size.tolist(), strict=True)
    ]


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
    """(B,) sums of the (n,) terms under random signs."""
    return np.asarray(random_sums_of_rows(terms[None, :], n_resamples, rng)[0])


def random_sums_of_rows(rows: FloatArray, n_resamples: int, rng: np.random.Generator) -> FloatArray:
    r"""(m, B) sums of each of m rows of (m, n) terms under the same random signs.

    .. math:: \sum_i \pm x_i = \sum_i x_i - 2 \sum_{i \in F_b} x_i

    with F_b the terms that pattern b flips: few flips are a product of a matrix of bits with the
    terms. Many take tables of the 256 partial sums of eight terms each, so that one look-up does
    the work of eight signs and eight additions.
    """
    n = rows.shape[1]
    keys = _keys(-(-n // WORD), rng)
    sums = np.zeros((len(rows), n_resamples))
    if n * n_resamples >= MANY_FLIPS:
        for terms, out in zip(rows, sums, strict=True):
            add_sums(terms, keys, out)
        return sums
    for piece, patterns, flipped in _flips(keys, n_resamples):
        terms = rows[:, piece]
        sums[:, patterns] -= 2.0 * (terms @ flipped[:, : terms.shape[1]].T)
    sums += rows.sum(axis=1, keepdims=True)
    return sums


def _keys(n_words: int, rng: np.random.Generator) -> UInt64Array:
    """(n / 64,) keys of the terms' signs, from one number of the stream."""
    key = np.uint64(rng.integers(2**64, dtype=np.uint64))
    return mixed(key + STEP * np.arange(1, n_words + 1, dtype=np.uint64))


def _flips(keys: UInt64Array, n_resamples: int) -> Iterator[tuple[slice, slice, FloatArray]]:
    """Yield some terms, some patterns, and whether each pattern flips each term: (b, n) 0 or 1."""
    for low in range(0, len(keys), _WORDS_AT_ONCE):
        some = keys[low : low + _WORDS_AT_ONCE]
        step = max(1, _SIGNS_AT_ONCE // (WORD * len(some)))
        for first in range(0, n_resamples, step):
            stop = min(first + step, n_resamples)
            numbers = np.arange(first + 1, stop + 1, dtype=np.uint64)
            words = mixed(some + STEP * numbers[:, None]).astype("<u8")
            flipped = np.unpackbits(words.view(np.uint8), axis=1, bitorder="little")
            terms = slice(WORD * low, WORD * (low + len(some)))
            yield terms, slice(first, stop), flipped.astype(np.float64)


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


_MOST_SUMS = 2**25  # 256 MB of models x patterns
_FEWEST_MODELS = 3  # two make one pair
_MOST_DIGITS_LOST = 200.0  # models' sizes over the difference's: rounding stays below a tie
_MOST_DROPPED = TIE / 4  # of the sum of sizes: what a pair takes as 0 and its models do not


@dataclass(frozen=True, slots=True, eq=False)
class _Sums:
    """The sums of all models under one set of random signs.

    Parameters
    ----------
    sizes : ndarray of float
        (m,) sum of the sizes of each model's terms.
    sums : ndarray of float
        (m, B).
    """

    sizes: FloatArray
    sums: FloatArray


class FlippedPairs:
    """The p-values of the pairs of a batch, (count + 1) / (B + 1) as ``by_sampling`` has them.

    Where the two models' sums are so much larger than the pair's that rounding could pass for a
    tie, and where there are too few pairs to be worth it, the pair's own sums are made.

    Parameters
    ----------
    batch, units : PairBatch, UnitBatch
        The pairs.
    alternative, n_resamples, rng : as by_sampling
        The stream stands at its start; copies of it are used.
    """

    def __init__(
        self,
        batch: PairBatch,
        units: UnitBatch,
        alternative: Alternative,
        n_resamples: int,
        rng: np.random.Generator,
    ) -> None:
        self.batch, self.units, self.alternative = batch, units, alternative
        self.n_resamples, self.rng = n_resamples, rng
        self.models = self._models()

    def p_value(self, row: int, terms: FloatArray) -> float:
        """Return the p-value of one pair of the batch, from its place and its (u,) terms."""
        size = float(np.abs(terms).sum())
        if self.models is None or self._loses_digits(self.models, row, size):
            return by_sampling(terms, self.alternative, self.n_resamples, copy.deepcopy(self.rng))
        i, j = self.batch.positions[row]
        sums = self.models.sums[i] - self.models.sums[j]
        count = count_beyond(sums, float(terms.sum()), TIE * size, self.alternative)
        return (count + 1) / (self.n_resamples + 1)

    def _loses_digits(self, models: _Sums, row: int, size: float) -> bool:
        i, j = self.batch.positions[row]
        if float(models.sizes[i] + models.sizes[j]) > _MOST_DIGITS_LOST * size:
            return True
        return float(self.units.dropped[row] * self.units.weights.max()) > _MOST_DROPPED * size

    def _models(self) -> _Sums | None:
        """Return all models' sums, made once for all batches; None where they are not worth it.

        The losses of a unit are taken relative to their (lower) median over the models, which
        changes no difference: what all models have in common would cost digits.
        """
        batch, units = self.batch, self.units
        n_models = len(batch.models)
        few = n_models < _FEWEST_MODELS or batch.n_pairs_in_all < n_models
        if few or n_models * self.n_resamples > _MOST_SUMS:
            return None
        key = ("sign flips", units.unit, self.n_resamples, repr(self.rng.bit_generator.state))
        made: _Sums | None = batch.shared.get(key)
        if made is None:
            means = [model_units(batch, place, units.unit) for place in range(n_models)]
            rows = np.stack(means)
            middle = (n_models - 1) // 2
            rows -= np.partition(rows, middle, axis=0)[middle].copy()
            rows *= units.weights
            sums = random_sums_of_rows(rows, self.n_resamples, copy.deepcopy(self.rng))
            made = batch.shared[key] = _Sums(np.abs(rows).sum(axis=1), sums)
        return made
