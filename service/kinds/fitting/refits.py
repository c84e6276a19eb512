"""The methods of a cross-validation that fit its learners again, and the fits that they need."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from service.kinds.fields.data import has_role
from service.kinds.fitting.outcomes import Told
from service.kinds.methods_used import record_method
from thetahat.analyses.losses import Choices
from thetahat.analyses.losses.refit_estimates import ModelOrPair, RefitEstimates
from thetahat.analyses.losses.result import MethodUsed
from thetahat.cautions import NO_INTERVAL, Caution, restore
from thetahat.cross_validation import Group
from thetahat.errors import EvaluationError, InvalidParameter, UnsupportedCombination
from thetahat.refit_estimators import (
    LossesByDesign,
    RefitDesign,
    RequestedRefit,
    collect_designs,
    compute_estimates,
    join_losses,
    reason_against_dependent_rows,
    run_design_together,
)
from thetahat.schemes.base import Rows, Scheme
from thetahat.seeds import MAX_SEED, stream

if TYPE_CHECKING:
    from service.kinds.cross_validation.plan import Plan
    from service.kinds.fields.learners import LearnersRequest

MOST_FITS = 50_000
"""Extra fits of one evaluation, over all learners."""
MOST_LOSSES = 50_000_000
"""Losses that those fits may give, over all learners: they are in memory at once at the end."""


@dataclass(frozen=True, slots=True)
class Extra:
    """The extra fits of an evaluation, each design once, whatever the number of its methods.

    Parameters
    ----------
    asked : tuple of Asked
        Methods that the request named.
    designs : tuple of Design
        In the order of the request.
    n_splits : tuple of int
        Fits of one learner, by design.
    """

    asked: tuple[RequestedRefit, ...]
    designs: tuple[RefitDesign, ...]
    n_splits: tuple[int, ...]

    def cuts(self, n_parts: int) -> list[tuple[int, int, int]]:
        """Return (design, start, stop) of about equal parts, about ``n_parts`` over all designs."""
        found: list[tuple[int, int, int]] = []
        total = max(1, sum(self.n_splits))
        for design, n in enumerate(self.n_splits):
            parts = min(n, max(1, n_parts * n // total))
            edges = [n * i // parts for i in range(parts + 1)]
            found.extend((design, start, stop) for start, stop in pairwise(edges))
        return found

    def choices_to_check(self, choices: Choices) -> Choices:
        """Return the choices without a target that one of these methods speaks of.

        What is checked are the methods that work on losses, and they need not speak of it too.
        """
        spoken = {target for one in self.asked for target in one.method.info.targets}
        return replace(choices, target=None) if choices.target in spoken else choices

    def methods_used(self) -> list[MethodUsed]:
        """Return the methods as records, with all parameters."""
        return [record_method(one.field, one.method, one.key) for one in self.asked]


def extra_of(given: LearnersRequest, scheme: Scheme, rows: Rows) -> Extra:
    """Return the extra fits of a request, refused where they do not fit the data or are too many.

    Only the number of ``rows`` is looked at, so a request can be checked before its data are read.
    """
    asked = given.refit_methods
    for one in asked:
        reason = reason_against_dependent_rows(
            one.name,
            scheme.block_kind,
            source=has_role(given, "source"),
            cluster=has_role(given, "cluster"),
            time=has_role(given, "time"),
        )
        if reason is not None:
            raise UnsupportedCombination(reason, loc=(one.field, one.index), value=one.name)
    designs = collect_designs(asked)
    n_splits, n_losses = [], 0
    for design in designs:
        first = next(one for one in asked if one.method.design == design)
        try:
            n_splits.append(design.n_splits(rows))
            n_losses += design.n_tests(rows)
        except EvaluationError as error:
            error.loc = (first.field, first.index, "params", *error.loc)
            raise
    _check_size("fits", sum(n_splits), len(given.learners), MOST_FITS, asked)
    _check_size("losses", n_losses, len(given.learners), MOST_LOSSES, asked)
    return Extra(asked, designs, tuple(n_splits))


def _check_size(
    what: str, each: int, n_learners: int, most: int, asked: Sequence[RequestedRefit]
) -> None:
    if each * n_learners > most:
        names = ", ".join(dict.fromkeys(one.name for one in asked))
        raise InvalidParameter(
            f"{names} would make {each * n_learners} extra {what} ({each} for each of "
            f"{n_learners} learners), and {most} is the most; ask for fewer repeats or resamples",
            loc=(asked[0].field, asked[0].index),
            value=each * n_learners,
        )


def _seed_of(seed: int) -> int:
    """Return the seed of the extra fits, so that they repeat none of the scheme's draws."""
    return int(stream(seed, "refits").integers(MAX_SEED))


def run_extra(plan: Plan, seed: int, group: Group, part: Mapping[str, Any]) -> Told:
    """Fit and test learners on some of a design's splits, together where they can be."""
    told, design = Told(), plan.extra.designs[part["design"]]
    found = run_design_together(
        group, plan.data, plan.loss, design, _seed_of(seed), part["start"], part["stop"]
    )
    for name, ran in found.items():
        if isinstance(ran, EvaluationError):
            told.fail(name, ran.code, ran.message)
        else:
            arrays, cautions = ran
            words = json.dumps([[c.code, c.message] for c in cautions])
            said = np.frombuffer(words.encode(), dtype=np.uint8)
            told.ran[name] = {**arrays, "words": said}
    return told


Parts = Mapping[str, Mapping[int, Sequence[Mapping[str, np.ndarray]]]]
"""What ``run_extra`` gave, by learner and design, in the order of the splits."""


def found_again(
    plan: Plan, seed: int, parts: Parts, choices: Choices
) -> tuple[RefitEstimates, list[Caution]]:
    """Return what the methods say of every learner and pair, and what the learners warned of."""
    extra = plan.extra
    fits: dict[str, LossesByDesign] = {
        name: {
            design: join_losses(plan.data, _seed_of(seed), of_design[i])
            for i, design in enumerate(extra.designs)
        }
        for name, of_design in parts.items()
    }
    found = compute_estimates(extra.asked, fits, choices)
    return found, [*_said(parts), *_unbuilt(found)]


def _said(parts: Parts) -> list[Caution]:
    """Return what the learners warned of, each sentence once."""
    told = {
        restore(code, f"Learner {name!r}, in extra fits: {message}"): None
        for name, of_design in parts.items()
        for of_one in of_design.values()
        for part in of_one
        for code, message in json.loads(part["words"].tobytes())
    }
    return sorted(told, key=lambda caution: (caution.code, caution.message))


def _unbuilt(found: RefitEstimates) -> list[Caution]:
    """Return a caution for each method that built no interval, for the losses do not vary."""
    return [
        NO_INTERVAL(method=one.key, subject=_words(subject))
        for subject, of_subject in found.items()
        for one in of_subject
        if one.estimate is None and not one.intervals
    ]


def _words(subject: ModelOrPair) -> str:
    return repr(subject) if isinstance(subject, str) else f"{subject[0]!r} against {subject[1]!r}"
