"""An estimate of the processor time that the fits of an evaluation need."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, Final, cast

import numpy as np

from thetahat.errors import InvalidParameter, Loc
from thetahat.learners.base import Learner
from thetahat.pipelines.allowed_classes import load_class
from thetahat.pipelines.constraints import get_defaults
from thetahat.pipelines.pipeline import Pipeline
from thetahat.pipelines.scikit_learner import ScikitLearner
from thetahat.values.json_values import JsonValue
from thetahat.values.number_text import format_count
from thetahat_service.settings import get_settings

STEP_S: Final = 1e-3
"""Seconds of one tree, or of one fit without trees, whatever the size of the data."""
VALUE_S: Final = 2e-8
"""Seconds of one tree for each of the n p log2(n) values that it sorts. Both were measured
for scikit-learn's forests and boosted trees on 20 to 20 000 rows, rounded down."""
PASS_S: Final = 1e-9
"""Seconds of one iteration of a linear model or a network for each of the n p values that it reads,
and for each unit of a hidden layer: two operations of a processor, rounded down."""


def check_work(
    learners: Mapping[str, Learner], *, n_fits: int, n_rows: int, n_features: int, loc: Loc
) -> None:
    """Refuse fits that would take longer than the limit of the settings.

    The library's own learners are not counted: they compute all splits from one pass over the data.
    """
    seconds = n_fits * sum(
        estimate_fit_seconds(learner, n_rows, n_features) for learner in learners.values()
    )
    limit = get_settings().max_work_s
    if seconds > limit:
        raise InvalidParameter(
            f"The fits would take up to about {_format_hours(seconds)} of one processor "
            f"({format_count(len(learners))} learners, {format_count(n_fits)} fits of each), more "
            f"than the limit of {_format_hours(limit)} (THETAHAT_MAX_WORK_S). Ask for fewer "
            "learners, trees, iterations or splits.",
            loc=loc,
            value=round(seconds),
        )


def estimate_fit_seconds(learner: Learner, n_rows: int, n_features: int) -> float:
    """Return about how many seconds one fit takes at most; 0 for the library's own learners.

    A fit that converges before ``max_iter`` takes less.
    """
    if isinstance(learner, Pipeline):
        last_step: Any = learner.learner
        return STEP_S + estimate_fit_seconds(last_step, n_rows, n_features)
    if not isinstance(learner, ScikitLearner):
        return 0.0
    parameters = {**get_defaults(load_class(learner.name)), **learner.params}
    iterations = count_iterations(learner.name, parameters)
    if iterations is not None:
        widths = [n_features, *_read_hidden_widths(parameters), 1]
        weights = sum(width * next_width for width, next_width in pairwise(widths))
        return STEP_S + iterations * PASS_S * n_rows * weights
    sorting = VALUE_S * n_rows * n_features * float(np.log2(max(n_rows, 2)))
    return count_trees(learner.name, parameters) * (STEP_S + sorting)


def count_trees(name: str, parameters: Mapping[str, object]) -> int:
    """Return the number of trees or other members that an estimator fits; 1 for a single model."""
    count = parameters.get("max_iter" if _is_boosting(name) else "n_estimators")
    return count if isinstance(count, int) else 1


def count_iterations(name: str, parameters: Mapping[str, object]) -> int | None:
    """Return the largest number of passes over the data; None where a fit has no such limit."""
    count = parameters.get("max_iter")
    return count if isinstance(count, int) and count > 0 and not _is_boosting(name) else None


def _is_boosting(name: str) -> bool:
    """Return whether the iterations of an estimator are trees."""
    return name.startswith("HistGradientBoosting")


def _read_hidden_widths(parameters: Mapping[str, JsonValue]) -> list[int]:
    sizes = cast("int | Sequence[int]", parameters.get("hidden_layer_sizes", ()))
    return [sizes] if isinstance(sizes, int) else list(sizes)


def _format_hours(seconds: float) -> str:
    return f"{seconds / 3600:.3g} h"
