"""The word score for loss in sentences of results."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from thetahat.values.score_words import describe_with_scores, name_scores


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    name: str
    message: str


UNCHANGED = (
    'Send "better": "lower" if they are "losses".',
    "loss_range and model loss-a stay; so does `loss`",
    "A glossary of lossless words",
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Losses of a vary; its mean loss is 0.2.", "Scores of a vary; its mean score is 0.2."),
        *[(text, text) for text in UNCHANGED],
    ],
)
def test_exact_sentences_say_score(text: str, expected: str) -> None:
    part = Part(name="the loss", message=text)

    named = name_scores(part, ["a", "loss-a"], higher_is_better=True)

    assert named == Part(name="the loss", message=expected)
    assert name_scores(part, ["a"], higher_is_better=False) is part


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("the model with the smaller loss wins", "the model with the larger score wins"),
        ("Losses are skewed; the lowest mean loss", "Scores are skewed; the highest mean score"),
        ("a larger sample and `loss`", "a larger sample and `loss`"),
    ],
)
def test_exact_descriptions_of_methods_hold_for_scores(text: str, expected: str) -> None:
    assert describe_with_scores(text) == expected
