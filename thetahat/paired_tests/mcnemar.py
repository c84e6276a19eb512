"""McNemar's test for two models' errors on the same instances."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

from thetahat.cautions import NO_DIFFERENCE
from thetahat.distributions import (
    compute_fair_coin_mid_p_value,
    compute_fair_coin_p_value,
    compute_p_value,
)
from thetahat.errors import EvaluationError, UnsupportedCombination
from thetahat.numerics.paired_rates import is_mostly_discordant
from thetahat.paired_tests._units import dependence_cautions, reason_against_dependent_instances
from thetahat.paired_tests.base import (
    PairBatch,
    PairedLosses,
    PairedTest,
    RandomStreams,
    TestOutcome,
)
from thetahat.parameter_checks import check_choice
from thetahat.registry import MethodInfo
from thetahat.values.layout import Layout
from thetahat.values.paired_counts import count_pair, is_zero_one
from thetahat.values.types import Alternative, BlockKind, Target
from thetahat.values.words import Words

Variant = Literal["exact", "mid_p", "chi_squared", "chi_squared_corrected"]


@dataclass(frozen=True, slots=True)
class McNemar(PairedTest):
    r"""Test that each of two models is alone in its error on equally many instances.

    In the formula b counts the instances that a has right and b wrong, and c those that a has
    wrong and b right. ``chi_squared_corrected`` has :math:`\max(0, |b - c| - 1)^2` in the
    numerator. The statistic is chi squared with 1 degree of freedom, or min(b, c) for the exact
    variants (c for a one-sided test).

    Deviations: the corrected numerator stops at 0. A one-sided p-value of the chi-squared variants
    takes the signed root of the statistic as normal. ``mid_p`` with b = c is one minus half the
    probability of the table, as in fagerland2013.

    Degenerate cases: b + c = 0 gives p = 1, and for chi squared no statistic.

    Parameters
    ----------
    variant : str or None
        ``mid_p`` counts the observed table half; ``exact`` doubles the smaller binomial tail;
        ``chi_squared`` and ``chi_squared_corrected`` use the chi-squared distribution. By default
        ``mid_p``, and ``exact`` where three quarters of the instances differ or more, as the
        verdict does.
    """

    variant: Variant | None = None

    info: ClassVar[MethodInfo] = MethodInfo(
        title="McNemar's test",
        summary=(
            "Takes the instances that exactly one of two classifiers gets wrong and tests whether "
            "a fair coin would divide them between the two like that."
        ),
        formula=r"\chi^2 = (b - c)^2 / (b + c),\quad c \sim \mathrm{Binomial}(b + c, 1/2)",
        references=("dietterich1998", "fagerland2013", "mcnemar1947"),
        assumptions="Independent instances with losses of 0 or 1.",
        errs=(
            "mid_p is close to its level unless nearly all instances differ (.077 for .05 where "
            "all of 16 do), exact and chi_squared_corrected reject too rarely, and chi_squared "
            "rejects slightly too often if few instances differ. Over random folds all "
            "reject too often as tests of the learners, because instances of one fold share their "
            "models; as such a test it is for learners that can be fitted only once."
        ),
        blocks=frozenset({BlockKind.HOLDOUT, BlockKind.RANDOM}),
        targets=(Target.THESE_MODELS,),
        only_zero_one=True,
    )

    def __post_init__(self) -> None:
        if self.variant is not None:
            check_choice("variant", self.variant, get_args(Variant))

    def inapplicable(self, layout: Layout) -> str | None:
        """Return why the layout has no independent instances with one loss each, or None."""
        if reason := reason_against_dependent_instances(self.info.name, layout):
            return reason
        if not layout.has_rows:
            value = layout.words.value
            return f"mcnemar needs one {value} per instance, but there is one score per split"
        if layout.n_repeats > 1:
            return (
                f"mcnemar counts each instance once, but there are {layout.n_repeats} repeats; the "
                f"tests sign and permutation use the mean {layout.words.value} of each instance"
            )
        return None

    def test_many(
        self,
        batch: PairBatch,
        alternative: Alternative,
        streams: RandomStreams,  # noqa: ARG002 - draws no random numbers
    ) -> Sequence[TestOutcome | EvaluationError]:
        """Test every pair of the batch; the counts are sums of products of zeros and ones."""
        fits = batch.evaluation_cache.compute_once(
            "is zero one", lambda: [is_zero_one(losses.rows) for losses in batch.models]
        )
        outcomes: list[TestOutcome | EvaluationError] = []
        for pair, (i, j) in zip(batch.pairs, batch.positions.tolist(), strict=True):
            if not (fits[i] and fits[j]):
                outcomes.append(_build_refusal(batch.layout.words))
                continue
            counts = count_pair(pair.a.rows, pair.b.rows)
            b, c = round(counts.only_b), round(counts.only_a)
            many = is_mostly_discordant(b + c, counts.n)
            variant: Variant = self.variant or ("exact" if many else "mid_p")
            outcomes.append(_build_outcome(variant, b, c, alternative, pair))
        return outcomes


def _build_outcome(
    variant: Variant, b: int, c: int, alternative: Alternative, pair: PairedLosses
) -> TestOutcome:
    """Return the outcome of b differences below 0 and c above 0."""
    statistic, p_value, degrees_of_freedom = _compute_numbers(variant, b, c, alternative)
    no_difference = (NO_DIFFERENCE(unit="instance"),) if b + c == 0 else ()
    a_better, b_better = (c, b) if pair.higher_is_better else (b, c)
    return TestOutcome(
        statistic=statistic,
        p_value=p_value,
        degrees_of_freedom=degrees_of_freedom,
        target=Target.THESE_MODELS,
        unit="instance",
        cautions=(*dependence_cautions(pair.difference.layout, "instance"), *no_difference),
        details={"variant": variant, "a_better": a_better, "b_better": b_better},
    )


def _compute_numbers(
    variant: Variant, b: int, c: int, alternative: Alternative
) -> tuple[float | None, float, float | None]:
    """Return statistic, p-value and degrees of freedom."""
    if variant in ("exact", "mid_p"):
        count = min(b, c) if alternative is Alternative.TWO_SIDED else c
        if b + c == 0:
            return 0.0, 1.0, None
        compute = compute_fair_coin_mid_p_value if variant == "mid_p" else compute_fair_coin_p_value
        return float(count), compute(c, b + c, alternative), None
    if b + c == 0:
        return None, 1.0, 1.0
    distance = abs(c - b) - (1 if variant == "chi_squared_corrected" else 0)
    root = math.copysign(max(0, distance) / math.sqrt(b + c), c - b)
    return root**2, compute_p_value(root, None, alternative), 1.0


def _build_refusal(words: Words) -> UnsupportedCombination:
    return UnsupportedCombination(
        f"mcnemar needs {words.values} that are all 0 or 1. The tests sign, wilcoxon and "
        f"permutation accept any {words.values}.",
        loc=("tests",),
        value="mcnemar",
    )
