"""``thetahat ladders``: list and show Ladders."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Annotated, Final

import typer

from thetahat_service.cli.connection import DEFAULT_URL, AsJson, Url, connect, take
from thetahat_service.cli.output import print_document, print_json, print_list
from thetahat_service.cli.sectioned_help import SectionedGroup

if TYPE_CHECKING:
    from thetahat_client.ladders import Ladder

SHOWN_SCORES: Final = 30

app = typer.Typer(
    cls=SectionedGroup,
    help="Published scores of the submissions to one holdout.",
    no_args_is_help=True,
)


@app.command("list")
def list_all(
    dataset: Annotated[
        str | None, typer.Option(metavar="ID", help="Only Ladders on this data set.")
    ] = None,
    target: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Only Ladders on this column.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, help="Most Ladders to print.")] = 20,
    as_json: AsJson = False,
    url: Url = DEFAULT_URL,
) -> None:
    """List Ladders, the newest first; submit with a request of kind ladder makes one."""
    with connect(url) as client:
        found = take(client.ladders, limit, dataset=dataset, target=target)
    columns = ("id", "target", "loss", "score", "leader", "submissions")
    print_list(found, columns, _build_row, as_json=as_json, nothing="There are no Ladders.")


@app.command()
def show(
    ladder_id: Annotated[str, typer.Argument(metavar="ID", help="Id of the Ladder.")],
    as_json: AsJson = False,
    url: Url = DEFAULT_URL,
) -> None:
    """Print the scores that a Ladder has published, and what is fixed."""
    from thetahat_presentation.ladder import show_ladder

    with connect(url) as client:
        ladder = client.ladder(ladder_id)
        scores = list(islice(client.ladder_scores(ladder_id), SHOWN_SCORES + 1))
    members = [dict(score.members) for score in scores[:SHOWN_SCORES]]
    if as_json:
        print_json({**ladder.members, "scores": members})
    else:
        document = show_ladder(ladder.members, members, has_more=len(scores) > SHOWN_SCORES)
        print_document(document, all_option="--json")


def _build_row(ladder: Ladder) -> tuple[str, ...]:
    from thetahat_presentation.numbers import format_number

    return (
        ladder.id,
        ladder.target,
        ladder.loss["name"],
        format_number(ladder.score),
        ladder.leader or "",
        str(ladder.submissions),
    )
