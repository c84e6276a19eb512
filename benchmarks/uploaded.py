"""An evaluation of an uploaded file, run in this process as a worker runs it."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any
from uuid import uuid4

import numpy as np

from benchmarks import learning
from thetahat_service.data.base import FileLimits
from thetahat_service.data.formats import FORMATS
from thetahat_service.kinds.base import Chunks, DatasetFile, Finished, Job, run_chunks
from thetahat_service.kinds.registry import JOB_KINDS

NPZ = "application/x-npz"


@contextmanager
def open_upload(
    arrays: Mapping[str, Any], save: Callable[..., None] = np.savez
) -> Iterator[DatasetFile]:
    """Write arrays to an NPZ file and read it as an upload, for as long as the context lasts."""
    with tempfile.TemporaryDirectory() as folder:
        path, form = Path(folder) / "upload", FORMATS[NPZ]
        with path.open("wb") as sink:
            save(sink, **arrays)
        table: IO[bytes]
        with (Path(folder) / f"upload{form.table_suffix}").open("w+b") as table:
            inspected = form.inspect(path, FileLimits(cells=10**9), table)
        shape = (inspected.rows, inspected.columns, inspected.details)
        yield DatasetFile(uuid4(), "0" * 64, NPZ, *shape, path)


def run_evaluation(file: DatasetFile, body: Mapping[str, Any]) -> Finished:
    """Run a cross-validation of the file as a worker would, part after part."""
    kind = JOB_KINDS["cross_validation"]
    request = kind.request.model_validate(
        {"kind": "cross_validation", "dataset": str(file.id), "task": "classification", **body}
    )
    kind.check(request, {file.id: file})
    job = Job(uuid4(), "cross_validation", request, learning.SEED, {file.id: file})
    started = kind.start(job)
    if isinstance(started, Chunks):
        started = kind.gather(job, run_chunks(kind, job, started.chunks))
    return started
