"""The learners of an importance-weighted selection, each at every value of its grid."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from service.kinds.fields.locations import errors_located_at, located_errors
from service.kinds.importance_weighting.request import ImportanceWeightingRequest, LearnerEntry
from service.settings import settings
from thetahat.analyses.importance_weighting import LearnerWithGrid, SignClassifier
from thetahat.cross_validation import check_learner
from thetahat.errors import InvalidParameter, Loc, UnsupportedCombination
from thetahat.learners import is_penalised_least_squares
from thetahat.losses.base import Loss
from thetahat.pipelines import LearnerSpec, for_classes, learner_spec
from thetahat.pipelines import build as build_learner
from thetahat.values.types import Label


def check_candidates(request: ImportanceWeightingRequest, loss: Loss) -> None:
    """Check learners and grids without data."""
    names = request.learner_entries()
    for name in request.grids or {}:
        if name not in names:
            raise InvalidParameter(
                f"There is no learner {name!r}. The learners are {', '.join(names)[:200]}.",
                loc=("grids", name),
                value=name,
            )
    build_candidates(request, loss)


def build_candidates(
    request: ImportanceWeightingRequest, loss: Loss, classes: tuple[Label, ...] = ()
) -> dict[str, LearnerWithGrid]:
    """Return the learners by name, each checked at every value of its grid."""
    candidates: dict[str, LearnerWithGrid] = {}
    for name, (entry, loc) in request.learner_entries().items():
        if not 0 < len(name) <= 120 or "\0" in name:
            raise InvalidParameter(
                "The name of a learner must have 1 to 120 characters and no NUL.",
                loc=loc,
                value=name,
            )
        candidates[name] = _build_candidate(request, name, entry, loc, loss, classes)
    return candidates


def build_spec(entry: LearnerEntry, loc: Loc = ()) -> LearnerSpec:
    """Return a learner's spec; least squares gets no intercept unless the request asks for one."""
    spec = learner_spec(entry, loc=loc)
    if not is_penalised_least_squares(spec.name):
        return spec
    return replace(spec, params={"intercept": False, **spec.params})


def _build_candidate(  # noqa: PLR0913 - a learner, its path, and the request and loss that it must fit
    request: ImportanceWeightingRequest,
    name: str,
    entry: LearnerEntry,
    loc: Loc,
    loss: Loss,
    classes: tuple[Label, ...],
) -> LearnerWithGrid:
    spec = build_spec(entry, loc)
    has_default_grid = is_penalised_least_squares(spec.name) and "penalty" not in spec.params
    grid = request.parse_grid(name, has_default_grid=has_default_grid)
    if grid.parameter is not None and grid.parameter in learner_spec(entry).params:
        raise InvalidParameter(
            f"The parameter {grid.parameter} is in params and in the grid. Give it once.",
            loc=grid.loc,
        )
    learners = []
    for j, value in enumerate(grid.values):
        params: Mapping[str, Any] = spec.params
        if grid.parameter is not None:
            params = {**spec.params, grid.parameter: value}
        parameter_path = ".".join(map(str, (*loc, "params", grid.parameter)))
        with located_errors({parameter_path: grid.path(j)}):
            learner = _build_learner(replace(spec, params=params), request.task, loc)
        learners.append(for_classes(learner, classes) if classes else learner)
    _check_learner(request, name, learners[0], loc, loss)
    return LearnerWithGrid(
        name=name,
        learners=tuple(learners),
        parameter=grid.parameter,
        values=() if grid.parameter is None else tuple(grid.values),
    )


def _check_learner(
    request: ImportanceWeightingRequest, name: str, learner: Any, loc: Loc, loss: Loss
) -> None:
    if request.weighted_fit and not learner.takes_weights:
        raise UnsupportedCombination(
            f"The learner {name!r} ({learner.info.name}) takes no weights. Set weighted_fit to "
            "false, so that only the risks are weighted, or choose another learner.",
            loc=loc,
            value=learner.info.name,
        )
    with errors_located_at(loc):
        check_learner(name, learner, request.task, loss, weighted=False)


def _build_learner(spec: LearnerSpec, task: str, loc: Loc) -> Any:
    """Return the learner; a regression learner is fitted to the classes coded as -1 and 1."""
    allowed = settings().allowed_packages
    try:
        return build_learner(spec, task, allowed_packages=allowed, loc=loc)
    except UnsupportedCombination as error:
        if task != "classification":
            raise
        try:
            learner = build_learner(spec, "regression", allowed_packages=allowed, loc=loc)
        except UnsupportedCombination:
            raise error from None
        return SignClassifier(learner)
