"""The kept results of the presets, which the distribution of the replications brings."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final, cast

from thetahat_service.errors import ResourceNotFound

if TYPE_CHECKING:
    from thetahat_client.results import StudyResultDict, StudyTableDict

LONGEST: Final = 500
"""Rows up to which a table is kept in memory; longer ones list every setting and are left out."""


def list_kept_studies() -> tuple[str, ...]:
    """Return the names of the presets whose results are kept; none without the replications."""
    try:
        from thetahat_replications.kept_studies import list_kept_studies as list_installed  # noqa: PLC0415 - may not be installed
    except ModuleNotFoundError:
        return ()
    return list_installed()


def read_kept_study(name: str) -> StudyResultDict:
    """Return the kept result of a preset, without its longest tables.

    Raises ``ResourceNotFound`` if no result of this preset is kept.
    """
    kept = list_kept_studies()
    if not kept:
        raise ResourceNotFound(
            "No results of studies are installed. To have them: pip install 'thetahat[studies]'"
        )
    if name not in kept:
        raise ResourceNotFound(f"No result of a study {name[:80]!r} is kept.")
    return _read(name)


@lru_cache(maxsize=32)
def _read(name: str) -> StudyResultDict:
    from thetahat_replications.kept_studies import read_kept_study as read_installed  # noqa: PLC0415 - may not be installed

    result = cast("StudyResultDict", read_installed(name))
    tables = [table for table in result["tables"] if len(table["rows"]) <= LONGEST]
    return {**result, "kind": "study", "tables": tables}


def find_table(name: str, table: str) -> StudyTableDict | None:
    """Return a table of a kept study by its name; None if it is not there."""
    if name not in list_kept_studies():
        return None
    tables = read_kept_study(name)["tables"]
    return next((entry for entry in tables if entry["name"] == table), None)
