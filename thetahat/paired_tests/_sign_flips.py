"""p-values of a sum whose terms have random signs: exact, by enumeration, or by drawn patterns.

The signs of 64 terms in a random pattern are the bits of one number, the lowest first. The number
is a hash of a key from the random stream, the index of the 64 terms and the index of the pattern.
A pattern is therefore the same however the sums are computed and however many patterns are drawn.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from thetahat.distributions import compute_fair_coin_p_value, count_extreme
from thetahat.numerics.loops.compiling import uses_loops
from thetahat.numerics.loops.hashes import STEP, UInt64Array, mix
from thetahat.numerics.loops.sign_flips import WORD, add_sums
from thetahat.numerics.thresholds import MANY_FLIPS
from thetahat.paired_tests._thresholds import MIN_MODELS_TO_SHARE
from thetahat.paired_tests._units import PairedUnits, model_unit_means
from thetahat.paired_tests.base import PairBatch
from thetahat.values.types import Alternative, FloatArray

TIE = 1e-12
"""Sums are equal if they differ by at most this share of the sum of absolute terms."""
_SIGNS_AT_ONCE = 2**20
_WORDS_AT_ONCE = 128
_MAX_MODEL_SUMS = 2**25  # 256 MB of models x patterns
# largest ratio of the models' sizes to the pair's: rounding errors then stay below TIE
_MAX_CANCELLATION = 200.0
# largest share of a pair's differences that were set to 0, but not in its models' sums
_MAX_DROPPED = TIE / 4


def binomial_p_values(terms: FloatArray, alternative: Alternative) -> list[float | None]:
    """Return exact p-values of the rows of (p, u) terms whose terms are 0 or of one size.

    Such a sum is a number of heads of a fair coin: for losses of 0 and 1 the test is a sign test.
    The p-value of any other row is None.
    """
    sizes = np.abs(terms)
    largest = sizes.max(axis=1)
    sizes[sizes == 0] = np.inf
    is_one_size = sizes.min(axis=1) >= largest * (1 - TIE)
    n_positive = np.count_nonzero(terms > 0, axis=1).tolist()
    n = np.count_nonzero(terms, axis=1).tolist()
    return [
        compute_fair_coin_p_value(heads, tosses, alternative) if one_size else None
        for heads, tosses, one_size in zip(n_positive, n, is_one_size.tolist(), strict=True)
    ]


def enumerated_p_value(terms: FloatArray, alternative: Alternative) -> float:
    """Return the exact p-value over all 2^n sign patterns of (n,) terms."""
    sums = np.zeros(1)
    for term in terms:
        sums = np.concatenate([sums + term, sums - term])
    return _count_extreme(sums, terms, alternative) / len(sums)


def sampled_p_value(
    terms: FloatArray, alternative: Alternative, n_resamples: int, rng: np.random.Generator
) -> float:
    """Return (count + 1) / (B + 1) over B random sign patterns, in O(B + n) memory."""
    sums = random_sums(terms, n_resamples, rng)
    return (_count_extreme(sums, terms, alternative) + 1) / (n_resamples + 1)


def random_sums(terms: FloatArray, n_resamples: int, rng: np.random.Generator) -> FloatArray:
    """Return the (B,) sums of (n,) terms under random signs."""
    return np.asarray(random_sums_of_rows(terms[None, :], n_resamples, rng)[0])


def random_sums_of_rows(rows: FloatArray, n_resamples: int, rng: np.random.Generator) -> FloatArray:
    r"""Return the (m, B) sums of m rows of n terms, all under the same random signs.

    .. math:: \sum_i \pm x_i = \sum_i x_i - 2 \sum_{i \in F_b} x_i

    with F_b the terms that pattern b flips. Few flips are a product of a matrix of bits with the
    terms. Many flips use tables of the 256 partial sums of eight terms each: one look-up replaces
    eight signs and eight additions.
    """
    n = rows.shape[1]
    keys = _draw_keys(-(-n // WORD), rng)
    sums = np.zeros((len(rows), n_resamples))
    if uses_loops(n * n_resamples, MANY_FLIPS):
        for terms, out in zip(rows, sums, strict=True):
            add_sums(terms, keys, out)
        return sums
    for columns, patterns, is_flipped in _flips(keys, n_resamples):
        terms = rows[:, columns]
        sums[:, patterns] -= 2.0 * (terms @ is_flipped[:, : terms.shape[1]].T)
    sums += rows.sum(axis=1, keepdims=True)
    return sums


def _draw_keys(n_words: int, rng: np.random.Generator) -> UInt64Array:
    """Return the (n / 64,) keys of the terms' signs, from one number of the stream."""
    key = np.uint64(rng.integers(2**64, dtype=np.uint64))
    return mix(key + STEP * np.arange(1, n_words + 1, dtype=np.uint64))


def _flips(keys: UInt64Array, n_resamples: int) -> Iterator[tuple[slice, slice, FloatArray]]:
    """Yield slices of terms and patterns, with (b, n) ones where a pattern flips a term."""
    for low in range(0, len(keys), _WORDS_AT_ONCE):
        chunk = keys[low : low + _WORDS_AT_ONCE]
        step = max(1, _SIGNS_AT_ONCE // (WORD * len(chunk)))
        for first in range(0, n_resamples, step):
            stop = min(first + step, n_resamples)
            numbers = np.arange(first + 1, stop + 1, dtype=np.uint64)
            words = mix(chunk + STEP * numbers[:, None]).astype("<u8")
            is_flipped = np.unpackbits(words.view(np.uint8), axis=1, bitorder="little")
            terms = slice(WORD * low, WORD * (low + len(chunk)))
            yield terms, slice(first, stop), is_flipped.astype(np.float64)


def _count_extreme(sums: FloatArray, terms: FloatArray, alternative: Alternative) -> int:
    """Count the sums that are at least as extreme as the sum of the terms."""
    observed, slack = float(terms.sum()), TIE * float(np.abs(terms).sum())
    return count_extreme(sums, observed, slack, alternative)


@dataclass(frozen=True, slots=True, eq=False)
class _ModelSums:
    """Sums of all models under the same random signs."""

    sizes: FloatArray
    """(m,) sum of the absolute terms of each model."""
    sums: FloatArray
    """(m, B) sums."""


@dataclass(frozen=True, eq=False)
class FlippedPairs:
    """Sampled p-values of the pairs of a batch, equal to those of ``sampled_p_value``.

    The sums of a pair are the differences of its models' sums, which all pairs share. The pair's
    own sums are computed instead if the models' sums are so much larger that their rounding errors
    could make or hide a tie, or if there are too few pairs to save time by sharing.
    """

    batch: PairBatch
    units: PairedUnits
    alternative: Alternative
    n_resamples: int
    rng: np.random.Generator
    """Copied for each pair; it stays at its position."""

    def p_value(self, row: int, terms: FloatArray) -> float:
        """Return the p-value of one pair of the batch from its row and its (u,) terms."""
        size = float(np.abs(terms).sum())
        if self.models is None or self._loses_digits(self.models, row, size):
            return sampled_p_value(
                terms, self.alternative, self.n_resamples, copy.deepcopy(self.rng)
            )
        i, j = self.batch.positions[row]
        sums = self.models.sums[i] - self.models.sums[j]
        count = count_extreme(sums, float(terms.sum()), TIE * size, self.alternative)
        return (count + 1) / (self.n_resamples + 1)

    def _loses_digits(self, models: _ModelSums, row: int, size: float) -> bool:
        i, j = self.batch.positions[row]
        if float(models.sizes[i] + models.sizes[j]) > _MAX_CANCELLATION * size:
            return True
        return float(self.units.dropped[row] * self.units.weights.max()) > _MAX_DROPPED * size

    @cached_property
    def models(self) -> _ModelSums | None:
        """The sums of all models, computed once for all batches; None if that saves no time."""
        n_models = len(self.batch.models)
        has_few_pairs = n_models < MIN_MODELS_TO_SHARE or self.batch.n_pairs_total < n_models
        if has_few_pairs or n_models * self.n_resamples > _MAX_MODEL_SUMS:
            return None
        state = repr(self.rng.bit_generator.state)
        key = ("sign flips", self.units.unit, self.n_resamples, state)
        return self.batch.evaluation_cache.compute_once(key, self._compute_model_sums)

    def _compute_model_sums(self) -> _ModelSums:
        """Return the sums of all models.

        The losses of a unit are taken relative to their lower median over the models. That changes
        no difference, and a large loss that all models have in common costs no digits.
        """
        n_models, unit = len(self.batch.models), self.units.unit
        rows = np.stack([model_unit_means(self.batch, model, unit) for model in range(n_models)])
        middle = (n_models - 1) // 2
        rows -= np.partition(rows, middle, axis=0)[middle].copy()
        rows *= self.units.weights
        sums = random_sums_of_rows(rows, self.n_resamples, copy.deepcopy(self.rng))
        return _ModelSums(np.abs(rows).sum(axis=1), sums)
