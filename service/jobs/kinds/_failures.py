"""A part that failed, told by the unit that put the parts together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from thetahat.errors import EvaluationError, LearnerFailed


def failure_of(said: Mapping[str, Any]) -> EvaluationError:
    """Return the error that a part wrote down as ``code``, ``message`` and ``loc``."""
    kinds = {kind.code: kind for kind in EvaluationError.__subclasses__()}
    return kinds.get(said["code"], LearnerFailed)(said["message"], loc=tuple(said["loc"]))
