from __future__ import annotations

import ast
import math
import string
from collections.abc import Iterator
from functools import cache

import pytest

from tests.architecture.sources import parse_those_with, python_files
from tests.cases import case
from thetahat import cautions
from thetahat.cautions import (
    CAUTIONS,
    FEW_BLOCKS,
    NEGATIVE_VARIANCE,
    Caution,
    CautionKind,
    Severity,
    restore,
)
from thetahat.values.words import WORD_FIELDS

PRODUCT = ("thetahat", "replications", "service", "worker")
ENTRIES = {name: value for name, value in vars(cautions).items() if isinstance(value, CautionKind)}


@cache
def list_calls() -> tuple[tuple[str, str, set[str]], ...]:
    """Return the place, name and arguments of every call; the sources are read once."""
    return tuple(calls())


def calls() -> Iterator[tuple[str, str, set[str]]]:
    """Yield the place, the entry's name and the arguments of every call of an entry.

    The words, which are the only argument without a name, count as ``words``.
    """
    names = rf"\b({'|'.join([*ENTRIES, 'Caution'])})\("
    for path, tree in parse_those_with(names, python_files(*PRODUCT)):
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute):
                name = node.func.id if isinstance(node.func, ast.Name) else node.func.attr
                if name in ENTRIES or name == "Caution":
                    given = {str(keyword.arg) for keyword in node.keywords}
                    yield f"{path}:{node.lineno}", name, given | {"words" for _ in node.args}


def fields_of(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


def arguments_of(entry: CautionKind) -> set[str]:
    fields = fields_of(entry.sentence) | fields_of(entry.advice)
    words = {"words"} if fields & set(WORD_FIELDS) else set()
    return fields - set(WORD_FIELDS) - {"threshold"} | words


def test_exact_code_builds_cautions_from_the_catalogue_only() -> None:
    elsewhere = [place for place, name, _ in list_calls() if name == "Caution"]

    assert [place for place in elsewhere if not place.startswith("thetahat/cautions.py")] == []


def test_exact_a_call_gives_every_field_of_the_sentence() -> None:
    wrong = [
        place
        for place, name, fields in list_calls()
        if name != "Caution" and fields != arguments_of(ENTRIES[name])
    ]

    assert len(list_calls()) > 150
    assert wrong == []


def test_exact_every_entry_is_used() -> None:
    # Chosen by a condition, or in a loop, and then called.
    indirect = {"LEARNER_WARNING", "NOT_CONVERGED", "REJECTS_FAR_TOO_OFTEN", "REJECTS_TOO_OFTEN"}
    indirect |= {"NEIGHBOURS_ALIKE", "NEIGHBOURS_ALIKE_WITHIN"}

    assert set(ENTRIES) - {name for _, name, _ in list_calls()} - indirect == set()


def test_property_an_entry_is_a_sentence_with_its_threshold() -> None:
    assert len(set(ENTRIES.values())) == len(CAUTIONS)
    assert len({entry.title for entry in CAUTIONS.values()}) == len(CAUTIONS)
    for code, entry in CAUTIONS.items():
        with case(code):
            assert entry.code == code
            assert entry.title[0].isupper()
            assert entry.title[-1].isalnum()
            assert len(entry.title) <= 42
            assert entry.sentence.endswith((".", "}"))
            assert entry.sentence[0].isupper() or entry.sentence[0] == "{"
            assert not entry.advice or (entry.advice[0].isupper() and entry.advice.endswith("."))
            assert math.isnan(entry.threshold) == (not entry.reason)


def test_exact_a_caution_carries_its_sentence_severity_and_advice() -> None:
    caution = FEW_BLOCKS(subject="The variance", n=4, units="folds")

    assert caution == Caution(
        "few_blocks",
        "The variance rests on 4 folds. With fewer than 10 the variance between them is itself "
        "uncertain, and the interval is wide.",
        Severity.WARNING,
        "Use more of them.",
    )
    assert caution.title == "Uncertain spread"
    assert restore(caution.code, caution.message) == caution
    assert restore(caution.code, caution.message).title == caution.title
    prefixed = caution.with_prefix("Learner 'nb'")
    assert prefixed.message.startswith("Learner 'nb': The variance rests on 4")
    assert prefixed.advice == caution.advice


def test_invalid_a_missing_value_of_the_sentence() -> None:
    with pytest.raises(KeyError, match="units"):
        FEW_BLOCKS(subject="The variance", n=4)


def test_exact_numbers_in_sentences_are_written_as_elsewhere() -> None:
    negative = NEGATIVE_VARIANCE(subject="The variance theta_5", variance=-0.012_345_67)

    assert "came out negative: -0.01235." in negative.message
