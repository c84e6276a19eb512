"""One draw of a source and a target sample: weights, risks, and what is true of them."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from scipy.special import ndtri

from thetahat.analyses.studies.estimator import StudyEstimator, WeightedEstimation
from thetahat.analyses.studies.population import DrawnPair
from thetahat.analyses.studies.record_names import INTERVALS, MEAN, TRUTHS, VARIANCES, record_name
from thetahat.analyses.studies.truths import ON_TARGET, StudyLearner
from thetahat.cross_validation import rows_of, run_splits
from thetahat.errors import UnsupportedCombination
from thetahat.importance_weights import Samples
from thetahat.learners.base import Learner
from thetahat.losses.base import Loss
from thetahat.schemes.base import Split
from thetahat.seeds import stream
from thetahat.values.types import FloatArray, Target


def record_weighted_risks(
    estimator: StudyEstimator, drawn: DrawnPair, seed: int
) -> dict[str, float]:
    """Return the risks of every learner, with their variances, intervals and the truth.

    Learners that take weights are fitted with them; losses are those of the scheme's test parts
    of the source sample, each with its row's weight.
    """
    estimator = estimator.told_classes(drawn.pair.source.classes)
    how, scheme, loss = estimator.weighted, estimator.scheme, estimator.loss
    if how is None or scheme is None or loss is None:
        raise UnsupportedCombination(
            f"estimator {estimator.key!r} needs weights, a scheme and a loss: pairs are drawn here"
        )
    weights = _weights(how, drawn, seed)
    splits = list(scheme.splits(rows_of(drawn.pair.source), seed))
    record: dict[str, float] = {}
    for name, learner in estimator.learners.items():
        found = _of_learner(estimator, how, drawn, weights, splits, (name, learner, loss), seed)
        for parts, value in found.items():
            record[record_name(estimator.key, name, *parts)] = value
    return record


def _weights(how: WeightedEstimation, drawn: DrawnPair, seed: int) -> FloatArray:
    source, target = (
        of.features.complete_matrix() for of in (drawn.pair.source, drawn.pair.target)
    )
    samples = Samples(source, target, drawn.pair.weights)
    return how.weights.estimate(samples, stream(seed, "weights")).values


def _of_learner(  # noqa: PLR0913 - all that a risk depends on
    estimator: StudyEstimator,
    how: WeightedEstimation,
    drawn: DrawnPair,
    weights: FloatArray,
    splits: list[Split],
    who: tuple[str, Learner, Loss],
    seed: int,
) -> dict[tuple[str, ...], float]:
    name, learner, loss = who
    source = drawn.pair.source
    if learner.takes_weights:
        source = replace(source, weight=weights)
    outcomes = run_splits(name, learner, source, splits, loss, seed)
    losses = np.concatenate([outcome.losses for outcome in outcomes])
    rows = np.concatenate([outcome.test for outcome in outcomes])
    fold = np.repeat(np.arange(len(outcomes)), [len(outcome.test) for outcome in outcomes])
    found: dict[tuple[str, ...], float] = {}
    z = float(ndtri((1 + estimator.choices.level) / 2))
    for key, risk in how.risks.items():
        told = risk.estimate(losses, weights[rows], fold)
        half = z * math.sqrt(told.variance)
        speaks = Target.NEW_POPULATION.value
        found[MEAN, key] = told.estimate
        found[VARIANCES, key, speaks, key] = told.variance
        found[INTERVALS, f"normal:{key}", speaks, key, "lower"] = told.estimate - half
        found[INTERVALS, f"normal:{key}", speaks, key, "upper"] = told.estimate + half
    if ON_TARGET in estimator.truths:
        fitting = StudyLearner(name=name, learner=learner, loss=loss, seed=seed)
        on = drawn.on_target()
        risks = [fitting.losses(source, s.train, (s.repeat, s.block), on).mean() for s in splits]
        found[TRUTHS, ON_TARGET] = float(np.mean(risks))
    return found
