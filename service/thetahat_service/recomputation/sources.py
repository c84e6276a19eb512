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


OF_HISTORY: Final = frozenset({"ladder"})
"""Kinds whose results depend on earlier evaluations, which the service alone has."""


class RecomputedFrom(StrEnum):
    """What a result is computed from again."""

    REQUEST = "request"
    LOSSES = "losses"
    DATA = "data"
    """The request and the files of its data sets, which the reader has to have."""


def choose_source(request: EvaluationRequest, *, has_losses: bool) -> RecomputedFrom:
    """Return what the result of a request is computed from again.

    Losses come before data sets and before learners that have to be fitted again. Raises
    ``PartsNotKept`` if the numbers follow from neither the request, the kept losses nor the data
    sets.
    """
    if request.kind in OF_HISTORY:
        raise PartsNotKept(
            f"A result of kind {request.kind!r} follows from its own data and from all earlier "
            "submissions, which the service alone has, so that it cannot be computed again from "
            "the evaluation."
        )
    is_whole = not request.list_dataset_ids()
    if is_whole and not (request.kind in FITTED_AGAIN and has_losses):
        return RecomputedFrom.REQUEST
    if has_losses and request.kind in OF_LOSSES and not rests_on_more_than_losses(request):
        return RecomputedFrom.LOSSES
    return RecomputedFrom.REQUEST if is_whole else RecomputedFrom.DATA


def rests_on_more_than_losses(request: EvaluationRequest) -> bool:
    """Return whether a result has numbers that its losses alone do not decide."""
    return uses_grades(request) or bool(list_fitting_methods(request))


def uses_grades(request: EvaluationRequest) -> bool:
    """Return whether a request has a judge, whose grades of unlabelled rows are no losses."""
    columns = getattr(request, "columns", None)
    return getattr(request, "judge", None) is not None or (
        getattr(columns, "judge", None) is not None
    )


def refuse_without_grades(request: EvaluationRequest) -> None:
    """Refuse to compute from losses what also rests on the grades of a judge (``PartsNotKept``)."""
    if uses_grades(request):
        raise PartsNotKept(
            "The result rests on the grades of a judge, which are not kept with the losses, so "
            "that it cannot be computed again from these."
        )


def list_fitting_methods(request: EvaluationRequest) -> list[str]:
    """Return the methods of a request, and its field, that need losses of extra fits."""
    named = request.refit_methods if isinstance(request, AnalysisRequest) else ()
    fields = ["fits"] if getattr(request, "fits", None) is not None else []
    return [*(method.name for method in named), *fields]
