"""The rows of a test over many models: one mean loss per unit and model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from thetahat.multiple_tests._ranks import RowStatistic
from thetahat.multiple_tests.base import FEWEST_MODELS
from thetahat.paired_tests._units import (
    count_units,
    dependence_cautions,
    unit_means,
    unit_refusal,
    unit_target,
)
from thetahat.values.block_losses import LossTable
from thetahat.values.layout import Layout
from thetahat.values.types import BlockKind, Caution, FloatArray, Target, UnitName

_FEW = 10  # rows; below it chi squared and F are rough approximations


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
    if len(losses) < _FEW:
        cautions.append(
            Caution(
                "few_units",
                f"the reference distribution is for many rows, and there are {len(losses)} "
                f"{unit}s: the p-value is rough",
            )
        )
    target = unit_target(table.layout, unit)
    return Rows(unit, losses, table.names, tuple(cautions), target)


def no_difference(rows: Rows) -> Caution:
    """Caution of a test on rows that are all flat."""
    return Caution("no_difference", f"no {rows.unit} tells the models apart; the p-value is 1")


def f_cautions(rows: Rows, statistic: RowStatistic, *, is_flat: bool) -> tuple[Caution, ...]:
    """Return the rows' cautions, and those of an F that is undefined or infinite."""
    if is_flat:
        return (*rows.cautions, no_difference(rows))
    if statistic.log_orders is None:
        return rows.cautions
    return (
        *rows.cautions,
        Caution(
            "rows_agree",
            f"all {rows.n_rows} {rows.unit}s rank the models alike, so that F is infinite; the "
            "p-value is the chance of that when the models are exchangeable in each of them",
        ),
    )
