"""Studies by their parts: what they find on populations whose truth is known."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.thetahat.analyses.studies.parts import choices, chosen, near, of_data, of_losses, rows_of
from tests.thetahat.naive.two_class_error import best_error
from thetahat.analyses.losses import Choices
from thetahat.analyses.studies.estimator import StudyEstimator
from thetahat.analyses.studies.general import GeneralStudy
from thetahat.analyses.studies.generated_population import GeneratedData
from thetahat.analyses.studies.record_reader import RecordReader
from thetahat.analyses.studies.repetitions import join_records
from thetahat.errors import InvalidParameter, UnsupportedCombination
from thetahat.generators import DrawSize
from thetahat.generators.random_effects import RandomEffects
from thetahat.generators.two_class_gaussian import TwoClassGaussian
from thetahat.intervals import INTERVALS
from thetahat.learners import LEARNERS
from thetahat.losses import LOSSES
from thetahat.refit_estimators import REFIT_ESTIMATORS, RequestedRefit
from thetahat.schemes import SCHEMES
from thetahat.values.monte_carlo_number import UNDEFINED
from thetahat.values.types import BlockKind
from thetahat.variances import VARIANCES


def test_calibrated_t_intervals_on_independent_losses_cover() -> None:
    """0.95 of independent normal losses, exactly, by sources and by new ones; z = 5."""
    study = of_losses(RandomEffects(spread=0.3), DrawSize(n_sources=6, per_source=4), "theta_gamma")

    (row,) = [
        row
        for row in rows_of(study.finish(study.run(0, 800)), "intervals")
        if row["interval"] == "student_t:theta_gamma"
    ]

    assert row["target"] == "new_source"
    assert near(row["coverage"], 0.95)
    assert row["coverage"] == row["covers_new_source"]
    assert near(row["truth_below"], 0.025)
    assert near(row["truth_above"], 0.025)


def test_calibrated_an_interval_that_fails_is_seen_to_fail() -> None:
    """B/K ignores the covariance of folds that share training rows: it covers far too rarely."""
    generator = RandomEffects(omega=0.1, gamma=0.1, blocks=BlockKind.RANDOM)
    study = of_losses(generator, DrawSize(n_sources=10, per_source=10), "theta_3")

    result = study.finish(study.run(0, 300))
    (row,) = [r for r in rows_of(result, "intervals") if r["interval"] == "student_t:theta_3"]
    (variance,) = rows_of(result, "variances")

    # of its variance, 0.009 + 0.1, it sees 0.009: of the models that were fitted it is true
    assert row["coverage"].value < 0.5
    assert near(row["covers_fold_models"], 0.95)
    assert variance["true_variance"].value == pytest.approx(0.109)
    assert variance["true_variance"].standard_error == 0.0
    assert near(variance["average"], 0.009)
    assert near(variance["bias"], -0.1)


def test_calibrated_a_prediction_interval_covers_an_observation() -> None:
    """Of independent normal losses t with K - 1 degrees of freedom is exact; z = 5."""
    study = of_losses(RandomEffects(spread=0.3), DrawSize(n_sources=6, per_source=4), "theta_gamma")
    only = Choices(
        variances=chosen(VARIANCES, "theta_gamma"), intervals=chosen(INTERVALS, "prediction")
    )
    study = replace(study, estimators=[replace(study.estimators[0], choices=only)])

    (row, *_) = rows_of(study.finish(study.run(0, 600)), "intervals")

    assert row["target"] == "one_new_source"
    assert near(row["coverage"], 0.95)
    assert row["coverage"] == row["covers_observed_on_one_new_source"]
    assert row["covers_new_source"].value > row["coverage"].value


def test_calibrated_size_and_power_of_a_test() -> None:
    """A t test of independent differences has its level; of a difference of 3 errors more."""
    same = RandomEffects(differences=(0.0,), blocks=BlockKind.RANDOM)
    size, name = DrawSize(n_sources=5, per_source=2), "paired_t_blocks"
    study = of_losses(same, size, "theta_3", tests=(name,))
    other = of_losses(replace(same, differences=(2.0,)), size, "theta_3", tests=(name,))

    (row,) = rows_of(study.finish(study.run(0, 500)), "tests")
    (far,) = rows_of(other.finish(other.run(0, 50)), "tests")

    assert row["subject"] == "m1|m2"
    assert (row["is"], far["is"]) == ("size", "power")
    assert near(row["rejected"], 0.05)
    assert far["rejected"].value > 0.8
    assert near(far["true_difference"], -2.0) or far["true_difference"].value == -2.0


def test_exact_any_cut_gives_the_same_records() -> None:
    whole = of_data().run(0, 6)
    study = of_data()
    cut = join_records([study.run(4, 6), study.run(0, 1), study.run(1, 4)])

    assert list(cut) == list(whole)
    for name, values in whole.items():
        assert np.array_equal(cut[name][[2, 3, 4, 5, 0, 1]], values, equal_nan=True)


def test_exact_sources_are_kept_for_as_many_repetitions_as_asked() -> None:
    study = of_losses(RandomEffects(spread=1.0), DrawSize(n_sources=3, per_source=2), "theta_A")
    kept = replace(study, same_sources=3).run(0, 7)
    all_alike = replace(study, same_sources=None).run(0, 7)

    truth = kept["e/m1/truths/expected_at_training_size"]
    assert kept["sources"].tolist() == [0, 0, 0, 1, 1, 1, 2]
    assert len(set(truth.tolist())) == 3
    assert len(set(all_alike["e/m1/truths/expected_at_training_size"].tolist())) == 1


def test_exact_truths_of_data_are_risks_on_fresh_rows() -> None:
    """The majority's risk is the share of the other class; expectations are averages."""
    study = of_data()
    records = study.run(0, 20)
    result = study.finish(records)
    macro = [r for r in rows_of(result, "errors") if r["mean"] == "macro"]
    errors = {(r["subject"], r["truth"]): r for r in macro}

    assert near(errors["none", "model"]["true_value"], 0.5)
    expected = errors["lda", "expected_at_training_size"]
    assert expected["true_value"].value == pytest.approx(
        records["cv/lda/truths/fold_models"].mean()
    )
    best = best_error(TwoClassGaussian(n_features=3, n_relevant=2))
    assert best < errors["lda", "expected_at_n"]["true_value"].value < best + 0.1
    assert expected["bias"].value == pytest.approx(
        (records["cv/lda/mean/macro"] - records["cv/lda/truths/fold_models"]).mean()
    )
    assert result.truth_from == "a fresh sample of 300 rows in every repetition"
    assert result.truths is not None
    assert "expected_at_n" in result.truths


def test_exact_refit_methods_are_run_too() -> None:
    study = of_data()
    requested = RequestedRefit("variances", 0, "oob", REFIT_ESTIMATORS["out_of_bag"](n_resamples=5))  # type: ignore[call-arg]
    estimator = replace(study.estimators[0], refits=(requested,), truths=("model",))
    records = replace(study, estimators=[estimator]).run(0, 2)

    assert np.isfinite(records["cv/lda/mean/oob"]).all()
    assert any(name.startswith("cv/lda/variances/oob/") for name in records)
    assert "cv/lda/truths/fold_models" not in records


def test_invalid_data_without_learners_and_unknown_truths() -> None:
    study = of_data()
    bare = replace(study, estimators=[replace(study.estimators[0], learners={})])

    with pytest.raises(UnsupportedCombination, match="population gives rows of data"):
        bare.finish(bare.run(0, 2))
    with pytest.raises(InvalidParameter, match="is not a truth that can be computed"):
        replace(study, estimators=[replace(study.estimators[0], truths=("all",))])


def test_exact_truths_of_sources_are_those_of_the_same_sources() -> None:
    """Averages are taken over the repetitions of a set; alone a set's truth is not known."""
    estimator = StudyEstimator(
        key="cvs",
        choices=choices("theta_A"),
        scheme=SCHEMES["leave_one_source_out"](),
        learners={"nm": LEARNERS["nearest_mean"]()},
        loss=LOSSES["zero_one"](),
        truths=("fold_models", "fold_models_on_new_sources", "observed_on_one_new_source"),
    )
    generator = TwoClassGaussian(n_features=2, n_relevant=1, source_spread=1.0)
    study = GeneralStudy(
        population=GeneratedData(generator, 200),
        size=DrawSize(n_sources=3, per_source=8),
        estimators=[estimator],
        seed=1,
        same_sources=2,
    )
    records = study.run(0, 6)
    fitted = records["cvs/nm/truths/fold_models"]
    reading = RecordReader(records, frozenset({"cvs"}))
    truth = reading.truth("cvs", "nm", "expected_at_training_size")
    alone = replace(study, same_sources=1)
    result = alone.finish(alone.run(0, 3))
    fixed = replace(study, same_sources=None)
    (variance,) = rows_of(study.finish(records), "variances")

    assert truth is not None
    assert np.allclose(truth.values, np.repeat(fitted.reshape(3, 2).mean(axis=1), 2))
    means = records["cvs/nm/mean/macro"].reshape(3, 2)
    assert variance["true_variance"].value == pytest.approx(means.var(axis=1, ddof=1).mean())
    assert "these_sources_unknown" in {c.code for c in result.cautions}
    assert {r["truth"] for r in rows_of(result, "errors")} == {
        "fold_models",
        "fold_models_on_new_sources",
        "observed_on_one_new_source",
        "new_source",
    }
    one_new = records["cvs/nm/truths/observed_on_one_new_source"]
    assert np.allclose(one_new * 8, np.round(one_new * 8))  # of as many rows as a source has here
    unknown = RecordReader(fixed.run(0, 2))
    new = unknown.truth("cvs", "nm", "new_source")
    assert new is not None
    assert unknown.estimate_variance_about(new, np.array([0.1, 0.2])) == UNDEFINED


def test_degenerate_methods_that_refuse_a_small_draw_are_counted_and_reported() -> None:
    study = of_data(size=DrawSize(n=6))
    result = study.finish(study.run(0, 40))
    messages = {c.code: c.message for c in result.cautions}

    assert "failed in 13 of 40" in messages["repetitions_failed"]
    assert "few_repetitions" in messages
    (row, *_) = rows_of(result, "estimates")
    assert 0 < row["n"] < 40
