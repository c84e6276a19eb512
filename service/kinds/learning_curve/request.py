"""The request of a learning curve."""

from __future__ import annotations

from typing import ClassVar, Final, Literal

from pydantic import Field

from service.kinds.fields.learners import LearnersRequest
from service.kinds.fields.method_names import Method
from service.kinds.fields.metrics import Metrics, parse_metrics
from thetahat.analyses.learning_curve import Growth, check_sizes, growth_of
from thetahat.schemes.base import Scheme

DEFAULT_SIZES: Final = (0.125, 0.25, 0.5, 0.75, 1.0)


class LearningCurveRequest(LearnersRequest):
    """Data, learners and a scheme, and the sizes of the training parts."""

    fits_learners: ClassVar[bool] = True

    kind: Literal["learning_curve"] = "learning_curve"
    sizes: list[float] = Field(
        default_factory=lambda: list(DEFAULT_SIZES),
        description="Growing: shares of a training part (1 is all of it), or whole numbers of "
        "rows (of sources, where they grow by source) from 2.",
    )
    grow_by: Literal["instance", "source", "time"] | None = Field(
        None,
        description="What a larger part has more of. Left out: whole sources where blocks are "
        "sources, older rows in a time series, else rows at random.",
    )
    stratified: bool | None = Field(
        None,
        strict=True,
        description="Whether smaller parts keep the class shares. Left out: where they can.",
    )
    metrics: list[Method] = Field(
        default_factory=list,
        max_length=50,
        description="At every size, beside the loss: roc_auc, f1, ...",
    )

    def built_metrics(self) -> Metrics:
        """Return the metrics, their parameters checked."""
        return parse_metrics(self.metrics)

    def growth(self, scheme: Scheme) -> Growth:
        """Return how training parts grow, checked."""
        return growth_of(
            check_sizes(self.sizes),
            scheme,
            self.task,
            grow_by=self.grow_by,
            stratified=self.stratified,
        )
