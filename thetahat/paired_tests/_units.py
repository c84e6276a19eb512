"""What is paired in a test: instances, clusters of instances, or blocks."""

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
from thetahat.paired_tests.base import PairedLosses
from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import Layout
from thetahat.values.types import BlockKind, FloatArray, Target, UnitName

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
