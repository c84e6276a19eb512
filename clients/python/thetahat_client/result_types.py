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
        BlockNounDict,
        BriefComparisonDict,
        BriefIntervalDict,
        ComparisonDict,
        CrossValidationResultDict,
        IntervalDict,
        JsonValue,
        LearningCurveResultDict,
        LossesResultDict,
        MeanKindValue,
        MeansDict,
        MetricMeansDict,
        ModelSummaryDict,
        OmnibusResultDict,
        PostHocOmnibusResultDict,
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

AnyComparison: TypeAlias = "ComparisonDict | BriefComparisonDict"
"""Two models side by side, in full or in brief."""

AnyInterval: TypeAlias = "IntervalDict | BriefIntervalDict"
"""An interval, in full or in brief."""

AnyOmnibusTest: TypeAlias = "OmnibusResultDict | PostHocOmnibusResultDict"
"""The outcome of a test of all models, with a comparison of the pairs or without."""


def read_result(result: ResultJson) -> AnyResult:
    """Return a result with its type; its fields are not checked."""
    return cast("AnyResult", result)


def has_models(result: AnyResult) -> TypeGuard[ModelsResult]:
    """Return whether a result compares models."""
    return "models" in result


def has_post_hoc_test(test: AnyOmnibusTest) -> TypeGuard[PostHocOmnibusResultDict]:
    """Return whether a test of all models also compares the pairs."""
    return "diagram" in test


def find_tied_models(test: AnyOmnibusTest) -> list[list[str]] | None:
    """Return the groups of models that do not differ; None where the test names none."""
    return cast("list[list[str]] | None", test.get("tied"))


def find_reference_model(test: AnyOmnibusTest) -> str | None:
    """Return the model that others were compared with; None where the test names none."""
    return cast("str | None", test.get("tied_with"))


def is_full_interval(interval: AnyInterval) -> TypeGuard[IntervalDict]:
    """Return whether an interval has its level; in brief the request has it."""
    return "level" in interval


def find_mean(means: MeansDict | MetricMeansDict, kind: MeanKindValue) -> float | None:
    """Return the macro or the pooled mean; None where it is undefined or of another kind."""
    value: float | None = means["pooled"] if kind == "pooled" else means["macro"]
    return None if kind == "first_split" else value


def list_comparisons(result: ModelsResult) -> list[AnyComparison]:
    """Return the pairs of models; a result of one model may have none."""
    return [*result.get("comparisons", ())]


def find_summary(result: ModelsResult) -> SummaryDict | None:
    """Return the summary; a result of an older release has none."""
    if "summary" in result:
        return result["summary"]
    return None


def find_unit(result: AnyResult) -> BlockNounDict | None:
    """Return what a block of the result is called; a result of an older release has no word."""
    if "unit" in result:
        return result["unit"]
    return None


def list_best_models(result: ModelsResult) -> list[ModelSummaryDict]:
    """Return the models of the summary, the best first; none in a result of an older release."""
    summary = find_summary(result)
    return [] if summary is None else summary["models"]
