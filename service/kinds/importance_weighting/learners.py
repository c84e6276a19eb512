"""The learners of an importance-weighted selection, each at every value of its grid."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from service.kinds.fields.locations import errors_located_at, located_errors
from service.kinds.importance_weighting.request import ImportanceWeightingRequest, LearnerEntry
from service.settings import settings
from thetahat.analyses.importance_weighting import FittedToSigns, LearnerWithGrid
from thetahat.cross_validation import check_learner
from thetahat.errors import InvalidParameter, Loc, UnsupportedCombination
from thetahat.learners import is_penalised_least_squares
from thetahat.losses.base import Loss
from thetahat.pipelines import LearnerSpec, for_classes, learner_spec
from thetahat.pipelines import build as build_learner
from thetahat.values.types import Label


def check_candidates(given: ImportanceWeightingRequest, loss: Loss) -> None:
    """Refuse learners and grids that can be seen to be wrong without data."""
    names = given.wires()
    for name in given.grids or {}:
        if name not in names:
            raise InvalidParameter(
                f"there is no learner {name!r}; there are {', '.join(names)[:200]}",
                loc=("grids", name),
                value=name,
            )
    candidates_of(given, loss)


def candidates_of(
    given: ImportanceWeightingRequest, loss: Loss, classes: tuple[Label, ...] = ()
) -> dict[str, LearnerWithGrid]:
    """Return the learners by name, each checked at every value of its grid."""
    found: dict[str, LearnerWithGrid] = {}
    for name, (wire, loc) in given.wires().items():
        if not 0 < len(name) <= 120 or "\0" in name:
            raise InvalidParameter(
                "a learner's name has 1 to 120 characters, and no NUL", loc=loc, value=name
            )
        found[name] = _candidate(given, name, wire, loc, loss, classes)
    return found


def spec_of(wire: LearnerEntry, loc: Loc = ()) -> LearnerSpec:
    """Return a learner's spec; least squares has no intercept here unless a request asks for it."""
    spec = learner_spec(wire, loc=loc)
    if not is_penalised_least_squares(spec.name):
        return spec
    return replace(spec, params={"intercept": False, **spec.params})


def _candidate(  # noqa: PLR0913 - a learner, where it stands, and what it must go with
    given: ImportanceWeightingRequest,
    name: str,
    wire: LearnerEntry,
    loc: Loc,
    loss: Loss,
    classes: tuple[Label, ...],
) -> LearnerWithGrid:
    spec = spec_of(wire, loc)
    plain = is_penalised_least_squares(spec.name) and "penalty" not in spec.params
    grid = given.grid_of(name, has_default_grid=plain)
    if grid.parameter is not None and grid.parameter in learner_spec(wire).params:
        raise InvalidParameter(
            f"{grid.parameter} is among the params and in the grid; give it once", loc=grid.loc
        )
    learners = []
    for j, value in enumerate(grid.values):
        params: Mapping[str, Any] = spec.params
        if grid.parameter is not None:
            params = {**spec.params, grid.parameter: value}
        parameter_path = ".".join(map(str, (*loc, "params", grid.parameter)))
        with located_errors({parameter_path: grid.place(j)}):
            learner = _built(replace(spec, params=params), given.task, loc)
        learners.append(for_classes(learner, classes) if classes else learner)
    _check(given, name, learners[0], loc, loss)
    return LearnerWithGrid(
        name=name,
        learners=tuple(learners),
        parameter=grid.parameter,
        values=() if grid.parameter is None else tuple(grid.values),
    )


def _check(
    given: ImportanceWeightingRequest, name: str, learner: Any, loc: Loc, loss: Loss
) -> None:
    if given.weighted_fit and not learner.takes_weights:
        raise UnsupportedCombination(
            f"the learner {name!r} ({learner.info.name}) takes no weights; set weighted_fit to "
            "false, which weights the risks alone, or choose another learner",
            loc=loc,
            value=learner.info.name,
        )
    with errors_located_at(loc):
        check_learner(name, learner, given.task, loss, weighted=False)


def _built(spec: LearnerSpec, task: str, loc: Loc) -> Any:
    """Return the learner; one of values is fitted to the classes as -1 and 1."""
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
        return FittedToSigns(learner)
