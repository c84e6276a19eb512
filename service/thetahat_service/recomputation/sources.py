"""What a result is computed from again: its request, if that holds the data, or its losses."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from thetahat_service.errors import PartsNotKept
from thetahat_service.kinds.fields.analysis import AnalysisRequest
from thetahat_service.schemas.base import EvaluationRequest

FITTED_AGAIN: Final = frozenset({"cross_validation"})
"""Kinds whose requests may hold the data, and whose learners need not be fitted again."""
OF_LOSSES: Final = frozenset({"losses", "predictions", "cross_validation"})
"""Kinds whose results follow from the losses that they keep."""


class RecomputedFrom(StrEnum):
    """What a result is computed from again."""

    REQUEST = "request"
    LOSSES = "losses"


def choose_source(request: EvaluationRequest, *, has_losses: bool) -> RecomputedFrom:
    """Return what the result of a request is computed from again.

    Raises
    ------
    PartsNotKept
        The numbers follow from neither the request nor the kept losses.
    """
    is_whole = not request.list_dataset_ids()
    if is_whole and not (request.kind in FITTED_AGAIN and has_losses):
        return RecomputedFrom.REQUEST
    if request.kind not in OF_LOSSES or not has_losses:
        raise PartsNotKept(
            f"The numbers of this evaluation of kind {request.kind!r} need its data set, which is "
            "not kept with the result, so that they cannot be computed again from the evaluation "
            "alone."
        )
    refuse_without_grades(request)
    named = list_fitting_methods(request)
    if named:
        raise PartsNotKept(
            f"{' and '.join(named)} used losses of extra fits, which are not kept, so that the "
            "result cannot be computed again from its losses. Send the request without them."
        )
    return RecomputedFrom.LOSSES


def refuse_without_grades(request: EvaluationRequest) -> None:
    """Refuse to compute from losses what also rests on the grades of a judge.

    Raises
    ------
    PartsNotKept
        The request has grades of a judge, of which only those of the labelled rows are losses.
    """
    columns = getattr(request, "columns", None)
    if getattr(request, "judge", None) is not None or getattr(columns, "judge", None) is not None:
        raise PartsNotKept(
            "The result rests on the grades of a judge, which are not kept with the losses, so "
            "that it cannot be computed again from these."
        )


def list_fitting_methods(request: EvaluationRequest) -> list[str]:
    """Return the methods of a request, and its field, that need losses of extra fits."""
    named = request.refit_methods if isinstance(request, AnalysisRequest) else ()
    fields = ["fits"] if getattr(request, "fits", None) is not None else []
    return [*(method.name for method in named), *fields]
