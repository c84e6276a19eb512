"""Records of one draw of a source and a target sample: weighted risks and the true risk."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from thetahat.analyses.studies.estimator import StudyEstimator, WeightedEstimation
from thetahat.analyses.studies.population import DrawnPair
from thetahat.analyses.studies.record_names import (
    INTERVALS,
    MEAN,
    TRUTHS,
    VARIANCES,
    make_record_name,
)
from thetahat.analyses.studies.truths import ON_TARGET, StudyLearner
from thetahat.cross_validation import build_rows, run_splits
from thetahat.errors import UnsupportedCombination
from thetahat.importance_weights import Samples
from thetahat.schemes.base import Split
from thetahat.seeds import make_random_stream
from thetahat.special_functions import ndtri
from thetahat.values.types import FloatArray, Target


def record_weighted_risks(
    estimator: StudyEstimator, drawn: DrawnPair, seed: int
) -> dict[str, float]:
    """Return the risks of every learner with their variances and intervals, and the true risk.

    Learners that take weights are fitted with them. The losses are those of the scheme's test parts
    of the source sample, each with the weight of its row.
    """
    estimator = estimator.for_classes(drawn.pair.source.classes)
    estimation, scheme, loss = estimator.weighted, estimator.scheme, estimator.loss
    if estimation is None or scheme is None or loss is None:
        raise UnsupportedCombination(
            f"The estimator {estimator.key!r} needs weights, a scheme and a loss, because the "
            "generator draws pairs of samples."
        )
    weights = _estimate_weights(estimation, drawn, seed)
    splits = list(scheme.splits(build_rows(drawn.pair.source), seed))
    record: dict[str, float] = {}
    for name, learner in estimator.learners.items():
        study_learner = StudyLearner(name=name, learner=learner, loss=loss, seed=seed)
        risks = _record_learner(estimator, estimation, drawn, weights, splits, study_learner)
        for parts, value in risks.items():
            record[make_record_name(estimator.key, name, *parts)] = value
    return record


def _estimate_weights(estimation: WeightedEstimation, drawn: DrawnPair, seed: int) -> FloatArray:
    source, target = (
        sample.features.complete_matrix() for sample in (drawn.pair.source, drawn.pair.target)
    )
    samples = Samples(source, target, drawn.pair.weights)
    return estimation.weights.estimate(samples, make_random_stream(seed, "weights")).values


def _record_learner(  # noqa: PLR0913 - all that the risks of a learner depend on
    estimator: StudyEstimator,
    estimation: WeightedEstimation,
    drawn: DrawnPair,
    weights: FloatArray,
    splits: list[Split],
    study_learner: StudyLearner,
) -> dict[tuple[str, ...], float]:
    learner, source = study_learner.learner, drawn.pair.source
    if learner.takes_weights:
        source = replace(source, weight=weights)
    outcomes = run_splits(
        study_learner.name, learner, source, splits, study_learner.loss, study_learner.seed
    )
    losses = np.concatenate([outcome.losses for outcome in outcomes])
    rows = np.concatenate([outcome.test for outcome in outcomes])
    fold = np.repeat(np.arange(len(outcomes)), [len(outcome.test) for outcome in outcomes])
    record: dict[tuple[str, ...], float] = {}
    z = float(ndtri((1 + estimator.choices.level) / 2))
    target = Target.NEW_POPULATION.value
    for key, risk in estimation.risks.items():
        estimate = risk.estimate(losses, weights[rows], fold)
        half = z * math.sqrt(estimate.variance)
        record[MEAN, key] = estimate.estimate
        record[VARIANCES, key, target, key] = estimate.variance
        record[INTERVALS, f"normal:{key}", target, key, "lower"] = estimate.estimate - half
        record[INTERVALS, f"normal:{key}", target, key, "upper"] = estimate.estimate + half
    if ON_TARGET in estimator.truths:
        on = drawn.on_target()
        risks = [
            study_learner.losses(source, split.train, (split.repeat, split.block), on).mean()
            for split in splits
        ]
        record[TRUTHS, ON_TARGET] = float(np.mean(risks))
    return record
