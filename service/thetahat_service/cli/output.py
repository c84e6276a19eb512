"""The output of the commands: JSON, and tables that fold to the width of the terminal."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import typer

if TYPE_CHECKING:
    from thetahat_client.result_types import ResultJson
    from thetahat_presentation.document import Document

UNFOLDED: Final = 10_000  # characters: no table is folded on its way to a file or a program
NARROWEST, WIDEST = 60, 100  # characters of a line of prose


def print_text(*lines: str, to_errors: bool = False) -> None:
    """Print lines for people, in which hidden characters of names are shown as escapes."""
    from thetahat_presentation.hidden_characters import show_hidden

    for line in lines:
        print(show_hidden(line), file=sys.stderr if to_errors else sys.stdout)


def print_json(value: Any) -> None:
    """Print JSON for people and programs alike."""
    print(json.dumps(value, indent=2, ensure_ascii=False))


def print_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Print rows under their headings, without columns that are empty.

    The first column is an id and is never folded.
    """
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from thetahat_presentation.hidden_characters import show_hidden

    cells = list(rows)
    shown = [i for i in range(len(columns)) if any(row[i] for row in cells)]
    table = Table(box=None, pad_edge=False, header_style="bold")
    for position in shown:
        table.add_column(columns[position], no_wrap=position == 0, overflow="fold")
    for row in cells:
        cells_shown = (show_hidden(row[position]) for position in shown)
        table.add_row(*map(Text, cells_shown))  # not markup: `[` stays
    console = Console(file=sys.stdout, width=None if sys.stdout.isatty() else UNFOLDED)
    console.print(table)


def print_list(
    found: Sequence[Any],
    columns: Sequence[str],
    build_row: Callable[[Any], Sequence[str]],
    *,
    as_json: bool,
    nothing: str,
) -> None:
    """Print what a service has listed as a table or as JSON, or say that there is nothing."""
    if as_json:
        print_json([dict(each.members) for each in found])
    elif found:
        print_table(columns, map(build_row, found))
    else:
        print(nothing, file=sys.stderr)


def print_result(result: ResultJson, *, show_all: bool, advice: Sequence[str] = ()) -> None:
    """Print a result as text for people; ``advice`` is what they may do next."""
    from thetahat_presentation.showing import show

    print_document(show(result), all_option="--all", show_all=show_all, advice=advice)


def print_document(
    document: Document, *, all_option: str, show_all: bool = False, advice: Sequence[str] = ()
) -> None:
    """Print a document as text for people; ``all_option`` says how they get all of it."""
    from thetahat_presentation.renderers.text import Page

    encoding = sys.stdout.encoding or "ascii"
    page = Page(
        prose=choose_prose_width(),
        table=max(_find_terminal_width(), NARROWEST) if sys.stdout.isatty() else None,
        all_option=all_option,
        advice=advice,
        is_ascii=not _can_draw(encoding),
    )
    text = page.write(document, show_all=show_all)
    print(text.encode(encoding, "backslashreplace").decode(encoding))


def _can_draw(encoding: str) -> bool:
    """Return whether an encoding has every sign that a page is written with."""
    from thetahat_presentation.renderers.text import SIGNS

    try:
        SIGNS.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


def write_text(file: str, text: str) -> None:
    """Write a text to a file, or to standard output if the file is ``-``."""
    if file == "-":
        print(text)
    else:
        Path(file).write_text(text + "\n", encoding="utf-8")


def choose_prose_width() -> int:
    """Return the characters of a line of prose: the terminal's width, within limits."""
    return min(max(_find_terminal_width(), NARROWEST), WIDEST)


def _find_terminal_width() -> int:
    return shutil.get_terminal_size((WIDEST, 24)).columns


def confirm(question: str, *, yes: bool) -> None:
    """Ask on a terminal, and end the command unless the answer is yes."""
    if not yes and sys.stdin.isatty():
        typer.confirm(question, abort=True, err=True)
