"""The learners of an importance-weighted selection, each at every value of its grid."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from thetahat.analyses.importance_weighting.candidates import LearnerWithGrid
from thetahat.analyses.importance_weighting.sign_classifiers import SignClassifier
from thetahat.cross_validation import check_learner
from thetahat.error_paths import errors_located_at, located_errors
from thetahat.errors import InvalidParameter, Loc, UnsupportedCombination
from thetahat.learners import is_penalised_least_squares
from thetahat.losses.base import Loss
from thetahat.pipelines import LearnerSpec, adapt_to_classes, find_tasks, read_learner_spec
from thetahat.pipelines import build as build_learner
from thetahat.values.json_values import JsonValue
from thetahat.values.types import Label
from thetahat_service.kinds.fitting.work_estimate import check_work
from thetahat_service.kinds.importance_weighting.request import (
    ImportanceWeightingRequest,
    LearnerEntry,
)
from thetahat_service.settings import get_settings

MAX_CANDIDATES: Final = 5000
"""Largest number of values of all grids together. Each is built and checked while the client waits:
about 0.1 ms for a learner of the library, 0.5 ms for a pipeline of scikit-learn."""


def check_candidates(request: ImportanceWeightingRequest, loss: Loss) -> dict[str, LearnerWithGrid]:
    """Check learners and grids without data, and return them."""
    names = request.list_learner_entries()
    for name in request.grids or {}:
        if name not in names:
            raise InvalidParameter(
                f"There is no learner {name!r}. The learners are {', '.join(names)[:200]}.",
                loc=("grids", name),
                value=name,
            )
    return build_candidates(request, loss)


def check_fits(
    candidates: Mapping[str, LearnerWithGrid], *, n_fits: int, n_rows: int, n_features: int
) -> None:
    """Refuse fits that would take longer than the limit of the settings."""
    learners = {
        f"{name} {j}": learner.learner if isinstance(learner, SignClassifier) else learner
        for name, candidate in candidates.items()
        for j, learner in enumerate(candidate.learners)
    }
    check_work(learners, n_fits=n_fits, n_rows=n_rows, n_features=n_features, loc=("learners",))


def build_candidates(
    request: ImportanceWeightingRequest, loss: Loss, classes: tuple[Label, ...] = ()
) -> dict[str, LearnerWithGrid]:
    """Return the learners by name, each checked at every value of its grid."""
    candidates: dict[str, LearnerWithGrid] = {}
    n_candidates = 0
    for name, (entry, loc) in request.list_learner_entries().items():
        if not 0 < len(name) <= 120 or "\0" in name:
            raise InvalidParameter(
                "The name of a learner must have 1 to 120 characters and no NUL.",
                loc=loc,
                value=name,
            )
        candidates[name] = _build_candidate(request, name, entry, loc, loss, classes)
        n_candidates += candidates[name].size
        if n_candidates > MAX_CANDIDATES:
            raise InvalidParameter(
                f"The grids of all learners have more than {MAX_CANDIDATES} values together. Use "
                "fewer learners, or fewer values of a grid.",
                loc=loc,
                value=n_candidates,
            )
    return candidates


def build_spec(entry: LearnerEntry, loc: Loc = ()) -> LearnerSpec:
    """Return a learner's spec; least squares gets no intercept unless the request asks for one."""
    spec = read_learner_spec(entry, loc=loc)
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
    if grid.parameter is not None and grid.parameter in read_learner_spec(entry).params:
        raise InvalidParameter(
            f"The parameter {grid.parameter} is in params and in the grid. Give it once.",
            loc=grid.loc,
        )
    allowed = get_settings().allowed_packages
    tasks = find_tasks(spec, request.task, allowed_packages=allowed, loc=loc)
    learns_signs = request.task == "classification" and request.task not in tasks
    task = "regression" if learns_signs else request.task
    learners = []
    for j, value in enumerate(grid.values):
        params: Mapping[str, JsonValue] = spec.params
        if grid.parameter is not None:
            params = {**spec.params, grid.parameter: value}
        parameter_path = ".".join(map(str, (*loc, "params", grid.parameter)))
        with located_errors({parameter_path: grid.build_path(j)}):
            spec_here = replace(spec, params=params)
            learner: Any = build_learner(spec_here, task, allowed_packages=allowed, loc=loc)
        if learns_signs:
            learner = SignClassifier(learner)
        learners.append(adapt_to_classes(learner, classes) if classes else learner)
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
