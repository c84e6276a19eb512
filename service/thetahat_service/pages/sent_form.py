"""A form of a page with what was sent before, and what was wrong with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from thetahat_presentation.wording import join_words

Fields: TypeAlias = Mapping[str, Sequence[str]]
"""What was sent, by field."""
FieldPaths: TypeAlias = Mapping[tuple[str | int, ...], str]
"""The field of a form for each path into the request that it makes; of several the longest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FormProblems:
    """What is wrong with a form."""

    by_field: Mapping[str, str] = field(default_factory=dict)
    """A sentence for each field that is wrong."""
    others: Sequence[str] = ()
    """Sentences about no field in particular."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SentForm:
    """A form with what was sent before; nothing of a new one."""

    values: Fields = field(default_factory=dict)
    problems: FormProblems = field(default_factory=FormProblems)

    @property
    def is_new(self) -> bool:
        """Whether nothing was sent before."""
        return not self.values

    def value(self, name: str, default: str = "") -> str:
        """Return what was sent for a field."""
        return self.values.get(name, [default])[-1]

    def is_chosen(self, name: str, value: str, *, default: bool = False) -> bool:
        """Return whether a value was chosen."""
        return default if self.is_new else value in self.values.get(name, ())

    def error(self, name: str) -> str:
        """Return what is wrong with a field; empty if nothing is."""
        return self.problems.by_field.get(name, "")


def read_text(values: Fields, name: str) -> str | None:
    """Return what was sent for a field, without spaces around it; None for nothing."""
    return values.get(name, [""])[-1].strip() or None


def read_number(text: str | None) -> float | int | str | None:
    """Return a number; what is none stays text, so that its refusal names it."""
    for kind in (int, float):
        try:
            return text and kind(text)
        except ValueError:
            continue
    return text


def sort_problems(
    errors: Sequence[tuple[tuple[str | int, ...], str]], detail: str, fields: FieldPaths
) -> FormProblems:
    """Return the errors of a request by the field of the form that they are about."""
    by_field: dict[str, str] = {}
    other_faults = []
    for path, message in errors:
        ends = range(len(path), 0, -1)
        name = next((fields[path[:end]] for end in ends if path[:end] in fields), None)
        if name is None:
            place = ".".join(map(str, path))
            other_faults.append(f"{place}: {message}" if place else message)
        else:
            by_field[name] = join_words([by_field[name], message]) if name in by_field else message
    if not by_field and not other_faults:
        other_faults.append(detail)
    return FormProblems(by_field=by_field, others=other_faults)
