"""The correction for several pairs of models where a judge graded the rows.

The joint distribution of differences, which max_t uses, is that of the labels alone, and the weight
of the judge differs from pair to pair. Corrections that need p-values only remain valid.
"""

from __future__ import annotations

from dataclasses import replace

from thetahat.analyses.losses.choices import Choices
from thetahat.corrections import CORRECTION_WITH_ONE_MODEL, CORRECTIONS, DEFAULT_CORRECTION
from thetahat.errors import UnsupportedCombination


def choose_correction_with_judge(choices: Choices) -> Choices:
    """Return the choices with the default correction that fits grades of a judge."""
    if choices.correction is not None:
        return choices
    return replace(choices, correction=DEFAULT_CORRECTION)


def check_correction_with_judge(choices: Choices) -> None:
    """Refuse a correction by the joint distribution, and the best of many, which needs it."""
    if choices.pairs == "best":
        raise UnsupportedCombination(
            f"Comparisons with the best model need {CORRECTION_WITH_ONE_MODEL}, which does not fit "
            "the grades of a judge. Name a control, or leave pairs out.",
            loc=("pairs",),
            value=choices.pairs,
        )
    if (
        choices.correction is not None
        and CORRECTIONS[choices.correction].info.correction.uses_joint_distribution
    ):
        fits = [n for n, c in CORRECTIONS.items() if not c.info.correction.uses_joint_distribution]
        raise UnsupportedCombination(
            f"The correction {choices.correction} uses the joint distribution of differences, "
            "which is that of the labels and not of the grades of the judge. Corrections that "
            f"fit: {', '.join(fits)}.",
            loc=("correction",),
            value=choices.correction,
        )
