"""A number that is computed from simulated repetitions, with its standard error."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class MonteCarloNumber:
    """A number computed from the repetitions of a simulation."""

    value: float | None
    """The number; null where it is not defined."""
    standard_error: float | None
    """Its Monte-Carlo standard error, in the same units: 0 for a closed form, null where the error
    is unknown."""


UNDEFINED: Final = MonteCarloNumber(None, None)


def make_exact(value: float) -> MonteCarloNumber:
    """Return a number that is known without Monte-Carlo error, such as a closed form."""
    return MonteCarloNumber(value, 0.0)
