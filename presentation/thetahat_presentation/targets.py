"""What a number can be about: the targets, in the order and the words in which they are shown."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class SourceWords:
    """What sources are called."""

    unit: str = "source"
    """One of them."""
    units: str = "sources"
    """Several."""
    these: str = "data like these"
    """More data from the same sources: ``these schools``, or this where blocks are no sources."""


@dataclass(frozen=True, slots=True)
class TargetWords:
    """The words for one target; the places in braces are those of ``SourceWords``."""

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
        "{these}",
        "on {these}",
        "the expected {value} on more data from the same {units}",
    ),
    "these_models": TargetWords(
        "these trained models",
        "of these trained models",
        "the {value} of the models as they are trained now",
    ),
}
"""By the key of a result, in the order in which they are shown: the furthest one first."""

SOURCE_WORDS: Final = SourceWords()
"""Where nothing is known of the sources."""


def sort_targets(targets: Iterable[str]) -> list[str]:
    """Return targets once each, in the order in which they are shown."""
    present = set(targets)
    return [each for each in TARGETS if each in present] + sorted(present - set(TARGETS))


def name_target(target: str, words: SourceWords = SOURCE_WORDS) -> str:
    """Return a target as a noun."""
    known = TARGETS.get(target)
    return target.replace("_", " ") if known is None else _fill(known.name, words)


def describe_target(target: str | None, words: SourceWords = SOURCE_WORDS) -> str:
    """Return a target as the end of a sentence; nothing for None."""
    if target is None:
        return ""
    known = TARGETS.get(target)
    return target.replace("_", " ") if known is None else _fill(known.about, words)


def explain_target(target: str, value: str, words: SourceWords) -> str:
    """Return what a target means; ``value`` is loss or score."""
    known = TARGETS.get(target)
    return "" if known is None else _fill(known.meaning, words, value)


def _fill(text: str, words: SourceWords, value: str = "") -> str:
    return text.format(value=value, unit=words.unit, units=words.units, these=words.these)
