"""The faults that ``make plant`` sows can be sown; that each is noticed is its own command."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from tests.architecture.sources import ROOT
from tests.plant.faults import FAMILIES, Fault
from tests.plant.shown_faults import SHOWN
from thetahat.families import collect_families

EVERY = pytest.mark.parametrize("fault", [*FAMILIES, *SHOWN], ids=lambda fault: fault.name)


@EVERY
def test_exact_the_right_text_stands_once_in_its_file(fault: Fault) -> None:
    text = (ROOT / fault.file).read_text(encoding="utf-8")

    assert text.count(fault.right) == 1
    assert fault.wrong not in text
    assert [tests for tests in fault.tests if not (ROOT / tests).exists()] == []


def test_exact_every_family_has_a_fault() -> None:
    assert {fault.name for fault in FAMILIES} == set(collect_families()) - {"presets"}


def test_exact_every_shown_table_has_a_fault() -> None:
    package = ROOT / "presentation" / "thetahat_presentation"
    tables: Counter[str] = Counter()
    for folder in (".", "kinds", "parts"):
        for path in (package / folder).glob("*.py"):
            calls = re.findall(r"\bTable(?:\.of_rows)?\(", path.read_text(encoding="utf-8"))
            tables[path.resolve().relative_to(ROOT).as_posix()] += len(calls)

    assert Counter(fault.file for fault in SHOWN) == +tables
