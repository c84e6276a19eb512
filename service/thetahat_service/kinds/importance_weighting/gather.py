"""The result of an importance-weighted selection, computed from the outputs of its chunks."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from thetahat.analyses.importance_weighting.fits import GridLosses, fit_ridge_to_source
from thetahat.analyses.importance_weighting.outcomes import (
    GridRisks,
    RiskSetting,
    estimate_risks_along_grid,
)
from thetahat.analyses.importance_weighting.result import LearnerSelection, SelectionAmongLearners
from thetahat.analyses.importance_weighting.selections import (
    find_selection_cautions,
    select_among_learners,
    select_for_learner,
)
from thetahat.analyses.importance_weighting.weights_result import (
    SelectionWeights,
    UsedWeights,
    describe_weights,
    diagnose_weights,
)
from thetahat.analyses.losses.result import MethodUsed
from thetahat.cautions import (
    LEARNER_LEFT_OUT,
    WEIGHT_COLUMN_NOT_USED,
    Caution,
    list_stored,
    restore_all,
)
from thetahat.cross_validation.result import LearnerFailure
from thetahat.importance_weights import uses_known_weights
from thetahat_service.data.arrow_arrays import make_arrow_array
from thetahat_service.kinds.base import ChunkOutput, Finished, read_payload
from thetahat_service.kinds.fitting.failures import convert_to_error
from thetahat_service.kinds.importance_weighting.learners import build_spec
from thetahat_service.kinds.importance_weighting.result import ImportanceWeightingResult
from thetahat_service.kinds.learners_used import record_learner
from thetahat_service.kinds.methods_used import record_method
from thetahat_service.outcomes.failure_arrays import read_failure

if TYPE_CHECKING:
    from thetahat_service.kinds.importance_weighting.plan import ImportanceWeightingPlan

Arrays = Mapping[str, np.ndarray]


@dataclass(frozen=True, slots=True)
class GridPart:
    """The fits of one chunk: a learner on one fold, at a range of the values of its grid."""

    learner: str
    fold: int
    start: int
    stop: int


def pack(grid_losses: GridLosses) -> dict[str, np.ndarray]:
    """Return losses and cautions as arrays."""
    cautions = json.dumps(list_stored(grid_losses.cautions))
    return {
        "losses": grid_losses.losses,
        "cautions": np.frombuffer(cautions.encode(), dtype=np.uint8),
    }


def finish(plan: ImportanceWeightingPlan, outputs: Sequence[ChunkOutput]) -> Finished:
    """Estimate the risks of the learners that ran; those that failed are named."""
    setting = plan.build_setting()
    failures: dict[str, LearnerFailure] = {}
    by_learner: dict[str, list[tuple[GridPart, Arrays]]] = {}
    for output in outputs:
        part, arrays = read_payload(GridPart, output.payload), output.read()
        name = part.learner
        failure = read_failure(arrays, name)
        if failure is not None:
            failures.setdefault(
                name,
                LearnerFailure(
                    code=failure["code"], message=failure["message"], loc=tuple(failure["loc"])
                ),
            )
        by_learner.setdefault(name, []).append((part, arrays))
    outcomes = {
        name: _estimate_learner_risks(plan, name, parts, setting)
        for name, parts in by_learner.items()
        if name not in failures
    }
    if not outcomes:
        raise convert_to_error(next(iter(failures.values())))
    is_several = plan.request.learners is not None
    left_out = plan.samples.left_out
    cautions = [] if left_out is None else left_out.cautions()
    cautions += find_selection_cautions(outcomes, setting)
    selection: LearnerSelection | SelectionAmongLearners
    if is_several:
        selection = select_among_learners(outcomes, setting)
    else:
        (outcome,) = outcomes.values()
        selection = select_for_learner(outcome, setting)
        cautions += selection.cautions
    cautions += dict.fromkeys(
        LEARNER_LEFT_OUT(failure=failure.name_learner(name)) for name, failure in failures.items()
    )
    if plan.shift.known_weights is not None and not uses_known_weights(plan.method.info.name):
        cautions.append(WEIGHT_COLUMN_NOT_USED(name=plan.method.info.name))
    result = ImportanceWeightingResult(
        weights=_describe_weights(plan),
        selection=selection,
        n_folds=plan.shift.n_folds,
        fold_labels=tuple(plan.shift.fold_labels),
        features=tuple(plan.shift.target.names),
        failures=failures,
        left_out=left_out,
        cautions=tuple(cautions),
    )
    losses = _tabulate_losses(plan, outcomes, setting, is_several=is_several)
    return Finished(result, losses, _record_methods(plan, setting, list(outcomes)))


def _estimate_learner_risks(
    plan: ImportanceWeightingPlan,
    name: str,
    parts: Sequence[tuple[GridPart, Arrays]],
    setting: RiskSetting,
) -> GridRisks:
    """Join the outputs of one learner, and estimate its risks along the grid."""
    candidate, shift = plan.candidates[name], plan.shift
    losses = np.empty((shift.n, candidate.size))
    on_target = None if shift.target_y is None else np.empty((shift.m, candidate.size))
    cautions: dict[Caution, None] = {}
    for part, output in parts:
        values = slice(part.start, part.stop)
        if part.fold >= 0:
            losses[np.flatnonzero(shift.fold == part.fold), values] = output["losses"]
        elif on_target is not None:
            on_target[:, values] = output["losses"]
        cautions |= dict.fromkeys(restore_all(json.loads(output["cautions"].tobytes())))
    refits = fit_ridge_to_source(candidate, shift, plan.refit_weights())
    return estimate_risks_along_grid(candidate, losses, on_target, setting, refits, tuple(cautions))


def _describe_weights(plan: ImportanceWeightingPlan) -> SelectionWeights:
    """Return the weights as in the result of kind ``weights``, and how they were used."""
    estimated, samples = plan.weights, plan.shift.samples()
    moment = estimated.second_moment()
    used = UsedWeights(
        weights=describe_weights(plan.method.info.name, estimated.weighing, samples, plan.seed),
        estimated_from=plan.request.weights_from,
        in_fits=plan.request.weighted_fit,
    )
    in_training = estimated.fit_weights is not None
    return SelectionWeights(
        used=used,
        validation_values=estimated.validation if in_training else None,
        validation=diagnose_weights(estimated.validation, samples, plan.seed)
        if in_training
        else None,
        second_moment=None if moment is None else moment[0],
    )


def _record_methods(
    plan: ImportanceWeightingPlan, setting: RiskSetting, ran: Sequence[str]
) -> tuple[MethodUsed, ...]:
    learner_entries = plan.request.list_learner_entries()
    return (
        record_method("weights", plan.method),
        record_method("losses", plan.loss),
        *(record_learner(name, build_spec(*learner_entries[name])) for name in ran),
        *(record_method("risks", method, key) for key, method in setting.risks.items()),
    )


def _tabulate_losses(
    plan: ImportanceWeightingPlan,
    outcomes: Mapping[str, GridRisks],
    setting: RiskSetting,
    *,
    is_several: bool,
) -> pa.Table:
    """Return one row per source row: its fold, its weight, its loss under each risk's choice."""
    shift = plan.shift
    labels = shift.fold_labels
    are_whole = all(isinstance(label, int) for label in labels)
    fold_labels = make_arrow_array(list(labels) if are_whole else [str(label) for label in labels])
    columns: dict[str, object] = {
        "block": fold_labels.take(make_arrow_array(shift.fold)),
        "instance": make_arrow_array(plan.samples.source_rows),
        "weight": make_arrow_array(setting.weights),
    }
    for name, outcome in outcomes.items():
        for risk in setting.risks:
            key = f"loss:{name}:{risk}" if is_several else f"loss:{risk}"
            columns[key] = make_arrow_array(
                np.ascontiguousarray(outcome.losses[:, outcome.selected(risk)])
            )
    return pa.table(columns)
