"""Sign flips of many pairs: a pair's sums are the differences of two models' sums."""

from __future__ import annotations

import copy

import numpy as np

from thetahat.comparisons._sign_flips import (
    TIE,
    by_sampling,
    count_beyond,
    random_sums_of_rows,
)
from thetahat.comparisons._unit_batches import UnitBatch, model_units
from thetahat.comparisons.base import PairBatch
from thetahat.types import Alternative, FloatArray

_MOST_SUMS = 2**25  # 256 MB of models x patterns
_FEWEST_MODELS = 3  # two make one pair
_MOST_DIGITS_LOST = 200.0  # models' sizes over the difference's: rounding stays below a tie
_MOST_DROPPED = TIE / 4  # of the sum of sizes: what a pair takes as 0 and its models do not


class _Sums:
    """The sums of all models under one set of random signs.

    The losses of a unit are taken relative to their (lower) median over the models, which changes
    no difference: what all models have in common would cost digits.
    """

    def __init__(
        self,
        batch: PairBatch,
        units: UnitBatch,
        n_resamples: int,
        rng: np.random.Generator,
    ) -> None:
        means = [model_units(batch, place, units.unit) for place in range(len(batch.models))]
        rows = np.stack(means)
        middle = (len(rows) - 1) // 2
        rows -= np.partition(rows, middle, axis=0)[middle].copy()
        rows *= units.weights
        self.sizes = np.abs(rows).sum(axis=1)
        self.sums = random_sums_of_rows(rows, n_resamples, rng)


def sampled_p_value(  # noqa: PLR0913 - a pair, where it stands, and how it is tested
    batch: PairBatch,
    units: UnitBatch,
    terms: FloatArray,
    row: int,
    alternative: Alternative,
    n_resamples: int,
    rng: np.random.Generator,
) -> float:
    """Return (count + 1) / (B + 1) for one pair of the batch, as ``by_sampling`` does.

    Where the two models' sums are so much larger than the pair's that rounding could pass for a
    tie, and where there are too few pairs to be worth it, the pair's own sums are made.

    Parameters
    ----------
    batch, units : PairBatch, UnitBatch
        All pairs.
    terms : ndarray of float
        (u,) of this pair.
    row : int
        Its place in the batch.
    alternative, n_resamples, rng : as by_sampling
        The stream stands at its start; a copy of it is used.
    """
    n_models = len(batch.models)
    few = n_models < _FEWEST_MODELS or batch.n_pairs_in_all < n_models
    if few or n_models * n_resamples > _MOST_SUMS:
        return by_sampling(terms, alternative, n_resamples, _copy(rng))
    key = ("sign flips", units.unit, n_resamples, repr(rng.bit_generator.state))
    models: _Sums | None = batch.shared.get(key)
    if models is None:
        models = batch.shared[key] = _Sums(batch, units, n_resamples, _copy(rng))
    size = float(np.abs(terms).sum())
    i, j = batch.positions[row].tolist()
    lost = float(models.sizes[i] + models.sizes[j]) > _MOST_DIGITS_LOST * size
    dropped = float(units.dropped[row] * units.weights.max()) > _MOST_DROPPED * size
    if lost or dropped:
        return by_sampling(terms, alternative, n_resamples, _copy(rng))
    sums = models.sums[i] - models.sums[j]
    count = count_beyond(sums, float(terms.sum()), TIE * size, alternative)
    return (count + 1) / (n_resamples + 1)


def _copy(rng: np.random.Generator) -> np.random.Generator:
    return copy.deepcopy(rng)
