"""Rows of one design, against all rows of the file."""

from __future__ import annotations

import json
from importlib.resources import files

import pytest

from thetahat.values.kept_studies import read_study

FILES = (
    ("thetahat.analyses.losses", "recommended_coverage.json", "scheme"),
    ("thetahat.analyses.losses", "test_errors.json", 0),
    ("thetahat.analyses.metrics", "metric_coverage.json", "scheme"),
)


@pytest.mark.parametrize(("package", "file", "column"), FILES)
def test_exact_rows_of_a_design_are_those_of_the_whole_file(
    package: str, file: str, column: str | int
) -> None:
    whole = json.loads(files(package).joinpath(file).read_text())
    study = read_study(package, file)

    assert study.head["designs"] == whole["designs"]
    assert study.head["level"] == whole["level"]
    assert len(study.lines) == len(whole["rows"])
    for design in whole["designs"]:
        expected = [row for row in whole["rows"] if row[column] == design]
        assert [row for row in study.read_rows(design) if row[column] == design] == expected
        assert expected
