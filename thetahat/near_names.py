"""Which known name somebody may have meant."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

_ALIKE: Final = 0.6
"""Of 1: the share of letters in common, in order, from which a name is worth asking about."""
_LONGEST: Final = 80


def meant(name: str, known: Iterable[str]) -> str:
    """Return ``" (did you mean 'k_fold'?)"``, or nothing where no known name is near.

    Case and separators do not count: ``KFold``, ``k-fold`` and ``kfold`` are near ``k_fold``.
    """
    from difflib import get_close_matches  # noqa: PLC0415 - for refusals alone

    if len(name) > _LONGEST:
        return ""
    by_letters: dict[str, str] = {}
    for one in known:
        by_letters.setdefault(_letters(one), one)
    near = get_close_matches(_letters(name), by_letters, n=1, cutoff=_ALIKE)
    return f" (did you mean {by_letters[near[0]]!r}?)" if near else ""


def _letters(name: str) -> str:
    return "".join(letter for letter in name.casefold() if letter.isalnum())
