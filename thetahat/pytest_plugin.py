"""A plugin of pytest: assertions about two models, listed at the end of the run.

pytest loads it wherever thetahat is installed. It imports the evaluation when a test first uses a
fixture. Each fixture is the function of the same name in ``thetahat``; besides, the outcome of the
gate is a property of the test in a JUnit report, and a line of the summary.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, Final

import pytest

import thetahat

if TYPE_CHECKING:
    from thetahat.analyses.losses.result import GateResult

PROPERTY: Final = "thetahat gate"
"""Name of the test's property that has the outcome."""

_OUTCOMES: Final = ("passed", "failed")
"""Categories of the reports of tests that have run."""


@pytest.fixture
def assert_not_worse(request: pytest.FixtureRequest) -> Callable[..., GateResult]:
    """Assert that a model is not worse than another by a margin or more."""
    return _record(thetahat.assert_not_worse, request)


@pytest.fixture
def assert_better(request: pytest.FixtureRequest) -> Callable[..., GateResult]:
    """Assert that a model is better than another."""
    return _record(thetahat.assert_better, request)


@pytest.fixture
def assert_equivalent(request: pytest.FixtureRequest) -> Callable[..., GateResult]:
    """Assert that the means of two models differ by less than a margin."""
    return _record(thetahat.assert_equivalent, request)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """List the sentence of each gate, below the name of its test."""
    reports = [
        report
        for category in _OUTCOMES
        for report in terminalreporter.getreports(category)
        if report.when == "call"
    ]
    gates = [
        (report.nodeid, value)
        for report in reports
        for name, value in report.user_properties
        if name == PROPERTY
    ]
    if gates:
        terminalreporter.section("thetahat")
    for test, sentence in gates:
        terminalreporter.write_line(f"{test}: {sentence}")


def _record(
    function: Callable[..., GateResult], request: pytest.FixtureRequest
) -> Callable[..., GateResult]:
    """Return the function, which now adds its sentence to the properties of the test."""

    @wraps(function)
    def assert_and_record(*losses: Any, **options: Any) -> GateResult:
        __tracebackhide__ = True
        try:
            result = function(*losses, **options)
        except AssertionError as error:
            request.node.user_properties.append((PROPERTY, str(error)))
            raise
        request.node.user_properties.append((PROPERTY, str(result)))
        return result

    return assert_and_record
