"""From the fits of every learner to what an evaluation is handed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, cast

from thetahat.analyses.losses.choices import Choices
from thetahat.analyses.losses.refit_estimates import ModelOrPair, RefitEstimate
from thetahat.refit_estimators.base import (
    VARIANCES_LIST,
    BuildsInterval,
    Design,
    EstimatesVariance,
    Fits,
    Refit,
)
from thetahat.values.types import Alternative


@dataclass(frozen=True, slots=True)
class Asked:
    """One refit method that a request named.

    Parameters
    ----------
    field : str
        The list that named it: ``variances`` or ``intervals``.
    index : int
        Its place there.
    key : str
        Its key in the result.
    method : Refit
        With its parameters.
    """

    field: str
    index: int
    key: str
    method: Refit

    @property
    def name(self) -> str:
        """Wire name."""
        return self.method.info.name


FitsByDesign = Mapping[Design, Fits]


def designs_of(asked: Sequence[Asked]) -> tuple[Design, ...]:
    """Return the fits that are needed, each design once, in the order of the request."""
    return tuple(dict.fromkeys(one.method.design for one in asked))


def find(
    asked: Sequence[Asked],
    fits: Mapping[str, FitsByDesign],
    choices: Choices,
) -> dict[ModelOrPair, list[RefitEstimate]]:
    """Return what the methods say of every learner, and of every pair's difference.

    Parameters
    ----------
    asked : sequence of Asked
        Methods.
    fits : mapping
        By learner's name, then by design.
    choices : Choices
        Level, alternative, and the control that the others are compared with, if there is one.
    """
    level, alternative = choices.level, choices.alternative
    found: dict[ModelOrPair, list[RefitEstimate]] = {}
    for name, of_model in fits.items():
        found[name] = [
            _found(one, of_model[one.method.design], level, alternative) for one in asked
        ]
    of_pairs = [one for one in asked if one.method.not_of_pairs is None]
    for a, b in _pairs(list(fits), choices.control):
        by_design = {
            design: fits[a][design].minus(fits[b][design]) for design in designs_of(of_pairs)
        }
        found[a, b] = [
            _found(one, by_design[one.method.design], level, alternative) for one in of_pairs
        ]
    return found


def _pairs(names: list[str], control: str | None) -> list[tuple[str, str]]:
    """Return the pairs that ``thetahat.analyses.losses.pairs`` compares."""
    if control is not None:
        return [(name, control) for name in names if name != control]
    return list(combinations(names, 2))


def _found(one: Asked, fits: Fits, level: float, alternative: Alternative) -> RefitEstimate:
    if one.field == VARIANCES_LIST:
        estimate = cast("EstimatesVariance", one.method).estimate(fits)
        return RefitEstimate(
            key=one.key,
            method=one.method.info,
            estimate=estimate,
            is_own_estimate=one.method.is_own_estimate,
        )
    interval = cast("BuildsInterval", one.method).interval(fits, level, alternative)
    keyed = () if interval is None else (replace(interval, method=one.key),)
    return RefitEstimate(key=one.key, method=one.method.info, intervals=keyed)


def not_of_pairs(asked: Sequence[Asked]) -> Iterator[dict[str, Any]]:
    """Yield an entry of ``not_applicable`` for each method that says nothing of a difference."""
    for one in asked:
        if one.method.not_of_pairs is not None:
            yield {"name": one.name, "reason": one.method.not_of_pairs, "family": one.field}
