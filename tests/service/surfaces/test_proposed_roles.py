"""What ``inspect`` says of a file is what ``compare`` then does with it."""

from __future__ import annotations

import json
import re
import tempfile
from pathlib import Path

from hypothesis import given

from tests.cases import case
from tests.service.surfaces.commands import inspect, run_command
from tests.service.surfaces.random_tables import loss_tables, odd_tables
from tests.service.surfaces.table_files import TEXT_FILES, Table
from thetahat_service.json_types import FileUnderstanding

COLUMN = re.compile(r"[Cc]olumn '([^']*)'")
FAULTS = re.compile(
    r"seems to sum up other rows|such numbers often stand for missing values|has no value in row"
)


def check(path: Path) -> None:
    """Check that a refusal of ``compare`` was announced, or that it uses the proposed models."""
    found = inspect(path)
    printed = run_command("compare", path, "--json")
    said = " ".join(printed.errors.split())
    roles = {column["name"]: column["role"] for column in found["columns"]}
    models = [name for name, role in roles.items() if role == "model"]
    with case(said, roles, found["questions"]):
        if printed.status == 0:
            if found["kind"] == "cross_validation":
                assert_named_as_losses(found, [*json.loads(printed.out)["models"]])
            else:
                assert sorted(json.loads(printed.out)["models"]) == sorted(models)
            return
        assert printed.status == 2
        if "whether higher values are better" not in said:
            assert_announced(said, roles, found)


def assert_named_as_losses(found: FileUnderstanding, models: list[str]) -> None:
    """Check that a file to learn from is said to have models, if its numbers are losses."""
    listed = f"for which thetahat compare FILE takes {', '.join(models)}."
    assert any(sentence.endswith(listed) for sentence in found["questions"])


def assert_announced(said: str, roles: dict[str, str], found: FileUnderstanding) -> None:
    fault = FAULTS.search(said)
    if fault is not None:
        row = re.search(r"[Rr]ow (\d+)", said)
        assert row is not None
        similar = [each for each in found["questions"] if fault.group() in each]
        if "thetahat: The " in said:  # a label that is used by the name of its column
            column = re.search(r"(\w+) from column (\w+)", said)
            assert column is not None
            used = f"takes column {column[2]!r} as the {column[1]} of each row"
            assert found["kind"] != "losses" or used in " ".join(found["questions"])
            return
        assert similar or (found["kind"] != "losses" and "has no value" in said)
        assert not similar or f"row {row[1]}" in similar[0].lower()
        return
    if "The only column of numbers" in said or "no column of numbers" in said:
        assert [*roles.values()].count("model") < 2
        return
    column = re.search(r"olumn '([^']*)' may", said) or COLUMN.search(said)
    assert column is not None
    role = roles[column[1]]
    if "It is not clear whether column" in said:
        assert role == ("feature" if found["kind"] == "cross_validation" else "unclear")
    elif "may say which rows belong together" in said or "may name the model" in said:
        assert role == "label"
    elif "seems to have the true values" in said:
        assert role == "target"
    else:
        assert said.startswith("thetahat: Column ")
        assert role in {"faulty", "feature"}


def write(folder: str, table: Table) -> Path:
    ending, make = TEXT_FILES["comma"]
    path = Path(folder) / f"table{ending}"
    path.write_bytes(make(table))
    return path


@given(table=loss_tables() | odd_tables())
def test_property_the_roles_that_are_shown_are_those_that_are_used(table: Table) -> None:
    with tempfile.TemporaryDirectory() as folder:
        check(write(folder, table))
