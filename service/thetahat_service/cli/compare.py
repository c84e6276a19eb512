"""``thetahat compare``: models compared by a file of losses or scores, without a server."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from thetahat.common_names import LABEL_NAMES, NUMBERING_WORDS, TARGET_NAMES
from thetahat_service.cli.evaluate_once import (
    Margin,
    OptionalUrl,
    evaluate_by_service,
    evaluate_here,
    open_data,
)
from thetahat_service.cli.failures import UserError
from thetahat_service.cli.output import print_json, print_result, write_text

if TYPE_CHECKING:
    from thetahat.values.json_values import JsonValue
    from thetahat_service.in_process.files import FileColumn
    from thetahat_service.kinds.base import DatasetFile

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
        columns, unused = _choose_columns(_describe_columns(data), model, labels)
        kind = blocks or (Blocks.HOLDOUT if "block" not in columns.labels else Blocks.SOURCE)
        request: dict[str, JsonValue] = {
            "kind": "losses",
            "blocks": kind.value,
            "columns": {"losses": columns.losses, **columns.labels},
            "level": level,
        }
        if kind is Blocks.SOURCE and block is not None and WORDS.fullmatch(block):
            request["unit"] = block.replace("_", " ")
        if margin is not None:
            request["margin"] = margin
        if better is not None:
            request["better"] = better.value
        understood = _describe(columns, kind, better or BetterValues.LOWER)
        print(understood, *unused, sep="\n", file=sys.stderr)
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


def _describe_columns(data: DatasetFile) -> Mapping[str, FileColumn]:
    """Return the columns of a file by name."""
    from thetahat_service.in_process.files import describe_columns

    return describe_columns(data)


@dataclass(frozen=True, slots=True)
class LossColumns:
    """The columns of a file of losses.

    Parameters
    ----------
    losses : list of str
        The columns of the models.
    labels : dict of str to str
        The columns that name block, repeat, instance and cluster, where there are such.
    """

    losses: list[str]
    labels: dict[str, str]


def _choose_columns(
    columns: Mapping[str, FileColumn],
    models: Sequence[str] | None,
    labels: Mapping[str, str | None],
) -> tuple[LossColumns, list[str]]:
    """Return the columns of the request, and a sentence on each column that is not used.

    The models are all columns of numbers that are no labels; columns that number the rows or are
    named like labels are taken as models only if they are named as models.
    """
    chosen = {
        name: column or (name if name in columns and name not in (models or ()) else None)
        for name, column in labels.items()
    }
    for name in (*(models or ()), *filter(None, labels.values())):
        if name not in columns:
            message = f"The file has no column {name!r}; its columns are {', '.join(columns)}."
            raise UserError(message)
    used = set(chosen.values())
    unused_columns = [column for column in columns.values() if column.name not in used]
    unused = {c.name: describe for c in unused_columns if (describe := _describe_label(c))}
    losses = list(models or ()) or [c.name for c in unused_columns if c.name not in unused]
    if not models:
        _refuse_predictions(losses)
    if not losses:
        message = (
            f"The file has no column of numbers to compare; its columns are {', '.join(columns)}."
        )
        raise UserError(message)
    named = {name: column for name, column in chosen.items() if column}
    return LossColumns(losses, named), [text for name, text in unused.items() if name not in losses]


def _describe_label(column: FileColumn) -> str | None:
    """Return why a column is not taken as a model, and what to do; None for a column of losses."""
    name = column.name
    if column.is_numbering and column.limits is not None:
        low, high = column.limits
        return (
            f"not compared: {name}, which has the whole numbers {low} to {high}, each once. "
            f"If they are losses, give --model for each model."
        )
    if column.type not in NUMBERS:
        reason = "which is text" if column.type == "string" else f"which is of type {column.type}"
    elif _is_named_like_labels(name) and column.limits not in (None, (0, 1)):
        reason = "whose name and whole numbers are those of labels"
    else:
        return None
    return (
        f"not used: {name}, {reason}. If rows come from sources such as schools, give the column "
        f"that names them as --block; if rows with the same value depend on each other, as "
        f"--cluster."
    )


def _refuse_predictions(names: Sequence[str]) -> None:
    """Refuse a file whose columns seem to be true values and predictions, not losses."""
    for name in names:
        if " ".join(_split_words(name)) in TARGET_NAMES:
            message = (
                f"The column {name!r} seems to have the true values, so the others would be "
                "predictions. `compare` takes a loss or a score for each row and model. Send "
                "predictions to the service, kind predictions, which computes their losses; or "
                "name the columns of losses with --model."
            )
            raise UserError(message)


def _split_words(name: str) -> list[str]:
    return re.findall(r"[a-z]+\d*", name.lower())


def _is_named_like_labels(name: str) -> bool:
    words = _split_words(name)
    return " ".join(words) in LABEL_NAMES or (bool(words) and words[-1] in NUMBERING_WORDS)


def _describe(columns: LossColumns, blocks: Blocks, better: BetterValues) -> str:
    """Return one sentence about how the file was understood."""
    names = columns.losses
    shown = ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")
    named = columns.labels
    labels = ", ".join(f"{name} from column {named[name]}" for name in LABELS if name in named)
    ends = f"; {labels}" if labels else ""
    return f"models: {shown} ({better.value} is better); blocks: {blocks.value}{ends}"
