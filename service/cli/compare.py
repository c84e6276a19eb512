"""``thetahat compare``: models compared by a file of losses or scores, without a server."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from service.cli.evaluate_once import Margin, OptionalUrl, evaluate
from service.cli.failures import UserError
from service.cli.output import print_json, print_result, write_text

PANEL: Final = "Evaluations"
LABELS: Final = ("block", "repeat", "instance", "cluster")
"""Columns that name a row; a file's columns of these names are used without an option."""
WORDS: Final = re.compile(r"[a-z]+([ _][a-z]+)?")
"""Names of block columns that can stand in a sentence: a new school."""
NUMBERS: Final = frozenset({"integer", "number", "boolean"})


class Blocks(StrEnum):
    """What a block is."""

    SOURCE = "source"
    RANDOM = "random"
    HOLDOUT = "holdout"
    SUBSAMPLES = "subsamples"


class BetterValues(StrEnum):
    """Which values are better."""

    LOWER = "lower"
    HIGHER = "higher"


def add_commands(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command("compare", rich_help_panel=PANEL)(compare)


def compare(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE", help="Table with one row per test instance and one column per model."
        ),
    ],
    model: Annotated[
        list[str] | None,
        typer.Option("--model", metavar="COLUMN", help="Column of a model; may be repeated."),
    ] = None,
    block: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="Column with the block: school, hospital, fold."),
    ] = None,
    blocks: Annotated[
        Blocks | None,
        typer.Option(help="What a block is; by default a source, or a holdout without blocks."),
    ] = None,
    repeat: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Column with the repeat.")
    ] = None,
    instance: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Column with the test instance.")
    ] = None,
    cluster: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Column with dependent rows' cluster.")
    ] = None,
    better: Annotated[
        BetterValues, typer.Option(help="Whether lower values (losses) or higher ones are better.")
    ] = BetterValues.LOWER,
    margin: Margin = None,
    level: Annotated[float, typer.Option(help="Confidence level of intervals.")] = 0.95,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
    show_all: Annotated[
        bool, typer.Option("--all", help="Print every model, verdict and caution.")
    ] = False,
    markdown: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Write the result as Markdown; - is standard output."),
    ] = None,
    url: OptionalUrl = None,
) -> None:
    """Compare models by their losses in a file, and say which is better and how certain that is."""
    labels = {"block": block, "repeat": repeat, "instance": instance, "cluster": cluster}
    columns = _choose_columns(_read_columns(file), model, labels)
    kind = blocks or (Blocks.HOLDOUT if columns.get("block") is None else Blocks.SOURCE)
    request: dict[str, Any] = {
        "kind": "losses",
        "blocks": kind.value,
        "columns": columns,
        "level": level,
    }
    if kind is Blocks.SOURCE and block is not None and WORDS.fullmatch(block):
        request["unit"] = block.replace("_", " ")
    if margin is not None:
        request["margin"] = margin
    if better is BetterValues.HIGHER:
        request["better"] = better.value
    print(_describe(columns, kind, better), file=sys.stderr)
    result, _ = evaluate(request, file, url)
    if markdown is not None:
        from thetahat_client.text import result_markdown

        write_text(markdown, result_markdown(result))
    elif as_json:
        print_json(result)
    else:
        print_result(result, show_all=show_all)


def _read_columns(file: Path) -> Mapping[str, str]:
    """Return the type of each column of a file."""
    from service.jobs.in_process import read_columns
    from thetahat_client.media import guess_media_type

    if not file.is_file():
        message = f"There is no file {str(file)!r}."
        raise UserError(message)
    return read_columns(file, guess_media_type(file.name))


def _choose_columns(
    types: Mapping[str, str], models: Sequence[str] | None, labels: Mapping[str, str | None]
) -> dict[str, Any]:
    """Return the columns by what they hold; models are all numbers that are no labels."""
    chosen: dict[str, Any] = {
        name: column or (name if name in types and name not in (models or ()) else None)
        for name, column in labels.items()
    }
    for column in (*(models or ()), *filter(None, labels.values())):
        if column not in types:
            message = f"The file has no column {column!r}; its columns are {', '.join(types)}."
            raise UserError(message)
    used = set(chosen.values())
    losses = list(models or ()) or [
        name for name, kind in types.items() if kind in NUMBERS and name not in used
    ]
    if not losses:
        message = (
            f"The file has no column of numbers to compare; its columns are {', '.join(types)}."
        )
        raise UserError(message)
    return {"losses": losses, **{name: column for name, column in chosen.items() if column}}


def _describe(columns: Mapping[str, Any], blocks: Blocks, better: BetterValues) -> str:
    """Return one sentence about how the file was understood."""
    names = columns["losses"]
    shown = ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")
    labels = ", ".join(f"{name} from column {columns[name]}" for name in LABELS if name in columns)
    ends = f"; {labels}" if labels else ""
    return f"models: {shown} ({better.value} is better); blocks: {blocks.value}{ends}"
