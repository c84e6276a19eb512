"""Estimates of the refit estimators, for every learner and every pair of learners."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, cast

from thetahat.analyses.losses.choices import Choices
from thetahat.analyses.losses.refit_estimates import ModelOrPair, RefitEstimate
from thetahat.errors import UnsupportedCombination
from thetahat.refit_estimators._checks import reason_against_dependent_rows
from thetahat.refit_estimators.base import (
    VARIANCES_LIST,
    BuildsInterval,
    EstimatesVariance,
    RefitDesign,
    RefitEstimator,
    RefitLosses,
)
from thetahat.values.types import Alternative, BlockKind


@dataclass(frozen=True, slots=True)
class RequestedRefit:
    """A method that fits the learner again, as a request names it."""

    field: str
    """List of the request that names it: ``variances`` or ``intervals``."""
    index: int
    """Index in that list."""
    key: str
    """Key in the result."""
    method: RefitEstimator
    """The method with its parameters."""

    @property
    def name(self) -> str:
        """The method's wire name."""
        return self.method.info.name


LossesByDesign = Mapping[RefitDesign, RefitLosses]


def check_independent_rows(
    requested: Sequence[RequestedRefit],
    kind: BlockKind,
    *,
    source: bool,
    cluster: bool,
    time: bool,
) -> None:
    """Refuse methods that need independent rows if the data have sources, clusters or times."""
    for entry in requested:
        reason = reason_against_dependent_rows(
            entry.name, kind, source=source, cluster=cluster, time=time
        )
        if reason is not None:
            raise UnsupportedCombination(reason, loc=(entry.field, entry.index), value=entry.name)


def collect_designs(requested: Sequence[RequestedRefit]) -> tuple[RefitDesign, ...]:
    """Return the designs of the methods, each once, in the order of the request."""
    return tuple(dict.fromkeys(entry.method.design for entry in requested))


def compute_estimates(
    requested: Sequence[RequestedRefit],
    losses: Mapping[str, LossesByDesign],
    choices: Choices,
) -> dict[ModelOrPair, list[RefitEstimate]]:
    """Return the estimates of the methods for every learner and for every pair's difference.

    Parameters
    ----------
    requested : sequence of RequestedRefit
        The methods.
    losses : mapping
        Losses of the extra fits, by name of the learner, then by design.
    choices : Choices
        Level, alternative, and the control that all others are compared with, if any.
    """
    level, alternative = choices.level, choices.alternative
    estimates: dict[ModelOrPair, list[RefitEstimate]] = {}
    for name, by_design in losses.items():
        estimates[name] = [
            _estimate(entry, by_design[entry.method.design], level, alternative)
            for entry in requested
        ]
    for_pairs = [entry for entry in requested if entry.method.reason_against_pairs is None]
    designs = collect_designs(for_pairs)
    for a, b in _list_pairs(list(losses), choices.control):
        differences = {design: losses[a][design].minus(losses[b][design]) for design in designs}
        estimates[a, b] = [
            _estimate(entry, differences[entry.method.design], level, alternative)
            for entry in for_pairs
        ]
    return estimates


def _list_pairs(names: list[str], control: str | None) -> list[tuple[str, str]]:
    """Return the pairs that ``thetahat.analyses.losses.pairs`` compares."""
    if control is not None:
        return [(name, control) for name in names if name != control]
    return list(combinations(names, 2))


def _estimate(
    entry: RequestedRefit, losses: RefitLosses, level: float, alternative: Alternative
) -> RefitEstimate:
    """Return the variance estimate or the interval, as the request names the method."""
    if entry.field == VARIANCES_LIST:
        estimate = cast("EstimatesVariance", entry.method).estimate(losses)
        return RefitEstimate(
            key=entry.key,
            method=entry.method.info,
            estimate=estimate,
            is_own_estimate=entry.method.is_own_estimate,
        )
    interval = cast("BuildsInterval", entry.method).interval(losses, level, alternative)
    intervals = () if interval is None else (replace(interval, method=entry.key),)
    return RefitEstimate(key=entry.key, method=entry.method.info, intervals=intervals)


def reasons_against_pairs(requested: Sequence[RequestedRefit]) -> Iterator[dict[str, Any]]:
    """Yield an entry of ``not_applicable`` for each method that cannot estimate a difference."""
    for entry in requested:
        reason = entry.method.reason_against_pairs
        if reason is not None:
            yield {"name": entry.name, "reason": reason, "family": entry.field}


def drop_refit_target(choices: Choices, methods: Sequence[RequestedRefit]) -> Choices:
    """Return the choices without the target if one of the methods that fit again estimates it.

    The methods that work on the losses then need not estimate it too.
    """
    targets = {target for entry in methods for target in entry.method.info.targets}
    return replace(choices, target=None) if choices.target in targets else choices
