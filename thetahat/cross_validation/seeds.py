"""Learners that are trained several times on each split, with random numbers of their own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from thetahat.cautions import Caution
from thetahat.cross_validation.learner_groups import Group
from thetahat.cross_validation.outcomes import Outcomes
from thetahat.errors import InvalidParameter
from thetahat.learners import LEARNERS
from thetahat.parameter_checks import MOST_SEEDS
from thetahat.pipelines.column_step import ColumnStep
from thetahat.pipelines.estimator_learner import EstimatorLearner
from thetahat.pipelines.estimators import build_estimator
from thetahat.pipelines.groups import ColumnGroups
from thetahat.pipelines.pipeline import Pipeline
from thetahat.pipelines.scikit_step import ScikitStep
from thetahat.pipelines.text_step import TextStep
from thetahat.seeds import MAX_SEED, make_random_stream


def check_seeds(seeds: Any) -> None:
    """Raise ``InvalidParameter`` for a number of seeds that is not from 1 to the largest."""
    if isinstance(seeds, bool) or not isinstance(seeds, int) or not 1 <= seeds <= MOST_SEEDS:
        raise InvalidParameter(
            f"seeds must be a whole number from 1 to {MOST_SEEDS}, and is {seeds}. With more, the "
            "random numbers of the learners no longer matter beside the data.",
            loc=("seeds",),
            value=seeds if isinstance(seeds, int) else str(seeds),
        )


def derive_fit_seed(seed: int, number: int) -> int:
    """Return the seed of the fits of one of several trainings; the first is that of the job."""
    if number == 0:
        return seed
    return int(make_random_stream(seed, "seeds", number).integers(MAX_SEED))


def draws_random_numbers(learner: Any) -> bool:
    """Return whether two fits on the same rows may differ.

    The library's own learners do not. An estimator may if it takes a ``random_state`` that is not
    set, even if its other parameters make no use of it.
    """
    if isinstance(learner, Pipeline):
        return _steps_draw(learner.steps, learner.task) or draws_random_numbers(learner.learner)
    if isinstance(learner, EstimatorLearner):
        return _is_drawn_from(learner.build)
    return LEARNERS.get(learner.info.name) is not type(learner)


def group_draws(group: Group) -> bool:
    """Return whether learners that are fitted together draw random numbers.

    Learners are fitted together only if they differ in a parameter alone.
    """
    return draws_random_numbers(group.learners[0])


def _steps_draw(steps: Iterable[ColumnStep | ColumnGroups], task: str) -> bool:
    for step in steps:
        if isinstance(step, ColumnGroups):
            if any(_steps_draw(branch.steps, task) for branch in step.branches):
                return True
        elif isinstance(step.step, ScikitStep | TextStep):
            name, params = step.step.name, step.step.params
            if _is_drawn_from(
                lambda rng, name=name, params=params: build_estimator(name, params, rng, task=task)
            ):
                return True
    return False


def _is_drawn_from(build: Any) -> bool:
    """Return whether a function draws from the random generator that it is given."""
    rng = np.random.default_rng(0)
    before = rng.bit_generator.state
    build(rng)
    return bool(rng.bit_generator.state != before)


def average_seeds(runs: Sequence[Outcomes]) -> Outcomes:
    """Return the outcomes of one learner with the mean losses over its trainings.

    Predictions are left out: those of one training do not have the mean loss. Warnings are those
    of all trainings.
    """
    if len(runs) == 1:
        return runs[0]
    cautions: dict[int, tuple[Caution, ...]] = {}
    for run in runs:
        for at, of_split in run.cautions.items():
            cautions[at] = tuple(dict.fromkeys([*cautions.get(at, ()), *of_split]))
    return replace(
        runs[0],
        losses=np.mean([run.losses for run in runs], axis=0),
        output=None,
        probabilities=None,
        scores=None,
        cautions=cautions,
    )


def compute_split_means(runs: Sequence[Outcomes]) -> np.ndarray:
    """Return the (S, J) mean loss of each training on each split."""
    starts = np.concatenate([[0], runs[0].splits.ends[:-1]])
    sums = np.add.reduceat(np.stack([run.losses for run in runs]), starts, axis=1)
    return np.asarray(sums / runs[0].splits.n_test)
