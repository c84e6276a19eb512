"""The result of a selection: the choice in each external split, its assessment, the last choice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

import numpy as np

from service.data.arrow_arrays import arrow_array
from service.jobs.output_table import OutputColumn
from service.kinds.base import Finished
from service.kinds.fitting.data_cautions import data_cautions
from service.kinds.fitting.engine import JoinedOutputs
from service.kinds.fitting.evaluation import add_cautions, evaluate_outcomes
from service.kinds.fitting.failures import failure_as_error
from service.kinds.loss_columns import lazy_loss_columns, prediction_column
from service.kinds.selection.bias import estimate_bias
from service.kinds.selection.bundles import MOST_SHOWN
from service.kinds.selection.cautions import list_failures, list_names, selection_cautions
from service.kinds.selection.numbers import (
    SelectionNumbers,
    read_numbers,
    read_outcomes,
    read_winners,
)
from service.kinds.selection.plan import EXTERNAL, ON_ALL_ROWS, SelectionPlan
from thetahat.analyses.selection import (
    SELECTED,
    Choice,
    External,
    InternalEstimate,
    choose,
    edges_of,
    profiles_of,
    select_in_each,
)
from thetahat.cautions import (
    BEST_OF_EACH_GRID,
    CANDIDATE_LEFT_OUT,
    CHOICE_AMONG_SOME,
    Caution,
)
from thetahat.cross_validation import SplitOutcome, cautions_of, summarise_fits
from thetahat.pipelines import learner_spec
from thetahat.values.json_values import plain, to_json

MOST_SPLITS_LISTED: Final = 1000
"""Internal splits whose means a result lists, candidate by candidate."""
MOST_NUMBERS_LISTED: Final = 200_000
"""The same over all candidates."""
ModelOutcomes = Mapping[str, Sequence[SplitOutcome]]


def build_result(plan: SelectionPlan, outputs: JoinedOutputs) -> Finished:
    """Choose among the candidates that ran; those that failed are named with their message."""
    request, seed = plan.request, plan.job.seed
    numbers = read_numbers(plan, outputs)
    if not numbers.ran:
        raise failure_as_error(next(iter(numbers.failures.values())))
    external = None
    if plan.schemes.external is not None:
        external = select_in_each(
            numbers.external, request.rule, higher_is_better=plan.criterion.higher_is_better
        )
    last, internal = _choose_last(plan, numbers, external)
    models, won = _read_models(plan, numbers, external, outputs)
    missing = [name for name in plan.specs if name not in numbers.ran]
    requested = [*models, *(missing if request.compare else ())]
    if external is None:  # candidates that are not shown are missing, too
        requested = list(plan.specs)
    evaluated = evaluate_outcomes(
        models,
        plan.data,
        plan.schemes.assessed.block_kind,
        plan.loss,
        request.choices,
        plan.metrics,
        seed,
        requested=requested,
    )
    table = evaluated.table
    bias = estimate_bias(table, external, evaluated.choices, last, internal, plan)
    failures = list_failures(numbers.failures, plan.grids)
    to_come = [name for name in missing if name not in numbers.failures]
    evaluation = add_cautions(
        evaluated.result,
        *_missing_candidates(numbers, to_come),
        *_only_the_best(models, numbers, external),
        *selection_cautions(external, last, internal, bias, plan),
        *edges_of(last.name, plan.grids),
        *(CANDIDATE_LEFT_OUT(name=name, reason=one.message) for name, one in failures.items()),
        *getattr(plan.schemes.assessed, "cautions", ()),
        *data_cautions(request, plan.data),
        *cautions_of(_warnings_by_name(plan, numbers)),
    )
    result = {
        **to_json(evaluation),
        "chosen": _describe_choice(plan, last, internal),
        "internal": _list_internal(internal),
        "external": None if external is None else _list_external(external, won),
        "grids": _list_grids(plan, numbers, internal),
        "learners": _count_fits(plan, numbers),
        "bias": bias,
        "failures": to_json(failures),
        "methods": [*plan.methods_used(numbers.present), *to_json(evaluation.methods)],
    }
    losses = {name: table.models[name].rows for name in table.names}
    columns = _further_columns(plan, numbers, models, external)
    return Finished(result, lazy_loss_columns(table.layout, losses, columns))


def _choose_last(
    plan: SelectionPlan, numbers: SelectionNumbers, external: External | None
) -> tuple[Choice, Mapping[str, InternalEstimate]]:
    """Return the last choice and the estimates that it rests on.

    They are those of all rows, or of the one external training part.
    """
    if numbers.on_all:
        higher = plan.criterion.higher_is_better
        choice = choose(numbers.on_all, plan.request.rule, higher_is_better=higher)
        return choice, numbers.on_all
    assert external is not None  # noqa: S101 - one of the two is always there
    inside = {name: candidate.internal[0] for name, candidate in external.candidates.items()}
    return external.choices[0], inside


def _read_models(
    plan: SelectionPlan,
    numbers: SelectionNumbers,
    external: External | None,
    outputs: JoinedOutputs,
) -> tuple[ModelOutcomes, Sequence[SplitOutcome]]:
    """Return the outcomes of the models of the result, and those of the winners outside."""
    if external is None:
        return read_outcomes(outputs, ON_ALL_ROWS, _best_candidates(plan, numbers)), ()
    won = read_winners(outputs, [choice.name for choice in external.choices])
    beside: ModelOutcomes = {}
    if plan.request.compare:
        beside = read_outcomes(outputs, EXTERNAL, numbers.ran)
    return {SELECTED: won, **beside}, won


def _best_candidates(plan: SelectionPlan, numbers: SelectionNumbers) -> list[str]:
    """Return the candidates to show: all, or the best of each grid where they are many."""
    if len(numbers.ran) <= MOST_SHOWN:
        return numbers.ran
    of_grids = {name for grid in plan.grids.values() for name in grid.candidates}
    kept = {name for name in numbers.ran if name not in of_grids}
    for grid in plan.grids.values():
        of_grid = {name: numbers.on_all[name] for name in grid.candidates if name in numbers.on_all}
        if of_grid:
            kept.add(choose(of_grid, higher_is_better=plan.criterion.higher_is_better).least)
    return [name for name in numbers.ran if name in kept]


def _only_the_best(
    models: ModelOutcomes, numbers: SelectionNumbers, external: External | None
) -> Iterator[Caution]:
    if external is None and len(models) < len(numbers.ran):
        yield BEST_OF_EACH_GRID(n=len(numbers.ran))


def _list_grids(
    plan: SelectionPlan, numbers: SelectionNumbers, internal: Mapping[str, InternalEstimate]
) -> dict[str, Any]:
    """Return the profile of each grid with a candidate that ran."""
    external = {name: candidate.external for name, candidate in numbers.external.items()}
    higher = plan.criterion.higher_is_better
    return {
        name: profiles_of(grid, internal, external, higher_is_better=higher)
        for name, grid in plan.grids.items()
        if any(one in numbers.notes for one in grid.candidates)
    }


def _count_fits(plan: SelectionPlan, numbers: SelectionNumbers) -> dict[str, Any]:
    """Return how the splits inside and outside were predicted; candidates of a grid together."""
    counts: dict[str, Counter[str | None]] = {}
    for name, notes in numbers.notes.items():
        of_name = counts.setdefault(_grid_or_name(plan, name), Counter())
        of_name += notes.fits
    return {name: summarise_fits(list(of_name.elements())) for name, of_name in counts.items()}


def _warnings_by_name(
    plan: SelectionPlan, numbers: SelectionNumbers
) -> dict[str, list[SplitOutcome]]:
    """Return outcomes with nothing but warnings, by candidate or grid that warned."""
    warnings: dict[str, list[tuple[Caution, ...]]] = {}
    for name, notes in numbers.notes.items():
        warnings.setdefault(_grid_or_name(plan, name), []).extend(notes.warnings)
    return {
        name: [_outcome_with(cautions) for cautions in of_name]
        for name, of_name in warnings.items()
        if any(of_name)
    }


def _outcome_with(cautions: tuple[Caution, ...]) -> SplitOutcome:
    return SplitOutcome(
        repeat=0,
        block=0,
        label=0,
        n_train=0,
        test=np.empty(0, dtype=np.intp),
        losses=np.empty(0),
        cautions=cautions,
    )


def _grid_or_name(plan: SelectionPlan, name: str) -> str:
    """Return the grid that a candidate belongs to, or its own name."""
    return next((grid for grid, one in plan.grids.items() if name in one.candidates), name)


def _further_columns(
    plan: SelectionPlan,
    numbers: SelectionNumbers,
    models: ModelOutcomes,
    external: External | None,
) -> dict[str, OutputColumn]:
    """Return the columns of predictions, and of the candidate that was chosen in each split."""
    columns = {
        f"prediction:{name}": prediction_column(
            plan.data, np.concatenate([np.asarray(outcome.output) for outcome in outcomes])
        )
        for name, outcomes in models.items()
    }
    if external is not None:
        sizes = [len(outcome.test) for outcome in models[SELECTED]]
        place = [numbers.present.index(choice.name) for choice in external.choices]
        names = arrow_array(numbers.present)
        columns[f"chosen:{SELECTED}"] = OutputColumn(np.repeat(place, sizes), names)
    return columns


def _list_internal(internal: Mapping[str, InternalEstimate]) -> dict[str, Any]:
    n_splits = len(next(iter(internal.values())).means)
    lists = n_splits <= MOST_SPLITS_LISTED and n_splits * len(internal) <= MOST_NUMBERS_LISTED
    return {name: _describe_estimate(one, lists_splits=lists) for name, one in internal.items()}


def _describe_estimate(estimate: InternalEstimate, *, lists_splits: bool) -> dict[str, Any]:
    return {
        "mean": plain(estimate.mean),
        "standard_error": plain(estimate.standard_error),
        "splits": plain(estimate.means) if lists_splits else None,
    }


def _describe_choice(
    plan: SelectionPlan, last: Choice, internal: Mapping[str, InternalEstimate]
) -> dict[str, Any]:
    on = "all rows" if plan.schemes.chooses_on_all else "the training and validation rows"
    estimate = internal[last.name]
    lists_splits = len(estimate.means) <= MOST_SPLITS_LISTED
    return {
        "name": last.name,
        "spec": asdict(learner_spec(plan.specs[last.name])),
        "rule": plan.request.rule,
        "by": plan.chosen_by,
        "higher_is_better": plan.criterion.higher_is_better,
        "least": last.least,
        "tied": list(last.tied),
        "chosen_on": on,
        "internal": _describe_estimate(estimate, lists_splits=lists_splits),
    }


def _list_external(external: External, won: Sequence[SplitOutcome]) -> dict[str, Any]:
    n_numbers = 2 * len(won) * len(external.candidates)
    return {
        "wins": external.wins(),
        "splits": external.splits_told(won),
        "candidates": external.candidates_told(splits=n_numbers <= MOST_NUMBERS_LISTED),
    }


def _missing_candidates(numbers: SelectionNumbers, to_come: Sequence[str]) -> Iterator[Caution]:
    """Yield the caution of a choice that is made before all candidates have outputs."""
    if to_come:
        yield CHOICE_AMONG_SOME(
            n_done=len(numbers.ran),
            n=len(numbers.ran) + len(to_come),
            names=list_names(to_come),
        )
