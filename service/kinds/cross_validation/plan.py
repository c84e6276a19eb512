"""What a cross-validation is made of: data, learners, scheme and loss, built from a request."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any
from uuid import UUID

import numpy as np

from service.kinds.base import DatasetFile, Job
from service.kinds.fields.data import feature_names, has_role, read_data, role_path
from service.kinds.fields.method_names import Method
from service.kinds.fields.methods import parse_method
from service.kinds.fitting.job_key import JobKey
from service.kinds.fitting.learner_groups import Bundle, bundles_of
from service.kinds.fitting.refits import Extra, extra_of
from service.kinds.fitting.scheme_layout import layout_for, likely_layout, where_scheme
from service.kinds.fitting.target_sample import weighted_data
from service.kinds.methods_used import record_learners, record_method
from service.settings import settings
from thetahat.analyses.losses import Choices, check, list_fitting_methods
from thetahat.analyses.losses.result import MethodUsed
from thetahat.cross_validation import check_learner, check_loss, check_target, rows_of
from thetahat.errors import EvaluationError, InvalidParameter, UnsupportedCombination
from thetahat.learners import LEARNERS
from thetahat.learners.base import Learner
from thetahat.losses import LOSSES, default_loss
from thetahat.losses.base import Loss
from thetahat.pipelines import build as build_learner
from thetahat.pipelines import for_classes, learner_spec
from thetahat.pipelines.column_names import check_column_names
from thetahat.schemes import SCHEMES
from thetahat.schemes.base import Rows, Scheme
from thetahat.tables.data import Data
from thetahat.values.layout import Layout

if TYPE_CHECKING:
    from service.kinds.fields.learners import FitsRequest, LearnersRequest


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """The parts, built.

    Parameters
    ----------
    bundles : tuple of Bundle
        All learners, those that are run together in one; one group each.
    all_own : bool
        Whether no learner needs scikit-learn.
    """

    data: Data
    rows: Rows
    scheme: Scheme
    learners: Mapping[str, Learner]
    bundles: tuple[Bundle, ...]
    loss: Loss
    n_splits: int
    all_own: bool
    extra: Extra

    def labels(self, output: np.ndarray) -> np.ndarray:
        """Return predictions as the labels or the values of the data."""
        return labels_of(self.data, output)

    def methods_used(self, learners: Mapping[str, Any]) -> list[MethodUsed]:
        """Return scheme, loss and learners as records; a learner's is its spec as it was asked."""
        return [
            record_method("schemes", self.scheme),
            record_method("losses", self.loss),
            *record_learners(learners),
        ]


def labels_of(data: Data, output: np.ndarray) -> np.ndarray:
    """Return predictions as the labels or the values of the data."""
    if data.task == "regression":
        return output
    classes = data.classes
    whole = all(isinstance(c, int) for c in classes)
    known = np.array(classes if whole else [str(c) for c in classes])
    return np.asarray(known[output.astype(np.intp)])


def plan_of(job: Job[Any], given: LearnersRequest) -> Plan:
    """Build the parts; the last job's are kept, for its chunks come one after another."""
    return _built(JobKey(job, given))


def scheme_of(given: LearnersRequest) -> Scheme:
    """Return the scheme of a request."""
    return built_scheme(given.scheme, "scheme")


def built_scheme(method: Method, field: str) -> Scheme:
    """Return a scheme that the request names in a field."""
    scheme: Scheme = parse_method(SCHEMES, method, (field,))
    return scheme


def loss_of(given: FitsRequest) -> Loss:
    """Return the loss of a request, refused where it is for the other task."""
    loss: Loss = parse_method(LOSSES, given.loss or default_loss(given.task), ("loss",))
    check_loss(loss, given.task)
    return loss


def learners_of(given: LearnersRequest, loss: Loss) -> dict[str, Learner]:
    """Return the learners of a request, checked before anything is fitted."""
    return built_learners(given, given.learners, "learners", loss)


def built_learners(
    given: FitsRequest,
    wires: Mapping[str, str | dict[str, Any]],
    field: str,
    loss: Loss,
    features: Collection[str] | None = None,
) -> dict[str, Learner]:
    """Return the learners that the request names in a field, checked likewise.

    Where the features' names are given, the first step of each learner names none but these.
    """
    learners: dict[str, Learner] = {}
    for name, wire in wires.items():
        loc = (field, name)
        if not 0 < len(name) <= 120 or "\0" in name:
            raise InvalidParameter(
                "a learner's name has 1 to 120 characters, and no NUL", loc=loc, value=name
            )
        spec = learner_spec(wire, loc=loc)
        if features is not None:
            check_column_names(spec, features, loc=loc)
        learner = build_learner(
            spec, given.task, allowed_packages=settings().allowed_packages, loc=loc
        )
        try:
            weighted = has_role(given, "weight") or getattr(given, "weighted_fit", False)
            check_learner(name, learner, given.task, loss, weighted=weighted)
        except EvaluationError as error:
            error.loc = (field, *error.loc[1:])
            raise
        learners[name] = learner
    return learners


def told_classes(
    learners: Mapping[str, Learner], data: Data, field: str = "learners"
) -> dict[str, Learner]:
    """Return the learners told what the classes are; class weights of others are refused."""
    told: dict[str, Learner] = {}
    for name, learner in learners.items():
        try:
            told[name] = for_classes(learner, data.classes)
        except EvaluationError as error:
            error.loc = (field, name, *error.loc)
            raise
    return told


def check_plan(given: LearnersRequest, datasets: Mapping[UUID, DatasetFile]) -> None:
    """Refuse what the request alone shows to be wrong; no data set is opened."""
    scheme, loss = scheme_of(given), loss_of(given)
    features = feature_names(given, datasets)
    learners = built_learners(given, given.learners, "learners", loss, features)
    choices = given.choices
    check_roles(given, scheme)
    names = tuple(learners)
    if given.dataset is None:
        data = read_data(given, datasets)
        loss_for(given, loss, data)
        told_classes(learners, data)
        rows = rows_of(data)
    else:
        rows = Rows(n=datasets[given.dataset].rows)
    if given.dataset is not None and scheme.requires:
        layout = likely_layout(scheme)
    else:
        layout = layout_for(given, scheme, rows)
    try:
        extra = extra_of(given, scheme, rows)
    except UnsupportedCombination as error:
        any_loss = _other_losses(loss) is not None
        fits = list_fitting_methods(str(error.loc[0]), layout, choices, any_loss=any_loss)
        message = f"{error.message}; {fits}"
        raise UnsupportedCombination(message, loc=error.loc, value=error.value) from None
    check(layout, extra.choices_to_check(choices), names, _other_losses(loss))


def check_choices(layout: Layout, choices: Choices, names: tuple[str, ...], loss: Loss) -> None:
    """Refuse choices that do not go with the layout, the models or the loss."""
    check(layout, choices, names, _other_losses(loss))


def _other_losses(loss: Loss) -> str | None:
    """Say that the losses will not be 0 and 1 alone, or None."""
    return None if loss.info.loss.can_be_zero_one else f"the loss is {loss.info.name}"


def check_roles(given: FitsRequest, scheme: Scheme) -> None:
    """Refuse a scheme whose columns the request does not name."""
    for role in sorted(scheme.requires - {"y"}):
        if not has_role(given, role):
            where = role_path(given, role)
            raise InvalidParameter(
                f"{scheme.info.name} needs the {role} of every instance in "
                f"{'.'.join(map(str, where))}",
                loc=where,
            )


def loss_for(given: FitsRequest, loss: Loss, data: Data) -> Loss:
    """Return the loss for the classes of the data; a target it is not for is refused in place."""
    try:
        return check_target(loss, data)
    except EvaluationError as error:
        if error.loc and error.loc[0] == "y":
            target = role_path(given, "target") if given.dataset is not None else ("data", "y")
            error.loc = (*target, *error.loc[1:])
        raise


@lru_cache(maxsize=1)
def _built(key: JobKey[LearnersRequest]) -> Plan:
    given = key.given
    data = weighted_data(key.job, given, read_data(given, key.job.datasets))
    scheme, loss, rows = scheme_of(given), loss_of(given), rows_of(data)
    learners = told_classes(learners_of(given, loss), data)
    try:
        n_splits = scheme.n_splits(rows)
    except EvaluationError as error:
        error.loc = where_scheme(given, error.loc)
        raise
    return Plan(
        data=data,
        rows=rows,
        scheme=scheme,
        learners=learners,
        bundles=bundles_of(learners, data, data.n),
        loss=loss_for(given, loss, data),
        n_splits=n_splits,
        all_own=all(is_own(wire) for wire in given.learners.values()),
        extra=extra_of(given, scheme, rows),
    )


def is_own(wire: Any) -> bool:
    """Return whether a learner is the service's own, with nothing before it."""
    spec = learner_spec(wire)
    return spec.name in LEARNERS and not spec.prepare
