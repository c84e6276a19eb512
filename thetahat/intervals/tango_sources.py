"""Tango's score interval for the macro mean of paired error rates over sources."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from thetahat.cautions import Caution
from thetahat.intervals.base import PairedRatesInterval
from thetahat.registry import SOURCES, MethodInfo
from thetahat.traits import IntervalTraits, Recommendation
from thetahat.values.json_values import JsonValue
from thetahat.values.layout import Layout
from thetahat.values.paired_counts import PairedCounts
from thetahat.values.types import MeanKind, Target


@dataclass(frozen=True, slots=True)
class TangoSources(PairedRatesInterval):
    r"""Tango's interval on as many instances as the macro mean over the sources is worth.

    :math:`x_a` is n times the mean over K sources of the share of instances on which only a is
    wrong, :math:`x_b` that of those on which only b is, :math:`d_k` of the :math:`n_k` instances of
    source k are discordant. Two discordant instances in each direction are added over all sources
    together, so a source without any is not taken as known.

    Deviations: as those of ``tango``. With sources of equal size it is ``tango`` on all instances.

    Degenerate cases: without any difference, n is K times the size of the smallest source.
    """

    info: ClassVar[MethodInfo] = MethodInfo(
        title="Tango's score interval over sources",
        summary=(
            "An interval for the difference of two models' mean error rates over these sources, "
            "from zero-one losses on the same instances of models that were not trained on them."
        ),
        formula=(
            r"\Bigl\{\Delta : \frac{|x_a - x_b - n\Delta|}"
            r"{\sqrt{n (2 q_\Delta + \Delta (1 - \Delta))}} \le z_{1-\alpha/2}\Bigr\}, \quad "
            r"n = \frac{K \sum_k \psi_k}{\sum_k \psi_k / n_k}, \quad "
            r"\psi_k = \frac{d_k + 4/K}{n_k + 4/K}"
        ),
        references=("tango1998",),
        assumptions=(
            "Source blocks of independent instances, each with losses of 0 or 1, and models that "
            "were not trained on any of them; the target is these sources and no others."
        ),
        errs=(
            "Close to its level with sources of equal size. With sources of very unequal size it "
            "is too long where few instances differ; a margin was wrongly shown in at most .07 in "
            "place of .05, with sources of two or three rows of which half differ."
        ),
        blocks=SOURCES,
        targets=(Target.THESE_SOURCES,),
        mean=MeanKind.MACRO,
        recommended=(
            Recommendation(blocks=SOURCES, target=Target.THESE_SOURCES, own=6, fixed_models=True),
        ),
        only_zero_one=True,
        interval=IntervalTraits(only_for_pairs=True),
    )
    cautions: ClassVar[tuple[Caution, ...]] = ()

    def inapplicable(self, layout: Layout) -> str | None:
        """Return why the layout has no sources that are independent of the models, or None."""
        if reason := PairedRatesInterval.inapplicable(self, layout):
            return reason
        if not layout.has_fixed_models:
            return f"{self.info.name} is for models that were not trained on any of these instances"
        if layout.n_repeats > 1:
            return f"{self.info.name} is for one partition, and there are {layout.n_repeats}"
        return None

    def describe(self, counts: PairedCounts) -> Mapping[str, JsonValue]:
        """Return the macro shares, and how many instances of one test set they are worth."""
        return {
            "share_only_a": counts.only_a / counts.n,
            "share_only_b": counts.only_b / counts.n,
            "n": counts.n_instances,
            "worth_instances": counts.n,
        }
