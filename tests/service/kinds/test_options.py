"""The options of an evaluation: the same in Python and in requests."""

from __future__ import annotations

from dataclasses import fields
from typing import ClassVar, get_origin, get_type_hints

import pytest

import thetahat
from thetahat.analyses.losses.choices import METHOD_FIELDS, OPTION_NAMES, Choices
from thetahat.analyses.losses.options import EvaluationOptions
from thetahat.errors import InvalidParameter
from thetahat_service.kinds.fields.analysis import AnalysisRequest
from thetahat_service.kinds.losses.request import LossesRequest


def test_exact_options_have_the_same_names_everywhere() -> None:
    of_choices = {field.name for field in fields(Choices)}

    assert set(EvaluationOptions.__annotations__) == of_choices - set(METHOD_FIELDS)
    of_request = {
        name
        for name, hint in get_type_hints(AnalysisRequest).items()
        if name in AnalysisRequest.__annotations__ and get_origin(hint) is not ClassVar
    }
    # a request names the tests of all models among its tests
    assert of_request == of_choices - {"omnibus"}


def test_exact_a_request_without_options_has_the_defaults_of_python() -> None:
    request = LossesRequest.model_validate(
        {"kind": "losses", "losses": {"a": [[0, 1], [1, 1]], "b": [[1, 0], [0, 0]]}}
    )

    assert request.choices == Choices()


def test_exact_every_option_of_a_request_reaches_the_choices() -> None:
    options = {
        "level": 0.9,
        "margin": 0.1,
        "alternative": "less",
        "correction": "bonferroni",
        "control": "a",
        "power": 0.7,
        "rope": 0.05,
        "clip": True,
        "range": (0.0, 1.0),
        "paired_unit": "block",
        "unit": "school",
        "unit_plural": "schools",
        "target": "new_source",
        "include": ["tests", "variances"],
        "gate": {"model": "b", "against": "a", "require": "better", "undecided": "fail"},
    }
    assert {*options, "pairs"} == set(OPTION_NAMES)

    losses = {"kind": "losses", "losses": {"a": [[0, 1], [1, 1]], "b": [[1, 0], [0, 0]]}}
    request = LossesRequest.model_validate({**losses, **options})
    # every model is compared with the one of a gate, so that pairs has a request of its own
    assert LossesRequest.model_validate({**losses, "pairs": "best"}).choices == Choices(
        pairs="best"
    )

    gate = thetahat.Gate(model="b", against="a", require="better", undecided="fail")  # type: ignore[arg-type]
    assert request.choices == Choices(**{**options, "gate": gate})  # type: ignore[arg-type]


def test_invalid_an_unknown_option_is_refused_with_the_known_ones() -> None:
    with pytest.raises(InvalidParameter, match=r"evaluate has no option 'levl' \(.*level"):
        thetahat.evaluate({"a": [[0, 1], [1, 1]]}, levl=0.9)  # type: ignore[call-arg]
