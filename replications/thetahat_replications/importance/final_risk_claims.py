"""Claims about final target risks that several presets share, and the cases they are judged in."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Final

from thetahat.analyses.studies.claims import ClaimCase, ClaimRow, Passage, judge, pick_least_certain
from thetahat.analyses.studies.result import StudyClaim
from thetahat.values.monte_carlo_number import MonteCarloNumber
from thetahat_replications.importance.final_risks import FinalRisks, Subset

SOURCE: Final = "kouw2019"
SMALL_INCREASE: Final = 0.01
"""Relative differences up to a hundredth of the mean risk are called nearly none. The paper gives
no size; the sentences of the claims name this one."""
PAPER_REPETITIONS: Final = 100_000
"""Repetitions of the paper. A p-value falls with them, so with fewer a claim about the paper's
p-values may hold but cannot fail."""
ABOUT_30: Final = -25
"""The largest logarithm of a p-value that counts as being of the order of 1e-30."""


def build_claim_about_all(passage: Passage) -> ClaimRow[str]:
    """Return the claim about all data sets of Figure 6, which is judged for each gamma."""
    return passage.claim(
        "On all data sets there is nearly no difference between the two risks: a "
        "hundredth of their mean at most.",
        "relative_gain_all",
        "mean final risk by the weighted minus that by the controlled risk, over the "
        "mean, gamma = {gamma:g}",
        within=(-SMALL_INCREASE, SMALL_INCREASE),
    )


def build_claim_about_p(passage: Passage, quantity: str, tenth: str) -> ClaimRow[str]:
    """Return the claim about the p-values of Figure 6, over all gammas."""
    return passage.claim(
        "The differences are significant for each gamma, with a largest p-value near "
        "1e-30 (1e-25 at most).",
        quantity,
        f"largest log10 p of Wilcoxon's test over gamma, {tenth}, with {{repetitions}} repetitions",
        at_most=ABOUT_30,
        fewest_repetitions=PAPER_REPETITIONS,
        can_hold_early=True,
    )


def list_claims_about_tenth(passage: Passage) -> tuple[ClaimRow[str], ...]:
    """Return the claims about the tenth of the data sets with the largest weight variance.

    They are judged for each gamma.
    """
    return (
        passage.claim(
            "On the tenth with the largest weight variance the weighted risk deteriorates.",
            "deterioration_weighted",
            "mean of the tenth minus that of the others, by the weighted risk, over the "
            "others', {weights}, gamma = {gamma:g}",
            at_least=0.0,
        ),
        passage.claim(
            "On the tenth with the largest weight variance the weighted risk deteriorates "
            "strongly and the controlled one does not: less than half as much.",
            "strong_deterioration",
            "mean of the tenth minus that of the others, over the others', {weights}, "
            "gamma = {gamma:g}: of two numbers the one that is fewer standard errors above 0, that "
            "by the weighted risk, and half of that minus that by the controlled risk",
            at_least=0.0,
        ),
        passage.claim(
            "On the tenth with the largest weight variance the controlled risk selects better.",
            "gain_top",
            "mean of weighted minus controlled in the tenth, {weights}, gamma = {gamma:g}",
            at_least=0.0,
        ),
    )


def compute_for_gamma(risks: FinalRisks, at: int, quantity: str) -> MonteCarloNumber:
    """Return ``deterioration_<risk>``, ``gain_<subset>`` or ``relative_gain_<subset>``.

    ``strong_deterioration`` is above 0 if the mean by the weighted risk rises in the tenth and
    that by the controlled risk rises by less than half as much. The second alone would be true
    where both fall.
    """
    if quantity == "strong_deterioration":
        weighted = risks.deterioration("weighted", at)
        return pick_least_certain([weighted, risks.excess_deterioration(at, share=0.5)])
    name, _, of = quantity.rpartition("_")
    if name == "deterioration":
        return risks.deterioration(of, at)
    subset: Subset = "top" if of == "top" else "all"
    return (risks.gain if name == "gain" else risks.relative_gain)(at, subset)


def compute_for_all_gammas(risks: FinalRisks, quantity: str) -> MonteCarloNumber | None:
    """Return ``largest_relative_error``, ``rise_<risk>`` or ``largest_log_p_<subset>``.

    ``mean_deterioration_<risk>`` is over all gammas, and ``largest_log_p_of_last`` tests every
    gamma on the tenth of the last one.
    """
    if quantity == "largest_relative_error":
        return risks.largest_relative_error()
    if quantity == "largest_log_p_of_last":
        return risks.largest_log_p("top", tenth_at=len(risks.gammas) - 1)
    name, _, of = quantity.rpartition("_")
    if name == "mean_deterioration":
        return risks.mean_deterioration(of)
    if name == "rise":
        return risks.rise(of) if len(risks.gammas) > 1 else None
    return risks.largest_log_p("top" if of == "top" else "all")


@dataclass(frozen=True, slots=True)
class PanelClaims:
    """The claims about one panel of a figure, which has one estimator of the weights."""

    of_each_gamma: tuple[ClaimRow[str], ...]
    of_all_gammas: tuple[ClaimRow[str], ...] = ()

    def judge(self, risks: FinalRisks) -> tuple[StudyClaim, ...]:
        """Judge the claims about each gamma, then those about all gammas together."""
        weights = risks.weights
        cases = [
            ClaimCase(partial(compute_for_gamma, risks, at), {"gamma": gamma, "weights": weights})
            for at, gamma in enumerate(risks.gammas)
        ]
        of_all: dict[str, str | float] = {
            "first_gamma": risks.gammas[0],
            "last_gamma": risks.gammas[-1],
            "weights": weights,
            "repetitions": risks.n_repetitions,
        }
        together = ClaimCase(partial(compute_for_all_gammas, risks), of_all)
        return (*judge(self.of_each_gamma, cases), *judge(self.of_all_gammas, [together]))
