"""The result of a learning curve: every learner at every size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np

from thetahat.analyses.cross_validation.evaluation import tabulate_outcomes
from thetahat.analyses.learning_curve.curves import SizeLosses, build_curve
from thetahat.analyses.learning_curve.growth import GrowBy
from thetahat.analyses.learning_curve.result import Curve
from thetahat.analyses.losses.result import EvaluationResult
from thetahat.analyses.metrics.predictions import collect_predictions
from thetahat.cautions import NOT_THE_LARGEST_SIZE, SIZE_LEFT_OUT, Caution
from thetahat.cross_validation import (
    Outcomes,
    build_loss_table,
    join_outcomes,
    summarise_fits,
    summarise_learner_cautions,
    unpack,
)
from thetahat.cross_validation.result import LearnerFailure, LearnerFits
from thetahat.values.types import IntArray
from thetahat_service.kinds.base import Finished
from thetahat_service.kinds.fitting.engine import JoinedOutputs, LearnerRecord
from thetahat_service.kinds.fitting.failures import convert_to_error
from thetahat_service.kinds.fitting.refits import (
    NO_REFITS,
    StageArrays,
    is_refit_stage,
    read_refits,
)
from thetahat_service.kinds.learning_curve.plan import (
    LearningCurvePlan,
    add_size_to_name,
    read_size_number,
)
from thetahat_service.kinds.learning_curve.run import WHOLE_SIZES
from thetahat_service.kinds.loss_columns import make_lazy_loss_columns, make_prediction_column
from thetahat_service.kinds.methods_used import record_metrics
from thetahat_service.kinds.provenance import KindResult
from thetahat_service.outcomes.output_table import OutputColumn
from thetahat_service.outcomes.spilled_arrays import Spill, SpilledArray


@dataclass(frozen=True, slots=True, kw_only=True)
class LearningCurveResult(KindResult):
    """The error of learners at growing training sizes."""

    kind: Literal["learning_curve"] = "learning_curve"
    """``learning_curve``."""
    evaluation: EvaluationResult = field(metadata={"inline": True})
    """Models, comparisons and tests at the largest size at which a learner ran; its fields are
    fields of the result."""
    sizes: tuple[str, ...]
    """Labels of the sizes, in the order of the request."""
    size: str
    """Label of the size at which the models are evaluated."""
    grow_by: GrowBy
    """What a larger training part has more of: ``instance``, ``source`` or ``time``."""
    stratified: bool
    """Whether smaller training parts keep the shares of the classes."""
    curves: Mapping[str, Curve]
    """The curve of each learner that ran at one size or more."""
    learners: Mapping[str, LearnerFits]
    """How the splits of each model were predicted."""
    failures: Mapping[str, Mapping[str, LearnerFailure]]
    """Learners that failed, and why, by the label of the size."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class SizeOutcomes:
    """The outcomes of one learner at one size."""

    outcomes: Outcomes
    """Of all splits, with the sizes of the smaller training parts."""
    whole_sizes: IntArray
    """(J,) numbers of rows of the whole training parts."""

    @property
    def with_whole_sizes(self) -> Outcomes:
        """The outcomes with the sizes of the whole training parts, as ``SizeLosses`` needs them."""
        splits = replace(self.outcomes.splits, n_train=self.whole_sizes)
        return replace(self.outcomes, splits=splits)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class LearnerCurve:
    """The curve of one learner, with its failures, warnings, losses and predictions."""

    failures: Mapping[int, LearnerFailure]
    """By the number of the size."""
    curve: Curve | None = None
    """None if the learner ran at no size."""
    largest: int = -1
    """Number of the largest size at which it ran; -1 if there is none."""
    at_largest: Outcomes | None = None
    """The outcomes at that size."""
    refit_arrays: StageArrays = field(default_factory=dict)
    """The arrays of its extra fits."""
    cautions: tuple[Caution, ...] = ()
    """The warnings of the learner."""
    losses: Mapping[str, np.ndarray | SpilledArray] = field(default_factory=dict)
    predictions: Mapping[str, OutputColumn] = field(default_factory=dict)
    """Both columns by learner and size; most of them are kept in a file."""


def build_result(plan: LearningCurvePlan, outputs: JoinedOutputs) -> Finished:
    """Evaluate the learners at the largest size at which any ran, and compute every curve."""
    labels = plan.labels
    curves = _compute_curves(plan, outputs)
    failures = {
        name: {labels[size]: failure for size, failure in curve.failures.items()}
        for name, curve in curves.items()
        if curve.failures
    }
    largest = max(curve.largest for curve in curves.values())
    if largest < 0:
        raise convert_to_error(next(iter(next(iter(failures.values())).values())))
    outcomes = {
        name: curve.at_largest
        for name, curve in curves.items()
        if curve.largest == largest and curve.at_largest is not None
    }
    refits = plan.refits if largest == len(labels) - 1 else NO_REFITS  # they use the last size
    refit_arrays = {name: curves[name].refit_arrays for name in outcomes}
    tabulated = tabulate_outcomes(plan.build_outcomes_task(plan.metrics), outcomes)
    evaluation = tabulated.evaluate(
        EvaluationResult,
        read_refits(refits, plan.data, plan.job.seed, refit_arrays),
        cautions=_find_size_cautions(labels, largest, failures),
        about_fits=[caution for curve in curves.values() for caution in curve.cautions],
    )
    result = LearningCurveResult(
        evaluation=evaluation,
        sizes=tuple(labels),
        size=labels[largest],
        grow_by=plan.growth.grow_by,
        stratified=plan.growth.stratified,
        curves={name: c.curve for name, c in curves.items() if c.curve is not None},
        learners={name: summarise_fits(outcome.reasons) for name, outcome in outcomes.items()},
        failures=failures,
    )
    methods = (
        *plan.list_methods_used(list(plan.request.learners)),
        *record_metrics(plan.metrics),
        *evaluation.methods,
        *refits.list_methods_used(),
    )
    losses = {key: column for curve in curves.values() for key, column in curve.losses.items()}
    predictions = {
        key: column for curve in curves.values() for key, column in curve.predictions.items()
    }
    columns = make_lazy_loss_columns(tabulated.table.layout, losses, predictions)
    return Finished(result, columns, methods)


def _find_size_cautions(
    labels: Sequence[str], largest: int, failures: Mapping[str, Mapping[str, LearnerFailure]]
) -> list[Caution]:
    """Return the cautions about sizes at which learners failed or have not run yet."""
    cautions = [
        SIZE_LEFT_OUT(failure=failure.name_learner(name), size=label)
        for name, by_size in failures.items()
        for label, failure in by_size.items()
    ]
    if largest < len(labels) - 1:
        cautions.insert(0, NOT_THE_LARGEST_SIZE(wanted=labels[-1], used=labels[largest]))
    return cautions


def _compute_curves(plan: LearningCurvePlan, outputs: JoinedOutputs) -> dict[str, LearnerCurve]:
    """Return the curves in the request's order.

    They are computed bundle after bundle, so that the rows of all learners and sizes are never in
    memory at once.
    """
    spill, curves = Spill(), {}
    for bundle in outputs.bundles:
        for name, record in outputs.read_bundle(bundle).items():
            curves[name] = _compute_curve(plan, name, record, spill)
    return {name: curves[name] for name in outputs.list_learners_in(plan.learners)}


def _compute_curve(
    plan: LearningCurvePlan, name: str, record: LearnerRecord, spill: Spill
) -> LearnerCurve:
    last_size = len(plan.labels) - 1
    failures: dict[int, LearnerFailure] = {}
    for stage, failure in record.failures.items():
        size = last_size if is_refit_stage(stage) else read_size_number(stage)
        failures.setdefault(size, failure)
    outcomes = {
        read_size_number(stage): _join_chunks(chunks)
        for stage, chunks in record.arrays.items()
        if not is_refit_stage(stage) and read_size_number(stage) not in failures
    }
    if not outcomes:
        return LearnerCurve(failures=failures)
    largest = max(outcomes)
    by_label = {plan.labels[size]: at_size for size, at_size in outcomes.items()}
    by_column = {
        add_size_to_name(name, label): at_size.outcomes for label, at_size in by_label.items()
    }
    return LearnerCurve(
        failures=failures,
        curve=_build_curve(plan, name, by_label),
        largest=largest,
        at_largest=outcomes[largest].with_whole_sizes,
        refit_arrays={
            stage: chunks for stage, chunks in record.arrays.items() if is_refit_stage(stage)
        },
        cautions=summarise_learner_cautions(by_column),
        losses={column: spill.keep(outcomes.losses) for column, outcomes in by_column.items()},
        predictions={
            f"prediction:{column}": make_prediction_column(
                plan.data, np.asarray(outcomes.output), spill
            )
            for column, outcomes in by_column.items()
        },
    )


def _join_chunks(chunks: Sequence[Mapping[str, np.ndarray]]) -> SizeOutcomes:
    return SizeOutcomes(
        outcomes=join_outcomes([unpack(arrays) for arrays in chunks]),
        whole_sizes=np.concatenate([arrays[WHOLE_SIZES] for arrays in chunks]),
    )


def _build_curve(plan: LearningCurvePlan, name: str, sizes: Mapping[str, SizeOutcomes]) -> Curve:
    """Return the curve of one learner, from its outcomes by the label of the size."""
    outcomes = {label: at_size.with_whole_sizes for label, at_size in sizes.items()}
    table = build_loss_table(plan.data, plan.scheme.block_kind, outcomes, plan.loss)
    losses = [
        SizeLosses(
            label=label,
            losses=table.models[label],
            n_train=at_size.outcomes.splits.n_train,
            judged=collect_predictions(outcomes[label], plan.data, name) if plan.metrics else None,
        )
        for label, at_size in sizes.items()
    ]
    return build_curve(
        losses,
        plan.data.n,
        plan.request.choices,
        plan.job.seed,
        table.loss_range,
        metrics=plan.metrics,
    )
