"""A claim of the text on importance weighting."""

from __future__ import annotations

from thetahat.analyses.studies.claims import Claim
from thetahat.analyses.studies.tables import Number


def claim(  # noqa: PLR0913 - what a claim says
    text: str,
    place: str,
    measured: str,
    figure: Number,
    at_least: float | None = None,
    at_most: float | None = None,
) -> Claim:
    """Return a claim of kouw2019: that ``figure``, which is what is ``measured``, is in bounds."""
    return Claim(
        text=text,
        reference="kouw2019",
        place=place,
        measured=measured,
        figure=figure,
        at_least=at_least,
        at_most=at_most,
    )
