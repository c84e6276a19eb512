"""The claims of the text on importance weighting about selection."""

from __future__ import annotations

from typing import Final

from replications.importance.claim import claim
from replications.importance.final_risks import FinalRisks, Which, over
from thetahat.analyses.studies.claims import StudyClaim
from thetahat.analyses.studies.monte_carlo import subtract
from thetahat.analyses.studies.tables import MonteCarloNumber

SMALL: Final = 0.01
"""What counts as nearly no difference: a hundredth of the mean risk."""
NAMES: Final[dict[Which, str]] = {"all": "all data sets", "top": "the tenth"}
REPETITIONS: Final = 100_000
"""Of the text; p-values fall with them, so fewer do not decide against one."""


def of_figure_6(told: FinalRisks) -> list[StudyClaim]:
    """Judge section 5.3 on the synthetic setting."""
    place, found = "section 5.3, Figure 6", []
    for at, gamma in enumerate(told.gammas):
        found += [
            claim(
                "On all data sets there is nearly no difference between the two risks.",
                place,
                "mean final risk by the weighted less that by the controlled risk, over the mean, "
                f"gamma = {gamma:g}",
                told.relative_gain(at, "all"),
                -SMALL,
                SMALL,
            ),
            *_of_tenth(told, at, place),
        ]
    return [*found, *_of_errors(told, place), _of_test(told, "top", -30, place)]


def of_figure_7(told: FinalRisks) -> list[StudyClaim]:
    """Judge section 5.3 on the ozone data."""
    place, found = "section 5.3, Figure 7", []
    for at, gamma in enumerate(told.gammas):
        found += [
            claim(
                "The controlled risk gives the same final risks on all data sets and on the tenth.",
                place,
                "mean of the tenth less that of the others, over the others', by the controlled "
                f"risk, gamma = {gamma:g}",
                told.worse("controlled", at),
                -SMALL,
                SMALL,
            ),
            claim(
                "The weighted risk deteriorates on the data sets with large weight variance.",
                place,
                "mean of the tenth less that of the others, over the others', by the weighted "
                f"risk, gamma = {gamma:g}",
                told.worse("weighted", at),
                0.0,
            ),
            *(
                claim(
                    "The final risks by the controlled risk are below those by the weighted one.",
                    place,
                    f"mean of weighted less controlled, {name}, gamma = {gamma:g}",
                    told.gain(at, which),
                    0.0,
                )
                for which, name in NAMES.items()
            ),
        ]
    if len(told.gammas) > 1:
        found += [_of_rise(told, risk, place) for risk in ("weighted", "controlled", "target")]
    return [*found, *(_of_test(told, which, -50, place) for which in NAMES)]


def of_figure_8(told: FinalRisks) -> list[StudyClaim]:
    """Judge section 5.4."""
    place, found = "section 5.4, Figure 8", []
    for at, gamma in enumerate(told.gammas):
        found += [
            claim(
                "The control variate gives better final risks also over all data sets.",
                place,
                f"mean of weighted less controlled, {told.name}, gamma = {gamma:g}",
                told.gain(at, "all"),
                0.0,
            ),
            *_of_tenth(told, at, place),
        ]
    return found


def _of_tenth(told: FinalRisks, at: int, place: str) -> list[StudyClaim]:
    measured = f"over the others', {told.name}, gamma = {told.gammas[at]:g}"
    return [
        claim(
            "On the tenth with the largest weight variance the weighted risk deteriorates "
            "strongly.",
            place,
            f"mean of the tenth less that of the others, by the weighted risk, {measured}",
            told.worse("weighted", at),
            SMALL,
        ),
        claim(
            "On the tenth with the largest weight variance the controlled risk does not "
            "deteriorate strongly.",
            place,
            f"mean of the tenth less that of the others, by the controlled risk, {measured}",
            told.worse("controlled", at),
            None,
            SMALL,
        ),
        claim(
            "On the tenth with the largest weight variance the controlled risk selects better.",
            place,
            f"mean of weighted less controlled in the tenth, {told.name}, "
            f"gamma = {told.gammas[at]:g}",
            told.gain(at, "top"),
            0.0,
        ),
    ]


def _of_errors(told: FinalRisks, place: str) -> list[StudyClaim]:
    """Judge whether error bars are too small to see: below a hundredth of their mean."""
    largest = 0.0
    for at in range(len(told.gammas)):
        mean = told.mean("weighted", at, "top")
        if not mean.value or mean.standard_error is None:
            return []
        largest = max(largest, mean.standard_error / mean.value)
    return [
        claim(
            "The error bars are too small to see.",
            place,
            f"largest standard error over its mean, weighted risk in the tenth, {told.name}",
            MonteCarloNumber(largest, 0.0),
            None,
            SMALL,
        )
    ]


def _of_rise(told: FinalRisks, risk: str, place: str) -> StudyClaim:
    first, last = (told.mean(risk, at, "all") for at in (0, len(told.gammas) - 1))
    rise = over(subtract(last, first), first.value)
    return claim(
        "All risks increase slightly as gamma grows.",
        place,
        f"mean final risk, {risk}, with gamma = {told.gammas[-1]:g} less that with "
        f"{told.gammas[0]:g}, over it",
        rise,
        0.0,
    )


def _of_test(told: FinalRisks, which: Which, exponent: int, place: str) -> StudyClaim:
    found = [told.log_p(at, which) for at in range(len(told.gammas))]
    known = [one.value for one in found if one.value is not None]
    n = len(told.records[f"{told.name}_weighted"])
    largest = MonteCarloNumber(None)
    if len(known) == len(found):
        decides = n >= REPETITIONS or max(known) <= exponent
        largest = MonteCarloNumber(max(known), 0.0 if decides else None)
    return claim(
        f"The differences are significant for each gamma, with a largest p-value near "
        f"1e{exponent}.",
        place,
        f"largest log10 p of Wilcoxon's test over gamma, {NAMES[which]}, {told.name}, with "
        f"{n} repetitions",
        largest,
        None,
        exponent,
    )
