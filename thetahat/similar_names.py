"""Suggesting a known name for a misspelt one."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from thetahat.common_names import COMMON_NAMES

_MIN_SIMILARITY: Final = 0.65
"""Of 1: the share of letters in common, in order, from which a name is worth asking about."""
_MAX_NAME_LENGTH: Final = 80
_ENDINGS: Final = ("classifier", "regressor", "vectorizer", "cv")
"""What many names have in common: two names that share no more are not alike."""
_SCIKIT_LEARN: Final = "sklearn."
_FAMILIES_OF_NUMBERS: Final = frozenset({"metrics"})
"""Families in which another name is another number, so that only misspelt names are proposed."""


def suggest_name(name: str, known: Collection[str], family: str = "") -> str:
    """Return ``" (did you mean 'k_fold'?)"``, or an empty text if no known name is similar.

    Case and separators do not count: ``KFold``, ``k-fold`` and ``kfold`` are near ``k_fold``. Names
    that ``COMMON_NAMES`` has for the family come first; some of them have a sentence of advice. Of
    ``sklearn.ensemble.RandomForestClassifier`` the last part counts.
    """
    from difflib import SequenceMatcher  # noqa: PLC0415 - for refusals alone

    if len(name) > _MAX_NAME_LENGTH:
        return ""

    def measure_similarity(first: str, second: str) -> float:
        return SequenceMatcher(None, first, second, autojunk=False).ratio()

    if name.startswith(_SCIKIT_LEARN):  # sklearn.ensemble.RandomForestClassifier
        name = name.rpartition(".")[2]
    letters = _sort_letters(name)
    common = COMMON_NAMES.get(family, {}).get(letters, ())
    names = (common,) if isinstance(common, str) else common
    for suggestion in names:
        if suggestion in known:
            return f" (did you mean {suggestion!r}?)"
    if isinstance(common, str) and " " in common:
        return f" ({common})"
    near = [
        (share, measure_similarity(letters, _sort_letters(candidate)), candidate)
        for candidate in known
        if (
            share := measure_similarity(
                _remove_ending(letters), _remove_ending(_sort_letters(candidate))
            )
        )
        >= _MIN_SIMILARITY
        and (family not in _FAMILIES_OF_NUMBERS or _is_misspelt(letters, _sort_letters(candidate)))
    ]
    return f" (did you mean {max(near)[2]!r}?)" if near else ""


def _is_misspelt(letters: str, known: str) -> bool:
    """Return whether letters seem to be a known name with one or two letters wrong."""
    is_longer = letters.startswith(known) and letters != known
    return abs(len(letters) - len(known)) <= 2 and letters[:2] == known[:2] and not is_longer


def _sort_letters(name: str) -> str:
    return "".join(letter for letter in name.casefold() if letter.isalnum())


def _remove_ending(letters: str) -> str:
    """Return a name without a common ending, unless it consists of the ending."""
    return next((letters[: -len(end)] for end in _ENDINGS if letters.endswith(end)), "") or letters
