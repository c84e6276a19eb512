"""``thetahat datasets``: upload, list, show and delete data sets."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Final

import typer

from thetahat_service.cli.connection import DEFAULT_URL, AsJson, Url, Yes, connect, take
from thetahat_service.cli.output import confirm, print_json, print_list, print_table, print_text
from thetahat_service.cli.sectioned_help import SectionedGroup

if TYPE_CHECKING:
    from thetahat_client import Dataset
    from thetahat_client.results import DatasetPreviewDict

MOST_COLUMNS: Final = 8

app = typer.Typer(
    cls=SectionedGroup, help="Upload, list, show and delete data sets.", no_args_is_help=True
)
DatasetId = Annotated[str, typer.Argument(metavar="ID", help="Id of the data set.")]


@app.command("list")
def list_datasets(
    limit: Annotated[int, typer.Option(min=1, help="Most data sets to print.")] = 20,
    as_json: AsJson = False,
    url: Url = DEFAULT_URL,
) -> None:
    """List data sets, the newest first."""
    with connect(url) as client:
        found = take(client.datasets, limit)
    columns = ("id", "name", "rows", "columns", "size", "uploaded (UTC)")
    print_list(found, columns, _build_row, as_json=as_json, nothing="There are no data sets.")


@app.command()
def show(
    dataset_id: DatasetId,
    rows: Annotated[int, typer.Option(min=0, help="First rows to print; 0 for none.")] = 5,
    as_json: AsJson = False,
    url: Url = DEFAULT_URL,
) -> None:
    """Print the columns and the first rows of a data set."""
    with connect(url) as client:
        dataset = client.dataset(dataset_id)
        preview = client.preview(dataset_id, rows) if rows else None
    if as_json:
        print_json({**dataset.members, **({} if preview is None else {"preview": preview})})
        return
    name = dataset.name or "(without a name)"
    print_text(f"{name}: {dataset.rows} rows, {_format_bytes(dataset.bytes)}, {dataset.media_type}")
    print(f"sha256 {dataset.sha256}")
    if dataset.uses is not None:
        print(f"{dataset.uses.evaluations} evaluations of models on these data")
    print()
    print_table(("column", "type"), [(column.name, column.type) for column in dataset.columns])
    if preview is not None:
        _print_first_rows(preview)


@app.command()
def upload(
    file: Annotated[str, typer.Argument(metavar="FILE", help="CSV, Parquet, NPY, NPZ, ... file.")],
    name: Annotated[str | None, typer.Option(help="Its name; by default that of the file.")] = None,
    media_type: Annotated[
        str | None, typer.Option(help="Its media type; by default from the ending of the file.")
    ] = None,
    url: Url = DEFAULT_URL,
) -> None:
    """Upload a data set and print its id; the same file has the same id."""
    with connect(url) as client:
        dataset = client.upload(file, name=name, media_type=media_type)
    print(dataset.id)
    print(f"{dataset.rows} rows, {len(dataset.columns)} columns", file=sys.stderr)


@app.command()
def delete(
    dataset_ids: Annotated[list[str], typer.Argument(metavar="ID...", help="Ids of data sets.")],
    yes: Yes = False,
    url: Url = DEFAULT_URL,
) -> None:
    """Delete data sets that no unfinished evaluation needs."""
    count = len(dataset_ids)
    confirm(f"Delete {count} data set{'s' * (count > 1)}?", yes=yes)
    with connect(url) as client:
        for dataset_id in dataset_ids:
            client.delete_dataset(dataset_id)
            print(f"{dataset_id}  deleted")


def _print_first_rows(preview: DatasetPreviewDict) -> None:
    """Print the first rows of as many columns as a terminal can hold."""
    names = [column["name"] for column in preview["columns"]]
    print()
    print_table(
        names[:MOST_COLUMNS],
        [list(map(_format_cell, row[:MOST_COLUMNS])) for row in preview["rows"]],
    )
    if len(names) > MOST_COLUMNS:
        print(f"and {len(names) - MOST_COLUMNS} more columns")


def _build_row(dataset: Dataset) -> tuple[str, ...]:
    return (
        dataset.id,
        dataset.name or "",
        str(dataset.rows),
        str(len(dataset.columns)),
        _format_bytes(dataset.bytes),
        f"{dataset.created_at:%Y-%m-%d %H:%M}" if dataset.created_at else "",
    )


def _format_bytes(size: float) -> str:
    for unit in ("bytes", "KiB", "MiB"):
        if size < 1024:
            return f"{size:.0f} {unit}" if unit == "bytes" else f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:.1f} GiB"


def _format_cell(value: object) -> str:
    return "" if value is None else str(value)
