"""Tables about a judge, from a request to what is shown."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.presentation.reading import row_of, table_of, texts_of
from tests.service.kinds.run_requests import run_kind
from thetahat_presentation.numbers import format_number
from thetahat_presentation.showing import show


@pytest.fixture(scope="module")
def result() -> Any:
    rng = np.random.default_rng(3)
    grades = rng.integers(0, 2, size=200)
    labels = np.where(rng.random(200) < 0.8, grades, 1 - grades)[:80].tolist()
    losses = {"new": [*labels, *[None] * 120], "old": [*labels[::-1], *[None] * 120]}
    judge = {"new": grades.tolist(), "old": [*grades[:80][::-1].tolist(), *grades[80:].tolist()]}
    body = {"kind": "losses", "blocks": "holdout", "losses": losses, "judge": {"losses": judge}}
    return run_kind(body).result


def test_exact_what_the_judge_added_stands_in_its_cells(result: Any) -> None:
    judge = result["models"]["new"]["judge"]
    table = table_of(show(result), "Labels alone, labels with the judge")
    row = dict(zip(table.columns, row_of(table, "new"), strict=True))

    assert row["Weight of the judge"] == format_number(judge["lambda"])
    assert row["Worth labels"] == str(int(judge["effective_labels"]))
    for heading, part in (
        ("Labels alone", judge["labels_only"]),
        ("Labels and judge", judge["prediction_powered"]),
        ("Judge alone", judge["judge_only"]),
        ("Bias of the judge", judge["judge_only"]["bias"]),
    ):
        written = row[heading].split()[0].strip(":").replace("\N{MINUS SIGN}", "-")
        assert float(written) == pytest.approx(part["estimate"], abs=6e-4)


def test_by_hand_the_agreement_of_judge_and_labels(result: Any) -> None:
    table = table_of(show(result), "Agreement of judge and labels")
    cell = next(row for row in table.rows if getattr(row[0], "text", "") == "new")[1]

    # counted from the rows that have a label and a grade
    rng = np.random.default_rng(3)
    grades = rng.integers(0, 2, size=200)
    labels = np.where(rng.random(200) < 0.8, grades, 1 - grades)
    assert getattr(cell, "value", None) == pytest.approx(np.mean(labels[:80] == grades[:80]))


def test_exact_the_shares_of_the_judge_s_intervals_are_shown(result: Any) -> None:
    table = table_of(show(result), "How often such intervals contained the true value")
    rows = {row[0]: list(row) for row in texts_of(table)}
    rate = result["models"]["new"]["judge"]["agreement"]["sensitivity"]["expected_coverage"]

    found = next(row for name, row in rows.items() if name.startswith("sensitivity of the judge"))
    assert found[-1] == rate["design"]
    assert any(
        name.startswith("bias of the judge") and row[2] == "not studied"
        for name, row in rows.items()
    )
