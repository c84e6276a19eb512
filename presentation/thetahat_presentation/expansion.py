"""A result with its cautions and studied designs in the places of their keys."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from thetahat_presentation.document import Json

_TEXTS: Final = "caution_texts"
_STUDIED: Final = {
    "expected_coverage": ("expected_coverages", "coverage:"),
    "expected_size": ("expected_sizes", "size:"),
    "expected_coverage_missing": ("missing_studies", "missing:"),
    "expected_size_missing": ("missing_studies", "missing:"),
}
"""The fields that have a key, where the result has what it is for, and how the key begins."""
_WRITTEN_ONCE: Final = frozenset({_TEXTS, *(name for name, _ in _STUDIED.values())})


def expand_result(result: Json) -> Json:
    """Return a result that has in the places of keys what they are for.

    A result of an older release has it there. A caution that the result does not have has its code
    alone, and a design that it does not have is left out.
    """
    written_once: dict[str, Json] = {name: result.get(name) or {} for name in _WRITTEN_ONCE}
    expanded: Json = _expand(
        {key: result[key] for key in result if key not in _WRITTEN_ONCE}, written_once
    )
    return expanded


def _expand(value: Any, written_once: Mapping[str, Json]) -> Any:
    if isinstance(value, Mapping):
        expanded = {}
        for field, item in value.items():
            name, beginning = _STUDIED.get(field, ("", ""))
            if field == "cautions" and isinstance(item, list):
                expanded[field] = [_find_caution(each, written_once[_TEXTS]) for each in item]
            elif name and isinstance(item, str) and item.startswith(beginning):
                if item in written_once[name]:
                    expanded[field] = written_once[name][item]
            else:
                expanded[field] = _expand(item, written_once)
        return expanded
    if isinstance(value, list) and value and isinstance(value[0], Mapping | list):
        return [_expand(item, written_once) for item in value]
    return value


def _find_caution(caution: Json | str, texts: Json) -> Json:
    """Return a caution, or that of a key; without its sentence, its code alone."""
    if isinstance(caution, str):
        return texts.get(caution) or {"code": caution.partition(":")[0]}
    return caution
