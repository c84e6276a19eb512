"""Brief comparisons, for results with so many pairs that nobody reads every pair in full.

A pair keeps its difference, its recommended interval, its effect size, the numbers of its tests and
its verdict without a plan. The sentences of cautions are written once for all pairs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Final

from thetahat.analyses.losses.choices import Choices, ChosenMethod
from thetahat.analyses.losses.inference import infer
from thetahat.analyses.losses.method_selection import SelectedMethods
from thetahat.analyses.losses.not_applicable import OmittedMethods
from thetahat.analyses.losses.recommendation import DEFAULT_TARGET, BuiltInterval, get_rank
from thetahat.analyses.losses.result import (
    BriefBayesianResult,
    BriefInterval,
    BriefTestResult,
    CautionPlace,
    DetailLevel,
    NotApplicable,
    SharedCaution,
    SharedTest,
)
from thetahat.cautions import BRIEF_COMPARISONS, Caution
from thetahat.intervals.base import Interval, IntervalMethod, PairedRatesInterval
from thetahat.paired_tests.base import PairedTest, TestOutcome
from thetahat.values.block_losses import BlockLosses
from thetahat.values.coverage import ExpectedCoverage
from thetahat.values.layout import Layout
from thetahat.values.paired_counts import PairedCounts
from thetahat.values.types import Target
from thetahat.variances.base import VarianceEstimator

MAX_FULL_COMPARISONS: Final = 1000
"""Largest number of pairs whose comparisons are in full by default."""


def choose_detail(requested: DetailLevel | None, n_pairs: int) -> DetailLevel:
    """Return the detail of the request, or the default for this number of pairs."""
    if requested is not None:
        return requested
    return "full" if n_pairs <= MAX_FULL_COMPARISONS else "brief"


def check_detail(detail: str, requested: str | None, n_pairs: int) -> Iterable[Caution]:
    """Yield a caution if comparisons are in brief by default and not by request."""
    if detail == "brief" and requested is None:
        yield BRIEF_COMPARISONS(n_pairs=n_pairs)


def drop_costly_tests(tests: SelectedMethods[PairedTest]) -> SelectedMethods[PairedTest]:
    """Return the selection without the default tests that are ``costly_per_pair``."""
    if tests.named:
        return tests
    costly = [t for t in tests.methods if t.method.info.costly_per_pair]
    left_out = (
        NotApplicable(
            name=entry.name,
            reason=f"{entry.name} takes milliseconds for each pair and is left out of brief "
            "comparisons unless the request names it",
            family="tests",
        )
        for entry in costly
    )
    remaining = tuple(entry for entry in tests.methods if entry not in costly)
    return replace(tests, methods=remaining, left_out=(*tests.left_out, *left_out))


@dataclass(slots=True)
class SharedCautions:
    """The cautions of all pairs, each sentence once, and what their tests pair."""

    messages: dict[CautionPlace, str] = field(default_factory=dict)
    """The first message of each place (``pair``, ``interval``, ``tests.KEY``) and code."""
    counts: Counter[CautionPlace] = field(default_factory=Counter)
    """Number of pairs that have a caution, by place and code."""
    tests: dict[str, SharedTest] = field(default_factory=dict)
    """The target of each test and the unit that it pairs, by key."""
    coverages: dict[ExpectedCoverage, None] = field(default_factory=dict)
    """Every expected coverage of an interval as a key, once."""

    def note(self, where: str, cautions: Sequence[Caution]) -> list[CautionPlace]:
        """Count the cautions of one part of one pair; return their places."""
        if not cautions:
            return []
        messages = {CautionPlace(where=where, code=c.code): c.message for c in cautions}
        for place, message in messages.items():
            self.messages.setdefault(place, message)
        self.counts.update(messages.keys())
        return list(messages)

    def keep_particular(
        self, places: Iterable[CautionPlace], n_pairs: int
    ) -> tuple[CautionPlace, ...]:
        """Return the places of one pair's cautions that some other pair does not have."""
        return tuple(place for place in places if self.counts[place] < n_pairs)

    def list_all(self) -> tuple[SharedCaution, ...]:
        """Return every caution once."""
        return tuple(
            SharedCaution(
                where=place.where, code=place.code, message=message, pairs=self.counts[place]
            )
            for place, message in self.messages.items()
        )


@dataclass(frozen=True, slots=True)
class RecommendedIntervalBuilder:
    """Builds the recommended interval of a difference without building the others."""

    target: Target
    """The target of the interval."""
    steps: tuple[tuple[SelectedMethods[VarianceEstimator], SelectedMethods[IntervalMethod]], ...]
    """The variances and the intervals of each rank, best first."""

    @classmethod
    def prepare(
        cls,
        layout: Layout,
        choices: Choices,
        variances: SelectedMethods[VarianceEstimator],
        intervals: SelectedMethods[IntervalMethod],
    ) -> RecommendedIntervalBuilder:
        """Return the combinations of interval and variance to try, in order of rank."""
        target = DEFAULT_TARGET[layout.kind] if choices.target is None else choices.target
        ranked: dict[
            int, tuple[list[ChosenMethod[VarianceEstimator]], list[ChosenMethod[IntervalMethod]]]
        ] = {}
        of_rates = [m for m in intervals.methods if isinstance(m.method, PairedRatesInterval)]
        combinations = [
            *product((None,), of_rates),
            *product(variances.methods, intervals.methods),
        ]
        for variance, interval in combinations:
            rank = get_rank(
                interval.method.info,
                None if variance is None else variance.method.info,
                layout.kind,
                target,
                fixed_models=layout.has_fixed_models,
            )
            if rank is not None:
                on, built = ranked.setdefault(rank, ([], []))
                on.extend([] if variance is None or variance in on else [variance])
                built.extend([interval] * (interval not in built))
        steps = (
            (replace(variances, methods=tuple(on)), replace(intervals, methods=tuple(built)))
            for _, (on, built) in sorted(ranked.items(), key=lambda item: item[0])
        )
        return cls(target, tuple(steps))

    def build_best(
        self,
        difference: BlockLosses,
        choices: Choices,
        limits: tuple[float, float] | None,
        left_out: OmittedMethods,
        counts: PairedCounts | None = None,
    ) -> BuiltInterval | None:
        """Return the first interval of the order that can be built, or None."""
        for variances, intervals in self.steps:
            inference = infer(
                difference, variances, intervals, choices, limits, left_out, counts=counts
            )
            built = inference.find_recommended(self.target)
            if built is not None:
                return built
        return None


def shorten_interval(interval: Interval) -> BriefInterval:
    """Return the interval without its cautions and without what the request says."""
    expected = interval.expected_coverage
    return BriefInterval(
        method=interval.method,
        target=interval.target,
        variance=interval.variance,
        mean=interval.mean,
        estimate=interval.estimate,
        standard_error=interval.standard_error,
        lower=interval.lower,
        upper=interval.upper,
        degrees_of_freedom=interval.degrees_of_freedom,
        simultaneous_pairs=interval.simultaneous_pairs,
        details=interval.details,
        expected_coverage_share=None if expected is None else expected.coverage,
    )


def shorten_outcome(
    outcome: TestOutcome, p_value_adjusted: float | None
) -> BriefTestResult | BriefBayesianResult:
    """Return the numbers of an outcome; a Bayesian test has posterior probabilities instead."""
    posterior = outcome.posterior
    if posterior is not None:
        return BriefBayesianResult(
            p_left=posterior.p_left, p_rope=posterior.p_rope, p_right=posterior.p_right
        )
    return BriefTestResult(
        statistic=outcome.statistic,
        p_value=outcome.p_value,
        p_value_adjusted=p_value_adjusted,
        degrees_of_freedom=outcome.degrees_of_freedom,
    )
