"""The paired units of many pairs at once, with the same numbers as one pair at a time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from thetahat.cautions import Caution
from thetahat.numerics.loops.compiling import to_be_read
from thetahat.numerics.loops.paired_units import MANY_VALUES, without_roundings
from thetahat.paired_tests._units import (
    ROUNDINGS,
    cautions_of_count,
    unit_means,
    unit_of,
    unit_weights,
)
from thetahat.paired_tests.base import PairBatch
from thetahat.values.types import FloatArray, IntArray, UnitName


@dataclass(frozen=True, slots=True, eq=False)
class UnitBatch:
    """As ``PairedUnits``, a row for each of p pairs over u units.

    Parameters
    ----------
    unit : str
        ``instance``, ``cluster`` or ``block``.
    values : ndarray of float
        (p, u) differences, exactly 0 where they are nothing but rounding.
    of_models : ndarray of float
        (m, u) how far rounding may have moved the units of each model.
    positions : ndarray of int
        (p, 2) places of the two models of each pair.
    largest : ndarray of float
        (p,) how far at most rounding may have moved a value of each pair.
    weights : ndarray of float
        (u,) share of each unit in the mean difference.
    dropped : ndarray of float
        (p,) sum of the sizes of the differences that were taken as 0.
    n_positive, n_negative : ndarray of int
        (p,) number of units with a difference of either sign.
    cautions : tuple
        (p,) of what ``unit_cautions`` says of each pair.
    """

    unit: UnitName
    values: FloatArray
    of_models: FloatArray
    positions: IntArray
    largest: FloatArray
    weights: FloatArray
    dropped: FloatArray
    n_positive: IntArray
    n_negative: IntArray
    cautions: tuple[tuple[Caution, ...], ...]

    @property
    def n_units(self) -> int:
        """Number of units, those without a difference among them."""
        return len(self.weights)

    @property
    def n_zeros(self) -> IntArray:
        """(p,) number of units without a difference."""
        return np.asarray(self.n_units - self.n_positive - self.n_negative)

    def roundings(self, row: int) -> FloatArray:
        """(u,) how far rounding may have moved each value of one pair."""
        a, b = self.positions[row]
        return np.asarray(np.maximum(self.of_models[a], self.of_models[b]))


def units_of_batch(batch: PairBatch, named: UnitName | None) -> UnitBatch:
    """Average the differences of each unit of each pair; made once for all tests of a batch."""
    layout = batch.models[0].layout
    unit = unit_of(layout, named)
    made: UnitBatch | None = batch.own.get(("units", unit))
    if made is None:
        made = batch.own["units", unit] = _made(batch, unit)
    return made


def model_units(batch: PairBatch, place: int, unit: UnitName) -> FloatArray:
    """(u,) mean loss of each unit of one model; made once for all batches."""
    key = ("model units", unit, place)
    means: FloatArray | None = batch.shared.get(key)
    if means is None:
        means = batch.shared[key] = unit_means(batch.models[place], unit)
    return means


def _made(batch: PairBatch, unit: UnitName) -> UnitBatch:
    layout = batch.models[0].layout
    given = _differences(batch, unit)
    of_models = _roundings(batch, unit)
    drop = without_roundings if given.size >= MANY_VALUES else _without_roundings
    values, largest, dropped, n_positive, n_negative = drop(given, of_models, batch.positions)
    counts = n_positive + n_negative
    said = [(n, cautions_of_count(layout, unit, n)) for n in _present(counts)]
    cautions = (said[0][1],) * len(counts)
    if len(said) > 1:
        cautions = tuple(map(dict(said).__getitem__, counts.tolist()))
    return UnitBatch(
        unit=unit,
        values=to_be_read(values),  # they may be the batch's own
        of_models=of_models,
        positions=batch.positions,
        largest=largest,
        weights=unit_weights(layout, unit, values.shape[1]),
        dropped=dropped,
        n_positive=n_positive,
        n_negative=n_negative,
        cautions=cautions,
    )


def _present(counts: IntArray) -> list[int]:
    return list(map(int, np.flatnonzero(np.bincount(counts))))


def _without_roundings(
    values: FloatArray, of_models: FloatArray, positions: IntArray
) -> tuple[FloatArray, FloatArray, FloatArray, IntArray, IntArray]:
    """As ``without_roundings``, by whole arrays."""
    roundings = of_models[positions[:, 0]]
    np.maximum(roundings, of_models[positions[:, 1]], out=roundings)
    largest, sizes = roundings.max(axis=1, initial=0.0), np.abs(values)
    nothing = sizes <= roundings
    dropped = np.zeros(len(values))
    if np.any(nothing & (sizes > 0)):
        dropped = np.where(nothing, sizes, 0.0).sum(axis=1)
        values = np.where(nothing, 0.0, values)
    n_positive = np.count_nonzero(values > 0, axis=1)
    return values, largest, dropped, n_positive, np.count_nonzero(values < 0, axis=1)


def _differences(batch: PairBatch, unit: UnitName) -> FloatArray:
    """(p, u) mean differences of the units; rows, where each is a unit of its own."""
    layout, differences = batch.models[0].layout, batch.differences
    if unit == "instance" and differences is not None:
        if layout.instance is None:
            return differences
        if layout.n_instances == layout.n_rows:
            values = np.empty_like(differences)
            values[:, layout.instance] = differences
            return values
    return np.stack([unit_means(pair.difference, unit) for pair in batch.pairs])


def _roundings(batch: PairBatch, unit: UnitName) -> FloatArray:
    """(m, u) how far rounding may have moved the units of the models; made once for all batches."""
    key = ("model roundings", unit)
    found: FloatArray | None = batch.shared.get(key)
    if found is None:
        places = range(len(batch.models))
        found = np.abs(np.stack([model_units(batch, place, unit) for place in places]))
        found *= ROUNDINGS
        batch.shared[key] = found
    return found
