"""``thetahat agreement``: how far the raters in the columns of a table agree."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from thetahat_service.cli.evaluate_once import OptionalUrl, evaluate, open_data
from thetahat_service.cli.failures import UserError
from thetahat_service.cli.output import print_json, print_result, print_text

if TYPE_CHECKING:
    from thetahat.values.json_values import JsonValue


def agreement(
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="Table with a row for each item."),
    ],
    rater: Annotated[
        list[str] | None,
        typer.Option(
            "--rater",
            metavar="COLUMN",
            help="Column of a rater; may be repeated. Left out: every column but that of clusters.",
        ),
    ] = None,
    truth: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="The rater that the others are compared with."),
    ] = None,
    scale: Annotated[
        Literal["nominal", "ordinal", "interval"],
        typer.Option(help="What the distance of two ratings means."),
    ] = "nominal",
    category: Annotated[
        list[str] | None,
        typer.Option(
            "--category",
            metavar="VALUE",
            help="Categories that are texts, once for each, the lowest first.",
        ),
    ] = None,
    cluster: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Column with dependent items' cluster.")
    ] = None,
    level: Annotated[float, typer.Option(help="Confidence level of intervals.")] = 0.95,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
    show_all: Annotated[
        bool, typer.Option("--all", help="Print every sentence, row and caution.")
    ] = False,
    url: OptionalUrl = None,
) -> None:
    """Say how far raters of the same items agree: people, judges, or both."""
    if not file.exists():
        raise UserError(f"There is no file {str(file)!r}.")
    with open_data(file) as data:
        names = [str(column["name"]) for column in data.columns]
    raters = list(rater or (name for name in names if name != cluster))
    for name in (*raters, *filter(None, [truth, cluster])):
        if name not in names:
            raise UserError(f"The file has no column {name!r}; its columns are {', '.join(names)}.")
    columns: dict[str, JsonValue] = {"ratings": raters}
    if cluster is not None:
        columns["cluster"] = cluster
    request: dict[str, JsonValue] = {
        "kind": "agreement",
        "columns": columns,
        "scale": scale,
        "level": level,
    }
    if truth is not None:
        request["truth"] = truth
    if category:
        request["categories"] = category
    print_text(f"raters: {', '.join(raters)}; ratings are {scale}", to_errors=True)
    result = evaluate(request, file, url).result
    if as_json:
        print_json(result)
    else:
        print_result(result, show_all=show_all)
