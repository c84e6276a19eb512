"""What people read of a result is the text that was recorded, on every surface."""

from __future__ import annotations

import re

import pytest

from tests.golden import write_shown as shown
from thetahat_service.kinds.registry import JOB_KINDS


@pytest.mark.parametrize(("name", "surface"), list(shown.iterate_cases()))
def test_unchanged_every_text_is_as_recorded(name: str, surface: str) -> None:
    recorded = shown.find_file(name, surface).read_text(encoding="utf-8")

    assert shown.show(name, surface) == recorded, (
        "If the change is meant, run `python -m tests.golden.write_shown` and read the differences."
    )


def test_exact_every_kind_is_shown_and_no_file_is_left_over() -> None:
    files = {shown.find_file(name, surface) for name, surface in shown.iterate_cases()}

    assert set(JOB_KINDS) <= set(shown.NAMES)
    assert files == set(shown.FOLDER.glob("*.txt"))


@pytest.mark.parametrize("name", shown.EXAMS)
def test_exact_the_order_of_the_columns_changes_no_row_of_the_pairs(name: str) -> None:
    # The pairs of the reversed columns are "worse": their intervals are turned.
    verdicts = {pair["verdict"]["decision"] for pair in shown.read_case(name)[1]["comparisons"]}
    lines = [
        line
        for line in shown.show_page(name).splitlines()
        if re.match(r"\| ridge − \w+ \|", line) and line.count("|") == 6
    ]

    assert verdicts == {"undecided", "better" if name == "exam" else "worse"}
    assert lines == [
        f"| ridge − {cells} | ridge is better"
        for cells in (
            "neighbours | −0.067 | −0.117 to −0.018 | ridge is better | 0.0044",
            "forest | −0.059 | −0.109 to −0.008 | ridge is better | 0.011",
        )
    ]
