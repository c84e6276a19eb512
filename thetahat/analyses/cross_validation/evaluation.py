"""Evaluates the outcomes of learners, also if a requested learner has none."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar

import numpy as np

from thetahat.analyses.cross_validation.bias_variance import split_bias_and_variance
from thetahat.analyses.cross_validation.probabilities import collect_probabilities
from thetahat.analyses.cross_validation.result import CrossValidationEvaluation
from thetahat.analyses.cross_validation.seeds import Seeds
from thetahat.analyses.losses import Choices, ChosenMethod, check
from thetahat.analyses.losses.by_group import GroupsOfTable
from thetahat.analyses.losses.evaluation import build_evaluation
from thetahat.analyses.losses.method_selection import explain_misfit
from thetahat.analyses.losses.parts import Calibration, Parts, RiskParts
from thetahat.analyses.losses.refit_estimates import ModelOrPair, RefitEstimates
from thetahat.analyses.losses.result import EvaluationResult, NotApplicable
from thetahat.analyses.losses.weighted_risks import Weighting, estimate_all_risks
from thetahat.analyses.metrics.by_group import add_metrics_to_groups
from thetahat.analyses.metrics.checks import collect_judged
from thetahat.analyses.metrics.result import compute_metrics
from thetahat.analyses.probabilities.options import Probabilities
from thetahat.cautions import (
    CONTROL_LEFT_OUT,
    LEARNER_LEFT_OUT,
    NO_INTERVAL,
    Caution,
    sort_cautions,
)
from thetahat.cross_validation import (
    LearnerFailure,
    Outcomes,
    SplitOutcome,
    build_loss_table,
    build_rows,
    find_cut_groups,
    summarise_fits,
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
from thetahat.tables.copied_rows import find_copied_rows
from thetahat.tables.data import Data
from thetahat.tables.labels import find_similar_labels
from thetahat.tables.target_copies import find_target_copies
from thetahat.values.block_losses import LossTable
from thetahat.values.layout import Layout
from thetahat.values.number_text import name_method
from thetahat.values.words import choose_words

if TYPE_CHECKING:
    from thetahat.analyses.losses.costs import CostsOfTable

E = TypeVar("E", bound=EvaluationResult)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class OutcomesTask:
    """The data, learners and options of the outcomes that are evaluated."""

    data: Data
    """The rows that were learnt from and tested on."""
    scheme: Scheme
    """The scheme of the splits."""
    loss: Loss
    """The loss, set up for the classes of the data."""
    choices: Choices
    """Intervals, tests and so on."""
    metrics: Sequence[ChosenMethod[Metric]]
    """Metrics that are computed beside the loss."""
    scheme_seed: int
    """The seed of the scheme's splits."""
    seed: int
    """The seed of all other random draws."""
    requested: Sequence[str]
    """The models that the choices are for; some of them may have no outcomes."""
    about_data: Sequence[Caution] = ()
    """Further cautions about the data."""
    columns: Mapping[str, str] = field(default_factory=dict)
    """Names of the columns of ``source`` and ``cluster``, where they have names of their own."""
    groups: GroupsOfTable | None = None
    """Groups of the rows of the file or request, by which models are described."""
    costs: CostsOfTable | None = None
    """What the learners cost."""
    probabilities: Probabilities | None = None
    """What is asked about predicted probabilities."""

    def find_groups(self, outcomes: Sequence[SplitOutcome]) -> GroupsOfTable | None:
        """Return the groups of the tested rows, split by split."""
        if self.groups is None:
            return None
        test = np.concatenate([outcome.test for outcome in outcomes])
        return self.groups.take(self.data.row_numbers(test))


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class RefitRuns:
    """The extra fits of methods that fit learners again."""

    methods: tuple[RequestedRefit, ...] = ()
    """The methods."""
    losses: Mapping[str, LossesByDesign] = field(default_factory=dict)
    """Losses of the extra fits by model, then by design."""
    cautions: tuple[Caution, ...] = ()
    """Warnings of the learners in these fits."""


NO_REFIT_RUNS: Final = RefitRuns()


def collect_refit_warnings(
    warnings: Iterable[tuple[str, Sequence[Caution]]],
) -> tuple[Caution, ...]:
    """Return the warnings of learners in extra fits, each sentence once and with its learner."""
    named = (
        caution.with_prefix(f"Learner {name!r}, in extra fits")
        for name, cautions in warnings
        for caution in cautions
    )
    return tuple(sort_cautions(named))


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class TabulatedOutcomes:
    """The losses of the learners that ran, before they are evaluated."""

    task: OutcomesTask
    """The data, learners and options."""
    outcomes: Mapping[str, Sequence[SplitOutcome]]
    """By model, over the same splits."""
    table: LossTable
    """Their losses."""
    choices: Choices
    """The choices that fit these learners."""
    cautions: Sequence[Caution]
    """What does not hold because a learner has no outcomes."""
    not_applicable: Sequence[NotApplicable]
    """Tests that need more models."""

    def evaluate(  # noqa: PLR0913 - one argument for each part of the result
        self,
        build: Callable[..., E],
        refits: RefitRuns = NO_REFIT_RUNS,
        *,
        make_risks: Callable[[Choices], RiskParts] | None = None,
        calibration: Calibration | None = None,
        cautions: Iterable[Caution] = (),
        about_fits: Iterable[Caution] | None = None,
    ) -> E:
        """Evaluate the losses, the metrics and the extra fits, and put the result together.

        Parameters
        ----------
        build : callable
            Makes the result from the fields of ``EvaluationResult``; a kind may add its own.
        make_risks : callable or None
            Computes the importance-weighted risks of the models and pairs that choices compare.
        calibration : Calibration or None
            The measured coverage of the intervals.
        cautions : iterable of Caution
            Cautions of the kind, such as those about learners that failed.
        about_fits : iterable of Caution or None
            What learners warned of while they were fitted; None for the warnings in ``outcomes``.
        """
        task, table, choices = self.task, self.table, self.choices
        checked = drop_refit_target(choices, refits.methods)
        if len(table.names) < len(task.requested):
            checked = replace(checked, gate=None)  # a model of the gate may have failed
        check(table.layout, checked, table.names)
        estimates = compute_estimates(refits.methods, refits.losses, choices)
        judged = collect_judged(task.metrics, task.data, self.outcomes)
        not_applicable = [*self.not_applicable]
        if len(table.names) > 1:
            not_applicable += [
                NotApplicable(**entry) for entry in reasons_against_pairs(refits.methods)
            ]
        if about_fits is None:
            about_fits = summarise_learner_cautions(self.outcomes)
        parts = Parts(
            refits=estimates,
            make_risks=make_risks,
            make_metrics=partial(
                compute_metrics, task.metrics, judged, table.layout, table.names, seed=task.seed
            ),
            calibration=calibration,
            groups=add_metrics_to_groups(
                task.find_groups(next(iter(self.outcomes.values()))),
                task.metrics,
                judged,
                table.layout,
            ),
            costs=task.costs,
            probabilities=collect_probabilities(task.probabilities, task.data, self.outcomes),
            cautions=(
                *self.cautions,
                *refits.cautions,
                *_list_missing_intervals(estimates),
                *cautions,
                *_list_run_cautions(task, self.outcomes),
                *about_fits,
            ),
            not_applicable=tuple(not_applicable),
        )
        return build_evaluation(build, table, choices, task.seed, parts)


def tabulate_outcomes(
    task: OutcomesTask, outcomes: Mapping[str, Sequence[SplitOutcome]]
) -> TabulatedOutcomes:
    """Return the losses of the learners that ran, and the choices that fit these learners.

    ``outcomes`` has those of each model, over the same splits.
    """
    kind = task.scheme.block_kind
    in_time = "time" in task.scheme.requires
    table = build_loss_table(task.data, kind, outcomes, task.loss, in_time=in_time)
    table = table.with_words(choose_words(kind, task.choices.noun))
    choices, cautions, not_applicable = restrict_choices(
        task.choices, table.layout, task.requested, table.names
    )
    return TabulatedOutcomes(
        task=task,
        outcomes=outcomes,
        table=table,
        choices=choices,
        cautions=cautions,
        not_applicable=not_applicable,
    )


def evaluate_learners(  # noqa: PLR0913 - one argument for each part of the result
    task: OutcomesTask,
    outcomes: Mapping[str, Outcomes],
    failures: Mapping[str, LearnerFailure],
    refits: RefitRuns = NO_REFIT_RUNS,
    *,
    weighting: Weighting | None = None,
    calibration: Calibration | None = None,
    seeds: Seeds | None = None,
) -> tuple[LossTable, CrossValidationEvaluation]:
    """Return the losses and the whole evaluation of learners that were cross-validated.

    Parameters
    ----------
    outcomes : mapping of str to Outcomes
        By learner that ran, over the same splits.
    failures : mapping of str to LearnerFailure
        By learner that failed and is left out.
    weighting : Weighting or None
        Importance weights of the rows, which add weighted risks.
    calibration : Calibration or None
        The measured coverage of the intervals.
    seeds : Seeds or None
        The trainings whose mean losses the outcomes have, where there are several on each split.
    """
    tabulated = tabulate_outcomes(task, outcomes)
    make_risks = None
    if weighting is not None:
        make_risks = partial(estimate_all_risks, tabulated.table, weighting)
    evaluation = tabulated.evaluate(
        partial(
            CrossValidationEvaluation,
            failures=failures,
            learners={name: summarise_fits(run.reasons) for name, run in outcomes.items()},
            bias_variance=split_bias_and_variance(task.data, task.loss, outcomes)
            if seeds is None
            else None,
        ),
        refits,
        make_risks=make_risks,
        calibration=calibration,
        cautions=[
            LEARNER_LEFT_OUT(failure=failure.name_learner(name))
            for name, failure in failures.items()
        ],
    )
    if seeds is not None:
        models, comparisons = seeds.describe(evaluation)
        evaluation = replace(evaluation, models=models, comparisons=comparisons)
    return tabulated.table, evaluation


def restrict_choices(
    choices: Choices, layout: Layout, requested: Sequence[str], present: Sequence[str]
) -> tuple[Choices, list[Caution], list[NotApplicable]]:
    """Return the choices that fit the models that are present, and what was dropped from them.

    A control that is missing is dropped, and every pair is compared; so is a named test that needs
    more models. Nothing is dropped where all models are present: choices that do not fit them are
    refused. ``requested`` are the models of the request, and ``present`` those that have losses.
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


def _list_run_cautions(
    task: OutcomesTask, outcomes: Mapping[str, Sequence[SplitOutcome]]
) -> Iterator[Caution]:
    """Yield the cautions about the scheme and the data of a run."""
    data, scheme = task.data, task.scheme
    yield from collect_scheme_cautions(scheme, build_rows(data), task.scheme_seed)
    first = next(iter(outcomes.values()))
    yield from find_cut_groups(data, scheme, task.scheme_seed, first, task.columns)
    yield from find_target_copies(data)
    yield from find_copied_rows(data)
    yield from find_similar_labels(data.classes, "classes")
    yield from find_similar_labels(() if data.source is None else data.source, "sources")
    yield from find_similar_labels(() if data.cluster is None else data.cluster, "clusters")
    yield from task.about_data


def _list_missing_intervals(estimates: RefitEstimates) -> list[Caution]:
    """Return a caution for each method that built no interval because the losses do not vary."""
    return [
        NO_INTERVAL(method=name_method(estimate.key), subject=_format_subject(subject))
        for subject, of_subject in estimates.items()
        for estimate in of_subject
        if estimate.estimate is None and not estimate.intervals
    ]


def _format_subject(subject: ModelOrPair) -> str:
    return repr(subject) if isinstance(subject, str) else f"{subject[0]!r} against {subject[1]!r}"
