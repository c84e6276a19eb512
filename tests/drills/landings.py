"""The data of earlier landings as installations of their day, and what of them may get lost."""

from __future__ import annotations

import hashlib
import shutil
import tarfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from uuid import UUID

import sqlalchemy as sa

from tests.chaos.jobs import UNFINISHED
from tests.service.releases.test_earlier_releases import DATA
from thetahat_service.settings import get_settings
from thetahat_service.storage import schema
from thetahat_service.storage.engine import get_engines
from thetahat_service.storage.tables import DATASET, EVALUATION, EVALUATION_RESULT

SQLITE: Final = "thetahat.sqlite3"


def unpack(release: str, folder: Path) -> None:
    """Make the data folder of a landing."""
    with tarfile.open(DATA / f"{release}.tar.xz") as archive:
        archive.extractall(folder, filter="data")


def copy_rows(source: Path, files: Path) -> None:
    """Put the installation of a data folder into the database and file store of the settings.

    The tables are migrated to the revision of the folder, no further.
    """
    reader = sa.create_engine(f"sqlite:///{source / SQLITE}")
    with reader.connect() as rows:
        revision = rows.exec_driver_sql("SELECT version_num FROM alembic_version").scalar_one()
        schema.upgrade(revision)
        with get_engines().writing.begin() as connection:
            tables = sa.MetaData()
            tables.reflect(connection)
            for table in tables.sorted_tables:
                if table.name != schema.VERSION_TABLE:
                    _copy_table(rows, connection, table)
    reader.dispose()
    shutil.copytree(source / "files", files, dirs_exist_ok=True)


def _copy_table(rows: sa.Connection, connection: sa.Connection, table: sa.Table) -> None:
    connection.execute(sa.delete(table))  # a migration may have filled it
    values = [dict(row) for row in rows.execute(sa.select(table)).mappings()]
    if values:
        connection.execute(sa.insert(table), values)


@dataclass(frozen=True)
class Inventory:
    """What an installation has: finished and open evaluations, and data sets."""

    results: Mapping[UUID, str]
    """The digest of each result's text."""
    open: frozenset[UUID]
    datasets: Mapping[UUID, str]
    """The digest of each data set."""


def read_inventory() -> Inventory:
    """Return what the database of the settings has."""
    get_settings.cache_clear()
    with get_engines().reading.connect() as connection:
        # What is open comes first: an evaluation may end between two statements.
        unfinished = sa.select(EVALUATION.c.id).where(EVALUATION.c.status.in_(UNFINISHED))
        still_open = frozenset(connection.scalars(unfinished))
        bodies = connection.execute(
            sa.select(EVALUATION_RESULT.c.evaluation_id, EVALUATION_RESULT.c.body)
        )
        results = {row[0]: hashlib.sha256(str(row[1]).encode()).hexdigest() for row in bodies}
        return Inventory(
            results,
            still_open,
            {
                row[0]: row[1]
                for row in connection.execute(sa.select(DATASET.c.id, DATASET.c.sha256))
            },
        )


def count_lost(
    before: Inventory, after: Inventory, is_answered: Callable[[str], bool]
) -> dict[str, int]:
    """Return the counts of what was there before, and is gone or altered, or cannot be read.

    Parameters
    ----------
    before, after : Inventory
        Before the drill, and after all evaluations have ended.
    is_answered : callable
        Returns whether the service answers a request for an address with success.
    """
    ended = [identifier for identifier in before.open if identifier not in after.results]
    altered = [key for key, digest in before.results.items() if after.results.get(key) != digest]
    datasets = [key for key, digest in before.datasets.items() if after.datasets.get(key) != digest]
    addresses = [
        f"/v1/evaluations/{key}{part}" for key in after.results for part in ("", "/result")
    ]
    return {
        "queued work": len(ended),
        "results": len(altered),
        "data sets": len(datasets),
        "unreadable": sum(not is_answered(address) for address in addresses),
    }
