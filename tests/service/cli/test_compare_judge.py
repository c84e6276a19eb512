"""``thetahat compare`` and ``gate`` of tables with the grades of a judge."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.thetahat.numerics.judged_samples import VECTORS
from thetahat_service.cli import main


@pytest.fixture(autouse=True)
def without_service(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("THETAHAT_URL", raising=False)


@pytest.fixture
def table(tmp_path: Path) -> str:
    inputs = VECTORS["ppi_paired_difference"]["inputs"]
    lines = ["a,b,ja,jb,language"]
    for k in range(280):
        part, row = ("labelled", k) if k < 70 else ("unlabelled", k - 70)
        labels = [inputs["labelled"][m][k] if k < 70 else "" for m in "ab"]
        grades = [inputs[f"judge_on_{part}"][m][row] for m in "ab"]
        lines.append(",".join(map(str, [*labels, *grades, "en" if k % 2 else "de"])))
    path = tmp_path / "graded.csv"
    path.write_text("\n".join(lines) + "\n")
    return str(path)


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    capsys.readouterr()
    status = main(list(arguments))
    printed = capsys.readouterr()
    return status, printed.out, printed.err


JUDGES = ("--judge", "a=ja", "--judge", "b=jb", "--better", "lower")


@pytest.mark.outside("ppi-python 0.2.3 and glide 0.10.0 (ppi_paired_difference)")
def test_golden_the_difference_of_two_models(
    capsys: pytest.CaptureFixture[str], table: str
) -> None:
    status, out, err = run(capsys, "compare", table, *JUDGES, "--json", "--blocks", "holdout")

    assert status == 0, err
    pair: Any = json.loads(out)["comparisons"][0]
    tuned = VECTORS["ppi_paired_difference"]["expected"]["tuned"]
    assert_allclose(pair["interval"]["estimate"], tuned["estimate"], rtol=1e-9)
    assert "grades of the judge from ja, jb" in err


def test_exact_strata_and_a_gate(capsys: pytest.CaptureFixture[str], table: str) -> None:
    stratified = (*JUDGES, "--judge-stratum", "language")
    status, out, err = run(capsys, "compare", table, *stratified, "--json")
    assert status == 0, err
    judge: Any = json.loads(out)["models"]["a"]["judge"]
    assert judge["lambda_by_stratum"].keys() == {"de", "en"}
    assert not np.isnan(judge["effective_labels"])

    gate = ("--model", "a", "--against", "b", "--margin", "0.3", "--blocks", "holdout")
    status, out, err = run(capsys, "gate", table, *JUDGES, *gate)
    assert status == 0, err


def test_exact_the_words_below_the_verdict(capsys: pytest.CaptureFixture[str], table: str) -> None:
    status, out, _ = run(capsys, "compare", table, *JUDGES, "--blocks", "holdout")

    assert status == 0
    assert "a: 70 labels and the judge are worth 123 labels." in out


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--judge", "a"), "must be MODEL=COLUMN"),
        (("--judge", "a=ja", "--judge", "a=jb"), "once for each model"),
        (("--judge", "a=none"), "no column 'none'"),
        (("--judge", "a=ja", "--model", "a", "--model", "b"), "Give --judge b=COLUMN"),
        (("--judge", "a=ja", "--judge", "b=jb", "--model", "a"), "none of the models a"),
        (("--judge-stratum", "language"), "goes with --judge"),
        (("--judge", "a=ja", "--score", "a"), "one table with a column for each model"),
    ],
)
def test_invalid_options(
    capsys: pytest.CaptureFixture[str], table: str, options: tuple[str, ...], words: str
) -> None:
    status, out, err = run(capsys, "compare", table, "--blocks", "holdout", *options)

    assert (status, out) == (2, "")
    assert words in " ".join(err.split())


def test_exact_groups_beside_a_judge_are_refused_with_the_reason(
    capsys: pytest.CaptureFixture[str], table: str
) -> None:
    status, _, err = run(capsys, "compare", table, *JUDGES, "--group", "language")

    assert status == 2
    assert "does not go with a judge" in err
