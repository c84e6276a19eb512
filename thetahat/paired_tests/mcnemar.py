"""McNemar's test for two models' errors on the same instances."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

import numpy as np

from thetahat.cautions import NO_DIFFERENCE, Caution
from thetahat.distributions import binomial_cdf, fair_coin_p_value, p_value_of
from thetahat.errors import EvaluationError, UnsupportedCombination
from thetahat.paired_tests._choices import check_choice
from thetahat.paired_tests._units import fitted_models_only, subsamples_refusal
from thetahat.paired_tests.base import PairBatch, PairedLosses, TestOutcome
from thetahat.registry import MethodInfo
from thetahat.values.block_losses import BlockLosses
from thetahat.values.layout import Layout
from thetahat.values.types import Alternative, BlockKind, Target

Variant = Literal["exact", "mid_p", "chi_squared", "chi_squared_corrected"]


@dataclass(frozen=True, slots=True)
class McNemar:
    r"""Test that each model is alone in its error on as many instances as the other.

    .. math::

        \chi^2 = \frac{(b - c)^2}{b + c}, \qquad
        \chi^2_c = \frac{\max(0, |b - c| - 1)^2}{b + c}, \qquad
        c \sim \mathrm{Binomial}(b + c, 1/2)

    with b the instances that a has right and b wrong, and c those that a has wrong and b right.
    ``exact`` doubles the smaller binomial tail; ``mid_p`` counts the observed table half.
    Statistic: chi squared with 1 degree of freedom, or min(b, c) for the exact variants (c for a
    one-sided test).

    Assumes independent instances with losses of 0 or 1. On random folds it compares the fitted
    models, and is liberal as a test of the learners: for that dietterich1998 advises it only
    where a learner can be fitted but once.

    Source: mcnemar1947; fagerland2013 for ``mid_p`` and how the variants hold their size.

    Deviations: the corrected numerator stops at 0; a one-sided p-value of the chi-squared
    variants takes the signed root of the statistic as normal; ``mid_p`` with b = c is one minus
    half the probability of the table, as in its source.

    Degenerate cases: b + c = 0 gives p = 1, and for chi squared no statistic.

    Parameters
    ----------
    variant : str
        ``exact`` (conservative), ``mid_p``, ``chi_squared`` or ``chi_squared_corrected``.
    """

    variant: Variant = "exact"

    info: ClassVar[MethodInfo] = MethodInfo(
        name="mcnemar",
        title="McNemar's test",
        summary=(
            "Compares the instances that only one of two classifiers gets wrong: whether a fair "
            "coin would share them out like that."
        ),
        formula=r"\chi^2 = (b - c)^2 / (b + c),\quad c \sim \mathrm{Binomial}(b + c, 1/2)",
        references=("dietterich1998", "fagerland2013", "mcnemar1947"),
        assumptions="Independent instances with losses of 0 or 1.",
        errs=(
            "exact and chi_squared_corrected are conservative, mid_p close to its size, "
            "chi_squared slightly liberal with few discordant instances. Over random folds all "
            "are liberal as tests of the learners: instances of one fold share their models."
        ),
        blocks=frozenset({BlockKind.HOLDOUT, BlockKind.RANDOM}),
        targets=(Target.THESE_MODELS,),
        only_zero_one=True,
    )

    def __post_init__(self) -> None:
        check_choice("variant", self.variant, get_args(Variant))

    def inapplicable(self, layout: Layout) -> str | None:
        """Refuse sources, clusters, several repeats and split scores."""
        if layout.kind is BlockKind.SOURCE:
            return "mcnemar takes instances as independent, and those of one source resemble others"
        if reason := subsamples_refusal(self.info.name, layout):
            return reason
        if not layout.has_rows:
            return "mcnemar needs one loss per instance, and only one score per split is given"
        if layout.cluster is not None:
            return "mcnemar takes instances as independent, and these are in clusters"
        if layout.n_repeats > 1:
            return (
                "mcnemar counts each instance once, and there are "
                f"{layout.n_repeats} repeats; sign and permutation take their means"
            )
        return None

    def test(
        self,
        pair: PairedLosses,
        alternative: Alternative,
        rng: np.random.Generator,  # noqa: ARG002 - nothing is drawn
    ) -> TestOutcome:
        """Test that both discordant cells are equally likely; losses other than 0 or 1 raise."""
        if not (_is_zero_one(pair.a) and _is_zero_one(pair.b)):
            raise _refusal()
        difference = pair.difference.rows
        b, c = int((difference < 0).sum()), int((difference > 0).sum())
        return self._told(b, c, alternative, pair.difference.layout)

    def test_many(
        self,
        batch: PairBatch,
        alternative: Alternative,
        rng: np.random.Generator,  # noqa: ARG002 - nothing is drawn
    ) -> Sequence[TestOutcome | EvaluationError]:
        """Test every pair of a batch; counts are sums of products of zeros and ones."""
        layout, models = batch.models[0].layout, batch.models
        fits = batch.shared.get("zero one")
        if fits is None:
            fits = batch.shared["zero one"] = [_is_zero_one(losses) for losses in models]
        outcomes: list[TestOutcome | EvaluationError] = []
        for pair, (i, j) in zip(batch.pairs, batch.positions.tolist(), strict=True):
            if not (fits[i] and fits[j]):
                outcomes.append(_refusal())
                continue
            a, b = pair.a.rows, pair.b.rows
            both = float(a @ b)
            b_alone, a_alone = round(float(b.sum()) - both), round(float(a.sum()) - both)
            outcomes.append(self._told(b_alone, a_alone, alternative, layout))
        return outcomes

    def _told(self, b: int, c: int, alternative: Alternative, layout: Layout) -> TestOutcome:
        statistic, p_value, degrees = self._outcome(b, c, alternative)
        return TestOutcome(
            statistic=statistic,
            p_value=p_value,
            degrees_of_freedom=degrees,
            target=Target.THESE_MODELS,
            unit="instance",
            cautions=_cautions(layout, b + c),
            details={"variant": self.variant, "a_better": b, "b_better": c},
        )

    def _outcome(
        self, b: int, c: int, alternative: Alternative
    ) -> tuple[float | None, float, float | None]:
        """Return statistic, p-value and degrees of freedom."""
        if self.variant in ("exact", "mid_p"):
            count = min(b, c) if alternative is Alternative.TWO_SIDED else c
            if b + c == 0:
                return 0.0, 1.0, None
            of = _mid_p if self.variant == "mid_p" else fair_coin_p_value
            return float(count), of(c, b + c, alternative), None
        if b + c == 0:
            return None, 1.0, 1.0
        distance = abs(c - b) - (1 if self.variant == "chi_squared_corrected" else 0)
        root = math.copysign(max(0, distance) / math.sqrt(b + c), c - b)
        return root**2, p_value_of(root, None, alternative), 1.0


def _is_zero_one(losses: BlockLosses) -> bool:
    rows = losses.rows
    return bool(np.all((rows == 0) | (rows == 1)))


def _refusal() -> UnsupportedCombination:
    return UnsupportedCombination(
        "mcnemar needs losses that are all 0 or 1; sign, wilcoxon and permutation take any",
        loc=("tests",),
        value="mcnemar",
    )


def _mid_p(c: float, n: float, alternative: Alternative) -> float:
    """Tail with half of the observed point, from two whole tails: nothing cancels."""
    if alternative is Alternative.TWO_SIDED:
        k = min(c, n - c)
        above, below = binomial_cdf(k, n, 0.5), binomial_cdf(k - 1, n, 0.5)
        return 1 - (above - below) / 2 if 2 * k == n else above + below
    k = c if alternative is Alternative.LESS else n - c
    return (binomial_cdf(k, n, 0.5) + binomial_cdf(k - 1, n, 0.5)) / 2


def _cautions(layout: Layout, n_discordant: int) -> tuple[Caution, ...]:
    cautions: list[Caution] = []
    if layout.kind is BlockKind.RANDOM:
        cautions.append(fitted_models_only())
    if n_discordant == 0:
        cautions.append(NO_DIFFERENCE(unit="instance"))
    return tuple(cautions)


METHOD = McNemar
