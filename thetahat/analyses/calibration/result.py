"""How the coverage of the intervals of a result was measured."""

from __future__ import annotations

from dataclasses import dataclass

from thetahat.cautions import Caution


@dataclass(frozen=True, slots=True, kw_only=True)
class NewSourceCalibration:
    """How the coverage of intervals for a new source was measured."""

    drawn: int
    """Number of sources in each sample."""
    sources: int
    """Number of sources in the data."""
    truth_from: str
    """What the truth is computed from."""
    note: str
    """In which direction the coverage errs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationSummary:
    """How the coverage of the intervals was measured on samples of the data."""

    repetitions: int
    """Number of samples that were drawn."""
    share: float
    """Share of the rows, or of the rows of each source, in a sample."""
    rows: int
    """Number of rows in a sample."""
    truth_from: str
    """What the truth is computed from."""
    new_source: NewSourceCalibration | None
    """How intervals for a new source were measured; null if no whole sources were drawn."""
    cautions: tuple[Caution, ...]
    """Cautions about the measured coverage."""
    note: str
    """How the samples differ from the data."""
