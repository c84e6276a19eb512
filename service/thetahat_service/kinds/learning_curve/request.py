"""The request of a learning curve."""

from __future__ import annotations

from typing import ClassVar, Final, Literal

from pydantic import Field

from thetahat.analyses.learning_curve.growth import GrowBy, Growth, choose_growth
from thetahat.analyses.learning_curve.sizes import check_sizes
from thetahat.schemes.base import Scheme
from thetahat_service.kinds.fields.learners import LearnersRequest
from thetahat_service.kinds.fields.loss_names import MetricEntry, MetricName

DEFAULT_SIZES: Final = (0.125, 0.25, 0.5, 0.75, 1.0)
"""Shares of the training part, if the request names no sizes."""


class LearningCurveRequest(LearnersRequest):
    """Data, learners and a scheme, and the sizes of the training parts."""

    fits_learners: ClassVar[bool] = True

    kind: Literal["learning_curve"] = Field(
        "learning_curve", description="The kind of the evaluation."
    )
    sizes: list[float] = Field(
        default_factory=lambda: list(DEFAULT_SIZES),
        description="The sizes, the smallest first: shares of a training part (1 is all of it), or "
        "whole numbers from 2 of rows, or of sources if they grow by source.",
    )
    grow_by: GrowBy | None = Field(
        None,
        description="What a larger training part has more of: rows at random, whole sources, or "
        "older rows. Left out: source if blocks are sources, time in a time series, else instance.",
    )
    stratified: bool | None = Field(
        None,
        strict=True,
        description="Whether smaller training parts keep the shares of the classes. Left out: true "
        "for a classification that grows by instance.",
    )
    metrics: list[MetricName | MetricEntry] = Field(
        default_factory=list,
        max_length=50,
        description="Metrics at every size, beside the loss: roc_auc, f1, ...",
    )

    def build_growth(self, scheme: Scheme) -> Growth:
        """Return how training parts grow, with their sizes checked."""
        return choose_growth(
            check_sizes(self.sizes),
            scheme,
            self.known_task,
            grow_by=self.grow_by,
            stratified=self.stratified,
        )
