"""The types of results as figures and pages read them: the JSON of a stored result.

They are those of the Python client, which ``make client-types`` writes from the dataclasses of
results, so that mypy refuses a misspelt key. Nothing of the client is imported at run time.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeAlias, TypeGuard

if TYPE_CHECKING:
    from thetahat_client.results import (
        ComparisonDict,
        CrossValidationResultDict,
        LossesResultDict,
        PredictionsResultDict,
    )

ModelsResult: TypeAlias = "CrossValidationResultDict | LossesResultDict | PredictionsResultDict"
"""The result of a kind that compares models. Learning curves and selections have these fields too
where they have models."""

ComparisonJson: TypeAlias = "ComparisonDict"
"""Two models side by side."""


def has_models(result: Mapping[str, object]) -> TypeGuard[ModelsResult]:
    """Return whether a result has models, with a summary."""
    return bool(result.get("models"))
