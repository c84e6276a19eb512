"""The units that a resample of a loss table draws, and the strata they are drawn from."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from thetahat.errors import UnsupportedCombination
from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import Layout
from thetahat.values.time_order import explain_dependence_in_time
from thetahat.values.types import BlockKind, FloatArray, IntArray, MeanKind, Target, UnitName


@dataclass(frozen=True, eq=False)
class Units:
    r"""The units of a layout that are drawn with replacement, and the mean that they make.

    .. math:: \hat\mu = \frac1S \sum_{k=1}^{S} \frac{\sum_{u \in k} s_u}{\sum_{u \in k} m_u}

    with S strata, s_u the sum of a unit's losses and m_u their number. From each stratum as many
    units are drawn as it has. If ``sizes`` is None every m_u is 1.
    """

    layout: Layout
    """Of the losses."""
    unit: UnitName
    """``instance``, ``cluster`` or ``block``."""
    starts: IntArray
    """(S + 1,) first unit of each stratum."""
    sizes: FloatArray | None
    """(U,) m_u; None if the units have equal weights. Only a single stratum has sizes."""
    unit_of_row: IntArray | None
    """(n,) unit of each row, in input order; None if the units are rows in the order of the
    layout's blocks, or if a unit is a block."""
    target: Target
    """The target of the mean over resamples."""
    mean: MeanKind
    """Kind of the mean."""

    @property
    def n_units(self) -> int:
        """U, over all strata."""
        return int(self.starts[-1])

    @property
    def n_strata(self) -> int:
        """S, the number of strata."""
        return len(self.starts) - 1

    @cached_property
    def in_stratum(self) -> IntArray:
        """(S,) number of units of each stratum."""
        return np.diff(self.starts)

    def by_stratum(self, values: FloatArray) -> FloatArray:
        """Return the sums by stratum, (S, ...), of values by unit, (U, ...)."""
        return np.add.reduceat(values, self.starts[:-1], axis=0)

    def to_units(self, values: np.ndarray) -> np.ndarray:
        """Return the (U,) value of each unit's stratum from (S,) values; (1,) for one stratum."""
        return values if self.n_strata == 1 else np.repeat(values, self.in_stratum)

    def means_and_residuals(self, losses: BlockLosses) -> tuple[float, FloatArray]:
        """Return the mean of one model and the (U,) residuals of the units.

        A residual is s_u minus m_u times the stratum's mean: the residuals of a stratum sum to 0,
        so that a mean far above the spread loses no digits.
        """
        sums, shift = self._sum_shifted_losses(losses)
        if self.sizes is not None:
            centre = float(sums.sum() / self.sizes.sum())
            residuals = sums - centre * self.sizes
            return shift + centre, self._zero_rounding(residuals, losses.rounding_of_means)
        means = self.by_stratum(sums) / self.in_stratum
        residuals = sums - self.to_units(means)
        # the means are rounded, so the remaining sum is subtracted too
        left = self.by_stratum(residuals) / self.in_stratum
        residuals = residuals - self.to_units(left)
        residuals = self._zero_rounding(residuals, losses.rounding_of_means)
        return shift + float((means + left).mean()), residuals

    def _zero_rounding(self, residuals: FloatArray, reach: float) -> FloatArray:
        """Return the residuals, or zeros if their mean has no standard error but for rounding."""
        n = self.in_stratum if self.sizes is None else self.sizes.sum()
        variance = float((self.by_stratum(residuals**2) / n**2).sum()) / self.n_strata**2
        return np.zeros_like(residuals) if variance <= reach**2 else residuals

    def _sum_shifted_losses(self, losses: BlockLosses) -> tuple[FloatArray, float]:
        """Return the (U,) sums of the units' losses minus a shift, and the shift."""
        if self.unit == "block":
            moments = losses.moments
            times = np.bincount(self.layout.split_block)
            sums = np.bincount(self.layout.split_block, weights=moments.deviations)
            return np.asarray(sums / times), moments.shift
        shift = float(losses.rows[0])
        shifted = losses.rows - shift
        if self.unit_of_row is not None:
            return np.asarray(np.bincount(self.unit_of_row, weights=shifted)), shift
        return shifted if self.layout.order is None else shifted[self.layout.order], shift

    def spread_over_rows(self, by_unit: FloatArray) -> FloatArray:
        """Return (b, n) values by row, in input order, of (b, U) values by unit."""
        if self.unit == "block":
            return by_unit[:, self.layout.split_block[self.layout.get_split_of_row()]]
        if self.unit_of_row is not None:
            return by_unit[:, self.unit_of_row]
        if self.layout.order is None:
            return by_unit
        by_row = np.empty_like(by_unit)
        by_row[:, self.layout.order] = by_unit
        return by_row


def default_unit(layout: Layout) -> UnitName:
    """Return the default unit, which may be taken as independent.

    That is a source if the blocks are sources; otherwise a cluster if clusters are known, else an
    instance.
    """
    if layout.kind is BlockKind.SOURCE:
        return "block"
    return "instance" if layout.cluster is None else "cluster"


def reason_against_units(name: str, layout: Layout, unit: UnitName | None = None) -> str | None:
    """Return why this unit of the layout cannot be drawn, or None."""
    unit = unit or default_unit(layout)
    block, blocks = layout.words.block, layout.words.blocks
    if unit == "block":
        if layout.kind is BlockKind.HOLDOUT:
            return f"{name} by block draws whole blocks, but a holdout has only one"
        if layout.kind is not BlockKind.SOURCE and not layout.has_one_row_each:
            return (
                f"{name} by {block} takes the {blocks} as independent, and those of subsamples or "
                "of several repeats hold the same instances"
            )
        return None
    if not layout.has_rows:
        value = layout.words.value
        return (
            f"{name} by {unit} needs one {value} per instance, and only one score per split is "
            "given"
        )
    if unit == "cluster":
        if layout.cluster is None:
            return f"{name} by cluster needs a cluster column"
        if len(layout.cluster_labels) < 2:
            return f"{name} by cluster needs at least two clusters, and there is one"
        return None
    if not layout.is_matched:
        return (
            f"{name} by instance needs an instance column to match the rows of subsamples or of "
            "several repeats"
        )
    if layout.has_one_row_each and layout.n_test.max() < 2:
        return f"{name} draws instances within {blocks}, and every {block} has one"
    return explain_dependence_in_time(name, layout)


def build_units(layout: Layout, unit: UnitName | None = None) -> Units:
    """Return the units of a layout to draw.

    Instances are drawn within their blocks, so that every resample has the blocks' sizes, and the
    mean is the macro mean. Clusters are drawn whole from all there are, and so are the instances of
    several repeats or of subsamples, each with all its rows: their mean is the pooled one. Blocks
    are drawn whole, each with its mean. Raises ``UnsupportedCombination`` if the layout does not
    have this unit.
    """
    reason = reason_against_units("the bootstrap", layout, unit)
    if reason is not None:
        raise UnsupportedCombination(reason, loc=("unit",), value=unit)
    unit = unit or default_unit(layout)
    if unit == "block":
        by_source = layout.kind is BlockKind.SOURCE
        target = Target.NEW_SOURCE if by_source else Target.THESE_SOURCES
        ends = np.array([0, len(layout.block_labels)], dtype=np.intp)
        return Units(layout, unit, ends, None, None, target, MeanKind.MACRO)
    codes = layout.cluster if unit == "cluster" else layout.instance
    if codes is not None and (unit == "cluster" or not layout.has_one_row_each):
        sizes = np.bincount(codes).astype(np.float64)
        ends = np.array([0, len(sizes)], dtype=np.intp)
        return Units(layout, unit, ends, sizes, codes, Target.THESE_MODELS, MeanKind.POOLED)
    assert layout.starts is not None  # noqa: S101 - unit_misfit saw to it
    mean = MeanKind.POOLED if layout.kind is BlockKind.HOLDOUT else MeanKind.MACRO
    return Units(layout, unit, layout.starts, None, None, Target.THESE_MODELS, mean)
