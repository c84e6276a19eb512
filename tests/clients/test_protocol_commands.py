"""``thetahat protocol`` and ``thetahat submit --protocol``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from thetahat_service.cli import main

PLAN = {"name": "plan", "new": "new", "old": "old", "margin": 0.1}
REQUEST = {
    "kind": "losses",
    "blocks": "holdout",
    "losses": {"new": [[0, 0, 1, 0] * 20], "old": [[0, 1, 1, 0] * 20]},
    "margin": 0.2,
}


def test_exact_from_the_plan_to_the_deviation(
    service_url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan, request = tmp_path / "plan.json", tmp_path / "request.json"
    plan.write_text(json.dumps(PLAN))
    request.write_text(json.dumps(REQUEST))

    def run(*words: str) -> str:
        assert main([*words, "--url", service_url]) == 0
        return capsys.readouterr().out

    made = run("protocol", "create", str(plan), "--key", str(tmp_path)).strip()
    again = run("protocol", "create", str(plan), "--key", str(tmp_path)).strip()
    text = run("submit", str(request), "--protocol", made, "--wait")
    shown = run("protocol", "show", made)
    document = json.loads(run("protocol", "show", made, "--json"))

    assert made == again == document["id"]
    assert "Not as planned: margin 0.2 (planned: 0.1)." in " ".join(text.split())
    assert shown.startswith("Margin 0.1 fixed on ")
    assert "Named so far by 1 evaluation and 0 series." in " ".join(shown.split())

    line = next(row for row in run("protocol", "list").splitlines() if row.startswith(made))
    assert line.split()[1:] == ["plan", document["fixed_at"][:10], "1", "0"]
    withdrawn = run("protocol", "withdraw", made, "--reason", "a wrong margin")
    assert "Withdrawn on" in withdrawn
    assert "a wrong margin" in withdrawn
    listed = json.loads(run("protocol", "list", "--json", "--limit", "1"))
    assert [each["withdrawn_reason"] for each in listed] == ["a wrong margin"]
    assert "a wrong margin" in run("protocol", "list")
