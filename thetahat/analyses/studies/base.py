"""The interface of a study: repetitions in any order, and the findings made of their records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias

from thetahat.analyses.studies.result import StudyClaim, StudyFigure, StudyTable
from thetahat.cautions import Caution
from thetahat.values.json_values import JsonValue
from thetahat.values.types import FloatArray

Records: TypeAlias = Mapping[str, FloatArray]
"""The numbers of all repetitions by name: arrays of shape (repetitions, ...), NaN where a
repetition has no value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyFindings:
    """What a study computes from the records of its repetitions."""

    tables: tuple[StudyTable, ...] = ()
    """Numbers with their Monte-Carlo standard errors."""
    figures: tuple[StudyFigure, ...] = ()
    """Figures, as numbers."""
    claims: tuple[StudyClaim, ...] = ()
    """Sentences of the source, each with its verdict."""
    cautions: tuple[Caution, ...] = ()
    """What readers must know first: a generator in the place of data, few repetitions."""
    truth_from: str | None = None
    """How the truth was computed, for readers; None if the study says so elsewhere."""
    truths: Mapping[str, str] | None = None
    """The truths that estimates are compared with, in words."""
    details: Mapping[str, JsonValue] = field(default_factory=dict)
    """Further entries of the result's ``study`` object."""


class Study(Protocol):
    """Repetitions that do not depend on each other.

    The numbers of repetition ``i`` depend only on the study, its seed and ``i``. The repetitions
    can therefore be cut into chunks and spread over workers in any way. A study that is faster with
    many repetitions at once draws blocks of ``grain`` repetitions, each from the random stream of
    the block's first repetition (``thetahat.analyses.studies.repetitions.run_in_blocks``).
    """

    @property
    def grain(self) -> int:
        """Repetitions computed together; chunks should begin and end at multiples of it."""
        ...

    def run(self, start: int, stop: int) -> dict[str, FloatArray]:
        """Run the repetitions ``start`` to ``stop - 1``; every array has one row for each."""
        ...

    def finish(self, records: Records) -> StudyFindings:
        """Return tables, figures and claims from the records of all repetitions done so far."""
        ...
