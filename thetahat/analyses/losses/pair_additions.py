"""What comparisons have only if the request asks for it: ratios, wins, numbers needed."""

from __future__ import annotations

from dataclasses import dataclass, replace

from thetahat.analyses.losses.choices import Choices
from thetahat.analyses.losses.comparisons import Methods, select_for_differences
from thetahat.analyses.losses.not_applicable import OmittedMethods
from thetahat.analyses.losses.numbers_needed import compute_number_needed
from thetahat.analyses.losses.pair_family import PairFamily
from thetahat.analyses.losses.recommendation import DEFAULT_TARGET
from thetahat.analyses.losses.recommended_intervals import RecommendedIntervalBuilder
from thetahat.analyses.losses.relative_differences import compute_relative_difference
from thetahat.analyses.losses.result import Comparison
from thetahat.analyses.losses.result_parts import ResultPart
from thetahat.analyses.losses.win_rates import compute_win_rate
from thetahat.intervals.base import PairedRatesInterval
from thetahat.paired_tests.base import PairedLosses
from thetahat.values.block_losses import BlockLosses, LossTable
from thetahat.values.types import Alternative
from thetahat.variances.base import VarianceEstimate, VarianceEstimator


@dataclass(frozen=True, slots=True, eq=False)
class PairAdditions:
    """Computes what a request asks for of its pairs.

    Parameters
    ----------
    table : LossTable
        The losses of all models.
    choices : Choices
        What is asked for.
    family : PairFamily
        How the intervals of the pairs are corrected.
    methods : Methods
        The methods of the evaluation.
    fallback : RecommendedIntervalBuilder
        Builds the interval on a variance where the recommended one rests on none.
    """

    table: LossTable
    choices: Choices
    family: PairFamily
    methods: Methods
    fallback: RecommendedIntervalBuilder

    @classmethod
    def prepare(
        cls, table: LossTable, choices: Choices, family: PairFamily, methods: Methods
    ) -> PairAdditions:
        """Return the additions to the comparisons of a table."""
        intervals = select_for_differences(methods.intervals)
        on_variances = tuple(
            entry
            for entry in intervals.methods
            if not isinstance(entry.method, PairedRatesInterval)
        )
        target = DEFAULT_TARGET[table.layout.kind] if choices.target is None else choices.target
        fallback = RecommendedIntervalBuilder.prepare(
            table.layout, target, methods.variances, replace(intervals, methods=on_variances)
        )
        return cls(table, choices, family, methods, fallback)

    def add_to(self, comparison: Comparison) -> Comparison:
        """Return the comparison with what the request asks for."""
        choices, names = self.choices, (comparison.a, comparison.b)
        a, b = self.table.models[comparison.a], self.table.models[comparison.b]
        losses = PairedLosses(a, b, a.minus(b), self.table.higher_is_better)
        alpha, n_pairs = self.family.pair_alpha, self.family.n_pairs
        simultaneous = None if alpha == self.family.alpha else n_pairs
        relative, wins, needed = None, None, None
        if choices.includes(ResultPart.RELATIVE):
            variance = self._find_variance(comparison, losses.difference)
            relative = compute_relative_difference(
                losses,
                names,
                variance,
                alpha=alpha,
                level=choices.level,
                simultaneous_pairs=simultaneous,
            )
        if choices.includes(ResultPart.WINS) and self.table.has_item_values:
            wins = compute_win_rate(
                losses, names, alpha=alpha, level=choices.level, simultaneous_pairs=simultaneous
            )
        if choices.includes(ResultPart.NUMBER_NEEDED):
            interval = comparison.interval
            is_two_sided = choices.alternative is Alternative.TWO_SIDED
            difference = comparison.difference if interval is None else interval.estimate
            ends = (None, None) if interval is None else (interval.lower, interval.upper)
            known = choices.level if interval is not None and is_two_sided else None
            needed = compute_number_needed(losses, names, difference, ends, known)
        return replace(comparison, relative=relative, wins=wins, number_needed=needed)

    def _find_variance(
        self, comparison: Comparison, difference: BlockLosses
    ) -> tuple[str, VarianceEstimator, VarianceEstimate] | None:
        """Return the variance of the pair's interval, or the one that ranks first."""
        methods = {entry.key: entry.method for entry in self.methods.variances.methods}
        key = None if comparison.interval is None else comparison.interval.variance
        if key not in methods:
            built = self.fallback.build_best(difference, self.choices, None, OmittedMethods())
            key = None if built is None else built.interval.variance
        if key is None or key not in methods:
            return None
        estimate = methods[key].estimate(difference)
        return (key, methods[key], estimate) if estimate.usable else None


def add_to_comparisons(
    comparisons: tuple[Comparison, ...],
    table: LossTable,
    choices: Choices,
    family: PairFamily,
    methods: Methods,
) -> tuple[Comparison, ...]:
    """Return the comparisons with what the request asks for."""
    additions = PairAdditions.prepare(table, choices, family, methods)
    return tuple(additions.add_to(one) for one in comparisons)
