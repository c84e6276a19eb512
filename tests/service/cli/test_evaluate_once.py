"""``thetahat compare`` and ``thetahat gate`` without a server."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest

import thetahat
from tests.servers.processes import free_port
from thetahat import GateOutcome, Requirement
from thetahat.values.left_out_rows import MissingRows
from thetahat.values.types import Better, BlockKind
from thetahat_service.cli import compared_files, gate, main


@pytest.fixture(autouse=True)
def without_service(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("THETAHAT_URL", raising=False)


@pytest.fixture
def losses() -> dict[str, np.ndarray]:
    """Return (12, 20) losses of three models; ``new`` is better than ``old`` by 0.05."""
    rng = np.random.default_rng(8)
    old = rng.normal(1, 0.3, size=(12, 20)).round(6)
    new = (old - 0.05 + 0.01 * rng.normal(size=old.shape)).round(6)
    return {"old": old, "new": new, "noisy": (old + rng.normal(size=old.shape)).round(6)}


@pytest.fixture
def table(tmp_path: Path, losses: dict[str, np.ndarray]) -> Path:
    lines = [",".join(["school", *losses])]
    for i in range(12):
        lines += [
            ",".join([f"s{i}", *(str(losses[name][i, j]) for name in losses)]) for j in range(20)
        ]
    path = tmp_path / "losses.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def run_json(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, Any]:
    """Return the exit status of a command, and the JSON that it printed."""
    capsys.readouterr()
    status = main(words)
    return status, json.loads(capsys.readouterr().out)


def test_exact_a_file_gives_the_numbers_of_the_library(
    table: Path, losses: dict[str, np.ndarray], capsys: pytest.CaptureFixture[str]
) -> None:
    status, result = run_json(capsys, "compare", str(table), "--block", "school", "--json")
    expected = thetahat.evaluate(
        {name: list(rows) for name, rows in losses.items()},
        blocks="source",
        seed=result["provenance"]["seed"],
    )

    assert status == 0
    assert result["unit"] == {"singular": "school", "plural": "schools"}
    assert list(result["models"]) == ["old", "new", "noisy"]
    for name, model in expected.models.items():
        assert result["models"][name]["mean"]["macro"] == model.mean.macro
    other: Any
    for pair, other in zip(result["comparisons"], expected.comparisons, strict=True):
        ends = (other.interval.lower, other.interval.upper)
        assert (pair["interval"]["lower"], pair["interval"]["upper"]) == ends


def test_exact_the_same_file_gives_the_same_bytes(
    table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    results = [
        run_json(capsys, "compare", str(table), "--block", "school", "--json") for _ in range(2)
    ]

    assert results[0] == results[1]


def test_exact_the_columns_are_chosen_by_their_names_and_options(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "table.csv"
    rows = [f"{i % 4},{i % 8},x{i},{0.1 * i % 1:.2f},{0.3 * i % 1:.2f}" for i in range(16)]
    path.write_text("\n".join(["block,cluster,note,a,b", *rows]) + "\n")

    status, result = run_json(capsys, "compare", str(path), "--json")
    assert status == 0
    assert list(result["models"]) == ["a", "b"]
    assert result["block_labels"] == [0, 1, 2, 3]

    status, result = run_json(capsys, "compare", str(path), "--model", "b", "--json")
    assert list(result["models"]) == ["b"]


def test_exact_a_file_without_blocks_is_one_test_set(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "scores.csv"
    path.write_text("a,b\n" + "\n".join(f"{i % 2},{i % 3 % 2}" for i in range(30)) + "\n")

    assert main(["compare", str(path)]) == 0
    printed = capsys.readouterr()

    assert "30 instances in 1 " in printed.out
    assert "models: a, b (lower is better); one test set" in printed.err


def write_table(path: Path, heading: str, *columns: list[float | str]) -> Path:
    rows = [",".join(str(value) for value in row) for row in zip(*columns, strict=True)]
    path.write_text("\n".join([heading, *rows]) + "\n")
    return path


def test_exact_columns_that_number_or_name_the_rows_are_no_models(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    n = 24
    right: list[list[float | str]] = [[float(i % k != 0) for i in range(n)] for k in (4, 5)]
    table = write_table(
        tmp_path / "scores.csv",
        "n,patient_id,site,first,second",
        [n - i for i in range(n)],
        [100 + 7 * (i % 9) for i in range(n)],
        [f"site {i % 3}" for i in range(n)],
        *right,
    )

    assert main(["compare", str(table)]) == 2
    assert "Column 'patient_id' may say which rows belong together" in capsys.readouterr().err
    assert main(["compare", str(table), "--blocks", "holdout"]) == 0
    printed = capsys.readouterr()

    assert "models: first, second (lower is better)" in printed.err
    assert "not used: n, which has the whole numbers 1 to 24, each once." in printed.err
    assert "not used: patient_id, which has a name and whole numbers that are" in printed.err
    assert "not used: site, which is text, with 3 different values in 24 rows." in printed.err
    assert "Serious: All values are 0 or 1" in printed.out

    status, result = run_json(capsys, "compare", str(table), "--model", "patient_id", "--json")
    assert status == 0
    assert list(result["models"]) == ["patient_id"]


def test_invalid_predictions_are_not_compared_as_losses(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    columns: list[list[float | str]] = [[0.1 * (i % k) for i in range(20)] for k in (7, 8, 9)]
    table = write_table(tmp_path / "predictions.csv", "y_true,new,old", *columns)

    assert main(["compare", str(table)]) == 2
    assert "The column 'y_true' seems to have the true values" in capsys.readouterr().err

    models = [word for name in ("y_true", "new") for word in ("--model", name)]
    assert main(["compare", str(table), *models]) == 0


def test_invalid_files_of_predictions_are_not_compared_as_scores(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ids: list[float | str] = [*range(20)]
    paths = [
        write_table(tmp_path / f"{k}.csv", "id,y_true,y_pred", ids, [i % 2 for i in range(20)],
                    [i % k % 2 for i in range(20)])
        for k in (3, 5)
    ]  # fmt: skip

    assert main(["compare", *map(str, paths), "--better", "higher"]) == 2
    assert "The column 'y_pred' seems to have predictions." in capsys.readouterr().err
    assert main(["compare", *map(str, paths), "--better", "higher", "--score", "y_pred"]) == 0


def test_exact_models_named_like_labels_with_scores_of_0_and_1_are_compared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    columns: list[list[float | str]] = [[int(i % k == 0) for i in range(20)] for k in (2, 3)]
    table = write_table(tmp_path / "scores.csv", "run,prompt", *columns)

    status, result = run_json(capsys, "compare", str(table), "--json")

    assert status == 0
    assert list(result["models"]) == ["run", "prompt"]


def test_exact_nothing_is_asked_where_the_option_says_which_values_are_better(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    columns: list[list[float | str]] = [[int(i % k != 0) for i in range(20)] for k in (4, 5)]
    table = write_table(tmp_path / "scores.csv", "a,b", *columns)

    def codes(*options: str) -> set[str]:
        _, result = run_json(capsys, "compare", str(table), "--json", *options)
        return set(result["cautions"])

    assert "scores_as_losses" in codes()
    assert "scores_as_losses" not in codes("--better", "lower")
    assert "scores_as_losses" not in codes("--better", "higher")


def test_exact_markdown_has_the_tables(table: Path, tmp_path: Path) -> None:
    target = tmp_path / "result.md"

    assert main(["compare", str(table), "--block", "school", "--markdown", str(target)]) == 0
    text = target.read_text()

    assert "| Model | Mean loss |" in text
    assert "### Difference of each pair" in text
    assert re.search(r"more cautions \(.+; \d others\)</summary>", text)


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (["nothing.csv"], 2, "There is no file 'nothing.csv'."),
        (["TABLE", "--block", "hospital"], 2, "The file has no column 'hospital'"),
        (["TABLE", "--model", "newest"], 2, "its columns are school, old, new, noisy"),
        (["TABLE", "--block", "school", "--level", "1.5"], 2, "level"),
        (["TABLE", "--model", "school"], 2, "school"),
    ],
)
def test_invalid_arguments_are_explained(
    table: Path,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    status: int,
    message: str,
) -> None:
    assert main(["compare", *(str(table) if word == "TABLE" else word for word in words)]) == status
    printed = capsys.readouterr().err

    assert message in printed
    assert "Traceback" not in printed


# The gate


@pytest.fixture
def request_file(tmp_path: Path) -> Path:
    path = tmp_path / "request.json"
    columns = {"losses": ["old", "new", "noisy"], "block": "school"}
    path.write_text(json.dumps({"kind": "losses", "blocks": "source", "columns": columns}))
    return path


@pytest.mark.parametrize(
    ("model", "against", "options", "status", "outcome"),
    [
        ("new", "old", ["--require", "better"], 0, "pass"),
        ("old", "new", ["--require", "better"], 1, "fail"),
        ("old", "new", ["--margin", "0.01"], 1, "fail"),
        ("old", "new", ["--margin", "0.1"], 0, "pass"),
        ("noisy", "old", ["--require", "better"], 3, "undecided"),
        ("noisy", "old", ["--require", "better", "--undecided", "pass"], 0, "pass"),
        ("noisy", "old", ["--require", "better", "--undecided", "fail"], 1, "fail"),
    ],
)
def test_exact_the_exit_status_is_the_outcome(
    table: Path,
    request_file: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    model: str,
    against: str,
    options: list[str],
    status: int,
    outcome: str,
) -> None:
    report = tmp_path / "junit.xml"
    words = [str(request_file), "--data", str(table), "--model", model, "--against", against]
    done, gate = run_json(capsys, "gate", *words, *options, "--json", "--junit", str(report))

    assert (done, gate["outcome"]) == (status, outcome)
    suite = ET.parse(report).getroot()[0]
    assert suite.get("tests") == "1"
    assert suite.get("failures") == str(int(outcome == "fail"))
    assert suite.get("errors") == str(int(outcome == "undecided"))
    (told,) = suite[0]
    assert told.tag == {"pass": "system-out", "fail": "failure"}.get(outcome, "error")
    findings = " ".join(str(told.text).split())
    assert findings.startswith(f"Gate: {gate['outcome']}. {gate['sentence']} ")


def test_exact_the_gate_of_the_request_is_used(
    table: Path, request_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    request = json.loads(request_file.read_text())
    request["gate"] = {"model": "new", "against": "old", "require": "better"}
    request_file.write_text(json.dumps(request))

    assert main(["gate", str(request_file), "--data", str(table)]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("PASS\nFor a new source, new is better than old: ")

    status, gate = run_json(
        capsys, "gate", str(request_file), "--data", str(table), "--model", "noisy", "--json"
    )
    assert (status, gate["model"], gate["require"]) == (3, "noisy", "better")


def test_exact_a_service_that_is_away_has_its_own_status(
    table: Path, request_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [str(request_file), "--data", str(table), "--model", "new", "--against", "old"]
    url = f"http://127.0.0.1:{free_port()}"

    assert main(["gate", *words, "--require", "better", "--url", url]) == 4
    assert "does not answer" in capsys.readouterr().err


def test_exact_the_options_have_the_values_of_requests() -> None:
    # The command line has types of its own, so that --help need not load the library.
    assert {*get_args(compared_files.Blocks)} == {kind.value for kind in BlockKind}
    assert get_args(compared_files.BetterValues) == get_args(Better)
    assert get_args(compared_files.Missing) == get_args(MissingRows)
    assert get_args(gate.Require) == tuple(rule.value for rule in Requirement)
    assert get_args(gate.Undecided) == tuple(outcome.value for outcome in GateOutcome)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "Name both models: --model and --against"),
        (["--model", "newest", "--against", "old", "--margin", "1"], "did you mean 'new'?"),
        (["--model", "new", "--against", "old"], "margin"),
        (["--model", "new", "--against", "new", "--margin", "1"], "with itself"),
    ],
)
def test_invalid_gates_are_explained(
    table: Path,
    request_file: Path,
    capsys: pytest.CaptureFixture[str],
    options: list[str],
    message: str,
) -> None:
    assert main(["gate", str(request_file), "--data", str(table), *options]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_exact_a_request_of_powershell_is_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], encoding: str
) -> None:
    rng = np.random.default_rng(1)
    losses = {name: rng.random(20).tolist() for name in ("a", "b")}
    body = json.dumps({"kind": "losses", "blocks": "holdout", "losses": losses})
    plain, written = tmp_path / "plain.json", tmp_path / "request.json"
    plain.write_text(body)
    written.write_bytes(body.encode(encoding))
    options = ["--model", "a", "--against", "b", "--require", "better"]
    expected = run_json(capsys, "gate", str(plain), *options, "--json")

    assert run_json(capsys, "gate", str(written), *options, "--json") == expected


def test_invalid_a_request_in_another_encoding_is_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    request = tmp_path / "request.json"
    request.write_bytes(b'{"kind": "\xe4"}')

    assert main(["gate", str(request)]) == 2
    assert "is not text in utf-8" in capsys.readouterr().err


def test_exact_a_terminal_without_signs_has_ascii_and_escapes(tmp_path: Path) -> None:
    rows = [[float(i % 3), float(i % 5)] for i in range(60)]
    path = write_table(tmp_path / "t.csv", "modèle,b", *map(list, zip(*rows, strict=True)))
    command = [sys.executable, "-m", "thetahat_service.cli", "compare", str(path)]
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}

    done = subprocess.run(
        [*command, "--blocks", "holdout"], env=environment, capture_output=True, check=True
    )

    printed = done.stdout.decode("ascii")
    assert "mod\\xe8le" in printed
    assert "|--" in printed
    assert "--all" in printed
    assert "thetahat inspect FILE" in " ".join(printed.split())
