"""The result of a cross-validation, computed from the outputs of its chunks."""

from __future__ import annotations

import numpy as np

from thetahat.analyses.cross_validation.evaluation import evaluate_learners
from thetahat.analyses.cross_validation.seeds import Seeds, average_trainings
from thetahat.analyses.losses.weighted_risks import Weighting
from thetahat.cross_validation import Outcomes, join_outcomes, unpack
from thetahat.cross_validation.result import LearnerFailure
from thetahat_service.kinds.base import Finished
from thetahat_service.kinds.cross_validation.calibration import read_calibration
from thetahat_service.kinds.cross_validation.plan import CrossValidationPlan, name_seed_stage
from thetahat_service.kinds.cross_validation.result import CrossValidationResult
from thetahat_service.kinds.cross_validation.target_sample import find_sources
from thetahat_service.kinds.fields.metrics import parse_metrics
from thetahat_service.kinds.fitting.engine import JoinedOutputs
from thetahat_service.kinds.fitting.failures import convert_to_error
from thetahat_service.kinds.fitting.refits import StageArrays, read_refits
from thetahat_service.kinds.loss_columns import make_prediction_column, tabulate_losses
from thetahat_service.kinds.methods_used import record_metrics


def build_result(plan: CrossValidationPlan, outputs: JoinedOutputs) -> Finished:
    """Evaluate the learners that ran, name those that failed, and calibrate the intervals."""
    request, seed = plan.request, plan.job.seed
    failures: dict[str, LearnerFailure] = {}
    arrays: dict[str, StageArrays] = {}
    for bundle in outputs.bundles:
        for name, record in outputs.read_bundle(bundle).items():
            if record.failures:
                failures[name] = next(iter(record.failures.values()))
            else:
                arrays[name] = record.arrays
    present = outputs.list_learners_in(plan.learners)
    successful = [name for name in present if name in arrays]
    if not successful:
        raise convert_to_error(next(iter(failures.values())))
    trainings = {name: _join_trainings(arrays[name], request.seeds) for name in successful}
    outcomes = average_trainings(trainings)
    metrics = parse_metrics(request.metrics)
    importance, weighting = plan.importance, None
    if importance is not None:
        test_rows = outcomes[successful[0]].splits.test
        weights = importance.weights.validation[test_rows]
        weighting = Weighting(weights, importance.risks, find_sources(plan.data, test_rows))
    measured = read_calibration(plan, [output.read() for output in outputs.others])
    table, evaluation = evaluate_learners(
        plan.build_outcomes_task(metrics),
        outcomes,
        failures,
        read_refits(plan.refits, plan.data, seed, {name: arrays[name] for name in successful}),
        weighting=weighting,
        calibration=measured,
        seeds=None if request.seeds == 1 else Seeds.build(trainings),
    )
    result = CrossValidationResult(
        evaluation=evaluation,
        weights=None if importance is None else importance.describe(request, seed),
        calibration=None if measured is None else measured.summarise(),
    )
    methods = (
        *plan.list_methods_used(present),
        *record_metrics(metrics),
        *evaluation.methods,
        *plan.refits.list_methods_used(),
        *(() if importance is None else importance.list_methods_used()),
    )
    predictions = {
        f"prediction:{name}": make_prediction_column(plan.data, np.asarray(outcome.output))
        for name, outcome in outcomes.items()
        if outcome.output is not None
    }
    return Finished(result, tabulate_losses(table, predictions), methods)


def _join_trainings(arrays: StageArrays, n_seeds: int) -> list[Outcomes]:
    """Return the outcomes of each training of a learner: one, or as many as there are seeds."""
    stages = [name_seed_stage(number) for number in range(n_seeds)]
    return [
        join_outcomes([unpack(chunk) for chunk in arrays[stage]])
        for stage in stages
        if stage in arrays
    ]
