"""Comparing what is done with what a protocol fixes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from thetahat.values.number_text import format_number
from thetahat_service.protocols.facts import Facts, SoFar
from thetahat_service.protocols.outcome import write_field
from thetahat_service.schemas.protocol_outcome import Deviation

DIGEST: Final = "data_sha256"
SHOWN_DIGITS: Final = 12
"""Digits of a digest in a sentence."""
NOT_COMPARED: Final = frozenset({"name", "description", "evaluations"})
"""Fields that are no facts of one evaluation."""


def list_deviations(fixed: Mapping[str, Any], facts: Facts) -> tuple[Deviation, ...]:
    """Return each thing that is done otherwise than it is fixed."""
    known = {field: planned for field, planned in _list_fields(fixed) if field in facts}
    return tuple(
        _build_deviation(field, planned, facts[field])
        for field, planned in known.items()
        if field != "series" and _DIFFERS.get(field, _differs)(planned, facts[field])
    ) + tuple(_list_series_deviations(fixed, facts))


def list_unknown(fixed: Mapping[str, Any], facts: Facts) -> tuple[str, ...]:
    """Return the fields that are fixed and about which nothing is known."""
    unknown = [field for field, _ in _list_fields(fixed) if field not in facts]
    if "models" in facts:  # which are two where none has a role, and all are compared
        roles = {"new", "old"}
        unknown = [
            field for field in unknown if field not in roles or fixed[field] not in facts["models"]
        ]
    return tuple(unknown)


def _list_fields(fixed: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    return ((field, value) for field, value in fixed.items() if field not in NOT_COMPARED)


def _list_series_deviations(fixed: Mapping[str, Any], facts: Facts) -> Iterator[Deviation]:
    """Yield what a series does otherwise; there is none of an evaluation."""
    done = facts.get("series")
    if done is None:
        return
    for field, planned in fixed.get("series", {}).items():
        differs = _differs_as_sets if field == "stop" else _differs
        if differs(planned, done[field]):
            yield _build_deviation(field, planned, done[field])


def _differs(planned: Any, actual: Any) -> bool:
    return bool(planned != actual)


def _differs_as_sets(planned: Any, actual: Any) -> bool:
    return set(planned) != set(actual)


def _are_other_groups(planned: Any, actual: Any) -> bool:
    """Return whether groupings differ; the order of them, and in an intersection, says nothing."""
    sets = (
        {frozenset([x] if isinstance(x, str) else x) for x in each} for each in (planned, actual)
    )
    return len(set(map(frozenset, sets))) > 1


def _is_missing(planned: Any, actual: Any) -> bool:
    return planned not in actual


_DIFFERS: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    "kinds": lambda planned, actual: actual not in planned,
    "models": _differs_as_sets,
    "group_by": _are_other_groups,
    "test": _is_missing,
    DIGEST: _is_missing,
    "interval": lambda planned, actual: actual != [planned],
    "rows": lambda planned, actual: (
        actual > planned if isinstance(actual, SoFar) else actual != planned
    ),
    "correction": lambda planned, actual: actual not in {None, planned},
}
"""How fields differ, where it is not by another value."""


def _build_deviation(field: str, planned: Any, actual: Any) -> Deviation:
    if field == "group_by":
        planned, actual = _join_intersections(planned), _join_intersections(actual)
    if field == DIGEST:  # several of one file, of which the first is that of all data
        actual = actual[0]
    said = (_write(planned), _write(actual))
    shown = [text[:SHOWN_DIGITS] if field == DIGEST else text for text in said]
    text = f"{write_field(field)} {shown[1]} (planned: {shown[0]})"
    return Deviation(field=field, planned=said[0], actual=said[1], text=text)


def _join_intersections(groupings: Sequence[str | list[str]]) -> list[str]:
    return [each if isinstance(each, str) else " & ".join(each) for each in groupings]


def _write(value: Any) -> str:
    if value is None or value == []:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return format_number(value)
    if isinstance(value, Mapping):
        if "name" in value and "params" in value:
            params = ", ".join(f"{name} {_write(each)}" for name, each in value["params"].items())
            return f"{value['name']} ({params})" if params else str(value["name"])
        return ", ".join(f"{name} {_write(each)}" for name, each in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(_write, value))
    return str(value)
