"""A strict parser of the LaTeX that thetahat writes: it knows nothing else.

It refuses what a typesetter would refuse or print wrongly: braces or environments that do not
match, characters that are commands, commands that are not in the list, and rows of a table with
another number of cells than the table has columns.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

WITHOUT_ARGUMENT: Final = frozenset(
    (
        "toprule", "midrule", "bottomrule", "endhead", "item", "par", "footnotesize", "noindent",
        "textbackslash", "textasciicircum", "textasciitilde", "textless", "textgreater", "textbar",
        "textasciigrave", "textquotesingle", "textquotedbl", "dots",
    )
)  # fmt: skip
WITH_ARGUMENT: Final = frozenset({"begin", "end", "subsection*"})
ENVIRONMENTS: Final = frozenset({"itemize", "tabular", "longtable"})
MATHS: Final = re.compile(r"\$(?:-|\\le|\\ge|\\pm|\\times)\$")
TOKEN: Final = re.compile(
    r"\\(?P<command>[A-Za-z]+\*?)|\\(?P<escaped>[\\{}$&#%_])|(?P<maths>\$[^$]*\$)|(?P<plain>.)",
    re.DOTALL,
)


class LatexFault(AssertionError):
    """The text is not LaTeX that thetahat may write."""


@dataclass
class ParsedLatex:
    """The tables of a text, and its words.

    Parameters
    ----------
    tables : list of list of list of str
        By table the rows, by row the cells, as they are written.
    text : str
        What is printed.
    """

    tables: list[list[list[str]]] = field(default_factory=list)
    text: str = ""


def parse_latex(source: str) -> ParsedLatex:
    """Return the tables and the words of a text; raise ``LatexFault`` if it is not sound."""
    lines = [line for line in source.splitlines() if not line.startswith("%")]
    body = "\n".join(lines)
    parsed = ParsedLatex(text=_check_tokens(body))
    for name, columns, rows in re.findall(
        r"\\begin\{(tabular|longtable)\}\{(.*?)\}\n(.*?)\\end\{\1\}", body, re.DOTALL
    ):
        if not re.fullmatch("l[lr]*", columns):
            raise LatexFault(f"columns of {name}: {columns}")
        parsed.tables.append(_read_rows(rows, len(columns)))
    return parsed


def _read_rows(body: str, n_columns: int) -> list[list[str]]:
    rows = []
    for line in body.splitlines():
        if line in {r"\toprule", r"\midrule", r"\bottomrule", r"\endhead"}:
            continue
        if not line.endswith(r" \\"):
            raise LatexFault(f"the row does not end: {line!r}")
        cells = re.split(r"(?<!\\)&", line.removesuffix(r"\\"))
        if len(cells) != n_columns:
            raise LatexFault(f"{len(cells)} cells in {n_columns} columns: {line!r}")
        rows.append([cell.strip() for cell in cells])
    return rows


def _check_tokens(body: str) -> str:  # noqa: C901, PLR0912 - one branch for each kind of token
    """Return the printed text after a check of every token."""
    depth, open_environments, printed = 0, [], []
    in_table = False
    for match in TOKEN.finditer(body):
        command, plain = match["command"], match["plain"]
        if command in {"begin", "end"}:
            name = re.match(r"\{(\w+)\}", body[match.end() :])
            if name is None or name[1] not in ENVIRONMENTS:
                raise LatexFault(f"environment at {body[match.start() :][:40]!r}")
            if command == "begin":
                open_environments.append(name[1])
            elif not open_environments or open_environments.pop() != name[1]:
                raise LatexFault(f"{name[1]} ends and was not begun last")
            in_table = bool(open_environments) and open_environments[-1] != "itemize"
        elif command is not None and command not in WITHOUT_ARGUMENT | WITH_ARGUMENT:
            raise LatexFault(f"unknown command {command}")
        elif command is not None and command in WITHOUT_ARGUMENT:
            following = body[match.end() : match.end() + 1]
            if following.isalpha():
                raise LatexFault(f"{command} runs into the text")
        elif match["escaped"] == "\\" and not in_table:
            raise LatexFault("a row ends outside of a table")
        elif match["maths"] is not None and not MATHS.fullmatch(match["maths"]):
            raise LatexFault(f"formula {match['maths']}")
        elif plain == "{":
            depth += 1
        elif plain == "}":
            depth -= 1
        elif plain is not None and (plain in "\\$#%_^" or (plain == "&" and not in_table)):
            raise LatexFault(f"{plain!r} is a command at {body[match.start() - 30 :][:60]!r}")
        elif plain is not None:
            printed.append(plain)
        if depth < 0:
            raise LatexFault("a brace is closed that was not opened")
    if depth or open_environments:
        raise LatexFault(f"{depth} braces and {open_environments} are not closed")
    return "".join(printed)
