from __future__ import annotations

import pytest

from thetahat.tables.labels import find_similar_labels


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        (["ill", "Ill", "well"], "The classes 'Ill' and 'ill' differ only"),
        (["a ", "a"], "The classes 'a' and 'a ' differ only"),
        (["caf\u00e9", "cafe\u0301"], r"The classes 'cafe\u0301' and 'caf\xe9' differ only"),
        (["x1", "\uff581"], r"The classes 'x1' and '\uff581' differ only"),
        (["a", "A", "b", "B", "c"], "The classes 'A' and 'a' (and 1 more) differ only"),
    ],
)
def test_exact_labels_that_look_like_one(labels: list[str], words: str) -> None:
    (caution,) = find_similar_labels([*labels, *labels], "classes")

    assert caution.code == "labels_alike"
    assert caution.message.startswith(words)


@pytest.mark.parametrize("labels", [["a", "b", "ab"], [1, 2], [True, False], [], ["", "a"]])
def test_exact_labels_that_differ_have_none(labels: list[str | int]) -> None:
    assert find_similar_labels(labels, "classes") == ()
