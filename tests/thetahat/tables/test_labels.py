from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

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


@pytest.mark.parametrize("labels", [["a", "b", "ab"], [1, 2], [True, False], []])
def test_exact_labels_that_differ_have_none(labels: list[str | int]) -> None:
    assert find_similar_labels(labels, "classes") == ()


@pytest.mark.parametrize(
    "pair",
    [
        ("law/01", "law/1"),
        ("law/Q1", "law/q1"),
        ("New York", "New  York"),
        ("a-1", "a\u20131"),
        ("x\u200b", "x"),
        ("\ufeffx", "x"),
    ],
)
def test_exact_labels_that_nobody_tells_apart_are_alike(pair: tuple[str, str]) -> None:
    (caution,) = find_similar_labels(pair, "sources")

    assert caution.code == "labels_alike"


@pytest.mark.parametrize("label", ["1.79374E+18", "1,79374E+18", "2E+15"])
def test_exact_ids_that_a_spreadsheet_rounded_are_a_serious_caution(label: str) -> None:
    (caution,) = find_similar_labels(["a", label], "clusters")

    assert caution.code == "labels_rounded"
    assert f"The clusters have the label {label}" in caution.message
    assert find_similar_labels(["1e5", "e+10", "1E5x"], "clusters") == ()


@pytest.mark.parametrize(
    "mark",
    ["?", "N/A", " - ", "<NA>", "(null)", "missing", "None", "\N{EM DASH}", "#NA", r"\N", " "],
)
def test_exact_marks_of_missing_values_among_labels_are_a_caution(mark: str) -> None:
    (caution,) = find_similar_labels(["a", "b", mark], "classes")

    assert caution.code == "label_is_a_mark"
    assert find_similar_labels(["none", "mild", "error"], "classes") == ()


SHORT_LABELS = st.lists(
    st.sampled_from([*"aAb01/.- _\n+,é", "none", "?", "e+10", "1.", "00"]), max_size=4
).map("".join)


@given(labels=st.lists(SHORT_LABELS, min_size=1, max_size=4))
def test_property_labels_seen_together_have_the_cautions_of_each_alone(labels: list[str]) -> None:
    together = find_similar_labels(labels, "items")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("thetahat.tables.labels._are_plain", lambda _: False)
        assert find_similar_labels(labels, "items") == together
