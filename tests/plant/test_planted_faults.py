"""The faults that ``make plant`` sows can be sown; that each is noticed is its own command."""

from __future__ import annotations

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
