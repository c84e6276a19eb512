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

    Some names that ``COMMON_NAMES`` has for the family get a sentence of advice instead.
    """
    similar = find_similar_name(name, known, family)
    if similar is not None:
        return f" (did you mean {similar!r}?)"
    common = _find_common_names(name, family)
    return f" ({common})" if _is_advice(common) else ""


def find_similar_name(name: str, known: Collection[str], family: str = "") -> str | None:
    """Return the known name that is most similar to a misspelt one, or None if none is.

    Case and separators do not count: ``KFold``, ``k-fold`` and ``kfold`` are near ``k_fold``. Names
    that ``COMMON_NAMES`` has for the family come first. Of
    ``sklearn.ensemble.RandomForestClassifier`` the last part counts.
    """
    from difflib import SequenceMatcher  # noqa: PLC0415 - for refusals alone

    def measure_similarity(first: str, second: str) -> float:
        return SequenceMatcher(None, first, second, autojunk=False).ratio()

    common = _find_common_names(name, family)
    for suggestion in (common,) if isinstance(common, str) else common:
        if suggestion in known:
            return suggestion
    if len(name) > _MAX_NAME_LENGTH or _is_advice(common):
        return None
    letters = _find_letters(name)
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
    return max(near)[2] if near else None


def _find_common_names(name: str, family: str) -> str | tuple[str, ...]:
    """Return what ``COMMON_NAMES`` has for a name: known names, or a sentence of advice."""
    return COMMON_NAMES.get(family, {}).get(_find_letters(name), ())


def _is_advice(common: str | tuple[str, ...]) -> bool:
    return isinstance(common, str) and " " in common


def _find_letters(name: str) -> str:
    """Return the letters and digits of a name, without the modules of scikit-learn."""
    return _sort_letters(name.rpartition(".")[2] if name.startswith(_SCIKIT_LEARN) else name)


def _is_misspelt(letters: str, known: str) -> bool:
    """Return whether letters seem to be a known name with one or two letters wrong."""
    is_longer = letters.startswith(known) and letters != known
    return abs(len(letters) - len(known)) <= 2 and letters[:2] == known[:2] and not is_longer


def _sort_letters(name: str) -> str:
    return "".join(letter for letter in name.casefold() if letter.isalnum())


def _remove_ending(letters: str) -> str:
    """Return a name without a common ending, unless it consists of the ending."""
    return next((letters[: -len(end)] for end in _ENDINGS if letters.endswith(end)), "") or letters
