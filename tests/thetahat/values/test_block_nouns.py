from __future__ import annotations

import pytest

from thetahat.values.block_nouns import pluralise


@pytest.mark.parametrize(
    ("noun", "plural"),
    [
        ("school", "schools"),
        ("study", "studies"),
        ("day", "days"),
        ("class", "classes"),
        ("batch", "batches"),
        ("person", "people"),
        ("test person", "test people"),
        ("series", "series"),
        ("city hospital", "city hospitals"),
    ],
)
def test_exact_plurals(noun: str, plural: str) -> None:
    assert pluralise(noun) == plural
