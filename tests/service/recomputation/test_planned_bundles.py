"""Bundles of evaluations that name a protocol: numbers are computed again, the plan is not."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from tests.service.recomputation.kept_evaluations import change, keep, pack, repack, state_again
from thetahat.errors import InvalidParameter
from thetahat_service.in_process.evaluation import evaluate_in_process
from thetahat_service.kinds.planned_results import add_outcome
from thetahat_service.kinds.registry import JOB_KINDS
from thetahat_service.kinds.running import run_request
from thetahat_service.recomputation.verification import VerificationOutcome, verify_bundle

REQUEST: dict[str, Any] = {
    "kind": "losses",
    "blocks": "holdout",
    "losses": {"new": [[0, 0, 1, 0] * 30], "old": [[0, 1, 1, 0] * 30]},
    "margin": 0.1,
    "gate": {"model": "new", "against": "old", "as_planned": True},
    "protocol": str(UUID(int=7)),
}
DEVIATION = {"field": "margin", "planned": "0.05", "actual": "0.1", "text": "margin 0.1"}


def write_bundle(file: Path, deviations: list[dict[str, str]]) -> dict[str, bytes]:
    """Write the bundle of an evaluation, as a service keeps it."""
    evaluated = run_request(REQUEST, {})
    outcome: dict[str, Any] = {
        "as_planned": not deviations,
        "deviations": deviations,
        "number": 2,
        "sentence": "Margin fixed.",
    }
    request = JOB_KINDS["losses"].request.model_validate(REQUEST)
    result = add_outcome(request, evaluated.result, outcome)
    return pack(keep(evaluated._replace(result=result), file.parent), file)


@pytest.mark.parametrize(("deviations", "gate"), [([], "pass"), ([DEVIATION], "fail")])
def test_exact_the_gate_follows_from_the_data_and_the_recorded_plan(
    tmp_path: Path, deviations: list[dict[str, str]], gate: str
) -> None:
    file = tmp_path / "bundle.zip"
    files = write_bundle(file, deviations)
    found = verify_bundle(file, None)

    assert f'"outcome":"{gate}"' in files["result.json"].decode()
    assert found.outcome is VerificationOutcome.SAME, found.findings
    assert any("1 of protocol" in finding for finding in found.findings)


def test_exact_a_gate_that_passes_in_spite_of_its_plan_is_found(tmp_path: Path) -> None:
    file = tmp_path / "bundle.zip"
    files = write_bundle(file, [DEVIATION])

    def forge(result: dict[str, Any]) -> None:
        result["gate"]["outcome"] = "pass"

    forged = {**files, "result.json": change(files["result.json"], forge)}
    found = verify_bundle(repack(file, state_again(forged)), None)

    assert found.outcome is VerificationOutcome.OTHER_NUMBERS
    assert [each.path for each in found.differences] == ["gate.outcome"]


def test_invalid_a_protocol_in_this_process() -> None:
    with pytest.raises(InvalidParameter, match="kept by a service"):
        evaluate_in_process(REQUEST)
