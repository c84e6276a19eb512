"""The presets of the text on multiple sources at a small size."""

from __future__ import annotations

import numpy as np
import pytest

from thetahat.errors import EvaluationError
from thetahat.generators import DrawSize
from thetahat.generators.word_counts import WordCounts
from thetahat.tables.data import Data
from thetahat.values.json_values import to_json
from thetahat_replications.multiple_sources.classifiers import build_classifier
from thetahat_replications.multiple_sources.domains import (
    draw_blocks,
    draw_blocks_of_texts,
    load_domains,
)
from thetahat_replications.presets import PRESETS
from thetahat_replications.presets.multiple_source_means.preset import MultipleSourceMeans
from thetahat_replications.presets.multiple_source_variances.preset import MultipleSourceVariances

SMALL_MEANS = {"n_sources": (2, 3), "per_source": 12, "sizes": (6, 40), "pairs": 3}
SMALL_VARIANCES = {"sizes": (8, 30)}


@pytest.fixture(name="reviews", scope="module")
def fixture_reviews() -> Data:
    rng = np.random.default_rng(8)
    generator = WordCounts(n_words=200, length=15, class_spread=0.7, domain_class_spread=0.5)
    return generator.draw_sources(4, rng).draw(DrawSize(n_sources=4, per_source=80), rng)


@pytest.mark.parametrize(
    ("name", "small"),
    [("multiple_source_means", SMALL_MEANS), ("multiple_source_variances", SMALL_VARIANCES)],
)
def test_exact_any_cut_gives_the_same_records(reviews: Data, name: str, small: dict) -> None:  # type: ignore[type-arg]
    study = PRESETS[name](**small).plan({"reviews": reviews}, 3)
    whole = study.run(0, 9)
    first, rest = study.run(0, 2), study.run(2, 9)
    for key, values in whole.items():
        np.testing.assert_array_equal(values, np.concatenate([first[key], rest[key]]))
    result = study.finish(whole)
    assert {claim.verdict for claim in result.claims} <= {"holds", "fails", "undecided"}
    assert all(to_json(table)["rows"] for table in result.tables)
    assert all(to_json(figure)["series"] for figure in result.figures)


# By hand: two draws of domains, one setting.
@pytest.mark.about("presets/multiple_source_means")
def test_by_hand_biases_and_their_errors(reviews: Data) -> None:
    preset = MultipleSourceMeans(n_sources=(2,), per_source=5, sizes=(5,), pairs=2)
    two = {"cvs_mean": [0.3, 0.5], "cvr_mean": [0.1, 0.4], "ose_mean": [0.2, 0.5]}
    two |= {"cvs_sd": [0.02, 0.04], "cvr_sd": [0.01, 0.01], "ose_sd": [0.0, 0.0]}
    records = {name: np.array([[a, a], [b, b]]) for name, (a, b) in two.items()}
    result = preset.plan({"reviews": reviews}, 1).finish(records)
    row = to_json(result.tables[0])["rows"][0]
    # CVS is off by .1 and 0: mean .05, deviation .1 / sqrt 2, over sqrt 2 is .05; CVR by -.1, -.1
    assert row["cvs_bias"] == {"value": pytest.approx(0.05), "standard_error": pytest.approx(0.05)}
    assert row["cvr_bias"]["value"] == pytest.approx(-0.1)
    assert row["cvs_sd"]["value"] == pytest.approx(0.03)
    nearer = next(claim for claim in result.claims if "better estimate" in claim.text)
    assert nearer.figure == pytest.approx(0.1 - 0.05)


# By hand: four data sets of two domains, block means 0 and 1.
@pytest.mark.about("presets/multiple_source_variances")
def test_by_hand_parts_of_the_variance(reviews: Data) -> None:
    study = MultipleSourceVariances(sizes=(4, 9)).plan({"reviews": reviews}, 1)
    four = np.array([[0.0, 0.0], [1, 1], [0, 0], [1, 1]])
    records = {}
    for scheme, estimators in (("cvs", 3), ("cvr", 4)):
        records[f"{scheme}_means"] = np.tile(four[:, None, :], (2, 2, 1))
        records[f"{scheme}_within"] = np.full((8, 2, 2), 0.4)
        records[f"{scheme}_thetas"] = np.full((8, 2, estimators), 0.1)
    row = to_json(study.finish(records).tables[1])["rows"][0]
    # block means vary and go together by 2/7: the variance of their mean; omega = 2/7 - .4/4,
    # sigma^2 = .4 + omega, gamma = 2/7, in parts sigma^2/8, 3/8 omega and gamma/2
    omega = 2 / 7 - 0.1
    assert row["truth"]["value"] == pytest.approx(2 / 7)
    assert row["sigma"]["value"] == pytest.approx((0.4 + omega) / 8)
    assert row["omega"]["value"] == pytest.approx(3 * omega / 8)
    assert row["gamma"]["value"] == pytest.approx(1 / 7)


@pytest.mark.about("presets/multiple_source_means")
def test_calibrated_random_folds_are_optimistic_and_sources_are_not(reviews: Data) -> None:
    preset = MultipleSourceMeans(n_sources=(3,), per_source=60, sizes=(60, 70), pairs=4)
    study = preset.plan({"reviews": reviews}, 1)
    result = study.finish(study.run(0, 40))
    by_text: dict[str, list[str]] = {}
    for claim in result.claims:
        by_text.setdefault(claim.text, []).append(claim.verdict)
    assert by_text["CVR yields an optimistic estimate, though its training sets are smaller."] == [
        "holds",  # with three sources, of the left panel
        "holds",
        "holds",
    ]
    assert set(by_text["CVS yields a better estimate of the error on a new source than CVR."]) == {
        "holds"
    }


@pytest.mark.about("presets/multiple_source_variances")
def test_exact_the_truth_is_the_variance_of_the_means(reviews: Data) -> None:
    study = MultipleSourceVariances(sizes=(8, 30)).plan({"reviews": reviews}, 2)
    records = study.run(0, 12)
    table = to_json(study.finish(records).tables[0])
    rows = [row for row in table["rows"] if row["scheme"] == "by source" and row["size"] == 30]
    truth = np.var(records["cvs_means"][:, 1].mean(axis=1), ddof=1)
    assert [row["truth"]["value"] for row in rows] == [pytest.approx(truth)] * 3
    # theta_A is half of theta_B, in every data set
    thetas = records["cvs_thetas"]
    np.testing.assert_allclose(2 * thetas[..., 1], thetas[..., 2], rtol=1e-12)


@pytest.mark.about("presets/multiple_source_variances")
def test_degenerate_few_repetitions_have_a_caution(reviews: Data) -> None:
    study = MultipleSourceVariances(sizes=(8, 30)).plan({"reviews": reviews}, 2)
    result = study.finish(study.run(0, 3))
    assert [caution.code for caution in result.cautions] == ["few_repetitions"]
    preset = MultipleSourceMeans(n_sources=(2,), per_source=9, sizes=(9,), pairs=1)
    alone = preset.plan({"reviews": reviews}, 2)
    assert to_json(alone.finish(alone.run(0, 1)).tables[0])["rows"][0]["cvs_sd"]["value"] is None


def test_exact_without_data_a_generator_is_used_with_a_caution() -> None:
    domains = load_domains({}, 5)
    assert domains.count == 10
    assert domains.smallest == 2000
    assert [caution.code for caution in domains.cautions()] == ["generated_population"]


def test_exact_copies_of_a_text_stay_in_one_block(reviews: Data) -> None:
    domains = load_domains({"reviews": reviews}, 1)
    rng = np.random.default_rng(3)
    drawn = domains.draw([0, 1], 100, rng, replace=True)
    same = domains.documents.text[drawn]
    block = draw_blocks_of_texts(same, 5, rng)
    for text in np.unique(same):
        assert len(set(block[same == text])) == 1
    sizes = np.bincount(block, minlength=5)
    assert sizes.sum() == 200
    assert sizes.min() > 30
    assert set(np.bincount(draw_blocks(same, 5, rng))) == {40}


def test_exact_without_replacement_no_document_comes_twice(reviews: Data) -> None:
    domains = load_domains({"reviews": reviews}, 1)
    drawn = domains.draw([2, 3], 80, np.random.default_rng(3), replace=False)
    assert len(np.unique(drawn)) == 160


@pytest.mark.parametrize(
    ("name", "wrong", "place"),
    [
        ("multiple_source_means", {"model": "gaussian"}, "model"),
        ("multiple_source_means", {"n_sources": (3, 2)}, "n_sources"),
        ("multiple_source_means", {"n_sources": (2, 4)}, "n_sources"),
        ("multiple_source_means", {"sizes": ()}, "sizes"),
        ("multiple_source_means", {"sizes": (5, 81), "replace": False}, "sizes"),
        ("multiple_source_means", {"pairs": 0}, "pairs"),
        ("multiple_source_means", {"per_source": 1}, "per_source"),
        ("multiple_source_means", {"smoothing": 0.0}, "smoothing"),
        ("multiple_source_variances", {"model": "gaussian"}, "model"),
        ("multiple_source_variances", {"sizes": (10,)}, "sizes"),
        ("multiple_source_variances", {"sizes": (10, 100), "replace": False}, "sizes"),
        ("multiple_source_variances", {"smoothing": -1.0}, "smoothing"),
    ],
)
def test_invalid_parameters_are_named(
    reviews: Data,
    name: str,
    wrong: dict,  # type: ignore[type-arg]
    place: str,
) -> None:
    parameters = {**(SMALL_MEANS if name.endswith("means") else SMALL_VARIANCES), **wrong}
    with pytest.raises(EvaluationError) as refused:
        PRESETS[name](**parameters).plan({"reviews": reviews}, 1)
    assert refused.value.loc[0] == place


@pytest.mark.about("presets/multiple_source_means")
def test_exact_domains_take_turns_as_test_domain(reviews: Data) -> None:
    """With all other domains to train on, the mean error of a turn has no draw of domains in it."""
    preset = MultipleSourceMeans(n_sources=(3,), per_source=80, sizes=(80,), pairs=1, replace=False)
    study = preset.plan({"reviews": reviews}, 4)
    records = study.run(0, 13)
    # every document is drawn, so the error on a domain depends on the domain alone
    ose = records["ose_mean"][:, 1]
    np.testing.assert_allclose(ose[:4], ose[4:8], rtol=1e-12)
    assert len(set(ose[:4])) > 1
    row = to_json(study.finish(records).tables[0])["rows"][1]
    assert row["ose"]["value"] == pytest.approx(ose[:12].mean())
    assert row["ose"]["standard_error"] == pytest.approx(0, abs=1e-12)


def test_against_sklearn_the_linear_svm_is_fitted_without_each_block(reviews: Data) -> None:
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import Normalizer
    from sklearn.svm import LinearSVC

    documents = load_domains({"reviews": reviews}, 1).documents
    block = np.arange(documents.n) % 3
    errors = build_classifier("linear_svm", 1.0).compute_errors_by_block(documents, block, 3)
    for k in range(3):
        machine = make_pipeline(Normalizer(), LinearSVC(random_state=0, max_iter=10_000))
        dense = documents.counts.toarray()
        machine.fit(dense[block != k], documents.y[block != k])
        wrong = machine.predict(dense[block == k]) != documents.y[block == k]
        np.testing.assert_array_equal(errors[block == k], wrong)
    assert 0 < errors.mean() < 0.5


def test_degenerate_a_linear_svm_of_one_class_predicts_it(reviews: Data) -> None:
    documents = load_domains({"reviews": reviews}, 1).documents
    ones = documents.rows(np.flatnonzero(documents.y == 1))
    wrong = build_classifier("linear_svm", 1.0).compute_errors_on(ones, documents)
    np.testing.assert_array_equal(wrong, documents.y == 0)


# By hand: omega .03 and gamma .01 at random; theta_5 has the bias omega - 2 gamma.
@pytest.mark.about("presets/multiple_source_variances")
def test_by_hand_the_reason_for_theta_5_is_judged(reviews: Data) -> None:
    study = MultipleSourceVariances(sizes=(8, 30)).plan({"reviews": reviews}, 2)
    result = study.finish(study.run(0, 16))
    apart = [c for c in result.claims if c.text.startswith("Typically omega > gamma")]
    near = [c for c in result.claims if c.text.startswith("omega and gamma are of similar")]
    assert len(apart) == len(near) == 2
    rows = [r for r in to_json(result.tables[1])["rows"] if r["scheme"] == "at random"]
    for row, first, second in zip(rows, apart, near, strict=True):
        m = row["size"]
        omega = row["omega"]["value"] * 4 * m / (m - 1)
        gamma = row["gamma"]["value"] * 4 / 3
        assert first.figure == pytest.approx(omega - gamma)
        assert second.figure == pytest.approx(3 * gamma - omega)
