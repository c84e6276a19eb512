"""The result of a cross-validation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from service.kinds.base import Finished
from service.kinds.cross_validation.calibration import CALIBRATION, add_calibration
from service.kinds.cross_validation.plan import SPLITS, CrossValidationPlan
from service.kinds.cross_validation.target_sample import find_sources
from service.kinds.fitting.data_cautions import data_cautions
from service.kinds.fitting.engine import JoinedOutputs
from service.kinds.fitting.evaluation import add_cautions, evaluate_outcomes
from service.kinds.fitting.failures import LearnerFailure
from service.kinds.fitting.scheme_plan import restore_labels
from service.kinds.loss_columns import tabulate_losses
from service.kinds.methods_used import record_methods
from thetahat.analyses.losses.weighted_risks import add_risks
from thetahat.cautions import LEARNER_LEFT_OUT
from thetahat.cross_validation import (
    Outcomes,
    cautions_of,
    cautions_of_clusters,
    joined,
    summarise_fits,
    unpack,
)
from thetahat.values.json_values import to_json


def build_result(
    plan: CrossValidationPlan,
    outputs: JoinedOutputs,
    calibration: Sequence[Mapping[str, np.ndarray]] = (),
) -> Finished:
    """Evaluate the learners that ran; those that failed are named with their message.

    Parameters
    ----------
    calibration : sequence of mapping
        The arrays of the chunks of the calibration.
    """
    request, seed = plan.request, plan.job.seed
    failures: dict[str, LearnerFailure] = {}
    arrays: dict[str, Mapping[str, list[Mapping[str, Any]]]] = {}
    for bundle in outputs.bundles:
        for name, record in outputs.read_bundle(bundle).items():
            if record.failures:
                failures[name] = next(iter(record.failures.values()))
            else:
                arrays[name] = record.arrays
    present = outputs.learners_in(plan.learners)
    ran = [name for name in present if name in arrays]
    if not ran:
        raise next(iter(failures.values())).as_error()
    outcomes = {name: joined([unpack(one) for one in arrays[name][SPLITS]]) for name in ran}
    metrics = request.built_metrics()
    evaluated = evaluate_outcomes(
        outcomes,
        plan.data,
        plan.scheme.block_kind,
        plan.loss,
        request.choices,
        metrics,
        seed,
        requested=list(request.learners),
        refits=plan.refits,
        refit_arrays={name: arrays[name] for name in ran},
    )
    table, evaluation = evaluated.table, evaluated.result
    importance, first = plan.importance, outcomes[ran[0]]
    if importance is not None:
        tested = first.places.test
        weights, sources = importance.weights.validation[tested], find_sources(plan.data, tested)
        choices, risks = evaluated.choices, importance.risks
        evaluation = add_risks(evaluation, table, weights, choices, risks, sources)
    evaluation = add_cautions(
        evaluation,
        *(LEARNER_LEFT_OUT(name=name, reason=one.message) for name, one in failures.items()),
        *getattr(plan.scheme, "cautions", ()),
        *cautions_of_clusters(plan.data, plan.scheme.block_kind, first),
        *data_cautions(request, plan.data),
        *cautions_of(outcomes),
    )
    evaluation, calibrated = add_calibration(evaluation, plan, calibration)
    result = {
        **to_json(evaluation),
        "failures": to_json(failures),
        "learners": {
            name: summarise_fits(of_learner.reasons) for name, of_learner in outcomes.items()
        },
    }
    if importance is not None:
        result["weights"] = to_json(importance.describe(request, seed))
    if calibrated is not None:
        result[CALIBRATION] = calibrated
    result["methods"] = [
        *plan.methods_used(present),
        *record_methods("metrics", metrics),
        *to_json(evaluation.methods),
        *plan.refits.methods_used(),
        *([] if importance is None else importance.methods_used()),
    ]
    return Finished(result, tabulate_losses(table, _predictions(plan, outcomes)))


def _predictions(
    plan: CrossValidationPlan, outcomes: Mapping[str, Outcomes]
) -> dict[str, np.ndarray]:
    """Return the predictions as columns of labels or values."""
    return {
        f"prediction:{name}": restore_labels(plan.data, np.asarray(of_learner.output))
        for name, of_learner in outcomes.items()
    }
