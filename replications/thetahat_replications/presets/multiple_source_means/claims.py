"""The claims of the preset ``multiple_source_means``, judged in the settings of the figures.

CVS is cross-validation by source, CVR at random; K is the number of sources and M the number of
documents of each.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from thetahat.analyses.studies.claims import ClaimCase, Passage, judge
from thetahat.analyses.studies.result import StudyClaim
from thetahat_replications.presets.multiple_source_means.statistics import MeansStatistics

SOURCE: Final = "geras2013"
MEANS: Final = Passage(SOURCE, "section 6.1, Figure 2")
DEVIATIONS: Final = Passage(SOURCE, "section 6.1, Figure 3")
MIN_DOCUMENTS: Final = 50
"""Documents of each source from which the claims about CVR's optimism are judged. With fewer, the
smaller training sets of CVR outweigh the advantage of knowing its sources."""

OF_LARGEST_SETTINGS: Final = (
    MEANS.claim(
        "CVS yields a better estimate of the error on a new source than CVR.",
        "distance_advantage",
        "absolute bias of CVR minus that of CVS, {setting}",
        at_least=0,
    ),
)
"""Judged for the largest K and for the largest M."""

OF_MANY_DOCUMENTS: Final = (
    MEANS.claim(
        "CVR yields an optimistic estimate, though its training sets are smaller.",
        "cvr_bias",
        "mean of CVR minus the error on a new source, {setting}",
        at_most=0,
    ),
)
"""Judged for each M of ``MIN_DOCUMENTS`` or more."""

OF_EACH_NUMBER_OF_SOURCES: Final = OF_MANY_DOCUMENTS
"""Judged for each K of the left panels."""

OF_EACH_SIZE: Final = (
    MEANS.claim(
        "CVS yields a pessimistic estimate of the error on a new source.",
        "cvs_bias",
        "mean of CVS minus the error on a new source, {setting}",
        at_least=0,
    ),
)

OF_LARGEST_SIZE: Final = (
    MEANS.claim(
        "With many documents CVS comes to the error on a new source, CVR does not.",
        "cvs_bias",
        "CVS minus the error on a new source, {setting}",
        within=(-0.01, 0.01),
    ),
    MEANS.claim(
        "With many documents CVS comes to the error on a new source, CVR does not.",
        "cvr_bias",
        "CVR minus the error on a new source, {setting}",
        at_most=-0.01,
    ),
)

DEVIATIONS_OF_EACH_SIZE: Final = (
    DEVIATIONS.claim(
        "CVS has the higher variance.",
        "deviation_difference",
        "standard deviation of CVS minus that of CVR, {setting}",
        at_least=0,
    ),
)

DEVIATIONS_OF_FIRST_AND_LAST_SIZE: Final = (
    DEVIATIONS.claim(
        "The variances of CVS and CVR are of the same order of magnitude.",
        "deviation_above_sqrt_10",
        "standard deviation of CVS minus sqrt(10) times that of CVR, {setting}",
        at_most=0,
    ),
)

DEVIATIONS_OF_LARGEST_SIZE: Final = (
    DEVIATIONS.claim(
        "The variances of both tend to 0 for large data sets.",
        "cvs_deviation_above_half",
        "standard deviation of CVS, {setting}, minus half of that with M = {least_size}",
        at_most=0,
    ),
    DEVIATIONS.claim(
        "The variances of both tend to 0 for large data sets.",
        "cvr_deviation_above_half",
        "standard deviation of CVR, {setting}, minus half of that with M = {least_size}",
        at_most=0,
    ),
)


def _build_case(statistics: MeansStatistics, at: int, first: int) -> ClaimCase[str]:
    """Return one setting; ``first`` is the position of the setting with the smallest M."""
    s, settings = statistics, statistics.settings
    compute = {
        "distance_advantage": lambda: s.distance_advantage(at),
        "cvs_bias": lambda: s.bias("cvs", at),
        "cvr_bias": lambda: s.bias("cvr", at),
        "deviation_difference": lambda: s.deviation_difference(at),
        "deviation_above_sqrt_10": lambda: s.deviation_difference(at, math.sqrt(10)),
        "cvs_deviation_above_half": lambda: s.deviation_above_half("cvs", first, at),
        "cvr_deviation_above_half": lambda: s.deviation_above_half("cvr", first, at),
    }
    setting = f"K = {settings[at].n_sources}, M = {settings[at].size}"
    fields: dict[str, str | float] = {"setting": setting, "least_size": settings[first].size}
    return ClaimCase(lambda quantity: compute[quantity](), fields)


def judge_means(statistics: MeansStatistics) -> tuple[StudyClaim, ...]:
    """Judge all claims, those about means first."""
    by_k, by_m = statistics.positions("sources"), statistics.positions("size")
    many = [at for at in by_m if statistics.settings[at].size >= MIN_DOCUMENTS]

    def cases(positions: Sequence[int]) -> list[ClaimCase[str]]:
        return [_build_case(statistics, at, by_m[0]) for at in positions]

    return (
        *judge(OF_LARGEST_SETTINGS, cases([by_k[-1], by_m[-1]])),
        *judge(OF_EACH_NUMBER_OF_SOURCES, cases(by_k)),
        *judge(OF_MANY_DOCUMENTS, cases(many)),
        *judge(OF_EACH_SIZE, cases(by_m)),
        *judge(OF_LARGEST_SIZE, cases([by_m[-1]])),
        *judge(DEVIATIONS_OF_EACH_SIZE, cases(by_m)),
        *judge(DEVIATIONS_OF_FIRST_AND_LAST_SIZE, cases([by_m[0], by_m[-1]])),
        *judge(DEVIATIONS_OF_LARGEST_SIZE, cases([by_m[-1]])),
    )
