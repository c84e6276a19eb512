"""The request of a cross-validation."""

from __future__ import annotations

from typing import ClassVar, Final, Literal
from uuid import UUID

from pydantic import Field

from service.kinds.fields.data import has_role
from service.kinds.fields.learners import LearnersRequest
from service.kinds.fields.method_names import Method
from service.kinds.fields.metrics import Metrics, parse_metrics
from service.kinds.fields.sample import SampleInput
from service.schemas.base import Schema

DEFAULT_REPETITIONS: Final = 200


class TargetSampleFields(Schema):
    """The fields that add importance-weighted risks to each learner."""

    target_sample: SampleInput | None = Field(
        None, description="A sample of the population that is asked about; adds risks."
    )
    weights: Method | None = Field(
        None, description="How the rows are weighted; gaussian_ratio, if left out."
    )
    weighted_fit: bool = Field(
        False, description="Whether fits are weighted, too, and not the risks alone.", strict=True
    )
    risks: list[Method] | None = Field(
        None, min_length=1, max_length=20, description="All five, if left out."
    )


class CalibrationInput(Schema):
    """How many samples of the data are drawn, and how large."""

    repetitions: int = Field(
        DEFAULT_REPETITIONS,
        ge=20,
        le=100_000,
        strict=True,
        description="Number of samples that are drawn.",
    )
    share: float = Field(
        0.5,
        gt=0,
        le=0.8,
        description="Share of the rows (of each source, where blocks are sources) in one sample; "
        "the truth is computed from the others.",
    )


class CrossValidationRequest(LearnersRequest, TargetSampleFields):
    """Data, learners and a scheme; and a sample of another population, if that is asked about."""

    fits_learners: ClassVar[bool] = True

    kind: Literal["cross_validation"] = "cross_validation"
    metrics: list[Method] = Field(
        default_factory=list, max_length=50, description="Beside the loss: roc_auc, f1, ..."
    )
    calibration: bool | CalibrationInput = Field(
        default=False,
        description="Whether to measure how often each interval covers on samples of these data.",
    )

    def dataset_ids(self) -> tuple[UUID, ...]:
        """Return the data sets of the data and of the target sample."""
        target = None if self.target_sample is None else self.target_sample.dataset
        named = (self.dataset, target)
        return tuple(dict.fromkeys(each for each in named if each is not None))

    @property
    def has_weighted_fits(self) -> bool:
        """Whether rows have weights when learners are fitted."""
        return self.weighted_fit or has_role(self, "weight")

    def built_metrics(self) -> Metrics:
        """Return the metrics, their parameters checked."""
        return parse_metrics(self.metrics)

    def calibration_settings(self) -> CalibrationInput | None:
        """Return how intervals are calibrated; None where they are not."""
        if isinstance(self.calibration, CalibrationInput):
            return self.calibration
        return CalibrationInput() if self.calibration else None
