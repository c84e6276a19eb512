"""How a database carries out a query: which rows and indexes it reads."""

from __future__ import annotations

import json
import re
from typing import Any

import sqlalchemy as sa


def explain(connection: sa.Connection, statement: sa.Select[Any]) -> Any:
    """Return the lines of SQLite's plan, or what PostgreSQL did when it ran the query."""
    text = str(statement.compile(connection, compile_kwargs={"literal_binds": True}))
    if connection.dialect.name == "sqlite":
        return [row[3] for row in connection.execute(sa.text(f"EXPLAIN QUERY PLAN {text}"))]
    explained = connection.execute(sa.text(f"EXPLAIN (ANALYZE, FORMAT JSON) {text}")).scalar_one()
    return explained if isinstance(explained, list) else json.loads(explained)


def count_rows(plan: dict[str, Any], table: sa.Table) -> float:
    """Return how many rows of a table PostgreSQL has looked at."""
    own = 0.0
    if plan.get("Relation Name") == table.name:
        rows = plan["Actual Rows"] + plan.get("Rows Removed by Filter", 0)
        own = rows * plan["Actual Loops"]
    return own + sum(count_rows(child, table) for child in plan.get("Plans", ()))


def reads_few_rows(
    connection: sa.Connection, statement: sa.Select[Any], table: sa.Table, most: int
) -> bool:
    """Return whether a query finds its rows of a table by an index, at most so many."""
    explained = explain(connection, statement)
    if connection.dialect.name == "postgresql":
        return count_rows(explained[0]["Plan"], table) <= most
    lines = [line for line in explained if re.search(rf"\b{table.name}\b", line)]
    return bool(lines) and all(line.startswith("SEARCH") for line in lines)
