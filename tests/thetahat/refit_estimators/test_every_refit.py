from __future__ import annotations

import json
from collections.abc import Callable
from types import ModuleType
from typing import Any, cast

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.thetahat.refit_estimators.again import fitted, regression_of
from thetahat.analyses.losses import Choices
from thetahat.cross_validation import Group, build_rows
from thetahat.errors import EvaluationError, InvalidParameter
from thetahat.learners import LEARNERS
from thetahat.learners.nearest_neighbours import NearestNeighbours
from thetahat.losses import LOSSES
from thetahat.references import REFERENCES
from thetahat.refit_estimators import (
    REFIT_ESTIMATORS,
    RequestedRefit,
    bccv_percentile,
    collect_designs,
    compute_estimates,
    reasons_against_pairs,
    two_stage_bootstrap,
)
from thetahat.refit_estimators._checks import reason_against_dependent_rows
from thetahat.refit_estimators._extra_fits import (
    RefitTask,
    join_losses,
    run_design,
    run_design_together,
)
from thetahat.refit_estimators.base import BuildsInterval, EstimatesVariance, RefitLosses
from thetahat.schemes.base import Rows
from thetahat.tables.data import build_data
from thetahat.values.types import Alternative, BlockKind, Needs

EVERY = pytest.mark.parametrize("name", REFIT_ESTIMATORS)
RNG = np.random.default_rng(20_261_121)
X, Y = RNG.normal(size=(2, 24))
DATA = regression_of(X + Y, x=X)
LESS: dict[str, dict[str, int]] = {
    "bates_nested_cv": {"n_folds": 3, "n_repeats": 2},
    "conservative_z": {"n_halvings": 2, "n_subsamples": 2},
    "austern_zhou": {"n_folds": 2},
    "two_stage_bootstrap": {"n_outer": 12, "n_inner": 2},
}


def small(name: str) -> Any:
    """The method with few fits."""
    build: Callable[..., Any] = REFIT_ESTIMATORS[name]
    return build(**LESS.get(name, {"n_resamples": 20}))


def compute_results(method: Any, fits: RefitLosses) -> list[Any]:
    """All that a method says of some fits."""
    results: list[Any] = []
    if "variances" in method.gives:
        results.append(cast("EstimatesVariance", method).estimate(fits))
    if "intervals" in method.gives:
        build = cast("BuildsInterval", method).interval
        results += [build(fits, 0.9, alternative) for alternative in Alternative]
    return results


@EVERY
def test_property_it_says_what_it_is(name: str) -> None:
    info = REFIT_ESTIMATORS[name].info

    assert info.needs is Needs.REFITS
    assert BlockKind.SOURCE not in info.blocks
    assert info.targets
    assert set(info.references) <= set(REFERENCES)
    assert REFIT_ESTIMATORS[name].info.by_request_only
    assert REFIT_ESTIMATORS[name].gives


@EVERY
def test_property_splits_are_the_same_however_they_are_cut(name: str) -> None:
    design, rows = small(name).design, Rows(n=24)
    n = design.n_splits(rows)
    whole = list(design.splits(rows, 3))
    pieces = [s for a in range(0, n, 7) for s in design.splits(rows, 3, start=a, stop=a + 7)]
    other = list(design.splits(rows, 4))

    # places of case deletions stay empty where a resample does not hold the row
    assert len(whole) == n or name == "bccv_percentile"
    assert sum(len(s.test) for s in whole) <= design.n_tests(rows)
    for a, b in zip(whole, pieces, strict=True):
        assert (a.repeat, a.block, a.label) == (b.repeat, b.block, b.label)
        assert np.array_equal(a.train, b.train)
        assert np.array_equal(a.test, b.test)
        assert np.all(np.diff(a.train) >= 0)
    assert any(not np.array_equal(a.train, b.train) for a, b in zip(whole, other, strict=True))


@EVERY
def test_property_nothing_is_tested_on_what_was_learnt_but_for_apparent_errors(name: str) -> None:
    design, rows = small(name).design, Rows(n=24)
    for split in design.splits(rows, 3):
        overlap = np.isin(split.test, split.train).any()
        # resamples are tested on all rows, and what was in the bag is told apart afterwards
        on_all = len(split.test) == 24 and np.array_equal(np.unique(split.test), np.arange(24))
        assert on_all or split.label == "apparent" or not overlap


@EVERY
def test_property_the_parts_put_together_are_the_whole(name: str) -> None:
    design = small(name).design
    learning = RefitTask("m", LEARNERS["ridge"](), DATA, LOSSES["squared"]())
    n = design.n_splits(build_rows(DATA))
    parts = [run_design(learning, design, 5, a, min(n, a + 5))[0] for a in range(0, n, 5)]
    whole, pieces = fitted(design, DATA, LEARNERS["ridge"](), seed=5), join_losses(DATA, 5, parts)

    assert whole.no_information == pieces.no_information
    for a, b in zip(whole.losses, pieces.losses, strict=True):
        assert np.array_equal(a, b)
    assert compute_results(small(name), whole) == compute_results(small(name), pieces)


@EVERY
def test_property_numbers_are_finite_and_the_input_untouched(name: str) -> None:
    method = small(name)
    fits = fitted(method.design, DATA, LEARNERS["ridge"](), seed=5)
    for part in fits.losses:
        part.setflags(write=False)
    for result in compute_results(method, fits):
        assert result.target in method.info.targets
        assert np.isfinite(result.estimate)
        if hasattr(result, "value"):
            assert result.value > 0
            assert result.usable
            json.dumps(dict(result.details), allow_nan=False)
        else:
            ends = [end for end in (result.lower, result.upper) if end is not None]
            assert np.isfinite(ends).all()
            two_sided = result.alternative is Alternative.TWO_SIDED
            assert len(ends) == 1 + two_sided
            if two_sided:
                assert ends[0] < ends[1]


@EVERY
def test_property_it_says_nothing_of_pairs_or_says_why_not(name: str) -> None:
    method = small(name)
    field = min(method.gives)
    requested = [RequestedRefit(field, 0, "x", method)]
    fits = {
        model: {method.design: fitted(method.design, DATA, LEARNERS[model](), seed=5)}
        for model in ("ridge", "mean")
    }
    estimates = compute_estimates(requested, fits, Choices())

    assert [estimate.key for estimate in estimates["ridge"]] == ["x"]
    assert collect_designs(requested) == (method.design,)
    listed = list(reasons_against_pairs(requested))
    assert len(estimates["ridge", "mean"]) + len(listed) == 1
    assert all(entry["name"] == name and entry["reason"] for entry in listed)


def test_exact_a_classification_gets_its_no_information_error() -> None:
    labels = ["a", "b", "b"] * 8
    data = build_data({"x": X}, labels, "classification")
    design = small("bootstrap_632_plus").design
    fits = fitted(design, data, LEARNERS["majority"](), loss="zero_one", seed=1)

    assert fits.no_information is not None
    assert fits.no_information[0] == 1 / 3  # it always says b
    assert set(fits.no_information[1:]) == {None}


def test_exact_with_a_control_every_other_is_compared_with_it() -> None:
    method = small("out_of_bag")
    fits = {
        model: {method.design: fitted(method.design, DATA, LEARNERS["mean"](), seed=5)}
        for model in ("a", "b", "c")
    }
    estimates = compute_estimates(
        [RequestedRefit("variances", 0, "x", method)], fits, Choices(control="b")
    )

    assert [subject for subject in estimates if not isinstance(subject, str)] == [
        ("a", "b"),
        ("c", "b"),
    ]


def test_degenerate_a_learner_that_fails_says_that_it_was_an_extra_fit() -> None:
    data = build_data({"x": X}, ["a", "b"] * 12, "classification")
    learner = LEARNERS["multinomial_naive_bayes"]()  # which takes no negative features
    design = small("out_of_bag").design

    with pytest.raises(EvaluationError) as caught:
        run_design(RefitTask("nb", learner, data, LOSSES["zero_one"]()), design, 1, 0, 3)
    assert caught.value.message.startswith("In an extra fit: Learner 'nb', ")


@EVERY
def test_naive_learners_together_are_each_by_itself(name: str) -> None:
    design, loss = small(name).design, LOSSES["squared"]()
    learners = [NearestNeighbours(k=k) for k in (1, 3, 25)]  # the last has too few rows
    group = Group(("a", "b", "c"), tuple(learners), "k")
    n = design.n_splits(build_rows(DATA))
    together = run_design_together(group, DATA, loss, design, 5, 0, n)

    assert isinstance(together["c"], EvaluationError)
    assert together["c"].message.startswith("In an extra fit: Learner 'c', ")
    for key, learner in zip("ab", learners, strict=False):
        together_estimates = together[key]
        assert not isinstance(together_estimates, EvaluationError)
        wanted = run_design(RefitTask(key, learner, DATA, loss), design, 5, 0, n)
        assert together_estimates[1] == wanted[1]
        for of_kind, values in wanted[0].items():
            assert_allclose(together_estimates[0][of_kind], values, rtol=1e-9, atol=1e-12)


def test_invalid_fits_of_other_splits_have_no_difference() -> None:
    design = small("out_of_bag").design
    a, b = (fitted(design, DATA, seed=seed) for seed in (1, 2))

    with pytest.raises(InvalidParameter, match="not fitted to the same splits"):
        a.minus(b)


def test_exact_data_that_hang_together_are_refused() -> None:
    def reason(kind: BlockKind = BlockKind.RANDOM, **roles: bool) -> str | None:
        all_roles = {"source": False, "cluster": False, "time": False, **roles}
        return reason_against_dependent_rows("m", kind, **all_roles)

    assert reason() is None
    assert "have sources" in str(reason(source=True))
    assert "have sources" in str(reason(BlockKind.SOURCE))
    assert "have clusters" in str(reason(cluster=True))
    assert "of these data have times" in str(reason(time=True))


@pytest.mark.parametrize(
    ("name", "module"),
    [("two_stage_bootstrap", two_stage_bootstrap), ("bccv_percentile", bccv_percentile)],
)
def test_exact_what_is_drawn_is_the_same_kept_or_not(
    name: str, module: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    design = small(name).design
    kept = fitted(design, DATA, LEARNERS["ridge"](), seed=5)
    of_kept = compute_results(small(name), kept)
    monkeypatch.setattr(module, "_MAX_CACHED_ROWS", 0)
    anew = fitted(design, DATA, LEARNERS["ridge"](), seed=5)

    for a, b in zip(kept.losses, anew.losses, strict=True):
        assert np.array_equal(a, b)
    assert compute_results(small(name), anew) == of_kept
