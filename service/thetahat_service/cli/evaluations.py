"""Commands for evaluations: submit, list, watch, status, result, cancel and delete."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal

import typer

from thetahat_service.cli.batch import COLUMNS, describe_row, submit_batch
from thetahat_service.cli.connection import (
    DEFAULT_URL,
    AsJson,
    EvaluationId,
    EvaluationIds,
    Url,
    Yes,
    connect,
    take,
)
from thetahat_service.cli.failures import UserError
from thetahat_service.cli.output import confirm, print_json, print_list, print_result, print_text
from thetahat_service.cli.progress import wait_with_progress
from thetahat_service.cli.requests import read_requests

if TYPE_CHECKING:
    from thetahat_client.models import SignOff

STATUSES: Final = ("queued", "running", "succeeded", "failed", "cancelled")
All = Annotated[bool, typer.Option("--all", help="Print every table, verdict and caution.")]


def submit(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE...",
            help="JSON files of requests; .jsonl has one in each line; - reads standard input.",
        ),
    ],
    data: Annotated[
        str | None,
        typer.Option(
            "--data", metavar="FILE", help="Upload this data set and put its id into each request."
        ),
    ] = None,
    wait: Annotated[
        bool, typer.Option("--wait", help="Wait for the end and print the result.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="With --wait: print the result as JSON.")
    ] = False,
    protocol: Annotated[
        str | None,
        typer.Option(metavar="ID", help="Name this protocol in each request: its fixed plan."),
    ] = None,
    idempotency_key: Annotated[
        str | None,
        typer.Option(
            "--idempotency-key",
            metavar="KEY",
            help="The same key with the same requests gives the same evaluations.",
        ),
    ] = None,
    show_all: All = False,
    url: Url = DEFAULT_URL,
) -> None:
    """Submit evaluations and print their ids.

    Several requests are sent together, and each is accepted or refused by itself. The exit status
    is 2 if one is refused.
    """
    requests = read_requests(files)
    with connect(url) as client:
        if data is not None:
            dataset = client.upload(data)
            for request in requests:
                request.body["dataset"] = dataset.id
            print(f"data set {dataset.id}: {dataset.rows} rows", file=sys.stderr)
        if protocol is not None:
            for request in requests:
                request.body["protocol"] = protocol
        if len(requests) > 1:
            status = submit_batch(
                client, requests, wait=wait, as_json=as_json, idempotency_key=idempotency_key
            )
            raise typer.Exit(status)
        submitted = client.submit(requests[0].body, idempotency_key=idempotency_key)
        if not wait:
            print(submitted.id)
            return
        print(f"evaluation {submitted.id}", file=sys.stderr)
        wait_with_progress(client, submitted.id)
        finished = client.result(submitted.id)
    if as_json:
        print_json(finished)
    else:
        print_result(finished, show_all=show_all)


def watch(evaluation_id: EvaluationId, url: Url = DEFAULT_URL) -> None:
    """Show the progress of an evaluation until it ends, then print its status.

    The exit status is 0 if the evaluation succeeded, otherwise 1.
    """
    with connect(url) as client:
        ended = wait_with_progress(client, evaluation_id)
    print(ended.status)
    if ended.error is not None:
        print_text(f"thetahat: {ended.error.in_words()}", to_errors=True)
    if ended.status != "succeeded":
        raise typer.Exit(1)


def status(evaluation_id: EvaluationId, url: Url = DEFAULT_URL) -> None:
    """Print the status and the progress of an evaluation."""
    from thetahat_client.progress import format_progress_line

    with connect(url) as client:
        evaluation = client.get(evaluation_id)
    print(format_progress_line(evaluation))
    title = f"{evaluation.kind} {evaluation.name}" if evaluation.name else evaluation.kind
    times = [f"submitted {evaluation.created_at:%Y-%m-%d %H:%M:%S} UTC"]
    if evaluation.seconds is not None:
        times.append(f"took {evaluation.seconds:.1f} s")
    print_text(", ".join([title, *times]))
    if evaluation.error is not None:
        print_text(f"{evaluation.error.code}: {evaluation.error.in_words()}")


def result(
    evaluation_id: EvaluationId,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the whole result as JSON.")
    ] = False,
    as_markdown: Annotated[
        bool, typer.Option("--markdown", help="Print the tables as Markdown.")
    ] = False,
    as_latex: Annotated[
        bool, typer.Option("--latex", help="Print the tables as LaTeX, with booktabs.")
    ] = False,
    show_all: All = False,
    include: Annotated[
        str,
        typer.Option(
            metavar="PARTS",
            help="Parts that the request left out, such as tests,variances, or all; they are "
            "computed from the losses that are kept.",
        ),
    ] = "",
    url: Url = DEFAULT_URL,
) -> None:
    """Print the means, intervals, verdicts and cautions of an evaluation."""
    from thetahat_client.text import result_latex, result_markdown

    if as_json + as_markdown + as_latex > 1:
        raise UserError("Only one of --json, --markdown and --latex may be used.")
    with connect(url) as client:
        finished = client.result(evaluation_id, include=include)
    if as_json:
        print_json(finished)
    elif as_markdown or as_latex:
        write = result_markdown if as_markdown else result_latex
        print(write(finished, show_all=show_all))
    else:
        print_result(finished, show_all=show_all)


def report(
    evaluation_id: EvaluationId,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="File to write, report-ID.pdf by default: .pdf, .html, .ipynb (a notebook that "
            "computes the result again) or .zip (a bundle for thetahat verify).",
        ),
    ] = None,
    url: Url = DEFAULT_URL,
) -> None:
    """Write the report of an evaluation, or what computes its result again."""
    file = output or Path(f"report-{evaluation_id}.pdf")
    endings = (".pdf", ".html", ".ipynb", ".zip")
    ending = file.suffix.lower()
    if ending not in endings:
        raise UserError(f"The report {str(file)!r} must end in {', '.join(endings[:-1])} or .zip.")
    with connect(url) as client:
        if ending == ".ipynb":
            content = client.notebook(evaluation_id)
        elif ending == ".zip":
            content = client.bundle(evaluation_id)
        else:
            content = client.report(evaluation_id, "pdf" if ending == ".pdf" else "html")
    file.write_bytes(content)
    print(file)


def sign_off(
    evaluation_id: EvaluationId,
    name: Annotated[str, typer.Option("--name", metavar="NAME", help="The person who signs.")],
    decision: Annotated[
        Literal["approved", "rejected", "needs_changes"],
        typer.Option("--decision", help="What was decided about the result."),
    ],
    comment: Annotated[
        str, typer.Option("--comment", metavar="TEXT", help="Reasons and conditions.")
    ] = "",
    result_sha256: Annotated[
        str | None,
        typer.Option(
            "--result-sha256",
            metavar="DIGEST",
            help="Sign only if the result has this SHA-256, which the report shows.",
        ),
    ] = None,
    url: Url = DEFAULT_URL,
) -> None:
    """Sign the result of an evaluation; a later sign-off supersedes it, and all are kept."""
    with connect(url) as client:
        signed = client.sign_off(
            evaluation_id,
            name=name,
            decision=decision,
            comment=comment,
            result_sha256=result_sha256,
        )
    print_text(f"{signed.decision} by {signed.name}; SHA-256 of the result {signed.result_sha256}")


def sign_offs(evaluation_id: EvaluationId, as_json: AsJson = False, url: Url = DEFAULT_URL) -> None:
    """List the sign-offs of an evaluation, the newest first; the newest counts."""
    with connect(url) as client:
        signed = list(client.sign_offs(evaluation_id))
    columns = ("at (UTC)", "decision", "name", "key", "this result", "comment")
    nothing = "Nobody has signed this result."
    print_list(signed, columns, _describe_sign_off, as_json=as_json, nothing=nothing)


def _describe_sign_off(signed: SignOff) -> tuple[str, ...]:
    return (
        f"{signed.at:%Y-%m-%d %H:%M}" if signed.at else "",
        signed.decision,
        signed.name,
        signed.actor,
        "yes" if signed.matches_result else "no",
        signed.comment,
    )


def _complete_status(incomplete: str) -> list[str]:
    return [status for status in STATUSES if status.startswith(incomplete)]


def list_evaluations(
    status: Annotated[
        str | None,
        typer.Option(
            "--status",
            metavar="STATUS",
            help="Only with this status.",
            autocompletion=_complete_status,
        ),
    ] = None,
    kind: Annotated[
        str | None, typer.Option("--kind", metavar="KIND", help="Only of this kind.")
    ] = None,
    name: Annotated[
        str | None, typer.Option("--name", metavar="TEXT", help="Only with this text in the name.")
    ] = None,
    verdict: Annotated[
        str | None,
        typer.Option(
            "--verdict",
            metavar="VERDICT",
            help="Only with this verdict on the best model: better, equivalent, not_worse, "
            "undecided, worse or mixed.",
        ),
    ] = None,
    gate: Annotated[
        str | None,
        typer.Option(
            "--gate", metavar="OUTCOME", help="Only with this outcome: pass, fail or undecided."
        ),
    ] = None,
    sign_off: Annotated[
        str | None,
        typer.Option(
            "--sign-off",
            metavar="DECISION",
            help="Only with this newest sign-off: approved, rejected, needs_changes or none.",
        ),
    ] = None,
    label: Annotated[
        list[str] | None,
        typer.Option(
            "--label", metavar="NAME:VALUE", help="Only with this label; may be repeated."
        ),
    ] = None,
    after: Annotated[
        datetime | None, typer.Option(help="Only submitted at or after this time (UTC).")
    ] = None,
    before: Annotated[
        datetime | None, typer.Option(help="Only submitted before this time (UTC).")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, help="Most evaluations to print.")] = 20,
    as_json: AsJson = False,
    url: Url = DEFAULT_URL,
) -> None:
    """List evaluations, the newest first."""
    with connect(url) as client:
        found = take(
            client.evaluations,
            limit,
            status=status,
            kind=kind,
            name=name,
            verdict=verdict,
            gate=gate,
            sign_off=sign_off,
            labels=dict(_parse_label(text) for text in label or []),
            created_after=_convert_to_utc(after),
            created_before=_convert_to_utc(before),
        )
    print_list(found, COLUMNS, describe_row, as_json=as_json, nothing="No evaluation matches.")


def cancel(evaluation_ids: EvaluationIds, url: Url = DEFAULT_URL) -> None:
    """Cancel evaluations; those that have ended stay as they are."""
    with connect(url) as client:
        for evaluation_id in evaluation_ids:
            print(f"{evaluation_id}  {client.cancel(evaluation_id).status}")


def delete(evaluation_ids: EvaluationIds, yes: Yes = False, url: Url = DEFAULT_URL) -> None:
    """Delete evaluations that have ended, with their results."""
    count = len(evaluation_ids)
    confirm(f"Delete {count} evaluation{'s' * (count > 1)} with the results?", yes=yes)
    with connect(url) as client:
        for evaluation_id in evaluation_ids:
            client.delete(evaluation_id)
            print(f"{evaluation_id}  deleted")


def _parse_label(text: str) -> tuple[str, str]:
    name, colon, value = text.partition(":")
    if not name or not colon:
        raise UserError(f"The label {text!r} must have the form NAME:VALUE.")
    return name, value


def _convert_to_utc(moment: datetime | None) -> datetime | None:
    return None if moment is None else moment.replace(tzinfo=UTC)
