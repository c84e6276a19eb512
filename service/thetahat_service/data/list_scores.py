"""The scores of a log by name, of which those that are lists in each row are two columns.

The score of all items is then a ratio of sums: a perplexity of the pairs (log-likelihood, number of
words or bytes), and the share of true values among all instructions of all items of IFEval.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from thetahat.values.json_values import JsonValue
from thetahat.values.ratios import BITS, PERPLEXITY, SHARE, RatioScore

PAIRS: Final = {"word_perplexity": "words", "byte_perplexity": "bytes", "bits_per_byte": "bytes"}
"""What the second number of a pair counts, by score; the first is a log-likelihood."""
LOG_LIKELIHOOD: Final = "log_likelihood"
INSTRUCTIONS: Final = "inst_level_"
"""How the names of scores begin that are a list of truth values in each row."""
N_TRUE: Final = "n_true"
N_VALUES: Final = "n_values"
SCORE_PREFIX: Final = "score."
"""What the scores of an inspect_ai log are named before the scorer."""
N_INSTRUCTIONS: Final = "num_instructions"
"""What IFEval of inspect_ai names the number of instructions beside those followed."""
OF_LOG_LIKELIHOODS: Final = "perplexity"
"""A score of lm-evaluation-harness of which each row has the log-likelihood."""


def split_list(name: str, value: JsonValue) -> Iterator[tuple[str, JsonValue]]:
    """Yield the two columns of a score that is a list, or the list if it is none of these."""
    if not isinstance(value, list):
        yield name, value
    elif name in PAIRS and len(value) == 2 and all(map(_is_number, value)):
        yield f"{name}.{LOG_LIKELIHOOD}", value[0]
        yield f"{name}.{PAIRS[name]}", value[1]
    elif name.startswith(INSTRUCTIONS) and all(isinstance(member, bool) for member in value):
        yield f"{name}.{N_TRUE}", sum(map(bool, value))
        yield f"{name}.{N_VALUES}", len(value)
    else:
        yield name, value


def _is_number(value: JsonValue) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


class ScoreColumns(NamedTuple):
    """The columns of a score."""

    value: str
    """The column of the score, or of the numerator of a ratio of sums."""
    size: str | None = None
    """The column of its denominator."""
    ratio: RatioScore | None = None
    """What is made of the ratio; None for a score that is the mean of its items."""


def list_scores(names: list[str]) -> dict[str, ScoreColumns]:
    """Return the columns of each score of a file by the name that requests have for it."""
    known = set(names)
    scores: dict[str, ScoreColumns] = {}
    for column in names:
        outer, _, last = column.rpartition(".")
        if last == LOG_LIKELIHOOD and outer in PAIRS:
            ratio = BITS if outer == "bits_per_byte" else PERPLEXITY
            scores[outer] = ScoreColumns(column, f"{outer}.{PAIRS[outer]}", ratio)
        elif last == N_TRUE and outer.startswith(INSTRUCTIONS):
            scores[outer] = ScoreColumns(column, f"{outer}.{N_VALUES}", SHARE)
        elif last.startswith(INSTRUCTIONS) and f"{outer}.{N_INSTRUCTIONS}" in known:
            size = f"{outer}.{N_INSTRUCTIONS}"
            scores[column.removeprefix(SCORE_PREFIX)] = ScoreColumns(column, size, SHARE)
    parts = {name for score in scores.values() for name in (score.value, score.size)}
    for column in sorted(names, key=lambda name: not name.startswith(SCORE_PREFIX)):
        if column not in parts:
            scores.setdefault(column.removeprefix(SCORE_PREFIX), ScoreColumns(column))
    return scores
