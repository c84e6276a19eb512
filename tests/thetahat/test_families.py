from __future__ import annotations

from pathlib import Path

import thetahat
from thetahat.families import collect_families
from thetahat.variances import VARIANCES

CORE = Path(thetahat.__file__).parent


def test_exact_every_package_with_an_interface_is_a_family() -> None:
    with_an_interface = {path.parent.name for path in CORE.rglob("base.py")}

    with_an_interface.remove("studies")  # the interface of a study, not of a method
    with_an_interface.add("presets")  # found by entry point

    assert set(collect_families()) == with_an_interface
    assert with_an_interface > {"variances", "paired_tests", "multiple_tests", "losses", "steps"}


def test_exact_a_family_is_its_registry() -> None:
    assert collect_families()["variances"] is VARIANCES
    assert "tests" not in collect_families()  # the tests of a pair and of all models, put together
