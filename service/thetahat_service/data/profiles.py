"""What the columns of a file contain, as far as it tells what they are for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from thetahat.tables.column_profiles import ColumnProfile, profile_column
from thetahat_service.data.base import GROUPS
from thetahat_service.data.reading import ReadableFile, find_types, read_columns, read_labels
from thetahat_service.json_types import ColumnDescription


def profile_columns(
    file: ReadableFile, columns: Sequence[ColumnDescription], rows: int
) -> dict[str, ColumnProfile]:
    """Return what some columns of a file of so many rows contain, by name and in their order."""
    profiles: dict[str, ColumnProfile] = {}
    types = find_types(file)
    for position, column in enumerate(columns):
        name = str(column["name"])
        kind = types[name]
        if kind in GROUPS:
            profiles[name] = ColumnProfile(
                name=name,
                position=position,
                type=kind,
                rows=rows,
                present=rows,
                distinct=rows,
                numbers=0,
            )
            continue
        profile = profile_column(name, position, kind, read_columns(file, [name])[name])
        if kind in {"integer", "number"}:  # as numbers, ids beyond 2^53 or 1.1 and 1.10 are equal
            labels = read_labels(file, [name])[name]
            if labels.dtype.kind != "f":
                profile = replace(profile, distinct=len({*labels.tolist()} - {None}))
        profiles[name] = profile
    return profiles
