"""Kind ``study``: what may be asked, from generators, data sets and presets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from service.errors import InvalidRequest
from service.jobs.discard import KEPT
from service.jobs.kinds import JOB_KINDS, _study_plan, study
from service.jobs.kinds._study_records import Stretch, as_table, from_table, packed, unpacked
from tests.service.kinds.running import parquet_file, place_of, run_kind
from thetahat.data import Data
from thetahat.errors import EvaluationError, InvalidParameter
from thetahat.registry import MethodInfo, Registry
from thetahat.studies import Claim, Findings, Number, Records, Table
from thetahat.studies.repeating import generator_of, in_blocks
from thetahat.types import Caution, FloatArray

LOSSES: dict[str, Any] = {
    "kind": "study",
    "population": {"generator": {"name": "random_effects", "params": {"omega": 0.1}}},
    "draw": {"n_sources": 4, "per_source": 3},
    "estimators": [{"variances": ["theta_A"], "intervals": ["student_t"]}],
    "repetitions": 30,
}
RNG = np.random.default_rng(20_261_123)
X = RNG.normal(size=60)
COLUMNS: dict[str, Any] = {
    "x": X,
    "y": np.where(X + RNG.normal(size=60) > 0, "yes", "no").tolist(),
    "site": np.repeat(["a", "b", "c", "d", "e"], 12).tolist(),
    "text": np.repeat(np.arange(30), 2),
}


@dataclass(frozen=True)
class Draws:
    """Draws in blocks of ten."""

    seed: int
    top: float
    of: str

    @property
    def grain(self) -> int:
        return 10

    def run(self, start: int, stop: int) -> dict[str, FloatArray]:
        def draw(first: int) -> dict[str, FloatArray]:
            return {"pair": self.top * generator_of(self.seed, first).random((10, 2))}

        return in_blocks(draw, 10, start, stop)

    def finish(self, records: Records) -> Findings:
        mean = Number(float(records["pair"].mean()), 0.001)
        claim = Claim(
            text="uniform", reference="efron1993", place="p", measured="m", figure=mean, at_least=0
        )
        table = Table(name="means", title="Means", columns={"mean": "M"}, rows=[{"mean": mean}])
        return Findings(tables=(table,), claims=(claim,), cautions=(Caution("from", self.of),))


@dataclass(frozen=True, slots=True, kw_only=True)
class Tiny:
    """Uniform numbers up to ``top``."""

    top: float = 1.0

    info: ClassVar[MethodInfo] = MethodInfo(name="tiny", title="Tiny", summary="Numbers.")
    repetitions: ClassVar[int] = 40
    roles: ClassVar[Mapping[str, str]] = {"numbers": "whose rows are counted"}

    def __post_init__(self) -> None:
        if self.top <= 0:
            raise InvalidParameter("top must be above 0", loc=("top",), value=self.top)

    def plan(self, data: Mapping[str, Data], seed: int) -> Draws:
        return Draws(seed, self.top, f"{data['numbers'].n} rows" if data else "a generator")


@pytest.fixture(autouse=True)
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_study_plan, "PRESETS", Registry("presets", {"tiny": Tiny}))


@pytest.fixture
def in_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(study, "AT_ONCE_S", -1.0)


def test_exact_chunks_or_all_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = run_kind(LOSSES, job=1)
    monkeypatch.setattr(study, "AT_ONCE_S", -1.0)
    cut = run_kind(LOSSES, job=2)

    assert whole.losses is not None
    assert whole.losses.equals(cut.losses)
    assert whole.result["tables"] == cut.result["tables"]
    assert whole.losses.num_rows == 30
    assert whole.result["study"]["repetitions"] == 30


def test_exact_a_preset_has_defaults_and_takes_overrides(in_chunks: None) -> None:
    plain = run_kind({"kind": "study", "preset": "tiny"}, job=3)
    other = run_kind({"kind": "study", "preset": "tiny", "top": 2.0, "repetitions": 25}, job=4)

    assert plain.losses is not None
    assert other.losses is not None
    assert plain.losses.column_names == ["repetition", "pair[0]", "pair[1]"]
    assert (plain.losses.num_rows, other.losses.num_rows) == (40, 25)
    ones, twos = (found.losses.column("pair[1]").to_numpy() for found in (plain, other))
    assert np.array_equal(2 * ones[:25], twos)
    assert plain.result["claims"][0]["verdict"] == "holds"
    assert plain.result["cautions"] == [{"code": "from", "message": "a generator"}]
    assert other.result["study"]["top"] == 2.0


def test_exact_a_preset_takes_data_by_role() -> None:
    inputs = {"numbers": {"data": {"X": [[1], [2], [3]], "y": ["a", "b", "a"]}}}

    found = run_kind({"kind": "study", "preset": "tiny", "inputs": inputs}, job=5)

    assert found.result["cautions"][0]["message"] == "3 rows"


def of_file(tmp_path: Path, **changes: Any) -> dict[str, Any]:
    file = parquet_file(tmp_path, COLUMNS)
    body = {
        "kind": "study",
        "population": {
            "dataset": str(file.id),
            "columns": {"target": "y", "source": "site"},
            "duplicates": "text",
        },
        "draw": {"n_sources": 3, "per_source": 5, "same_sources": 5},
        "estimators": [
            {
                "scheme": "leave_one_source_out",
                "learners": {"nm": "nearest_mean", "none": "majority"},
                "variances": ["theta_B"],
                "intervals": ["student_t"],
                "tests": ["sign"],
            },
            {
                "as": "folds",
                "scheme": {"name": "k_fold", "params": {"n_folds": 3}},
                "learner": "nearest_mean",
                "variances": ["theta_3"],
                "intervals": [],
            },
        ],
        "repetitions": 10,
    }
    return body | changes


def test_exact_a_data_set_is_drawn_per_source(tmp_path: Path) -> None:
    file = parquet_file(tmp_path, COLUMNS)
    found = run_kind(of_file(tmp_path), [file], job=6)
    told = found.result["study"]
    errors = {(r["estimator"], r["subject"], r["truth"]) for r in found.result["tables"][1]["rows"]}

    assert told["truth_from"] == "the rows that were not drawn"
    assert told["repetitions"] == 10
    assert ("leave_one_source_out", "nm", "new_source") in errors
    assert ("leave_one_source_out", "nm|none", "expected_at_training_size") in errors
    assert ("folds", "nearest_mean", "new_source") not in errors
    assert found.losses is not None
    assert set(found.losses.column("sources").to_pylist()) == {0.0, 1.0}


@pytest.mark.parametrize(
    ("changes", "place"),
    [
        ({"preset": "tiny"}, ("preset",)),
        ({"population": None}, ("preset",)),
        ({"top": 2.0}, ("top",)),
        ({"inputs": {"numbers": {}}}, ("inputs",)),
        ({"draw": None}, ("draw",)),
        ({"repetitions": None}, ("repetitions",)),
        ({"draw": {"per_source": 3}}, ("draw", "n_sources")),
        ({"draw": {"n": 3, "replace": True}}, ("draw", "replace")),
        ({"population": {"generator": "nothing"}}, ("population", "generator", "name")),
        ({"population": {"generator": "gaussian_shift"}}, ("population", "generator")),
        (
            {"population": {"generator": "random_effects", "duplicates": "a"}},
            ("population", "generator"),
        ),
        (
            {
                "population": {
                    "generator": {"name": "random_effects", "params": {"omega": 0.1, "gamma": -0.1}}
                }
            },
            ("population", "generator", "params", "gamma"),
        ),
        ({"estimators": [{"scheme": "k_fold"}]}, ("estimators", 0, "scheme")),
        ({"estimators": [{"variances": ["out_of_bag"]}]}, ("estimators", 0, "variances")),
        ({"estimators": [{"variances": ["nothing"]}]}, ("estimators", 0, "variances", 0, "name")),
        ({"estimators": [{}, {}]}, ("estimators", 1)),
    ],
)
def test_invalid_requests(changes: dict[str, Any], place: tuple[Any, ...]) -> None:
    body = {key: item for key, item in (LOSSES | changes).items() if item is not None}

    with pytest.raises((EvaluationError, InvalidRequest)) as refused:
        run_kind(body)

    assert place_of(refused.value) == place


@pytest.mark.parametrize(
    ("estimator", "place"),
    [
        ({"learner": "majority"}, ("scheme",)),
        ({"scheme": "k_fold"}, ("learners",)),
        ({"scheme": "k_fold", "learner": "majority", "loss": "squared"}, ("loss",)),
        ({"scheme": "leave_one_source_out", "learner": "majority"}, ("scheme",)),
        ({"scheme": "k_fold", "learner": "majority", "truths": ["all"]}, ("truths",)),
        ({"scheme": "k_fold", "learners": {"a|b": "majority"}}, ("learners", "a|b")),
        ({"scheme": "k_fold", "learner": "majority", "variances": ["theta_A"]}, ("variances", 0)),
    ],
)
def test_invalid_estimators_of_data(estimator: dict[str, Any], place: tuple[Any, ...]) -> None:
    body = LOSSES | {
        "population": {"generator": "two_class_gaussian"},
        "draw": {"n": 20},
        "estimators": [estimator],
    }

    with pytest.raises((EvaluationError, InvalidRequest)) as refused:
        run_kind(body)

    assert place_of(refused.value) == ("estimators", 0, *place)


@pytest.mark.parametrize(
    ("changes", "place"),
    [
        ({"preset": "nothing"}, ("preset",)),
        ({"top": -1.0}, ("top",)),
        ({"top": "high"}, ("top",)),
        ({"bottom": 1.0}, ("bottom",)),
        ({"draw": {"n": 3}}, ("draw",)),
        ({"inputs": {"words": {}}}, ("inputs", "words")),
        ({"inputs": {"numbers": {}}}, ("inputs", "numbers", "data")),
    ],
)
def test_invalid_presets(changes: dict[str, Any], place: tuple[Any, ...]) -> None:
    with pytest.raises((EvaluationError, InvalidRequest)) as refused:
        run_kind({"kind": "study", "preset": "tiny"} | changes)

    assert place_of(refused.value) == place


@pytest.mark.parametrize(
    ("population", "place"),
    [
        ({"duplicates": "nothing"}, ("population", "duplicates")),
        ({"columns": {"target": "z"}}, ("population", "columns", "target")),
        ({"duplicates": ["a", "b"]}, ("population", "duplicates")),
    ],
)
def test_invalid_data_sets(
    tmp_path: Path, population: dict[str, Any], place: tuple[Any, ...]
) -> None:
    file, body = parquet_file(tmp_path, COLUMNS), of_file(tmp_path)

    with pytest.raises((EvaluationError, InvalidRequest)) as refused:
        run_kind(body | {"population": body["population"] | population}, [file], job=7)

    assert place_of(refused.value) == place


def test_invalid_inline_data_name_no_column_of_duplicates() -> None:
    body = LOSSES | {
        "population": {"data": {"X": [[1], [2]], "y": ["a", "b"]}, "duplicates": "text"},
        "draw": {"n": 1},
        "estimators": [{"scheme": "k_fold", "learner": "majority"}],
    }

    with pytest.raises(InvalidParameter, match="one label per row"):
        run_kind(body)


def test_invalid_records_that_no_memory_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(study, "MOST_VALUES", 100)

    with pytest.raises(InvalidParameter, match="ask for fewer") as refused:
        run_kind(LOSSES, job=8)

    assert refused.value.loc == ("repetitions",)


def test_exact_records_come_back_from_chunks_and_tables() -> None:
    records = {"a": np.array([1.0, np.nan]), "b/c": np.arange(8.0).reshape(2, 2, 2)}
    given = Stretch(np.array([3, 7]), records, seconds=2.0, n_timed=2)

    for back in (unpacked(packed(given)), from_table(as_table(given))):
        assert back.index.tolist() == [3, 7]
        for name, values in records.items():
            assert np.array_equal(back.records[name], values, equal_nan=True)
    assert unpacked(packed(given)).seconds == 2.0


def test_exact_kinds_whose_chunks_are_kept_can_be_gone_on_with() -> None:
    assert {name for name, kind in JOB_KINDS.items() if hasattr(kind, "completed")} == KEPT
