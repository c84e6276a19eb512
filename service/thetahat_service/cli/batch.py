"""Submitting several requests together."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, cast

from thetahat_service.cli.failures import ExitStatus
from thetahat_service.cli.output import print_json, print_table

if TYPE_CHECKING:
    from thetahat_client import Client, Evaluation
    from thetahat_client.results import SummaryDict
    from thetahat_service.cli.requests import NamedRequest

COLUMNS: Final = (
    "id",
    "status",
    "kind",
    "name",
    "best model",
    "verdict",
    "gate",
    "sign-off",
    "submitted (UTC)",
    "took",
)


def submit_batch(
    client: Client,
    requests: Sequence[NamedRequest],
    *,
    wait: bool,
    as_json: bool,
    idempotency_key: str | None,
) -> ExitStatus:
    """Submit requests, print the id of each that is accepted, and return the exit status.

    With ``wait``, a table of the evaluations is printed after all have ended.
    """
    outcomes = client.submit_many(
        [request.body for request in requests], idempotency_key=idempotency_key
    )
    accepted: list[Evaluation] = []
    is_refused = False
    for outcome in outcomes:
        if outcome.evaluation is not None:
            accepted.append(outcome.evaluation)
        elif outcome.problem is not None:
            is_refused = True
            place, reason = requests[outcome.index].place, outcome.problem.in_words()
            print(f"thetahat: {place} was refused: {reason}", file=sys.stderr)
    if wait:
        accepted = _wait_for_all(client, accepted)
        if as_json:
            print_json([_describe(client, evaluation) for evaluation in accepted])
        elif accepted:
            print_table(COLUMNS, map(describe_row, accepted))
    else:
        for evaluation in accepted:
            print(evaluation.id)
    if is_refused:
        return ExitStatus.WRONG_USAGE
    has_failed = wait and any(evaluation.status != "succeeded" for evaluation in accepted)
    return ExitStatus.FAILURE if has_failed else ExitStatus.SUCCESS


def describe_row(evaluation: Evaluation) -> tuple[str, ...]:
    """Return the cells of an evaluation in a table."""
    summary = cast("SummaryDict | None", evaluation.members.get("summary"))
    return (
        evaluation.id,
        evaluation.status,
        evaluation.kind,
        evaluation.name or "",
        "" if summary is None else summary.get("best_model", ""),
        evaluation.verdict or "",
        evaluation.gate or "",
        evaluation.sign_off or "",
        f"{evaluation.created_at:%Y-%m-%d %H:%M}" if evaluation.created_at else "",
        "" if evaluation.seconds is None else f"{evaluation.seconds:.1f} s",
    )


def _wait_for_all(client: Client, evaluations: Sequence[Evaluation]) -> list[Evaluation]:
    """Return the evaluations after they have ended; a line on standard error counts them."""
    ended = []
    for evaluation in evaluations:
        ended.append(client.wait(evaluation.id))
        print(f"{len(ended)} of {len(evaluations)} evaluations have ended", file=sys.stderr)
    return ended


def _describe(client: Client, evaluation: Evaluation) -> dict[str, object]:
    """Return an evaluation as JSON, with its result if it has one."""
    members: dict[str, object] = dict(evaluation.members)
    if evaluation.status == "succeeded":
        members["result"] = client.result(evaluation.id)
    return members
