"""What ``inspect`` says of a file is what ``compare`` then does with it."""

from __future__ import annotations

import gzip
import json
import re
import tempfile
from pathlib import Path

import pytest
from hypothesis import given

from tests.cases import case
from tests.service.surfaces.commands import inspect, run_command
from tests.service.surfaces.random_tables import long_tables, loss_tables, odd_tables
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


PLACES = {
    "model of the row": r"from column (\w+); items",
    "item": r"items from column (\w+)",
    "score": r"scores from column (\w+)",
    "task": r"tasks, which are the blocks, from column (\w+)",
    "run": r"told apart by (\w+),",
}
"""What ``compare`` says of the columns of a long table, by their role."""


@given(table=long_tables())
def test_property_the_roles_of_a_long_table_are_those_that_are_used(table: Table) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = write(folder, table)
        found = inspect(path)
        printed = run_command("compare", path, "--missing", "leave_out", "--json")
    roles = {column["role"]: column["name"] for column in found["columns"]}
    if printed.errors.startswith("thetahat: "):
        reason = " ".join(printed.errors.removeprefix("thetahat: ").split())
        assert any(sentence[:60] == reason[:60] for sentence in found["questions"])
        return
    said = " ".join(printed.errors.split())
    used = {role: re.search(place, said) for role, place in PLACES.items()}
    named = {role: column[1] for role, column in used.items() if column is not None}
    with case(said):
        assert {role: name for role, name in roles.items() if role in PLACES} == named
        listed = found["questions"][1]
        assert all(model in listed for model in {*table["model"]})


def list_lines(heading: str, rows: list[str], separator: str = "\n") -> bytes:
    return separator.join([heading, *rows]).encode()


PAIRS = [f"0.{(i * 37 % 97) + 101},0.{(i * 53 % 89) + 101}" for i in range(24)]
LONG = [f"{i // 2},{'ab'[i % 2]},0.{(i * 37 % 97) + 101}" for i in range(48)]
GAPS = [f"{(i * 37 % 97)},{pair}" for i, pair in enumerate(PAIRS)]
IDS = [str(1_790_000_000_000_000_001 + i // 3) for i in range(23)] + [""]
BLANKS = ["x", "x ", "y", "y ", "X", "Y"] * 4
ZEROS = ["1", "01", "001", "2", "02", "002"] * 4
LOG = [
    json.dumps({"doc_id": i, "doc_hash": f"h{i}", "ppl": [-10.0 - i, 5], "filter": "none"})
    for i in range(12)
]
CASES: dict[str, tuple[str, bytes, dict[str, str]]] = {
    "01 ids with a blank": (
        "t.csv",
        list_lines("user,a,b", [f"{i},{p}" for i, p in zip(IDS, PAIRS, strict=True)]),
        {"user": "label", "a": "model", "b": "model"},
    ),
    "03 class labels": (
        "t.csv",
        list_lines("y,m", [f"{i},{i}" for i in IDS]),
        {"y": "target", "m": "model"},
    ),
    "04 leading zeros": (
        "t.csv",
        list_lines("site,a,b", [f"{i},{p}" for i, p in zip(ZEROS, PAIRS, strict=True)]),
        {"site": "label", "a": "model", "b": "model"},
    ),
    "05 index with gaps": (
        "t.csv",
        list_lines(",a,b", GAPS),
        {"column_0": "index", "a": "model", "b": "model"},
    ),
    "06 one n/a": (
        "t.csv",
        list_lines("a,b", [*PAIRS[:7], "0.5,n/a", *PAIRS[8:]]),
        {"a": "model", "b": "model"},
    ),
    "07 total row": (
        "t.csv",
        list_lines("a,b", [*PAIRS, "mean,0.5"]),
        {"a": "faulty", "b": "model"},
    ),
    "08 question marks": (
        "t.csv",
        list_lines(
            "age,chol,y",
            [f"{30 + i % 9},{200 + i * 37 % 97 if i % 4 else '?'},{i % 2}" for i in range(24)],
        ),
        {"age": "feature", "chol": "feature", "y": "target"},
    ),
    "09 sep line": (
        "t.csv",
        list_lines("sep=;", ["a;b", *(p.replace(",", ";") for p in PAIRS)], "\r\n"),
        {"a": "model", "b": "model"},
    ),
    "10 thousands beside a decimal comma": (
        "t.csv",
        list_lines("cost;error", [f"1.{200 + i * 37 % 97};0,{i % 7}" for i in range(24)]),
        {"cost": "unclear", "error": "model"},
    ),
    "11 trailing delimiter": (
        "t.csv",
        list_lines("a,b,", [f"{p}," for p in PAIRS]),
        {"a": "model", "b": "model"},
    ),
    "12 long table": (
        "t.csv",
        list_lines("item,model,score", LONG),
        {"item": "item", "model": "model of the row", "score": "score"},
    ),
    "13 packed": (
        "t.csv.gz",
        gzip.compress(list_lines("a,b", PAIRS)),
        {"a": "model", "b": "model"},
    ),
    "18 labels with blanks": (
        "t.csv",
        list_lines("site,a,b", [f"{i},{p}" for i, p in zip(BLANKS, PAIRS, strict=True)]),
        {"site": "label", "a": "model", "b": "model"},
    ),
    "20 scores that are pairs": (
        "t.jsonl",
        "\n".join(LOG).replace("ppl", "word_perplexity").encode(),
        {
            "doc_id": "item",
            "doc_hash": "hash",
            "filter": "filter",
            "word_perplexity.log_likelihood": "score",
            "word_perplexity.words": "score",
        },
    ),
    "22 unknown category": (
        "t.csv",
        list_lines("c,x,y", [f"{'ab'[i % 2]},{i},{i % 2}" for i in range(23)] + ["rare,3,1"]),
        {"c": "label", "x": "feature", "y": "target"},
    ),
}
"""Files of the kinds that people had trouble with, as far as they are tables or logs."""


@pytest.mark.parametrize("name", CASES)
def test_exact_the_roles_of_a_reported_case_are_those_that_are_used(
    name: str, tmp_path: Path
) -> None:
    file, content, expected = CASES[name]
    path = tmp_path / file
    path.write_bytes(content)

    roles = {column["name"]: column["role"] for column in inspect(path)["columns"]}

    assert roles == expected
    if name.startswith(("12", "20")):
        assert run_command("compare", path).status == 0
    else:
        check(path)
