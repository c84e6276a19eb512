"""The noun for a block, such as school, and its plural."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from thetahat.errors import InvalidParameter
from thetahat.values.types import UNITS, BlockKind

MAX_NOUN_LENGTH: Final = 40
_NOUN: Final = re.compile(r"[^\W\d_]+(?:[ '’-][^\W\d_]+)*")
_IRREGULAR: Final = {"child": "children", "man": "men", "woman": "women", "person": "people"}


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockNoun:
    """The noun for one block, and its plural."""

    singular: str
    """The noun, such as ``school``; source or fold if the request has none."""
    plural: str
    """Its plural, such as ``schools``."""


DEFAULT_NOUNS: Final[Mapping[BlockKind, BlockNoun]] = {
    BlockKind.RANDOM: BlockNoun(singular="fold", plural="folds"),
    BlockKind.SOURCE: BlockNoun(singular="source", plural="sources"),
    BlockKind.HOLDOUT: BlockNoun(singular="test set", plural="test sets"),
    BlockKind.SUBSAMPLES: BlockNoun(singular="split", plural="splits"),
}


def read_noun(unit: str | None, unit_plural: str | None) -> BlockNoun | None:
    """Return the noun of a request, checked; None where it has none."""
    if unit is None:
        if unit_plural is not None:
            raise InvalidParameter(
                "unit_plural is the plural of unit, which is missing. Send unit too.",
                loc=("unit_plural",),
                value=unit_plural,
            )
        return None
    if unit in UNITS:
        raise InvalidParameter(
            f"unit is the word for one block, such as school, and {unit!r} is not one. What the "
            f'tests pair is paired_unit: send "paired_unit": "{unit}".',
            loc=("unit",),
            value=unit,
        )
    for name, noun in (("unit", unit), ("unit_plural", unit_plural)):
        if noun is not None and not (len(noun) <= MAX_NOUN_LENGTH and _NOUN.fullmatch(noun)):
            raise InvalidParameter(
                f"{name} must be a noun such as school: letters, with single spaces, hyphens or "
                f"apostrophes between them, at most {MAX_NOUN_LENGTH} characters.",
                loc=(name,),
                value=noun[:MAX_NOUN_LENGTH],
            )
    return BlockNoun(singular=unit, plural=unit_plural or pluralise(unit))


def pluralise(noun: str) -> str:
    """Return the English plural of a noun by its ending, and of a few irregular nouns."""
    *before, last = re.split(r"(?<=[ -])", noun)
    start, lower = "".join(before), last.lower()
    if lower in _IRREGULAR:
        return start + _IRREGULAR[lower]
    if lower.endswith("series"):
        return noun
    if re.search(r"[^aeiou]y$", lower):
        return f"{noun[:-1]}ies"
    return noun + ("es" if re.search(r"(?:s|x|z|ch|sh)$", lower) else "s")
