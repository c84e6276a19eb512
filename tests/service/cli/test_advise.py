"""``thetahat advise``: the advice as text and as JSON, here and from a service."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.clients.scripted_server import Reply, run_stub
from thetahat_service.cli import main
from thetahat_service.schemas.advice import EXAMPLE


@pytest.fixture
def situation(tmp_path: Path) -> str:
    path = tmp_path / "request.json"
    path.write_text(json.dumps(EXAMPLE))
    return str(path)


def test_exact_the_text_has_every_part(situation: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["advise", situation]) == 0

    text = capsys.readouterr().out
    assert "Scheme: stratified_repeated_k_fold (n_folds 10, n_repeats 5)" in text
    assert "100 fits, about 250 seconds" in text
    for part in ("Interval: ", "Test: ", "Precision, in units of the loss:", "Request:"):
        assert part in text
    request = json.loads(text.partition("Request:\n")[2])
    assert request["scheme"]["params"] == {"n_folds": 10, "n_repeats": 5}


def test_exact_a_service_gives_the_same_json(
    situation: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["advise", situation, "--json"]) == 0
    here = json.loads(capsys.readouterr().out)

    with run_stub(Reply(200, here)) as stub:
        assert main(["advise", situation, "--json", "--url", stub.url]) == 0

    assert json.loads(capsys.readouterr().out) == here
    (request,) = stub.requests
    assert (request.method, request.path) == ("POST", "/v1/advice")
    assert json.loads(request.body) == EXAMPLE


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"n": 10, "class_counts": {"a": 5, "b": 6}}, "class_counts must add up to n"),
        ({"n": 10, "rows": 6}, "no field rows"),
    ],
)
def test_invalid_requests_end_with_a_sentence(
    body: dict[str, object],
    words: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / "request.json"
    path.write_text(json.dumps(body))

    assert main(["advise", str(path)]) != 0

    assert words in capsys.readouterr().err
