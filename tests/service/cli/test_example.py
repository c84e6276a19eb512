"""``thetahat example`` writes files that the commands it names take."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from thetahat_service.cli import main
from thetahat_service.cli.example import FILES
from thetahat_service.kinds.registry import JOB_KINDS


def test_exact_the_files_are_those_of_the_table_and_their_commands_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)

    assert main(["example"]) == 0
    printed = capsys.readouterr().out

    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(FILES)
    commands = re.findall(r"^  thetahat (.*)$", printed, re.MULTILINE)
    assert len(commands) == len(FILES)
    for command in commands:
        if not command.startswith("submit"):  # which needs a service: test_document_blocks.py
            assert main(command.split()) == 0
    request = json.loads((tmp_path / "exam_request.json").read_text())
    parsed = JOB_KINDS[request["kind"]].request.model_validate(
        {**request, "dataset": "00000000-0000-0000-0000-000000000000"}
    )
    assert parsed.kind == "cross_validation"


def test_exact_writing_them_again_changes_nothing(tmp_path: Path) -> None:
    assert main(["example", str(tmp_path)]) == 0
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}

    assert main(["example", str(tmp_path)]) == 0
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_invalid_another_file_of_the_name_is_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "exam.csv").write_text("mine")

    assert main(["example", str(tmp_path)]) == 2
    assert f"{tmp_path / 'exam.csv'} exists and is another file" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["exam.csv"]
    assert (tmp_path / "exam.csv").read_text() == "mine"


def test_invalid_a_folder_that_is_not_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["example", str(tmp_path / "none")]) == 2
    assert "There is no folder" in capsys.readouterr().err
