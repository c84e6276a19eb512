"""Sizes that choose between two ways of computing stand in one module of each package."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Final

import pytest

from tests.architecture.sources import ROOT, parse_those_with, python_files

PACKAGES: Final = (
    "thetahat/analyses",
    "thetahat/cross_validation",
    "thetahat/learners",
    "thetahat/numerics",
    "thetahat/paired_tests",
)
ELSEWHERE: Final[Mapping[str, tuple[str, ...]]] = {
    "a tolerance or a condition number: beyond it a result would lose digits": (
        "analyses/groups/moments.NO_SPREAD",
        "analyses/losses/cost_gate.ROUNDING",
        "analyses/ladder.ROUNDING",
        "analyses/importance_weighting/risk_curves.EQUAL",
        "analyses/importance_weighting/weights._MAX_WEIGHT",
        "analyses/losses/clipping.ROUNDING",
        "analyses/losses/pair_moments.MIN_SPREAD_SHARE",
        "analyses/losses/pair_moments._MAX_LOSS_OF_DIGITS",
        "analyses/losses/power._PRECISION",
        "analyses/metrics/predictions.ROUNDING",
        "analyses/predictions/class_doubts.ROUNDING",
        "analyses/predictions/model_predictions.PROBABILITY_SLACK",
        "analyses/probabilities/calibrated_samples.TIE",
        "learners/bernoulli_naive_bayes._ROUNDING",
        "learners/fast/discriminants/decorrelated_rows._MAX_VALUE",
        "learners/fast/logistic/over_splits.MAX_AMPLIFICATION",
        "learners/fast/ordinary_fits.MAX_AMPLIFICATION",
        "learners/fast/ordinary_fits.MAX_ERROR",
        "learners/fast/ordinary_fits.MIN_SHARE_LEFT",
        "learners/fast/ordinary_fits.ROUNDING",
        "numerics/bootstrap/shared_resamples._SMALL",
        "paired_tests/_sign_flips.TIE",
        "paired_tests/_sign_flips._MAX_CANCELLATION",
        "paired_tests/bayesian_signed_rank._TIE",
    ),
    "a rule by which an iteration goes on or ends": (
        "learners/fast/logistic/gradient_steps.MAX_LOGIT_ERROR",
        "learners/fast/logistic/gradient_steps._MAX_OVERSHOOT",
        "learners/fast/logistic/newton.STEP_TOLERANCE",
        "learners/fast/logistic/training_parts.MAX_LAST_STEP",
        "learners/logistic_regression._GRADIENT_TOLERANCE",
        "numerics/paired_rates._PRECISION",
        "numerics/quadratic_programme._MAX_FREED_SINGLY",
        "numerics/quadratic_programme._MIN_SEPARATION",
        "numerics/quadratic_programme._SUM",
        "numerics/recalibration._PRECISION",
        "numerics/recalibration._SMALLEST_STEP",
    ),
    "a limit of memory: what does not fit is done in several steps": (
        "analyses/losses/pair_moments._MAX_PRODUCTS",
        "cross_validation/parameter_paths._MAX_VALUES",
        "cross_validation/split_batches._MAX_ROW_NUMBERS",
        "learners/fast/discriminants/decorrelated._MAX_ENTRIES",
        "learners/fast/neighbours/over_splits._MAX_ENTRIES",
        "paired_tests/_sign_flips._MAX_MODEL_SUMS",
    ),
    "the largest number that a type holds": ("numerics/bootstrap/resamples.MAX_KINDS",),
    "a limit of requests and defaults, or of what a result lists": (
        "analyses/bootstrap/resampling.MAX_DRAWS",
        "analyses/bootstrap/resampling.MAX_RESAMPLES",
        "analyses/bootstrap/resampling.MAX_STUDENTISED",
        "analyses/bootstrap/resampling.MIN_RESAMPLES",
        "analyses/bootstrap/result.MAX_LISTED",
        "analyses/groups/columns.LONGEST_NAME",
        "analyses/groups/columns.MOST_COLUMNS",
        "analyses/groups/gaps.MOST_COMPARED",
        "analyses/learning_curve/sizes.MAX_SIZES",
        "analyses/losses/covariance.MAX_BLOCKS",
        "analyses/losses/covariance.MAX_ENTRIES",
        "analyses/losses/choices.MOST_MODELS_OF_ALL_PAIRS",
        "analyses/agreement/kappa_differences.MOST_RESAMPLES",
        "analyses/agreement/ratings.MOST_CATEGORIES",
        "analyses/agreement/ratings.MOST_RATERS",
        "analyses/losses/neighbours.MOST_PAIRS",
        "analyses/losses/plans.MOST_COUNTED",
        "analyses/losses/summary.MAX_COMPARISONS",
        "analyses/losses/summary.MAX_MODELS",
        "analyses/metrics/score_curves.MAX_POINTS",
        "analyses/probabilities/curves.MOST_POINTS",
        "analyses/probabilities/curves.POINTS_BETWEEN",
        "analyses/probabilities/options.MOST_RESAMPLES",
        "analyses/probabilities/options.MOST_THRESHOLDS",
        "analyses/selection/grid_values.MAX_VALUES",
        "analyses/selection/grid_values._MAX_GRID_VALUE",
        "analyses/selection/grids.MAX_CANDIDATES",
        "numerics/bootstrap/shared_resamples.MAX_DEFAULT_PRODUCTS",
        "numerics/bootstrap/shared_resamples.MAX_DEFAULT_UNITS",
        "paired_tests/bayesian_signed_rank._MAX_DEFAULT_UNITS",
        "paired_tests/wilcoxon._MAX_EXACT_UNITS",
    ),
    "a rule of the method, not of its computing time": (
        "analyses/agreement/kappa_differences.LEAST_RESAMPLES",
        "analyses/calibration/studies.FEWEST_SOURCES",
        "analyses/groups/rows.FEW_UNITS",
        "analyses/learning_curve/power_law.MIN_SIZES",
        "analyses/learning_curve/power_law._FASTEST",
        "analyses/learning_curve/power_law._MAX_RELATIVE_ERROR",
        "analyses/learning_curve/power_law._SLOWEST",
        "analyses/losses/neighbours.FALSE_ALARMS",
        "analyses/losses/neighbours.FEWEST_ROWS_OF_BLOCK",
        "analyses/losses/power._FAR",
        "analyses/losses/power._MAX_STANDARD_ERRORS",
        "analyses/losses/ranking.MIN_MODELS",
        "analyses/metrics/at_limit._ROUNDING",
        "analyses/metrics/intervals.MAX_UNDEFINED_SHARE",
        "analyses/metrics/score_curves.TWO_CLASSES",
        "analyses/probabilities/events.TWO_CLASSES",
        "analyses/probabilities/slopes.FEW_OF_RARER",
        "analyses/probabilities/slopes.FEW_ROWS",
        "analyses/runs/success_rates.LEAST_RARER",
        "analyses/selection/parameter_profiles.MIN_VALUES_FOR_EDGE",
        "analyses/series/plans.MOST_UNITS",
        "analyses/series/steps.FUTILE_BELOW",
        "analyses/studies/claims.MOST_TIMES",
        "analyses/studies/general_tables.FEW_REPETITIONS_BELOW",
        "numerics/joint_distribution._NO_SPREAD",
        "paired_tests/wilcoxon._AUTO_EXACT",
    ),
    "a size within the search for nearest rows, which is measured as a whole": (
        "learners/fast/neighbours/search._MAX_EQUALLY_FAR",
        "learners/fast/neighbours/search._MAX_UNPREPARED_QUERIES",
        "numerics/loops/nearest_rows._NUMBERS_IN_BLOCK",
    ),
}
"""Constants that are compared and yet choose no faster way of computing, by the reason why."""


def list_constants(tree: ast.Module) -> set[str]:
    """Return the names in upper case that a module binds to a number."""
    names: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.AnnAssign) and node.value is not None:
            pairs: list[tuple[ast.expr, ast.expr]] = [(node.target, node.value)]
        elif isinstance(node, ast.Assign):
            pairs = [(target, node.value) for target in node.targets]
        else:
            continue
        for target, value in pairs:
            many = isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple)
            each = zip(target.elts, value.elts, strict=True) if many else [(target, value)]  # type: ignore[attr-defined]
            names |= {
                name.id
                for name, number in each
                if isinstance(name, ast.Name) and name.id.isupper() and is_number(number)
            }
    return names


def is_number(node: ast.expr) -> bool:
    """Return whether an expression consists of numbers alone."""
    if isinstance(node, ast.BinOp):
        return is_number(node.left) and is_number(node.right)
    if isinstance(node, ast.UnaryOp):
        return is_number(node.operand)
    return isinstance(node, ast.Constant) and type(node.value) in (int, float)


def list_compared_names(tree: ast.Module) -> set[str]:
    """Return every name that occurs in a comparison."""
    compared = (node for node in ast.walk(tree) if isinstance(node, ast.Compare))
    parts = [part for node in compared for part in ast.walk(node)]
    names = {part.id for part in parts if isinstance(part, ast.Name)}
    return names | {part.attr for part in parts if isinstance(part, ast.Attribute)}


def list_thresholds(trees: Mapping[Path, ast.Module]) -> Iterator[str]:
    """Yield the constants that are compared, as ``package/module.NAME``, outside ``thresholds``."""
    compared = {path: list_compared_names(tree) for path, tree in trees.items()}
    anywhere = set().union(*compared.values())
    for path, tree in trees.items():
        if path.stem.strip("_") == "thresholds":
            continue
        module = path.relative_to("thetahat").with_suffix("").as_posix()
        for name in sorted(list_constants(tree)):
            if name in (compared[path] if name.startswith("_") else anywhere):
                yield f"{module}.{name}"


@cache
@cache
def list_imported_thresholds() -> set[str]:
    """Return every name that a module of the library imports from a module ``thresholds``."""
    return {
        name.name
        for _, tree in parse_those_with("thresholds", python_files("thetahat"))
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module and node.module.endswith("thresholds")
        for name in node.names
    }


def read_package(package: str) -> dict[Path, ast.Module]:
    return {
        path: ast.parse((ROOT / path).read_text(encoding="utf-8")) for path in python_files(package)
    }


def test_exact_thresholds_stand_in_one_module_of_their_package() -> None:
    found = [name for package in PACKAGES for name in list_thresholds(read_package(package))]

    assert sorted(found) == sorted(itertools.chain(*ELSEWHERE.values())), (
        "Move a new threshold to the module thresholds of its package, with its measurement, or "
        "list it here with a reason."
    )


@pytest.mark.parametrize("package", PACKAGES)
def test_exact_every_threshold_is_used_and_has_a_measurement(package: str) -> None:
    trees = read_package(package)
    (path,) = (path for path in trees if path.stem.strip("_") == "thresholds")
    body = trees[path].body
    names = list_constants(trees[path])
    after = {
        node.target.id: following
        for node, following in itertools.pairwise(body)
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    }

    assert names <= list_imported_thresholds()
    for following in after.values():
        text = ast.unparse(following)
        # Two constants may share the measurement that follows them.
        assert isinstance(following, ast.AnnAssign) or sum(c.isdigit() for c in text) > 3, text


def test_property_a_threshold_elsewhere_is_found() -> None:
    source = "MANY = 10\n_FEW: Final = 2**3\nOTHER = 4\nif n > MANY * 2 or m < _FEW: pass"

    found = list_thresholds({Path("thetahat/a/b.py"): ast.parse(source)})

    assert list(found) == ["a/b.MANY", "a/b._FEW"]
