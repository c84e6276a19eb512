"""The word score in the sentences of results of scores."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, TypeVar

from thetahat.values.block_nouns import QUOTED, rewrite_sentences

R = TypeVar("R")

_WORD: Final = r"\b(?P<word>[Ll]oss)(?P<plural>es)?\b(?!-)"


_COMPARED: Final = re.compile(
    r"\b(?P<size>smaller|smallest|lower|lowest|larger|largest|higher|highest)"
    r"(?= (?:mean |average |expected )?loss\b)"
)
_OPPOSITE: Final = {
    "smaller": "larger",
    "smallest": "largest",
    "lower": "higher",
    "lowest": "highest",
    "larger": "smaller",
    "largest": "smallest",
    "higher": "lower",
    "highest": "lowest",
}


def describe_with_scores(text: str) -> str:
    """Return the description of a method for losses as it holds for scores, higher being better.

    The smaller loss is the larger score.
    """
    turned = _COMPARED.sub(lambda match: _OPPOSITE[match["size"]], text)
    return _compile_pattern(()).sub(_replace, turned)


def name_scores(result: R, names: Iterable[str], *, higher_is_better: bool) -> R:
    """Return the result with score for loss in every sentence, if its values are scores.

    Methods and cautions are written for losses, and hold for scores as well. Text in quotation
    marks, the names of models and wire names such as ``loss_range`` stay.

    Parameters
    ----------
    result : dataclass
        A result or a part of one.
    names : iterable of str
        Names of models.
    higher_is_better : bool
        Whether the values are scores; otherwise the result is returned as it is.
    """
    if not higher_is_better:
        return result
    pattern = _compile_pattern(names)
    return rewrite_sentences(result, lambda text: pattern.sub(_replace, text))


def _compile_pattern(names: Iterable[str]) -> re.Pattern[str]:
    """Return the pattern of the word loss and, as ``keep``, of texts in which it stays."""
    kept = [re.escape(name) for name in names if re.search(r"(?i)\bloss", name)]
    keep = "|".join([*QUOTED, *(rf"(?<!\w){name}(?!\w)" for name in kept)])
    return re.compile(rf"(?P<keep>{keep})|{_WORD}")


def _replace(match: re.Match[str]) -> str:
    if match["keep"] is not None:
        return match[0]
    word = "Score" if match["word"][0] == "L" else "score"
    return word + "s" * (match["plural"] is not None)
