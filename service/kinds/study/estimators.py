"""The estimators of a study, built from a request."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from service.kinds.fields.locations import errors_within
from service.kinds.fields.methods import parse_method, parse_methods
from service.kinds.fitting.expected_layout import expect_layout_unread
from service.kinds.fitting.scheme_plan import check_choices
from service.kinds.study.request import EstimatorChoices, EstimatorInput
from service.settings import settings
from thetahat.analyses.studies.estimator import StudyEstimator, WeightedEstimation
from thetahat.analyses.studies.learner_choice import SELECTED
from thetahat.analyses.studies.truths import (
    FITTED,
    MODEL,
    NEW_FITTED,
    ON_TARGET,
    ONE_NEW,
    check_truths,
)
from thetahat.cross_validation import check_learner, check_loss
from thetahat.errors import InvalidParameter, Loc
from thetahat.generators import DrawKind, DrawSize
from thetahat.importance_weights import IMPORTANCE_WEIGHTS, known_weights_method
from thetahat.learners.base import Learner
from thetahat.losses import LOSSES, default_loss
from thetahat.losses.base import Loss
from thetahat.pipelines import build as build_learner
from thetahat.pipelines import learner_spec
from thetahat.schemes import SCHEMES
from thetahat.schemes.base import Scheme
from thetahat.values.types import BlockKind
from thetahat.weighted_risks import WEIGHTED_RISKS

_CHOICES: Final = ("level", "alternative", "control", "variances", "intervals", "tests")
_OF_LEARNERS: Final = ("scheme", "learner", "learners", "loss", "truths", "select")
_OF_PAIRS: Final = ("weights", "risks")
_NOT_OF_PAIRS: Final = ("variances", "intervals", "tests", "control", "truths", "select")


def build_estimators(
    inputs: Sequence[EstimatorInput], draw_kind: DrawKind, task: str, size: DrawSize
) -> list[StudyEstimator]:
    """Return the estimators, each with a unique key."""
    estimators: list[StudyEstimator] = []
    for i, one in enumerate(inputs):
        with errors_within(("estimators", i)):
            estimator = _BUILDERS[draw_kind](one, task, size)
        if any(other.key == estimator.key for other in estimators):
            raise InvalidParameter(
                f"Two estimators are named {estimator.key!r}; name the second with 'as'.",
                loc=("estimators", i),
                value=estimator.key,
            )
        estimators.append(estimator)
    return estimators


def _build_for_losses(one: EstimatorInput, task: str, size: DrawSize) -> StudyEstimator:
    del task, size
    for field in (*_OF_LEARNERS, *_OF_PAIRS):
        if getattr(one, field) is not None:
            raise InvalidParameter(
                f"The generator draws losses, so leave out {field}.",
                loc=(field,),
            )
    asked = _choices(one)
    if asked.refit_methods:
        raise InvalidParameter(
            f"{asked.refit_methods[0].name!r} fits the learner again, but losses have no learner.",
            loc=("variances",),
        )
    return StudyEstimator(key=one.as_ or "losses", choices=asked.choices, truths=())


def _build_for_data(one: EstimatorInput, task: str, size: DrawSize) -> StudyEstimator:
    for field in _OF_PAIRS:
        if getattr(one, field) is not None:
            raise InvalidParameter(
                f"{field} need a generator that draws a source and a target sample.",
                loc=(field,),
            )
    scheme = _scheme(one)
    loss: Loss = parse_method(LOSSES, one.loss or default_loss(task), ("loss",))
    check_loss(loss, task)
    if "source" in scheme.requires and size.n_sources is None:
        raise InvalidParameter(
            f"The scheme {scheme.info.name!r} needs sources; set draw.n_sources and "
            "draw.per_source.",
            loc=("scheme",),
        )
    learners = _learners(one, task, loss)
    asked = _choices(one)
    choices = asked.choices
    check_choices(expect_layout_unread(scheme), choices, tuple(learners), loss)
    truths = tuple(_default_truths(scheme, size) if one.truths is None else one.truths)
    check_truths(truths)
    return StudyEstimator(
        key=one.as_ or scheme.info.name,
        choices=choices,
        scheme=scheme,
        learners=learners,
        loss=loss,
        refits=asked.refit_methods,
        truths=truths,
        select=one.select,
    )


def _build_for_pairs(one: EstimatorInput, task: str, size: DrawSize) -> StudyEstimator:
    for field in _NOT_OF_PAIRS:
        if getattr(one, field) is not None:
            raise InvalidParameter(
                f"The generator draws pairs of samples; use risks, not {field}.",
                loc=(field,),
            )
    if size.n is None:
        raise InvalidParameter(
            "The generator draws pairs of samples; set draw.n and draw.n_target.", loc=("scheme",)
        )
    scheme = _scheme(one)
    loss: Loss = parse_method(LOSSES, one.loss or default_loss(task), ("loss",))
    check_loss(loss, task)
    risks = parse_methods(WEIGHTED_RISKS, one.risks or list(WEIGHTED_RISKS), "risks")
    weights = parse_method(IMPORTANCE_WEIGHTS, one.weights or known_weights_method(), ("weights",))
    return StudyEstimator(
        key=one.as_ or scheme.info.name,
        choices=_choices(one).choices,
        scheme=scheme,
        learners=_learners(one, task, loss),
        loss=loss,
        truths=(ON_TARGET,),
        weighted=WeightedEstimation(weights, {entry.key: entry.method for entry in risks or ()}),
    )


_BUILDERS: Final[Mapping[DrawKind, Callable[[EstimatorInput, str, DrawSize], StudyEstimator]]] = {
    DrawKind.LOSSES: _build_for_losses,
    DrawKind.DATA: _build_for_data,
    DrawKind.PAIRS: _build_for_pairs,
}


def _scheme(one: EstimatorInput) -> Scheme:
    if one.scheme is None:
        raise InvalidParameter(
            "The estimator needs a scheme, because the population gives rows of data.",
            loc=("scheme",),
        )
    scheme: Scheme = parse_method(SCHEMES, one.scheme, ("scheme",))
    return scheme


def _default_truths(scheme: Scheme, size: DrawSize) -> tuple[str, ...]:
    by_source = scheme.block_kind is BlockKind.SOURCE and size.n_sources is not None
    return (MODEL, FITTED, NEW_FITTED, ONE_NEW) if by_source else (MODEL, FITTED)


def _choices(one: EstimatorInput) -> EstimatorChoices:
    given = {name: getattr(one, name) for name in _CHOICES}
    return EstimatorChoices(kind="study", **given)


def _learners(one: EstimatorInput, task: str, loss: Loss) -> dict[str, Learner]:
    if (one.learner is None) == (one.learners is None):
        raise InvalidParameter("The estimator needs either learner or learners.", loc=("learners",))
    specs: Mapping[str, Any] = one.learners or {}
    if one.learner is not None:
        spec = learner_spec(one.learner, loc=("learner",))
        specs = {spec.name: one.learner}
    learners: dict[str, Learner] = {}
    for name, value in specs.items():
        loc: Loc = ("learner",) if one.learner is not None else ("learners", name)
        learner = build_learner(
            learner_spec(value, loc=loc),
            task,
            allowed_packages=settings().allowed_packages,
            loc=loc,
        )
        if "|" in name or name == SELECTED:
            raise InvalidParameter(
                f"{name!r} cannot be the name of a learner: {SELECTED!r} and '|' are reserved.",
                loc=loc,
                value=name,
            )
        check_learner(name, learner, task, loss, weighted=False)
        learners[name] = learner
    return learners
