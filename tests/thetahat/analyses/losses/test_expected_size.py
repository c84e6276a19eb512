"""How often tests and verdicts rejected equal models in the nearest studied design."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import thetahat
from thetahat.analyses.losses import expected_size
from thetahat.analyses.losses.expected_size import list_size_cautions
from thetahat.analyses.losses.result import Comparison, EvaluationResult, TestResult
from thetahat.values.coverage import ExpectedSize

RNG = np.random.default_rng(9)
STUDY: dict[str, Any] = json.loads(
    Path(expected_size.__file__).with_name("test_errors.json").read_text()
)
ROWS: list[dict[str, Any]] = [
    dict(zip(STUDY["columns"], row, strict=True)) for row in STUDY["rows"]
]


def evaluate(n: int = 200, repeats: int = 1, folds: int = 10, **options: Any) -> EvaluationResult:
    losses = {name: np.tile(RNG.integers(0, 2, n), repeats) for name in "abc"}
    parts = np.concatenate([RNG.permutation(n) % folds for _ in range(repeats)])
    if repeats > 1:
        options["repeat"] = np.repeat(np.arange(repeats), n).tolist()
        options["instance"] = np.tile(np.arange(n), repeats).tolist()
    return thetahat.evaluate(losses, block=parts.tolist(), **options)


def first(result: EvaluationResult) -> Comparison:
    pair = result.comparisons[0]
    assert isinstance(pair, Comparison)
    return pair


def cell(design: str, n: int, name: str, trained: str = "trained") -> dict[str, Any]:
    (row,) = (
        row
        for row in ROWS
        if (row["design"], row["loss"], row["n"], row["trained"], row["name"])
        == (design, "zero_one", n, trained, name)
        and row["own_null"]
    )
    return row


def outcomes_of(pair: Comparison) -> Mapping[str, TestResult]:
    assert pair.tests is not None
    return pair.tests


def codes(test: TestResult) -> set[str]:
    return {caution.code for caution in test.cautions}


@pytest.mark.parametrize("n", [60, 200, 3000])
def test_naive_a_test_has_the_size_of_the_nearest_cell(n: int) -> None:
    nearest = min((50, 200, 1000), key=lambda size: abs(np.log(size / n)))
    row = cell("10-fold", nearest, "nadeau_bengio_t")

    size = outcomes_of(first(evaluate(n, tests=["nadeau_bengio_t"])))[
        "nadeau_bengio_t"
    ].expected_size

    assert size is not None
    assert (size.size, size.standard_error) == (row["size"], row["size_error"])
    assert (size.least, size.largest) == (row["size"], row["size"])
    assert size.design == f"ten folds, {nearest} rows, losses of 0 and 1"


def test_naive_a_verdict_has_the_size_of_its_interval() -> None:
    verdict = first(evaluate(variances=["nadeau_bengio"])).verdict
    row = cell("10-fold", 200, f"{verdict.method}:{verdict.variance}")

    assert verdict.expected_size is not None
    assert_allclose(verdict.expected_size.size, row["size"])
    assert Path("docs/results/test_errors").name in verdict.expected_size.table


def test_naive_a_verdict_on_paired_rates_has_the_size_of_tango() -> None:
    losses = {"a": [0, 1, 0, 0, 1] * 4, "b": [1, 1, 0, 0, 0] * 4}

    verdict = thetahat.evaluate(losses, blocks="holdout").comparisons[0].verdict

    study = json.loads(Path(expected_size.__file__).with_name("test_errors.json").read_text())
    place = ["holdout", "zero_one", 50, "trained", "verdict", "tango", "these_models"]
    (row,) = (row for row in study["rows"] if row[:7] == place)
    assert verdict.method == "tango"
    assert verdict.expected_size is not None
    assert verdict.expected_size.size == row[study["columns"].index("size")]


def test_exact_a_test_of_the_fitted_models_is_judged_where_its_null_is_true() -> None:
    size = outcomes_of(first(evaluate(tests=["mcnemar"])))["mcnemar"].expected_size

    assert size is not None
    assert size.size == cell("10-fold", 200, "mcnemar", "stable")["size"]
    assert size.design.endswith("of models that no training varies")


def test_exact_a_test_that_takes_repeats_for_blocks_is_doubted() -> None:
    once = outcomes_of(first(evaluate(tests=["paired_t_blocks"])))["paired_t_blocks"]
    repeated = outcomes_of(first(evaluate(repeats=5, tests=["paired_t_blocks"])))["paired_t_blocks"]

    assert "rejects_far_too_often" not in codes(once)
    assert "rejects_far_too_often" in codes(repeated)
    assert repeated.expected_size is not None
    assert repeated.expected_size.size > 0.3
    message = next(c.message for c in repeated.cautions if c.code == "rejects_far_too_often")
    assert "five times ten folds" in message


def test_exact_tests_of_all_models_have_sizes() -> None:
    omnibus = evaluate().omnibus

    assert omnibus is not None
    assert omnibus["cochran_q"].expected_size is not None
    assert (
        omnibus["cochran_q"].expected_size.size
        == (cell("10-fold", 200, "cochran_q", "stable")["size"])
    )


def test_exact_leave_one_out_has_a_design_of_its_own() -> None:
    pair = first(evaluate(folds=200))

    assert pair.verdict.expected_size is not None
    assert pair.verdict.expected_size.design == "leave-one-out, 200 rows, losses of 0 and 1"


def test_exact_tests_that_were_not_studied_have_no_size() -> None:
    pair = first(evaluate(level=0.9))

    assert pair.verdict.expected_size is None
    assert all(test.expected_size is None for test in outcomes_of(pair).values())


def test_exact_a_one_sided_test_has_no_size_and_the_verdict_keeps_its_own() -> None:
    pair = first(evaluate(alternative="less", variances=["nadeau_bengio"]))

    assert pair.verdict.expected_size is not None
    assert all(test.expected_size is None for test in outcomes_of(pair).values())


def test_exact_another_variance_or_parameter_has_no_size() -> None:
    pair = first(evaluate(variances=["theta_3"], tests=[thetahat_theta_t()]))

    assert pair.verdict.expected_size is None
    assert pair.verdict.expected_size_missing == (
        "The studied design nearest to this one did not have this interval."
    )
    assert outcomes_of(pair)["theta_t"].expected_size is None


def thetahat_theta_t() -> Any:
    from thetahat.paired_tests.theta_t import ThetaT

    return ThetaT(variance="theta_4")


@pytest.mark.parametrize(
    ("size", "error", "expected"),
    [
        (0.07, 0.001, None),
        (0.08, 0.02, None),
        (0.08, 0.01, "rejects_too_often"),
        (0.16, 0.01, "rejects_far_too_often"),
    ],
)
def test_by_hand_the_thresholds(size: float, error: float, expected: str | None) -> None:
    caution = ExpectedSize(
        size=size, standard_error=error, least=size, largest=size, design="ten folds", table=""
    )

    cautions = list_size_cautions({"t": caution})

    assert [raised.code for raised in cautions.get("t", ())] == (
        [] if expected is None else [expected]
    )


def test_exact_every_test_of_the_library_was_studied() -> None:
    from thetahat.multiple_tests import MULTIPLE_TESTS
    from thetahat.paired_tests import PAIRED_TESTS

    studied = {row["name"] for row in ROWS if row["subject"] != "verdict"}
    methods: dict[str, Any] = {**PAIRED_TESTS, **MULTIPLE_TESTS}
    computed = {name for name, method in methods.items() if not method.info.by_request_only}
    assert computed - studied == set(), (
        "Nobody knows how often they reject equal models. Run the study, `python -m "
        "thetahat_replications.test_errors`, or give them by_request_only=True."
    )
    assert {row["design"] for row in ROWS} == set(STUDY["designs"])
