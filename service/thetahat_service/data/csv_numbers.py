"""Numbers as people write them in text tables: 1,234.50 and 1.234,50 and 81 %."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from thetahat_service.data.csv_dialect import Dialect, build_ambiguous_number_error
from thetahat_service.data.csv_types import open_table

_PLAIN: Final = r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_FORMS: Final = {
    ".": rf"(?:[+-]?[0-9]{{1,3}}(?:,[0-9]{{3}})+(?:\.[0-9]+)?|{_PLAIN})",
    ",": r"(?:[+-]?[0-9]{1,3}(?:\.[0-9]{3})+(?:,[0-9]+)?|[+-]?[0-9]+(?:,[0-9]+)?)",
}
"""Patterns of numbers by their decimal mark; the other mark stands between thousands."""
_PERCENT: Final = r"\s?%"


@dataclass(frozen=True, slots=True)
class NumberForm:
    """How the numbers of one column are written.

    Parameters
    ----------
    decimal : str
        Point or comma; the other one stands between thousands.
    is_percent : bool
        Whether every number has a percent sign, so that it is divided by 100.
    """

    decimal: str
    is_percent: bool

    def parse(self, texts: pa.Array) -> pa.Array:
        """Return the numbers of a column of text, which has this form."""
        thousands = "," if self.decimal == "." else "."
        texts = pc.utf8_trim_whitespace(texts)
        if self.is_percent:
            texts = pc.replace_substring_regex(texts, pattern=rf"{_PERCENT}$", replacement="")
        texts = pc.replace_substring(texts, pattern=thousands, replacement="")
        texts = pc.replace_substring(texts, pattern=self.decimal, replacement=".")
        numbers = texts.cast(pa.float64())
        return pc.divide(numbers, 100.0) if self.is_percent else numbers


def find_number_forms(
    path: Path, dialect: Dialect, types: dict[str, pa.DataType]
) -> dict[str, NumberForm]:
    """Return the form of the numbers in each column of text that has only numbers in some form.

    Raises ``InvalidFile`` for a column whose commas may be decimal marks or of thousands.
    """
    possible = {
        name: [
            NumberForm(decimal, is_percent) for decimal in _FORMS for is_percent in (False, True)
        ]
        for name, kind in types.items()
        if kind == pa.string()
    }
    if not possible:
        return {}
    first: dict[str, tuple[str, int]] = {}
    rows = 0
    texts = dict.fromkeys(dialect.header, pa.string())
    with open_table(path, dialect, texts) as reader:
        for batch in reader:
            for name in [*possible]:
                column = pc.utf8_trim_whitespace(batch.column(name))
                _note_first(first, name, column, rows)
                possible[name] = [form for form in possible[name] if _fits(form, column)]
                if not possible[name]:
                    del possible[name]
            if not possible:
                return {}
            rows += batch.num_rows
    chosen_forms: dict[str, NumberForm] = {}
    for name, forms in possible.items():
        if name not in first:
            continue
        text, row = first[name]
        if len(forms) > 1 and dialect.decimal == "." and "," in text:
            raise build_ambiguous_number_error(text, name, row)
        chosen_forms[name] = next(
            (form for form in forms if form.decimal == dialect.decimal), forms[0]
        )
    return chosen_forms


def _fits(form: NumberForm, column: pa.Array) -> bool:
    """Return whether every value of a column has the form."""
    pattern = f"^{_FORMS[form.decimal]}{_PERCENT if form.is_percent else ''}$"
    matches = pc.match_substring_regex(pc.drop_null(column), pattern=pattern)
    return bool(pc.all(matches, min_count=0).as_py())


def _note_first(first: dict[str, tuple[str, int]], name: str, column: pa.Array, rows: int) -> None:
    """Keep the first value of a column with a comma, or else its first value, and its row."""
    if name in first and "," in first[name][0]:
        return
    with_comma = pc.indices_nonzero(pc.match_substring(column, ","))
    present = pc.indices_nonzero(column.is_valid())
    if len(with_comma):
        row = with_comma[0].as_py()
        first[name] = (column[row].as_py(), rows + row)
    elif len(present):
        row = present[0].as_py()
        first.setdefault(name, (column[row].as_py(), rows + row))
