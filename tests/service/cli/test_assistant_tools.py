"""The tools for assistants, without the protocol."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.clients.scripted_server import EVALUATION, Reply, run_stub
from tests.service.recomputation.kept_evaluations import TABLE
from thetahat_service.cli import main
from thetahat_service.cli.assistant_tools import FileReading, Tools
from thetahat_service.cli.failures import UserError
from thetahat_service.kinds.examples import RESULT, read_examples


@pytest.fixture
def tools(tmp_path: Path) -> Tools:
    folder = tmp_path / "folder"
    folder.mkdir()
    rows = zip(TABLE["old"], TABLE["new"], strict=True)
    lines = [f"s{i // 5},{old},{new}\n" for i, (old, new) in enumerate(rows)]
    (folder / "losses.csv").write_text("school,old,new\n" + "".join(lines))
    return Tools(folder)


def test_exact_inspect_is_that_of_the_command(
    tools: Tools, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["inspect", str(tools.folder / "losses.csv"), "--json"]) == 0

    assert json.loads(tools.inspect("losses.csv")) == json.loads(capsys.readouterr().out)


def test_exact_compare_has_the_words_of_the_command(
    tools: Tools, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    words = ["--block", "school", "--margin", "0.2", "--level", "0.9"]
    assert main(["compare", str(tools.folder / "losses.csv"), *words]) == 0
    shown = capsys.readouterr().out

    text = tools.compare("losses.csv", FileReading(block="school"), margin=0.2, level=0.9)

    *findings, _ = text.split("\n\n")
    assert len(findings) > 1
    assert all(part in shown for part in findings)


@pytest.mark.parametrize(("margin", "outcome"), [(0.5, "pass"), (1e-4, "undecided")])
def test_exact_gate_says_its_outcome(tools: Tools, margin: float, outcome: str) -> None:
    reading = FileReading(block="school")

    text = tools.gate("losses.csv", "new", "old", margin=margin, reading=reading)

    assert text.startswith(f"Gate: {outcome}. ")


def test_exact_advise_gives_a_request(tools: Tools) -> None:
    advice = json.loads(tools.advise({"n": 200}))

    assert advice["request"]["scheme"]["name"] == advice["scheme"]["name"]


def test_exact_a_result_in_a_file_is_put_into_words(tools: Tools) -> None:
    result = read_examples(RESULT)["losses"]
    (tools.folder / "result.json").write_text(json.dumps(result))

    assert result["summary"]["models"][0]["name"] in tools.read_result("result.json")
    assert len(tools.read_result("result.json", show_all=True)) > 500
    (tools.folder / "other.json").write_text("[1]")
    with pytest.raises(UserError, match="is not the result of an evaluation"):
        tools.read_result("other.json")


def test_exact_a_result_of_a_service_is_read_by_its_id(tools: Tools) -> None:
    result = read_examples(RESULT)["losses"]
    with run_stub(Reply(200, result)) as stub:
        text = Tools(tools.folder, stub.url).read_result(EVALUATION["id"])

    assert stub.requests[0].path == f"/v1/evaluations/{EVALUATION['id']}/result"
    assert result["summary"]["models"][0]["name"] in text
    with pytest.raises(UserError, match="need its address"):
        tools.read_result(EVALUATION["id"])


@pytest.mark.parametrize("name", ["../secret.csv", "/etc/passwd", "link.csv"])
def test_invalid_files_outside_of_the_folder_are_refused(tools: Tools, name: str) -> None:
    (tools.folder.parent / "secret.csv").write_text("a,b\n1,2\n")
    (tools.folder / "link.csv").symlink_to(tools.folder.parent / "secret.csv")

    with pytest.raises(UserError, match="is not below the folder of this server"):
        tools.inspect(name)


def test_invalid_a_file_that_is_not_there_is_refused(tools: Tools) -> None:
    with pytest.raises(UserError, match="There is no file 'absent"):
        tools.compare("absent.csv")
