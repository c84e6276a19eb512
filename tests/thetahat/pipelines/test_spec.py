from __future__ import annotations

from typing import Any

import pytest

from thetahat.errors import InvalidParameter
from thetahat.pipelines import LearnerSpec, StepSpec, read_learner_spec, read_step_spec


def test_exact_a_bare_name_is_short_for_an_object_with_a_name() -> None:
    assert (
        read_learner_spec("ridge") == read_learner_spec({"name": "ridge"}) == LearnerSpec("ridge")
    )
    assert read_step_spec("pca") == read_step_spec({"name": "pca"}) == StepSpec("pca")


def test_exact_every_field_of_a_spec_is_read() -> None:
    wire = {
        "name": "ridge",
        "params": {"penalty": 1.0},
        "prepare": [
            "standardise",
            {"name": "pca", "params": {"n_components": 2}, "columns": ["a"]},
        ],
    }
    steps = (StepSpec("standardise"), StepSpec("pca", {"n_components": 2}, ("a",)))
    assert read_learner_spec(wire) == LearnerSpec("ridge", {"penalty": 1.0}, steps)


@pytest.mark.parametrize(
    ("wire", "loc", "words"),
    [
        (5, (), "Expected a name"),
        ({}, (), "Expected a name"),
        ({"name": 3}, (), "Expected a name"),
        ({"name": "ridge", "steps": []}, ("steps",), "'steps' is not a field"),
        ({"name": "ridge", "columns": ["a"]}, ("columns",), "'columns' is not a field"),
        ({"name": "ridge", "params": [1]}, ("params",), "params must be an object"),
        ({"name": "ridge", "params": {1: 2}}, ("params",), "params must be an object"),
        ({"name": "ridge", "prepare": "pca"}, ("prepare",), "prepare must be a list"),
        ({"name": "ridge", "prepare": ["pca"] * 21}, ("prepare",), "at most 20 steps"),
        ({"name": "ridge", "prepare": ["pca", 7]}, ("prepare", 1), "Expected a name"),
        (
            {"name": "ridge", "prepare": [{"name": "pca", "columns": "a"}]},
            ("prepare", 0, "columns"),
            "columns must be a list",
        ),
        (
            {"name": "ridge", "prepare": [{"name": "pca", "columns": [1]}]},
            ("prepare", 0, "columns"),
            "columns must be a list",
        ),
        (
            {"name": "ridge", "prepare": [{"name": "pca", "columns": []}]},
            ("prepare", 0, "columns"),
            "at least one column",
        ),
        (
            {"name": "ridge", "prepare": [{"name": "pca", "columns": ["a", "a"]}]},
            ("prepare", 0, "columns"),
            "each once",
        ),
    ],
)
def test_invalid_forms_are_refused_with_their_place(
    wire: Any, loc: tuple[str | int, ...], words: str
) -> None:
    with pytest.raises(InvalidParameter, match=words) as refusal:
        read_learner_spec(wire, loc=("learners", "m"))
    assert refusal.value.loc == ("learners", "m", *loc)
