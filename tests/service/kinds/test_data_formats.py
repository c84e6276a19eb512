"""Each format of data, from the file's bytes to the result of a cross-validation."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_array
from sklearn.datasets import dump_svmlight_file
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import LeaveOneGroupOut, cross_val_predict
from sklearn.naive_bayes import BernoulliNB, GaussianNB, MultinomialNB
from sklearn.pipeline import make_pipeline

from tests.service.data.checked_files import CSV, LIBSVM, NPZ
from tests.service.kinds.run_requests import place_of, run_kind
from tests.service.kinds.uploads import uploaded
from thetahat.errors import EvaluationError
from thetahat_service.kinds.base import DatasetFile

RNG = np.random.default_rng(20_261_134)
Y = RNG.integers(0, 2, 80)
SHOP = np.repeat(["books", "dvds", "toys", "music"], 20)
COUNTS = RNG.poisson(0.4 + 0.8 * (np.arange(9) % 2 == Y[:, None]))
WORDS = np.array(["awful", "good", "bad", "great", "poor", "fine", "dull", "nice", "sad"])
TEXTS = [" ".join(np.repeat(WORDS, row)) or "none" for row in COUNTS]
CSR = csr_array(COUNTS)
SPARSE = {"data": CSR.data, "indices": CSR.indices, "indptr": CSR.indptr, "shape": CSR.shape}
LEARNERS = {"m": "multinomial_naive_bayes", "b": "bernoulli_naive_bayes", "sk": "MultinomialNB"}


def npz(**arrays: Any) -> bytes:
    sink = io.BytesIO()
    np.savez_compressed(sink, **arrays)
    return sink.getvalue()


def body_of(file: DatasetFile, **changed: Any) -> dict[str, Any]:
    columns = {"target": "y", "features": ["X"], "source": "shop"}
    return {
        "kind": "cross_validation",
        "dataset": str(file.id),
        "columns": columns,
        "task": "classification",
        "learners": LEARNERS,
        "scheme": "leave_one_source_out",
        "loss": "log",
        **changed,
    }


def check(result: Any, name: str, model: Any, X: Any) -> None:
    """Compare the pooled log loss with that of scikit-learn's cross_val_predict."""
    probabilities = cross_val_predict(
        model, X, Y, groups=SHOP, cv=LeaveOneGroupOut(), method="predict_proba"
    )
    expected = -np.log(probabilities[np.arange(80), Y]).mean()
    assert_allclose(result["models"][name]["mean"]["pooled"], expected, rtol=1e-8)


def test_against_sklearn_a_compressed_sparse_matrix(tmp_path: Path) -> None:
    file = uploaded(tmp_path, NPZ, npz(**SPARSE, y=Y, shop=SHOP))
    result = run_kind(body_of(file), [file]).result

    check(result, "m", MultinomialNB(), CSR)
    check(result, "b", BernoulliNB(), CSR)
    check(result, "sk", MultinomialNB(), CSR)
    assert result["block_labels"] == ["books", "dvds", "toys", "music"]


def test_against_sklearn_dense_arrays(tmp_path: Path) -> None:
    file = uploaded(tmp_path, NPZ, npz(X=COUNTS.astype(np.float32), y=Y, shop=SHOP))
    columns = {"target": "y", "source": "shop"}
    learners = {**LEARNERS, "g": "gaussian_naive_bayes"}
    result = run_kind(body_of(file, columns=columns, learners=learners), [file]).result

    check(result, "m", MultinomialNB(), COUNTS)
    check(result, "g", GaussianNB(var_smoothing=1e-9), COUNTS)


def test_against_sklearn_libsvm_lines(tmp_path: Path) -> None:
    sink = io.BytesIO()
    numbers = np.unique(SHOP, return_inverse=True)[1]
    dump_svmlight_file(CSR, Y, sink, query_id=numbers)
    file = uploaded(tmp_path, LIBSVM, sink.getvalue())
    columns = {"target": "y", "features": ["X"], "source": "qid"}
    result = run_kind(body_of(file, columns=columns), [file]).result

    check(result, "m", MultinomialNB(), CSR)
    check(result, "b", BernoulliNB(), CSR)


def test_against_sklearn_texts_of_a_csv(tmp_path: Path) -> None:
    rows = zip(Y, SHOP, TEXTS, strict=True)
    content = "y,shop,review\n" + "".join(f'{y},{shop},"{text}"\n' for y, shop, text in rows)
    file = uploaded(tmp_path, CSV, content.encode())
    learners = {
        "m": {"name": "multinomial_naive_bayes", "prepare": ["TfidfVectorizer"]},
        "l": {
            "name": "LogisticRegression",
            "params": {"C": 3.0},
            "prepare": [{"name": "TfidfVectorizer", "columns": ["review"]}],
        },
    }
    columns = {"target": "y", "source": "shop"}
    result = run_kind(body_of(file, columns=columns, learners=learners), [file]).result

    check(result, "m", make_pipeline(TfidfVectorizer(), MultinomialNB()), TEXTS)
    check(result, "l", make_pipeline(TfidfVectorizer(), LogisticRegression(C=3.0)), TEXTS)


def test_exact_labels_of_any_kind_and_other_columns_stand_beside_a_matrix(tmp_path: Path) -> None:
    labels = np.where(Y == 1, "gut", "schlecht")
    file = uploaded(tmp_path, NPZ, npz(**SPARSE, y=labels, shop=SHOP, age=RNG.poisson(30, 80)))
    columns = {"target": "y", "features": ["X", "age"], "source": "shop"}
    result = run_kind(body_of(file, columns=columns), [file])

    assert result.losses is not None
    assert set(result.losses["prediction:m"].to_pylist()) == {"gut", "schlecht"}
    ours, theirs = (result.result["models"][name]["mean"]["pooled"] for name in ("m", "sk"))
    assert_allclose(ours, theirs, rtol=1e-10)


def test_degenerate_a_learner_that_the_matrix_is_too_wide_for_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("thetahat.tables.features.MAX_DENSE_CELLS", 500)
    file = uploaded(tmp_path, NPZ, npz(**SPARSE, y=Y, shop=SHOP))
    learners = {**LEARNERS, "g": "gaussian_naive_bayes", "lda": "LinearDiscriminantAnalysis"}
    result = run_kind(body_of(file, learners=learners), [file]).result

    assert set(result["models"]) == set(LEARNERS)
    assert "60 rows x 9 sparse columns would be 540 cells" in result["failures"]["g"]["message"]
    assert "multinomial_naive_bayes" in result["failures"]["lda"]["message"]


@pytest.mark.parametrize("role", ["target", "source", "weight"])
def test_invalid_a_matrix_in_the_place_of_a_column(tmp_path: Path, role: str) -> None:
    file = uploaded(tmp_path, NPZ, npz(**SPARSE, y=Y, shop=SHOP, age=Y + 30))
    columns = {"target": "y", "features": ["age"], "source": "shop", role: "X"}
    with pytest.raises(EvaluationError, match="'X' is a group of sparse columns") as caught:
        run_kind(body_of(file, columns=columns), [file])

    assert place_of(caught.value) == ("columns", role)
