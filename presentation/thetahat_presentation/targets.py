"""What a number can be about: the targets, in the order and the words in which they are shown."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class TargetWords:
    """The words for one target; ``{unit}`` is what a source is called."""

    name: str
    """The target as a noun: an interval for a new school."""
    about: str
    """The target as the end of a sentence: the mean loss on a new school."""
    meaning: str
    """What is expected there; ``{value}`` is loss or score."""


TARGETS: Final = {
    "new_source": TargetWords(
        "a new {unit}",
        "on a new {unit}",
        "the expected {value} on one {unit} that is not in the data",
    ),
    "new_population": TargetWords(
        "the target population",
        "in the target population",
        "the expected {value} in the target population",
    ),
    "these_sources": TargetWords(
        "data like these",
        "on data like these",
        "the expected {value} on more data from the same {units}",
    ),
    "these_models": TargetWords(
        "these trained models",
        "of these trained models",
        "the {value} of the models as they are trained now",
    ),
}
"""By the key of a result, in the order in which they are shown: the furthest one first."""


def sort_targets(targets: Iterable[str]) -> list[str]:
    """Return targets once each, in the order in which they are shown."""
    present = set(targets)
    return [each for each in TARGETS if each in present] + sorted(present - set(TARGETS))


def name_target(target: str, unit: str = "source") -> str:
    """Return a target as a noun; ``unit`` is what a source is called."""
    words = TARGETS.get(target)
    return target.replace("_", " ") if words is None else words.name.format(unit=unit)


def describe_target(target: str | None, unit: str = "source") -> str:
    """Return a target as the end of a sentence; nothing for None."""
    if target is None:
        return ""
    words = TARGETS.get(target)
    return target.replace("_", " ") if words is None else words.about.format(unit=unit)


def explain_target(target: str, value: str, unit: str, units: str) -> str:
    """Return what a target means; ``value`` is loss or score."""
    words = TARGETS.get(target)
    return "" if words is None else words.meaning.format(value=value, unit=unit, units=units)
