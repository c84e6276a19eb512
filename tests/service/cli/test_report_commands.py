"""``report``, ``sign-off``, ``sign-offs``, and tables of ``result``, on a stub of the service."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.clients.scripted_server import EVALUATION, Reply, problem, run_stub
from tests.service.cli.test_evaluation_commands import page, run
from thetahat_service.api.app import create_app

ID = EVALUATION["id"]
SIGNED = {
    "id": "0" * 36,
    "at": "2026-11-22T10:00:00Z",
    "name": "Ann Reviewer",
    "owner": "local",
    "actor": "local",
    "decision": "approved",
    "comment": "Only for [bold] schools.",
    "result_sha256": "c" * 64,
    "matches_result": False,
}
DOCUMENTATION = Path(__file__).parents[3] / "docs" / "reports.md"


@pytest.mark.parametrize(
    ("ending", "output"),
    [
        ("pdf", "report.pdf"),
        ("html", "report.html"),
        ("ipynb", "notebook.ipynb"),
        ("zip", "bundle.zip"),
    ],
)
def test_exact_a_report_is_written_to_a_file(
    ending: str, output: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / f"report.{ending}"
    with run_stub(Reply(200, {"bytes": 1})) as stub:
        assert run(stub, "report", ID, "--output", str(file)) == 0

    assert stub.requests[0].path == f"/v1/evaluations/{ID}/{output}"
    assert json.loads(file.read_bytes()) == {"bytes": 1}
    assert capsys.readouterr().out == f"{file}\n"


def test_invalid_a_report_of_another_ending_is_not_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with run_stub(Reply(200, {})) as stub:
        assert run(stub, "report", ID, "--output", str(tmp_path / "report.docx")) == 2

    assert not stub.requests
    assert "must end in .pdf, .html, .ipynb or .zip" in capsys.readouterr().err


def test_exact_a_report_that_is_not_there_writes_no_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "report.pdf"
    with run_stub(problem(409, "result_not_ready", "Evaluation x is queued.")) as stub:
        assert run(stub, "report", ID, "--output", str(file)) == 5

    assert not file.exists()
    assert "is queued" in capsys.readouterr().err


def test_exact_a_sign_off_sends_what_was_decided(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("--name", "Ann Reviewer", "--decision", "approved", "--comment", "Only for schools.")
    with run_stub(Reply(201, SIGNED)) as stub:
        assert run(stub, "sign-off", ID, *words, "--result-sha256", "c" * 64) == 0

    request = stub.requests[0]
    assert (request.method, request.path) == ("POST", f"/v1/evaluations/{ID}/sign-offs")
    assert json.loads(request.body) == {
        "name": "Ann Reviewer",
        "decision": "approved",
        "comment": "Only for schools.",
        "result_sha256": "c" * 64,
    }
    assert "approved by Ann Reviewer" in capsys.readouterr().out


def test_invalid_an_unknown_decision_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    with run_stub(Reply(201, SIGNED)) as stub:
        assert run(stub, "sign-off", ID, "--name", "Ann", "--decision", "yes") == 2

    assert not stub.requests
    assert "approved" in capsys.readouterr().err


def test_exact_sign_offs_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    with run_stub(page(SIGNED)) as stub:
        assert run(stub, "sign-offs", ID) == 0
    listed = capsys.readouterr().out
    with run_stub(page(SIGNED)) as stub:
        assert run(stub, "sign-offs", ID, "--json") == 0
    as_json = json.loads(capsys.readouterr().out)
    with run_stub(page()) as stub:
        assert run(stub, "sign-offs", ID) == 0

    assert re.search(
        r"2026-11-22 10:00 +approved +Ann Reviewer +local +no +Only for \[bold\]", listed
    )
    assert as_json == [SIGNED]
    assert capsys.readouterr().err == "Nobody has signed this result.\n"


@pytest.mark.parametrize(("option", "sign"), [("--markdown", "|:--|"), ("--latex", r"\toprule")])
def test_exact_a_result_is_printed_for_papers(
    option: str, sign: str, capsys: pytest.CaptureFixture[str]
) -> None:
    model = {"mean": {"macro": 0.5, "pooled": 0.5}, "n": 4, "blocks": 2, "recommended": {}}
    content = {"kind": "losses", "models": {"a_b": model}, "comparisons": [], "cautions": []}
    with run_stub(Reply(200, content)) as stub:
        assert run(stub, "result", ID, option) == 0
        assert sign in capsys.readouterr().out
        assert run(stub, "result", ID, option, "--json") == 2


def test_exact_the_documentation_names_paths_that_are_served() -> None:
    text = DOCUMENTATION.read_text(encoding="utf-8")
    served = {
        (method.upper(), path.replace("{evaluation_id}", "ID"))
        for path, operations in create_app().openapi()["paths"].items()
        for method in operations
    }
    named = set(re.findall(r"^\| `(GET|POST) ([^`]+)` \|", text, re.MULTILINE))

    assert len(named) == 6
    assert named <= served
