"""The recommended interval of a difference, built without all the others."""

from __future__ import annotations

from itertools import product
from typing import NamedTuple, TypeAlias

from thetahat.analyses.losses.choices import Choices, ChosenMethod
from thetahat.analyses.losses.inference import infer
from thetahat.analyses.losses.method_selection import SelectedMethods
from thetahat.analyses.losses.not_applicable import OmittedMethods
from thetahat.analyses.losses.recommendation import BuiltInterval, get_rank
from thetahat.intervals.base import IntervalMethod, PairedRatesInterval
from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import Layout
from thetahat.values.paired_counts import PairedCounts
from thetahat.values.types import Target
from thetahat.variances.base import VarianceEstimator

RankedMethods: TypeAlias = (
    "tuple[SelectedMethods[VarianceEstimator], SelectedMethods[IntervalMethod]]"
)
"""The variances and the intervals of one rank."""


class RecommendedIntervalBuilder(NamedTuple):
    """Builds the recommended interval of a difference for a target."""

    target: Target
    """The target of the interval."""
    steps: tuple[RankedMethods, ...]
    """The variances and the intervals of each rank, best first."""

    @classmethod
    def prepare(
        cls,
        layout: Layout,
        target: Target,
        variances: SelectedMethods[VarianceEstimator],
        intervals: SelectedMethods[IntervalMethod],
    ) -> RecommendedIntervalBuilder:
        """Return the combinations of interval and variance to try, in order of rank."""
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
            (variances._replace(methods=tuple(on)), intervals._replace(methods=tuple(built)))
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
        """Return the first interval of the order that can be built.

        None where no rule lists an interval, or none of those can be built: which interval is
        recommended then depends on all others.
        """
        for variances, intervals in self.steps:
            inference = infer(
                difference, variances, intervals, choices, limits, left_out, counts=counts
            )
            built = inference.find_recommended(self.target)
            if built is not None:
                return built
        return None
