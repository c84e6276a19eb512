"""The cautions of a result, each of them once, with what they are about."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import Any, Final, TypeAlias

from thetahat_presentation.document import END_OF_SENTENCE, Caution, Json, rank_severity
from thetahat_presentation.wording import capitalise


@dataclass(frozen=True, slots=True)
class Place:
    """What a caution is about: a model or a pair, and one of its numbers; empty for all."""

    name: str = ""
    number: str = ""


@dataclass(slots=True)
class _Group:
    """The cautions of one code."""

    caution: Json
    places: list[Place] = field(default_factory=list)
    messages: dict[str, None] = field(default_factory=dict)
    """Their messages, each of them once."""


PlacedCaution: TypeAlias = tuple[Place, Json]

FAILURES: Final = frozenset({"candidate_left_out", "learner_left_out", "size_left_out"})
"""Cautions on what failed and is left out; each is about another failure."""
MOST_VALUES: Final = 5
"""Messages of one code of which the values are written, beside the first; of more, the names."""
MOST_FURTHER: Final = 2
"""Sentences of messages that name no model which are written beside the first message."""
SAID_BY: Final = {"ignores_training_variance": "no_training_variance"}
"""Cautions on single numbers that another one says of all numbers, by code."""
_QUOTED: Final = re.compile(r"'[^']+'")


def group_cautions(placed: Iterable[PlacedCaution], models: Sequence[str] = ()) -> list[Caution]:
    """Return one caution for each code and each failure, the serious ones first.

    ``placed`` are the cautions with what each is about, and ``models`` all models: a caution about
    all of them says so and does not list them.
    """
    groups: dict[tuple[str, str], _Group] = {}
    for place, caution in placed:
        code = str(caution.get("code"))
        failure = str(caution.get("message")) if code in FAILURES else ""
        group = groups.setdefault((code, failure), _Group(caution))
        if _rank(caution) < _rank(group.caution) or "message" not in group.caution:
            group.caution = caution
        group.places.append(place)
        group.messages[str(caution.get("message") or "")] = None
    codes = {code for code, _ in groups}
    said_once = [group for (code, _), group in groups.items() if SAID_BY.get(code) not in codes]
    ordered = sorted(said_once, key=lambda group: _rank(group.caution))
    return [_build_caution(group, models) for group in ordered]


def split_failures(cautions: Sequence[Caution]) -> tuple[list[Caution], list[Caution]]:
    """Return the cautions on what failed, and the other ones."""
    failures = [each for each in cautions if each.code in FAILURES]
    return failures, [each for each in cautions if each.code not in FAILURES]


def _rank(caution: Json) -> int:
    """Return the place of a caution's severity; a result of an older release has none."""
    return rank_severity(caution.get("severity", "warning"))


def _build_caution(group: _Group, models: Sequence[str]) -> Caution:
    caution = group.caution
    names = list(dict.fromkeys(place.name for place in group.places if place.name))
    numbers = list(dict.fromkeys(place.number for place in group.places if place.number))
    is_everywhere = any(not place.name for place in group.places)
    is_about_all = len(models) > 1 and set(models) <= set(names)
    subject = "all models" if is_about_all else ", ".join(names)
    if subject and numbers:
        subject += f" ({', '.join(numbers)})"
    code = str(caution.get("code"))
    return Caution(
        code=code,
        title=str(caution.get("title") or capitalise(code.replace("_", " "))),
        severity=str(caution.get("severity", "warning")),
        message=_write_message(str(caution.get("message") or code), group),
        advice=str(caution.get("advice") or ""),
        subject="" if is_everywhere else subject,
    )


def _write_message(message: str, group: _Group) -> str:
    """Return the message with what others of its code say, in a line.

    Of those that name models it is these and the words in which they differ, such as a share; of
    many it is the names. Others have their own sentences, unless they are many.
    """
    others = [each for each in group.messages if each not in ("", message)]
    named = [each for each in others if _QUOTED.search(each)]
    about = [_describe_other(message, each, is_short=len(named) > MOST_VALUES) for each in named]
    sentences = dict.fromkeys(
        sentence
        for each in others
        if each not in named
        for sentence in END_OF_SENTENCE.split(each)
        if sentence not in message
    )
    parts = [message]
    if about:
        *first, last = dict.fromkeys(about)
        listing = f"{', '.join(first)} and {last}" if first else last
        parts.append(f"The same is said of {listing}.")
    if len(sentences) > MOST_FURTHER:
        parts.append(f"{len(others) - len(named)} more cautions like this one have other values.")
    elif sentences:
        parts.append(f"Also: {' '.join(sentences)}")
    return " ".join(parts)


def _describe_other(message: str, other: str, *, is_short: bool) -> str:
    """Return the models that another message names, and the other words that it has of its own."""
    names = list(dict.fromkeys(_QUOTED.findall(other)))
    before, after = message.split(), other.split()
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    runs = [
        " ".join([*after[start:stop], *after[stop : stop + 1][: after[stop : stop + 1] == ["%"]]])
        for tag, _, _, start, stop in matcher.get_opcodes()
        if tag in {"replace", "insert"}
    ]
    values = [run for run in (each.strip(" .,:;") for each in runs) if run not in names]
    about = " and ".join(names)
    return f"{about} ({', '.join(values)})" if values and not is_short else about


def place_cautions(
    cautions: Iterable[Json] | None, place: Place = Place()
) -> Iterator[PlacedCaution]:
    """Yield cautions with what they are about."""
    return ((place, caution) for caution in cautions or ())


def walk_cautions(value: Any) -> Iterator[PlacedCaution]:
    """Yield every caution inside a JSON value that has its sentence; a failure is no caution."""
    if isinstance(value, Mapping):
        if {"code", "message"} <= value.keys():
            yield Place(), value
            return
        for key, inner in value.items():
            if key not in {"provenance", "failures"}:
                yield from walk_cautions(inner)
    elif isinstance(value, list | tuple) and value and isinstance(value[0], Mapping | list):
        for inner in value:
            yield from walk_cautions(inner)


def walk_named_cautions(part: Json, path: tuple[str, ...] = ()) -> Iterator[PlacedCaution]:
    """Yield the cautions of every object of a result, with the name of the object."""
    place = Place(path[-1]) if len(path) > 1 else Place()
    yield from place_cautions(part.get("cautions"), place)
    for key, value in part.items():
        if key in {"provenance", "cautions"}:
            continue
        if isinstance(value, Mapping):
            yield from walk_named_cautions(value, (*path, str(key)))
        elif isinstance(value, list) and value and isinstance(value[0], Mapping):
            for item in value:
                name = str(item.get("method") or item.get("name") or key)
                yield from walk_named_cautions(item, (*path, str(key), name))


def list_other_cautions(result: Json, shown: Sequence[Caution]) -> list[Caution]:
    """Return the cautions of a result that are not among the shown ones."""
    codes = {caution.code for caution in shown}
    every = group_cautions(walk_cautions(result))
    return [caution for caution in every if caution.code not in codes]
