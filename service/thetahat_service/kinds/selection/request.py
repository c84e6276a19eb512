"""The request of a selection."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import Field

from thetahat.analyses.losses import ChosenMethod
from thetahat.analyses.selection.selection_rules import SelectionRule
from thetahat.errors import UnsupportedCombination
from thetahat.metrics.base import Metric
from thetahat.schemes.base import Scheme
from thetahat.values.json_values import JsonValue
from thetahat_service.kinds.fields.learners import FitsRequest
from thetahat_service.kinds.fields.loss_names import MetricEntry, MetricName
from thetahat_service.kinds.fields.metrics import parse_metric
from thetahat_service.kinds.fields.scheme_names import SchemeEntry, SchemeName, find_scheme


class SelectionRequest(FitsRequest):
    """Data, candidates, and the schemes that choose and assess."""

    kind: Literal["selection"] = Field("selection", description="The kind of the evaluation.")
    candidates: dict[str, str | dict[str, JsonValue]] = Field(
        min_length=1,
        max_length=200,
        description="Learners by the name that each has in the result; of equally good ones the "
        "first is chosen. A learner with 'grid', values by parameter, is one candidate for each "
        "combination.",
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
    internal: SchemeName | SchemeEntry | None = Field(
        None,
        description="The scheme that chooses. Left out if the external scheme includes internal "
        "splits.",
    )
    external: SchemeName | SchemeEntry | None = Field(
        None,
        description="The scheme that assesses the choice; nested and three_way include their "
        "internal splits. Left out: the choice is not assessed.",
    )
    rule: SelectionRule = Field(
        "least",
        description="The rule of choice. least: the candidate with the best internal value. "
        "one_standard_error: the first candidate within one standard error of it, so list the "
        "simplest first.",
    )
    select_by: MetricName | MetricEntry | None = Field(
        None,
        description="A metric to choose by, in the place of the mean loss: roc_auc, f1, ...",
    )
    metrics: list[MetricName | MetricEntry] = Field(
        default_factory=list,
        max_length=50,
        description="Metrics on the external test parts, beside the loss: roc_auc, f1, ...",
    )
    compare: bool = Field(
        False,
        strict=True,
        description="Whether every candidate is evaluated beside the selected one.",
    )

    @property
    def fitted_learners(self) -> Mapping[str, str | dict[str, JsonValue]]:
        """The candidates."""
        return self.candidates

    @property
    def scheme_of_blocks(self) -> type[Scheme] | None:
        """The class of the scheme that assesses the choice, or else of the one that chooses."""
        return find_scheme(self.internal if self.external is None else self.external)

    def build_select_by(self) -> ChosenMethod[Metric] | None:
        """Return the metric to choose by, its parameters checked, or None."""
        return None if self.select_by is None else parse_metric(self.select_by, "select_by")

    def check_refit_methods(self) -> None:
        """Refuse methods that fit learners again, with the reason."""
        try:
            super().check_refit_methods()
        except UnsupportedCombination as error:
            raise UnsupportedCombination(
                f"The method {error.value} fits the learner again, and here the learner is the "
                "whole selection: each fit would have to choose among all candidates again. Use "
                "the external scheme to estimate the error of the selection; for a single "
                f"candidate, ask for {error.value} in a request of kind 'cross_validation'.",
                loc=error.loc,
                value=error.value,
            ) from None
