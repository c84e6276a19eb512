"""What the name of a column says about its role."""

from __future__ import annotations

import re
from typing import Final

from thetahat.common_names import (
    DOUBTFUL_WORDS,
    GROUP_NAMES,
    ITEM_NAMES,
    LABEL_NAMES,
    LOSS_WORDS,
    MEASURE_WORDS,
    MODEL_NAMES,
    NUMBERING_WORDS,
    PREDICTION_WORDS,
    RATER_WORDS,
    RUN_NAMES,
    SCORE_WORDS,
    SPREAD_WORDS,
    SUMMARY_NAMES,
    TARGET_NAMES,
    TASK_NAMES,
    TIME_NAMES,
    TRUTH_NAMES,
)
from thetahat.values.types import Better

UNNAMED: Final = re.compile(
    r"(unnamed: \d+(\.\d+|_level_\d+)?|__index_level_\d+__|level_\d+|\.\.\.\d+|row\.?names|index)?",
    re.IGNORECASE,
)
"""Names of an index that pandas, R or readr wrote as a column."""
FLAG_WORDS: Final = frozenset(("is", "has", "was", "needs"))
"""First words of a name that says that the column marks rows: ``is_hard``."""


def split_words(name: str) -> list[str]:
    """Return the words of a name, in small letters: ``["patient", "id"]`` of ``patientId``."""
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    return re.findall(r"[a-z]+\d*|\d+", apart.lower())


def is_unnamed(name: str, position: int) -> bool:
    """Return whether a column has no name of its own, as an index that was written to a file."""
    return name == f"column_{position}" or UNNAMED.fullmatch(name.strip()) is not None


def is_label_name(name: str) -> bool:
    """Return whether a name says that the column names or numbers things: ``fold``, ``user_id``."""
    words = split_words(name)
    return " ".join(words) in LABEL_NAMES or (bool(words) and words[-1] in NUMBERING_WORDS)


def is_measure_name(name: str) -> bool:
    """Return whether a name says that the column measures no loss and no score: ``latency_ms``."""
    words = split_words(name)
    is_flag = len(words) > 1 and words[0] in FLAG_WORDS and not {*words} & SCORE_WORDS
    is_summary = " ".join(words) in SUMMARY_NAMES or bool({*words} & SPREAD_WORDS)
    is_measured = is_flag or bool({*words} & MEASURE_WORDS)
    return is_summary or (is_measured and not {*words} & LOSS_WORDS)


def is_group_name(name: str) -> bool:
    """Return whether a name says that the column has groups of people: ``sex``."""
    return " ".join(split_words(name)) in GROUP_NAMES


def is_rater_name(name: str) -> bool:
    """Return whether a name says that the column has ratings: ``rater_1``, ``judge_gpt``."""
    return any(word.rstrip("0123456789") in RATER_WORDS for word in split_words(name))


def is_time_name(name: str) -> bool:
    """Return whether a name says that the column has the time of each row."""
    return " ".join(split_words(name)) in TIME_NAMES


def is_no_model_name(name: str) -> bool:
    """Return whether a name says that the column has neither losses nor scores of a model."""
    return is_label_name(name) or is_group_name(name) or is_measure_name(name)


def is_target_name(name: str) -> bool:
    """Return whether a name says that the column has the true values."""
    return " ".join(split_words(name)) in TARGET_NAMES | TRUTH_NAMES


def is_truth_name(name: str) -> bool:
    """Return whether a name says that the column has true values beside predictions of them."""
    return " ".join(split_words(name)) in TRUTH_NAMES


def is_prediction_name(name: str) -> bool:
    """Return whether a name says that the column has predictions: ``pred_ridge``."""
    return bool(set(split_words(name)) & PREDICTION_WORDS)


def is_loss_name(name: str) -> bool:
    """Return whether a name says that the column has losses or scores: ``loss_ridge``."""
    return bool(set(split_words(name)) & (LOSS_WORDS | SCORE_WORDS))


def find_better(name: str) -> Better | None:
    """Return whether lower or higher values are better, where the name of a score says it."""
    words = {word for each in split_words(name) for word in (each, each.rstrip("0123456789"))}
    losses = words & LOSS_WORDS
    if losses == {"log"} and words != {"log"}:
        return None  # a log-likelihood, or a log score, of which there are two
    if words & DOUBTFUL_WORDS:
        return None
    if losses:
        return "lower"
    return "higher" if words & SCORE_WORDS else None


def is_model_name(name: str) -> bool:
    """Return whether a name says that the column names the model of each row."""
    words = split_words(name)
    return bool(words) and words[0] in MODEL_NAMES and words[1:] in ([], ["name"], ["id"])


def is_item_name(name: str) -> bool:
    """Return whether a name says that the column names the tested item: ``question_id``."""
    words = split_words(name)
    return bool(words) and words[0] in ITEM_NAMES and words[1:] in ([], ["id"], ["idx"], ["index"])


def is_run_name(name: str) -> bool:
    """Return whether a name says that the column tells the runs of an item apart."""
    return any(word in RUN_NAMES for word in split_words(name))


def is_task_name(name: str) -> bool:
    """Return whether a name says that the column has the task of each item."""
    words = split_words(name)
    return bool(words) and words[0] in TASK_NAMES and words[1:] in ([], ["name"])
