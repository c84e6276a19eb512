"""Studies of a data set, and methods that give less than a number."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.thetahat.analyses.studies.parts import choices, chosen, near, of_data, of_losses, rows_of
from thetahat.analyses.losses import Choices, ChosenMethod
from thetahat.analyses.studies.dataset_population import DataAsPopulation
from thetahat.analyses.studies.estimator import StudyEstimator
from thetahat.analyses.studies.general import GeneralStudy
from thetahat.analyses.studies.record_reader import RecordReader
from thetahat.errors import UnsupportedCombination
from thetahat.generators import DrawSize
from thetahat.generators.random_effects import RandomEffects
from thetahat.intervals import INTERVALS
from thetahat.learners import LEARNERS
from thetahat.losses import LOSSES
from thetahat.multiple_tests import MULTIPLE_TESTS
from thetahat.pipelines import build, read_learner_spec
from thetahat.refit_estimators import REFIT_ESTIMATORS, RequestedRefit
from thetahat.schemes import SCHEMES
from thetahat.tables.data import build_data
from thetahat.values.types import Alternative
from thetahat.variances import VARIANCES

X = np.random.default_rng(8).normal(size=80)
DATA = build_data({"x": X}, 2 * X + np.random.default_rng(9).normal(size=80), "regression")


def of_rows(*, with_replacement: bool, **changes: object) -> GeneralStudy:
    estimator = StudyEstimator(
        key="cv",
        choices=choices("theta_3"),
        scheme=SCHEMES["k_fold"](n_folds=3),  # type: ignore[call-arg] # its parameter
        learners={"ls": LEARNERS["least_squares"](), "nn": LEARNERS["nearest_neighbours"]()},
        loss=LOSSES["squared"](),
    )
    return GeneralStudy(
        population=DataAsPopulation(data=DATA, replace=with_replacement),
        size=DrawSize(n=30),
        estimators=[replace(estimator, **changes)],  # type: ignore[arg-type] # of many types
        seed=4,
    )


def test_exact_the_truth_of_rows_drawn_with_replacement_is_of_all_rows() -> None:
    study = of_rows(with_replacement=True, truths=("model",))
    records = study.run(0, 1)
    rows = np.sort(np.asarray(study._draw(0)[0].data.features.columns[0]))  # type: ignore[union-attr]
    drawn = study._draw(0)[0].data  # type: ignore[union-attr]
    slope, level = np.polyfit(drawn.features.columns[0], drawn.y, 1)
    risk = ((DATA.y - level - slope * X) ** 2).mean()

    assert study.grain == 1
    assert len(np.unique(rows)) < 30
    assert records["cv/ls/truths/model"][0] == pytest.approx(risk, rel=1e-9)
    findings = study.finish(records)
    assert findings.truth_from == "all rows of the data set"
    assert findings.truths == {
        "model": "R(f^S): risk of the model learnt from the whole draw",
        "expected_at_n": "E R(f^S): expected error of learning from n rows",
    }


def test_exact_learners_and_losses_receive_the_labels() -> None:
    """Class weights and costs speak of labels; a learner sees codes."""
    labels = np.where(X > 0, "yes", "no").tolist()
    spec = {"name": "LogisticRegression", "params": {"class_weight": {"no": 1, "yes": 3}}}
    cost = LOSSES["cost_matrix"](costs={"no": {"yes": 5.0}, "yes": {"no": 1.0}})  # type: ignore[call-arg]
    study = of_rows(
        with_replacement=False,
        learners={"lr": build(read_learner_spec(spec), "classification")},
        loss=cost,
        truths=("model",),
    )
    data = build_data({"x": X}, labels, "classification")
    study = replace(study, population=DataAsPopulation(data=data))

    assert study.run(0, 2)["cv/failed"].tolist() == [0.0, 0.0]


def test_degenerate_without_sources_none_is_new() -> None:
    study = of_rows(with_replacement=False, truths=("observed_on_one_new_source",))

    assert not [name for name in study.run(0, 1) if "truths" in name]


def test_invalid_methods_that_fit_again_would_part_copies() -> None:
    requested = RequestedRefit("variances", 0, "oob", REFIT_ESTIMATORS["out_of_bag"]())
    study = of_rows(with_replacement=True, refits=(requested,))

    with pytest.raises(UnsupportedCombination, match="would put copies of a row on both sides"):
        study.finish(study.run(0, 1))


def test_exact_only_numbers_of_the_mean_are_recorded() -> None:
    """A variance for each source is none of the mean; a Bayesian test has no p-value."""
    study = of_losses(
        RandomEffects(differences=(0.1,)),
        DrawSize(n_sources=4, per_source=3),
        *("theta_A", "theta_omega_k", "theta_gamma"),
        tests=("bayesian_signed_rank", "sign"),
    )
    records = study.run(0, 3)
    result = study.finish(records)

    assert {row["variance"] for row in rows_of(result, "variances")} == {"theta_A", "theta_gamma"}
    assert [row["test"] for row in rows_of(result, "tests")] == ["sign"]
    assert np.isnan(records["e/m1|m2/tests/bayesian_signed_rank/p_value"]).all()


def test_exact_an_open_end_covers_all_beyond_it() -> None:
    open_ended = Choices(
        variances=(ChosenMethod("theta_A", "theta_A", VARIANCES["theta_A"]()),),
        intervals=(ChosenMethod("normal", "normal", INTERVALS["normal"]()),),
        alternative=Alternative.LESS,
    )
    study = of_losses(RandomEffects(), DrawSize(n_sources=4, per_source=3))
    study = replace(study, estimators=[replace(study.estimators[0], choices=open_ended)])
    records = study.run(0, 60)
    where = "e/m1/intervals/normal:theta_A/these_sources/macro"
    (row, *_) = rows_of(study.finish(records), "intervals")

    assert np.isneginf(records[f"{where}/lower"]).all()
    assert row["truth_below"].value == 0.0
    assert row["width"].value is None
    assert row["coverage"].value == (records[f"{where}/upper"] >= 0).mean()


def test_degenerate_records_without_sources_are_of_one_set() -> None:
    reading = RecordReader({"a/b/mean/macro": np.zeros(3)})

    assert reading.groups.tolist() == [0, 0, 0]
    assert reading.clusters is None
    assert reading.truths("a", "b") == {}


def test_degenerate_a_refusal_that_does_not_recur_has_a_general_caution() -> None:
    """Records of some repetitions alone: the place of a failed one is not its number."""
    study = of_data(size=DrawSize(n=6))
    records = dict(study.run(0, 40))
    failed = np.flatnonzero(records["cv/failed"])
    first = next(i for i in range(40) if i not in failed)
    kept_records = {name: values[[failed[0], first]] for name, values in records.items()}
    shifted = {name: np.roll(values, first) for name, values in kept_records.items()}
    (caution, *_) = [c for c in study.finish(shifted).cautions if c.code == "repetitions_failed"]

    assert "in 1 of 2 repetitions" in caution.message


def test_calibrated_tests_of_all_models_have_size_and_power() -> None:
    """Friedman's of three models that are alike, and of three that are far apart; z = 5."""
    size = DrawSize(n_sources=12, per_source=2)
    alike = RandomEffects(differences=(0.0, 0.0), correlation=0.3)
    only = Choices(variances=(), intervals=(), tests=(), omnibus=chosen(MULTIPLE_TESTS, "friedman"))
    p_values = []
    for generator, n in ((alike, 300), (replace(alike, differences=(0.0, 3.0)), 30)):
        study = of_losses(generator, size)
        study = replace(study, estimators=[replace(study.estimators[0], choices=only)])
        p_values.append(rows_of(study.finish(study.run(0, n)), "tests")[0])

    assert [row["subject"] for row in p_values] == ["every model"] * 2
    assert [row["is"] for row in p_values] == ["size", "power"]
    assert near(p_values[0]["rejected"], 0.05)
    assert p_values[1]["rejected"].value > 0.9
    assert p_values[1]["true_difference"].value == 3.0


def test_degenerate_tests_of_all_models_that_do_not_fit_are_left_out() -> None:
    """Cochran's Q is for losses of 0 and 1, and these are normal."""
    names = ("cochran_q", "friedman")
    only = Choices(variances=(), intervals=(), tests=(), omnibus=chosen(MULTIPLE_TESTS, *names))
    study = of_losses(RandomEffects(differences=(0.0, 0.0)), DrawSize(n_sources=4, per_source=2))
    records = replace(study, estimators=[replace(study.estimators[0], choices=only)]).run(0, 2)

    assert [name for name in records if "/tests/" in name] == [
        "e/every model/tests/friedman/p_value"
    ]
