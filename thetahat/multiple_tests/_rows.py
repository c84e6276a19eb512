"""The rows of a test over many models: one mean loss per unit and model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from thetahat.cautions import FEW_ROWS_OF_A_RANK_TEST, FEW_UNITS, NO_DIFFERENCE, ROWS_AGREE, Caution
from thetahat.multiple_tests._ranks import RowStatistic
from thetahat.multiple_tests.base import FEWEST_MODELS
from thetahat.paired_tests._choices import check_choice
from thetahat.paired_tests._units import (
    count_units,
    dependence_cautions,
    unit_means,
    unit_refusal,
    unit_target,
)
from thetahat.registry import MethodInfo
from thetahat.values.block_losses import LossTable
from thetahat.values.layout import Layout
from thetahat.values.types import UNITS, BlockKind, FloatArray, Target, UnitName


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """Mean losses of the units that a test takes as independent.

    Parameters
    ----------
    unit : str
        ``instance``, ``cluster`` or ``block``.
    losses : ndarray of float
        (N, k) one row per unit, one column per model; smaller is better.
    names : tuple of str
        (k,) models.
    cautions : tuple of Caution
        On the rows as such.
    target : Target
        What a test that takes these units as independent is about.
    """

    unit: UnitName
    losses: FloatArray
    names: tuple[str, ...]
    cautions: tuple[Caution, ...]
    target: Target

    @property
    def n_rows(self) -> int:
        """Number of rows, N."""
        return len(self.losses)

    @property
    def n_models(self) -> int:
        """Number of models, k."""
        return len(self.names)

    def by_model(self, values: Sequence[float] | FloatArray) -> dict[str, float]:
        """Return (k,) values by model name."""
        return dict(zip(self.names, np.asarray(values, dtype=np.float64).tolist(), strict=True))


def row_unit(layout: Layout, named: UnitName | None) -> UnitName:
    """Return the unit asked for, or blocks; for a holdout clusters where known, or instances."""
    if named is not None:
        return named
    if layout.kind is not BlockKind.HOLDOUT:
        return "block"
    return "instance" if layout.cluster is None else "cluster"


def row_refusal(name: str, layout: Layout, n_models: int, named: UnitName | None) -> str | None:
    """Say why there are no rows of that unit, or too few rows or models, or None."""
    if n_models < FEWEST_MODELS:
        return f"{name} compares at least {FEWEST_MODELS} models, and there are {n_models}"
    unit = row_unit(layout, named)
    reason = unit_refusal(name, layout, unit)
    if reason is None and count_units(layout, unit) < 2:
        return f"{name} needs at least two rows, and there is one {unit}"
    return reason


def rows_of(table: LossTable, named: UnitName | None) -> Rows:
    """Average the losses of each unit over its rows and repeats; scores change their sign."""
    unit = row_unit(table.layout, named)
    losses = np.column_stack([unit_means(model, unit) for model in table.models.values()])
    if table.higher_is_better:
        losses = -losses
    cautions = list(dependence_cautions(table.layout, unit))
    if len(losses) < FEW_ROWS_OF_A_RANK_TEST:
        cautions.append(
            FEW_UNITS(
                subject="The test",
                n=len(losses),
                unit=unit,
                consequence="its reference distribution is for many, so the p-value is approximate",
            )
        )
    target = unit_target(table.layout, unit)
    return Rows(unit, losses, table.names, tuple(cautions), target)


def no_difference(rows: Rows) -> Caution:
    """Caution of a test on rows that are all flat."""
    return NO_DIFFERENCE(unit=rows.unit)


def f_cautions(rows: Rows, statistic: RowStatistic, *, is_flat: bool) -> tuple[Caution, ...]:
    """Return the rows' cautions, and those of an F that is undefined or infinite."""
    if is_flat:
        return (*rows.cautions, no_difference(rows))
    if statistic.log_orders is None:
        return rows.cautions
    return (
        *rows.cautions,
        ROWS_AGREE(n=rows.n_rows, unit=rows.unit),
    )


@dataclass(frozen=True, slots=True)
class RowTest:
    """A test whose rows are block means, or clusters or instances of a holdout.

    Parameters
    ----------
    unit : str or None
        What a row is: ``instance``, ``cluster`` or ``block``. Left out: blocks; for a holdout
        clusters, where they are known, or instances.
    """

    unit: UnitName | None = None

    info: ClassVar[MethodInfo]

    def __post_init__(self) -> None:
        check_choice("unit", self.unit, UNITS)

    def inapplicable(self, layout: Layout, n_models: int) -> str | None:
        """Say why there are no such rows, or too few rows or models, or None."""
        return row_refusal(self.info.name, layout, n_models, self.unit)
