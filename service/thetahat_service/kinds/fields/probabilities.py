"""The field that asks whether predicted probabilities come true."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from thetahat.analyses.probabilities.options import (
    BINNINGS,
    DEFAULT_RESAMPLES,
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


class ProbabilitiesInput(Schema):
    """What is computed about predicted probabilities."""

    parts: list[PartName] = Field(
        default=list(PARTS),
        max_length=len(PARTS),
        description="Scores that are divided into miscalibration, discrimination and uncertainty.",
    )
    slope: bool = Field(
        default=True,
        strict=True,
        description="Whether the calibration slope and intercept are estimated.",
    )
    bins: int | None = Field(
        None,
        ge=1,
        le=MOST_BINS,
        strict=True,
        description="Bins of the expected calibration error. Left out: no such error.",
    )
    binning: Binning = Field(BINNINGS[0], description="How these bins are made.")
    thresholds: list[float] = Field(
        default_factory=list,
        max_length=MOST_THRESHOLDS,
        description="Probabilities from which on the event is predicted: sensitivity, "
        "specificity and predictive values are given for each.",
    )
    band_resamples: int | None = Field(
        None,
        ge=FEWEST_RESAMPLES,
        le=MOST_RESAMPLES,
        strict=True,
        description="Samples of calibrated probabilities, and resamples of rows for two models. "
        f"Left out: {DEFAULT_RESAMPLES}, and fewer of very many rows.",
    )
    each_class: bool = Field(
        default=False,
        strict=True,
        description="Whether each class is also described against the rest.",
    )


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
