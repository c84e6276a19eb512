"""Build a study from a request: its population, draw and estimators, or its preset."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any
from uuid import UUID

import numpy as np

from service.data.reading import read_columns
from service.errors import FieldError, InvalidRequest
from service.kinds.base import DatasetFile, Job
from service.kinds.fields.data import DataColumns, DataFields, check_data_fields, read_data
from service.kinds.fields.layout import require_columns
from service.kinds.fields.locations import errors_within
from service.kinds.fields.methods import build_method, parse_method
from service.kinds.study.estimators import build_estimators
from service.kinds.study.request import PopulationInput, RoleData, StudyRequest
from service.schemas.numbers import shown
from thetahat.analyses.studies.base import Study
from thetahat.analyses.studies.dataset_population import DataAsPopulation
from thetahat.analyses.studies.general import GeneralStudy
from thetahat.analyses.studies.generated_population import (
    GeneratedData,
    GeneratedLosses,
    GeneratedPairs,
)
from thetahat.analyses.studies.population import Population
from thetahat.analyses.studies.presets import Preset, presets
from thetahat.errors import EvaluationError, InvalidParameter, Loc
from thetahat.generators import GENERATORS, DrawKind, DrawSize
from thetahat.seeds import stream
from thetahat.tables.data import Data

Files = Mapping[UUID, DatasetFile]


def check_study(given: StudyRequest, datasets: Files) -> None:
    """Refuse what is wrong in the request alone; nothing is drawn and no data set is read."""
    if (given.preset is None) == (given.population is None):
        raise InvalidParameter("A study needs either a preset or a population.", loc=("preset",))
    if given.preset is not None:
        _check_preset(given, datasets)
        return
    if given.overrides:
        name = next(iter(given.overrides))
        fault = FieldError((name,), "This is not a field of a study.", shown(given.overrides[name]))
        raise InvalidRequest(f"A study without a preset has no field {name!r}.", (fault,))
    if given.inputs:
        raise InvalidParameter("The field inputs is only for presets.", loc=("inputs",))
    if given.draw is None or given.estimators is None or given.repetitions is None:
        missing = [n for n in ("draw", "estimators", "repetitions") if getattr(given, n) is None]
        raise InvalidParameter(
            f"A study of a population needs {' and '.join(missing)}.", loc=(missing[0],)
        )
    _general_parts(given, datasets, check_only=True)


@lru_cache(maxsize=1)
def build_study(job: Job[StudyRequest]) -> Study:
    """Return the study of a job; that of the last job is cached for its further chunks."""
    given = job.request
    if given.preset is not None:
        data = {role: _data(one, job.datasets, role) for role, one in given.inputs.items()}
        return build_preset(given).plan(data, job.seed)
    population, size, estimators = _general_parts(given, job.datasets, check_only=False)
    assert given.draw is not None  # noqa: S101 - check_study has checked it
    assert population is not None  # noqa: S101 - likewise
    return GeneralStudy(
        population=population,
        size=size,
        estimators=estimators,
        seed=job.seed,
        same_sources=given.draw.same_sources,
    )


def build_preset(given: StudyRequest) -> Preset:
    """Return the preset with the parameters of the request."""
    name = given.preset or ""
    presets().get_method(name, loc=("preset",))
    try:
        return build_method(presets(), name, given.overrides, ())
    except EvaluationError as error:
        error.loc = _without_params(error.loc)
        raise
    except InvalidRequest as refusal:
        faults = tuple(
            FieldError(_without_params(f.loc), f.message, f.value) for f in refusal.errors
        )
        raise InvalidRequest(refusal.message, faults) from None


def count_repetitions(given: StudyRequest) -> int:
    """Return the number of repetitions of the request, or the preset's default."""
    if given.repetitions is not None:
        return given.repetitions
    return presets()[given.preset or ""].repetitions


def _without_params(loc: Loc) -> Loc:
    return loc[1:] if loc[:1] == ("params",) else loc


def _check_preset(given: StudyRequest, datasets: Files) -> None:
    for field in ("population", "draw", "estimators"):
        if getattr(given, field) is not None:
            raise InvalidParameter(
                f"A preset has its own {field}; leave the field out.", loc=(field,)
            )
    preset = build_preset(given)
    for role, one in given.inputs.items():
        if role not in preset.roles:
            known = ", ".join(preset.roles) or "none"
            raise InvalidParameter(
                f"The preset {given.preset!r} has no input {role!r}; its inputs: {known}.",
                loc=("inputs", role),
            )
        with errors_within(("inputs", role)):
            check_data_fields(_fields(one), datasets)


def _general_parts(
    given: StudyRequest, datasets: Files, *, check_only: bool
) -> tuple[Population | None, DrawSize, list[Any]]:
    """Return population, size and estimators; with ``check_only`` no data set is opened."""
    assert given.population is not None  # noqa: S101 - check_study has checked it
    assert given.draw is not None  # noqa: S101 - likewise
    with errors_within(("draw",)):
        size = DrawSize(**given.draw.model_dump(include=set(DrawSize.__dataclass_fields__)))
    population: Population | None
    sort, task = DrawKind.DATA, str(given.population.task)
    if given.population.generator is None:
        with errors_within(("population",)):
            _check_data(given.population, datasets)
            population = None if check_only else _of_data(given, datasets)
    else:
        population, sort, task = _of_generator(given, size)
    return population, size, build_estimators(given.estimators or (), sort, task, size)


def _of_generator(given: StudyRequest, size: DrawSize) -> tuple[Population, DrawKind, str]:
    of = given.population
    assert of is not None  # noqa: S101 - its caller looked
    assert of.generator is not None  # noqa: S101 - likewise
    generator: Any = parse_method(GENERATORS, of.generator, ("population", "generator"))
    if of.dataset is not None or of.data is not None or of.duplicates is not None:
        raise InvalidParameter(
            "A population is either a generator or a data set, not both.",
            loc=("population", "generator"),
        )
    if given.draw is not None and given.draw.replace:
        raise InvalidParameter(
            "Rows of a generator are never drawn twice; leave replace out.", loc=("draw", "replace")
        )
    if generator.draws is DrawKind.PAIRS:
        return GeneratedPairs(generator, of.n_judged), DrawKind.PAIRS, "classification"
    if generator.draws is DrawKind.LOSSES:
        losses = GeneratedLosses(generator)
        with errors_within(("population", "generator", "params")):
            # raises if the parameters do not fit the number of blocks
            losses.draw_sources(size, stream(0, "check"))
        return losses, DrawKind.LOSSES, ""
    return GeneratedData(generator, of.n_judged), DrawKind.DATA, generator.task


def _check_data(of: PopulationInput, datasets: Files) -> None:
    check_data_fields(_fields(of), datasets)
    if isinstance(of.duplicates, str):
        if of.dataset is None:
            raise InvalidParameter(
                "With inline data, duplicates must be a list with one label per row.",
                loc=("duplicates",),
                value=of.duplicates,
            )
        require_columns(datasets[of.dataset], {("duplicates",): of.duplicates})


def _of_data(given: StudyRequest, datasets: Files) -> DataAsPopulation:
    of, draw = given.population, given.draw
    assert of is not None  # noqa: S101 - its caller looked
    assert draw is not None  # noqa: S101 - likewise
    data = read_data(_fields(of, datasets), datasets)
    group: np.ndarray | None = None
    if isinstance(of.duplicates, str) and of.dataset is not None:
        column = read_columns(datasets[of.dataset], [of.duplicates])[of.duplicates]
        group = np.asarray(column)
    elif of.duplicates is not None:
        group = np.array([str(label) for label in of.duplicates], dtype=object)
    if group is not None and len(group) != data.n:
        raise InvalidParameter(
            f"duplicates has {len(group)} labels, but the data have {data.n} rows.",
            loc=("duplicates",),
        )
    return DataAsPopulation(data=data, group=group, replace=draw.replace, n_judged=of.n_judged)


def _fields(of: PopulationInput | RoleData, datasets: Files | None = None) -> DataFields:
    """Return the fields of the data set; a column of duplicates is not a feature."""
    columns = of.columns
    named = getattr(of, "duplicates", None)
    if datasets is not None and columns is not None and isinstance(named, str):
        columns = _without(columns, named, datasets[of.dataset]) if of.dataset else columns
    return DataFields(dataset=of.dataset, columns=columns, data=of.data, task=of.task)


def _without(columns: DataColumns, name: str, file: DatasetFile) -> DataColumns:
    if columns.features is not None:
        return columns
    taken = {name, *columns.model_dump(exclude={"features"}).values()}
    features = [str(c["name"]) for c in file.columns if c["name"] not in taken]
    return columns.model_copy(update={"features": features})


def _data(one: RoleData, datasets: Files, role: str) -> Data:
    with errors_within(("inputs", role)):
        return read_data(_fields(one), datasets)
