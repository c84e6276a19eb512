"""Comparisons in brief, for results with so many pairs that nobody reads each of them whole.

A pair keeps its difference, its recommended interval, its effect size, the numbers of its tests and
its verdict without a plan. What cautions say is told once for all pairs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from thetahat.analyses.losses.choices import Choices
from thetahat.analyses.losses.inference import infer, interval_told
from thetahat.analyses.losses.method_selection import Selection
from thetahat.analyses.losses.not_applicable import LeftOut
from thetahat.analyses.losses.paired_tests import numbers_of
from thetahat.analyses.losses.pairs import Pair
from thetahat.analyses.losses.recommendation import DEFAULT_TARGET, Built, order_of
from thetahat.cautions import BRIEF_COMPARISONS, Caution
from thetahat.intervals.base import IntervalMethod
from thetahat.paired_tests.base import PairedTest, TestOutcome
from thetahat.values.block_losses import BlockLosses
from thetahat.values.json_values import plain
from thetahat.values.layout import Layout
from thetahat.values.types import Target
from thetahat.variances.base import VarianceEstimator

MOST_IN_FULL: Final = 1000
"""Pairs up to which each is told in full, unless the request says otherwise."""

_SHARES = ("p_left", "p_rope", "p_right")
_OF_THE_REQUEST = frozenset({"level", "alternative", "recommended", "cautions"})


def detail_of(asked: str | None, n_pairs: int) -> str:
    """Return the detail asked for, or the one that goes with so many pairs."""
    if asked is not None:
        return asked
    return "full" if n_pairs <= MOST_IN_FULL else "brief"


def doubt(detail: str, asked: str | None, n_pairs: int) -> Iterable[Caution]:
    """Yield the caution that pairs are told in brief where nobody asked for that."""
    if detail == "brief" and asked is None:
        yield BRIEF_COMPARISONS(n_pairs=n_pairs)


def affordable(tests: Selection[PairedTest]) -> Selection[PairedTest]:
    """Leave out of the defaulted tests those whose class says ``costly_per_pair``."""
    if tests.named:
        return tests
    costly = [t for t in tests.methods if getattr(t.method, "costly_per_pair", False)]
    left_out = (
        {
            "name": entry.name,
            "reason": f"{entry.name} takes milliseconds for each pair, and these are told in "
            "brief: name it to have it all the same",
            "family": "tests",
        }
        for entry in costly
    )
    kept = tuple(entry for entry in tests.methods if entry not in costly)
    return replace(tests, methods=kept, left_out=(*tests.left_out, *left_out))


@dataclass(slots=True)
class SharedCautions:
    """What is told once of all pairs: their cautions, and what their tests pair.

    Parameters
    ----------
    told : dict
        By place (``pair``, ``interval``, ``tests.KEY``) and code: the first message and a count.
    units : dict
        The target of each test and the unit that it pairs, by key.
    """

    told: dict[tuple[str, str], list[Any]] = field(default_factory=dict)
    units: dict[str, dict[str, str]] = field(default_factory=dict)

    def note(self, where: str, cautions: Iterable[Caution]) -> list[tuple[str, str]]:
        """Count the cautions of one place in one pair; return their keys."""
        messages = {(where, caution.code): caution.message for caution in cautions}
        for key, message in messages.items():
            self.told.setdefault(key, [message, 0])[1] += 1
        return list(messages)

    def settle(self, compared: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return what is told once; keep in each pair the codes that not all pairs have."""
        everywhere = {key for key, (_, n) in self.told.items() if n == len(compared)}
        for comparison in compared:
            comparison["cautions"] = [
                {"where": key[0], "code": key[1]}
                for key in comparison["cautions"]
                if key not in everywhere
            ]
        return [
            {"where": where, "code": code, "message": message, "pairs": n}
            for (where, code), (message, n) in self.told.items()
        ]

    def tests(self) -> dict[str, dict[str, str]]:
        """Return what holds for the tests of every pair, by key."""
        return dict(self.units)


@dataclass(frozen=True, slots=True)
class Shortcut:
    """The recommended interval alone, without the others that it would be chosen from.

    Parameters
    ----------
    target : Target
        What it is to speak of.
    steps : tuple
        The interval and the variance of each place of the rule's order, best first.
    """

    target: Target
    steps: tuple[tuple[Selection[VarianceEstimator], Selection[IntervalMethod]], ...]

    @classmethod
    def of(
        cls,
        layout: Layout,
        choices: Choices,
        variances: Selection[VarianceEstimator],
        intervals: Selection[IntervalMethod],
    ) -> Shortcut:
        """Build the steps that the chosen methods can take."""
        target = DEFAULT_TARGET[layout.kind] if choices.target is None else choices.target
        order = order_of(layout.kind, target, fixed_models=layout.has_fixed_models)
        steps = (
            (
                replace(variances, methods=tuple(v for v in variances.methods if v.name == on)),
                replace(intervals, methods=tuple(i for i in intervals.methods if i.name == name)),
            )
            for name, on in order
        )
        return cls(target, tuple((v, i) for v, i in steps if v.methods and i.methods))

    def best(
        self,
        difference: BlockLosses,
        choices: Choices,
        limits: tuple[float, float] | None,
        left_out: LeftOut,
    ) -> Built | None:
        """Return the recommended interval; None where none of the order can be built."""
        for variances, intervals in self.steps:
            found = infer(difference, variances, intervals, choices, limits, left_out)
            built = found.recommended_for(self.target)
            if built is not None:
                return built
        return None


def told_briefly(
    pair: Pair,
    best: Built | None,
    effect: dict[str, Any],
    outcomes: Mapping[str, TestOutcome],
    shared: SharedCautions,
) -> dict[str, Any]:
    """Return one comparison; ``settle`` turns the keys under ``cautions`` into what is told."""
    cautions = shared.note("pair", pair.cautions)
    interval = None
    if best is not None:
        told = interval_told(replace(best.interval, cautions=()))
        interval = {key: item for key, item in told.items() if key not in _OF_THE_REQUEST}
        cautions += shared.note("interval", best.interval.cautions)
    for key, outcome in outcomes.items():
        shared.units.setdefault(key, {"target": outcome.target.value, "unit": outcome.unit})
        cautions += shared.note(f"tests.{key}", outcome.cautions)
    moments = pair.losses.difference.moments
    return {
        "a": pair.a,
        "b": pair.b,
        "difference": plain(moments.macro_mean),
        "difference_pooled": plain(moments.pooled_mean),
        "interval": interval,
        "effect_size": {"name": effect["name"], "value": effect["value"]},
        "tests": {key: _numbers(outcome) for key, outcome in outcomes.items()},
        "cautions": cautions,
    }


def _numbers(outcome: TestOutcome) -> dict[str, Any]:
    """Return the numbers of an outcome: of a Bayesian test, which has no p-value, its shares."""
    shares = {key: outcome.details[key] for key in _SHARES if key in outcome.details}
    if outcome.p_value is None and shares:
        return dict(plain(shares))
    numbers = numbers_of(outcome)
    del numbers["target"], numbers["unit"]
    if outcome.degrees_of_freedom is None:
        del numbers["degrees_of_freedom"]
    return numbers
