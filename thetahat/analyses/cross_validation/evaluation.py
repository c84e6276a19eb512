"""Evaluates the outcomes of learners, also if a requested learner has none."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, TypeVar

from thetahat.analyses.losses import Choices, ChosenMethod, check, evaluate
from thetahat.analyses.losses.method_selection import explain_misfit
from thetahat.analyses.losses.refit_estimates import ModelOrPair, RefitEstimates
from thetahat.analyses.losses.result import EvaluationResult, NotApplicable
from thetahat.analyses.metrics.checks import collect_judged
from thetahat.analyses.metrics.result import add_metrics
from thetahat.cautions import CONTROL_LEFT_OUT, LEARNER_LEFT_OUT, NO_INTERVAL, Caution
from thetahat.cross_validation import (
    LearnerFailure,
    SplitOutcome,
    build_loss_table,
    build_rows,
    find_shared_clusters,
    summarise_learner_cautions,
)
from thetahat.losses.base import Loss
from thetahat.metrics.base import Metric
from thetahat.refit_estimators import (
    LossesByDesign,
    RequestedRefit,
    compute_estimates,
    drop_refit_target,
    reasons_against_pairs,
)
from thetahat.schemes.base import Scheme, collect_scheme_cautions
from thetahat.tables.data import Data
from thetahat.tables.labels import find_similar_labels
from thetahat.values.block_losses import LossTable
from thetahat.values.layout import Layout
from thetahat.values.types import BlockKind
from thetahat.values.words import choose_words

E = TypeVar("E", bound=EvaluationResult)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class OutcomesTask:
    """The data, learners and options of the outcomes that are evaluated.

    Parameters
    ----------
    data : Data
        The rows that were learnt from and tested on.
    block_kind : BlockKind
        What a block of the scheme is.
    loss : Loss
        The loss, set up for the classes of the data.
    choices : Choices
        Intervals, tests and so on.
    metrics : sequence of ChosenMethod
        Metrics that are computed beside the loss.
    seed : int
        The seed of all random draws.
    requested : sequence of str
        The models that the choices are for; some of them may have no outcomes.
    """

    data: Data
    block_kind: BlockKind
    loss: Loss
    choices: Choices
    metrics: Sequence[ChosenMethod[Metric]]
    seed: int
    requested: Sequence[str]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class RefitRuns:
    """The extra fits of methods that fit learners again.

    Parameters
    ----------
    methods : tuple of RequestedRefit
        The methods.
    losses : mapping
        Losses of the extra fits by model, then by design.
    cautions : tuple of Caution
        Warnings of the learners in these fits.
    """

    methods: tuple[RequestedRefit, ...] = ()
    losses: Mapping[str, LossesByDesign] = field(default_factory=dict)
    cautions: tuple[Caution, ...] = ()


NO_REFIT_RUNS: Final = RefitRuns()


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class EvaluatedOutcomes:
    """The evaluation of the learners that ran.

    Parameters
    ----------
    table : LossTable
        Their losses.
    choices : Choices
        The choices that fit these learners.
    result : EvaluationResult
        With metrics, and the estimates of methods that fit learners again.
    """

    table: LossTable
    choices: Choices
    result: EvaluationResult


def evaluate_outcomes(
    task: OutcomesTask,
    outcomes: Mapping[str, Sequence[SplitOutcome]],
    refits: RefitRuns = NO_REFIT_RUNS,
) -> EvaluatedOutcomes:
    """Evaluate the losses of the learners that ran, and their metrics and extra fits.

    Parameters
    ----------
    outcomes : mapping of str to sequence of SplitOutcome
        By model, over the same splits.
    """
    table = build_loss_table(task.data, task.block_kind, outcomes, task.loss)
    table = table.with_words(choose_words(task.block_kind, task.choices.noun))
    choices, cautions, not_applicable = restrict_choices(
        task.choices, table.layout, task.requested, table.names
    )
    checked = drop_refit_target(choices, refits.methods)
    if len(table.names) < len(task.requested):
        checked = replace(checked, gate=None)  # a model of the gate may have failed
    check(table.layout, checked, table.names)
    estimates = compute_estimates(refits.methods, refits.losses, choices)
    result = evaluate(table, choices, task.seed, refits=estimates)
    judged = collect_judged(task.metrics, task.data, outcomes)
    result = add_metrics(result, task.metrics, judged, table.layout, choices, task.seed)
    if len(table.names) > 1:
        not_applicable += [
            NotApplicable(**entry) for entry in reasons_against_pairs(refits.methods)
        ]
    result = replace(
        result,
        cautions=(
            *result.cautions,
            *cautions,
            *refits.cautions,
            *_list_missing_intervals(estimates),
        ),
        not_applicable=(*result.not_applicable, *not_applicable),
    )
    return EvaluatedOutcomes(table=table, choices=choices, result=result)


def restrict_choices(
    choices: Choices, layout: Layout, requested: Sequence[str], present: Sequence[str]
) -> tuple[Choices, list[Caution], list[NotApplicable]]:
    """Return the choices that fit the models that are present, and what was dropped from them.

    A control that is missing is dropped, and every pair is compared; so is a named test that needs
    more models. Nothing is dropped where all models are present: choices that do not fit them are
    refused.

    Parameters
    ----------
    requested, present : sequence of str
        The models of the request, and those that have losses.
    """
    if len(present) == len(requested):
        return choices, [], []
    cautions: list[Caution] = []
    if choices.control is not None and choices.control not in present:
        cautions.append(CONTROL_LEFT_OUT(control=choices.control))
        choices = replace(choices, control=None)
    if choices.omnibus is None:
        return choices, cautions, []
    reasons = {
        entry.key: explain_misfit(choices.complete_method(entry.method), layout, len(present))
        for entry in choices.omnibus
    }
    kept = tuple(entry for entry in choices.omnibus if reasons[entry.key] is None)
    dropped = [
        NotApplicable(name=key, reason=reason, family="tests")
        for key, reason in reasons.items()
        if reason is not None
    ]
    return replace(choices, omnibus=kept), cautions, dropped


def add_cautions(result: E, *cautions: Caution) -> E:
    """Return the result with further cautions, each once."""
    return replace(result, cautions=tuple(dict.fromkeys((*result.cautions, *cautions))))


def collect_run_cautions(  # noqa: PLR0913 - one argument for each part of the run
    scheme: Scheme,
    data: Data,
    outcomes: Mapping[str, Sequence[SplitOutcome]],
    seed: int,
    *,
    about_data: Iterable[Caution] = (),
    about_fits: Iterable[Caution] | None = None,
) -> tuple[Caution, ...]:
    """Return the cautions about the scheme, the data and the fits of a run.

    Parameters
    ----------
    outcomes : mapping of str to sequence of SplitOutcome
        By model, over the same splits of the scheme.
    seed : int
        Seed of the scheme's splits.
    about_data : iterable of Caution
        Further cautions about the data.
    about_fits : iterable of Caution or None
        What learners warned of while they were fitted; None for the warnings in ``outcomes``.
    """
    return (
        *collect_scheme_cautions(scheme, build_rows(data), seed),
        *find_shared_clusters(data, scheme.block_kind, next(iter(outcomes.values()))),
        *find_similar_labels(data.classes, "classes"),
        *find_similar_labels(() if data.source is None else data.source, "sources"),
        *about_data,
        *(summarise_learner_cautions(outcomes) if about_fits is None else about_fits),
    )


def list_failed_learners(failures: Mapping[str, LearnerFailure]) -> list[Caution]:
    """Return a caution for each learner that failed and is left out of the result."""
    return [LEARNER_LEFT_OUT(name=name, reason=f.message) for name, f in failures.items()]


def _list_missing_intervals(estimates: RefitEstimates) -> list[Caution]:
    """Return a caution for each method that built no interval because the losses do not vary."""
    return [
        NO_INTERVAL(method=estimate.key, subject=_format_subject(subject))
        for subject, of_subject in estimates.items()
        for estimate in of_subject
        if estimate.estimate is None and not estimate.intervals
    ]


def _format_subject(subject: ModelOrPair) -> str:
    return repr(subject) if isinstance(subject, str) else f"{subject[0]!r} against {subject[1]!r}"
