"""A part of an evaluation that failed, told by the unit that puts the parts together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from service.jobs.failures import build_problem
from service.kinds.base import AllPartsFailed
from thetahat.errors import EvaluationError


def failure_of(said: Mapping[str, Any]) -> Exception:
    """Return the error that a part wrote down as ``code``, ``message`` and ``loc``."""
    kinds = {kind.code: kind for kind in EvaluationError.__subclasses__()}
    if said["code"] in kinds:
        return kinds[said["code"]](said["message"], loc=tuple(said["loc"]))
    return AllPartsFailed(build_problem(said["code"], said["message"]))
