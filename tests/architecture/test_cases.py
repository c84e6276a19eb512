"""One case for many combinations says which of them failed."""

from __future__ import annotations

import inspect

import pytest

from tests.cases import each


def test_exact_a_failure_names_its_combination_and_others_have_run() -> None:
    seen = []

    @each("a,b", [(1, 2), (3, 4)])
    @each("c", "xy")
    def check(other: str, a: int, b: int, c: str) -> None:
        seen.append((a, b, c))
        assert (a, c) != (3, "y"), other

    with pytest.raises(AssertionError, match="given") as caught:
        check(other="given")

    assert seen == [(1, 2, "x"), (1, 2, "y"), (3, 4, "x"), (3, 4, "y")]
    assert caught.value.__notes__ == ["in the case c = 'y'", "in the case a = 3, b = 4"]
    assert list(inspect.signature(check).parameters) == ["other"]
