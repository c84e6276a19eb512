"""The files of a study: its result, a page with its claims and tables, and its figures."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from thetahat_client.results import (
        MonteCarloNumberDict,
        StudyClaimDict,
        StudyResultDict,
        StudyTableDict,
    )

MOST_ROWS: Final = 1000
"""Most rows of a table on the page; a longer table has a page of its own."""


def build_study_files(result: StudyResultDict, command: str) -> dict[str, bytes]:
    """Return the files of a study by name; ``command`` reproduces its numbers."""
    from thetahat_service.figures.catalogue import list_figures
    from thetahat_service.figures.drawing import draw
    from thetahat_service.figures.style import Style

    text = json.dumps({"command": command, **result}, indent=1, ensure_ascii=False)
    page = "\n".join(_build_page(result, command)) + "\n"
    figures = {
        f"{figure.name}.svg": draw(figure.build_spec(Style()), "svg")
        for figure in list_figures(result)
    }
    long_tables = {
        f"{table['name']}.md": _build_long_table_page(table)
        for table in result["tables"]
        if _is_long(table)
    }
    result_files = {"result.json": f"{text}\n".encode(), "tables.md": page.encode()}
    return {**result_files, **long_tables, **figures}


def _is_long(table: StudyTableDict) -> bool:
    """Return whether a table gets a separate page."""
    return len(table["rows"]) > MOST_ROWS


def _build_long_table_page(table: StudyTableDict) -> bytes:
    lines = [f"# {table['title']}", "", *_write_table(table)]
    if table["note"]:
        lines += ["", table["note"]]
    return ("\n".join(lines) + "\n").encode()


def _build_page(result: StudyResultDict, command: str) -> Iterator[str]:
    from thetahat_presentation.expansion import expand_result

    study, provenance = result["study"], result["provenance"]
    yield f"# {study['preset']}"
    yield ""
    yield f"`{command}`, version {provenance['version']}, seed {provenance['seed']}, "
    draws = {**study}.get("draws")
    if isinstance(draws, dict):
        of_parts = ", ".join(f"{name} {n}" for name, n in draws.items())
        yield f"repetitions of each part: {of_parts}."
    else:
        yield f"{study['repetitions']} repetitions."
    for caution in expand_result(result)["cautions"]:
        yield ""
        yield f"**{caution['code']}**: {caution['message']}"
    if result["claims"]:
        yield from ("", "## Claims", "")
        yield from _write_claims(result["claims"])
    for figure in result["figures"]:
        yield from ("", f"## {figure['title']}", "", f"![{figure['title']}]({figure['name']}.svg)")
        if figure["note"]:
            yield from ("", figure["note"])
    for table in result["tables"]:
        yield from ("", f"## {table['title']}", "")
        if _is_long(table):
            yield f"[{len(table['rows'])} rows]({table['name']}.md)"
            continue
        yield from _write_table(table)
        if table["note"]:
            yield from ("", table["note"])


def _write_claims(claims: list[StudyClaimDict]) -> Iterator[str]:
    has_undecided = any(claim.get("undecided_because") for claim in claims)
    names = ["claim", "where", "verdict", "measured", "figure", "bounds"]
    names += ["undecided because"] * has_undecided
    yield _write_row(names)
    yield "|---" * len(names) + "|"
    for claim in claims:
        figure = _format_cell({"value": claim["figure"], "standard_error": claim["standard_error"]})
        bounds = _format_bounds(claim["at_least"], claim["at_most"])
        where = ", ".join(part for part in (claim["reference"], claim["place"]) if part)
        words = (claim["text"], where, f"**{claim['verdict']}**", claim["measured"])
        because = [claim.get("undecided_because") or ""] * has_undecided
        yield _write_row([*words, figure, bounds, *because])


def _format_bounds(least: float | None, most: float | None) -> str:
    """Return the bounds that the claim sets for the figure."""
    if least is None:
        return "" if most is None else f"at most {most:.4g}"
    return f"at least {least:.4g}" if most is None else f"{least:.4g} to {most:.4g}"


def _write_table(table: StudyTableDict) -> Iterator[str]:
    yield _write_row(list(table["columns"].values()))
    yield "|---" * len(table["columns"]) + "|"
    for row in table["rows"]:
        yield _write_row([_format_cell(row[key]) for key in table["columns"]])


def _write_row(cells: list[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _format_cell(cell: MonteCarloNumberDict | float | str | None) -> str:
    """Return a cell as text: a number with its standard error in brackets."""
    if cell is None:
        return ""
    if isinstance(cell, dict):
        value, error = cell["value"], cell["standard_error"]
        return _format_cell(value) if error is None else f"{_format_cell(value)} ({error:.2g})"
    return f"{cell:.4g}" if isinstance(cell, float) else str(cell)
