"""``thetahat study``: its requests, and the files that it writes."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.clients.scripted_server import DATASET, EVALUATION, Reply, evaluation, run_stub
from thetahat.analyses.studies.result import (
    FigureAxis,
    StudyClaim,
    StudyFigure,
    make_series,
    make_table,
)
from thetahat.values.json_values import to_json
from thetahat.values.monte_carlo_number import MonteCarloNumber
from thetahat_service.cli import main
from thetahat_service.cli.study_pages import build_study_files

CLAIM = StudyClaim(
    text="a | b",
    reference="geras2013",
    place="Figure 2",
    verdict="holds",
    measured="m",
    figure=1.0,
    standard_error=0.1,
    at_least=0.0,
    at_most=None,
)
CLAIMS = (
    CLAIM,
    replace(CLAIM, at_most=2.0),
    replace(CLAIM, verdict="fails", at_least=None, at_most=0.5),
    replace(CLAIM, at_least=None),
)
FIGURE = StudyFigure(
    name="means",
    title="Means",
    x=FigureAxis(title="x"),
    y=FigureAxis(title="y"),
    series=(make_series("s", [1], [2]),),
    note="N",
)
TABLE = make_table(
    name="t",
    title="T",
    columns={"k": "K", "v": "Value", "w": "W"},
    rows=[
        {"k": 2, "v": MonteCarloNumber(0.123456, 0.01234), "w": 0.5},
        {"k": 3, "v": MonteCarloNumber(1.0, None)},
    ],
    note="Read it.",
)
RESULT: dict[str, Any] = {
    "study": {"preset": "tiny", "repetitions": 12},
    "tables": [to_json(TABLE)],
    "figures": [to_json(FIGURE)],
    "claims": to_json(CLAIMS),
    "cautions": [{"code": "from_generator", "message": "no data"}],
    "provenance": {"version": "0.1.0", "seed": 5, "methods": []},
}
DONE = evaluation("succeeded", progress={"done": 12, "total": 12, "unit": "repetitions"})
TAKEN = Reply(202, EVALUATION)


def test_exact_a_preset_is_sent_and_its_result_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["study", "tiny", "--repetitions", "12", "--seed", "5", "--output", str(tmp_path)]
    with run_stub(TAKEN, DONE, Reply(200, RESULT)) as stub:
        words += ["--url", stub.url, "--set", "top=2.5", "--set", "rule=least"]
        assert main(words) == 0

    sent = {"kind": "study", "preset": "tiny", "name": "tiny", "seed": 5, "repetitions": 12}
    assert json.loads(stub.requests[0].body) == {**sent, "top": 2.5, "rule": "least"}
    kept = {path.name: path for path in (tmp_path / "tiny").iterdir()}
    assert sorted(kept) == ["means.svg", "result.json", "tables.md"]
    result = json.loads(kept["result.json"].read_text())
    command = "thetahat study tiny --seed 5 --repetitions 12 --set 'top=2.5' --set 'rule=least'"
    assert result.pop("command") == command
    assert result == RESULT
    page = kept["tables.md"].read_text()
    assert command in page
    assert "version 0.1.0, seed 5" in page
    assert "**from_generator**: no data" in page
    assert "| a \\| b | geras2013, Figure 2 | **holds** | m | 1 (0.1) | at least 0 |" in page
    bounds = [line.split(" | ")[-1] for line in page.splitlines() if line.startswith("| a ")]
    assert bounds == ["at least 0 |", "0 to 2 |", "at most 0.5 |", " |"]
    assert "![Means](means.svg)\n\nN\n" in page
    assert "| K | Value | W |\n|---|---|---|\n| 2 | 0.1235 (0.012) | 0.5 |\n| 3 | 1 |  |\n" in page
    assert "Read it." in page
    assert kept["means.svg"].read_bytes().startswith(b"<svg")
    assert "3 holds, 1 fails, 0 undecided" in capsys.readouterr().out


def test_exact_all_presets_are_run_where_none_is_named(tmp_path: Path) -> None:
    plain = {**RESULT, "figures": [], "claims": [], "cautions": [], "tables": []}
    listed = Reply(200, {"family": "presets", "items": [{"name": "one"}, {"name": "two"}]})
    each = (TAKEN, DONE, Reply(200, plain))
    with run_stub(listed, *each, *each) as stub:
        assert main(["study", "--url", stub.url, "--output", str(tmp_path)]) == 0

    sent = [json.loads(request.body) for request in stub.requests if request.body]
    assert [request["preset"] for request in sent] == ["one", "two"]
    assert "repetitions" not in sent[0]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one", "two"]


def test_exact_a_file_plays_its_role_in_the_presets_that_have_it(tmp_path: Path) -> None:
    file = tmp_path / "reviews.csv"
    file.write_text("y,site\n1,a\n")
    listed = [{"name": "one", "roles": {"reviews": "documents"}}, {"name": "two", "roles": {}}]
    plain = {**RESULT, "figures": [], "claims": [], "cautions": [], "tables": []}
    each = (TAKEN, DONE, Reply(200, plain))
    words = f"reviews={file}:target=y,source=site,features=a+b,task=regression"
    presets = Reply(200, {"family": "presets", "items": listed})
    with run_stub(Reply(201, DATASET), presets, *each, *each) as stub:
        arguments = ["study", "--url", stub.url, "--output", str(tmp_path), "--input", words]
        assert main(arguments) == 0

    first, second = (
        json.loads(request.body)
        for request in stub.requests
        if request.method == "POST" and request.path == "/v1/evaluations"
    )
    columns = {"target": "y", "source": "site", "features": ["a", "b"]}
    assert first["inputs"] == {
        "reviews": {"dataset": DATASET["id"], "columns": columns, "task": "regression"}
    }
    assert "inputs" not in second
    assert words in json.loads((tmp_path / "one" / "result.json").read_text())["command"]


@pytest.mark.parametrize("words", ["reviews", "reviews=file.csv", "=file.csv:target=y"])
def test_invalid_inputs_have_a_sentence(words: str, capsys: pytest.CaptureFixture[str]) -> None:
    with run_stub() as stub:
        assert main(["study", "tiny", "--url", stub.url, "--input", words]) == 2
    assert "must have the form ROLE=FILE:target=COLUMN" in capsys.readouterr().err


def test_exact_a_long_table_has_a_page_of_its_own() -> None:
    rows = [{"k": i, "v": None, "w": None} for i in range(1001)]
    result: Any = {**RESULT, "tables": [{**to_json(TABLE), "name": "long", "rows": rows}]}
    kept = build_study_files(result, "c")
    assert b"[1001 rows](long.md)" in kept["tables.md"]
    assert b"| 1000 |" not in kept["tables.md"]
    page = kept["long.md"].decode()
    assert page.startswith("# T\n\n| K | Value | W |\n|---|---|---|\n| 0 |")
    assert page.endswith("| 1000 |  |  |\n\nRead it.\n")
