"""The list of methods without proof is empty.

A proof is two tests about the method: one that holds a number from outside this code, which its
mark ``outside`` says the source of, and one that holds an identity, a slow twin, a limit or a
simulation. A test is about the method that its file is named after; where a file tests several,
the mark ``about`` names them (``family/name``).
"""

from __future__ import annotations

import pytest

from tests.architecture.proofs import ORACLES, every_method, names_in, proofs

PROOFS = proofs()
METHODS = sorted(every_method())
# What is not proved yet. A method that is must leave the list.
OPEN: frozenset[str] = frozenset(
    {
        "intervals/basic",
        "intervals/bca",
        "intervals/percentile",
        "intervals/studentised",
    }
)


def outside(method: str) -> list[str]:
    return [p.place for p in PROOFS if method in p.methods and p.sources]


def identities(method: str) -> list[str]:
    return [p.place for p in PROOFS if method in p.methods and p.name.startswith(ORACLES)]


@pytest.mark.parametrize("method", METHODS)
def test_exact_every_method_is_proved(method: str) -> None:
    proved = bool(outside(method) and identities(method))
    missing = [
        what
        for what, found in (
            ("a number from outside (the mark outside)", outside(method)),
            ("a test_exact_, test_naive_, test_limit_ or test_calibrated_", identities(method)),
        )
        if not found
    ]

    assert method not in OPEN or not proved, f"{method} is proved: take it out of OPEN"
    assert method in OPEN or proved, f"{method} lacks {' and '.join(missing)}"


def test_exact_every_source_is_said() -> None:
    marked = [p for p in PROOFS if p.sources]

    assert [p.place for p in marked if not all(len(s.split()) > 1 for s in p.sources)] == []
    assert len(marked) > 60


def test_exact_a_test_is_about_methods_that_there_are_and_that_its_file_names() -> None:
    unknown = {(p.place, m) for p in PROOFS for m in p.methods - set(METHODS)}
    silent = {
        (p.place, method)
        for p in PROOFS
        for method in p.methods
        if method.partition("/")[2] not in names_in(p.path)
    }

    assert unknown == set()
    assert silent == set()


def test_exact_the_reader_sees_the_tests() -> None:
    """The reader's own check: a file name, an ``about`` mark, and marks of parameters."""
    by_place = {p.place: p for p in PROOFS}
    here = "tests/architecture/test_every_method_is_proved.py"
    file_name = by_place["tests/thetahat/comparisons/test_mcnemar.py::test_golden_published_tables"]

    assert file_name.methods == {"comparisons/mcnemar"}
    assert by_place[f"{here}::test_exact_the_reader_sees_the_tests"].methods == frozenset()
    assert len(PROOFS) > 900
