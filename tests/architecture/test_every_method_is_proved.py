"""The list of methods without proof is empty.

A proof is two tests about the method: one that compares it with a number from outside this code
(the mark ``outside`` names the source, or the name ``test_against_`` the package), and one that
compares it with an identity, a slow implementation, a limit or a simulation. Hand arithmetic is no
number from outside; methods for which no such number exists are listed with the reason. A test is
about the method that its file is named after; where a file tests several, the mark ``about`` names
them (``family/name``).
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.architecture.proofs import ORACLES, every_method, names_in, proofs, proofs_in
from thetahat.weighted_risks import WEIGHTED_RISKS

pytestmark = pytest.mark.xdist_group("tests of methods")  # which are read once

METHODS = sorted(every_method())


NO_OTHER = "no other implementation and no printed example was found"
FORMULA_ONLY = "the source prints its formula and no worked example"
FIGURES_ONLY = "the source prints figures, not the numbers behind them"
TRIVIAL = "it returns what it is passed"

NOTHING_OUTSIDE = {
    "corrections/finner": FORMULA_ONLY,
    "corrections/none": TRIVIAL,
    "generators/random_effects": NO_OTHER,
    "generators/word_counts": NO_OTHER,
    "importance_weights/given": TRIVIAL,
    "importance_weights/rulsif": NO_OTHER,
    "importance_weights/ulsif": NO_OTHER,
    "intervals/catoni": FORMULA_ONLY,
    "intervals/prediction": NO_OTHER,
    "intervals/price_bonett": NO_OTHER,
    "intervals/skewness_corrected": FORMULA_ONLY,
    "intervals/studentised": FORMULA_ONLY,
    "presets/bootstrap_estimates": FIGURES_ONLY,
    "presets/importance_ozone": FIGURES_ONLY,
    "presets/interval_coverage": FIGURES_ONLY,
    "presets/lecture_folds": FIGURES_ONLY,
    "presets/lecture_splits": FIGURES_ONLY,
    "presets/multiple_source_means": FIGURES_ONLY,
    "presets/multiple_source_variances": FIGURES_ONLY,
    "refit_estimators/austern_zhou": FORMULA_ONLY,
    "refit_estimators/bccv_percentile": FORMULA_ONLY,
    "refit_estimators/conservative_z": FORMULA_ONLY,
    "refit_estimators/out_of_bag": FORMULA_ONLY,
    "refit_estimators/two_stage_bootstrap": FORMULA_ONLY,
    "variances/quadratic": FORMULA_ONLY,
    "variances/theta_1": FORMULA_ONLY,
    "variances/theta_2": FORMULA_ONLY,
    "variances/theta_5": FORMULA_ONLY,
    "variances/theta_gamma_kl": FORMULA_ONLY,
    "variances/theta_omega": FORMULA_ONLY,
    "variances/theta_omega_k": FORMULA_ONLY,
}
"""Methods without a number from outside, and why. Each has hand arithmetic (``test_by_hand_``)."""


PACKAGES_THAT_RUN = tuple(
    f"test_against_{package}_"
    for package in (
        *("numpy", "scipy", "sklearn", "statsmodels", "decimal", "pyarrow"),
        *("mlflow", "celery", "standardwebhooks", "vl_convert"),
        *("openapi_python_client", "datamodel_codegen"),
    )
)


def outside(method: str) -> list[str]:
    """Return the tests that compare a method with a number from outside this code."""
    return [
        p.place
        for p in proofs()
        if method in p.methods and (p.sources or p.name.startswith("test_against_"))
    ]


def hand_arithmetic(method: str) -> list[str]:
    """Return the tests that compare a method with numbers worked out by hand."""
    return [p.place for p in proofs() if method in p.methods and p.name.startswith("test_by_hand_")]


def identities(method: str) -> list[str]:
    return [p.place for p in proofs() if method in p.methods and p.name.startswith(ORACLES)]


def test_exact_every_method_is_proved() -> None:
    missing = {
        method: [
            kind_of_proof
            for kind_of_proof, is_there in (
                (
                    "a number from outside (the mark outside, or a test_against_)",
                    method in NOTHING_OUTSIDE or outside(method),
                ),
                ("a test_exact_, test_naive_, test_limit_ or test_calibrated_", identities(method)),
            )
            if not is_there
        ]
        for method in METHODS
    }

    assert {
        method: kind_of_proof for method, kind_of_proof in missing.items() if kind_of_proof
    } == {}


def test_exact_methods_without_a_number_from_outside_have_hand_arithmetic() -> None:
    unknown = set(NOTHING_OUTSIDE) - set(METHODS)
    assert unknown == set()
    assert [method for method in NOTHING_OUTSIDE if not hand_arithmetic(method)] == []
    # a method that has a number from outside by now leaves the list
    assert [method for method in NOTHING_OUTSIDE if outside(method)] == []


def test_exact_every_golden_number_names_its_source() -> None:
    golden = [p for p in proofs() if p.name.startswith("test_golden_")]

    assert [p.place for p in golden if not p.sources] == []
    # a number that another package computes in the test is test_against_, not golden
    assert [p.place for p in golden if any("run here" in s for s in p.sources)] == []
    assert len(golden) > 90


def test_exact_every_comparison_names_a_package_that_runs_in_the_test() -> None:
    comparisons = [p for p in proofs() if p.name.startswith("test_against_")]
    others = [p.place for p in comparisons if not p.name.startswith(PACKAGES_THAT_RUN)]

    assert others == []
    assert len(comparisons) > 150


def test_exact_every_source_is_outside_this_code() -> None:
    marked = [p for p in proofs() if p.sources]
    by_hand = re.compile(r"hand (arithmetic|count)|^by hand|in the (comment|docstring)")

    assert [p.place for p in marked if not all(len(s.split()) > 1 for s in p.sources)] == []
    assert [p.place for p in marked if all(by_hand.search(s) for s in p.sources)] == []
    assert [p.place for p in marked if p.name.startswith("test_by_hand_")] == []
    assert len(marked) > 60


def test_exact_a_test_is_about_methods_that_there_are_and_that_its_file_names() -> None:
    unknown = {(p.place, m) for p in proofs() for m in p.methods - set(METHODS)}
    silent = {
        (p.place, method)
        for p in proofs()
        for method in p.methods
        if method.partition("/")[2] not in names_in(p.path)
    }

    assert unknown == set()
    assert silent == set()


def test_exact_the_reader_sees_the_tests() -> None:
    by_place = {p.place: p for p in proofs()}
    file_name = by_place[
        "tests/thetahat/paired_tests/test_mcnemar.py::test_golden_published_tables"
    ]

    assert file_name.methods == {"paired_tests/mcnemar"}
    assert any("fagerland2013" in source for source in file_name.sources)
    assert len(proofs()) > 900


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

    marks = {p.name: (set(p.methods), p.sources) for p in proofs_in(path)}

    assert marks == {
        "test_golden_by_file_name": ({"losses/zero_one"}, ("a table of some book",)),
        "test_exact_by_mark": ({"losses/log", "losses/squared"}, ("of one case",)),
        "test_limit_of_a_family": ({f"weighted_risks/{name}" for name in WEIGHTED_RISKS}, ()),
        "test_naive_unread": ({"?"}, ("?",)),  # which other tests here refuse
    }


def test_exact_a_method_without_proof_is_seen() -> None:
    assert outside("losses/no_such") == identities("losses/no_such") == []
    assert outside("losses/log")
    assert identities("losses/log")
