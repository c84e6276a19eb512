"""Building the learners, the loss and the schemes that a request names, checked before any fit."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import partial
from typing import Final

from thetahat.cross_validation import check_learner, check_loss, check_target
from thetahat.error_paths import errors_located_at, located_errors
from thetahat.errors import EvaluationError, InvalidParameter
from thetahat.learners import LEARNERS
from thetahat.learners.base import Learner
from thetahat.losses import LOSSES, get_default_loss
from thetahat.losses.base import Loss
from thetahat.pipelines import adapt_to_classes, read_learner_spec
from thetahat.pipelines import build as build_learner
from thetahat.pipelines.column_names import check_column_names
from thetahat.schemes import SCHEMES
from thetahat.schemes.base import Scheme
from thetahat.tables.data import Data
from thetahat.values.json_values import JsonValue
from thetahat_service.errors import InvalidRequest, run_checks
from thetahat_service.kinds.fields.data import build_role_path, has_role
from thetahat_service.kinds.fields.learners import FitsRequest
from thetahat_service.kinds.fields.method_names import Method
from thetahat_service.kinds.fields.methods import parse_method
from thetahat_service.settings import get_settings

LONGEST_NAME: Final = 120


def build_scheme(method: Method, field: str) -> Scheme:
    """Return the scheme that a field of the request names."""
    scheme: Scheme = parse_method(SCHEMES, method, (field,))
    return scheme


def build_loss(request: FitsRequest) -> Loss:
    """Return the loss of a request; a loss for the other task is refused."""
    loss: Loss = parse_method(
        LOSSES, request.loss or get_default_loss(request.known_task), ("loss",)
    )
    check_loss(loss, request.known_task)
    return loss


def build_checked_loss(request: FitsRequest) -> Loss:
    """Return the loss of a request, or where that is refused the default of its task.

    Learners are then checked with it, so that a refusal names their faults, too.
    """
    try:
        return build_loss(request)
    except (EvaluationError, InvalidRequest):
        return LOSSES[get_default_loss(request.known_task)]()


def build_learners(
    request: FitsRequest,
    specs: Mapping[str, str | dict[str, JsonValue]],
    loss: Loss,
    features: Collection[str] | None = None,
    *,
    field: str = "learners",
) -> dict[str, Learner]:
    """Return the learners that a field of the request names.

    ``features`` are the names of the features, where they are known: the first step of a learner
    may name no other columns.
    """
    learners: dict[str, Learner] = {}

    def build(name: str, value: str | dict[str, JsonValue]) -> None:
        loc = (field, name)
        if not 0 < len(name) <= LONGEST_NAME or "\0" in name:
            raise InvalidParameter(
                f"The name of a learner has 1 to {LONGEST_NAME} characters, and no NUL.",
                loc=loc,
                value=name,
            )
        spec = read_learner_spec(value, loc=loc)
        if features is not None:
            check_column_names(spec, features, loc=loc)
        learner = build_learner(
            spec, request.known_task, allowed_packages=get_settings().allowed_packages, loc=loc
        )
        with errors_located_at(loc):
            check_learner(
                name, learner, request.known_task, loss, weighted=request.has_weighted_fits
            )
        learners[name] = learner

    run_checks(*(partial(build, name, value) for name, value in specs.items()))
    return learners


def set_classes(
    learners: Mapping[str, Learner], data: Data, *, field: str = "learners"
) -> dict[str, Learner]:
    """Return the learners with the classes of the data; weights of other classes are refused."""
    with_classes: dict[str, Learner] = {}
    for name, learner in learners.items():
        with located_errors(within=(field, name)):
            with_classes[name] = adapt_to_classes(learner, data.classes)
    return with_classes


def set_loss_classes(request: FitsRequest, loss: Loss, data: Data) -> Loss:
    """Return the loss with the classes of the data; a target that it is not for is refused."""
    with located_errors({"y": build_role_path(request, "target")}):
        return check_target(loss, data)


def check_scheme_columns(request: FitsRequest, scheme: Scheme) -> None:
    """Refuse a scheme that needs a column which the request does not name."""
    for role in sorted(scheme.requires - {"y"}):
        if not has_role(request, role):
            path = build_role_path(request, role)
            raise InvalidParameter(
                f"The scheme {scheme.info.name} needs the {role} of each row. Give it in "
                f"{'.'.join(map(str, path))}.",
                loc=path,
            )


def is_own_learner(spec: str | Mapping[str, JsonValue]) -> bool:
    """Return whether a learner is the service's own, without preparation steps."""
    parsed = read_learner_spec(spec)
    return parsed.name in LEARNERS and not parsed.prepare
