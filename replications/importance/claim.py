"""A claim of the text on importance weighting."""

from __future__ import annotations

from thetahat.analyses.studies.claims import StudyClaim
from thetahat.analyses.studies.tables import MonteCarloNumber


def claim(  # noqa: PLR0913 - what a claim says
    text: str,
    place: str,
    measured: str,
    figure: MonteCarloNumber,
    at_least: float | None = None,
    at_most: float | None = None,
) -> StudyClaim:
    """Return a claim of kouw2019: that ``figure``, which is what is ``measured``, is in bounds."""
    return StudyClaim(
        text=text,
        reference="kouw2019",
        place=place,
        measured=measured,
        figure=figure,
        at_least=at_least,
        at_most=at_most,
    )
