"""The descriptions of fields, read from the source."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from thetahat_service.schemas.field_descriptions import describe_fields


@dataclass(frozen=True)
class Parent:
    """A parent."""

    kind: ClassVar[str] = "parent"

    low: float
    """Lower end; None
    if it is open."""
    high: float
    both: float = 0.0
    """The parent's text."""


@dataclass(frozen=True)
class Child(Parent):
    """A child."""

    both: float = 1.0
    """The child's text."""

    def width(self) -> float:
        """Return the width."""
        return self.high - self.low


def test_exact_a_description_is_the_string_below_the_field() -> None:
    assert describe_fields(Parent) == {
        "low": "Lower end; None if it is open.",
        "both": "The parent's text.",
    }


def test_exact_a_child_has_its_parents_descriptions_and_its_own() -> None:
    assert describe_fields(Child) == {
        "low": "Lower end; None if it is open.",
        "both": "The child's text.",
    }
