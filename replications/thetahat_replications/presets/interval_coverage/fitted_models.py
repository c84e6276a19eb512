"""Find an interval that covers the error of the models that cross-validation fits.

Four learners are cross-validated on generated rows, with risks of the fitted models that are exact
up to their mean over 1500 rows of features. The page ``fitted_models.md`` has the coverage of
intervals on the variance of ``bayle_within`` with several quantiles, and of ``nadeau_bengio``, and
their power.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
from scipy import stats
from scipy.special import expit

from thetahat.analyses.studies.shipped_coverage import COMMAND
from thetahat.generators.linear_model import LinearModelGenerator
from thetahat.values.types import FloatArray, IntArray
from thetahat_replications import markdown_pages
from thetahat_replications.edges.hall_transformation import invert
from thetahat_replications.edges.simulated_intervals import SHIFT, measure_power
from thetahat_replications.markdown_pages import write_table

LEVEL: Final = 0.95
SIZES: Final = (50, 200)
N_FEATURES: Final = 10
N_JUDGED: Final = 1500
JUDGED_OF_ONE: Final = 30
"""Rows on which each model of leave-one-out is judged, its own rows."""
CLASS_SHIFT: Final = 0.7
ALL: Final = 0
"""As many folds as rows."""
SCHEMES: Final[Mapping[str, tuple[int, int]]] = {
    "5-fold": (5, 1),
    "10-fold": (10, 1),
    "five times ten": (10, 5),
    "five times two": (2, 5),
    "leave-one-out": (ALL, 1),
}
"""Folds and repeats."""
DEGREES: Final[Mapping[str, int | None]] = {"normal": None, "12": 12, "9": 9, "7": 7}
"""Degrees of freedom of the quantiles, by their names in the table."""

_ABOUT: Final = (
    f"`{COMMAND}`, seed {{seed}}, {{repetitions}} samples of each case: how often intervals of "
    f"level {LEVEL} cover the average risk of the models that were fitted. *bayle_within* has "
    "normal quantiles, as recommended before; *skewed* is `skewness_corrected` on the same "
    "variance, with normal quantiles or those of t with that many degrees of freedom (nine is "
    "recommended now); *nadeau_bengio* is the interval that is for the learner. *Spread* is the "
    "standard deviation of the error in standard errors: above 1 the risk varies too. Power is how "
    f"often an interval excludes a value that is {SHIFT:g} standard deviations of the error from "
    "that risk, as a share of the power of the normal test that knows the standard deviation."
)


@dataclass(frozen=True, slots=True)
class _Case:
    """A population with a learner; ``fit`` returns a function of features."""

    name: str
    fit: Callable[[FloatArray, FloatArray], Callable[[FloatArray], FloatArray]]
    loss: Callable[[FloatArray, FloatArray], FloatArray]
    line: LinearModelGenerator | None = None

    def draw(self, n: int, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
        """Draw n rows: features, and a class or a number."""
        X = rng.standard_normal((n, N_FEATURES))
        if self.line is None:
            y = (rng.random(n) < 0.5).astype(float)
            X[:, :5] += (y[:, None] - 0.5) * CLASS_SHIFT
            return X, y
        return X, self.line.compute_signal(X) + self.line.errors(n, rng)

    def risk(self, predictions: FloatArray, X: FloatArray) -> float:
        """Return the expected loss at these rows of features, over their class or error."""
        if self.line is not None:
            return float(((predictions - self.line.compute_signal(X)) ** 2).mean()) + 1.0
        share = expit(CLASS_SHIFT * X[:, :5].sum(axis=1))
        losses_of_ones = self.loss(predictions, np.ones(len(X)))
        return float(
            (
                share * losses_of_ones + (1 - share) * self.loss(predictions, 0 * losses_of_ones)
            ).mean()
        )


def _fit_ridge(X: FloatArray, y: FloatArray) -> Callable[[FloatArray], FloatArray]:
    centre = X.mean(axis=0)
    C = X - centre
    b = np.linalg.solve(C.T @ C + np.eye(X.shape[1]), C.T @ (y - y.mean()))
    return lambda rows: np.asarray(y.mean() + (rows - centre) @ b)


def _fit_discriminant(X: FloatArray, y: FloatArray) -> Callable[[FloatArray], FloatArray]:
    first, second = X[y == 0].mean(axis=0), X[y == 1].mean(axis=0)
    residuals = X - np.where(y[:, None] == 1, second, first)
    w = np.linalg.solve(residuals.T @ residuals / (len(X) - 2), second - first)
    offset = math.log(y.mean() / (1 - y.mean())) - float(w @ (first + second)) / 2
    return lambda rows: np.asarray(expit(rows @ w + offset))


def _fit_neighbour(X: FloatArray, y: FloatArray) -> Callable[[FloatArray], FloatArray]:
    squares = (X**2).sum(axis=1)
    return lambda rows: np.asarray(y[(squares - 2 * rows @ X.T).argmin(axis=1)])


def _compute_zero_one_losses(predictions: FloatArray, y: FloatArray) -> FloatArray:
    return np.asarray((predictions > 0.5) != (y > 0.5), dtype=float)


def _compute_brier_losses(predictions: FloatArray, y: FloatArray) -> FloatArray:
    return np.asarray(2 * (predictions - y) ** 2)


def _compute_squared_losses(predictions: FloatArray, y: FloatArray) -> FloatArray:
    return np.asarray((predictions - y) ** 2)


_LINE: Final = LinearModelGenerator()
_HEAVY: Final = LinearModelGenerator(degrees_of_freedom=3, curvature=0.5)
CASES: Final = (
    _Case("two classes, discriminant", _fit_discriminant, _compute_zero_one_losses),
    _Case("two classes, nearest neighbour", _fit_neighbour, _compute_zero_one_losses),
    _Case("two classes, discriminant, Brier", _fit_discriminant, _compute_brier_losses),
    _Case("line, ridge", _fit_ridge, _compute_squared_losses, _LINE),
    _Case("line, nearest neighbour", _fit_neighbour, _compute_squared_losses, _LINE),
    _Case("curve with heavy tails, ridge", _fit_ridge, _compute_squared_losses, _HEAVY),
)


def measure_case(number: int, seed: int, repetitions: int) -> list[dict[str, Any]]:
    """Return a row for each size and scheme of a case, which is given by its index."""
    case, rows = CASES[number], []
    for n in SIZES:
        for place, (scheme, (k, repeats)) in enumerate(SCHEMES.items()):
            rng = np.random.default_rng([seed, number, n, place])
            folds = n if k == ALL else k
            runs = [_run(case, n, folds, repeats, rng) for _ in range(repetitions)]
            ends = np.array([run.ends for run in runs])
            true_sd = float(np.std([run.error for run in runs]))
            lower, upper = ends.transpose(2, 1, 0)
            rows.append(
                {
                    "case": case.name,
                    "n": n,
                    "scheme": scheme,
                    "spread": float(np.sqrt(np.mean([run.t**2 for run in runs]))),
                    "coverage": ((lower <= 0) & (upper >= 0)).mean(axis=1).tolist(),
                    "power": [
                        measure_power(*of_interval, true_sd)
                        for of_interval in zip(lower, upper, strict=True)
                    ],
                }
            )
    return rows


class _FittedRun(NamedTuple):
    """The mean loss of a sample less the risk of its models, and its intervals."""

    error: float
    t: float
    """The error in standard errors of ``bayle_within``."""
    ends: list[tuple[float, float]]
    """Lower and upper end of each interval, less the risk."""


def _run(case: _Case, n: int, k: int, repeats: int, rng: np.random.Generator) -> _FittedRun:
    """Return a sample, with the models of a scheme."""
    X, y = case.draw(n, rng)
    judged = case.draw(JUDGED_OF_ONE * n if k == n else N_JUDGED, rng)[0]
    fold_losses: list[FloatArray] = []
    risks: list[float] = []
    for _ in range(repeats):
        order: IntArray = rng.permutation(n)
        for fold, test in enumerate(np.array_split(order, k)):
            train = np.setdiff1d(order, test)
            predict = case.fit(X[train], y[train])
            fold_losses.append(case.loss(predict(X[test]), y[test]))
            rows = judged[fold * JUDGED_OF_ONE :][:JUDGED_OF_ONE] if k == n else judged
            risks.append(case.risk(predict(rows), rows))
    losses, truth = np.concatenate(fold_losses), float(np.mean(risks))
    standard_error = math.sqrt(_estimate_spread(fold_losses, losses) / n)
    skewness = np.array(stats.skew(losses) / math.sqrt(n))
    error = float(losses.mean()) - truth
    reaches = [(_compute_quantile(None), -_compute_quantile(None))]
    reaches += [
        (float(invert(quantile, skewness)), float(invert(-quantile, skewness)))
        for quantile in map(_compute_quantile, DEGREES.values())
    ]
    ends = [
        (error - above * standard_error, error - below * standard_error) for above, below in reaches
    ]
    means, share = np.array([part.mean() for part in fold_losses]), 1 / (k - 1)
    of_means = math.sqrt((1 / len(means) + share) * means.var(ddof=1))
    degrees = min(len(means) - 1, 7) if repeats > 1 else k - 1
    reach, of_folds = _compute_quantile(degrees) * of_means, float(means.mean()) - truth
    ends.append((of_folds - reach, of_folds + reach))
    return _FittedRun(error, error / standard_error, ends)


def _estimate_spread(fold_losses: list[FloatArray], losses: FloatArray) -> float:
    """Return the variance within folds, or over all losses where each fold is one row."""
    if len(fold_losses[0]) == 1:
        return float(losses.var())
    return float(np.mean([part.var(ddof=1) for part in fold_losses]))


def _compute_quantile(degrees: int | None) -> float:
    tail = (1 + LEVEL) / 2
    return float(stats.norm.ppf(tail) if degrees is None else stats.t.ppf(tail, degrees))


def write_page(rows: Sequence[Mapping[str, Any]], seed: int, repetitions: int) -> str:
    """Return the page, in Markdown."""
    names = ["bayle_within", *(f"skewed, {name}" for name in DEGREES), "nadeau_bengio"]
    names += [f"{name}, power" for name in names]
    single_cases = (
        (
            row["case"],
            str(row["n"]),
            row["scheme"],
            f"{row['spread']:.2f}",
            *(f"{share:.3f}" for share in (*row["coverage"], *row["power"])),
        )
        for row in rows
    )
    return markdown_pages.write_page(
        "Intervals for the error of the fitted models",
        _ABOUT.format(seed=seed, repetitions=repetitions),
        write_table(("scheme", "cells", *names), _average_schemes(rows)),
        "In brackets is the least of the cells.",
        write_table(("case", "rows", "scheme", "spread", *names), single_cases),
    )


def _average_schemes(rows: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, ...]]:
    """Yield the average and the least coverage of each scheme, without and with heavy tails."""
    for scheme in SCHEMES:
        for words, is_heavy in (("", False), (", heavy tails", True)):
            cells = np.array(
                [
                    row["coverage"] + row["power"]
                    for row in rows
                    if row["scheme"] == scheme and ("heavy" in row["case"]) == is_heavy
                ]
            )
            means = zip(cells.mean(axis=0), cells.min(axis=0), strict=True)
            numbers = (f"{mean:.3f} ({least:.3f})" for mean, least in means)
            yield (f"{scheme}{words}", str(len(cells)), *numbers)
