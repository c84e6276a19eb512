"""The result of a selection: the choice in each external split, its error, and the last choice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Final, Literal

import numpy as np

from thetahat.analyses.cross_validation.evaluation import tabulate_outcomes
from thetahat.analyses.losses.result import EvaluationResult
from thetahat.analyses.selection.bias import estimate_bias
from thetahat.analyses.selection.external_choices import (
    SELECTED,
    ExternalChoices,
    choose_in_each_split,
)
from thetahat.analyses.selection.internal_estimates import InternalEstimate
from thetahat.analyses.selection.parameter_profiles import build_grid_profile, check_grid_edges
from thetahat.analyses.selection.result import (
    CandidateSpec,
    ChosenCandidate,
    ExternalResult,
    GridProfile,
    InternalResult,
    SelectionBias,
)
from thetahat.analyses.selection.selection_rules import Choice, choose
from thetahat.cautions import BEST_OF_EACH_GRID, CANDIDATE_LEFT_OUT, Caution
from thetahat.cross_validation import SplitOutcome, count_cautions, summarise_fits
from thetahat.cross_validation.result import LearnerFailure, LearnerFits
from thetahat.pipelines import read_learner_spec
from thetahat_service.data.arrow_arrays import make_arrow_array
from thetahat_service.kinds.base import Finished
from thetahat_service.kinds.fitting.engine import JoinedOutputs
from thetahat_service.kinds.fitting.failures import convert_to_error
from thetahat_service.kinds.loss_columns import make_lazy_loss_columns, make_prediction_column
from thetahat_service.kinds.provenance import KindResult
from thetahat_service.kinds.selection.bundles import MOST_SHOWN
from thetahat_service.kinds.selection.candidate_numbers import (
    SelectionNumbers,
    read_numbers,
    read_outcomes,
    read_winners,
)
from thetahat_service.kinds.selection.cautions import (
    find_missing_candidates_cautions,
    find_selection_cautions,
    list_failures,
)
from thetahat_service.kinds.selection.plan import EXTERNAL, ON_ALL_ROWS, SelectionPlan
from thetahat_service.outcomes.output_table import OutputColumn

MOST_SPLITS_LISTED: Final = 1000
"""Largest number of internal splits whose means are listed for each candidate."""
MOST_NUMBERS_LISTED: Final = 200_000
"""Largest number of such means over all candidates."""
ModelOutcomes = Mapping[str, Sequence[SplitOutcome]]


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectionResult(KindResult):
    """The choice among candidates, and the error of choosing and fitting together."""

    kind: Literal["selection"] = "selection"
    """``selection``."""
    evaluation: EvaluationResult = field(metadata={"inline": True})
    """With external splits the model ``selected``, which is the whole procedure, and the candidates
    if the request has ``compare``; else the candidates under the internal splits. Its fields are
    fields of the result."""
    chosen: ChosenCandidate
    """The candidate that is chosen in the end."""
    internal: Mapping[str, InternalResult]
    """The internal errors that this choice rests on, by candidate."""
    external: ExternalResult | None
    """The choices inside the external training parts; None without external splits."""
    grids: Mapping[str, GridProfile]
    """The internal error along the parameters of each grid."""
    learners: Mapping[str, LearnerFits]
    """How the splits of each candidate were predicted; those of a grid are counted together."""
    bias: SelectionBias
    """How much too good the internal value of the chosen candidate is."""
    failures: Mapping[str, LearnerFailure]
    """Candidates that failed, with the reason; a grid is listed once if all of it failed."""


def build_result(plan: SelectionPlan, outputs: JoinedOutputs) -> Finished:
    """Choose among the candidates that ran; those that failed are named with their message."""
    request = plan.request
    numbers = read_numbers(plan, outputs)
    if not numbers.ran:
        raise convert_to_error(next(iter(numbers.failures.values())))
    external = None
    if plan.schemes.external is not None:
        external = choose_in_each_split(
            numbers.external, request.rule, higher_is_better=plan.criterion.higher_is_better
        )
    choice, internal = _choose_last(plan, numbers, external)
    models, winners = _read_models(plan, numbers, external, outputs)
    missing = [name for name in plan.specs if name not in numbers.ran]
    requested = [*models, *(missing if request.compare else ())]
    if external is None:  # candidates that are not shown count as missing, too
        requested = list(plan.specs)
    tabulated = tabulate_outcomes(plan.build_outcomes_task(requested), models)
    table = tabulated.table
    bias = estimate_bias(
        table, external, internal, choice.name, plan.criterion, tabulated.choices, plan.job.seed
    )
    failures = list_failures(numbers.failures, plan.grids)
    to_come = [name for name in missing if name not in numbers.failures]
    evaluation = tabulated.evaluate(
        EvaluationResult,
        cautions=[
            *find_missing_candidates_cautions(len(numbers.ran), to_come),
            *_find_hidden_candidates_cautions(models, numbers, external),
            *find_selection_cautions(external, choice, internal, bias, plan),
            *check_grid_edges(choice.name, plan.grids),
            *(
                CANDIDATE_LEFT_OUT(failure=failure.name_learner(name))
                for name, failure in failures.items()
            ),
        ],
        about_fits=_list_fit_cautions(plan, numbers),
    )
    result = SelectionResult(
        evaluation=evaluation,
        chosen=_describe_choice(plan, choice, internal[choice.name]),
        internal=_describe_internal(internal),
        external=None if external is None else _describe_external(external, winners),
        grids=_profile_grids(plan, numbers, internal),
        learners=_count_fits(plan, numbers),
        bias=bias,
        failures=failures,
    )
    losses = {name: table.models[name].rows for name in table.names}
    columns = _build_further_columns(plan, numbers, models, external)
    return Finished(
        result,
        make_lazy_loss_columns(table.layout, losses, columns),
        (*plan.list_methods_used(numbers.present), *evaluation.methods),
    )


def _choose_last(
    plan: SelectionPlan, numbers: SelectionNumbers, external: ExternalChoices | None
) -> tuple[Choice, Mapping[str, InternalEstimate]]:
    """Return the last choice and the estimates that it rests on.

    They are those of all rows, or of the one external training part.
    """
    if numbers.on_all:
        choice = choose(
            numbers.on_all,
            plan.request.rule,
            higher_is_better=plan.criterion.higher_is_better,
        )
        return choice, numbers.on_all
    assert external is not None  # noqa: S101 - without external splits it is made on all rows
    internal = {name: errors.internal[0] for name, errors in external.candidates.items()}
    return external.choices[0], internal


def _read_models(
    plan: SelectionPlan,
    numbers: SelectionNumbers,
    external: ExternalChoices | None,
    outputs: JoinedOutputs,
) -> tuple[ModelOutcomes, Sequence[SplitOutcome]]:
    """Return the outcomes of the models of the result, and those of the external winners."""
    if external is None:
        return read_outcomes(outputs, ON_ALL_ROWS, _choose_shown_candidates(plan, numbers)), ()
    winners = read_winners(outputs, [choice.name for choice in external.choices])
    candidates: ModelOutcomes = {}
    if plan.request.compare:
        candidates = read_outcomes(outputs, EXTERNAL, numbers.ran)
    return {SELECTED: winners, **candidates}, winners


def _choose_shown_candidates(plan: SelectionPlan, numbers: SelectionNumbers) -> list[str]:
    """Return all candidates that ran or, of very many, the best of each grid."""
    if len(numbers.ran) <= MOST_SHOWN:
        return numbers.ran
    in_grids = {name for grid in plan.grids.values() for name in grid.candidates}
    shown = {name for name in numbers.ran if name not in in_grids}
    for grid in plan.grids.values():
        ran = {name: numbers.on_all[name] for name in grid.candidates if name in numbers.on_all}
        if ran:
            shown.add(choose(ran, higher_is_better=plan.criterion.higher_is_better).least)
    return [name for name in numbers.ran if name in shown]


def _find_hidden_candidates_cautions(
    models: ModelOutcomes, numbers: SelectionNumbers, external: ExternalChoices | None
) -> list[Caution]:
    """Return the caution of a result that shows the best candidates alone."""
    is_complete = external is not None or len(models) == len(numbers.ran)
    return [] if is_complete else [BEST_OF_EACH_GRID(n=len(numbers.ran))]


def _profile_grids(
    plan: SelectionPlan, numbers: SelectionNumbers, internal: Mapping[str, InternalEstimate]
) -> dict[str, GridProfile]:
    """Return the profile of each grid with a candidate that ran."""
    external = {name: errors.external for name, errors in numbers.external.items()}
    higher = plan.criterion.higher_is_better
    return {
        name: build_grid_profile(grid, internal, external, higher_is_better=higher)
        for name, grid in plan.grids.items()
        if any(candidate in numbers.notes for candidate in grid.candidates)
    }


def _count_fits(plan: SelectionPlan, numbers: SelectionNumbers) -> dict[str, LearnerFits]:
    """Return how all splits were predicted; the candidates of a grid are counted together."""
    counts: dict[str, Counter[str | None]] = {}
    for name, notes in numbers.notes.items():
        counts.setdefault(plan.request_names[name], Counter()).update(notes.fits)
    return {name: summarise_fits(list(count.elements())) for name, count in counts.items()}


def _list_fit_cautions(plan: SelectionPlan, numbers: SelectionNumbers) -> Iterator[Caution]:
    """Yield what learners warned of while they were fitted, by candidate or grid."""
    warnings: dict[str, list[tuple[Caution, ...]]] = {}
    for name, notes in numbers.notes.items():
        warnings.setdefault(plan.request_names[name], []).extend(notes.warnings)
    for name, by_split in warnings.items():
        yield from count_cautions(name, by_split, len(by_split))


def _build_further_columns(
    plan: SelectionPlan,
    numbers: SelectionNumbers,
    models: ModelOutcomes,
    external: ExternalChoices | None,
) -> dict[str, OutputColumn]:
    """Return the columns of predictions, and of the candidate that was chosen in each split."""
    columns = {
        f"prediction:{name}": make_prediction_column(
            plan.data, np.concatenate([np.asarray(outcome.output) for outcome in outcomes])
        )
        for name, outcomes in models.items()
    }
    if external is not None:
        sizes = [len(outcome.test) for outcome in models[SELECTED]]
        positions = [numbers.present.index(choice.name) for choice in external.choices]
        names = make_arrow_array(numbers.present)
        columns[f"chosen:{SELECTED}"] = OutputColumn(np.repeat(positions, sizes), names)
    return columns


def _describe_internal(internal: Mapping[str, InternalEstimate]) -> dict[str, InternalResult]:
    n_splits = len(next(iter(internal.values())).means)
    n_numbers = n_splits * len(internal)
    lists_splits = n_splits <= MOST_SPLITS_LISTED and n_numbers <= MOST_NUMBERS_LISTED
    return {
        name: _describe_estimate(estimate, lists_splits=lists_splits)
        for name, estimate in internal.items()
    }


def _describe_estimate(estimate: InternalEstimate, *, lists_splits: bool) -> InternalResult:
    return InternalResult(
        mean=estimate.mean,
        standard_error=estimate.standard_error,
        splits=estimate.means if lists_splits else None,
    )


def _describe_choice(
    plan: SelectionPlan, choice: Choice, estimate: InternalEstimate
) -> ChosenCandidate:
    lists_splits = len(estimate.means) <= MOST_SPLITS_LISTED
    return ChosenCandidate(
        name=choice.name,
        spec=CandidateSpec(**asdict(read_learner_spec(plan.specs[choice.name]))),
        rule=plan.request.rule,
        by=plan.chosen_by,
        higher_is_better=plan.criterion.higher_is_better,
        least=choice.least,
        tied=choice.tied,
        chosen_on="all rows" if plan.schemes.chooses_on_all else "the training and validation rows",
        internal=_describe_estimate(estimate, lists_splits=lists_splits),
    )


def _describe_external(
    external: ExternalChoices, winners: Sequence[SplitOutcome]
) -> ExternalResult:
    n_numbers = 2 * len(winners) * len(external.candidates)
    return external.describe(winners, lists_candidates=n_numbers <= MOST_NUMBERS_LISTED)
