"""Results of the kinds that have more than models, as text."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.service.kinds.run_requests import run_kind
from thetahat_client import result_text
from thetahat_client.text import Page
from thetahat_client.text.metrics import build_metrics_table
from thetahat_client.text.selection import build_candidates_table, build_grid_table
from thetahat_client.text.study import build_study_table, write_study

PAGE = Page()

RNG = np.random.default_rng(20_261_121)
X = RNG.normal(size=(60, 2))
DATA: Any = {
    "data": {
        "X": X.tolist(),
        "y": np.where(X[:, 0] + RNG.normal(size=60) > 0, "a", "b").tolist(),
    },
    "task": "classification",
}
FOLDS = {"name": "stratified_k_fold", "params": {"n_folds": 4}}


def find_row(text: str, name: str) -> list[str]:
    """Return the cells of the first row that begins with a name."""
    line = next(line for line in text.splitlines() if line.startswith(name))
    return [cell.strip() for cell in line.split("  ") if cell.strip()]


@pytest.fixture(scope="module")
def selected() -> Any:
    candidates = {
        "majority": "majority",
        "near": {"name": "nearest_neighbours", "grid": {"k": list(range(1, 21))}},
    }
    body = {**DATA, "kind": "selection", "candidates": candidates, "internal": FOLDS}
    metrics = ["roc_auc", {"name": "f1", "params": {"positive": "a"}}]
    return run_kind({**body, "external": FOLDS, "metrics": metrics}).result


@pytest.fixture(scope="module")
def curve() -> Any:
    learners = {"nb": "gaussian_naive_bayes", "majority": "majority"}
    body = {**DATA, "kind": "learning_curve", "learners": learners, "scheme": FOLDS}
    return run_kind({**body, "sizes": [6, 20, 1], "metrics": ["roc_auc"], "margin": 0.5}).result


def test_exact_a_metric_has_its_interval(selected: Any) -> None:
    text = build_metrics_table(selected, PAGE)
    metric = selected["models"]["selected"]["metrics"]["roc_auc"]
    target = selected["summary"]["target"]
    best = metric["recommended"][target]
    value = metric["estimate"][metric["mean"]]

    assert find_row(text, "selected")[1] == (
        f"{value:#.4g} ({best['lower']:#.4g} to {best['upper']:#.4g})"
    )
    assert "roc_auc: the mean of the splits; higher is better" in text
    assert "f1: over all rows together; higher is better" in text
    no_metrics: Any = {"models": {"m": {}}}
    assert build_metrics_table(no_metrics, PAGE) == ""
    result: Any = {"models": {"selected": selected["models"]["selected"], "other": {}}}
    assert find_row(build_metrics_table(result, PAGE), "other")[1:] == ["none", "none"]
    bare = {"estimate": {"macro": 0.5}, "mean": "macro", "intervals": []}
    measured: Any = {"models": {"m": {"metrics": {"x": bare}}}}
    assert "0.5000\n" in build_metrics_table(measured, PAGE)


def test_exact_a_selection_names_the_choice(selected: Any) -> None:
    text = result_text(selected, 2000)
    chosen, bias = selected["chosen"], selected["bias"]

    assert f"- {chosen['name']}, chosen on all rows by its internal error, " in text
    assert f"external minus internal error: {bias['estimate']:#.4g} (" in text
    assert f"{bias['of_choice']:#.4g} of that is due to choosing" in text
    lines = build_candidates_table(selected, PAGE).splitlines()
    assert lines[0].split() == ["candidate", "internal", "error", "standard", "error", "wins"]
    means = [float(line.split()[1]) for line in lines[2:-1]]
    assert means == sorted(means)
    assert lines[-1] == "and 6 more candidates"
    wins = selected["external"]["wins"]
    first = lines[2].split()
    assert int(first[-1]) == wins[first[0]]
    grid = build_grid_table("near", selected["grids"]["near"], PAGE)
    # fifteen of twenty values, both ends among them
    values = [line.split()[0] for line in grid.splitlines()[2:]]
    assert (len(values), values[0], values[-1]) == (15, "1", "20")


def test_degenerate_a_selection_without_external_splits(selected: Any) -> None:
    alone: Any = {**selected, "external": None, "bias": {"estimate": None, "of_minima": 0.1}}
    alone["chosen"] = {**selected["chosen"], "higher_is_better": True, "by": "roc_auc"}
    alone["internal"] = {
        "x": {"mean": 0.5, "standard_error": None},
        "y": {"mean": None, "standard_error": None},
        "z": {"mean": 0.7, "standard_error": 0.1},
    }
    text = result_text(alone, 2000)

    assert "external minus" not in text
    names = [line.split()[0] for line in build_candidates_table(alone, PAGE).splitlines()[2:]]
    assert names == ["z", "x", "y"]
    failed = {"values": [0.5, "x"], "mean": [None, 1.0], "standard_error": [None, 0.5]}
    grid_profile: Any = {"parameters": {"p": {**failed, "external": None}}}
    grid = build_grid_table("g", grid_profile, PAGE).splitlines()
    assert [line.split() for line in grid[2:]] == [
        ["0.5000", "none", "none"],
        ["x", "1.000", "0.5000"],
    ]
    bare = {**selected, "bias": {"estimate": 0.25, "interval": None, "of_choice": None}}
    bare["chosen"] = {**selected["chosen"], "internal": alone["internal"]["x"]}
    assert "external minus internal error: 0.2500\n" in result_text(bare, 2000)


def test_exact_a_curve_is_a_table_with_conclusions(curve: Any) -> None:
    text = result_text(curve, 2000)
    points = curve["curves"]["nb"]["points"]

    header = next(line for line in text.splitlines() if line.startswith("nb: size"))
    assert header.split("  ")[0] == "nb: size"
    assert "data like these" in header
    assert header.endswith("roc_auc (95 %, data like these)")
    at = text.splitlines().index(header)
    for point, line in zip(points, text.splitlines()[at + 2 :], strict=False):
        assert line.split()[0] == point["size"]
        assert f"{point['mean']['macro']:#.4g}" in line
    saturation = curve["curves"]["nb"]["saturation"]
    assert saturation["decision"].replace("_", " ").upper() in text
    assert saturation["reason"] in text


def test_exact_the_power_law_or_the_caution_that_there_is_none(curve: Any) -> None:
    law = {
        "formula": "a + b n^-c",
        "at_all_rows": {"n": 60, "estimate": 0.25, "lower": 0.2, "upper": 0.3},
        "at_twice_as_many": {"n": 120, "estimate": 0.22, "lower": 0.15, "upper": 0.29},
    }
    with_law = {**curve["curves"]["nb"], "power_law": law, "cautions": []}
    text = result_text({**curve, "curves": {"nb": with_law}}, 2000)
    assert (
        "an error of 0.2500 (0.2000 to 0.3000) from all 60 rows, and of 0.2200 (0.1500 to 0.2900)"
        in text
    )

    caution = {"code": "no_power_law", "message": "no power law is given: too flat"}
    without = {**with_law, "power_law": None, "cautions": [caution, {"code": "other"}]}
    assert "- nb: no power law is given: too flat" in result_text(
        {**curve, "curves": {"nb": without}}, 2000, show_all=True
    )


@pytest.mark.outside("the cross-validation lecture: bias -0.4 and variance 0.04")
def test_golden_the_bootstrap_of_the_lecture() -> None:
    resamples = [[7, 3, 2, 3, 1], [5, 1, 1, 3, 7], [2, 2, 7, 1, 3]]
    body = {"kind": "bootstrap", "sample": [3, 5, 2, 1, 7], "statistic": "mean"}
    text = result_text(run_kind({**body, "resamples": resamples}).result)

    # the lecture's example: mean 3.6, replicates 3.2, 3.4 and 3.0
    assert find_row(text, "bias")[-1] == "-0.4000"
    assert find_row(text, "variance")[-1] == "0.04000"
    assert find_row(text, "estimate minus bias")[-1] == "4.000"
    assert find_row(text, "percentile")[1] == "95 %"
    assert "3 resamples of 5 rows" in text
    two = {"kind": "bootstrap", "sample": {"x": [1, 2, 3], "y": [2, 3, 4, 5]}, "n_resamples": 100}
    result = run_kind({**two, "statistic": "difference"}).result
    assert "100 resamples of 3 and 4 rows" in result_text(result)
    assert "interval  level" not in result_text({**result, "intervals": []})


def test_exact_weights_have_their_diagnostics() -> None:
    body = {"kind": "weights", "source": {"X": X.tolist()}, "target": {"X": (X + 0.3).tolist()}}
    result = run_kind({**body, "weights": "gaussian_ratio"}).result
    text = result_text(result)

    size = result["weights"]["effective_sample_size"]
    assert find_row(text, "effective sample size")[-1] == f"{size:#.4g}"
    assert "60 source rows, 60 target rows" in text


def test_exact_a_study_has_claims_and_tables_with_errors() -> None:
    rows = [
        {"n": 20, "bias": {"value": 0.5, "standard_error": 0.01}, "word": "x"},
        {"n": 0.25, "bias": {"value": None, "standard_error": None}},
    ]
    table: Any = {"title": "T", "columns": {"n": "N", "bias": "Bias", "word": "W"}, "rows": rows}
    claim = {
        "text": "A covers",
        "reference": "geras2013",
        "place": "Table 1",
        "verdict": "holds",
        "measured": "coverage",
        "figure": 0.95,
        "standard_error": 0.01,
    }
    result: Any = {
        "study": {"repetitions": 20},
        "claims": [{**claim, "at_least": 0.9, "at_most": 1.0}, {**claim, "standard_error": None}],
        "tables": [{**table, "note": "read it so"}],
        "cautions": [{"code": "few", "message": "few repetitions"}],
    }
    text = result_text(result, 2000)

    assert "HOLDS  A covers (geras2013, Table 1). Measured: coverage, 0.9500 +- 0.01000; " in text
    assert "claimed: at least 0.9000 and at most 1.000." in text
    assert "Measured: coverage, 0.9500." in text
    assert "20      0.5000 +- 0.01000  x" in text
    assert "0.2500          undefined" in text
    assert "read it so" in text
    assert "20 repetitions" in text
    assert "- few repetitions" in text
    empty: Any = {**table, "rows": []}
    no_tables: Any = {"tables": []}
    assert build_study_table(empty, PAGE).splitlines()[0] == "T"
    assert write_study(no_tables, PAGE) == ""
