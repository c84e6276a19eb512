"""A method's formula, sources and assumptions are in its ``MethodInfo``, and only there."""

from __future__ import annotations

import inspect
import re
from typing import Final

import pytest

from thetahat.families import collect_families

REPEATED: Final = re.compile(r"^(Source: |Assumes |Assumptions: |Formula: )", re.MULTILINE)


def without_spaces(text: str) -> str:
    """Return a text without spaces and line breaks."""
    return re.sub(r"\s+", "", text)


@pytest.mark.parametrize("family", sorted(collect_families()))
def test_exact_docstrings_repeat_nothing_of_the_description(family: str) -> None:
    repeating = []
    for name, method in collect_families()[family].items():
        text, info = inspect.getdoc(method) or "", method.info
        summary = text.partition("\n")[0]
        assert summary.endswith("."), name
        formula = without_spaces(info.formula)
        if REPEATED.search(text) or (len(formula) > 12 and formula in without_spaces(text)):
            repeating.append(name)

    assert not repeating
