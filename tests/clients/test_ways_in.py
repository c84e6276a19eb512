"""Every question about results, sent by the clients and by the command ``submit``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.service.surfaces.ways_in import QUESTIONS, Post, Question
from thetahat_client import Client
from thetahat_service.cli import main

each_question = pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.name)


def request_of(question: Question) -> dict[str, Any]:
    run = question.ways[0].run
    assert isinstance(run, Post)
    return run.request


def with_arrays(value: Any) -> Any:
    """Return a request with arrays in place of lists of numbers."""
    if isinstance(value, dict):
        return {key: with_arrays(each) for key, each in value.items()}
    is_numbers = isinstance(value, list) and all(isinstance(each, int | float) for each in value)
    return np.array(value) if is_numbers else value


@each_question
def test_exact_a_client_sends_it_with_lists_and_with_arrays(
    client: Client, question: Question
) -> None:
    request = {**request_of(question), "seed": 36}
    plain, arrays = (
        client.submit(body, wait=60).result for body in (request, with_arrays(request))
    )

    assert plain is not None
    assert question.is_answered(plain)
    assert arrays is not None
    for part in ("models", "comparisons", "coefficients"):
        assert arrays.get(part) == plain.get(part)


@each_question
def test_exact_the_command_submits_it(
    service_url: str, question: Question, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "request.json"
    path.write_text(json.dumps(request_of(question)))

    assert main(["submit", str(path), "--wait", "--json", "--url", service_url]) == 0

    assert question.is_answered(json.loads(capsys.readouterr().out))
