"""The rows of a test of many models: one mean loss per unit and model."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from thetahat.cautions import (
    FEW_ROWS_OF_A_RANK_TEST,
    FEW_UNITS,
    INFINITE_STATISTIC,
    NO_DIFFERENCE,
    ROWS_AGREE,
    Caution,
)
from thetahat.multiple_tests.base import MIN_MODELS, OmnibusOutcome
from thetahat.paired_tests._units import (
    count_units,
    dependence_cautions,
    reason_against_unit,
    unit_means,
    unit_target,
)
from thetahat.parameter_checks import check_choice
from thetahat.registry import MethodInfo
from thetahat.values.block_losses import LossTable
from thetahat.values.block_nouns import BlockNoun
from thetahat.values.layout import Layout
from thetahat.values.types import UNITS, BlockKind, FloatArray, Target, UnitName


class LossRows(NamedTuple):
    """Mean losses of the units that a test takes as independent."""

    unit: UnitName
    """``instance``, ``cluster`` or ``block``."""
    noun: BlockNoun
    """The word for it in sentences."""
    losses: FloatArray
    """(N, k) one row per unit, one column per model; smaller is better, so scores have their sign
    changed."""
    names: tuple[str, ...]
    """(k,) names of the models."""
    cautions: tuple[Caution, ...]
    """Cautions about the rows: too few, or not independent."""
    target: Target
    """What a test that takes these units as independent is about."""
    are_scores: bool = False
    """Whether the losses are scores with their sign changed."""

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

    def describe_means(self, means: FloatArray) -> dict[str, dict[str, float]]:
        """Return (k,) means of ``losses`` as ``mean_losses``, or of scores as ``mean_scores``."""
        if self.are_scores:
            return {"mean_scores": self.by_model(0.0 - means)}
        return {"mean_losses": self.by_model(means)}

    def list_cautions(
        self, *, is_flat: bool, all_agree: bool = False, is_infinite: bool = False
    ) -> tuple[Caution, ...]:
        """Return the cautions of the rows, and of a statistic that is undefined or infinite.

        Parameters
        ----------
        is_flat : bool
            Whether no row distinguishes the models.
        all_agree : bool
            Whether F is infinite, because all rows have the models in one order.
        is_infinite : bool
            Whether the statistic is infinite, because two models differ equally in every row.
        """
        if is_flat:
            return (*self.cautions, NO_DIFFERENCE(unit=self.noun.singular))
        if all_agree:
            return (*self.cautions, ROWS_AGREE(n=self.n_rows, units=self.noun.plural))
        if is_infinite:
            return (*self.cautions, INFINITE_STATISTIC(unit=self.noun.singular))
        return self.cautions


def choose_row_unit(layout: Layout, requested: UnitName | None) -> UnitName:
    """Return the requested unit, or the default.

    The default is blocks; for a holdout clusters if they are known, else instances.
    """
    if requested is not None:
        return requested
    if layout.kind is not BlockKind.HOLDOUT:
        return "block"
    return "instance" if layout.cluster is None else "cluster"


def explain_unfit_rows(
    name: str, layout: Layout, n_models: int, requested: UnitName | None
) -> str | None:
    """Return why the test of that name has too few models or no rows of that unit, or None."""
    if n_models < MIN_MODELS:
        return f"{name} compares at least {MIN_MODELS} models, but there are {n_models}"
    unit = choose_row_unit(layout, requested)
    reason = reason_against_unit(name, layout, unit)
    if reason is None and count_units(layout, unit) < 2:
        noun = layout.words.get_unit(unit)
        return f"{name} needs at least two rows, but there is one {noun.singular}"
    return reason


def build_rows(table: LossTable, requested: UnitName | None) -> LossRows:
    """Average the losses of each unit over its rows and repeats; scores change their sign."""
    unit = choose_row_unit(table.layout, requested)
    losses = np.column_stack([unit_means(model, unit) for model in table.models.values()])
    if table.higher_is_better:
        losses = -losses
    noun = table.layout.words.get_unit(unit)
    cautions = list(dependence_cautions(table.layout, unit))
    if len(losses) < FEW_ROWS_OF_A_RANK_TEST:
        cautions.append(
            FEW_UNITS(
                subject="The test",
                n=len(losses),
                units=noun.plural,
                consequence="its reference distribution is for many, so the p-value is approximate",
            )
        )
    target = unit_target(table.layout, unit)
    return LossRows(
        unit, noun, losses, table.names, tuple(cautions), target, are_scores=table.higher_is_better
    )


@dataclass(frozen=True, slots=True)
class RowTest(ABC):
    """Base class of tests whose rows are block means, or clusters or instances of a holdout."""

    unit: UnitName | None = None
    """Unit that is a row: ``instance``, ``cluster`` or ``block``. By default blocks; for a holdout
    clusters if they are known, else instances."""

    info: ClassVar[MethodInfo]

    def __post_init__(self) -> None:
        check_choice("unit", self.unit, UNITS)

    def inapplicable(self, layout: Layout, n_models: int) -> str | None:
        """Return why there are too few models or no such rows, or None if there are."""
        return explain_unfit_rows(self.info.name, layout, n_models, self.unit)

    def test(
        self,
        table: LossTable,
        rng: np.random.Generator,  # noqa: ARG002 - draws no random numbers
    ) -> OmnibusOutcome:
        """Test that no model tends to have smaller losses than another."""
        return self.test_rows(build_rows(table, self.unit))

    @abstractmethod
    def test_rows(self, rows: LossRows) -> OmnibusOutcome:
        """Test that no model tends to have smaller losses in the rows than another."""
