"""``thetahat series``: create, add to, show, list, close and delete series."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from thetahat_service.cli.connection import DEFAULT_URL, AsJson, Url, Yes, connect, take
from thetahat_service.cli.failures import UserError
from thetahat_service.cli.gate import GateStatus, Require
from thetahat_service.cli.output import confirm, print_document, print_json, print_list, print_text
from thetahat_service.cli.requests import read_request
from thetahat_service.cli.sectioned_help import SectionedGroup

if TYPE_CHECKING:
    from thetahat_client.series import Look, Series

SHOWN_LOOKS: Final = 30

app = typer.Typer(
    cls=SectionedGroup,
    help="Losses that arrive in batches, looked at after each.",
    no_args_is_help=True,
)
SeriesId = Annotated[str, typer.Argument(metavar="ID", help="Id of the series.")]


@app.command()
def create(
    request: Annotated[
        str | None,
        typer.Argument(
            metavar="[FILE]", help="JSON file of the request; - is standard input. Or options."
        ),
    ] = None,
    model: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A model; of two, the first is compared with the other."),
    ] = None,
    reference: Annotated[
        float | None, typer.Option(help="The mean that one model alone is compared with.")
    ] = None,
    margin: Annotated[
        float | None, typer.Option(help="The difference that does not matter.")
    ] = None,
    level: Annotated[
        float | None, typer.Option(help="Confidence level of all looks together; else 0.95.")
    ] = None,
    better: Annotated[
        str | None, typer.Option(help="lower for losses, higher for scores; else lower.")
    ] = None,
    method: Annotated[
        str | None, typer.Option(help="The sequential method; one with parameters needs FILE.")
    ] = None,
    stop: Annotated[
        list[str] | None, typer.Option(metavar="WORD", help="A statement that is a decision.")
    ] = None,
    unit: Annotated[
        str | None, typer.Option(help="row, or cluster if rows belong together; else row.")
    ] = None,
    name: Annotated[str | None, typer.Option(help="A name for people.")] = None,
    key: Annotated[
        str | None, typer.Option("--key", help="Idempotency-Key: the same one makes no second.")
    ] = None,
    as_json: AsJson = False,
    url: Url = DEFAULT_URL,
) -> None:
    """Create a series and print its id; all that the options say is fixed from then on."""
    named = {
        "models": model,
        "reference": reference,
        "margin": margin,
        "level": level,
        "better": better,
        "method": method,
        "stop": stop,
        "unit": unit,
        "name": name,
    }
    body: dict[str, Any] = {} if request is None else dict(read_request(request))
    body |= {field: value for field, value in named.items() if value is not None}
    with connect(url) as client:
        series = client.create_series(body, idempotency_key=key)
    if as_json:
        print_json(dict(series.members))
    else:
        print(series.id)


@app.command()
def add(
    series_id: SeriesId,
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="Table with a column of losses for each model of the series."
        ),
    ],
    cluster: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="The column of clusters.")
    ] = None,
    at: Annotated[
        str | None, typer.Option(metavar="TIME", help="Time of the batch, with its zone.")
    ] = None,
    key: Annotated[
        str | None,
        typer.Option(
            help="Idempotency-Key of the batch; else the digest of the file, so that the same "
            "file is counted once."
        ),
    ] = None,
    require: Annotated[
        Require | None,
        typer.Option(help="What must be shown of the first model; the exit status says whether."),
    ] = None,
    as_json: AsJson = False,
    url: Url = DEFAULT_URL,
) -> None:
    """Add the losses of a file as one batch, and print what the look after it has shown.

    With --require the exit status is that of gate: 0 if it is shown, 1 if the opposite is, 3 if it
    is undecided, 4 if the service is away and 2 for a wrong request.
    """
    moment = None if at is None else _parse_time(at)
    with connect(url) as client:
        series = client.series(series_id)
        batch = read_batch(file, series.models, cluster)
        look = client.add_batch(
            series_id,
            batch.losses,
            cluster=batch.cluster,
            at=moment,
            idempotency_key=key or batch.sha256,
        )
        if look.number <= series.batches:
            again = (
                f"This batch was added before, as look {look.number}, and is not counted again. "
                "Another batch of the same content needs a --key of its own."
            )
            print_text(again, to_errors=True)
        series = client.series(series_id)
    status = None if require is None else judge(series, look, require)
    if as_json:
        gate = {} if status is None else {"gate": status.name.lower()}
        print_json({**look.members, **gate})
    else:
        if status is not None:
            print(status.name)
        print_text(look.sentence)
        protocol: Any = series.members["protocol"]
        if protocol is not None:
            print_text(protocol["sentence"])
    if status is not None:
        raise typer.Exit(status)


@app.command()
def show(series_id: SeriesId, as_json: AsJson = False, url: Url = DEFAULT_URL) -> None:
    """Print what is decided, the newest looks, and when a decision is expected."""
    from thetahat_presentation.series import show_series

    with connect(url) as client:
        series = client.series(series_id)
        looks = take(partial(client.looks, series_id), SHOWN_LOOKS)
    if as_json:
        print_json({**series.members, "looks": [dict(look.members) for look in looks]})
    else:
        document = show_series(series.members, [look.members for look in looks])
        print_document(document, all_option="--json")


@app.command("list")
def list_all(
    limit: Annotated[int, typer.Option(min=1, help="Most series to print.")] = 20,
    as_json: AsJson = False,
    url: Url = DEFAULT_URL,
) -> None:
    """List series, the newest first."""
    with connect(url) as client:
        found = take(client.list_series, limit)
    columns = ("id", "name", "models", "status", "batches", "decision")
    print_list(found, columns, _build_row, as_json=as_json, nothing="There are no series.")


@app.command()
def close(series_id: SeriesId, url: Url = DEFAULT_URL) -> None:
    """Let a series take no more batches."""
    with connect(url) as client:
        series = client.close_series(series_id)
    print_text(f"{series.id} is closed. {series.sentence}")


@app.command()
def delete(series_id: SeriesId, yes: Yes = False, url: Url = DEFAULT_URL) -> None:
    """Delete a series with all its looks."""
    confirm(f"Delete series {series_id}?", yes=yes)
    with connect(url) as client:
        client.delete_series(series_id)


def judge(series: Series, look: Look, require: Require) -> GateStatus:
    """Return the status of a requirement: by the decision, which stays, else by the look."""
    from thetahat.analyses.losses.result import Requirement
    from thetahat.analyses.series.statements import Statement, judge_requirement

    decided = {Statement(series.decision)} if series.decision is not None else set()
    holding = {Statement(held) for held in look.holds}
    if Statement.EQUIVALENT in decided:
        decided.add(Statement.NOT_WORSE)
    margin: Any = series.members["margin"]
    ends = None
    if look.lower is not None and look.upper is not None:
        reference: Any = series.members["reference"]
        ends = (look.lower - (reference or 0.0), look.upper - (reference or 0.0))
    requirement = Requirement(require)
    outcome = judge_requirement(requirement, decided, None, margin)
    if outcome.name == GateStatus.UNDECIDED.name:
        outcome = judge_requirement(requirement, holding, ends, margin)
    return GateStatus[outcome.name]


@dataclass(frozen=True, slots=True)
class FileBatch:
    """The batch in a file, and the digest of the file."""

    losses: dict[str, list[float]]
    cluster: list[str] | None
    sha256: str


def read_batch(file: Path, models: tuple[str, ...], cluster: str | None) -> FileBatch:
    """Return the losses of each model in a table, and the clusters of its rows."""
    from thetahat_client.media import guess_media_type
    from thetahat_service.data.reading import read_columns, read_labels
    from thetahat_service.in_process.files import open_file

    with open_file(file, guess_media_type(file.name)) as table:
        names = [column["name"] for column in table.columns]
        for name in (*models, *([] if cluster is None else [cluster])):
            if name not in names:
                raise UserError(
                    f"{file} has no column {name!r}, which is a model of the series or the "
                    f"cluster. Its columns are {', '.join(names)}."
                )
        columns = read_columns(table, list(models))
        labels = None if cluster is None else read_labels(table, [cluster])[cluster]
        return FileBatch(
            losses={name: columns[name].tolist() for name in models},
            cluster=None if labels is None else [str(label) for label in labels],
            sha256=table.sha256,
        )


def _parse_time(text: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        message = f"--at must be a time with its zone such as 2026-11-26T00:00:00Z, not {text!r}."
        raise UserError(message)
    return moment


def _build_row(series: Series) -> tuple[str, ...]:
    return (
        series.id,
        series.name or "",
        " against ".join(series.models),
        series.status,
        str(series.batches),
        series.decision or "",
    )
