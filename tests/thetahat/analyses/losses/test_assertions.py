"""Assertions about two models, and the plugin of pytest that offers them as fixtures."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import thetahat
from thetahat import Gate, GateOutcome, Requirement

RNG = np.random.default_rng(5)
OLD = RNG.normal(1, 0.3, size=200)
NEW = OLD - 0.05 + 0.01 * RNG.normal(size=200)
NOISY = OLD + RNG.normal(size=200)


def test_exact_an_assertion_is_the_gate_of_an_evaluation() -> None:
    gate = Gate(model="new", against="old", require=Requirement.NOT_WORSE)
    expected = thetahat.evaluate({"new": NEW, "old": OLD}, blocks="holdout", margin=0.01, gate=gate)

    result = thetahat.assert_not_worse(NEW, OLD, margin=0.01)

    assert expected.gate is not None
    assert (result.difference, result.lower, result.upper, result.outcome) == (
        expected.gate.difference,
        expected.gate.lower,
        expected.gate.upper,
        GateOutcome.PASS,
    )


def test_exact_what_is_not_shown_raises_the_sentence() -> None:
    with pytest.raises(AssertionError, match=r"Gate: fail\. .* ridge is better than lasso"):
        thetahat.assert_better(OLD, NEW, names=("ridge", "lasso"))
    with pytest.raises(AssertionError, match="It is not shown"):
        thetahat.assert_better(NOISY, OLD)
    with pytest.raises(AssertionError, match="Gate: fail"):
        thetahat.assert_equivalent(NEW, OLD, margin=0.01)


def test_exact_options_are_those_of_an_evaluation() -> None:
    school = np.repeat(np.arange(10), 20)

    assert thetahat.assert_better(-NEW, -OLD, better="higher").target == "these_models"
    assert thetahat.assert_better(NEW, OLD, block=school).target == "new_source"
    assert thetahat.assert_better(NOISY, OLD, undecided="pass").undecided


def test_invalid_values_are_refused_as_in_an_evaluation() -> None:
    with pytest.raises(thetahat.EvaluationError, match="undecided must be one of"):
        thetahat.assert_better(NEW, OLD, undecided="maybe")
    with pytest.raises(thetahat.EvaluationError, match="margin"):
        thetahat.assert_not_worse(NEW, OLD, margin=-1.0)
    with pytest.raises(thetahat.EvaluationError):
        thetahat.assert_better(NEW, OLD[:-1])


MODULE = """
import numpy as np

OLD = np.random.default_rng(5).normal(1, 0.3, size=200)


def test_new(assert_not_worse):
    result = assert_not_worse(OLD - 0.05, OLD + 0.001 * np.arange(200), margin=0.01)
    assert result.outcome == "pass"


def test_worse(assert_better):
    assert_better(OLD + 0.001 * np.arange(200), OLD - 0.05)


def test_same(assert_equivalent):
    assert_equivalent(OLD, OLD + 0.001 * np.random.default_rng(1).normal(size=200), margin=0.01)
"""


def test_exact_the_plugin_lists_the_sentences_and_writes_them_to_the_report(tmp_path: Path) -> None:
    (tmp_path / "test_models.py").write_text(MODULE)
    words = ["-p", "thetahat.pytest_plugin", "-p", "no:cacheprovider", "--junit-xml", "report.xml"]

    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *words, "test_models.py"],
        cwd=tmp_path,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 1
    assert "1 failed, 2 passed" in done.stdout
    listed = done.stdout.partition("= thetahat =")[2]
    assert "test_models.py::test_new: Gate: pass. It is shown that new is not" in listed
    assert "test_models.py::test_worse: Gate: fail" in listed
    assert 'name="thetahat gate" value="Gate: pass' in (tmp_path / "report.xml").read_text()
