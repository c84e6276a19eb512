from __future__ import annotations

import io
import json
import re
from pathlib import Path

import pytest

from tests.clients.scripted_server import (
    DATASET,
    EVALUATION,
    Reply,
    Stub,
    evaluation,
    problem,
    run_stub,
)
from thetahat_service.cli import main

TAKEN = Reply(202, EVALUATION)
ID = EVALUATION["id"]
INTERVAL = {
    "method": "student_t",
    "variance": "theta_3",
    "target": "these_sources",
    "mean": "macro",
    "level": 0.95,
    "lower": 0.1,
    "upper": 0.4,
    "degrees_of_freedom": 4.0,
    "recommended": True,
    "cautions": [{"code": "few_blocks", "message": "only 5 blocks"}],
}
MODEL = {"mean": {"macro": 0.25, "pooled": 0.2}, "n": 45, "blocks": 5, "intervals": [INTERVAL]}
VERDICT = {"decision": "not_worse", "reason": "a is not worse than b", "plan": None}
RESULT = {
    "models": {"a": MODEL, "b": MODEL},
    "comparisons": [{"a": "a", "b": "b", "cautions": [], "verdict": VERDICT}],
    "cautions": [],
}
DONE = evaluation("succeeded", progress={"done": 1, "total": 1, "unit": "evaluation"})


@pytest.fixture
def request_file(tmp_path: Path) -> str:
    path = tmp_path / "request.json"
    path.write_text(json.dumps({"kind": "losses", "losses": {"a": [[1, 0], [0, 1]]}}))
    return str(path)


def run(stub: Stub, *words: str) -> int:
    return main([*words, "--url", stub.url])


def test_exact_submit_prints_the_id_alone(
    request_file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with run_stub(TAKEN) as stub:
        assert run(stub, "submit", request_file) == 0

    assert capsys.readouterr() == (f"{ID}\n", "")
    assert json.loads(stub.requests[0].body)["kind"] == "losses"


def test_exact_submit_reads_standard_input(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b'{"kind": "losses"}')))
    with run_stub(TAKEN) as stub:
        assert run(stub, "submit", "-") == 0

    assert json.loads(stub.requests[0].body) == {"kind": "losses"}
    assert capsys.readouterr().out == f"{ID}\n"


def test_exact_submit_uploads_and_fills_in_the_data_set(request_file: str, tmp_path: Path) -> None:
    data = tmp_path / "d.csv"
    data.write_text("x\n1\n")
    with run_stub(Reply(201, DATASET), TAKEN) as stub:
        assert run(stub, "submit", request_file, "--data", str(data)) == 0

    assert [request.path for request in stub.requests] == ["/v1/datasets", "/v1/evaluations"]
    assert json.loads(stub.requests[1].body)["dataset"] == DATASET["id"]


def test_exact_submit_waits_and_prints_the_table(
    request_file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with run_stub(TAKEN, DONE, Reply(200, RESULT)) as stub:
        assert run(stub, "submit", request_file, "--wait") == 0

    out, err = capsys.readouterr()
    assert out.startswith("a is not worse than b.\n\nMean loss on data like these (45 instances")
    assert re.search(r"a +0\.250 +0\.100 to 0\.400 +├", out)
    assert "all models (on data like these): only 5 blocks" in out
    assert out.endswith("All numbers: --all.\n")
    assert "succeeded" in err


def test_exact_all_is_every_table_and_sentence(
    request_file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with run_stub(TAKEN, DONE, Reply(200, RESULT)) as stub:
        assert run(stub, "submit", request_file, "--wait", "--all") == 0

    out = capsys.readouterr().out
    assert re.search(r"a +0\.250 +0\.200 +0\.100 to 0\.400", out)
    assert "- a is not worse than b." in out
    assert "all models (on data like these): only 5 blocks" in out
    assert (
        "Student t interval from the variance theta 3, 4 degrees of freedom, about the mean loss"
        in " ".join(out.split())
    )


@pytest.mark.parametrize("words", [("result", ID), ("submit", "FILE", "--wait")])
def test_exact_json_is_the_whole_result(
    words: tuple[str, ...], request_file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = (TAKEN, DONE) if words[0] == "submit" else ()
    arguments = [request_file if word == "FILE" else word for word in words]
    with run_stub(*before, Reply(200, RESULT)) as stub:
        assert run(stub, *arguments, "--json") == 0

    assert json.loads(capsys.readouterr().out) == RESULT


def test_exact_status_is_two_lines(capsys: pytest.CaptureFixture[str]) -> None:
    running = {"done": 5, "total": 10, "unit": "splits"}
    with run_stub(evaluation("running", progress=running, name="mine")) as stub:
        assert run(stub, "status", ID) == 0

    assert capsys.readouterr().out == (
        f"[{'#' * 15}{'.' * 15}] 5 of 10 splits, running\n"
        "losses mine, submitted 2026-11-21 05:04:32 UTC\n"
    )


@pytest.mark.parametrize(("end", "code"), [("succeeded", 0), ("failed", 1), ("cancelled", 1)])
def test_exact_watch_ends_with_the_state(
    end: str, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    error = {"type": "/problems/x", "detail": "the learner failed"} if end == "failed" else None
    with run_stub(evaluation("queued"), evaluation(end, '"2"', error=error)) as stub:
        assert run(stub, "watch", ID) == code

    out, err = capsys.readouterr()
    assert out == f"{end}\n"
    assert "queued" in err
    assert ("the learner failed" in err) == (end == "failed")


def test_exact_methods_are_listed_with_how_they_err(capsys: pytest.CaptureFixture[str]) -> None:
    item = {
        "name": "theta_3",
        "title": "B/K",
        "assumptions": "Blocks are drawn.",
        "errs": "Too small where blocks covary.",
        "parameters": {"properties": {"q": {}}},
    }
    with run_stub(Reply(200, {"family": "variances", "items": [item]})) as stub:
        assert run(stub, "methods", "variances") == 0

    assert capsys.readouterr().out == (
        "theta_3: B/K\n    parameters: q\n    assumes: Blocks are drawn.\n"
        "    errs: Too small where blocks covary.\n"
    )


@pytest.mark.parametrize(
    "words", [("status", ID), ("result", ID), ("watch", ID), ("methods", "none")]
)
def test_invalid_requests_have_a_sentence_on_standard_error(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    with run_stub(problem(404, "not_found", "There is no such thing.")) as stub:
        assert run(stub, *words) == 5

    assert capsys.readouterr() == ("", "thetahat: There is no such thing.\n")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "is not JSON"),
        ("[1]", "must hold one JSON object"),
        ('{"a": NaN}', "JSON"),
        (None, "No such file"),
    ],
)
def test_invalid_files_have_a_sentence(
    text: str | None, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "request.json"
    if text is not None:
        path.write_text(text)
    with run_stub(TAKEN) as stub:
        assert run(stub, "submit", str(path)) == 2

    assert stub.requests == []
    out, err = capsys.readouterr()
    assert out == ""
    assert words in err
    assert "Traceback" not in err


@pytest.mark.parametrize("url", ["no-scheme", "http://[", "ftp://127.0.0.1"])
def test_invalid_addresses_have_a_sentence(url: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["status", ID, "--url", url]) in {2, 4}
    assert capsys.readouterr().err.startswith("thetahat: ")


@pytest.mark.parametrize("words", [["submit"], ["status"], ["result", "--nothing"], ["no-such"]])
def test_invalid_usage_is_two(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    assert "Usage: thetahat" in capsys.readouterr().err


def test_exact_address_and_key_come_from_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("THETAHAT_API_KEY", "th_1")
    with run_stub(DONE) as stub:
        monkeypatch.setenv("THETAHAT_URL", stub.url)
        assert main(["status", ID]) == 0

    assert stub.requests[0].headers["authorization"] == "Bearer th_1"
