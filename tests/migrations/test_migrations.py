from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory

from thetahat_service.storage import engine, schema
from thetahat_service.storage.owners import LOCAL_OWNER_ID
from thetahat_service.storage.tables import METADATA, OWNER
from thetahat_service.storage.unit_of_work import reading


def _tables() -> set[str]:
    with engine.get_engines().reading.connect() as connection:
        return set(sa.inspect(connection).get_table_names()) - {schema.VERSION_TABLE}


def test_exact_up_down_and_up_again(empty_database: str) -> None:
    schema.upgrade()
    assert _tables() == set(METADATA.tables)
    schema.downgrade("base")
    assert _tables() == set()
    schema.upgrade()
    assert _tables() == set(METADATA.tables)
    assert schema.is_current()


def test_exact_the_migrated_tables_are_those_of_the_models(database: str) -> None:
    with engine.get_engines().writing.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, METADATA) == []


def test_exact_constraints_have_the_names_of_the_models(database: str) -> None:
    with engine.get_engines().reading.connect() as connection:
        inspector = sa.inspect(connection)
        for table in METADATA.sorted_tables:
            checks = {check["name"] for check in inspector.get_check_constraints(table.name)}
            wanted = {c.name for c in table.constraints if isinstance(c, sa.CheckConstraint)}
            assert checks == wanted


def test_exact_there_is_one_head_and_file_names_begin_with_it() -> None:
    script = ScriptDirectory.from_config(schema.build_configuration())
    assert script.get_heads() == [schema.find_newest_revision()]
    for revision in script.walk_revisions():
        assert Path(revision.path).name.startswith(f"{revision.revision}_")


def test_exact_every_migration_answers_the_two_questions() -> None:
    script = ScriptDirectory.from_config(schema.build_configuration())
    for revision in script.walk_revisions():
        source = Path(revision.path).read_text()
        assert "Safe while the previous release runs: " in source
        assert "Reversible: " in source
        assert "from service" not in source
        assert "from thetahat" not in source


def test_exact_the_local_owner_is_there(database: str) -> None:
    with reading() as connection:
        owner = connection.execute(sa.select(OWNER)).one()
    assert (owner.id, owner.name) == (LOCAL_OWNER_ID, "local")
    assert owner.created_at.tzinfo is not None


def test_degenerate_an_empty_database_is_not_current(empty_database: str) -> None:
    assert schema.read_revision() is None
    assert not schema.is_current()


def test_property_releases_that_start_together_migrate_once(empty_database: str) -> None:
    command = [sys.executable, "-m", "thetahat_service.cli", "migrate"]
    racing = [
        subprocess.Popen(command, env=os.environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for _ in range(2)
    ]
    for process in racing:
        output, errors = process.communicate(timeout=240)
        assert process.returncode == 0, errors.decode()
        assert schema.find_newest_revision() in output.decode()
    assert schema.is_current()
