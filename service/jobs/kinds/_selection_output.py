"""The result of a selection: the choices, what became of them, and the last choice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from service.jobs.kinds._failures import failure_of
from service.jobs.kinds._fewer_learners import choices_left
from service.jobs.kinds._loss_output import losses_as_columns
from service.jobs.kinds._methods_used import methods_used
from service.jobs.kinds._selection_words import among_some, doubts
from service.jobs.kinds.base import Finished
from service.jobs.parts import failure_in
from thetahat.block_losses import LossTable
from thetahat.evaluation import Choices, check, evaluate
from thetahat.evaluation.plain import plain, told
from thetahat.evaluation.recommendation import DEFAULT_TARGET
from thetahat.pipelines import learner_spec
from thetahat.resampling import SplitOutcome, cautions_of, loss_table, pack, unpack
from thetahat.selecting import (
    SELECTED,
    Candidate,
    Choice,
    External,
    InternalEstimate,
    bias_of_least,
    choose,
    gap_of,
    internal_estimate,
    select_in_each,
)

if TYPE_CHECKING:
    from service.jobs.kinds._selection_plan import Plan
    from service.jobs.kinds.selection import SelectionRequest

MOST_SPLITS_TOLD = 1000
"""Internal splits whose means a result lists, candidate by candidate."""
Arrays = dict[str, np.ndarray]


def packed(outcomes: Sequence[SplitOutcome], estimates: Sequence[InternalEstimate]) -> Arrays:
    """Return external outcomes and internal estimates of the same splits as arrays."""
    return {
        **pack(outcomes),
        "internal_means": np.concatenate([np.empty(0), *(e.means for e in estimates)]),
        "n_internal": np.array([len(e.means) for e in estimates], dtype=np.intp),
        "internal_within": np.array([e.within for e in estimates]),
    }


def _estimates(arrays: Mapping[str, np.ndarray]) -> list[InternalEstimate]:
    parts = np.split(arrays["internal_means"], np.cumsum(arrays["n_internal"])[:-1])
    within = arrays["internal_within"].tolist()
    return [InternalEstimate(means=m, within=w) for m, w in zip(parts, within, strict=True)]


@dataclass(slots=True)
class Gathered:
    """What one candidate gave, over all of its parts."""

    external: list[SplitOutcome] = field(default_factory=list)
    internal: list[InternalEstimate] = field(default_factory=list)
    on_all: list[SplitOutcome] = field(default_factory=list)

    def take(self, stage: str, output: Mapping[str, np.ndarray]) -> None:
        """Add one part, in the order of the splits."""
        if stage == "all":
            self.on_all.extend(unpack(output))
        else:
            self.external.extend(unpack(output))
            self.internal.extend(_estimates(output))


def finish(
    seed: int,
    given: SelectionRequest,
    plan: Plan,
    parts: Sequence[Mapping[str, Any]],
    outputs: Sequence[Mapping[str, np.ndarray]],
) -> Finished:
    """Choose among the candidates that ran; those that failed are named with their message."""
    failures: dict[str, dict[str, Any]] = {}
    gathered = {name: Gathered() for name in plan.candidates}
    for part, output in zip(parts, outputs, strict=True):
        name = part["candidate"]
        failure = failure_in(output, name)
        if failure is None:
            gathered[name].take(part["stage"], output)
        else:
            failures.setdefault(name, failure)
    ran = {name: one for name, one in gathered.items() if name not in failures}
    if not ran:
        raise failure_of(next(iter(failures.values())))
    external = _external(ran, given.rule) if plan.schemes.external is not None else None
    table = _table(given, plan, ran, external)
    out = [name for name in given.candidates if name not in ran]
    asked = [*table.names, *(out if external is None or given.compare else ())]
    choices, fewer, let_go = choices_left(given.choices(), table.layout, asked, table.names)
    check(table.layout, choices, table.names)
    result = evaluate(table, choices, seed)
    on_all = _on_all(plan, ran)
    last, internal = _last(on_all, external, given.rule)
    result["chosen"] = _chosen_told(given, plan, last, internal)
    result["internal"] = {name: _internal_told(estimate) for name, estimate in internal.items()}
    result["external"] = None if external is None else _external_told(external)
    result["bias"] = _bias(table, external, choices, seed, last, internal)
    result["failures"] = failures
    result["not_applicable"] += let_go
    to_come = [name for name in out if name not in failures]
    said = [*among_some(ran, to_come), *fewer, *doubts(external, last, internal, result["bias"])]
    result["cautions"] += told(said) + [
        {"code": "candidate_left_out", "message": f"{name!r} is left out: {failure['message']}"}
        for name, failure in failures.items()
    ]
    result["cautions"] += told(
        [
            *getattr(plan.schemes.assessed, "cautions", ()),
            *cautions_of({name: [*one.external, *one.on_all] for name, one in ran.items()}),
        ]
    )
    wires = {name: given.candidates[name] for name in plan.candidates}
    result["methods"] = [*plan.methods_used(wires), *methods_used(choices, result)]
    return Finished(result, losses_as_columns(table))


def _external(ran: Mapping[str, Gathered], rule: str) -> External:
    of_each = {
        name: Candidate(outcomes=one.external, internal=one.internal) for name, one in ran.items()
    }
    return select_in_each(of_each, rule)


def _table(
    given: SelectionRequest, plan: Plan, ran: Mapping[str, Gathered], external: External | None
) -> LossTable:
    """Return the external losses of what was selected; without, the internal ones of all."""
    outcomes: dict[str, Sequence[SplitOutcome]] = {}
    if external is None:
        outcomes = {name: one.on_all for name, one in ran.items()}
    else:
        outcomes[SELECTED] = external.outcomes
        if given.compare:
            outcomes |= {name: one.external for name, one in ran.items()}
    return loss_table(plan.data, plan.schemes.assessed.block_kind, outcomes, plan.loss)


def _on_all(plan: Plan, ran: Mapping[str, Gathered]) -> dict[str, InternalEstimate] | None:
    if not plan.schemes.chooses_on_all:
        return None
    return {
        name: internal_estimate([outcome.losses for outcome in one.on_all])
        for name, one in ran.items()
    }


def _last(
    on_all: Mapping[str, InternalEstimate] | None, external: External | None, rule: str
) -> tuple[Choice, Mapping[str, InternalEstimate]]:
    """Return the last choice and what it rests on: all rows, or the one external training part."""
    if on_all is not None:
        return choose(on_all, rule), on_all
    assert external is not None  # noqa: S101 - one of the two is always there
    return external.choices[0], {n: c.internal[0] for n, c in external.candidates.items()}


def _internal_told(estimate: InternalEstimate) -> dict[str, Any]:
    return {
        "mean": plain(estimate.mean),
        "standard_error": plain(estimate.standard_error),
        "splits": plain(estimate.means) if len(estimate.means) <= MOST_SPLITS_TOLD else None,
    }


def _chosen_told(
    given: SelectionRequest, plan: Plan, last: Choice, internal: Mapping[str, InternalEstimate]
) -> dict[str, Any]:
    on = "all rows" if plan.schemes.chooses_on_all else "the training and validation rows"
    return {
        "name": last.name,
        "spec": asdict(learner_spec(given.candidates[last.name])),
        "rule": given.rule,
        "least": last.least,
        "tied": list(last.tied),
        "chosen_on": on,
        "internal": _internal_told(internal[last.name]),
    }


def _external_told(external: External) -> dict[str, Any]:
    return {
        "wins": external.wins(),
        "splits": external.splits_told(),
        "candidates": external.candidates_told(),
    }


def _bias(  # noqa: PLR0913 - all that it is estimated from
    table: LossTable,
    external: External | None,
    choices: Choices,
    seed: int,
    last: Choice,
    internal: Mapping[str, InternalEstimate],
) -> dict[str, Any]:
    """Return how much too small the internal error of what is chosen is.

    With external splits from them: external minus internal error, with its intervals, and how
    much of it is there without a choice. Without, from the folds' own minima.
    """
    least = bias_of_least(internal, last.name)
    if external is None:
        return {"estimate": None, "of_minima": plain(least)}
    gap = gap_of(table.models[SELECTED], external.internal)
    kept = [i for i in choices.intervals or () if not getattr(i.method, "only_zero_one", False)]
    intervals = tuple(kept) or None  # a gap is no share, whatever the losses are
    plainly = replace(choices, intervals=intervals, tests=(), omnibus=(), control=None, clip=False)
    model = evaluate(LossTable(table.layout, {"gap": gap}), plainly, seed)["models"]["gap"]
    mean = model["mean"]["macro"]
    without, of_choice = external.parts_of_gap() or (None, None)
    first = DEFAULT_TARGET[table.layout.kind]
    best = [i for i in model["intervals"] if i["recommended"]]
    best.sort(key=lambda interval: interval["target"] != first)
    return {
        "estimate": mean,
        "interval": best[0] if best else None,
        "without_choice": plain(without),
        "of_choice": plain(of_choice),
        "of_minima": plain(least),
        "variances": model["variances"],
        "intervals": model["intervals"],
    }
