"""Wrong constants and wrong cells that ``make plant`` sows, one at a time.

Each must make the tests beside it fail. A fault that no test notices is a hole in the tests: write
the test, do not take the fault out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Fault:
    """One wrong place in the source."""

    name: str
    """The family whose constant is wrong, or the kind and table that shows a wrong cell."""
    file: str
    right: str
    """Text that stands in the file once."""
    wrong: str
    tests: tuple[str, ...]
    """Files or folders of tests that must notice."""


def _of_family(name: str, file: str, right: str, wrong: str, *tests: str) -> Fault:
    found = tests or (f"tests/thetahat/{name}",)
    return Fault(name, f"thetahat/{file}", right, wrong, found)


FAMILIES: Final = (
    _of_family(
        "corrections",
        "corrections/holm.py",
        "ordered * (m - np.arange(m))",
        "ordered * (m + 1 - np.arange(m))",
    ),
    _of_family(
        "generators",
        "generators/random_effects.py",
        "+ (n_blocks - 1) / n_blocks * generator.gamma",
        "+ generator.gamma",
    ),
    _of_family(
        "importance_weights",
        "importance_weights/kliep.py",
        "means = scipy.special.logsumexp(source_logs, axis=0) - np.log(len(source_logs))",
        "means = scipy.special.logsumexp(source_logs, axis=0) - np.log(len(source_logs) - 1)",
    ),
    _of_family(
        "intervals",
        "intervals/wilson.py",
        "z * z / (4 * n * n))",
        "z * z / (2 * n * n))",
    ),
    _of_family(
        "learners",
        "learners/ridge.py",
        "(s / (s**2 + self.penalty) * target)",
        "(s / (s**2 + 2 * self.penalty) * target)",
    ),
    _of_family(
        "losses",
        "losses/huber.py",
        "near * (size - near / 2)",
        "near * (size - near / 3)",
    ),
    _of_family(
        "metrics",
        "metrics/matthews.py",
        "(total**2 - (true**2).sum(axis=1))",
        "(total**2 + (true**2).sum(axis=1))",
    ),
    _of_family(
        "multiple_tests",
        "multiple_tests/_ranks.py",
        "statistic = (self.n - 1) * self.value",
        "statistic = self.n * self.value",
    ),
    _of_family(
        "paired_tests",
        "paired_tests/mcnemar.py",
        'distance = abs(c - b) - (1 if variant == "chi_squared_corrected" else 0)',
        'distance = abs(c - b) - (0.5 if variant == "chi_squared_corrected" else 0)',
    ),
    _of_family(
        "refit_estimators",
        "refit_estimators/_bootstrap_632.py",
        "SHARE = 0.632",
        "SHARE = 0.623",
    ),
    _of_family(
        "schemes",
        "schemes/time_series.py",
        "rows.n // (self.n_folds + 1)",
        "rows.n // (self.n_folds + 2)",
    ),
    _of_family(
        "sequential",
        "sequential/bounded.py",
        "np.sqrt(2 * math.log(2 / alpha) / (variances * i * np.log1p(i)))",
        "np.sqrt(2 * math.log(1 / alpha) / (variances * i * np.log1p(i)))",
    ),
    _of_family(
        "statistics",
        "statistics/standard_deviation.py",
        "self.ddof, root=True",
        "self.ddof + 1, root=True",
    ),
    _of_family(
        "steps",
        "pipelines/steps/standardise.py",
        "np.average((values - mean) ** 2, weights=w)",
        "np.average((values - mean) ** 2)",
        "tests/thetahat/pipelines",
    ),
    _of_family(
        "two_sample_tests",
        "two_sample_tests/two_sample_permutation.py",
        "(count + 1) / (B + 1)",
        "(count + 2) / (B + 1)",
    ),
    _of_family(
        "variances",
        "variances/_corrected_resampling.py",
        "(1 / j + ratio) * s2",
        "(1 / j + ratio / 2) * s2",
    ),
    _of_family(
        "vector_statistics",
        "statistics/vector_statistics/covariance_matrix.py",
        "means[..., self._first] * means[..., self._second] / n",
        "means[..., self._first] * means[..., self._second] / (n + 1)",
        "tests/thetahat/statistics",
    ),
    _of_family(
        "weighted_risks",
        "weighted_risks/truncated.py",
        "bias = 0.0 - float((losses * above).mean())",
        "bias = float((losses * above).mean())",
    ),
)
"""One wrong constant for each family of methods."""
