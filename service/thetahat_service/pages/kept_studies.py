"""The kept results of the presets, which are shipped with the service.

They are the files ``docs/results/NAME/result.json`` of the source, in a wheel the files
``service/thetahat_service/pages/kept_studies/NAME.json``; ``pyproject.toml`` names them.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

import orjson

from thetahat_service.errors import ResourceNotFound

if TYPE_CHECKING:
    from thetahat_client.results import StudyResultDict, StudyTableDict

INSTALLED: Final = Path(__file__).with_name("kept_studies")
SOURCE: Final = Path(__file__).parents[3] / "docs" / "results"
LONGEST: Final = 500
"""Rows up to which a table is kept in memory; longer ones list every setting and are left out."""


@lru_cache(maxsize=1)
def _find_files() -> dict[str, Path]:
    if INSTALLED.is_dir():
        return {path.stem: path for path in sorted(INSTALLED.glob("*.json"))}
    return {path.parent.name: path for path in sorted(SOURCE.glob("*/result.json"))}


def list_kept_studies() -> tuple[str, ...]:
    """Return the names of the presets whose results are kept."""
    return tuple(_find_files())


def read_kept_study(name: str) -> StudyResultDict:
    """Return the kept result of a preset, without its longest tables.

    Raises
    ------
    ResourceNotFound
        No result of this preset is kept.
    """
    if name not in _find_files():
        raise ResourceNotFound(f"No result of a study {name[:80]!r} is kept.")
    return _read(name)


@lru_cache(maxsize=32)
def _read(name: str) -> StudyResultDict:
    result: StudyResultDict = orjson.loads(_find_files()[name].read_bytes())
    tables = [table for table in result["tables"] if len(table["rows"]) <= LONGEST]
    return {**result, "kind": "study", "tables": tables}


def find_table(name: str, table: str) -> StudyTableDict | None:
    """Return a table of a kept study by its name; None if it is not there."""
    if name not in _find_files():
        return None
    tables = read_kept_study(name)["tables"]
    return next((entry for entry in tables if entry["name"] == table), None)
