"""An estimate of the processor time that the fits of an evaluation need."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from service.settings import settings
from thetahat.errors import InvalidParameter, Loc
from thetahat.learners.base import Learner
from thetahat.pipelines.allowed import load_class
from thetahat.pipelines.constraints import defaults
from thetahat.pipelines.pipeline import Pipeline
from thetahat.pipelines.scikit_learner import ScikitLearner
from thetahat.values.number_text import format_count

STEP_S: Final = 1e-3
"""Seconds of one tree, or of one fit without trees, whatever the size of the data."""
VALUE_S: Final = 2e-8
"""Seconds of one tree for each of the n p log2(n) values that it sorts. Both were measured
for scikit-learn's forests and boosted trees on 20 to 20 000 rows, rounded down."""


def check_work(
    learners: Mapping[str, Learner], *, n_fits: int, n_rows: int, n_features: int, loc: Loc
) -> None:
    """Refuse fits that would take longer than the limit of the settings.

    The library's own learners are not counted: they compute all splits from one pass over the data.
    """
    seconds = n_fits * sum(
        estimate_fit_seconds(learner, n_rows, n_features) for learner in learners.values()
    )
    limit = settings().max_work_s
    if seconds > limit:
        raise InvalidParameter(
            f"The fits would take about {_format_hours(seconds)} of one processor "
            f"({format_count(len(learners))} learners, {format_count(n_fits)} fits of each), more "
            f"than the limit of {_format_hours(limit)} (THETAHAT_MAX_WORK_S). Ask for fewer "
            "learners, trees or splits.",
            loc=loc,
            value=round(seconds),
        )


def estimate_fit_seconds(learner: Learner, n_rows: int, n_features: int) -> float:
    """Return about how many seconds one fit takes; 0 for the library's own learners."""
    if isinstance(learner, Pipeline):
        last_step: Any = learner.learner
        return STEP_S + estimate_fit_seconds(last_step, n_rows, n_features)
    if not isinstance(learner, ScikitLearner):
        return 0.0
    sorting = VALUE_S * n_rows * n_features * float(np.log2(max(n_rows, 2)))
    return count_trees(learner) * (STEP_S + sorting)


def count_trees(learner: ScikitLearner) -> int:
    """Return the number of trees or other members that an estimator fits; 1 for a single model."""
    parameters = {**defaults(load_class(learner.name)), **learner.params}
    name = "max_iter" if learner.name.startswith("HistGradientBoosting") else "n_estimators"
    count = parameters.get(name)
    return count if isinstance(count, int) else 1


def _format_hours(seconds: float) -> str:
    return f"{seconds / 3600:.3g} h"
