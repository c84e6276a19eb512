"""The result of a learning curve: every learner at every size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from service.jobs.output_table import OutputColumn
from service.jobs.spill import Spill, SpilledArray
from service.kinds.base import Finished
from service.kinds.fitting.data_cautions import data_cautions
from service.kinds.fitting.engine import JoinedOutputs, LearnerRecord
from service.kinds.fitting.evaluation import add_cautions, evaluate_outcomes
from service.kinds.fitting.failures import LearnerFailure
from service.kinds.fitting.refits import NO_REFITS, StageArrays, is_refit_stage
from service.kinds.learning_curve.plan import LearningCurvePlan, name_at_size, size_of_stage
from service.kinds.learning_curve.run import WHOLE_SIZES
from service.kinds.loss_columns import lazy_loss_columns, prediction_column
from service.kinds.methods_used import record_methods
from thetahat.analyses.learning_curve import Point, curve_of
from thetahat.analyses.metrics.predictions import judged_from
from thetahat.cautions import NOT_THE_LARGEST_SIZE, SIZE_LEFT_OUT, Caution
from thetahat.cross_validation import (
    Outcomes,
    cautions_of,
    joined,
    loss_table,
    summarise_fits,
    unpack,
)
from thetahat.values.json_values import to_json
from thetahat.values.types import IntArray


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class SizeOutcomes:
    """The outcomes of one learner at one size.

    Parameters
    ----------
    outcomes : Outcomes
        Of all splits; their training sizes are those of the smaller training parts.
    whole_sizes : ndarray of int
        (J,) rows of the whole training parts.
    """

    outcomes: Outcomes
    whole_sizes: IntArray

    @property
    def with_whole_sizes(self) -> Outcomes:
        """The outcomes with the sizes of the whole training parts, as ``Point`` needs them."""
        places = replace(self.outcomes.places, n_train=self.whole_sizes)
        return replace(self.outcomes, places=places)


@dataclass(slots=True)
class LearnerCurve:
    """What is kept of a learner when its curve is computed.

    Parameters
    ----------
    failures : dict of int to LearnerFailure
        By the number of the size.
    curve : dict or None
        As the result has it; None where the learner ran at no size.
    largest : int
        The number of the largest size at which it ran.
    at_largest : Outcomes or None
        The outcomes there.
    refit_arrays : mapping
        The arrays of its extra fits.
    cautions : tuple of Caution
        The warnings of the learner.
    losses, predictions : dict
        Columns by learner and size; most of them are in a file.
    """

    failures: Mapping[int, LearnerFailure]
    curve: dict[str, Any] | None = None
    largest: int = -1
    at_largest: Outcomes | None = None
    refit_arrays: StageArrays = field(default_factory=dict)
    cautions: tuple[Caution, ...] = ()
    losses: dict[str, np.ndarray | SpilledArray] = field(default_factory=dict)
    predictions: dict[str, OutputColumn] = field(default_factory=dict)


def build_result(plan: LearningCurvePlan, outputs: JoinedOutputs) -> Finished:
    """Evaluate the learners at the largest size at which any ran, and compute every curve."""
    request, labels, growth = plan.request, plan.labels, plan.growth
    curves = _compute_curves(plan, outputs)
    failures = {
        name: {labels[size]: failure for size, failure in one.failures.items()}
        for name, one in curves.items()
        if one.failures
    }
    largest = max(one.largest for one in curves.values())
    if largest < 0:
        raise next(iter(next(iter(failures.values())).values())).as_error()
    outcomes = {
        name: one.at_largest
        for name, one in curves.items()
        if one.largest == largest and one.at_largest is not None
    }
    is_whole = largest == len(labels) - 1  # extra fits are of the largest size
    evaluated = evaluate_outcomes(
        outcomes,
        plan.data,
        plan.scheme.block_kind,
        plan.loss,
        request.choices,
        plan.metrics,
        plan.job.seed,
        requested=list(request.learners),
        refits=plan.refits if is_whole else NO_REFITS,
        refit_arrays={name: curves[name].refit_arrays for name in outcomes},
    )
    evaluation = add_cautions(
        evaluated.result,
        *(() if is_whole else (NOT_THE_LARGEST_SIZE(wanted=labels[-1], used=labels[largest]),)),
        *(
            SIZE_LEFT_OUT(name=name, size=label, reason=failure.message)
            for name, by_size in failures.items()
            for label, failure in by_size.items()
        ),
        *getattr(plan.scheme, "cautions", ()),
        *data_cautions(request, plan.data),
        *(caution for one in curves.values() for caution in one.cautions),
    )
    result = {
        **to_json(evaluation),
        "sizes": labels,
        "size": labels[largest],
        "grow_by": growth.grow_by,
        "stratified": growth.stratified,
        "curves": {name: one.curve for name, one in curves.items() if one.curve is not None},
        "learners": {
            name: summarise_fits(of_learner.reasons) for name, of_learner in outcomes.items()
        },
        "failures": to_json(failures),
        "methods": [
            *plan.methods_used(list(request.learners)),
            *record_methods("metrics", plan.metrics),
            *to_json(evaluation.methods),
            *(plan.refits if is_whole else NO_REFITS).methods_used(),
        ],
    }
    losses = {key: one for curve in curves.values() for key, one in curve.losses.items()}
    predictions = {key: one for curve in curves.values() for key, one in curve.predictions.items()}
    return Finished(result, lazy_loss_columns(evaluated.table.layout, losses, predictions))


def _compute_curves(plan: LearningCurvePlan, outputs: JoinedOutputs) -> dict[str, LearnerCurve]:
    """Return the curves in the request's order.

    They are computed bundle after bundle, so that the rows of all learners and sizes are never in
    memory at once.
    """
    spill, curves = Spill(), {}
    for bundle in outputs.bundles:
        for name, record in outputs.read_bundle(bundle).items():
            curves[name] = _compute_curve(plan, name, record, spill)
    return {name: curves[name] for name in outputs.learners_in(plan.learners)}


def _compute_curve(
    plan: LearningCurvePlan, name: str, record: LearnerRecord, spill: Spill
) -> LearnerCurve:
    last_size = len(plan.labels) - 1
    failures: dict[int, LearnerFailure] = {}
    for stage, failure in record.failures.items():
        size = last_size if is_refit_stage(stage) else size_of_stage(stage)
        failures.setdefault(size, failure)
    sizes = {
        size_of_stage(stage): _join(chunks)
        for stage, chunks in record.arrays.items()
        if not is_refit_stage(stage) and size_of_stage(stage) not in failures
    }
    if not sizes:
        return LearnerCurve(failures)
    labelled = {plan.labels[size]: at_size for size, at_size in sizes.items()}
    by_key = {name_at_size(name, label): one.outcomes for label, one in labelled.items()}
    return LearnerCurve(
        failures,
        curve=_draw(plan, name, labelled),
        largest=max(sizes),
        at_largest=sizes[max(sizes)].with_whole_sizes,
        refit_arrays={key: one for key, one in record.arrays.items() if is_refit_stage(key)},
        cautions=cautions_of(by_key),
        losses={key: spill.keep(one.losses) for key, one in by_key.items()},
        predictions={
            f"prediction:{key}": prediction_column(plan.data, np.asarray(one.output), spill)
            for key, one in by_key.items()
        },
    )


def _join(chunks: Sequence[Mapping[str, np.ndarray]]) -> SizeOutcomes:
    return SizeOutcomes(
        outcomes=joined([unpack(arrays) for arrays in chunks]),
        whole_sizes=np.concatenate([arrays[WHOLE_SIZES] for arrays in chunks]),
    )


def _draw(plan: LearningCurvePlan, name: str, sizes: Mapping[str, SizeOutcomes]) -> dict[str, Any]:
    """Return the curve of one learner, from its outcomes by the label of the size."""
    outcomes = {label: one.with_whole_sizes for label, one in sizes.items()}
    table = loss_table(plan.data, plan.scheme.block_kind, outcomes, plan.loss)
    points = [
        Point(
            label=label,
            losses=table.models[label],
            n_train=one.outcomes.places.n_train,
            judged=judged_from(outcomes[label], plan.data, name) if plan.metrics else None,
        )
        for label, one in sizes.items()
    ]
    return curve_of(
        points,
        plan.data.n,
        plan.request.choices,
        plan.job.seed,
        table.loss_range,
        metrics=plan.metrics,
    )
