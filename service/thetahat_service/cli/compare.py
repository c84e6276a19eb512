"""``thetahat compare``: models compared by a file of losses or scores, without a server."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from thetahat_service.cli.evaluate_once import (
    Margin,
    OptionalUrl,
    evaluate_by_service,
    evaluate_here,
    open_data,
)
from thetahat_service.cli.failures import UserError
from thetahat_service.cli.output import print_json, print_result, write_text
from thetahat_service.cli.table_columns import LABELS, LossColumns, choose_columns

if TYPE_CHECKING:
    from thetahat.values.json_values import JsonValue
    from thetahat_service.kinds.base import DatasetFile
    from thetahat_service.roles.profile import ColumnProfile

PANEL: Final = "Evaluations"
WORDS: Final = re.compile(r"[a-z]+([ _][a-z]+)?")
"""Names of block columns that can stand in a sentence: a new school."""


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


class Missing(StrEnum):
    """What to do with rows in which a model has no value."""

    REFUSE = "refuse"
    LEAVE_OUT = "leave_out"


def add_commands(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command("compare", rich_help_panel=PANEL)(compare)


def compare(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="Table with a row for each test instance and a column of losses or scores for "
            "each model.",
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
        BetterValues | None,
        typer.Option(
            help="Whether lower values (losses) or higher ones (scores) are better; by default "
            "lower, with a caution if the values look like scores."
        ),
    ] = None,
    missing: Annotated[
        Missing,
        typer.Option(help="What to do with rows in which a model has no value."),
    ] = Missing.REFUSE,
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
    if not file.is_file():
        message = f"There is no file {str(file)!r}."
        raise UserError(message)
    labels = {"block": block, "repeat": repeat, "instance": instance, "cluster": cluster}
    with open_data(file) as data:
        columns = choose_columns(
            data,
            _profile_columns(data),
            model or (),
            labels,
            knows_blocks=blocks is not None,
            leaves_out=missing is Missing.LEAVE_OUT,
        )
        kind = blocks or (Blocks.HOLDOUT if "block" not in columns.labels else Blocks.SOURCE)
        request: dict[str, JsonValue] = {
            "kind": "losses",
            "blocks": kind.value,
            "columns": {"losses": columns.losses, **columns.labels},
            "level": level,
        }
        if kind is Blocks.SOURCE and block is not None and WORDS.fullmatch(block):
            request["unit"] = block.replace("_", " ")
        if missing is not Missing.REFUSE:
            request["missing"] = missing.value
        if margin is not None:
            request["margin"] = margin
        if better is not None:
            request["better"] = better.value
        understood = _describe(columns, kind, better or BetterValues.LOWER)
        print(understood, *columns.unused, sep="\n", file=sys.stderr)
        if url is None:
            result = evaluate_here(request, data)
        else:
            result, _ = evaluate_by_service(request, file, url)
    if markdown is not None:
        from thetahat_client.text import result_markdown

        write_text(markdown, result_markdown(result))
    elif as_json:
        print_json(result)
    else:
        print_result(result, show_all=show_all)


def _profile_columns(data: DatasetFile) -> Mapping[str, ColumnProfile]:
    """Return what the columns of a file contain, by name."""
    from thetahat_service.in_process.files import profile_columns

    return profile_columns(data)


def _describe(columns: LossColumns, blocks: Blocks, better: BetterValues) -> str:
    """Return one sentence about how the file was understood."""
    names = columns.losses
    shown = ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")
    named = columns.labels
    labels = ", ".join(f"{name} from column {named[name]}" for name in LABELS if name in named)
    ends = f"; {labels}" if labels else ""
    return f"models: {shown} ({better.value} is better); blocks: {blocks.value}{ends}"
