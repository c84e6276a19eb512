"""Find an interval that covers the error of the models that cross-validation fits.

``python -m replications.presets.interval_coverage.fitted_models --output FOLDER`` cross-validates
four learners on generated rows, with risks of the fitted models that are exact up to their mean
over 1500 rows of features, and writes ``fitted_models.md``: the coverage of intervals on the
variance of ``bayle_within`` with several quantiles, and of ``nadeau_bengio``.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from scipy import stats
from scipy.special import expit

from thetahat.generators.linear_model import LinearModelGenerator
from thetahat.values.types import BoolArray, FloatArray, IntArray

LEVEL: Final = 0.95
N_FEATURES: Final = 10
N_JUDGED: Final = 1500
SHIFT: Final = 0.7
SCHEMES: Final[Mapping[str, tuple[int, int]]] = {
    "5-fold": (5, 1),
    "10-fold": (10, 1),
    "five times ten": (10, 5),
    "five times two": (2, 5),
}
"""Folds and repeats."""
DEGREES: Final[Mapping[str, int | None]] = {"normal": None, "12": 12, "9": 9, "7": 7}
"""Degrees of freedom of the quantiles, by their names in the table."""

_ABOUT: Final = (
    "`python -m replications.presets.interval_coverage.fitted_models --seed {seed} --repetitions "
    f"{{repetitions}}`: how often intervals of level {LEVEL} cover the average risk of the models "
    "that were fitted. *bayle_within* has normal quantiles, as recommended before; *skewed* is "
    "`skewness_corrected` on the same variance, with normal quantiles or those of t with that many "
    "degrees of freedom (nine is recommended now); *nadeau_bengio* is the interval that is for the "
    "learner. *Spread* is the standard deviation of the error in standard errors: above 1 the risk "
    "varies too."
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
            X[:, :5] += (y[:, None] - 0.5) * SHIFT
            return X, y
        return X, self.line.compute_signal(X) + self.line.errors(n, rng)

    def risk(self, predictions: FloatArray, X: FloatArray) -> float:
        """Return the expected loss at these rows of features, over their class or error."""
        if self.line is not None:
            return float(((predictions - self.line.compute_signal(X)) ** 2).mean()) + 1.0
        share = expit(SHIFT * X[:, :5].sum(axis=1))
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


def measure(seed: int, repetitions: int, sizes: tuple[int, ...]) -> Iterator[dict[str, object]]:
    """Yield a row for each case, size and scheme."""
    for number, case in enumerate(CASES):
        for n in sizes:
            for place, (scheme, (k, repeats)) in enumerate(SCHEMES.items()):
                rng = np.random.default_rng([seed, number, n, place])
                runs = [_run(case, n, k, repeats, rng) for _ in range(repetitions)]
                errors = np.array([run[0] for run in runs])
                covered: BoolArray = np.array([run[1] for run in runs])
                yield {
                    "case": case.name,
                    "n": n,
                    "scheme": scheme,
                    "spread": float(np.sqrt((errors**2).mean())),
                    "coverage": covered.mean(axis=0),
                }


def _run(
    case: _Case, n: int, k: int, repeats: int, rng: np.random.Generator
) -> tuple[float, list[bool]]:
    """Return the error in standard errors of ``bayle_within``, and which intervals covered."""
    X, y = case.draw(n, rng)
    judged = case.draw(N_JUDGED, rng)[0]
    fold_losses: list[FloatArray] = []
    risks: list[float] = []
    for _ in range(repeats):
        order: IntArray = rng.permutation(n)
        for test in np.array_split(order, k):
            train = np.setdiff1d(order, test)
            predict = case.fit(X[train], y[train])
            fold_losses.append(case.loss(predict(X[test]), y[test]))
            risks.append(case.risk(predict(judged), judged))
    losses, truth = np.concatenate(fold_losses), float(np.mean(risks))
    error = math.sqrt(float(np.mean([part.var(ddof=1) for part in fold_losses])) / n)
    skewness = float(stats.skew(losses)) / math.sqrt(n)
    t = (float(losses.mean()) - truth) / error
    transformed = t + skewness * t**2 / 3 + skewness**2 * t**3 / 27 + skewness / 6
    covered = [abs(t) <= _compute_quantile(None)]
    covered += [abs(transformed) <= _compute_quantile(degrees) for degrees in DEGREES.values()]
    means, share = np.array([part.mean() for part in fold_losses]), 1 / (k - 1)
    of_means = math.sqrt((1 / len(means) + share) * means.var(ddof=1))
    degrees = min(len(means) - 1, 7) if repeats > 1 else k - 1
    covered.append(abs(float(means.mean()) - truth) <= _compute_quantile(degrees) * of_means)
    return t, covered


def _compute_quantile(degrees: int | None) -> float:
    tail = (1 + LEVEL) / 2
    return float(stats.norm.ppf(tail) if degrees is None else stats.t.ppf(tail, degrees))


def write_page(rows: list[dict[str, Any]], seed: int, repetitions: int) -> str:
    """Return the page, in Markdown."""
    names = ["bayle_within", *(f"skewed, {name}" for name in DEGREES), "nadeau_bengio"]
    head = "| " + " | ".join(names) + " |"
    lines = [
        "# Intervals for the error of the fitted models",
        "",
        _ABOUT.format(seed=seed, repetitions=repetitions),
        "",
        "| scheme | cells " + head,
        "|---|---|" + "---|" * len(names),
    ]
    for scheme in SCHEMES:
        for words, is_heavy in (("", False), (", heavy tails", True)):
            cells = np.array(
                [
                    row["coverage"]
                    for row in rows
                    if row["scheme"] == scheme and ("heavy" in row["case"]) == is_heavy
                ]
            )
            numbers = " | ".join(
                f"{mean:.3f} ({least:.3f})"
                for mean, least in zip(cells.mean(axis=0), cells.min(axis=0), strict=True)
            )
            lines.append(f"| {scheme}{words} | {len(cells)} | {numbers} |")
    lines += [
        "",
        "In brackets is the least of the cells.",
        "",
        "| case | rows | scheme | spread " + head,
        "|---|---|---|---|" + "---|" * len(names),
    ]
    for row in rows:
        numbers = " | ".join(f"{share:.3f}" for share in row["coverage"])
        place = f"{row['case']} | {row['n']} | {row['scheme']} | {row['spread']:.2f}"
        lines.append(f"| {place} | {numbers} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Run the study and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=500)
    parser.add_argument("--seed", type=int, default=8)
    parser.add_argument("--sizes", type=int, nargs="+", default=[50, 200])
    parser.add_argument("--output", type=Path, required=True)
    options = parser.parse_args()
    rows = list(measure(options.seed, options.repetitions, tuple(options.sizes)))
    page = write_page(rows, options.seed, options.repetitions)
    (options.output / "fitted_models.md").write_text(page)


if __name__ == "__main__":
    main()
