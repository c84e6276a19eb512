"""What comparisons have only if the request asks for it: ratios, wins, numbers needed."""

from __future__ import annotations

from dataclasses import replace

from thetahat.analyses.losses.choices import Choices
from thetahat.analyses.losses.comparisons import Methods, select_for_differences
from thetahat.analyses.losses.not_applicable import OmittedMethods
from thetahat.analyses.losses.numbers_needed import compute_number_needed
from thetahat.analyses.losses.pair_family import PairFamily
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


def add_to_comparisons(
    comparisons: tuple[Comparison, ...],
    table: LossTable,
    choices: Choices,
    family: PairFamily,
    methods: Methods,
) -> tuple[Comparison, ...]:
    """Return the comparisons with what the request asks for.

    A ratio rests on the variance of the pair's interval. Where the interval rests on none, as that
    of paired rates, it rests on the variance that is recommended first.
    """
    intervals = select_for_differences(methods.intervals)
    on_variances = tuple(
        entry for entry in intervals.methods if not isinstance(entry.method, PairedRatesInterval)
    )
    target = choices.get_target(table.layout.kind)
    fallback = RecommendedIntervalBuilder.prepare(
        table.layout, target, methods.variances, intervals._replace(methods=on_variances)
    )
    estimators = {entry.key: entry.method for entry in methods.variances.methods}

    def find_variance(
        comparison: Comparison, difference: BlockLosses
    ) -> tuple[str, VarianceEstimator, VarianceEstimate] | None:
        key = None if comparison.interval is None else comparison.interval.variance
        if key not in estimators:
            built = fallback.build_best(difference, choices, None, OmittedMethods())
            key = None if built is None else built.interval.variance
        if key is None or key not in estimators:
            return None
        estimate = estimators[key].estimate(difference)
        return (key, estimators[key], estimate) if estimate.usable else None

    alpha, level = family.pair_alpha, choices.level
    added = []
    for comparison in comparisons:
        names = comparison.a, comparison.b
        a, b = (table.models[name] for name in names)
        losses = PairedLosses(a, b, a.minus(b), table.higher_is_better)
        relative, wins, needed = None, None, None
        if choices.includes(ResultPart.RELATIVE):
            variance = find_variance(comparison, losses.difference)
            relative = compute_relative_difference(
                losses,
                names,
                variance,
                alpha=alpha,
                level=level,
                simultaneous_pairs=family.simultaneous_pairs,
            )
        if choices.includes(ResultPart.WINS) and table.has_item_values:
            wins = compute_win_rate(losses, names, family, level)
        if choices.includes(ResultPart.NUMBER_NEEDED):
            interval = comparison.interval
            is_two_sided = choices.alternative is Alternative.TWO_SIDED
            difference = comparison.difference if interval is None else interval.estimate
            ends = (None, None) if interval is None else (interval.lower, interval.upper)
            known = level if interval is not None and is_two_sided else None
            needed = compute_number_needed(losses, names, difference, ends, known)
        added.append(replace(comparison, relative=relative, wins=wins, number_needed=needed))
    return tuple(added)
