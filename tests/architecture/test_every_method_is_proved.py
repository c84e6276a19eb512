"""The list of methods without proof is empty.

A proof is two tests about the method: one that holds a number from outside this code, which its
mark ``outside`` says the source of, and one that holds an identity, a slow twin, a limit or a
simulation. A test is about the method that its file is named after; where a file tests several,
the mark ``about`` names them (``family/name``).
"""

from __future__ import annotations

from pathlib import Path

from tests.architecture.proofs import ORACLES, every_method, names_in, proofs, proofs_in
from thetahat.weighted_risks import WEIGHTED_RISKS

PROOFS = proofs()
METHODS = sorted(every_method())


def outside(method: str) -> list[str]:
    return [p.place for p in PROOFS if method in p.methods and p.sources]


def identities(method: str) -> list[str]:
    return [p.place for p in PROOFS if method in p.methods and p.name.startswith(ORACLES)]


def test_exact_every_method_is_proved() -> None:
    missing = {
        method: [
            what
            for what, found in (
                ("a number from outside (the mark outside)", outside(method)),
                ("a test_exact_, test_naive_, test_limit_ or test_calibrated_", identities(method)),
            )
            if not found
        ]
        for method in METHODS
    }

    assert {method: what for method, what in missing.items() if what} == {}


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
    by_place = {p.place: p for p in PROOFS}
    file_name = by_place[
        "tests/thetahat/paired_tests/test_mcnemar.py::test_golden_published_tables"
    ]

    assert file_name.methods == {"paired_tests/mcnemar"}
    assert any("fagerland2013" in source for source in file_name.sources)
    assert len(PROOFS) > 900


MODULE = """
import pytest

BOOK = "a table of some book"


@pytest.mark.outside(BOOK)
def test_golden_by_file_name() -> None: ...


@pytest.mark.about("losses/log", "losses/squared")
@pytest.mark.parametrize("x", [pytest.param(1, marks=pytest.mark.outside("of one case"))])
def test_exact_by_mark() -> None: ...


@pytest.mark.about(*(f"weighted_risks/{name}" for name in RISKS))
def test_limit_of_a_family() -> None: ...


@pytest.mark.outside(some_function())
@pytest.mark.about(*NAMES)
def test_naive_unread() -> None: ...


def helper() -> None: ...
"""


def test_exact_marks_are_read_where_they_may_stand(tmp_path: Path) -> None:
    path = tmp_path / "losses" / "test_zero_one.py"
    path.parent.mkdir()
    path.write_text(MODULE)

    found = {p.name: (set(p.methods), p.sources) for p in proofs_in(path)}

    assert found == {
        "test_golden_by_file_name": ({"losses/zero_one"}, ("a table of some book",)),
        "test_exact_by_mark": ({"losses/log", "losses/squared"}, ("of one case",)),
        "test_limit_of_a_family": ({f"weighted_risks/{name}" for name in WEIGHTED_RISKS}, ()),
        "test_naive_unread": ({"?"}, ("?",)),  # which other tests here refuse
    }


def test_exact_a_method_without_proof_is_seen() -> None:
    assert outside("losses/no_such") == identities("losses/no_such") == []
    assert outside("losses/log")
    assert identities("losses/log")
