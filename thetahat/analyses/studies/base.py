"""What a study is: repetitions that can be done in any order, and what is made of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from thetahat.analyses.studies.claims import StudyClaim
from thetahat.analyses.studies.figures import StudyFigure
from thetahat.analyses.studies.tables import StudyTable
from thetahat.cautions import Caution
from thetahat.values.types import FloatArray

Records = Mapping[str, FloatArray]
"""What repetitions gave, by name: (repetitions, ...) each; NaN where a repetition gave nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyFindings:
    """What all repetitions say.

    Parameters
    ----------
    tables : tuple of Table
        Numbers with their Monte-Carlo standard errors.
    figures : tuple of Figure
        What is drawn, as numbers.
    claims : tuple of Claim
        The sentences of a source, each with its verdict.
    cautions : tuple of Caution
        What to know before reading them: a generator in the place of data, few repetitions.
    details : mapping
        Further fields of the result, as plain JSON values.
    """

    tables: tuple[StudyTable, ...] = ()
    figures: tuple[StudyFigure, ...] = ()
    claims: tuple[StudyClaim, ...] = ()
    cautions: tuple[Caution, ...] = ()
    details: Mapping[str, Any] | None = None


class Study(Protocol):
    """Repetitions that do not depend on one another.

    What repetition ``i`` gives depends on the study, its seed and ``i`` alone: any cut into
    stretches, on any number of workers, gives the same numbers. One that is faster for many
    repetitions at once draws blocks of ``grain`` repetitions, each from the stream of its first,
    and cuts what was asked for out of them (``thetahat.analyses.studies.repetitions.in_blocks``).
    """

    @property
    def grain(self) -> int:
        """Repetitions that are best done together; stretches begin and end at its multiples."""
        ...

    def run(self, start: int, stop: int) -> dict[str, FloatArray]:
        """Do the repetitions ``start`` to ``stop - 1``; every array has one row for each."""
        ...

    def finish(self, records: Records) -> StudyFindings:
        """Tabulate the records of repetitions 0, 1, ...: all of them, or those done so far."""
        ...
