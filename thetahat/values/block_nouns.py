"""The user's word for a block, such as school, and its use in the sentences of a result."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, Final, TypeVar

from thetahat.errors import InvalidParameter
from thetahat.values.types import UNITS, BlockKind

R = TypeVar("R")

MAX_NOUN_LENGTH: Final = 40
_NOUN: Final = re.compile(r"[^\W\d_]+(?:[ '’-][^\W\d_]+)*")
_PROSE: Final = frozenset(
    ("message", "advice", "reason", "plan_reason", "sentence", "sentences", "note")
)
"""Fields of results that hold sentences."""
QUOTED: Final = (r'"[^"]*"', r"`[^`]*`", r"(?<!\w)'[^']*'(?!\w)")
"""Patterns of text in quotation marks, which is kept as it is."""
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


def name_blocks(result: R, noun: BlockNoun | None, kind: BlockKind, names: Iterable[str]) -> R:
    """Return the result with the noun in every sentence that has another word for a block.

    Sentences are the fields of ``_PROSE``. Text in quotation marks, the names of models, and words
    that are parts of other terms (``source_k_fold``, "source sample", "random blocks") stay.

    Parameters
    ----------
    result : dataclass
        A result or a part of one.
    noun : BlockNoun or None
        None leaves the result as it is.
    kind : BlockKind
        What a block is: only sources are called source, and only random blocks fold.
    names : iterable of str
        Names of models.
    """
    if noun is None:
        return result
    return rewrite_sentences(result, _Sentences(noun, kind, names).rewrite)


def rewrite_sentences(result: R, rewrite: Callable[[str], str]) -> R:
    """Return a result, or a part of one, with every sentence in it rewritten."""
    rewritten: R = _rewrite(result, rewrite, is_prose=False)
    return rewritten


class _Sentences:
    """Replaces the words source and fold in sentences by the user's noun."""

    def __init__(self, noun: BlockNoun, kind: BlockKind, names: Iterable[str]) -> None:
        words = {BlockKind.SOURCE: "source blocks?|source|block", BlockKind.RANDOM: "fold|block"}
        word = words.get(kind, "block")
        kept = [re.escape(name) for name in names if re.search(rf"(?i){word}", name)]
        keep = "|".join(
            [
                *QUOTED,
                _build_pattern_of_other_kinds(kind),
                *(rf"(?<!\w){name}(?!\w)" for name in kept),
            ]
        )
        others = r"(?! (?:samples?|rows?|data|point|weights?)\b)(?!-)"
        self._pattern = re.compile(
            rf"(?P<keep>{keep})|\b(?:(?P<article>[Aa])n? )?"
            rf"(?P<word>(?i:{word}))(?P<plural>s?)\b{others}"
        )
        self._noun = noun

    def rewrite(self, text: str) -> str:
        """Return the sentence with the noun in the place of the general words."""
        return self._pattern.sub(self._replace, text)

    def _replace(self, match: re.Match[str]) -> str:
        if match["keep"] is not None:
            return match[0]
        is_plural = bool(match["plural"]) or match["word"].lower() == "source blocks"
        noun = self._noun.plural if is_plural else self._noun.singular
        if match["article"] is not None:
            vowel = noun[0].lower() in "aeiou"
            return f"{match['article']}{'n' if vowel else ''} {noun}"
        return noun[0].upper() + noun[1:] if match["word"][0].isupper() else noun


def _build_pattern_of_other_kinds(kind: BlockKind) -> str:
    """Return the pattern of ``random or source blocks``: kinds of blocks that are not these."""
    kinds = [each.value for each in BlockKind]
    # "source blocks" of a result of sources are its own blocks
    first = [each for each in kinds if not each == kind == BlockKind.SOURCE]
    return rf"\b(?:{'|'.join(first)})(?: or (?:{'|'.join(kinds)}))* blocks?\b"


def _rewrite(value: Any, rewrite: Callable[[str], str], *, is_prose: bool) -> Any:
    if isinstance(value, str):
        return rewrite(value) if is_prose else value
    if is_dataclass(value) and not isinstance(value, type):
        changed = {}
        for field in fields(value):
            old = getattr(value, field.name)
            new = _rewrite(old, rewrite, is_prose=field.name in _PROSE)
            if new is not old:
                changed[field.name] = new
        return replace(value, **changed) if changed else value
    if isinstance(value, tuple) and type(value) is tuple:
        items = tuple(_rewrite(item, rewrite, is_prose=is_prose) for item in value)
        return items if any(a is not b for a, b in zip(items, value, strict=True)) else value
    if isinstance(value, dict):
        entries = {k: _rewrite(v, rewrite, is_prose=False) for k, v in value.items()}
        return entries if any(entries[k] is not v for k, v in value.items()) else value
    return value
