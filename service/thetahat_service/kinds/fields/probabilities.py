"""The field that asks whether predicted probabilities come true."""

from __future__ import annotations

from typing import Any, Final

from pydantic import Field

from thetahat.analyses.probabilities.options import (
    BINNINGS,
    FEWEST_RESAMPLES,
    MOST_BINS,
    MOST_RESAMPLES,
    MOST_THRESHOLDS,
    PARTS,
    Binning,
    PartName,
    Probabilities,
)
from thetahat.error_paths import located_errors
from thetahat_service.schemas.base import Schema
from thetahat_service.schemas.field_descriptions import describe_fields

_DESCRIPTIONS: Final = describe_fields(Probabilities)


class ProbabilitiesInput(Schema):
    """What is computed about predicted probabilities."""

    parts: list[PartName] = Field(
        default=list(PARTS), max_length=len(PARTS), description=_DESCRIPTIONS["parts"]
    )
    slope: bool = Field(default=True, strict=True, description=_DESCRIPTIONS["slope"])
    bins: int | None = Field(
        None, ge=1, le=MOST_BINS, strict=True, description=_DESCRIPTIONS["bins"]
    )
    binning: Binning = Field(BINNINGS[0], description=_DESCRIPTIONS["binning"])
    thresholds: list[float] = Field(
        default_factory=list,
        max_length=MOST_THRESHOLDS,
        description=_DESCRIPTIONS["thresholds"],
    )
    band_resamples: int | None = Field(
        None,
        ge=FEWEST_RESAMPLES,
        le=MOST_RESAMPLES,
        strict=True,
        description=_DESCRIPTIONS["band_resamples"],
    )
    each_class: bool = Field(default=False, strict=True, description=_DESCRIPTIONS["each_class"])


PROBABILITIES_FIELD: Any = Field(
    default=False,
    description="Whether predicted probabilities come true: calibration in the large, slope, "
    "parts of Brier score and log loss, curve with band, and thresholds. Of two classes the event "
    "is the second one, of more that the most probable class is right.",
)


class ProbabilitiesField(Schema):
    """What a request asks about predicted probabilities."""

    probabilities: bool | ProbabilitiesInput = PROBABILITIES_FIELD

    def build_probabilities(self) -> Probabilities | None:
        """Return what is asked, with its values checked; None for nothing."""
        if isinstance(self.probabilities, bool):
            return Probabilities() if self.probabilities else None
        with located_errors(within=("probabilities",)):
            return Probabilities(**self.probabilities.model_dump())
