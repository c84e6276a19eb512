"""Numbers that stand as text in a file whose columns have types, as ``"0.31"`` in JSON.

Such a column keeps its type: as a label or a feature it is text. Where a role needs numbers, they
are read as those of a text table are, and by the same rules.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from thetahat.values.json_values import JsonValue
from thetahat_service.data.arrow_columns import is_text, to_numpy
from thetahat_service.data.arrow_functions import cast
from thetahat_service.data.base import WRITTEN
from thetahat_service.data.csv_columns import (
    FIRST_ROWS,
    ColumnSurvey,
    convert_booleans,
    describe_survey,
    find_shown_marks,
)
from thetahat_service.data.csv_numbers import NumberForm
from thetahat_service.data.tables import get_number_name
from thetahat_service.errors import InvalidFile
from thetahat_service.json_types import JsonObject


class WrittenNumbers:
    """Finds the columns of text of a file of which all cells are numbers, batch by batch."""

    def __init__(self) -> None:
        self._columns: dict[str, ColumnSurvey] = {}
        self._rows = 0

    def add(self, batch: pa.RecordBatch) -> None:
        """Take account of further rows."""
        for field, column in zip(batch.schema, batch.columns, strict=True):
            is_dictionary = pa.types.is_dictionary(field.type)
            kind = field.type.value_type if is_dictionary else field.type
            if not is_text(kind) or get_number_name(field.name) != field.name:
                continue
            if is_dictionary and pa.types.is_string_view(kind):  # Arrow cannot take views
                texts = cast(column.dictionary, pa.large_string())
                column = pa.DictionaryArray.from_arrays(column.indices, texts)  # noqa: PLW2901
            survey = self._columns.setdefault(field.name, ColumnSurvey(field.name))
            first = 0 if self._rows else FIRST_ROWS
            for start, part in ((0, column[:first]), (first, column[first:])):
                if len(part) and not survey.is_text:
                    survey.add(cast(part, pa.string()), self._rows + start)
        self._rows += batch.num_rows

    def describe(self, marks: JsonObject | None = None) -> JsonObject:
        """Return the details about these columns.

        ``marks`` are those of missing values in other columns, by name.
        """
        shown = find_shown_marks(self._columns.values())
        found: dict[str, JsonValue] = {}
        finished = []
        for survey in self._columns.values():
            try:
                survey.finish(shown, is_comma_likely=False)
            except InvalidFile:  # 1,234 may be two numbers, and is one text
                continue
            finished.append(survey)
            if survey.kind != pa.string() and survey.has_values:
                found[survey.name] = survey.describe_numbers()
        return {**describe_survey(finished, marks), **({WRITTEN: found} if found else {})}


def parse_written(texts: Sequence[str | None] | np.ndarray, form: Mapping[str, Any]) -> np.ndarray:
    """Return the numbers of a column of text, written as its file's details say."""
    cells = pa.array(list(texts), pa.string())
    if form["type"] == "boolean":
        return to_numpy(pa.chunked_array([convert_booleans(cells)]))
    kind = pa.int64() if form["type"] == "integer" else pa.float64()
    written = NumberForm(form["decimal"], form["divided_by"] != 1, form["has_thousands"])
    return to_numpy(pa.chunked_array([written.parse(cells, kind)]))
