"""Sentences of a source, and whether a study's figures bear them out."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final, Literal

from thetahat.analyses.studies.tables import MonteCarloNumber
from thetahat.values.json_values import plain

Z: Final = 3.0
"""How many standard errors decide; a true claim at its very limit fails once in 741."""

Verdict = Literal["holds", "fails", "undecided"]


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyClaim:
    """A claim, which is that a figure lies between two bounds.

    Parameters
    ----------
    text : str
        The claim in the source's sense.
    reference : str
        Key of ``thetahat.references.REFERENCES``.
    place : str
        Where it stands there: ``Figure 2``, ``section 4.1``.
    measured : str
        What the figure is: ``mean of theta_B minus the variance of mu-hat, K = 10``.
    figure : Number
        The number that decides, with its standard error; of a number in closed form, 0.
    at_least, at_most : float or None
        The bounds; None is open.
    """

    text: str
    reference: str
    place: str
    measured: str
    figure: MonteCarloNumber
    at_least: float | None = None
    at_most: float | None = None

    @property
    def verdict(self) -> Verdict:
        """``holds``, ``fails`` or ``undecided``."""
        return decide(self.figure, at_least=self.at_least, at_most=self.at_most)

    def as_data(self) -> dict[str, Any]:
        """Return it as the wire has it."""
        return {
            "text": self.text,
            "reference": self.reference,
            "place": self.place,
            "verdict": self.verdict,
            "measured": self.measured,
            "figure": plain(self.figure.value),
            "standard_error": plain(self.figure.standard_error),
            "at_least": plain(self.at_least),
            "at_most": plain(self.at_most),
        }


def decide(
    figure: MonteCarloNumber, *, at_least: float | None = None, at_most: float | None = None
) -> Verdict:
    """Say whether a figure lies between two bounds: the one rule for every claim.

    It holds where the figure is inside by ``Z`` standard errors at least, fails where it is
    outside by more than that, and is undecided between, or where there is no figure. A figure
    without error that is a bound itself is inside.
    """
    if figure.value is None or figure.standard_error is None:
        return "undecided"
    inside = min(
        math.inf if at_least is None else figure.value - at_least,
        math.inf if at_most is None else at_most - figure.value,
    )
    room = Z * figure.standard_error
    if not (math.isfinite(figure.value) and math.isfinite(room)):
        return "undecided"
    if inside >= room:
        return "holds"
    return "fails" if inside < -room else "undecided"
