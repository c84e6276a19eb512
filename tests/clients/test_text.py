"""Results that have no table of models, as text."""

from __future__ import annotations

from typing import Any

from tests.service.kinds.run_requests import run_kind
from tests.service.kinds.shifted_samples import BODY
from thetahat_client import result_text


def words(line: str) -> list[str]:
    return line.split()


def test_exact_risks_and_the_oracle_have_a_row_each() -> None:
    result = run_kind(BODY).result
    lines = result_text(result).splitlines()

    assert words(lines[0])[:4] == ["risk", "selected", "estimate", "interval"]
    for line, name in zip(lines[2:5], ["weighted", "controlled", "(oracle)"], strict=True):
        risk = result["oracle"] if name == "(oracle)" else result["risks"][name]
        assert words(line)[0] == name
        assert f"{risk['target_risk']:#.4g}" in words(line)
    assert "30 source rows" in result_text(result)
    text = result_text(result, 2000, show_all=True)
    assert "is the smallest of many estimates and tends to be too small" in text


def test_exact_several_learners_and_no_labels() -> None:
    body: dict[str, Any] = {**BODY, "learners": {"r": "ridge"}}
    body["target"] = {"X": BODY["target"]["X"]}
    text = result_text(run_kind(body).result)

    assert "oracle)" not in text
    assert "  r " in text


def test_exact_results_of_an_unknown_kind_show_their_numbers() -> None:
    text = result_text({"parts": {"size": 2.5, "on": True}, "provenance": {"seed": 12345}})

    assert "parts.size" in text
    assert "parts.on" not in text
    assert "12345" not in text
