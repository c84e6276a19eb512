"""One chunk of a learning curve: some learners at one size on some splits, or extra fits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

import numpy as np

from thetahat.analyses.learning_curve.growth import grow_splits
from thetahat.analyses.metrics.checks import check_scores
from thetahat.cross_validation import Group, SplitOutcome, pack, run_path
from thetahat.schemes.base import Split
from thetahat_service.kinds.base import Arrays
from thetahat_service.kinds.fitting.engine import ChunkKey, GroupOutputs, apply_unless_failed
from thetahat_service.kinds.fitting.refits import is_refit_stage, run_refits
from thetahat_service.kinds.learning_curve.plan import LearningCurvePlan, read_size_number

WHOLE_SIZES: Final = "n_whole"
"""The array with the numbers of rows of the whole training parts."""


def run_group(plan: LearningCurvePlan, group: Group, key: ChunkKey) -> GroupOutputs:
    """Fit and test the learners of a group on the splits of a chunk."""
    seed = plan.job.seed
    if is_refit_stage(key.stage):
        return run_refits(plan.refits, group, key, plan.data, plan.loss, seed)
    whole_sizes: list[int] = []

    def note_sizes(splits: Iterator[Split]) -> Iterator[Split]:
        for split in splits:
            whole_sizes.append(split.n_train)
            yield split

    splits = note_sizes(plan.scheme.splits(plan.rows, seed, start=key.start, stop=key.stop))
    smaller = grow_splits(splits, plan.growth, plan.rows, seed, read_size_number(key.stage))
    outcomes = run_path(group, plan.data, smaller, plan.loss, seed, keep_predictions=True)
    return {
        name: apply_unless_failed(outcome, partial(_pack, plan, name, whole_sizes))
        for name, outcome in outcomes.items()
    }


def _pack(
    plan: LearningCurvePlan, name: str, whole_sizes: Sequence[int], outcomes: Sequence[SplitOutcome]
) -> Arrays:
    """Return the arrays of a learner; refuse it if it lacks the scores that a metric needs."""
    check_scores(plan.metrics, outcomes, plan.data, name)
    keep_scores = any(entry.method.uses == "scores" for entry in plan.metrics)
    arrays = pack(outcomes, keep_scores=keep_scores)
    return {**arrays, WHOLE_SIZES: np.array(whole_sizes, dtype=np.intp)}
