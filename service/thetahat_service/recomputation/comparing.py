"""A recorded result compared with the one that was computed again, value by value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from thetahat.cautions import TEST_SET_USED_OFTEN
from thetahat_presentation.document import Json

ABSENT: Final = "(absent)"


@dataclass(frozen=True, slots=True)
class OtherValue:
    """A value that was computed again and is not the recorded one."""

    path: str
    """Its place in the result."""
    recorded: Any
    computed: Any
    """The two values; ``ABSENT`` for one that is not there."""

    @property
    def is_wording(self) -> bool:
        """Whether both are sentences, or one is a sentence that the other result lacks."""
        texts = [value for value in (self.recorded, self.computed) if value != ABSENT]
        return all(isinstance(value, str) and " " in value and value[-1] in ".?" for value in texts)

    @property
    def relative_size(self) -> float | None:
        """The difference relative to the larger number; None unless both are numbers."""
        first, second = self.recorded, self.computed
        if not (_is_number(first) and _is_number(second)):
            return None
        return float(abs(first - second) / max(abs(first), abs(second)))

    def __str__(self) -> str:
        """Return both values with their place."""
        recorded, computed = _shorten(self.recorded), _shorten(self.computed)
        return f"{self.path}: recorded {recorded}, computed {computed}"


@dataclass(slots=True)
class ComparedValues:
    """What a comparison of two results found."""

    n_equal: int = 0
    """Numbers that are equal to the bit."""
    differences: list[OtherValue] = field(default_factory=list)
    """Values that are not equal."""
    not_computed: dict[str, int] = field(default_factory=dict)
    """How many recorded numbers were not computed again, by the field that has them."""


def compare_results(
    recorded: Json, computed: Json, *, is_whole: bool, left_out: frozenset[str] = frozenset()
) -> ComparedValues:
    """Compare two results, whose cautions are in the places of their keys.

    Parameters
    ----------
    recorded, computed : mapping
        The results as JSON values.
    is_whole : bool
        Whether all of the result was computed again: then what is not there is a difference.
    left_out : frozenset of str
        Fields of the result that are not compared.
    """
    comparison = ComparedValues()
    walk = _Walk(comparison, is_whole=is_whole)
    uses, recorded = _split_uses(recorded)
    if uses:
        walk.add_not_computed("test_set", uses)
    walk.compare(
        {name: value for name, value in recorded.items() if name not in left_out},
        {name: value for name, value in computed.items() if name not in left_out},
        "",
    )
    for name in left_out & recorded.keys() - {"provenance"}:  # whose seed is no result
        walk.add_not_computed(name, recorded[name])
    return comparison


def _split_uses(result: Json) -> tuple[Json, Json]:
    """Return how often the test set was used, which no result has by itself, and the rest."""
    provenance = result.get("provenance")
    uses = provenance.get("test_set") if isinstance(provenance, Mapping) else None
    if not isinstance(provenance, Mapping) or not isinstance(uses, Mapping):
        return {}, result
    rest = {name: value for name, value in provenance.items() if name != "test_set"}
    cautions = [
        each
        for each in result.get("cautions", ())
        if not (isinstance(each, Mapping) and each.get("code") == TEST_SET_USED_OFTEN.code)
    ]
    return uses, {**result, "cautions": cautions, "provenance": rest}


@dataclass(frozen=True, slots=True)
class _Walk:
    comparison: ComparedValues
    is_whole: bool

    def compare(self, recorded: Any, computed: Any, path: str) -> None:
        """Compare two values of the same place, at every depth."""
        if isinstance(recorded, Mapping) and isinstance(computed, Mapping):
            self._compare_objects(recorded, computed, path)
        elif isinstance(recorded, list) and isinstance(computed, list):
            self._compare_lists(recorded, computed, path)
        elif repr(recorded) != repr(computed):  # which also tells 0.0 from -0.0
            self._add(path, recorded, computed)
        elif _is_number(recorded):
            self.comparison.n_equal += 1

    def _compare_objects(self, recorded: Json, computed: Json, path: str) -> None:
        for name, value in recorded.items():
            place = f"{path}.{name}" if path else name
            if name in computed:
                self.compare(value, computed[name], place)
            elif self.is_whole:
                self._add(place, value, ABSENT)
            else:
                self.add_not_computed(name, value)
        for name, value in computed.items():
            if name not in recorded:
                self._add(f"{path}.{name}" if path else name, ABSENT, value)

    def _compare_lists(self, recorded: list[Any], computed: list[Any], path: str) -> None:
        if path.endswith("cautions") and not self.is_whole:
            # What a request or its learners have cautions about is not computed again.
            for missing in (each for each in computed if each not in recorded):
                self._add(path, ABSENT, missing)
        elif len(recorded) == len(computed):
            for place, (first, second) in enumerate(zip(recorded, computed, strict=True)):
                self.compare(first, second, f"{path}[{place}]")
        else:
            self._add(path, f"{len(recorded)} entries", f"{len(computed)} entries")

    def add_not_computed(self, name: str, value: Any) -> None:
        """Count the numbers of a value that was not computed again."""
        n = sum(1 for _ in _iterate_numbers(value))
        if n:
            counts = self.comparison.not_computed
            counts[name] = counts.get(name, 0) + n

    def _add(self, path: str, recorded: Any, computed: Any) -> None:
        self.comparison.differences.append(OtherValue(path, recorded, computed))


def _iterate_numbers(value: Any) -> Iterator[Any]:
    if isinstance(value, Mapping):
        value = list(value.values())
    if isinstance(value, list):
        for entry in value:
            yield from _iterate_numbers(entry)
    elif _is_number(value):
        yield value


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _shorten(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
