"""A number that is computed from simulated repetitions, with its standard error."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class MonteCarloNumber:
    """A number computed from the repetitions of a simulation.

    Parameters
    ----------
    value : float or None
        The number; null where it is not defined.
    standard_error : float or None
        Its Monte-Carlo standard error, in the same units: 0 for a closed form, null where the
        error is unknown.
    """

    value: float | None
    standard_error: float | None


UNDEFINED: Final = MonteCarloNumber(None, None)


def make_exact(value: float) -> MonteCarloNumber:
    """Return a number that is known without Monte-Carlo error, such as a closed form."""
    return MonteCarloNumber(value, 0.0)
