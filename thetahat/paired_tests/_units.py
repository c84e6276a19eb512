"""The units that a paired test takes as independent, of one pair and of many pairs at once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from thetahat.cautions import (
    FEW_UNITS,
    FEW_UNITS_OF_A_SIGN_TEST,
    IGNORES_TRAINING_OVERLAP,
    IGNORES_TRAINING_VARIANCE,
    INSTANCES_SHARE_A_SOURCE,
    NO_DIFFERENCE,
    Caution,
)
from thetahat.numerics.loops.compiling import to_be_read
from thetahat.numerics.loops.paired_units import MANY_VALUES, without_roundings
from thetahat.paired_tests.base import PairBatch, PairedLosses
from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import Layout
from thetahat.values.types import BlockKind, FloatArray, IntArray, Target, UnitName

ROUNDINGS = 8 * float(np.finfo(np.float64).eps)  # a loss, its mean and their difference


@dataclass(frozen=True, eq=False)
class PairedUnits:
    """Differences, a minus b, of the units that a test takes as exchangeable under the null.

    Parameters
    ----------
    unit : str
        ``instance``, ``cluster`` or ``block``.
    values : ndarray of float
        (u,) mean difference of each unit, exactly 0 where it is nothing but rounding.
    roundings : ndarray of float
        (u,) how far rounding may have moved each value: 8 units in the last place of the losses.
    weights : ndarray of float
        (u,) share of each unit in the mean difference; they sum to 1. Clusters count by their
        sizes, instances and blocks alike.
    """

    unit: UnitName
    values: FloatArray
    roundings: FloatArray
    weights: FloatArray

    @property
    def n_units(self) -> int:
        """Number of units, those without a difference among them."""
        return len(self.values)

    @cached_property
    def n_zeros(self) -> int:
        """Number of units without a difference."""
        return self.n_units - int(np.count_nonzero(self.values))


def unit_of(layout: Layout, named: UnitName | None) -> UnitName:
    """Return the unit asked for, or the layout's own.

    Blocks for sources; for random folds and a holdout clusters, where they are known, or
    instances.
    """
    if named is not None:
        return named
    if layout.kind is BlockKind.SOURCE:
        return "block"
    return "instance" if layout.cluster is None else "cluster"


def unit_refusal(name: str, layout: Layout, named: UnitName | None) -> str | None:
    """Say why a test cannot pair that unit on this layout, or None."""
    unit = unit_of(layout, named)
    if unit == "block":
        return _block_refusal(name, layout)
    if not layout.has_rows:
        return (
            f"{name} by {unit} needs one loss per instance, and only one score per split is given"
        )
    if unit == "cluster":
        return f"{name} by cluster needs a cluster column" if layout.cluster is None else None
    if not layout.is_matched:
        rows = "subsamples" if layout.n_repeats == 1 else f"{layout.n_repeats} repeats"
        return f"{name} by instance needs an instance column to match the rows of {rows}"
    return None


def count_units(layout: Layout, unit: UnitName) -> int:
    """Return the number of units of that name."""
    if unit == "block":
        return len(layout.block_labels)
    return len(layout.cluster_labels) if unit == "cluster" else layout.n_instances


def unit_target(layout: Layout, unit: UnitName) -> Target:
    """Return the target of a test that takes units of that name as independent.

    Sources are drawn from a population of sources; blocks of random folds stand for further
    training samples; instances and clusters are tested with the fitted models as they are.
    """
    if unit != "block":
        return Target.THESE_MODELS
    return Target.NEW_SOURCE if layout.kind is BlockKind.SOURCE else Target.THESE_SOURCES


def paired_units(pair: PairedLosses, named: UnitName | None) -> PairedUnits:
    """Average the differences of each unit over its rows and repeats."""
    layout = pair.difference.layout
    unit = unit_of(layout, named)
    a, b, values = (unit_means(losses, unit) for losses in (pair.a, pair.b, pair.difference))
    roundings = np.abs(a)
    np.maximum(roundings, np.abs(b), out=roundings)
    roundings *= ROUNDINGS
    nothing = np.abs(values) <= roundings
    if nothing.any():
        values = np.where(nothing, 0.0, values)
    return PairedUnits(unit, values, roundings, unit_weights(layout, unit, len(values)))


def unit_cautions(layout: Layout, units: PairedUnits) -> tuple[Caution, ...]:
    """Cautions of every test that takes these units as independent."""
    return cautions_of_count(layout, units.unit, units.n_units - units.n_zeros)


def cautions_of_count(layout: Layout, unit: UnitName, n: int) -> tuple[Caution, ...]:
    """Cautions where n units of a pair have a difference."""
    cautions = [*dependence_cautions(layout, unit)]
    if 0 < n <= FEW_UNITS_OF_A_SIGN_TEST:
        cautions.append(
            FEW_UNITS(
                subject="The test",
                n=n,
                unit=unit,
                consequence=f"the smallest possible two-sided p-value is {2.0 ** (1 - n):g}",
            )
        )
    if n == 0:
        cautions.append(NO_DIFFERENCE(unit=unit))
    return tuple(cautions)


def dependence_cautions(layout: Layout, unit: UnitName) -> tuple[Caution, ...]:
    """Cautions of what ties the units together, which the tests take as independent."""
    if layout.kind in {BlockKind.RANDOM, BlockKind.SUBSAMPLES}:
        return (overlapping_training_sets() if unit == "block" else fitted_models_only(),)
    if layout.kind is BlockKind.SOURCE and unit != "block":
        return (INSTANCES_SHARE_A_SOURCE(unit=unit),)
    return ()


def fitted_models_only() -> Caution:
    """Caution of a test over the instances of random folds."""
    return IGNORES_TRAINING_VARIANCE(subject="The test")


def overlapping_training_sets() -> Caution:
    """Caution of a test that takes the blocks' means as independent."""
    return IGNORES_TRAINING_OVERLAP()


def subsamples_refusal(name: str, layout: Layout) -> str | None:
    """Say that a method is not for test parts that may overlap, or None."""
    if layout.kind is not BlockKind.SUBSAMPLES:
        return None
    return (
        f"{name} takes each instance to be tested once, or the blocks to be independent; the test "
        "parts of subsamples may overlap"
    )


def _block_refusal(name: str, layout: Layout) -> str | None:
    if layout.kind is BlockKind.SUBSAMPLES:
        return (
            f"{name} by block takes the blocks as independent, and the test parts of subsamples "
            "may overlap"
        )
    if layout.kind is BlockKind.HOLDOUT:
        return f"{name} by block needs two blocks, and a holdout is one"
    if layout.kind is BlockKind.RANDOM and layout.n_repeats > 1:
        return (
            f"{name} by block takes the blocks as independent, and those of "
            f"{layout.n_repeats} repeats hold the same instances"
        )
    return None


def unit_means(losses: BlockLosses, unit: UnitName) -> FloatArray:
    """Return the (u,) mean loss of each unit over its rows and repeats."""
    layout = losses.layout
    if unit == "instance":
        return losses.instance_means()
    if unit == "block":
        block, values = layout.split_block, losses.moments.means
    else:
        assert layout.cluster is not None  # noqa: S101 - unit_refusal saw to it
        block, values = layout.cluster, losses.rows
    if len(block) == int(block.max()) + 1:  # one row each: only the order may differ
        means = np.empty(len(block))
        means[block] = values
        return means
    shift = float(values[0])
    return np.asarray(shift + np.bincount(block, weights=values - shift) / np.bincount(block))


def unit_weights(layout: Layout, unit: UnitName, n_units: int) -> FloatArray:
    if unit == "cluster":
        assert layout.cluster is not None  # noqa: S101 - unit_refusal saw to it
        return np.asarray(np.bincount(layout.cluster) / len(layout.cluster))
    return np.broadcast_to(np.float64(1 / n_units), (n_units,))


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
