"""``thetahat compare``: models compared by a file of losses or scores, without a server."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from thetahat_service.cli.evaluate_once import (
    Margin,
    OptionalUrl,
    evaluate_by_service,
    evaluate_here,
    evaluate_logs,
    open_data,
)
from thetahat_service.cli.failures import UserError
from thetahat_service.cli.output import print_json, print_result, write_text
from thetahat_service.cli.table_columns import (
    LABELS,
    LossColumns,
    check_names,
    choose_columns,
)

if TYPE_CHECKING:
    from thetahat.values.json_values import JsonValue
    from thetahat_service.cli.scored_items import ScoredItems
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
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...",
            help="Table with a row for each test instance and a column of losses or scores for "
            "each model; table with a row for each item and model; or logs of inspect_ai or "
            "lm-evaluation-harness, and folders of them.",
        ),
    ],
    model: Annotated[
        list[str] | None,
        typer.Option(
            "--model",
            metavar="COLUMN",
            help="Column of a model; may be repeated. For logs, the name of the model of each.",
        ),
    ] = None,
    model_column: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN", help="Column that names the model, if each row is of one model."
        ),
    ] = None,
    item: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN", help="Column that names the item, by which rows are paired."
        ),
    ] = None,
    task: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Column with the task of the item.")
    ] = None,
    score: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The score, if rows or logs have several."),
    ] = None,
    filter_name: Annotated[
        str | None,
        typer.Option("--filter", metavar="NAME", help="The filter of lm-evaluation-harness."),
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
            "lower, with a caution if the values look like scores. In logs and tables with a row "
            "for each item and model, the name of the score says it."
        ),
    ] = None,
    missing: Annotated[
        Missing,
        typer.Option(
            help="What to do with rows in which a model has no value, and with items that a model "
            "lacks."
        ),
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
    paths = _find_files(files)
    options = _CompareOptions(
        models=model or [],
        labels={"block": block, "repeat": repeat, "instance": instance, "cluster": cluster},
        roles={
            role: column
            for role, column in {
                "model": model_column,
                "item": item,
                "task": task,
                "score": score,
                "cluster": cluster,
            }.items()
            if column is not None
        },
        filter_name=filter_name,
        blocks=blocks,
        better=better,
        leaves_out=missing is Missing.LEAVE_OUT,
    )
    with ExitStack() as stack:
        data = [stack.enter_context(open_data(path)) for path in paths]
        request, understood = _build_request(paths, data, options)
        request["level"] = level
        if options.leaves_out:
            request["missing"] = missing.value
        if margin is not None:
            request["margin"] = margin
        print(*understood, sep="\n", file=sys.stderr)
        if "logs" in request:
            local = {str(file.id): path for file, path in zip(data, paths, strict=True)}
            result = evaluate_logs(request, data, local, url)
        elif url is None:
            result = evaluate_here(request, data[0])
        else:
            result, _ = evaluate_by_service(request, paths[0], url)
    if markdown is not None:
        from thetahat_client.text import result_markdown

        write_text(markdown, result_markdown(result))
    elif as_json:
        print_json(result)
    else:
        print_result(result, show_all=show_all)


@dataclass(frozen=True, slots=True)
class _CompareOptions:
    """What the options of the command say about the files."""

    models: list[str]
    """Columns of models, or names of the logs' models."""
    labels: dict[str, str | None]
    """The columns of block, repeat, instance and cluster."""
    roles: dict[str, str]
    """The columns of model, item, task, score and cluster of scored items, where they are named."""
    filter_name: str | None
    """The filter of a log."""
    blocks: Blocks | None
    """What a block is."""
    better: BetterValues | None
    """Which values are better."""
    leaves_out: bool
    """Whether rows and items without a value of every model are left out."""

    @property
    def names_a_long_table(self) -> bool:
        """Whether an option says that each row is of one item and model."""
        return bool(self.roles.keys() & {"model", "task", "score"})


def _find_files(files: list[Path]) -> list[Path]:
    for file in files:
        if not file.exists():
            message = f"There is no file {str(file)!r}."
            raise UserError(message)
    if len({file.resolve() for file in files}) < len(files):
        message = "A file is named twice. Give each file once."
        raise UserError(message)
    if len(files) == 1 and not files[0].is_dir():
        return files
    from thetahat_service.cli.scored_items import list_log_files

    return list_log_files(files)


def _build_request(
    paths: list[Path], data: list[DatasetFile], options: _CompareOptions
) -> tuple[dict[str, JsonValue], list[str]]:
    """Return the request about the files, and sentences on how they were understood."""
    from thetahat_service.in_process.files import is_log
    from thetahat_service.roles.proposals import find_model_column

    if len(data) > 1 or is_log(data[0]):
        from thetahat_service.cli.scored_items import read_logs

        items = read_logs(paths, data, options.models, options.roles, options.filter_name)
        return _build_item_request(items, options)
    profiles = _profile_columns(data[0])
    check_names(profiles, options.roles.values())
    is_wide = find_model_column(profiles) is None and not options.names_a_long_table
    if options.models or is_wide:
        return _build_table_request(data[0], profiles, options)
    from thetahat_service.cli.scored_items import read_long_file

    roles = dict(options.roles)
    if options.labels["block"] is not None:
        roles.setdefault("task", options.labels["block"])
    if "cluster" in profiles:
        roles.setdefault("cluster", "cluster")
    knows_blocks = options.blocks is not None
    items = read_long_file(data[0], profiles, roles, knows_blocks=knows_blocks)
    return _build_item_request(items, options)


def _build_item_request(
    items: ScoredItems, options: _CompareOptions
) -> tuple[dict[str, JsonValue], list[str]]:
    """Return the request about scored items."""
    from thetahat_service.cli.scored_items import choose_better

    for label in ("repeat", "instance"):
        if options.labels[label] is not None:
            message = (
                f"--{label} is for a table with a column for each model. Here the rows are matched "
                "by item (--item), and the runs of an item are averaged."
            )
            raise UserError(message)
    better = choose_better(items.score, options.better and options.better.value)
    request: dict[str, JsonValue] = {"kind": "losses", "logs": items.logs, "better": better}
    if options.blocks is not None:
        request["blocks"] = options.blocks.value
    block = options.labels["block"]
    if block is not None and WORDS.fullmatch(block):
        request["unit"] = block.replace("_", " ")
    return request, [*items.sentences, f"{better} is better"]


def _build_table_request(
    data: DatasetFile, profiles: Mapping[str, ColumnProfile], options: _CompareOptions
) -> tuple[dict[str, JsonValue], list[str]]:
    """Return the request about a table with a column for each model."""
    columns = choose_columns(
        data,
        profiles,
        options.models,
        {**options.labels, "instance": options.labels["instance"] or options.roles.get("item")},
        knows_blocks=options.blocks is not None,
        leaves_out=options.leaves_out,
    )
    kind = options.blocks or (Blocks.HOLDOUT if "block" not in columns.labels else Blocks.SOURCE)
    request: dict[str, JsonValue] = {
        "kind": "losses",
        "blocks": kind.value,
        "columns": {"losses": columns.losses, **columns.labels},
    }
    block = options.labels["block"]
    if kind is Blocks.SOURCE and block is not None and WORDS.fullmatch(block):
        request["unit"] = block.replace("_", " ")
    if options.better is not None:
        request["better"] = options.better.value
    understood = _describe(columns, kind, options.better or BetterValues.LOWER)
    return request, [understood, *columns.unused]


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
