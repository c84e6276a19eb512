"""Build a study from a request: its population, draw and estimators, or its preset."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any
from uuid import UUID

import numpy as np

from thetahat.analyses.studies.base import Study
from thetahat.analyses.studies.dataset_population import DataAsPopulation
from thetahat.analyses.studies.general import GeneralStudy
from thetahat.analyses.studies.generated_population import (
    GeneratedData,
    GeneratedLosses,
    GeneratedPairs,
)
from thetahat.analyses.studies.population import Population
from thetahat.analyses.studies.presets import Preset, collect_presets
from thetahat.errors import InvalidParameter, shorten_value
from thetahat.generators import GENERATORS, DrawKind, DrawSize
from thetahat.seeds import make_random_stream
from thetahat.tables.data import Data
from thetahat_service.data.reading import read_labels
from thetahat_service.errors import FieldError, InvalidRequest
from thetahat_service.kinds.base import DatasetFile, Job
from thetahat_service.kinds.fields.data import DataColumns, DataFields, check_data_fields, read_data
from thetahat_service.kinds.fields.layout import require_columns
from thetahat_service.kinds.fields.locations import locate_errors_within
from thetahat_service.kinds.fields.methods import build_with_parameters, parse_method
from thetahat_service.kinds.study.estimators import build_estimators
from thetahat_service.kinds.study.request import PopulationInput, RoleData, StudyRequest

Files = Mapping[UUID, DatasetFile]


def check_study(request: StudyRequest, datasets: Files) -> None:
    """Refuse what is wrong in the request alone; nothing is drawn and no data set is read."""
    if (request.preset is None) == (request.population is None):
        raise InvalidParameter("A study needs either a preset or a population.", loc=("preset",))
    if request.preset is not None:
        _check_preset(request, datasets)
        return
    if request.overrides:
        name = next(iter(request.overrides))
        fault = FieldError(
            (name,), "This is not a field of a study.", shorten_value(request.overrides[name])
        )
        raise InvalidRequest(f"A study without a preset has no field {name!r}.", (fault,))
    if request.inputs:
        raise InvalidParameter("The field inputs is only for presets.", loc=("inputs",))
    if request.draw is None or request.estimators is None or request.repetitions is None:
        missing = [n for n in ("draw", "estimators", "repetitions") if getattr(request, n) is None]
        raise InvalidParameter(
            f"A study of a population needs {' and '.join(missing)}.", loc=(missing[0],)
        )
    _build_general_parts(request, datasets, check_only=True)


@lru_cache(maxsize=1)
def build_study(job: Job[StudyRequest]) -> Study:
    """Return the study of a job; that of the last job is cached for its further chunks."""
    request = job.request
    if request.preset is not None:
        data = {role: _read_role(data, job.datasets, role) for role, data in request.inputs.items()}
        return build_preset(request).plan(data, job.seed)
    population, size, estimators = _build_general_parts(request, job.datasets, check_only=False)
    assert request.draw is not None  # noqa: S101 - check_study has checked it
    assert population is not None  # noqa: S101 - likewise
    return GeneralStudy(
        population=population,
        size=size,
        estimators=estimators,
        seed=job.seed,
        same_sources=request.draw.same_sources,
    )


def build_preset(request: StudyRequest) -> Preset:
    """Return the preset with the parameters of the request."""
    name = request.preset or ""
    collect_presets().get_method(name, loc=("preset",))
    return build_with_parameters(collect_presets()[name], name, request.overrides, ())


def count_repetitions(request: StudyRequest) -> int:
    """Return the number of repetitions of the request, or the preset's default."""
    if request.repetitions is not None:
        return request.repetitions
    return collect_presets()[request.preset or ""].repetitions


def _check_preset(request: StudyRequest, datasets: Files) -> None:
    for field in ("population", "draw", "estimators"):
        if getattr(request, field) is not None:
            raise InvalidParameter(
                f"A preset has its own {field}; leave the field out.", loc=(field,)
            )
    preset = build_preset(request)
    for role, inputs in request.inputs.items():
        if role not in preset.roles:
            listed = ", ".join(preset.roles) or "none"
            raise InvalidParameter(
                f"The preset {request.preset!r} has no input {role!r}; its inputs: {listed}.",
                loc=("inputs", role),
            )
        with locate_errors_within(("inputs", role)):
            check_data_fields(_data_fields(inputs), datasets)


def _build_general_parts(
    request: StudyRequest, datasets: Files, *, check_only: bool
) -> tuple[Population | None, DrawSize, list[Any]]:
    """Return population, size and estimators; with ``check_only`` no data set is opened."""
    assert request.population is not None  # noqa: S101 - check_study has checked it
    assert request.draw is not None  # noqa: S101 - likewise
    with locate_errors_within(("draw",)):
        size = DrawSize(**request.draw.model_dump(include=set(DrawSize.__dataclass_fields__)))
    population: Population | None
    sort, task = DrawKind.DATA, str(request.population.task)
    if request.population.generator is None:
        with locate_errors_within(("population",)):
            _check_data(request.population, datasets)
            population = None if check_only else _read_population(request, datasets)
    else:
        population, sort, task = _build_generated_population(request, size)
    return population, size, build_estimators(request.estimators or (), sort, task, size)


def _build_generated_population(
    request: StudyRequest, size: DrawSize
) -> tuple[Population, DrawKind, str]:
    population = request.population
    assert population is not None  # noqa: S101 - the caller has checked it
    assert population.generator is not None  # noqa: S101 - likewise
    generator: Any = parse_method(GENERATORS, population.generator, ("population", "generator"))
    if (
        population.dataset is not None
        or population.data is not None
        or population.duplicates is not None
    ):
        raise InvalidParameter(
            "A population is either a generator or a data set, not both.",
            loc=("population", "generator"),
        )
    if request.draw is not None and request.draw.replace:
        raise InvalidParameter(
            "Rows of a generator are never drawn twice; leave replace out.", loc=("draw", "replace")
        )
    if generator.draws is DrawKind.PAIRS:
        return GeneratedPairs(generator, population.n_judged), DrawKind.PAIRS, "classification"
    if generator.draws is DrawKind.LOSSES:
        losses = GeneratedLosses(generator)
        with locate_errors_within(("population", "generator", "params")):
            # raises if the parameters do not fit the number of blocks
            losses.draw_sources(size, make_random_stream(0, "check"))
        return losses, DrawKind.LOSSES, ""
    return GeneratedData(generator, population.n_judged), DrawKind.DATA, generator.task


def _check_data(population: PopulationInput, datasets: Files) -> None:
    check_data_fields(_data_fields(population), datasets)
    if isinstance(population.duplicates, str):
        if population.dataset is None:
            raise InvalidParameter(
                "With inline data, duplicates must be a list with one label per row.",
                loc=("duplicates",),
                value=population.duplicates,
            )
        require_columns(datasets[population.dataset], {("duplicates",): population.duplicates})


def _read_population(request: StudyRequest, datasets: Files) -> DataAsPopulation:
    population, draw = request.population, request.draw
    assert population is not None  # noqa: S101 - the caller has checked it
    assert draw is not None  # noqa: S101 - likewise
    data = read_data(_data_fields(population, datasets), datasets)
    group: np.ndarray | None = None
    if isinstance(population.duplicates, str) and population.dataset is not None:
        name = population.duplicates
        group = read_labels(datasets[population.dataset], [name])[name]
    elif population.duplicates is not None:
        group = np.array([str(label) for label in population.duplicates], dtype=object)
    if group is not None and len(group) != data.n:
        raise InvalidParameter(
            f"The field duplicates has {len(group)} labels, but the data have {data.n} rows.",
            loc=("duplicates",),
        )
    return DataAsPopulation(
        data=data, group=group, replace=draw.replace, n_judged=population.n_judged
    )


def _data_fields(inputs: PopulationInput | RoleData, datasets: Files | None = None) -> DataFields:
    """Return the fields of the data set; a column of duplicates is not a feature."""
    columns = inputs.columns
    named = getattr(inputs, "duplicates", None)
    if datasets and inputs.dataset and columns is not None and isinstance(named, str):
        columns = _leave_out_feature(columns, named, datasets[inputs.dataset])
    return DataFields(dataset=inputs.dataset, columns=columns, data=inputs.data, task=inputs.task)


def _leave_out_feature(columns: DataColumns, name: str, file: DatasetFile) -> DataColumns:
    if columns.features is not None:
        return columns
    other_columns = {name, *columns.model_dump(exclude={"features"}).values()}
    features = [str(c["name"]) for c in file.columns if c["name"] not in other_columns]
    return columns.model_copy(update={"features": features})


def _read_role(inputs: RoleData, datasets: Files, role: str) -> Data:
    with locate_errors_within(("inputs", role)):
        return read_data(_data_fields(inputs), datasets)
