"""Sign flips of many pairs: a pair's sums are the differences of two models' sums."""

from __future__ import annotations

import copy
from dataclasses import dataclass

import numpy as np

from thetahat.paired_tests._sign_flips import (
    TIE,
    by_sampling,
    count_beyond,
    random_sums_of_rows,
)
from thetahat.paired_tests._unit_batches import UnitBatch, model_units
from thetahat.paired_tests.base import PairBatch
from thetahat.values.types import Alternative, FloatArray

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
