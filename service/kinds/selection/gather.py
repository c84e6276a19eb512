"""What all pieces of a selection gave, read one piece at a time.

First the numbers by which candidates are chosen, then the rows of what was chosen: the rows of all
candidates are never in memory at once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from service.kinds.base import ChunkOutput
from service.kinds.selection.arrays import Piece
from thetahat.analyses.selection import Candidate, InternalEstimate
from thetahat.cautions import Caution
from thetahat.cross_validation import SplitOutcome
from thetahat.errors import EvaluationError

if TYPE_CHECKING:
    from service.kinds.selection.plan import Plan

Outputs = Sequence[ChunkOutput]
_NO_ROWS = np.empty(0, dtype=np.intp)


@dataclass(slots=True)
class Gathered:
    """What is known of the candidates by name, without their rows.

    Parameters
    ----------
    failures : dict
        ``code``, ``message`` and ``loc`` of those that failed; they are in none of the others.
    external : dict of str to Candidate
        Empty where nothing is assessed.
    on_all : dict of str to InternalEstimate
        Empty where nothing is chosen on all rows.
    warned : dict
        By candidate, what it warned of in each split.
    fitted : dict
        By candidate, how many splits were fitted, by why; None where they were not.
    """

    failures: dict[str, dict[str, Any]] = field(default_factory=dict)
    external: dict[str, Candidate] = field(default_factory=dict)
    on_all: dict[str, InternalEstimate] = field(default_factory=dict)
    warned: dict[str, list[tuple[Caution, ...]]] = field(default_factory=dict)
    fitted: dict[str, Counter[str | None]] = field(default_factory=dict)

    @property
    def ran(self) -> list[str]:
        """Those that did not fail, in the request's order."""
        return list(self.warned)

    def ran_none_of(self, names: Collection[str]) -> bool:
        """Whether all of them failed, or are still at work."""
        return not any(name in self.warned for name in names)


@dataclass(slots=True)
class _SoFar:
    """One candidate, piece by piece."""

    internal: list[InternalEstimate] = field(default_factory=list)
    criterion: list[np.ndarray] = field(default_factory=list)
    means: list[np.ndarray] = field(default_factory=list)
    within: float = float("nan")
    rows: list[SplitOutcome] = field(default_factory=list)
    pooled: tuple[float, float] | None = None
    warned: list[tuple[Caution, ...]] = field(default_factory=list)
    fitted: Counter[str | None] = field(default_factory=Counter)


def gather(plan: Plan, outputs: Outputs) -> Gathered:
    """Return the numbers of every candidate of the plan; a pooled metric is made of its rows."""
    found, so_far = Gathered(), {name: _SoFar() for name in plan.candidates}
    for output in outputs:
        part = output.payload
        names = _names(plan, part)
        piece = Piece(output.read(), names)
        for name, failure in piece.failures.items():
            found.failures.setdefault(name, failure)
        for name in piece.names:
            _take(so_far[name], name, piece, part, pooled=plan.criterion.is_pooled)
        if plan.criterion.is_pooled and part["stage"] == "all" and part["stop"] == _n_on_all(plan):
            _pool(plan, found, {name: so_far[name] for name in names})
    for name, one in so_far.items():
        if name not in found.failures:
            _close(plan, found, name, one)
    return found


def _names(plan: Plan, part: Mapping[str, Any]) -> tuple[str, ...]:
    names: tuple[str, ...] = plan.groups.bundles[part["bundle"]].names
    return names


def _n_on_all(plan: Plan) -> int:
    return plan.sizes.n_on_all


def _take(one: _SoFar, name: str, piece: Piece, part: Mapping[str, Any], *, pooled: bool) -> None:
    one.warned += piece.warned(name)
    one.fitted += piece.fitted(name)
    if part["stage"] == "external":
        one.internal += piece.estimates(name)
        one.criterion.append(piece.criterion(name))
        return
    means, within = piece.on_all(name)
    one.means.append(means)
    if part["start"] == 0:
        one.within = within
    if pooled:
        one.rows += piece.outcomes(name)


def _pool(plan: Plan, found: Gathered, bundle: Mapping[str, _SoFar]) -> None:
    """Make the pooled metric of the candidates of one bundle, and let go of their rows."""
    for name, one in bundle.items():
        if name not in found.failures:
            one.pooled = plan.criterion.pooled(one.rows, plan.data, name)
        one.rows = []


def _close(plan: Plan, found: Gathered, name: str, one: _SoFar) -> None:
    if one.means:
        means = np.concatenate(one.means)
        estimate = InternalEstimate(means=means, within=one.within, pooled=one.pooled)
        try:
            found.on_all[name] = plan.criterion.checked(estimate)
        except EvaluationError as error:
            loc = ["candidates", name]
            found.failures[name] = {"code": error.code, "message": error.message, "loc": loc}
            return
    if one.internal:
        found.external[name] = Candidate(
            external=np.concatenate(one.criterion), internal=one.internal
        )
    found.warned[name] = one.warned
    found.fitted[name] = one.fitted


def outcomes_of(
    plan: Plan, outputs: Outputs, stage: str, names: Collection[str]
) -> dict[str, list[SplitOutcome]]:
    """Return all outcomes of some candidates at a stage."""
    found: dict[str, list[SplitOutcome]] = {name: [] for name in plan.candidates if name in names}
    for piece, _, there in _pieces(plan, outputs, stage, lambda _: names):
        for name in there:
            found[name] += piece.outcomes(name)
    return found


def outcomes_won(plan: Plan, outputs: Outputs, winners: Sequence[str]) -> list[SplitOutcome]:
    """Return the (J,) outcome of each external split's winner."""
    found: dict[int, SplitOutcome] = {}

    def wanted(part: Mapping[str, Any]) -> Collection[str]:
        return winners[part["start"] : part["stop"]]

    for piece, part, there in _pieces(plan, outputs, "external", wanted):
        for name in there:
            every = enumerate(piece.outcomes(name), start=part["start"])
            found |= {at: outcome for at, outcome in every if winners[at] == name}
    return [found[at] for at in range(len(winners))]


def _pieces(
    plan: Plan,
    outputs: Outputs,
    stage: str,
    wanted: Callable[[Mapping[str, Any]], Collection[str]],
) -> Any:
    """Yield the pieces that hold a wanted candidate, the part, and those candidates."""
    for output in outputs:
        part = output.payload
        names = _names(plan, part)
        there = [name for name in names if name in wanted(part)]
        if part["stage"] == stage and there:
            yield Piece(output.read(), names), part, there


def light(warned: Sequence[tuple[Caution, ...]]) -> list[SplitOutcome]:
    """Return outcomes that carry nothing but what a learner warned of."""
    return [
        SplitOutcome(
            repeat=0,
            block=0,
            label=0,
            n_train=0,
            test=_NO_ROWS,
            losses=_NO_ROWS.astype(np.float64),
            cautions=cautions,
        )
        for cautions in warned
    ]
