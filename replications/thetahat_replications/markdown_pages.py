"""Pages of results in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence


def write_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Yield the lines of a table."""
    yield f"| {' | '.join(columns)} |"
    yield "|" + "---|" * len(columns)
    for row in rows:
        yield f"| {' | '.join(row)} |"


def write_page(title: str, *parts: str | Iterable[str]) -> str:
    """Return a page of paragraphs and tables, each a text or the lines of one."""
    texts = (part if isinstance(part, str) else "\n".join(part) for part in parts)
    return "\n\n".join([f"# {title}", *texts]) + "\n"
