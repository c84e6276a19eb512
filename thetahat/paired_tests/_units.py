"""The units that a test takes as independent: instances, clusters of instances, or blocks."""

from __future__ import annotations

from typing import NamedTuple

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
from thetahat.numerics.bootstrap import default_unit
from thetahat.numerics.loops.compiling import as_read_only
from thetahat.paired_tests.base import PairBatch
from thetahat.values.block_losses import ROUNDING, BlockLosses
from thetahat.values.layout import Layout
from thetahat.values.time_order import explain_dependence_in_time
from thetahat.values.types import BlockKind, FloatArray, IntArray, Target, UnitName


def choose_unit(layout: Layout, requested: UnitName | None) -> UnitName:
    """Return the requested unit, or the default of the layout.

    The default is blocks if they are sources; otherwise clusters if they are known, else instances.
    """
    return default_unit(layout) if requested is None else requested


def reason_against_unit(name: str, layout: Layout, requested: UnitName | None) -> str | None:
    """Return why the test of that name cannot use the unit on this layout, or None if it can."""
    unit = choose_unit(layout, requested)
    if unit == "block":
        return _explain_unfit_blocks(name, layout)
    if not layout.has_rows:
        value = layout.words.value
        return f"{name} by {unit} needs one {value} per instance, but there is one score per split"
    if unit == "cluster":
        return f"{name} by cluster needs a cluster column" if layout.cluster is None else None
    if not layout.is_matched:
        rows = "subsamples" if layout.n_repeats == 1 else f"{layout.n_repeats} repeats"
        return f"{name} by instance needs an instance column to match the rows of {rows}"
    return explain_dependence_in_time(name, layout)


def _explain_unfit_blocks(name: str, layout: Layout) -> str | None:
    block, blocks = layout.words.block, layout.words.blocks
    if layout.kind is BlockKind.SUBSAMPLES:
        return (
            f"{name} by {block} needs independent {blocks}, but the test parts of subsamples may "
            "overlap"
        )
    if layout.kind is BlockKind.HOLDOUT:
        return f"{name} by block needs at least two blocks, but a holdout is one block"
    if layout.kind is BlockKind.RANDOM and layout.n_repeats > 1:
        return (
            f"{name} by {block} needs independent {blocks}, but the {blocks} of {layout.n_repeats} "
            "repeats contain the same instances"
        )
    return None


def reason_against_subsamples(name: str, layout: Layout) -> str | None:
    """Return why the method of that name cannot use subsamples, or None for another layout."""
    if layout.kind is not BlockKind.SUBSAMPLES:
        return None
    return (
        f"{name} needs {layout.words.blocks} that are independent or test each instance once, but "
        "the test parts of subsamples may overlap"
    )


def reason_against_dependent_instances(name: str, layout: Layout) -> str | None:
    """Return why the instances of a layout depend on each other or are tested often, or None."""
    if layout.kind is BlockKind.SOURCE:
        block = layout.words.block
        return (
            f"{name} needs independent instances, but instances of one {block} resemble each other"
        )
    if reason := reason_against_subsamples(name, layout):
        return reason
    if layout.cluster is not None:
        return f"{name} needs independent instances, but these come in clusters"
    return explain_dependence_in_time(name, layout)


def count_units(layout: Layout, unit: UnitName) -> int:
    """Return the number of units."""
    if unit == "block":
        return len(layout.block_labels)
    return len(layout.cluster_labels) if unit == "cluster" else layout.n_instances


def unit_target(layout: Layout, unit: UnitName) -> Target:
    """Return the target of a test that takes these units as independent.

    Sources are a sample of all sources. Blocks of random folds have different models, which are
    taken as a sample of training sets. Instances and clusters test the trained models.
    """
    if unit != "block":
        return Target.THESE_MODELS
    return Target.NEW_SOURCE if layout.kind is BlockKind.SOURCE else Target.THESE_SOURCES


def unit_means(losses: BlockLosses, unit: UnitName) -> FloatArray:
    """Return the (u,) mean loss of each unit over its rows and repeats."""
    layout = losses.layout
    if unit == "instance":
        return losses.compute_instance_means()
    if unit == "block":
        unit_of_value, values = layout.split_block, losses.moments.means
    else:
        assert layout.cluster is not None  # noqa: S101 - reason_against_unit checks it
        unit_of_value, values = layout.cluster, losses.rows
    # each unit has one value; only the order differs
    if len(unit_of_value) == int(unit_of_value.max()) + 1:
        means = np.empty(len(unit_of_value))
        means[unit_of_value] = values
        return means
    shift = float(values[0])
    sums = np.bincount(unit_of_value, weights=values - shift)
    return np.asarray(shift + sums / np.bincount(unit_of_value))


def unit_weights(layout: Layout, unit: UnitName, n_units: int) -> FloatArray:
    """Return the (u,) share of each unit in the mean: by size for clusters, else equal."""
    if unit == "cluster":
        assert layout.cluster is not None  # noqa: S101 - reason_against_unit checks it
        return np.asarray(np.bincount(layout.cluster) / len(layout.cluster))
    return np.full(n_units, 1 / n_units)


def unit_cautions(layout: Layout, unit: UnitName, n_different: int) -> tuple[Caution, ...]:
    """Return the cautions of a test of which ``n_different`` units have a difference."""
    cautions = [*dependence_cautions(layout, unit)]
    if 0 < n_different <= FEW_UNITS_OF_A_SIGN_TEST:
        cautions.append(
            FEW_UNITS(
                subject="The test",
                n=n_different,
                units=layout.words.get_unit(unit).plural,
                consequence=(
                    f"the smallest possible two-sided p-value is {2.0 ** (1 - n_different):g}"
                ),
            )
        )
    if n_different == 0:
        cautions.append(NO_DIFFERENCE(unit=layout.words.get_unit(unit).singular))
    return tuple(cautions)


def dependence_cautions(layout: Layout, unit: UnitName) -> tuple[Caution, ...]:
    """Return the caution that the units are not independent, if they are not."""
    if layout.kind in {BlockKind.RANDOM, BlockKind.SUBSAMPLES}:
        if unit == "block":
            return (IGNORES_TRAINING_OVERLAP(),)
        return (IGNORES_TRAINING_VARIANCE(subject="The test"),)
    if layout.kind is BlockKind.SOURCE and unit != "block":
        noun = layout.words.get_unit(unit)
        return (INSTANCES_SHARE_A_SOURCE(layout.words, unit=noun.singular, units=noun.plural),)
    return ()


class PairedUnits(NamedTuple):
    """Differences of the units of p pairs, one row per pair."""

    unit: UnitName
    """``instance``, ``cluster`` or ``block``."""
    values: FloatArray
    """(p, u) mean differences; exactly 0 if smaller than their rounding error."""
    model_roundings: FloatArray
    """(m, u) bound on the rounding error of the unit means of each model: 8 units in the last place
    of the losses."""
    positions: IntArray
    """(p, 2) indices of the two models of each pair."""
    weights: FloatArray
    """(u,) share of each unit in the mean difference, which sum to 1: proportional to their sizes
    for clusters, equal for instances and blocks."""
    dropped: FloatArray
    """(p,) sum of the absolute differences that were set to 0."""
    n_positive: IntArray
    n_negative: IntArray
    """(p,) number of units with a positive and with a negative difference."""
    cautions: tuple[tuple[Caution, ...], ...]
    """(p,) cautions of each pair, as ``unit_cautions`` returns them."""

    @property
    def n_units(self) -> int:
        """Number of units, including those whose difference is 0."""
        return len(self.weights)

    @property
    def n_zeros(self) -> IntArray:
        """(p,) number of units whose difference is 0."""
        return np.asarray(self.n_units - self.n_positive - self.n_negative)

    def roundings(self, row: int) -> FloatArray:
        """Return the (u,) bounds on the rounding errors of one pair's values."""
        a, b = self.positions[row]
        return np.asarray(np.maximum(self.model_roundings[a], self.model_roundings[b]))


def batch_units(batch: PairBatch, requested: UnitName | None) -> PairedUnits:
    """Average the differences of each unit of each pair, once for all tests of the batch."""
    unit = choose_unit(batch.layout, requested)
    return batch.batch_cache.compute_once(
        ("paired units", unit), lambda: _compute_batch_units(batch, unit)
    )


def model_unit_means(batch: PairBatch, model: int, unit: UnitName) -> FloatArray:
    """Return the (u,) mean losses of one model's units, computed once for all batches."""
    return batch.evaluation_cache.compute_once(
        ("unit means", unit, model), lambda: unit_means(batch.models[model], unit)
    )


def _compute_batch_units(batch: PairBatch, unit: UnitName) -> PairedUnits:
    differences = _average_unit_differences(batch, unit)
    model_roundings = _bound_model_roundings(batch, unit)
    values, dropped, n_positive, n_negative = _zero_rounding_errors(
        differences, model_roundings, batch.positions
    )
    counts = (n_positive + n_negative).tolist()
    cautions = {n: unit_cautions(batch.layout, unit, n) for n in set(counts)}
    return PairedUnits(
        unit=unit,
        values=as_read_only(values),  # may be the array of the batch itself
        model_roundings=model_roundings,
        positions=batch.positions,
        weights=unit_weights(batch.layout, unit, values.shape[1]),
        dropped=dropped,
        n_positive=n_positive,
        n_negative=n_negative,
        cautions=tuple(map(cautions.__getitem__, counts)),
    )


def _zero_rounding_errors(
    values: FloatArray, model_roundings: FloatArray, positions: IntArray
) -> tuple[FloatArray, FloatArray, IntArray, IntArray]:
    """Return differences in which pure rounding errors are set to 0.

    Parameters
    ----------
    values : ndarray of float
        (p, u) differences; they stay as they are.
    model_roundings : ndarray of float
        (m, u) bounds on the rounding errors of the models' units; the bound of a difference is
        the larger one of its two models.
    positions : ndarray of int
        (p, 2) the two models of each pair.

    Returns
    -------
    values : ndarray of float
        (p, u) differences; the argument itself if nothing is set to 0.
    dropped : ndarray of float
        (p,) sum of the absolute values that were set to 0.
    n_positive, n_negative : ndarray of int
        (p,) number of remaining differences of either sign.
    """
    roundings = model_roundings[positions[:, 0]]
    np.maximum(roundings, model_roundings[positions[:, 1]], out=roundings)
    sizes = np.abs(values)
    is_rounding = sizes <= roundings
    dropped = np.zeros(len(values))
    if np.any(is_rounding & (sizes > 0)):
        dropped = np.where(is_rounding, sizes, 0.0).sum(axis=1)
        values = np.where(is_rounding, 0.0, values)
    n_positive = np.count_nonzero(values > 0, axis=1)
    return values, dropped, n_positive, np.count_nonzero(values < 0, axis=1)


def _average_unit_differences(batch: PairBatch, unit: UnitName) -> FloatArray:
    """Return the (p, u) mean differences of the units."""
    layout, differences = batch.layout, batch.differences
    if unit == "instance" and differences is not None:
        if layout.instance is None:
            return differences
        if layout.n_instances == layout.n_rows:
            values = np.empty_like(differences)
            values[:, layout.instance] = differences
            return values
    return np.stack([unit_means(pair.difference, unit) for pair in batch.pairs])


def _bound_model_roundings(batch: PairBatch, unit: UnitName) -> FloatArray:
    """Return (m, u) rounding errors of the models' unit means, computed once for all batches."""

    def compute() -> FloatArray:
        first = model_unit_means(batch, 0, unit)
        roundings = np.empty((len(batch.models), len(first)))
        for model, of_model in enumerate(roundings):
            np.abs(model_unit_means(batch, model, unit), out=of_model)
        roundings *= ROUNDING
        return roundings

    return batch.evaluation_cache.compute_once(("unit roundings", unit), compute)
