"""Files of losses, scores or logs on the command line: their options, and the request about them.

``compare`` and ``gate`` take the same files with the same options.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from dataclasses import fields as dataclass_fields
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, TypeAlias, get_type_hints

import typer

from thetahat_service.cli.evaluate_once import (
    Computed,
    evaluate_by_service,
    evaluate_here,
    open_data,
    send_logs,
)
from thetahat_service.cli.failures import UserError, explain
from thetahat_service.cli.output import print_text

if TYPE_CHECKING:
    from thetahat.tables.column_profiles import ColumnProfile
    from thetahat.values.json_values import JsonValue
    from thetahat_service.cli.cost_options import CostOptions
    from thetahat_service.cli.scored_items import ScoredItems
    from thetahat_service.cli.table_columns import LossColumns
    from thetahat_service.kinds.base import DatasetFile


# The values are those of requests; they stand here so that --help need not load the library.
Blocks: TypeAlias = Literal["source", "random", "holdout", "subsamples"]
BetterValues: TypeAlias = Literal["lower", "higher"]
Missing: TypeAlias = Literal["refuse", "leave_out"]

KINDS: Final[Mapping[Blocks, str]] = {
    "source": "each block is a source",
    "random": "blocks are random folds",
    "holdout": "one test set",
    "subsamples": "blocks are random test parts",
}
"""What a file is read as."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileOptions:
    """What the options of a command say about the files; a field with a help text is an option."""

    models: tuple[str, ...] = ()
    """Columns of models, or names of the logs' models."""
    pair: tuple[str, ...] = ()
    """The two models of a gate: where each model has a column, only theirs are used."""
    model_column: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN", help="Column that names the model, if each row is of one model."
        ),
    ] = None
    item: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN", help="Column that names the item, by which rows are paired."
        ),
    ] = None
    run: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="Column with the run of the item, such as a seed, if runs are the same for all "
            "items.",
        ),
    ] = None
    task: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Column with the task of the item.")
    ] = None
    score: Annotated[
        str | None, typer.Option(metavar="NAME", help="The score, if rows or logs have several.")
    ] = None
    filter_name: Annotated[
        str | None,
        typer.Option(
            "--filter",
            metavar="NAME",
            help="The filter of lm-evaluation-harness, perturbation or split of HELM, or "
            "result of every_eval_ever.",
        ),
    ] = None
    block: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="Column with the block: school, hospital, fold."),
    ] = None
    blocks: Annotated[
        Blocks | None,
        typer.Option(help="What a block is; by default a source, or a holdout without blocks."),
    ] = None
    repeat: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Column with the repeat.")
    ] = None
    instance: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Column with the test instance.")
    ] = None
    cluster: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Column with dependent rows' cluster.")
    ] = None
    time: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="Column with the time of each row: numbers or dates (2026-11-26).",
        ),
    ] = None
    judge: Annotated[
        list[str] | None,
        typer.Option(
            "--judge",
            metavar="MODEL=COLUMN",
            help="Column with a judge's grade of every row, for the model of another column, whose "
            "cells are empty where nobody labelled the row; once for each model.",
        ),
    ] = None
    judge_stratum: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN", help="Column with the stratum in which rows were drawn for labelling."
        ),
    ] = None
    group: Annotated[
        list[str] | None,
        typer.Option(
            "--group",
            metavar="COLUMN",
            help="Column with groups of the rows, such as sex or language, by which models are "
            "described too; may be repeated. Columns with commas between them (sex,age) are their "
            "intersection. Of logs, task is the task.",
        ),
    ] = None
    cost: Annotated[
        list[str] | None,
        typer.Option(
            metavar="MODEL=NUMBER",
            help="What a model costs, once for each model; or MODEL=COLUMN, the column of the "
            "table with its cost for each row; of logs COLUMN, such as tokens.",
        ),
    ] = None
    cost_unit: Annotated[
        str | None, typer.Option(metavar="NAME", help="What costs are counted in: USD, seconds.")
    ] = None
    better: Annotated[
        BetterValues | None,
        typer.Option(
            help="Whether lower values (losses) or higher ones (scores) are better; by default "
            "lower, with a caution if the values look like scores. In logs and tables with a row "
            "for each item and model, the name of the score says it."
        ),
    ] = None
    missing: Annotated[
        Missing | None,
        typer.Option(
            help="What to do with rows in which a model has no value, and with items that a model "
            "lacks; by default refuse."
        ),
    ] = None

    @property
    def roles(self) -> dict[str, str]:
        """The columns of scored items that options name, by role."""
        columns = {
            "model": self.model_column,
            "item": self.item,
            "task": self.task,
            "score": self.score,
            "cluster": self.cluster,
        }
        return {role: column for role, column in columns.items() if column is not None}

    @property
    def leaves_out(self) -> bool:
        """Whether rows and items without a value of every model are left out."""
        return self.missing == "leave_out"

    @property
    def judges(self) -> dict[str, str]:
        """The columns of a judge's grades by model."""
        judges = {}
        for entry in self.judge or ():
            model, separator, column = entry.partition("=")
            if not (model and separator and column) or model in judges:
                raise UserError(f"--judge {entry!r} must be MODEL=COLUMN, once for each model.")
            judges[model] = column
        if self.judge_stratum is not None and not judges:
            raise UserError("--judge-stratum goes with --judge MODEL=COLUMN.")
        return judges

    @property
    def costs(self) -> CostOptions:
        """The costs of the models."""
        from thetahat_service.cli.cost_options import read_cost_options

        return read_cost_options(self.cost or ())

    @property
    def names_a_long_table(self) -> bool:
        """Whether an option says that each row is of one item and model."""
        return bool(self.roles.keys() & {"model", "task", "score"})


def takes_file_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options of ``FileOptions`` in the place of its parameter ``options``."""
    hints = get_type_hints(FileOptions, include_extras=True)
    options = [
        Parameter(
            field.name,
            Parameter.KEYWORD_ONLY,
            default=field.default,
            annotation=hints[field.name],
        )
        for field in dataclass_fields(FileOptions)
        if hasattr(hints[field.name], "__metadata__")
    ]
    shown = [
        each
        for parameter in signature(command, eval_str=True).parameters.values()
        for each in (options if parameter.name == "options" else [parameter])
    ]

    def run(**values: Any) -> None:
        of_files = {option.name: values.pop(option.name) for option in options}
        command(options=FileOptions(**of_files), **values)

    run.__doc__ = command.__doc__
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in shown}
    vars(run)["__signature__"] = Signature(shown)
    return run


def evaluate_files(
    files: Sequence[Path],
    options: FileOptions,
    fields: Mapping[str, JsonValue],
    url: str | None,
) -> Computed:
    """Evaluate files of losses, scores or logs.

    How the files were understood is printed on standard error.

    Parameters
    ----------
    files : sequence of Path
        One table, or logs and folders of them.
    options : FileOptions
        What the options of the command say about them.
    fields : mapping
        Further fields of the request.
    url : str or None
        The service that computes; None computes here.
    """
    paths = _find_files(files)
    with ExitStack() as stack:
        data = [stack.enter_context(_open_one_of(path, len(paths))) for path in paths]
        request, understood = _build_request(paths, data, options)
        request.update(fields)
        request.update(options.costs.build_fields(options.cost_unit))
        if options.leaves_out:
            request["missing"] = "leave_out"
        print_text(*understood, to_errors=True)
        if url is None:
            return _evaluate_here(request, data)
        if "logs" in request:
            local = {str(file.id): path for file, path in zip(data, paths, strict=True)}
            return send_logs(request, local, url)
        return evaluate_by_service(request, paths[0], url)


def _evaluate_here(request: dict[str, JsonValue], data: Sequence[DatasetFile]) -> Computed:
    """Evaluate a request in this process; a refusal that names a field names the option, too."""
    from thetahat.errors import InvalidParameter

    try:
        if "logs" in request:
            return evaluate_here(request, logs=data)
        return evaluate_here(request, data[0])
    except InvalidParameter as error:
        if "leave_out" in error.message:
            raise UserError(f"{error.message} The option is --missing leave_out.") from None
        raise


@contextmanager
def _open_one_of(path: Path, n_files: int) -> Iterator[DatasetFile]:
    """Open a file; if it is one of several, a refusal begins with its path."""
    with ExitStack() as stack:
        try:
            data = stack.enter_context(open_data(path))
        except Exception as error:
            reason = explain(error) if n_files > 1 else None
            if reason is None:
                raise
            raise UserError(f"{path}: {reason}") from None
        yield data


def _find_files(files: Sequence[Path]) -> list[Path]:
    for file in files:
        if not file.exists():
            raise UserError(f"There is no file {str(file)!r}.")
    if len({file.resolve() for file in files}) < len(files):
        raise UserError("A file is named twice. Give each file once.")
    if len(files) == 1 and not files[0].is_dir():
        return [*files]
    from thetahat_service.cli.scored_items import list_log_files

    return list_log_files(files)


def _build_request(
    paths: list[Path], data: list[DatasetFile], options: FileOptions
) -> tuple[dict[str, JsonValue], list[str]]:
    """Return the request about the files, and sentences on how they were understood."""
    from thetahat.roles.proposals import find_model_column
    from thetahat_service.cli.table_columns import check_names
    from thetahat_service.data.logs import name_log

    if options.judges:
        if len(data) > 1 or name_log(data[0]) or options.names_a_long_table:
            raise UserError("--judge is for one table with a column for each model and each judge.")
        return _build_table_request(data[0], _profile_columns(data[0]), options)
    if len(data) > 1 or name_log(data[0]):
        from thetahat_service.cli.scored_items import read_logs

        items = read_logs(paths, data, options.models, options.roles, options.filter_name)
        return _build_item_request(items, options)
    profiles = _profile_columns(data[0])
    check_names(profiles, options.roles.values())
    has_columns = bool(options.pair) and profiles.keys() >= {*options.pair}
    is_wide = find_model_column(profiles) is None or has_columns
    if options.models or (is_wide and not options.names_a_long_table):
        return _build_table_request(data[0], profiles, options)
    from thetahat_service.cli.scored_items import read_long_file

    roles = options.roles
    if options.block is not None:
        roles.setdefault("task", options.block)
    if "cluster" in profiles:
        roles.setdefault("cluster", "cluster")
    knows_blocks = options.blocks is not None
    items = read_long_file(data[0], profiles, roles, knows_blocks=knows_blocks)
    return _build_item_request(items, options)


def _build_item_request(
    items: ScoredItems, options: FileOptions
) -> tuple[dict[str, JsonValue], list[str]]:
    """Return the request about scored items."""
    from thetahat.roles.names import name_unit
    from thetahat_service.cli.scored_items import choose_better

    by_row = {name: getattr(options, name) for name in ("repeat", "instance", "run", "time")}
    for label, column in by_row.items():
        if column is not None:
            raise UserError(
                f"--{label} is for a table with a column for each model. Here the rows are matched "
                "by item (--item), and the runs of an item are averaged."
            )
    better = choose_better(items.score, options.better)
    logs: dict[str, JsonValue] = {**items.logs}
    request: dict[str, JsonValue] = {"kind": "losses", "logs": logs, "better": better}
    options.costs.refuse_columns()
    sentences = [*items.sentences, f"{better} is better"]
    columns: Sequence[str] = ()
    if options.costs.in_logs is not None:
        logs["cost"] = options.costs.in_logs
        sentences.append(f"costs of runs from {options.costs.in_logs}")
    if options.group:
        columns, request["group_by"] = read_group_options(options.group, ())
        logs["groups"] = [*columns]
        sentences.append(f"groups by {', '.join(options.group)}")
    used = {options.costs.in_logs, *columns}
    if unused := [name for name in items.unused if name not in used]:
        sentences.append(f"not used: {', '.join(unused)}")
    if options.blocks is not None:
        request["blocks"] = options.blocks
    unit = name_unit(options.block or items.tasks)
    if unit is not None:
        request["unit"] = unit
    return request, sentences


def _build_table_request(
    data: DatasetFile, profiles: Mapping[str, ColumnProfile], options: FileOptions
) -> tuple[dict[str, JsonValue], list[str]]:
    """Return the request about a table with a column for each model."""
    from thetahat.roles.names import name_unit
    from thetahat_service.cli.table_columns import check_names, choose_columns

    judges = options.judges
    of_judge = [*judges.values(), *filter(None, [options.judge_stratum])]
    check_names(profiles, of_judge)
    costs = options.costs
    costs.refuse_in_logs()
    check_names(profiles, costs.columns.values())
    beside = {*of_judge, *costs.columns.values()}
    profiles = {name: of for name, of in profiles.items() if name not in beside}
    groups, group_by = read_group_options(options.group or (), profiles)
    check_names(profiles, groups)
    if not (options.models or options.pair):
        _refuse_export(profiles)
    columns = choose_columns(
        data,
        profiles,
        options.models or options.pair or tuple(judges),
        {
            "block": options.block,
            "repeat": options.repeat,
            "instance": options.instance,
            "cluster": options.cluster,
            "time": options.time,
            "item": options.item,
            "run": options.run,
        },
        knows_blocks=options.blocks is not None or bool(options.models),
        leaves_out=options.leaves_out or bool(judges),
        groups=groups,
    )
    kind = options.blocks or ("holdout" if "block" not in columns.labels else "source")
    named: dict[str, JsonValue] = {"losses": columns.losses, **columns.labels}
    request: dict[str, JsonValue] = {"kind": "losses", "blocks": kind, "columns": named}
    if judges:
        named["judge"] = _name_judge_columns(columns.losses, judges, options.judge_stratum)
    if groups:
        named["groups"] = [*groups]
        request["group_by"] = group_by
    if costs.columns:
        named["cost"] = {**costs.columns}
    unit = name_unit(options.block)
    if kind == "source" and unit is not None:
        request["unit"] = unit
    if options.better is not None:
        request["better"] = options.better
    else:
        _ask_about_better([profiles[name] for name in columns.losses])
    understood = _describe(columns, kind, options.better or "lower")
    if judges:
        understood += f"; grades of the judge from {', '.join(judges.values())}"
    if costs.columns:
        understood += f"; costs from {', '.join(costs.columns.values())}"
    if options.group:
        understood += f"; groups by {', '.join(options.group)}"
    return request, [understood, *columns.unused]


def _refuse_export(profiles: Mapping[str, ColumnProfile]) -> None:
    """Refuse a table of an evaluation tool, whose columns of numbers are metrics of one model."""
    from thetahat_service.data.csv_dialect import PROMPTFOO, PROMPTFOO_CELL
    from thetahat_service.data.logs import find_export

    export = find_export([*profiles])
    if export is not None:
        raise UserError(export.describe())
    cells = [profile.first_other for profile in profiles.values()]
    if any(cell is not None and PROMPTFOO_CELL.match(cell.text) for cell in cells):
        raise UserError(PROMPTFOO)


def _ask_about_better(models: Sequence[ColumnProfile]) -> None:
    """Refuse to take values as losses that are scores by name, or truth values."""
    from thetahat.roles.names import find_better

    named = next((m.name for m in models if find_better(m.name) == "higher"), None)
    if named is None and not all(m.type == "boolean" for m in models):
        return
    reason = f"{named!r} is the name of scores" if named else "the columns have true and false"
    raise UserError(
        f"It is not clear whether higher values are better: {reason}. Give --better higher, or "
        "--better lower."
    )


def _name_judge_columns(
    models: Sequence[str], judges: Mapping[str, str], stratum: str | None
) -> dict[str, JsonValue]:
    """Return the columns of the judge; refuse a model without one, and one without a model."""
    for name in models:
        if name not in judges:
            raise UserError(f"Model {name!r} has no grades. Give --judge {name}=COLUMN.")
    for name in judges:
        if name not in models:
            message = f"--judge names {name!r}, which is none of the models {', '.join(models)}."
            raise UserError(message)
    named: dict[str, JsonValue] = {"losses": [judges[name] for name in models]}
    return named if stratum is None else {**named, "stratum": stratum}


def read_group_options(
    groups: Sequence[str], names: Collection[str]
) -> tuple[list[str], list[JsonValue]]:
    """Return the group columns, each once, and what they are described by.

    An option with commas is an intersection, unless a column has that name.
    """
    columns: dict[str, None] = {}
    group_by: list[JsonValue] = []
    for group in groups:
        parts = [group] if group in names else [part.strip() for part in group.split(",")]
        columns.update(dict.fromkeys(parts))
        group_by.append(parts[0] if len(parts) == 1 else [*parts])
    return [*columns], group_by


def _profile_columns(data: DatasetFile) -> Mapping[str, ColumnProfile]:
    """Return what the columns of a file contain, by name."""
    from thetahat_service.data.profiles import profile_columns

    return profile_columns(data, data.columns, data.rows)


def _describe(columns: LossColumns, blocks: Blocks, better: BetterValues) -> str:
    """Return one sentence about how the file was understood."""
    from thetahat.tables.labels import list_names

    names = columns.losses
    shown = list_names(names)
    labels = ", ".join(f"{name} from column {of}" for name, of in columns.labels.items())
    ends = f"; {labels}" if labels else ""
    return f"models: {shown} ({better} is better); {KINDS[blocks]}{ends}"
