"""The parts of the kept study of coverage: chunks that are kept, and pairs taken apart."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from thetahat.analyses.studies.general import GeneralStudy
from thetahat.values.types import FloatArray
from thetahat_replications.presets.interval_coverage.cells import (
    CoverageCell,
    build_cells,
    build_pair_cells,
)
from thetahat_replications.presets.interval_coverage.settings import build_settings
from thetahat_replications.presets.interval_coverage.study_parts import (
    DRAWS,
    INDEPENDENT,
    THOUSAND,
    StudyPart,
    compute_chunk,
    list_chunks,
    list_parts,
    read_part,
    separate_learners,
)

SETTINGS = {name: build_settings()[name] for name in ("the same sources", "classes in clusters")}
DRAWN = 30


def _build_pair(population: str) -> CoverageCell:
    (cell,) = build_pair_cells(
        {population: SETTINGS[population]},
        (24,),
        0.95,
        3,
        {"classes in clusters": "gaussian_naive_bayes"},
    )
    return cell


@pytest.mark.about("presets/interval_coverage")
def test_exact_kept_chunks_are_the_draws_of_one_run(tmp_path: Path) -> None:
    cell = _build_pair("the same sources")
    part = StudyPart(name="one", draws=DRAWN, cells=(cell,))
    chunks = list_chunks([part], tmp_path)

    for chunk in reversed(chunks):
        compute_chunk(chunk)

    assert len(chunks) == 2
    ((_, records),) = read_part(part, tmp_path)
    expected = cell.study.run(0, DRAWN)
    assert records.keys() == expected.keys()
    for name, values in expected.items():
        np.testing.assert_array_equal(records[name], values)


class _Refusing(GeneralStudy):
    __slots__ = ()

    def run(self, start: int, stop: int) -> dict[str, FloatArray]:
        raise AssertionError(f"draws {start} to {stop} are computed again")


@pytest.mark.about("presets/interval_coverage")
def test_exact_an_interrupted_study_goes_on_from_its_chunks(tmp_path: Path) -> None:
    cell = _build_pair("the same sources")
    part = StudyPart(name="one", draws=DRAWN, cells=(cell,))
    first, second = list_chunks([part], tmp_path)
    compute_chunk(first)
    study = cell.study
    refusing = _Refusing(
        population=study.population,
        size=study.size,
        estimators=study.estimators,
        seed=study.seed,
        same_sources=study.same_sources,
    )

    compute_chunk(replace(first, cell=replace(cell, study=refusing)))

    with pytest.raises(AssertionError, match="draws 25 to 30"):
        compute_chunk(replace(second, cell=replace(cell, study=refusing)))


@pytest.mark.about("presets/interval_coverage")
def test_naive_a_learner_of_a_pair_has_the_records_of_its_own_study() -> None:
    pair = _build_pair("classes in clusters")
    # the preset has the first learner alone
    (expected,) = build_cells(
        {"classes in clusters": SETTINGS["classes in clusters"]}, (24,), 0.95, 3, refits=False
    )

    ((single, records),) = separate_learners(pair, pair.study.run(0, 2), 3)

    own = expected.study.run(0, 2)
    assert (single.name, single.learner) == (expected.name, "linear_discriminant")
    assert records.keys() == own.keys()
    for name, values in own.items():
        np.testing.assert_allclose(records[name], values, rtol=1e-12, atol=1e-12)


@pytest.mark.about("presets/interval_coverage")
def test_exact_every_part_has_its_draws_and_no_two_cells_share_a_file(tmp_path: Path) -> None:
    parts = list_parts(6, {})

    assert {part.name: part.draws for part in parts} == dict(DRAWS)
    sizes = {part.name: {cell.n for cell in part.cells} for part in parts}
    assert sizes[INDEPENDENT] == {50, 200}
    assert sizes[THOUSAND] == {1000}
    files = [chunk.file for chunk in list_chunks(parts, tmp_path)]
    assert len(files) == len(set(files))
