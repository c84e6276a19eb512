"""The result of a selection: the choices, what became of them, and the last choice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from service.data.arrow_arrays import arrow_array
from service.jobs.output_table import OutputColumn
from service.kinds.base import Finished
from service.kinds.fitting.data_cautions import cautions_of_data
from service.kinds.fitting.failures import failure_of
from service.kinds.fitting.fewer_learners import choices_left
from service.kinds.fitting.metrics import judged_of
from service.kinds.loss_columns import lazy_loss_columns, prediction_column
from service.kinds.selection.bias import bias_of
from service.kinds.selection.cautions import among_some, doubts, failures_told, left_out
from service.kinds.selection.gather import (
    Gathered,
    Outputs,
    gather,
    light,
    outcomes_of,
    outcomes_won,
)
from service.kinds.selection.groups import MOST_SHOWN
from thetahat.analyses.losses import check, evaluate
from thetahat.analyses.metrics.result import add_metrics
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
from thetahat.cautions import BEST_OF_EACH_GRID, Caution
from thetahat.cross_validation import SplitOutcome, cautions_of, loss_table, path_of
from thetahat.pipelines import learner_spec
from thetahat.values.json_values import plain, to_json, told

if TYPE_CHECKING:
    from service.kinds.selection.kind import SelectionRequest
    from service.kinds.selection.plan import Plan

MOST_SPLITS_TOLD = 1000
"""Internal splits whose means a result lists, candidate by candidate."""
MOST_NUMBERS_TOLD = 200_000
"""Of all candidates together, split by split."""
Outcomes = Mapping[str, Sequence[SplitOutcome]]


def finish(seed: int, given: SelectionRequest, plan: Plan, outputs: Outputs) -> Finished:
    """Choose among the candidates that ran; those that failed are named with their message."""
    found = gather(plan, outputs)
    if not found.ran:
        raise failure_of(next(iter(found.failures.values())))
    higher = plan.criterion.higher_is_better
    external = None
    if plan.schemes.external is not None:
        external = select_in_each(found.external, given.rule, higher_is_better=higher)
    last, internal = _last(plan, found, external, given.rule)
    shown, won = _shown(given, plan, found, external, outputs)
    table = loss_table(plan.data, plan.schemes.assessed.block_kind, shown, plan.loss)
    out = [name for name in plan.wires if name not in found.ran]
    asked = [*table.names, *(out if given.compare else ())]
    if external is None:  # those that are not shown are left out, too
        asked = list(plan.wires)
    choices, fewer, let_go = choices_left(given.choices, table.layout, asked, table.names)
    check(table.layout, choices, table.names)
    evaluation = evaluate(table, choices, seed)
    judged = judged_of(plan.metrics, plan.data, shown)
    result = to_json(add_metrics(evaluation, plan.metrics, judged, table.layout, choices, seed))
    result["chosen"] = _chosen_told(given, plan, last, internal)
    result["internal"] = _internal_told(internal)
    result["external"] = None if external is None else _external_told(external, won)
    result["grids"] = _grids_told(plan, found, internal)
    result["learners"] = _paths(plan, found)
    result["bias"] = bias_of(table, external, choices, seed, last, internal, plan)
    result["failures"] = failures_told(found.failures, plan.grids)
    result["not_applicable"] += let_go
    to_come = [name for name in out if name not in found.failures]
    result["cautions"] += told(
        [
            *among_some(found.ran, to_come),
            *_only_the_best(shown, found, external),
            *fewer,
            *doubts(external, last, internal, result["bias"], plan),
            *edges_of(last.name, plan.grids),
            *left_out(result["failures"]),
            *getattr(plan.schemes.assessed, "cautions", ()),
            *cautions_of_data(given, plan.data),
            *cautions_of(_warned(plan, found)),
        ]
    )
    used = plan.methods_used(plan.candidates)
    result["methods"] = [*used, *evaluation.methods]
    losses = {name: table.models[name].rows for name in table.names}
    return Finished(result, lazy_loss_columns(table.layout, losses, _said(plan, shown, external)))


def _grids_told(
    plan: Plan, found: Gathered, internal: Mapping[str, InternalEstimate]
) -> dict[str, Any]:
    """Return the profile of each grid of which a candidate ran."""
    external = {one: candidate.external for one, candidate in found.external.items()}
    higher = plan.criterion.higher_is_better
    return {
        name: profiles_of(grid, internal, external, higher_is_better=higher)
        for name, grid in plan.grids.items()
        if not found.ran_none_of(grid.candidates)
    }


def _last(
    plan: Plan, found: Gathered, external: External | None, rule: str
) -> tuple[Choice, Mapping[str, InternalEstimate]]:
    """Return the last choice and what it rests on: all rows, or the one external training part."""
    if found.on_all:
        higher = plan.criterion.higher_is_better
        return choose(found.on_all, rule, higher_is_better=higher), found.on_all
    assert external is not None  # noqa: S101 - one of the two is always there
    return external.choices[0], {n: c.internal[0] for n, c in external.candidates.items()}


def _shown(
    given: SelectionRequest,
    plan: Plan,
    found: Gathered,
    external: External | None,
    outputs: Outputs,
) -> tuple[Outcomes, Sequence[SplitOutcome]]:
    """Return the outcomes of what the result evaluates, and those of the winners outside."""
    if external is None:
        return outcomes_of(plan, outputs, "all", _best(plan, found)), ()
    won = outcomes_won(plan, outputs, [choice.name for choice in external.choices])
    beside: Outcomes = {}
    if given.compare:
        beside = outcomes_of(plan, outputs, "external", found.ran)
    return {SELECTED: won, **beside}, won


def _best(plan: Plan, found: Gathered) -> list[str]:
    """Return the candidates to be shown: all, or of each grid the best where they are many."""
    if len(found.ran) <= MOST_SHOWN:
        return found.ran
    of_grids = {name for grid in plan.grids.values() for name in grid.candidates}
    kept = {name for name in found.ran if name not in of_grids}
    for grid in plan.grids.values():
        there = {name: found.on_all[name] for name in grid.candidates if name in found.on_all}
        if there:
            kept.add(choose(there, higher_is_better=plan.criterion.higher_is_better).least)
    return [name for name in found.ran if name in kept]


def _only_the_best(
    shown: Outcomes, found: Gathered, external: External | None
) -> Iterator[Caution]:
    if external is None and len(shown) < len(found.ran):
        yield BEST_OF_EACH_GRID(n=len(found.ran))


def _paths(plan: Plan, found: Gathered) -> dict[str, Any]:
    """Return how the splits were predicted, inside and outside; a grid's candidates together."""
    by_name: dict[str, Counter[str | None]] = {}
    for name in found.ran:
        counts = by_name.setdefault(_grid_of(plan, name), Counter())
        counts += found.fitted[name]
    return {name: path_of(list(counts.elements())) for name, counts in by_name.items()}


def _grid_of(plan: Plan, name: str) -> str:
    """Return the grid that a candidate is of, or its own name."""
    return next((grid for grid, one in plan.grids.items() if name in one.candidates), name)


def _warned(plan: Plan, found: Gathered) -> dict[str, list[SplitOutcome]]:
    """Return what warned, by candidate, and by grid for the candidates of one."""
    by_name: dict[str, list[tuple[Caution, ...]]] = {}
    for name in found.ran:
        by_name.setdefault(_grid_of(plan, name), []).extend(found.warned[name])
    return {name: light(warned) for name, warned in by_name.items() if any(warned)}


def _said(plan: Plan, shown: Outcomes, external: External | None) -> dict[str, OutputColumn]:
    """Return what was predicted, row by row, and which candidate was at work in each split."""
    said = {
        f"prediction:{name}": prediction_column(
            plan.data, np.concatenate([np.asarray(outcome.output) for outcome in of_one])
        )
        for name, of_one in shown.items()
    }
    if external is not None:
        sizes = [len(outcome.test) for outcome in shown[SELECTED]]
        names = list(plan.candidates)
        place = [names.index(choice.name) for choice in external.choices]
        said[f"chosen:{SELECTED}"] = OutputColumn(np.repeat(place, sizes), arrow_array(names))
    return said


def _internal_told(internal: Mapping[str, InternalEstimate]) -> dict[str, Any]:
    n_splits = len(next(iter(internal.values())).means)
    told_all = n_splits <= MOST_SPLITS_TOLD and n_splits * len(internal) <= MOST_NUMBERS_TOLD
    return {name: _estimate_told(estimate, splits=told_all) for name, estimate in internal.items()}


def _estimate_told(estimate: InternalEstimate, *, splits: bool) -> dict[str, Any]:
    return {
        "mean": plain(estimate.mean),
        "standard_error": plain(estimate.standard_error),
        "splits": plain(estimate.means) if splits else None,
    }


def _chosen_told(
    given: SelectionRequest, plan: Plan, last: Choice, internal: Mapping[str, InternalEstimate]
) -> dict[str, Any]:
    on = "all rows" if plan.schemes.chooses_on_all else "the training and validation rows"
    estimate = internal[last.name]
    return {
        "name": last.name,
        "spec": asdict(learner_spec(plan.wires[last.name])),
        "rule": given.rule,
        "by": plan.chosen_by,
        "higher_is_better": plan.criterion.higher_is_better,
        "least": last.least,
        "tied": list(last.tied),
        "chosen_on": on,
        "internal": _estimate_told(estimate, splits=len(estimate.means) <= MOST_SPLITS_TOLD),
    }


def _external_told(external: External, won: Sequence[SplitOutcome]) -> dict[str, Any]:
    numbers = 2 * len(won) * len(external.candidates)
    return {
        "wins": external.wins(),
        "splits": external.splits_told(won),
        "candidates": external.candidates_told(splits=numbers <= MOST_NUMBERS_TOLD),
    }
