"""The types of results as the functions of this package take them.

The types of the parts are those of ``results``. A result of an older release may lack fields, so
the functions that write text read fields that were added later with ``get``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeAlias, TypeGuard, cast

if TYPE_CHECKING:
    from thetahat_client.results import (
        AnyResult,
        ComparisonDict,
        CrossValidationResultDict,
        JsonValue,
        LearningCurveResultDict,
        LossesResultDict,
        PredictionsResultDict,
        SelectionResultDict,
        SummaryDict,
    )

JsonObject: TypeAlias = "Mapping[str, JsonValue]"
"""Any JSON object."""

ResultJson: TypeAlias = "AnyResult | JsonObject"
"""A result of any kind: with its type, or as the JSON object that was read from a file."""

ModelsResult: TypeAlias = (
    "CrossValidationResultDict | LearningCurveResultDict | LossesResultDict"
    " | PredictionsResultDict | SelectionResultDict"
)
"""The result of a kind that compares models."""

ComparisonJson: TypeAlias = "ComparisonDict"
"""Two models side by side."""


def read_result(result: ResultJson) -> AnyResult:
    """Return a result with its type; its fields are not checked."""
    return cast("AnyResult", result)


def has_models(result: AnyResult) -> TypeGuard[ModelsResult]:
    """Return whether a result compares models."""
    return "models" in result


def list_comparisons(result: ModelsResult) -> list[ComparisonJson]:
    """Return the pairs of models; a result of one model may have none."""
    return [*result.get("comparisons", ())]


def find_summary(result: ModelsResult) -> SummaryDict | None:
    """Return the summary; a result of an older release has none."""
    if "summary" in result:
        return result["summary"]
    return None
