"""The glossary has the words that results use."""

from __future__ import annotations

import re

import pytest

from tests.architecture.sources import ROOT
from thetahat.analyses.losses.result import Decision
from thetahat.cautions import Severity
from thetahat.families import collect_families
from thetahat.values.types import BlockKind, MeanKind, Target
from thetahat_presentation.targets import TARGETS, name_target

GLOSSARY = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("values", [BlockKind, Decision, Severity, Target])
def test_exact_every_value_is_explained(values: type[BlockKind]) -> None:
    assert [value for value in values if f"`{value.value}`" not in GLOSSARY] == []


def test_exact_both_means_are_explained() -> None:
    assert f"`{MeanKind.MACRO.value}`" in GLOSSARY
    assert f"`{MeanKind.POOLED.value}`" in GLOSSARY


def test_exact_every_symbol_has_its_plain_name() -> None:
    rows = re.findall(r"^\| `(\w+)` \| ([^|]+) \| ([^|]+) \|$", GLOSSARY, re.MULTILINE)
    named = {name for name, _, _ in rows}
    methods = {name for registry in collect_families().values() for name in registry}

    assert {name for name in methods if name.startswith("theta_")} <= named
    assert named <= methods | {"macro"}


def test_exact_the_words_of_targets_are_those_of_the_presentation() -> None:
    for target in TARGETS:
        words = name_target(target)
        assert re.search(rf"^\| `{target}` \| .*\"{words}\"\. \|$", GLOSSARY, re.MULTILINE), target
