"""``thetahat gate`` on tables and logs, without a request; and the places that call it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml  # type: ignore[import-untyped]

from tests.architecture.sources import ROOT
from thetahat_service.cli import main

PAIR = ("--model", "new", "--against", "old")


@pytest.fixture(autouse=True)
def without_service(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("THETAHAT_URL", raising=False)


@pytest.fixture
def losses() -> dict[str, np.ndarray]:
    """Return (240,) losses of three models; ``new`` is better than ``old`` by 0.05."""
    rng = np.random.default_rng(8)
    old = rng.normal(1, 0.3, size=240).round(6)
    new = (old - 0.05 + 0.01 * rng.normal(size=240)).round(6)
    return {"old": old, "new": new, "noisy": (old + rng.normal(size=240)).round(6)}


@pytest.fixture
def table(tmp_path: Path, losses: dict[str, np.ndarray]) -> Path:
    rows = [[f"s{i // 20}", *(str(losses[name][i]) for name in losses)] for i in range(240)]
    path = tmp_path / "losses.csv"
    path.write_text("\n".join(",".join(row) for row in [["school", *losses], *rows]) + "\n")
    return path


def run_gate(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, Any]:
    """Return the exit status of the gate, and the JSON that it printed."""
    capsys.readouterr()
    status = main(["gate", *map(str, words), "--json"])
    return status, json.loads(capsys.readouterr().out)


@pytest.mark.parametrize("form", ["lists", "split", "lines"])
def test_exact_a_table_in_json_is_no_request(
    table: Path,
    losses: dict[str, np.ndarray],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    form: str,
) -> None:
    columns = {name: losses[name].tolist() for name in ("old", "new")}
    rows = list(zip(*columns.values(), strict=True))
    texts = {
        "lists": json.dumps(columns),
        "split": json.dumps({"columns": [*columns], "data": rows}),
        "lines": "\n".join(json.dumps(dict(zip(columns, row, strict=True))) for row in rows),
    }
    path = tmp_path / "losses.json"
    path.write_text(texts[form])
    options = [*PAIR, "--margin", "0.02", "--blocks", "holdout"]

    assert run_gate(capsys, path, *options) == run_gate(capsys, table, *options)


def test_exact_a_table_gives_the_gate_of_a_request(
    table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    columns = {"losses": ["new", "old"], "block": "school"}
    body = {"kind": "losses", "blocks": "source", "unit": "school", "columns": columns}
    request = tmp_path / "request.json"
    request.write_text(json.dumps(body))
    options = [*PAIR, "--margin", "0.02"]

    by_table = run_gate(capsys, table, "--block", "school", *options)

    assert by_table == run_gate(capsys, request, "--data", table, *options)
    assert by_table[0] == 0
    assert by_table[1]["target"] == "new_source"


def test_exact_only_the_two_models_are_compared(
    table: Path, losses: dict[str, np.ndarray], capsys: pytest.CaptureFixture[str]
) -> None:
    two = table.with_name("two.csv")
    rows = [f"s{i // 20},{losses['old'][i]},{losses['new'][i]}" for i in range(240)]
    two.write_text("\n".join(["school,old,new", *rows]) + "\n")
    options = ["--block", "school", *PAIR, "--require", "better"]

    assert run_gate(capsys, table, *options) == run_gate(capsys, two, *options)


def test_exact_a_long_table_gives_the_gate_of_a_wide_one(
    table: Path, losses: dict[str, np.ndarray], capsys: pytest.CaptureFixture[str]
) -> None:
    long = table.with_name("long.csv")
    rows = [
        f"i{i},{name},{losses[name][i]}" for i in reversed(range(240)) for name in ("old", "new")
    ]
    long.write_text("\n".join(["item,model,loss", *rows]) + "\n")

    wide = run_gate(capsys, table, "--blocks", "holdout", *PAIR, "--margin", "0.02")
    status, gate = run_gate(capsys, long, *PAIR, "--margin", "0.02")

    assert (status, gate["outcome"]) == (wide[0], wide[1]["outcome"])
    assert gate["difference"] == pytest.approx(wide[1]["difference"], rel=1e-12)
    assert gate["upper"] == pytest.approx(wide[1]["upper"], rel=1e-9)


def write_log(folder: Path, model: str, scores: np.ndarray) -> Path:
    """Write samples as lm-evaluation-harness does, in the folder of the model."""
    path = folder / model / "samples_arc_2025-01-02T03-04-05.678901.jsonl"
    path.parent.mkdir()
    lines = [
        json.dumps({"doc_id": i, "doc_hash": f"h{i}", "filter": "none", "acc": float(score)})
        for i, score in enumerate(scores)
    ]
    path.write_text("\n".join(lines) + "\n")
    return path


def test_exact_logs_are_paired_by_item(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rng = np.random.default_rng(3)
    old = rng.random(400) < 0.5
    new = old | (rng.random(400) < 0.3)
    logs = [write_log(tmp_path, name, s) for name, s in (("old", old), ("new", new))]

    status, gate = run_gate(capsys, *logs, *PAIR, "--require", "better")

    assert (status, gate["outcome"]) == (0, "pass")
    assert gate["difference"] == pytest.approx(new.mean() - old.mean(), rel=1e-12)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--margin", "0.02"], "Column 'school' may say which rows belong together"),
        (["--block", "school"], "margin"),
        (["--block", "class", "--margin", "1"], "no column 'class'"),
        (["--block", "school", "--margin", "1", "--data", "x.csv"], "--data belongs to a request"),
    ],
)
def test_invalid_a_table_that_can_be_read_in_two_ways_is_refused(
    table: Path, capsys: pytest.CaptureFixture[str], options: list[str], message: str
) -> None:
    assert main(["gate", str(table), *PAIR, *options]) == 2
    assert message in capsys.readouterr().err


def test_invalid_the_cell_of_a_model_is_named(
    table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = table.read_text().splitlines()
    school, old, _, noisy = lines[17].split(",")
    lines[17] = f"{school},{old},oops,{noisy}"
    table.write_text("\n".join(lines))

    assert main(["gate", str(table), "--block", "school", *PAIR, "--margin", "1"]) == 2
    assert "Column 'new' has 239 numbers in 240 rows, but 'oops' in row 16" in (
        capsys.readouterr().err
    )


def test_invalid_options_about_columns_do_not_go_with_a_request(
    table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    request = tmp_path / "request.json"
    request.write_text('{"kind": "losses", "blocks": "holdout"}')

    assert main(["gate", str(request), "--data", str(table), *PAIR, "--block", "school"]) == 2
    assert "--block says how a table or a log is read" in capsys.readouterr().err


# Places that call the command


def run_script(script: str, folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a script of bash as a step of GitHub Actions is run, beside our own command."""
    files = {name: folder / name for name in ("output", "summary")}
    environment = {
        **os.environ,
        **variables,
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "RUNNER_TEMP": str(folder),
        "GITHUB_OUTPUT": str(files["output"]),
        "GITHUB_STEP_SUMMARY": str(files["summary"]),
    }
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("margin", "model", "status", "outcome"),
    [("0.02", "new", 0, "pass"), ("0.01", "old", 1, "fail"), ("0.02", "noisy", 3, "undecided")],
)
def test_exact_the_step_of_github_actions_ends_with_the_outcome(
    table: Path, margin: str, model: str, status: int, outcome: str
) -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    step = next(step for step in action["runs"]["steps"] if step.get("id") == "gate")
    values = {name: entry.get("default", "") for name, entry in action["inputs"].items()}
    values |= {
        "files": f"\n{table.name}\n",
        "model": model,
        "against": "old" if model != "old" else "new",
        "margin": margin,
        "options": "--block school\n--level 0.95",
        "junit": "gate.xml",
    }
    environment = {
        name: values[text.removeprefix("${{ inputs.").removesuffix(" }}")]
        for name, text in step["env"].items()
    }

    done = run_script(step["run"], table.parent, **environment)

    assert done.returncode == status, done.stderr
    assert (table.parent / "output").read_text() == f"outcome={outcome}\n"
    assert f"Gate: {outcome}" in (table.parent / "summary").read_text()
    assert (table.parent / "gate.xml").exists()


def test_exact_the_step_runs_no_command_that_an_input_contains(table: Path) -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    scripts = [step["run"] for step in action["runs"]["steps"] if "run" in step]

    assert not any("${{" in script for script in scripts)


def test_exact_the_hook_of_pre_commit_runs_the_gate(table: Path) -> None:
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    options = f"{table.name} --block school --model noisy --against old --require better"

    done = run_script(f"{hook['entry']} {options}", table.parent)

    assert done.returncode == 3, done.stderr
    assert done.stdout.startswith("UNDECIDED")


def test_exact_a_gate_says_what_makes_it_doubtful(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "t.csv"
    old = [round(0.2 + 0.03 * (i * 7 % 24), 2) for i in range(24)]
    path.write_text("new,old\n" + "".join(f"{100 * v - 5:g},{v}\n" for v in old))
    words = ["gate", str(path), *PAIR, "--margin", "0.02", "--better", "higher"]

    assert main(words) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert "PASS" in printed
    assert "Serious: The values of 'new' are 15 to 84, and those of 'old' 0.2 to 0.89" in printed
    main([*words, "--json"])
    assert "bring the values to one scale" in " ".join(capsys.readouterr().err.split())


def test_exact_a_gate_says_what_makes_its_pair_doubtful(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "t.csv"
    old = [round(0.2 + 0.01 * (i * 7 % 24), 2) for i in range(24)]
    worse = {4: 0.3, 11: 0.5, 17: 0.2}
    rows = [f"{v - 0.12 + worse.get(i, 0.001 * i):.3f},{v}\n" for i, v in enumerate(old)]
    path.write_text("new,old\n" + "".join(rows))

    words = ["gate", str(path), *PAIR, "--require", "better", "--better", "lower"]
    assert main(words) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert "Serious: That 'new' is better than 'old' rests on Student's t (p = 0." in printed
