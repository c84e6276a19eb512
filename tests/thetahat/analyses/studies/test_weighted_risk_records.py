"""Learners that are chosen, and risks under another population."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.thetahat.analyses.studies.parts import near, of_data, rows_of
from thetahat.analyses.studies.estimator import StudyEstimator, WeightedEstimation
from thetahat.analyses.studies.general import GeneralStudy
from thetahat.analyses.studies.generated_population import GeneratedPairs
from thetahat.analyses.studies.repetitions import derive_repetition_seed
from thetahat.cross_validation import build_rows as scheme_rows
from thetahat.errors import UnsupportedCombination
from thetahat.generators import DrawSize
from thetahat.generators.gaussian_shift import GaussianShift
from thetahat.importance_weights import IMPORTANCE_WEIGHTS
from thetahat.learners import LEARNERS
from thetahat.losses import LOSSES
from thetahat.pipelines import build, read_learner_spec
from thetahat.schemes import SCHEMES
from thetahat.seeds import make_random_stream
from thetahat.weighted_risks import WEIGHTED_RISKS


def test_exact_the_chosen_learner_is_the_one_of_least_error() -> None:
    study = of_data(size=DrawSize(n=20))
    estimator = replace(study.estimators[0], select="least")
    study = replace(study, estimators=[estimator])
    records = study.run(0, 12)
    a, b = (records[f"cv/{name}/mean/macro"] for name in ("lda", "none"))
    risks = np.array([records[f"cv/{name}/truths/model"] for name in ("lda", "none")])
    picked = records["cv/selected/picked/lda"]
    rows = {r["subject"]: r for r in rows_of(study.finish(records), "selection")}

    assert np.array_equal(picked, a <= b)  # of equal ones the first
    assert np.array_equal(picked, 1 - records["cv/selected/picked/none"])
    assert np.allclose(records["cv/selected/mean/macro"], np.minimum(a, b))
    of_chosen = np.where(picked > 0, risks[0], risks[1])
    assert np.array_equal(records["cv/selected/truths/model"], of_chosen)
    assert np.array_equal(records["cv/selected/regret"], of_chosen - risks.min(axis=0))
    assert rows["lda"]["share"].value == picked.mean()
    assert rows["selected"]["regret"].value == pytest.approx(records["cv/selected/regret"].mean())
    assert rows["selected"]["risk"].value == pytest.approx(of_chosen.mean())


def test_degenerate_a_choice_whose_truth_is_not_asked_for() -> None:
    study = of_data()
    estimator = replace(study.estimators[0], select="least", truths=())
    study = replace(study, estimators=[estimator])
    records = study.run(0, 2)

    assert "cv/selected/regret" not in records
    row = rows_of(study.finish(records), "selection")[-1]
    assert {name for name, cell in row.items() if cell is not None} == {
        "estimator",
        "subject",
        "internal",
    }


def of_pairs(**changes: Any) -> GeneralStudy:
    estimator = StudyEstimator(
        key="cv",
        scheme=SCHEMES["k_fold"](n_folds=4),  # type: ignore[call-arg] # its parameter
        learners={
            "nm": LEARNERS["nearest_mean"](),
            "most": LEARNERS["majority"](),
            "nn": LEARNERS["nearest_neighbours"](),
        },
        loss=LOSSES["zero_one"](),
        truths=("fold_models_on_target",),
        weighted=WeightedEstimation(
            IMPORTANCE_WEIGHTS["given"](),
            {"w": WEIGHTED_RISKS["weighted"](), "b": WEIGHTED_RISKS["controlled"]()},
        ),
    )
    return GeneralStudy(
        population=GeneratedPairs(GaussianShift(scale=1.2), 400),
        size=DrawSize(n=40, n_target=30),
        estimators=[replace(estimator, **changes)],
        seed=2,
    )


def test_calibrated_weighted_risks_meet_the_target() -> None:
    """The weighted risk is unbiased for the models' risk under the target; z = 5."""
    study = of_pairs()
    records = study.run(0, 150)
    result = study.finish(records)
    errors = {(r["subject"], r["mean"], r["truth"]): r for r in rows_of(result, "errors")}
    (row, *_) = rows_of(result, "intervals")

    assert near(errors["nm", "w", "target_population"]["bias"], 0.0)
    assert near(errors["nm", "w", "fold_models_on_target"]["bias"], 0.0)
    assert row["target"] == "new_population"
    assert row["coverage"] == row["covers_target_population"]
    truth = records["cv/most/truths/fold_models_on_target"].mean()
    ends = [records[f"cv/most/intervals/normal:b/new_population/b/{e}"] for e in ("lower", "upper")]
    assert (row["subject"], row["interval"]) == ("most", "normal:b")
    assert row["coverage"].value == ((ends[0] <= truth) & (truth <= ends[1])).mean()


def test_exact_weighted_risks_are_of_the_losses_and_weights() -> None:
    """By hand: the mean of loss times weight over the folds of one repetition."""
    study = of_pairs(truths=())
    record = study.repeat(3)
    seed = derive_repetition_seed(study.seed, 3)
    pair = GaussianShift(scale=1.2).draw(study.size, make_random_stream(seed, "draw"))
    source, weights = pair.source, pair.weights
    assert weights is not None
    terms = []
    for split in SCHEMES["k_fold"](n_folds=4).splits(scheme_rows(source), seed):  # type: ignore[call-arg]
        counts = np.bincount(source.y[split.train], weights[split.train], minlength=2)
        terms.append((source.y[split.test] != np.argmax(counts)) * weights[split.test])

    assert record["cv/most/mean/w"] == pytest.approx(np.concatenate(terms).mean())
    assert "cv/nm/truths/fold_models_on_target" not in record


@pytest.mark.parametrize("study", [of_pairs(weighted=None), of_pairs(scheme=None)])
def test_invalid_pairs_without_weights(study: GeneralStudy) -> None:
    with pytest.raises(UnsupportedCombination, match="needs weights, a scheme and a loss"):
        study.finish(study.run(0, 2))


def test_exact_a_learner_that_takes_no_weights_is_fitted_without() -> None:
    """Its risks are weighted all the same."""
    neighbours = build(read_learner_spec("KNeighborsClassifier"), "classification")
    study = of_pairs(truths=(), learners={"nn": neighbours})

    record = study.repeat(0)

    assert not neighbours.takes_weights
    assert 0 < record["cv/nn/mean/w"] < 2
