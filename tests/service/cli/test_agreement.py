"""``thetahat agreement``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.vectors.reading import VECTORS
from thetahat_service.cli import main


@pytest.fixture(autouse=True)
def without_service(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("THETAHAT_URL", raising=False)


@pytest.fixture
def table(tmp_path: Path) -> str:
    rows = VECTORS["agreement_judge_rare_class"]["inputs"]["ratings"]
    lines = [f"{a},{b},d{i // 2}" for i, (a, b) in enumerate(rows)]
    path = tmp_path / "ratings.csv"
    path.write_text("\n".join(["anna,judge,document", *lines]) + "\n")
    return str(path)


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    capsys.readouterr()
    status = main(["agreement", *arguments])
    printed = capsys.readouterr()
    return status, printed.out, printed.err


@pytest.mark.outside("scikit-learn 1.9.1 (agreement_judge_rare_class)")
def test_golden_a_judge_beside_a_person(capsys: pytest.CaptureFixture[str], table: str) -> None:
    status, out, err = run(
        capsys, table, "--truth", "anna", "--cluster", "document", "--scale", "interval", "--json"
    )

    assert status == 0, err
    found: Any = json.loads(out)
    assert found["pairs"][0]["kappa"]["estimate"] == pytest.approx(0.3269230769231)
    assert (found["n_clusters"], found["truth"]) == (50, "anna")
    assert "raters: anna, judge" in err


def test_exact_the_words(capsys: pytest.CaptureFixture[str], table: str) -> None:
    status, out, _ = run(capsys, table, "--rater", "anna", "--rater", "judge")

    assert status == 0
    assert "anna and judge agree on 93 % of 100 items" in " ".join(out.split())


def test_exact_ordered_categories(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "grades.csv"
    path.write_text("a,b\nlow,mid\nmid,mid\nhigh,high\nlow,low\n")
    options = (
        "--scale",
        "ordinal",
        *(w for c in ("low", "mid", "high") for w in ("--category", c)),
    )
    status, out, err = run(capsys, str(path), *options, "--json")

    assert status == 0, err
    assert json.loads(out)["categories"] == ["low", "mid", "high"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--truth", "carl"), "no column 'carl'"),
        (("--rater", "anna"), "at least 2"),
        (("--rater", "anna", "--rater", "document", "--scale", "interval"), "several kinds"),
    ],
)
def test_invalid_options(
    capsys: pytest.CaptureFixture[str], table: str, options: tuple[str, ...], words: str
) -> None:
    status, out, err = run(capsys, table, *options)

    assert (status, out) == (2, "")
    assert words in " ".join(err.split())


def test_invalid_file(capsys: pytest.CaptureFixture[str]) -> None:
    status, _, err = run(capsys, "nothing.csv")

    assert status == 2
    assert "There is no file" in err
