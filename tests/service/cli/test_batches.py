"""``submit`` with several requests, on a stub of the service."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from tests.clients.scripted_server import EVALUATION, Reply, Stub, evaluation, run_stub
from thetahat_service.cli import main

FIRST = EVALUATION["id"]
SECOND = "0" * 36
PROBLEM = {
    "type": "/problems/invalid_request",
    "code": "invalid_request",
    "title": "Invalid",
    "status": 422,
    "detail": "The level must be below 1.",
    "errors": [],
}


def outcomes(*items: dict[str, Any]) -> Reply:
    return Reply(200, {"items": [{"index": i, **item} for i, item in enumerate(items)]})


def accepted(identifier: str) -> dict[str, Any]:
    return {"status": 202, "evaluation": {**EVALUATION, "id": identifier}, "problem": None}


REFUSED = {"status": 422, "evaluation": None, "problem": PROBLEM}


def run(stub: Stub, *words: str) -> int:
    return main([*words, "--url", stub.url])


def items_sent(stub: Stub) -> list[Any]:
    return [item["request"] for item in json.loads(stub.requests[0].body)["items"]]


def test_exact_lines_and_files_are_one_batch(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines, single = tmp_path / "two.jsonl", tmp_path / "one.json"
    lines.write_text('{"kind": "a\u2028"}\n\n{"kind": "b"}\r\n')
    single.write_text('{\n  "kind": "c"\n}')
    answer = outcomes(accepted(FIRST), REFUSED, accepted(SECOND))
    with run_stub(answer) as stub:
        assert run(stub, "submit", str(lines), str(single), "--idempotency-key", "night") == 2

    assert stub.requests[0].path == "/v1/evaluations/batch"
    assert stub.requests[0].headers["idempotency-key"] == "night 0"
    assert items_sent(stub) == [{"kind": "a\u2028"}, {"kind": "b"}, {"kind": "c"}]
    out, err = capsys.readouterr()
    assert out == f"{FIRST}\n{SECOND}\n"
    assert err == f"thetahat: {lines}, line 3 was refused: The level must be below 1.\n"


def test_exact_standard_input_may_have_lines(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(
        "sys.stdin", io.TextIOWrapper(io.BytesIO(b'{"kind": "a"}\n{"kind": "b"}\n'))
    )
    with run_stub(outcomes(accepted(FIRST), accepted(SECOND))) as stub:
        assert run(stub, "submit", "-") == 0

    assert len(items_sent(stub)) == 2
    assert capsys.readouterr().out.split() == [FIRST, SECOND]


def test_exact_a_batch_is_waited_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "two.jsonl"
    file.write_text('{"kind": "a"}\n{"kind": "b"}\n')
    ended = [
        evaluation("succeeded", summary={"best_model": "ridge"}),
        evaluation("failed", id=SECOND),
    ]
    with run_stub(outcomes(accepted(FIRST), accepted(SECOND)), *ended) as stub:
        assert run(stub, "submit", str(file), "--wait") == 1

    header, first, second = capsys.readouterr().out.splitlines()
    assert header.index("best model") == first.index("ridge")
    assert first.startswith(FIRST)
    assert second.startswith(SECOND)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"kind": "a"}\n{"kind": \n', "line 2 is not JSON"),
        ('{"kind": "a"}\n[1]\n', "line 2 must hold one JSON object"),
        ("\n", "has no request"),
    ],
)
def test_invalid_lines_are_named_and_nothing_is_sent(
    text: str, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "requests.jsonl"
    file.write_text(text)
    with run_stub(outcomes(accepted(FIRST))) as stub:
        assert run(stub, "submit", str(file)) == 2

    assert stub.requests == []
    assert words in capsys.readouterr().err
