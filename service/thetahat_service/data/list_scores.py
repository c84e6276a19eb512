"""Scores of lm-evaluation-harness that are lists in each row, as two columns of numbers.

The score of all items is a ratio of sums: a perplexity of the pairs (log-likelihood, number of
words or bytes), and the share of true values among all instructions of all items of IFEval.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from thetahat.values.json_values import JsonValue

PAIRS: Final = {"word_perplexity": "words", "byte_perplexity": "bytes", "bits_per_byte": "bytes"}
"""What the second number of a pair counts, by score; the first is a log-likelihood."""
LOG_LIKELIHOOD: Final = "log_likelihood"
INSTRUCTIONS: Final = "inst_level_"
"""How the names of scores begin that are a list of truth values in each row."""
N_TRUE: Final = "n_true"
N_VALUES: Final = "n_values"


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
