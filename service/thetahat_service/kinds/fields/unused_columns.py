"""Cautions about columns of a data set that a request of rows does not use."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from thetahat.cautions import MODELS_IN_ROWS, OTHER_ITEMS, TOTAL_ROW, Caution
from thetahat.roles.names import has_item_word, is_name_of
from thetahat.roles.proposals import describe_other_items, propose_roles
from thetahat.tables.column_profiles import profile_column
from thetahat.tables.totals import find_named_total
from thetahat.values.words import Words
from thetahat_service.data.profiles import profile_columns
from thetahat_service.data.reading import read_labels
from thetahat_service.kinds.base import DatasetFile
from thetahat_service.kinds.fields.layout import LAYOUT_COLUMNS, list_named_columns

MOST_ROWS_WITH_TOTALS: Final = 10_000
"""Rows up to which unused columns are read for names of totals; among more one counts little."""


def doubt_columns(
    file: DatasetFile, columns: Any, fields: tuple[str, ...], words: Words
) -> Iterator[Caution]:
    """Yield cautions if a column names the model of each row, a total, or other items than another.

    Parameters
    ----------
    file : DatasetFile
        The data set.
    columns : Schema
        The columns that the request names.
    fields : tuple of str
        The fields of ``columns`` with names of columns, beside those of the layout.
    words : Words
        What values are called.
    """
    used = {*list_named_columns(columns, (*LAYOUT_COLUMNS, *fields)).values()}
    for column in file.columns:
        name = str(column["name"])
        may_name_models = is_name_of("model", name)
        if name in used or column["type"] != "string":
            continue
        if not may_name_models and file.rows > MOST_ROWS_WITH_TOTALS:
            continue
        labels = read_labels(file, [name])[name]
        total = find_named_total([profile_column(name, 0, "string", labels)])
        if total is not None:
            yield TOTAL_ROW(row=total.row, reason=total.reason)
        models = list(dict.fromkeys(labels.tolist()))
        if may_name_models and 1 < len(models) < file.rows:
            first, second = map(str, models[:2])
            yield MODELS_IN_ROWS(words, column=name, n=len(models), first=first, second=second)
    yield from _doubt_items(file)


def _doubt_items(file: DatasetFile) -> Iterator[Caution]:
    """Yield a caution if two columns name the same items in another order."""
    of_items = [column for column in file.columns if has_item_word(str(column["name"]))]
    if len(of_items) < 2:
        return
    profiles = profile_columns(file, of_items, file.rows)
    found = describe_other_items(
        propose_roles(list(profiles.values())),
        lambda name: read_labels(file, [name])[name].tolist(),
    )
    if found is not None:
        yield OTHER_ITEMS(found=found)
