from __future__ import annotations

import ast
import re
import tomllib

from tests.architecture.sources import ROOT, imported_names, parse_those_with, python_files

SERVICE_AND_WORKER = python_files("service", "worker")
# Migrations run before any unit of work can.
MAY_COMMIT = {
    "service/thetahat_service/storage/schema.py",
    "service/thetahat_service/storage/unit_of_work.py",
}
RECORD = ROOT / "docs" / "decisions" / "0010-dependencies.md"
# The lines of these extras stand for all they hold.
TOOLS = {"dev"}


def test_exact_one_synchronous_database_path() -> None:
    asynchronous = {
        str(path)
        for path, _ in parse_those_with("asyncio|aiosqlite|asyncpg", SERVICE_AND_WORKER)
        for name in imported_names(path, module_level_only=False)
        if name.startswith(("sqlalchemy.ext.asyncio", "aiosqlite", "asyncpg"))
    }

    assert asynchronous == set()


def test_exact_only_the_unit_of_work_commits() -> None:
    committing = {
        path.as_posix()
        for path, tree in parse_those_with("begin|commit", SERVICE_AND_WORKER)
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and node.attr in {"begin", "commit"}
    }

    assert committing <= MAY_COMMIT


def test_exact_every_dependency_has_its_reason() -> None:
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text())
    project = pyproject["project"]
    extras = project["optional-dependencies"] | pyproject["dependency-groups"]
    wanted = project["dependencies"] + [w for e in extras.keys() - TOOLS for w in extras[e]]
    client = tomllib.loads((ROOT / "clients" / "python" / "pyproject.toml").read_text())
    wanted += client["project"]["dependencies"]
    names = {re.split(r"[\[<>=;~! ]", requirement)[0] for requirement in wanted}
    names -= {project["name"]}  # an extra that includes another

    cells = re.findall(r"^\| ([^|]+) \|", RECORD.read_text(), re.MULTILINE)
    listed = {name for cell in cells for name in re.findall(r"[a-z][a-z0-9-]+", cell)}
    assert names - listed == set()
    assert listed - names - extras.keys() - {"package"} == set()
