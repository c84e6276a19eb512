"""The words of captions, legends and axes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from thetahat.values.number_text import format_count, format_number, format_percent
from thetahat.values.types import Target
from thetahat_service.figures.style import Palette

if TYPE_CHECKING:
    from thetahat_client.results import ModelResultDict

TARGET_ORDER: Final = (
    Target.NEW_SOURCE,
    Target.THESE_SOURCES,
    Target.NEW_POPULATION,
    Target.THESE_MODELS,
)
WRITTEN_NAMES: Final = {"auc": "AUC", "bca": "BCa", "student_t": "Student t"}
"""Names of methods that people write with capital letters."""
SIDES: Final = {"two_sided": "", "less": ", one-sided", "greater": ", one-sided"}


def is_higher_better(result: Mapping[str, Any]) -> bool:
    """Return whether higher values of the result's losses or scores are better."""
    return bool(result.get("summary", {}).get("better") == "higher")


def find_value_word(result: Mapping[str, Any]) -> str:
    """Return the name of the quantity that models are judged by."""
    return "mean score" if is_higher_better(result) else "mean loss"


def find_block_word(result: Mapping[str, Any], n: int = 1) -> str:
    """Return what a block is called, such as source or school; in the plural for n > 1."""
    noun = result.get("unit")
    if noun:
        word: str = noun["singular" if n == 1 else "plural"]
        return word
    return "block" if n == 1 else "blocks"


def find_target_word(target: str, result: Mapping[str, Any]) -> str:
    """Return a target in words."""
    return {
        Target.THESE_SOURCES: "data like these",
        Target.NEW_SOURCE: f"a new {find_block_word(result)}",
        Target.THESE_MODELS: "these trained models",
        Target.NEW_POPULATION: "the target population",
    }[Target(target)]


def choose_target_colour(target: str, palette: Palette) -> str:
    """Return the colour of a target, which is the same in every figure."""
    return {
        Target.THESE_SOURCES: palette.blue,
        Target.NEW_SOURCE: palette.vermilion,
        Target.THESE_MODELS: palette.green,
        Target.NEW_POPULATION: palette.purple,
    }[Target(target)]


def describe_size(result: Mapping[str, object], model: ModelResultDict) -> str:
    """Return how many rows, blocks and repeats a mean rests on, as ``569 rows in 10 folds``."""
    n, blocks = model["n"], model["blocks"]
    text = f"{format_count(n)} test {'row' if n == 1 else 'rows'}"
    if blocks > 1:
        text += f" in {format_count(blocks)} {find_block_word(result, blocks)}"
    splits = model["mean"].get("splits")
    repeats = round(len(splits) / blocks) if splits and blocks else 1
    return f"{text}, {repeats} repeats" if repeats > 1 else text


def count_repetitions(study: Mapping[str, Any]) -> str:
    """Return how many repetitions a study has: ``500``.

    The kept study of all intervals has parts with different numbers: ``100 to 3500``.
    """
    numbers = study.get("draws", {}).values() or [study["repetitions"]]
    return " to ".join(format_count(n) for n in dict.fromkeys((min(numbers), max(numbers))))


def describe_repetitions(study: Mapping[str, Any]) -> str:
    """Return how many repetitions a study has, with the noun: ``1 repetition``."""
    number = count_repetitions(study)
    return f"{number} repetition{'' if number == '1' else 's'}"


def write_level(level: float) -> str:
    """Return a confidence level as text that no line break divides."""
    return format_percent(level).replace(" ", "\N{NO-BREAK SPACE}")


def name_method(name: str) -> str:
    """Return the name of a statistic or an interval as people write it."""
    return WRITTEN_NAMES.get(name, name.replace("_", " "))


def phrase(value: float | None) -> str:
    """Return a number as text for a caption; None becomes ``unknown``."""
    return "unknown" if value is None else format_number(value).replace("-", "\N{MINUS SIGN}", 1)


def write_ends(lower: float | None, upper: float | None) -> str:
    """Return the ends of an interval as ``0.12 to 0.34``; an end may be open."""
    if lower is None and upper is None:
        return "none"
    if lower is None:
        return f"at most {phrase(upper)}"
    if upper is None:
        return f"at least {phrase(lower)}"
    return f"{phrase(lower)} to {phrase(upper)}"


def describe_ends(lower: float | None, upper: float | None) -> str:
    """Return an interval in words; an end may be open."""
    if lower is None and upper is None:
        return "without an interval"
    ends = write_ends(lower, upper)
    return f"{ends} by its interval" if lower is None or upper is None else f"interval {ends}"


def name_block(word: str, label: str) -> str:
    """Return the name of a block, as ``school 7``, without saying its word twice."""
    is_named = label.lower().startswith((word.lower(), "fold "))
    return label if is_named else f"{word} {label}"


def join_words(words: list[str]) -> str:
    """Return ``a``, ``a and b`` or ``a, b and c``."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} and {words[-1]}"
