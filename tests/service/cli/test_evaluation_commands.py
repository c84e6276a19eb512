"""``list``, ``cancel`` and ``delete``, and the group ``datasets``, on a stub of the service."""

from __future__ import annotations

import io
import json
import os
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.clients.scripted_server import DATASET, EVALUATION, Reply, Stub, evaluation, run_stub
from thetahat_service.cli import main

ID = EVALUATION["id"]
OTHER = {**EVALUATION, "id": "0" * 36, "status": "failed", "name": "[bold]:smile:"}
ENDED = {**EVALUATION, "summary": {"best_model": "ridge"}}


def page(*items: dict[str, Any], following: str | None = None) -> Reply:
    return Reply(200, {"items": list(items), "next": following})


def run(stub: Stub, *words: str) -> int:
    return main([*words, "--url", stub.url])


class Terminal(io.StringIO):
    """A text file that claims to be a terminal."""

    def isatty(self) -> bool:
        return True


def use_narrow_terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    terminal = Terminal()
    monkeypatch.setattr("sys.stdout", terminal)
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setenv("NO_COLOR", "1")
    return terminal


def test_exact_list_prints_a_row_per_evaluation(capsys: pytest.CaptureFixture[str]) -> None:
    with run_stub(page(EVALUATION, OTHER)) as stub:
        assert run(stub, "list", "--status", "failed", "--label", "team:x", "--limit", "2") == 0

    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["id", "status", "kind", "name", "submitted", "(UTC)"]
    assert lines[1].split() == [ID, "queued", "losses", "2026-11-21", "05:04"]
    assert "[bold]:smile:" in lines[2]  # a name is no markup
    assert stub.requests[0].query == {"status": ["failed"], "label": ["team:x"], "limit": ["2"]}


def test_exact_list_shows_the_best_model(capsys: pytest.CaptureFixture[str]) -> None:
    with run_stub(page(ENDED, OTHER)) as stub:
        assert run(stub, "list") == 0

    header, first, _ = capsys.readouterr().out.splitlines()
    assert header.index("best model") == first.index("ridge")


def test_exact_list_filters_by_what_came_out(capsys: pytest.CaptureFixture[str]) -> None:
    signed = {**ENDED, "verdict": "mixed", "gate": "fail", "sign_off": "rejected"}
    filters = {"name": "rel", "verdict": "mixed", "gate": "fail", "sign-off": "rejected"}
    with run_stub(page(signed)) as stub:
        assert run(stub, "list", *(f"--{name}={value}" for name, value in filters.items())) == 0

    _, row = capsys.readouterr().out.splitlines()
    assert [word for word in row.split() if word in filters.values()] == [
        "mixed",
        "fail",
        "rejected",
    ]
    query = {name.replace("-", "_"): [value] for name, value in filters.items()}
    assert stub.requests[0].query == {**query, "limit": ["20"]}


def test_exact_list_asks_for_no_more_than_it_prints(capsys: pytest.CaptureFixture[str]) -> None:
    with run_stub(page(EVALUATION, OTHER, following="c")) as stub:
        assert run(stub, "list", "--limit", "1", "--after", "2026-11-20", "--json") == 0

    assert json.loads(capsys.readouterr().out) == [EVALUATION]
    assert len(stub.requests) == 1
    assert stub.requests[0].query["created_after"] == ["2026-11-20T00:00:00+00:00"]


def test_exact_a_table_folds_to_the_width_of_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = use_narrow_terminal(monkeypatch)
    named = {**EVALUATION, "name": "a name of several words that is too long"}
    with run_stub(page(named)) as stub:
        assert run(stub, "list") == 0

    lines = re.sub(r"\x1b\[\d+m", "", terminal.getvalue()).splitlines()
    assert max(map(len, lines)) <= 60
    assert any(line.startswith(ID) for line in lines)


def test_exact_an_empty_list_is_reported_on_standard_error(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with run_stub(page()) as stub:
        assert run(stub, "list") == 0
        assert run(stub, "datasets", "list") == 0

    assert capsys.readouterr() == ("", "No evaluation matches.\nThere are no data sets.\n")


def test_invalid_labels_have_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    with run_stub(page()) as stub:
        assert run(stub, "list", "--label", "team") == 2

    assert capsys.readouterr().err == (
        "thetahat: The label 'team' must have the form NAME:VALUE.\n"
    )


def test_exact_cancel_prints_the_status_of_each(capsys: pytest.CaptureFixture[str]) -> None:
    with run_stub(evaluation("cancelled"), evaluation("succeeded")) as stub:
        assert run(stub, "cancel", "one", "two") == 0

    assert capsys.readouterr().out == "one  cancelled\ntwo  succeeded\n"
    assert [request.path for request in stub.requests] == [
        "/v1/evaluations/one/cancel",
        "/v1/evaluations/two/cancel",
    ]


@pytest.mark.parametrize(
    ("words", "path"),
    [(("delete",), "/v1/evaluations/one"), (("datasets", "delete"), "/v1/datasets/one")],
)
def test_exact_delete_asks_on_a_terminal_only(
    words: tuple[str, ...],
    path: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    answer = Terminal("n\n")
    monkeypatch.setattr(sys, "stdin", answer)
    with run_stub(Reply(204)) as stub:
        assert run(stub, *words, "one") == 1
        assert stub.requests == []
        assert run(stub, *words, "one", "--yes") == 0
        monkeypatch.setattr(sys, "stdin", io.StringIO())
        assert run(stub, *words, "one") == 0

    assert [(request.method, request.path) for request in stub.requests] == [("DELETE", path)] * 2
    out, err = capsys.readouterr()
    assert out.count("one  deleted\n") == 2
    assert "Delete 1 " in err


def test_exact_datasets_are_uploaded_listed_and_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "a.csv"
    file.write_text("x\n1\n")
    preview = {"columns": [{"name": f"c{i}"} for i in range(10)], "rows": [[*range(9), None]]}
    replies = (Reply(201, DATASET), page(DATASET), Reply(200, DATASET), Reply(200, preview))
    with run_stub(*replies) as stub:
        assert run(stub, "datasets", "upload", str(file), "--name", "mine") == 0
        assert capsys.readouterr() == (f"{DATASET['id']}\n", "1 rows, 1 columns\n")
        assert run(stub, "datasets", "list") == 0
        listed = capsys.readouterr().out.splitlines()[1].split()
        assert run(stub, "datasets", "show", DATASET["id"]) == 0
        shown = capsys.readouterr().out

    assert stub.requests[0].query == {"name": ["mine"]}
    assert listed == [DATASET["id"], "a.csv", "1", "1", "4", "bytes", "2026-11-21", "05:04"]
    assert shown.startswith("a.csv: 1 rows, 4 bytes, text/csv\nsha256 00\n")
    assert "c7" in shown
    assert "and 2 more columns" in shown


def test_exact_show_as_json_has_the_preview(capsys: pytest.CaptureFixture[str]) -> None:
    with run_stub(Reply(200, DATASET), Reply(200, {"rows": [[1]]})) as stub:
        assert run(stub, "datasets", "show", "x", "--json") == 0
        assert json.loads(capsys.readouterr().out) == {**DATASET, "preview": {"rows": [[1]]}}
    with run_stub(Reply(200, DATASET)) as stub:
        assert run(stub, "datasets", "show", "x", "--json", "--rows", "0") == 0
        assert json.loads(capsys.readouterr().out) == DATASET


def test_invalid_files_of_unknown_type_have_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.docx").write_text("x")
    with run_stub(page()) as stub:
        assert run(stub, "datasets", "upload", str(tmp_path / "a.docx")) == 2

    assert "thetahat: The media type of 'a.docx' is unknown" in capsys.readouterr().err


def test_exact_families_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    families = Reply(200, {"families": [{"name": "losses"}, {"name": "schemes"}]})
    with run_stub(families) as stub:
        assert run(stub, "methods") == 0
        assert run(stub, "methods", "--json") == 0

    assert capsys.readouterr().out == 'losses\nschemes\n[\n  "losses",\n  "schemes"\n]\n'


def test_exact_ids_are_completed_from_the_newest_evaluations(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("_THETAHAT_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", "thetahat result 6")
    monkeypatch.setenv("COMP_CWORD", "2")
    with run_stub(page(EVALUATION, OTHER)) as stub:
        monkeypatch.setenv("THETAHAT_URL", stub.url)
        assert main([]) == 0
        assert capsys.readouterr().out.strip() == ID
    assert main([]) == 0  # the service has gone
    assert capsys.readouterr().out.strip() == ""


def test_exact_the_bar_counts_down_the_time_left(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setenv("TERM", "xterm")
    running = {"done": 3, "total": 10, "unit": "splits"}
    states = (
        evaluation("running", '"1"', progress=running, seconds_left=150.0),
        evaluation("succeeded", '"2"', progress={**running, "done": 10}),
    )
    with run_stub(*states) as stub:
        assert run(stub, "watch", ID) == 0

    shown = terminal.getvalue()
    assert "running" in shown
    assert "3 of 10 splits" in shown
    assert "about 2 minutes left" in shown
    assert "10 of 10 splits" in shown
    assert capsys.readouterr().out == "succeeded\n"


def test_exact_a_closed_pipe_is_no_traceback(tmp_path: Path) -> None:
    import subprocess

    script = (
        "import sys; from thetahat_service.cli import main; sys.exit(main(['methods', '--json']))"
    )
    families = Reply(200, {"families": [{"name": "x" * 100} for _ in range(5000)]})
    with run_stub(families) as stub:
        process = subprocess.Popen(
            [sys.executable, "-c", script],
            env={**os.environ, "THETAHAT_URL": stub.url},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(10)
        process.stdout.close()
        error = process.stderr.read()
        process.stderr.close()
        assert process.wait(60) == 1

    assert error == b""
