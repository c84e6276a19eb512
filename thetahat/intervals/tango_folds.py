"""Tango's score interval for two paired error rates over random folds, where few differ."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

from thetahat.cautions import Caution
from thetahat.intervals.base import PairedRatesInterval
from thetahat.registry import FOLDS, MethodInfo
from thetahat.traits import IntervalTraits, Recommendation
from thetahat.values.layout import Layout
from thetahat.values.types import MeanKind, Target

FEWEST_DISCORDANT: Final = 5
"""Discordant instances from which an interval on the variance over instances is used."""
FEWEST_FOR_MARGINS: Final = 16
"""Discordant instances from which that also shows a margin alone; with fewer the larger p-value of
it and of Tango's counts does. If one model alone errs, a margin of the true difference is then
wrongly shown in at most .05 of the samples of 40 to 5000 rows at a level of .05 (binomial errors;
shown from one error on). With 10 it would be .060, and by the variance alone from five on .081."""


@dataclass(frozen=True, slots=True)
class TangoFolds(PairedRatesInterval):
    r"""Tango's interval on fewer instances, as ``instances_with_allowance`` has it.

    All counts are those of ``tango_sources``, with folds as sources, over 1 + 0.6 N / (N - 1).

    Deviations: as those of ``tango``; the source has no training sets in common.

    Degenerate cases: none without any difference, with ``FEWEST_DISCORDANT`` discordant instances
    or more, and where the folds differ by far more than their losses explain.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Tango's score interval over folds",
        summary=(
            "An interval for the difference of two learners' error rates, from zero-one losses of "
            "one partition into random folds of which few differ between the models. It takes "
            "N instances as N / 1.6, which allows for the training sets in common."
        ),
        formula=(
            r"\Bigl\{\Delta : \frac{|x_a - x_b - n\Delta|}"
            r"{\sqrt{n (2 q_\Delta + \Delta (1 - \Delta))}} \le z_{1-\alpha/2}\Bigr\}, \quad "
            r"n = \frac{N}{1 + 0.6 N / (N - 1)}"
        ),
        references=("nadeau2003", "tango1998"),
        assumptions=(
            "One partition into random folds, each model trained on all other folds, losses of 0 "
            "or 1, and losses of which any two correlate by 0.6/N, as instances_with_allowance has "
            "it."
        ),
        errs=(
            "Too long where the training sets matter little. A margin is wrongly shown less often "
            "than in one sample of twenty."
        ),
        blocks=FOLDS,
        targets=(Target.THESE_SOURCES,),
        mean=MeanKind.MACRO,
        recommended=(
            Recommendation(blocks=FOLDS, target=Target.THESE_SOURCES, own=6, fixed_models=False),
        ),
        only_zero_one=True,
        interval=IntervalTraits(only_for_pairs=True),
    )
    cautions: ClassVar[tuple[Caution, ...]] = ()
    only_for: ClassVar[str] = (
        f"it is for 0/1 values that differ on 1 to {FEWEST_DISCORDANT - 1} instances, of folds "
        "that are alike"
    )

    def inapplicable(self, layout: Layout) -> str | None:
        """Return why the layout has no single partition of independent instances, or None."""
        if reason := PairedRatesInterval.inapplicable(self, layout):
            return reason
        if layout.n_repeats > 1:
            return f"{self.info.name} is for one partition, and there are {layout.n_repeats}"
        if layout.has_fixed_models or not layout.trains_on_other_folds:
            return f"{self.info.name} needs models that were each trained on all other folds"
        return None
