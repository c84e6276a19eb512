"""What is fixed when a series begins: models, question, margin, level, method and stop rule."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from thetahat.analyses.series.statements import NEED_MARGIN, Statement
from thetahat.errors import InvalidParameter, UnsupportedCombination, run_checks
from thetahat.parameter_checks import MAX_ROWS, check_level, check_positive, check_range
from thetahat.sequential import SequentialMethod, SequentialQuestion
from thetahat.sequential.asymptotic import Asymptotic
from thetahat.values.types import Better

DEFAULT_LEVEL: Final = 0.95


class Unit(StrEnum):
    """What is independent in a series."""

    ROW = "row"
    CLUSTER = "cluster"


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """What is expected before the first batch, for the plan."""

    difference: float
    """Mean loss of the first model minus that of the second, or minus the reference."""
    standard_deviation: float
    """Standard deviation of the differences of single units, or of the losses of one model."""
    batch_units: int
    """Rows, or clusters, in a batch."""

    def __post_init__(self) -> None:
        if not math.isfinite(self.difference):
            raise InvalidParameter("The expected difference must be finite.", loc=("difference",))
        check_positive("standard_deviation", self.standard_deviation)
        check_range("batch_units", self.batch_units, 1, MAX_ROWS)


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesDesign:
    """What is fixed when a series begins.

    ``InvalidParameter`` and ``UnsupportedCombination`` name the field that does not fit.
    """

    models: tuple[str, ...]
    """One model, or two: the first is compared with the second."""
    better: Better = "lower"
    """Which values are better."""
    reference: float | None = None
    """The mean that a single model is compared with."""
    margin: float | None = None
    """The difference that does not matter."""
    level: float = DEFAULT_LEVEL
    """Confidence level of the intervals of all looks together."""
    method: SequentialMethod = field(default_factory=Asymptotic)
    """The sequential method."""
    stop: tuple[Statement, ...] = ()
    """Statements that are decisions; empty: better, worse, and with a margin equivalent."""
    unit: Unit = Unit.ROW
    """What is independent: the rows, or clusters of rows."""
    expected: Expected | None = None
    """What is expected before the first batch, for the plan."""

    def __post_init__(self) -> None:
        run_checks(*self._list_checks())

    @property
    def is_pair(self) -> bool:
        """Whether two models are compared."""
        return len(self.models) > 1

    @property
    def question(self) -> SequentialQuestion:
        """What the method is asked at every look."""
        return SequentialQuestion(
            level=self.level,
            reference=0.0 if self.reference is None else self.reference,
            is_pair=self.is_pair,
        )

    @property
    def decisions(self) -> tuple[Statement, ...]:
        """The statements that are decisions."""
        if self.stop:
            return self.stop
        both = (Statement.BETTER, Statement.WORSE)
        return both if self.margin is None else (Statement.EQUIVALENT, *both)

    def orient(self, lower: float, upper: float) -> tuple[float, float]:
        """Return an interval of the mean as one of the loss minus 0 or minus the reference."""
        reference = self.question.reference
        if self.better == "higher":
            return reference - upper, reference - lower
        return lower - reference, upper - reference

    def _list_checks(self) -> list[Callable[[], object]]:
        return [
            self._check_models,
            self._check_reference,
            lambda: check_level(self.level),
            lambda: None if self.margin is None else check_positive("margin", self.margin),
            self._check_stop,
            self._check_method,
        ]

    def _check_models(self) -> None:
        names = self.models
        if len(names) not in {1, 2} or len(set(names)) < len(names):
            raise InvalidParameter(
                "models must have the name of one model, or two different names; got "
                f"{list(names)!r}. Make a series for each pair.",
                loc=("models",),
                value=list(names),
            )

    def _check_reference(self) -> None:
        if self.is_pair and self.reference is not None:
            raise InvalidParameter(
                "reference is for one model alone; two models are compared with each other.",
                loc=("reference",),
                value=self.reference,
            )
        if len(self.models) == 1 and self.reference is None:
            raise InvalidParameter(
                "One model alone needs a reference, the mean that it is compared with.",
                loc=("reference",),
            )
        if self.reference is not None and not math.isfinite(self.reference):
            raise InvalidParameter("reference must be a finite number.", loc=("reference",))

    def _check_stop(self) -> None:
        if len(set(self.stop)) < len(self.stop):
            raise InvalidParameter("stop names a statement twice.", loc=("stop",))
        for place, statement in enumerate(self.stop):
            if statement in NEED_MARGIN and self.margin is None:
                raise InvalidParameter(
                    f"{statement.value} needs a margin, the difference that does not matter.",
                    loc=("stop", place),
                    value=statement.value,
                )
            if statement is Statement.FUTILE and not self.method.list_looks():
                raise UnsupportedCombination(
                    "futile needs the method planned: other methods have no last look at which a "
                    "goal could be out of reach.",
                    loc=("stop", place),
                    value=statement.value,
                )
        if self.stop and not set(self.stop) - {Statement.FUTILE}:
            raise InvalidParameter(
                "stop must have a statement beside futile: better, worse, equivalent or not_worse.",
                loc=("stop",),
            )

    def _check_method(self) -> None:
        has_clusters = self.unit is Unit.CLUSTER
        refusal = self.method.find_refusal(is_pair=self.is_pair, has_clusters=has_clusters)
        if refusal is not None:
            raise UnsupportedCombination(refusal, loc=("method",), value=self.method.info.name)
        is_rate = self.method.info.only_zero_one and not self.is_pair
        if is_rate and self.reference is not None and not 0 < self.reference < 1:
            raise InvalidParameter(
                f"{self.method.info.name} is for 0/1 losses, so the reference must be between 0 "
                f"and 1; got {self.reference!r}.",
                loc=("reference",),
                value=self.reference,
            )
