"""How the kinds that fit learners cut their work into chunks, run a chunk and join the outputs.

The work is learners times splits. Learners that are fitted together form a bundle. The work of a
bundle is a list of stages, such as the splits of a scheme, one training size, or the extra fits of
a method. A chunk is a range of the splits of one stage for one bundle; its payload is its key,
which identifies its output. The numbers do not depend on the cut.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from itertools import pairwise
from typing import ClassVar, Generic, TypeVar
from uuid import UUID

import numpy as np

from thetahat.cross_validation import Group
from thetahat.cross_validation.result import LearnerFailure
from thetahat.errors import EvaluationError, InsufficientData, Loc
from thetahat.tables.data import Data
from thetahat_service.json_types import Payload
from thetahat_service.kinds.base import (
    Arrays,
    Chunk,
    ChunkOutput,
    Chunks,
    CutChunk,
    DatasetFile,
    Finished,
    Job,
    JobKind,
    read_payload,
    run_chunks,
)
from thetahat_service.kinds.fitting.bundles import MOST_NUMBERS_OF_CHUNK, Bundle
from thetahat_service.kinds.fitting.learner_outputs import (
    LearnerOutput,
    LearnerOutputs,
    pack_learner_outputs,
    unpack_learner_outputs,
)
from thetahat_service.kinds.fitting.open_task import F, set_task
from thetahat_service.outcomes.failures import describe_memory_limit
from thetahat_service.settings import get_settings

SMALL = 3_000_000
"""Values of the data read over all fits up to which one unit computes the whole evaluation."""
WORTH_A_CHUNK = 300_000
"""Values read by a chunk of learners that compute all splits from one pass, below which another
worker's pass over all rows would not pay."""
MOST_CHUNKS = 64
"""About the number of chunks of one stage: enough for many workers, and few enough to store."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FittingStage:
    """Splits that the learners of a bundle are fitted on, and how they are cut."""

    name: str
    """Part of the key of its chunks."""
    n_splits: int
    """Number of splits; 0 makes no chunk."""
    n_chunks: int
    """Number of chunks that the splits are cut into, at most ``n_splits``."""
    fits_per_split: int = 1
    """Fits of one learner on one split, which count in the progress."""

    def split_range(self, n_chunks: int) -> Iterator[tuple[int, int]]:
        """Yield (start, stop) of ranges of about equal length."""
        n_chunks = min(self.n_splits, n_chunks)
        return pairwise([self.n_splits * i // max(1, n_chunks) for i in range(n_chunks + 1)])


@dataclass(frozen=True, slots=True)
class ChunkKey:
    """What a chunk computes: the splits from ``start`` to ``stop`` of one stage, for one bundle."""

    bundle: int
    stage: str
    start: int
    stop: int


def apply_unless_failed(value: T | EvaluationError, work: Callable[[T], U]) -> U | EvaluationError:
    """Return ``work(value)``, or the error that it raises.

    A value that is an error is returned as it is, so that a learner that fails stops no other.
    """
    if isinstance(value, EvaluationError):
        return value
    try:
        return work(value)
    except EvaluationError as error:
        return error


def is_chunk_key(payload: Payload) -> bool:
    """Return whether the payload of a chunk is a ``ChunkKey``."""
    return "bundle" in payload


class FittingPlan(ABC):
    """The learners and splits of one evaluation; request and data determine the chunks.

    Parameters
    ----------
    all_own : bool
        Whether no learner needs scikit-learn.
    """

    all_own: bool

    @property
    @abstractmethod
    def bundles(self) -> Sequence[Bundle]:
        """All learners, in bundles."""

    @property
    @abstractmethod
    def n_cells(self) -> int:
        """About the number of values of the data that are read over all fits."""

    @abstractmethod
    def build_stages(self, bundle: Bundle) -> Sequence[FittingStage]:
        """Return the stages of a bundle, in the order of the chunks."""

    def build_learner_path(self, name: str) -> Loc:
        """Return the path of a learner in the request."""
        return ("learners", name)

    def build_part_name(self, bundle: Bundle, stage: str) -> str:
        """Return the part of the progress that a stage of a bundle belongs to."""
        del stage
        return bundle.part


P = TypeVar("P", bound=FittingPlan)
T = TypeVar("T")
U = TypeVar("U")

GroupOutputs = Mapping[str, Arrays | EvaluationError]
"""The arrays of each learner, or the error that it failed with."""

LearnerPath = Callable[[str], Loc]
"""Returns the path of a learner in the request."""

RunGroup = Callable[[Group, ChunkKey], GroupOutputs]
"""Fits and tests the learners of a group on the splits of a chunk; an error that it raises is
recorded for every learner."""


def cut_into_chunks(plan: FittingPlan, *, whole: bool = False) -> list[Chunk]:
    """Return the chunks of a plan, bundle after bundle; ``whole`` makes one chunk of each stage."""
    return [
        Chunk(
            asdict(ChunkKey(at, stage.name, start, stop)),
            size=(stop - start) * stage.fits_per_split * len(bundle.names),
            part=plan.build_part_name(bundle, stage.name),
        )
        for at, bundle in enumerate(plan.bundles)
        for stage in plan.build_stages(bundle)
        for start, stop in stage.split_range(1 if whole else stage.n_chunks)
    ]


def divide_chunks(n_shares: int) -> int:
    """Return the number of chunks for each of ``n_shares`` shares of the work."""
    return max(1, MOST_CHUNKS // n_shares)


def count_chunks(  # noqa: PLR0913 - the bundle, the data and the sizes of a stage
    bundle: Bundle,
    data: Data,
    *,
    n_splits: int,
    n_tests: int,
    max_chunks: int,
    n_fits: int | None = None,
) -> int:
    """Return the number of chunks to cut the splits of a stage into.

    For learners that compute all splits from one pass over the rows, every chunk costs another
    pass, so they get few. No chunk returns much more than ``MOST_NUMBERS_OF_CHUNK`` values.

    Parameters
    ----------
    n_tests : int
        Rows that one learner is tested on over all splits of the stage.
    max_chunks : int
        Number of chunks that keeps many workers busy.
    n_fits : int or None
        Fits of one learner that count as work; the splits of the stage, if left out.
    """
    if bundle.is_fast:
        n_cells = bundle.count_cells(data, n_splits if n_fits is None else n_fits)
        max_chunks = min(max_chunks, max(1, n_cells // WORTH_A_CHUNK))
    fewest = -(-bundle.count_numbers(data, n_tests) // MOST_NUMBERS_OF_CHUNK)
    return min(n_splits, max(max_chunks, fewest))


def run_chunk(plan: FittingPlan, payload: Payload, run_group: RunGroup) -> Arrays:
    """Fit and test the learners of a chunk; a learner that fails stops no other."""
    key = read_payload(ChunkKey, payload)
    outputs: dict[str, LearnerOutput] = {}
    for group in plan.bundles[key.bundle].groups:
        outputs |= run_together(group, key, run_group, plan.build_learner_path)
    return pack_learner_outputs(outputs)


def run_together(
    group: Group, key: ChunkKey, run_group: RunGroup, learner_path: LearnerPath
) -> LearnerOutputs:
    """Run a group; where it needs too much memory together, run its learners one after another.

    A learner that needs too much by itself then fails alone. At the edge of a limit the last
    digits of a learner that ran alone may differ from those that it has in the group.
    """
    if len(group.names) == 1:
        return _run_isolated(group, key, run_group, learner_path)
    try:
        return _run_isolated(group, key, run_group, learner_path)
    except MemoryError:
        pass  # the traceback keeps the memory until the handler ends
    outputs: dict[str, LearnerOutput] = {}
    for name, learner in zip(group.names, group.learners, strict=True):
        try:
            outputs |= _run_isolated(Group((name,), (learner,)), key, run_group, learner_path)
        except MemoryError:
            limit = describe_memory_limit(get_settings().memory_limit_mb)
            outputs[name] = LearnerFailure(
                code=limit["code"], message=limit["detail"], loc=learner_path(name)
            )
    return outputs


def _run_isolated(
    group: Group, key: ChunkKey, run_group: RunGroup, learner_path: LearnerPath
) -> LearnerOutputs:
    """Run a group and return errors as failures; a raised error is a failure of each learner."""
    outputs: GroupOutputs
    try:
        outputs = run_group(group, key)
    except EvaluationError as error:  # such as a split that the scheme refuses
        outputs = dict.fromkeys(group.names, error)
    return {
        name: LearnerFailure(code=output.code, message=output.message, loc=learner_path(name))
        if isinstance(output, EvaluationError)
        else output
        for name, output in outputs.items()
    }


@dataclass(slots=True)
class LearnerRecord:
    """All arrays and failures of one learner."""

    arrays: dict[str, list[Mapping[str, np.ndarray]]] = field(default_factory=dict)
    """By stage, the arrays of its chunks in the order of the splits."""
    failures: dict[str, LearnerFailure] = field(default_factory=dict)
    """By stage, the first failure."""


class JoinedOutputs:
    """The outputs of a plan's chunks, grouped by bundle and stage and read at first use.

    There may be fewer than the plan has: a partial result has those of the learners that are
    complete or have failed. ``others`` are the outputs of further chunks, which fit no bundle.
    """

    def __init__(self, plan: FittingPlan, outputs: Sequence[ChunkOutput]) -> None:
        self._plan = plan
        self._chunks: dict[int, dict[str, list[tuple[ChunkKey, ChunkOutput]]]] = {}
        self.others = [output for output in outputs if not is_chunk_key(output.payload)]
        for output in outputs:
            if not is_chunk_key(output.payload):
                continue
            key = read_payload(ChunkKey, output.payload)
            chunks_by_stage = self._chunks.setdefault(key.bundle, {})
            chunks_by_stage.setdefault(key.stage, []).append((key, output))

    @property
    def bundles(self) -> dict[int, Bundle]:
        """The bundles that have outputs, by their number in the plan."""
        return {
            number: bundle
            for number, bundle in enumerate(self._plan.bundles)
            if number in self._chunks
        }

    def list_learners_in(self, order: Collection[str]) -> list[str]:
        """Return the learners that have outputs, in this order."""
        present = {name for bundle in self.bundles.values() for name in bundle.names}
        return [name for name in order if name in present]

    def list_stages(self, bundle: int) -> list[FittingStage]:
        """Return the stages of a bundle that have outputs, in the plan's order."""
        stages = self._plan.build_stages(self._plan.bundles[bundle])
        return [stage for stage in stages if stage.name in self._chunks[bundle]]

    def read(self, bundle: int, stage: str) -> Iterator[tuple[ChunkKey, LearnerOutputs]]:
        """Yield the outputs of a stage of a bundle, in the order of the splits."""
        names = self._plan.bundles[bundle].names
        chunks = self._chunks[bundle].get(stage, [])
        for key, output in sorted(chunks, key=lambda chunk: chunk[0].start):
            yield key, unpack_learner_outputs(output.read(), names, self._plan.build_learner_path)

    def read_bundle(self, bundle: int) -> dict[str, LearnerRecord]:
        """Return all outputs of a bundle by learner."""
        records = {name: LearnerRecord() for name in self._plan.bundles[bundle].names}
        for stage in self.list_stages(bundle):
            for _, outputs in self.read(bundle, stage.name):
                for name, output in outputs.items():
                    if isinstance(output, LearnerFailure):
                        records[name].failures.setdefault(stage.name, output)
                    else:
                        records[name].arrays.setdefault(stage.name, []).append(output)
        return records


@dataclass(frozen=True, eq=False)
class FittingKind(JobKind[F], Generic[F, P]):
    """A kind that fits learners: it makes a plan, and a result from the outputs of the chunks."""

    unit: ClassVar[str] = "fits"
    """What the progress counts."""
    has_partial_results: ClassVar[bool] = True

    check_request: Callable[[F, Mapping[UUID, DatasetFile]], None]
    """Checks a request that has its task; no learner is fitted."""
    plan: Callable[[Job[F]], P]
    """Returns the plan of a job."""
    run_group: Callable[[P, Group, ChunkKey], GroupOutputs]
    """Fits and tests the learners of a group on the splits of a chunk."""
    build_result: Callable[[P, JoinedOutputs], Finished]
    """Returns the result of the learners that have outputs."""

    def check(self, request: F, datasets: Mapping[UUID, DatasetFile]) -> None:
        """Check a request, whose task follows from learners and target where it has none."""
        self.check_request(set_task(request, datasets), datasets)

    def build_other_chunks(self, plan: P) -> list[Chunk]:
        """Return further chunks, which fit no bundle of learners; they follow the others."""
        del plan
        return []

    def run_other(self, plan: P, payload: Payload) -> Arrays:
        """Compute one of the further chunks."""
        raise RuntimeError(f"The kind {self.name!r} has no chunk {payload} for {plan}.")

    def start(self, job: Job[F]) -> Finished | Chunks:
        """Cut the splits of the learners into chunks, or compute a small evaluation at once."""
        plan = self.plan(job)
        other_outputs = self.build_other_chunks(plan)
        if plan.all_own and plan.n_cells <= SMALL and not other_outputs:
            return self.gather(job, run_chunks(self, job, cut_into_chunks(plan, whole=True)))
        return Chunks([*cut_into_chunks(plan), *other_outputs], unit=self.unit)

    def run(self, job: Job[F], payload: Payload) -> Arrays:
        """Fit and test the learners of a bundle on the splits of a chunk."""
        plan = self.plan(job)
        if not is_chunk_key(payload):
            return self.run_other(plan, payload)
        return run_chunk(plan, payload, partial(self.run_group, plan))

    def cut_chunk(self, job: Job[F], chunk: Chunk, size: int) -> CutChunk | None:
        """Return a chunk cut between two splits; None if one pass computes all splits."""
        if not is_chunk_key(chunk.payload):
            return None
        key = read_payload(ChunkKey, chunk.payload)
        n_splits = key.stop - key.start
        if n_splits <= 1 or self.plan(job).bundles[key.bundle].is_fast:
            return None
        per_split = chunk.size // n_splits
        middle = key.start + min(max(1, size // max(1, per_split)), n_splits - 1)

        def piece(start: int, stop: int) -> Chunk:
            payload = asdict(replace(key, start=start, stop=stop))
            return Chunk(payload, (stop - start) * per_split, chunk.part)

        return CutChunk(piece(key.start, middle), piece(middle, key.stop))

    def gather(self, job: Job[F], outputs: Sequence[ChunkOutput]) -> Finished:
        """Join the outputs and evaluate them."""
        plan = self.plan(job)
        joined = JoinedOutputs(plan, outputs)
        if not joined.bundles:
            raise InsufficientData(
                "No learner has finished yet. Ask again when the progress shows one."
            )
        return self.build_result(plan, joined)
