"""The estimators of a study, built from a request."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

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
from thetahat.importance_weights import get_known_weights_method
from thetahat.learners.base import Learner
from thetahat.losses import LOSSES, get_default_loss
from thetahat.losses.base import Loss
from thetahat.pipelines import build as build_learner
from thetahat.pipelines import read_learner_spec
from thetahat.schemes import SCHEMES
from thetahat.schemes.base import Scheme
from thetahat.values.types import BlockKind
from thetahat_service.kinds.fields.locations import locate_errors_within
from thetahat_service.kinds.fields.methods import parse_method
from thetahat_service.kinds.fields.weighting_names import parse_risks, parse_weights
from thetahat_service.kinds.fitting.expected_layout import approximate_layout
from thetahat_service.kinds.fitting.scheme_plan import check_choices
from thetahat_service.kinds.study.request import EstimatorChoices, EstimatorInput
from thetahat_service.settings import get_settings

_CHOICES: Final = ("level", "alternative", "control", "variances", "intervals", "tests")
_LEARNER_FIELDS: Final = ("scheme", "learner", "learners", "loss", "truths", "select")
_PAIR_FIELDS: Final = ("weights", "risks")


def build_estimators(
    inputs: Sequence[EstimatorInput], draw_kind: DrawKind, task: str, size: DrawSize
) -> list[StudyEstimator]:
    """Return the estimators, each with a unique key."""
    estimators: list[StudyEstimator] = []
    for i, entry in enumerate(inputs):
        with locate_errors_within(("estimators", i)):
            estimator = _BUILDERS[draw_kind](entry, task, size)
        if any(earlier.key == estimator.key for earlier in estimators):
            raise InvalidParameter(
                f"Two estimators are named {estimator.key!r}; name the second with 'as'.",
                loc=("estimators", i),
                value=estimator.key,
            )
        estimators.append(estimator)
    return estimators


def _build_for_losses(entry: EstimatorInput, task: str, size: DrawSize) -> StudyEstimator:
    del task, size
    _refuse(entry, _LEARNER_FIELDS + _PAIR_FIELDS, "The generator draws losses, so leave out {}.")
    analysis = _build_choices(entry)
    if analysis.refit_methods:
        raise InvalidParameter(
            f"{analysis.refit_methods[0].name!r} fits the learner again, but losses have no "
            "learner.",
            loc=("variances",),
        )
    return StudyEstimator(key=entry.as_ or "losses", choices=analysis.choices, truths=())


def _build_for_data(entry: EstimatorInput, task: str, size: DrawSize) -> StudyEstimator:
    _refuse(entry, _PAIR_FIELDS, "{} need a generator that draws a source and a target sample.")
    scheme, loss = _build_scheme_and_loss(entry, task)
    if "source" in scheme.requires and size.n_sources is None:
        raise InvalidParameter(
            f"The scheme {scheme.info.name!r} needs sources; set draw.n_sources and "
            "draw.per_source.",
            loc=("scheme",),
        )
    learners = _build_learners(entry, task, loss)
    analysis = _build_choices(entry)
    choices = analysis.choices
    check_choices(approximate_layout(scheme), choices, tuple(learners), loss)
    truths = tuple(_default_truths(scheme, size) if entry.truths is None else entry.truths)
    check_truths(truths)
    return StudyEstimator(
        key=entry.as_ or scheme.info.name,
        choices=choices,
        scheme=scheme,
        learners=learners,
        loss=loss,
        refits=analysis.refit_methods,
        truths=truths,
        select=entry.select,
    )


def _build_for_pairs(entry: EstimatorInput, task: str, size: DrawSize) -> StudyEstimator:
    refused = ("variances", "intervals", "tests", "control", "truths", "select")
    _refuse(entry, refused, "The generator draws pairs of samples; use risks, not {}.")
    if size.n is None:
        raise InvalidParameter(
            "The generator draws pairs of samples; set draw.n and draw.n_target.", loc=("scheme",)
        )
    scheme, loss = _build_scheme_and_loss(entry, task)
    risks = parse_risks(entry.risks)
    weights = parse_weights(entry.weights or get_known_weights_method())
    return StudyEstimator(
        key=entry.as_ or scheme.info.name,
        choices=_build_choices(entry).choices,
        scheme=scheme,
        learners=_build_learners(entry, task, loss),
        loss=loss,
        truths=(ON_TARGET,),
        weighted=WeightedEstimation(weights, risks),
    )


_BUILDERS: Final[Mapping[DrawKind, Callable[[EstimatorInput, str, DrawSize], StudyEstimator]]] = {
    DrawKind.LOSSES: _build_for_losses,
    DrawKind.DATA: _build_for_data,
    DrawKind.PAIRS: _build_for_pairs,
}


def _refuse(entry: EstimatorInput, fields: Sequence[str], message: str) -> None:
    for field in fields:
        if getattr(entry, field) is not None:
            raise InvalidParameter(message.format(field), loc=(field,))


def _build_scheme_and_loss(entry: EstimatorInput, task: str) -> tuple[Scheme, Loss]:
    if entry.scheme is None:
        raise InvalidParameter(
            "The estimator needs a scheme, because the population gives rows of data.",
            loc=("scheme",),
        )
    scheme: Scheme = parse_method(SCHEMES, entry.scheme, ("scheme",))
    loss: Loss = parse_method(LOSSES, entry.loss or get_default_loss(task), ("loss",))
    check_loss(loss, task)
    return scheme, loss


def _default_truths(scheme: Scheme, size: DrawSize) -> tuple[str, ...]:
    by_source = scheme.block_kind is BlockKind.SOURCE and size.n_sources is not None
    return (MODEL, FITTED, NEW_FITTED, ONE_NEW) if by_source else (MODEL, FITTED)


def _build_choices(entry: EstimatorInput) -> EstimatorChoices:
    fields = {name: getattr(entry, name) for name in _CHOICES}
    return EstimatorChoices(kind="study", **fields)


def _build_learners(entry: EstimatorInput, task: str, loss: Loss) -> dict[str, Learner]:
    if (entry.learner is None) == (entry.learners is None):
        raise InvalidParameter("The estimator needs either learner or learners.", loc=("learners",))
    specs: Mapping[str, object] = entry.learners or {}
    if entry.learner is not None:
        spec = read_learner_spec(entry.learner, loc=("learner",))
        specs = {spec.name: entry.learner}
    learners: dict[str, Learner] = {}
    for name, value in specs.items():
        loc: Loc = ("learner",) if entry.learner is not None else ("learners", name)
        learner = build_learner(
            read_learner_spec(value, loc=loc),
            task,
            allowed_packages=get_settings().allowed_packages,
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
