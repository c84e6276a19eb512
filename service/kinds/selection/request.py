"""The request of a selection."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from service.kinds.fields.learners import FitsRequest
from service.kinds.fields.method_names import Method
from service.kinds.fields.metrics import Metrics, parse_metric, parse_metrics
from thetahat.analyses.losses import Chosen
from thetahat.errors import UnsupportedCombination
from thetahat.metrics.base import Metric


class SelectionRequest(FitsRequest):
    """Data, candidates, and the schemes that choose and assess."""

    kind: Literal["selection"] = "selection"
    candidates: dict[str, str | dict[str, Any]] = Field(
        min_length=1,
        max_length=200,
        description="Learners by the name each has in the result; of equal ones the first wins. "
        "One with 'grid', values by parameter, is a candidate at each of them.",
        examples=[
            {
                "mean": "mean",
                "ridge": {
                    "name": "ridge",
                    "grid": {"penalty": {"from": 0.001, "to": 1000, "count": 7}},
                },
            }
        ],
    )
    internal: Method | None = Field(
        None, description="The scheme that chooses; left out where external brings its own."
    )
    external: Method | None = Field(
        None,
        description="The scheme that assesses what is chosen; nested and three_way bring their "
        "internal one. Left out: nothing is assessed.",
    )
    rule: Literal["least", "one_standard_error"] = Field(
        "least",
        description="one_standard_error: the first candidate within one standard error of the "
        "least; list the simplest first.",
    )
    select_by: Method | None = Field(
        None,
        description="A metric to choose by, in the place of the mean loss: roc_auc, f1, ...",
    )
    metrics: list[Method] = Field(
        default_factory=list,
        max_length=50,
        description="Of what is assessed, beside the loss: roc_auc, f1, ...",
    )
    compare: bool = Field(
        False,
        strict=True,
        description="Whether every candidate is evaluated beside what is selected.",
    )

    def chosen_by(self) -> Chosen[Metric] | None:
        """Return the metric that is chosen by, its parameters checked."""
        return None if self.select_by is None else parse_metric(self.select_by, "select_by")

    def built_metrics(self) -> Metrics:
        """Return the metrics of what is assessed, their parameters checked."""
        return parse_metrics(self.metrics)

    def check_refit_methods(self) -> None:
        """Refuse methods that fit learners again, with the reason."""
        try:
            super().check_refit_methods()
        except UnsupportedCombination as error:
            raise UnsupportedCombination(
                f"{error.value} fits the learner again, and here the learner is the whole "
                "selection: each of those fits would choose anew among all candidates, inside "
                "its own training part. The external scheme estimates the error of the selection; "
                "of one candidate, once it is chosen, the kind 'cross_validation' offers it",
                loc=error.loc,
                value=error.value,
            ) from None
