"""Words and names of results: models, blocks, methods and lists of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from thetahat_presentation.numbers import format_count

WRITTEN_NAMES: Final = {
    "auc": "AUC",
    "bca": "BCa",
    "friedman": "Friedman",
    "iman_davenport": "Iman-Davenport",
    "nemenyi": "Nemenyi",
    "quade": "Quade",
    "student_t": "Student t",
}
"""Names of methods that people write with capital letters."""
WRITTEN_CORRECTIONS: Final = {"max_t": "max-t", "sidak": "Holm-Sidak"}
"""Names of corrections that have another name on the wire."""
NO_SOURCES: Final = frozenset({"fold", "split", "test set", "block"})
"""What blocks are called that are no sources."""
MOST_NAMES: Final = 4
"""Names that a sentence lists; of more it has the first ones and how many others there are."""


def capitalise(text: str) -> str:
    """Return a text with its first letter in upper case."""
    return text[:1].upper() + text[1:]


def join_words(words: Sequence[str]) -> str:
    """Return ``a``, ``a and b`` or ``a, b and c``."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} and {words[-1]}"


def list_names(names: Sequence[str], most: int = MOST_NAMES) -> str:
    """Return names as a list of a sentence; of many the first ones and how many more there are."""
    if len(names) <= most:
        return join_words(names)
    shown = names[: most - 1]
    return join_words([*shown, f"{len(names) - len(shown)} others"])


def name_method(name: str) -> str:
    """Return the name of a statistic or an interval as people write it."""
    return WRITTEN_NAMES.get(name, name.replace("_", " "))


def name_correction(name: str) -> str:
    """Return the name of a correction as people write it: Holm, Benjamini-Hochberg."""
    written = WRITTEN_CORRECTIONS.get(name)
    return written or "-".join(part.capitalize() for part in name.split("_"))


def name_block(word: str, label: str) -> str:
    """Return the name of a block, as ``school 7``, without saying its word twice."""
    is_named = label.lower().startswith((word.lower(), "fold "))
    return label if is_named else f"{word} {label}"


def is_higher_better(result: Mapping[str, Any]) -> bool:
    """Return whether the values are scores; what a result of an older release does not say."""
    summary = result.get("summary") or {}
    if "better" in summary:
        return bool(summary["better"] == "higher")
    estimates = [model.get("estimate") for model in summary.get("models", ())]
    defined = [estimate for estimate in estimates if estimate is not None]
    return len(defined) > 1 and defined[0] > defined[-1]


def find_value_word(result: Mapping[str, Any]) -> str:
    """Return the name of the quantity that models are judged by."""
    return "mean score" if is_higher_better(result) else "mean loss"


def find_block_word(result: Mapping[str, Any], n: int = 1) -> str:
    """Return what a block is called, such as source or school; in the plural for n > 1."""
    noun = result.get("unit") or {"singular": "block", "plural": "blocks"}
    return str(noun["singular" if n == 1 else "plural"])


def find_source_words(result: Mapping[str, Any]) -> tuple[str, str]:
    """Return what a source is called, and several: the word for blocks where these are sources."""
    unit = result.get("unit")
    if not unit or unit["singular"] in NO_SOURCES:
        return "source", "sources"
    return unit["singular"], unit["plural"]


def describe_size(result: Mapping[str, Any], model: Mapping[str, Any]) -> str:
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
