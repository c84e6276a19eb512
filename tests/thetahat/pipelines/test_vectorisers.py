"""What a request may ask of a text vectoriser."""

from __future__ import annotations

from typing import Any

import pytest

from thetahat.errors import InvalidParameter
from thetahat.pipelines import build_step, read_step_spec


def test_exact_a_vectoriser_says_who_it_is() -> None:
    info = build_step(read_step_spec("TfidfVectorizer"), "classification").info

    assert (info.name, info.references) == ("TfidfVectorizer", ("pedregosa2011",))


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"input": "filename"}, "input of CountVectorizer cannot be set"),
        ({"token_pattern": "(a+)+$"}, "token_pattern of CountVectorizer cannot be set"),
        ({"tokenizer": "str.split"}, "tokenizer of CountVectorizer cannot be set"),
        ({"preprocessor": "str.lower"}, "preprocessor of CountVectorizer cannot be set"),
        ({"vocabulary": ["a"]}, "vocabulary of CountVectorizer cannot be set"),
        ({"analyzer": "code"}, "analyzer of CountVectorizer must be"),
        ({"ngram_range": [1, 2, 3]}, "at most 2 entries"),
        ({"ngram_range": [1, 99]}, "at most 10"),
        ({"min_df": -1}, "min_df of CountVectorizer must be"),
    ],
)
def test_invalid_parameters_of_a_vectoriser(params: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidParameter, match=words):
        build_step(read_step_spec({"name": "CountVectorizer", "params": params}), "classification")
