"""Make every file of ``docs/results/interval_coverage``, and the tables that the library ships.

``python -m benchmarks.coverage_study --rows FILE --labelled-rows FILE --records FOLDER`` computes
all parts of the study in chunks, which the folder keeps: an interrupted run goes on from there.
The whole study takes five hours of one core.
"""

from __future__ import annotations

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"

import argparse
import json
import resource
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final
from uuid import UUID

import numpy as np
import orjson

import thetahat
from thetahat.analyses.studies.base import Records, StudyFindings
from thetahat.analyses.studies.recorded_repetitions import RecordedRepetitions
from thetahat.analyses.studies.shipped_coverage import COMMAND
from thetahat.tables.data import Data
from thetahat_client.media import guess_media_type
from thetahat_replications import kept_studies
from thetahat_replications.one_partition import shipped_rows
from thetahat_replications.presets.interval_coverage import (
    benchmark_tasks,
    changed_rows,
    fitted_models,
    heavy_tails,
    kept_power,
    large_samples,
    recommended,
    recommended_metrics,
)
from thetahat_replications.presets.interval_coverage.cells import CoverageCell
from thetahat_replications.presets.interval_coverage.metric_study import MetricCell
from thetahat_replications.presets.interval_coverage.preset import compute_all_findings
from thetahat_replications.presets.interval_coverage.study_parts import (
    DRAWS,
    GROUPED,
    INDEPENDENT,
    LARGE,
    METRICS,
    THOUSAND,
    StudyPart,
    compute_parts,
    list_parts,
    read_part,
    separate_learners,
)
from thetahat_replications.presets.interval_coverage.tables import compute_findings
from thetahat_service.cli.study_pages import build_study_files
from thetahat_service.in_process.files import read_file
from thetahat_service.json_encoding import encode_json
from thetahat_service.kinds.base import DatasetFile, Finished
from thetahat_service.kinds.digests import compute_digests
from thetahat_service.kinds.fields.data import DataFields, read_data
from thetahat_service.kinds.provenance import Provenance
from thetahat_service.kinds.result_json import encode_result
from thetahat_service.kinds.study.request import StudyRequest
from thetahat_service.kinds.study.result import build_result, list_methods

SEED: Final = 6
TASK_DRAWS: Final = 500
"""Draws of the tasks of models that were trained elsewhere."""
FITTED_SEED: Final = 8
FITTED_DRAWS: Final = 500
"""Draws of each case of the page about the fitted models."""
HEAVY_SEED: Final = 7
HEAVY_DRAWS: Final = 2000
"""Draws of each distribution of the page about heavy tails."""
INPUTS: Final[Mapping[str, Mapping[str, Any]]] = {
    "rows": {
        "columns": {"target": "normexam", "features": ["standLRT", "schavg"]},
        "task": "regression",
    },
    "labelled_rows": {
        "columns": {"target": "y", "cluster": "dup_id", "features": ["X"]},
        "task": "classification",
    },
}
"""What is read from the file of each role: the exam scores, and the reviews of ten domains."""
OUTPUT: Final = Path("docs/results/interval_coverage")
LIBRARY: Final = Path("thetahat/analyses")

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class FindingsAlone:
    """A study whose findings were computed from records that are not passed on."""

    findings: StudyFindings
    grain: int = 1

    def run(self, start: int, stop: int) -> dict[str, Any]:
        raise NotImplementedError

    def finish(self, _records: Records) -> StudyFindings:
        return self.findings


@contextmanager
def open_inputs(files: Mapping[str, Path]) -> Iterator[dict[str, DatasetFile]]:
    """Read the file of each role for as long as the context lasts."""
    with TemporaryDirectory(prefix="coverage-study-") as folder:
        datasets = {}
        for role, file in files.items():
            own_folder = Path(folder) / role
            own_folder.mkdir()
            datasets[role] = read_file(file, guess_media_type(file.name), own_folder)
        yield datasets


def read_inputs(datasets: Mapping[str, DatasetFile]) -> dict[str, Data]:
    return {
        role: read_data(
            DataFields.model_validate({**INPUTS[role], "dataset": file.id}), {file.id: file}
        )
        for role, file in datasets.items()
    }


def keep_rows(file: Path, compute: Callable[[], list[Row]]) -> list[Row]:
    """Return the rows in the file, which is written first if it is not there."""
    if not file.exists():
        unfinished = file.with_suffix(".unfinished")
        unfinished.write_text(json.dumps(compute()))
        unfinished.replace(file)
    rows: list[Row] = json.loads(file.read_text())
    return rows


def keep_fitted_case(folder: Path, draws: int, number: int) -> list[Row]:
    compute = partial(fitted_models.measure_case, number, FITTED_SEED, draws)
    return keep_rows(folder / f"fitted models, case {number}.json", compute)


def collect_findings(parts: Sequence[StudyPart], folder: Path, seed: int) -> StudyFindings:
    """Return the findings of the preset from all parts but the largest samples."""
    cell_records: list[tuple[CoverageCell, Records]] = []
    metric_cell_records: list[tuple[MetricCell, Records]] = []
    for part in parts:
        if part.name == LARGE:
            continue
        for cell, records in read_part(part, folder):
            if isinstance(cell, MetricCell):
                metric_cell_records.append((cell, records))
            elif part.name in {INDEPENDENT, THOUSAND, GROUPED}:
                cell_records += separate_learners(cell, records, seed)
            else:
                cell_records.append((cell, records))
    findings = compute_all_findings(cell_records, metric_cell_records, recommended.LEVEL)
    draws = {part.name: part.draws for part in parts if part.cells and part.name != LARGE}
    return replace(findings, details={**findings.details, "draws": draws})


def build_result_of_study(
    findings: StudyFindings, datasets: Mapping[str, DatasetFile], seed: int, draws: int
) -> Any:
    """Return the result as the service would write it, as JSON values."""
    files: dict[UUID, DatasetFile] = {file.id: file for file in datasets.values()}
    inputs = {role: {**INPUTS[role], "dataset": str(file.id)} for role, file in datasets.items()}
    request = StudyRequest.model_validate(
        {
            "kind": "study",
            "preset": "interval_coverage",
            "seed": seed,
            "inputs": inputs,
            "repetitions": draws,
        }
    )
    digests = compute_digests(request, files)
    provenance = Provenance(
        version=thetahat.__version__,
        seed=digests.seed,
        data_sha256=digests.data_sha256,
        spec_sha256=digests.request_sha256,
    )
    recorded = RecordedRepetitions(np.arange(draws), {})
    result = build_result(request, FindingsAlone(findings), recorded)
    finished = Finished(result, methods=list_methods(request))
    encoded = orjson.loads(encode_json(encode_result(finished, provenance)))
    return {name: value for name, value in encoded.items() if name != "kind"}


def select_cells(parts: Sequence[StudyPart], folder: Path, *names: str) -> Iterator[Any]:
    for part in parts:
        if part.name in names:
            yield from read_part(part, folder)


def write_tables(
    parts: Sequence[StudyPart], datasets: Mapping[str, DatasetFile], options: Any, folder: Path
) -> None:
    output, losses, metrics = (
        options.output,
        options.library / "losses",
        options.library / "metrics",
    )
    for path in (output, losses, metrics):
        path.mkdir(parents=True, exist_ok=True)
    draws = options.draws
    findings = collect_findings(parts, folder, options.seed)
    result = build_result_of_study(findings, datasets, options.seed, draws[METRICS])
    command = f"{COMMAND} --seed {options.seed}"
    for role, file in options.files.items():
        command += f" --{role.replace('_', '-')} {file.name}"
    for name, content in build_study_files(result, command).items():
        (output / name).write_bytes(content)
    cells = next(table["rows"] for table in result["tables"] if table["name"] == "metric_cells")
    recommended_metrics.write_files(
        cells, recommended.LEVEL, draws[METRICS], output, metrics, COMMAND
    )
    heavy_draws = min(HEAVY_DRAWS, options.most_draws)
    heavy = list(heavy_tails.measure(HEAVY_SEED, heavy_draws))
    page = heavy_tails.write_page(heavy, HEAVY_SEED, heavy_draws)
    (output / "heavy_tails.md").write_text(page)
    rows = collect_recommended(parts, heavy, options, folder)
    recommended.write_files(rows, options.seed, output, losses)
    write_large_samples(parts, options, folder)


def collect_recommended(
    parts: Sequence[StudyPart], heavy: Sequence[Row], options: Any, folder: Path
) -> list[Row]:
    """Return the rows of the table of the recommended intervals of mean losses."""
    task_draws = min(TASK_DRAWS, options.most_draws)
    tasks = partial(benchmark_tasks.measure, options.seed, task_draws, options.processes)
    return [
        *recommended.tabulate(select_cells(parts, folder, INDEPENDENT, THOUSAND, GROUPED)),
        *keep_rows(folder / "tasks.json", tasks),
        *recommended.tabulate_drawn_losses(heavy, min(HEAVY_DRAWS, options.most_draws)),
    ]


def write_large_samples(parts: Sequence[StudyPart], options: Any, folder: Path) -> None:
    large = compute_findings(list(select_cells(parts, folder, LARGE)), recommended.LEVEL)
    large_rows = next(table.rows for table in large.tables if table.name == "cells")
    page = large_samples.write_page(large_rows, options.seed, options.draws[LARGE])
    (options.output / "large_samples.md").write_text(page)


def write_power(parts: Sequence[StudyPart], options: Any, folder: Path) -> None:
    """Write the kept tables again, with length and power of these samples and nothing else new."""
    kept: Any = kept_studies.read_kept_study("interval_coverage")
    drawn = collect_findings(parts, folder, options.seed).tables
    tables = list(kept_power.add_to_tables(kept["tables"], drawn))
    kept["tables"] = orjson.loads(encode_json(tables))
    kept_file = kept_studies.FOLDER / "interval_coverage.json.gz"
    kept_file.write_bytes(kept_studies.compress_result(kept))
    for name, content in build_study_files(kept, kept["command"]).items():
        if name.endswith(".md"):  # the figures do not show power
            (options.output / name).write_bytes(content)
    heavy = list(heavy_tails.measure(HEAVY_SEED, HEAVY_DRAWS))  # these take no time
    rows = collect_recommended(parts, heavy, options, folder)
    study = shipped_rows.read_study()
    joined = kept_power.add_to_rows(study["rows"], rows, shipped_rows.SAME)
    shipped_rows.write_rows(list(joined), study["seed"], kept_power.ROWS_NOTE)
    write_large_samples(parts, options, folder)


def write_changed(parts: Sequence[StudyPart], options: Any, folder: Path) -> None:
    """Write the table of the library again, with new rows where the interval is another today."""
    study = shipped_rows.read_study()
    places = changed_rows.find_places(study["rows"], options.changed_alone)
    parts = list(changed_rows.select_cells(parts, places))
    for left in compute_parts(parts, folder, options.processes):
        print(f"{left} chunks are left", flush=True)
    of_tasks = {(n, scheme) for _, n, scheme in places}  # all losses have the same intervals
    draws = min(changed_rows.DRAWS, options.most_draws)
    drawn = [
        *recommended.tabulate(select_cells(parts, folder, *DRAWS)),
        *benchmark_tasks.measure(options.seed, draws, options.processes, of_tasks),
    ]
    rows = list(changed_rows.replace_changed(study["rows"], drawn, shipped_rows.SAME))
    for old, new in zip(study["rows"], rows, strict=True):
        if old is not new:
            print(*(new[name] for name in shipped_rows.SAME), old["coverage"], new["coverage"])
    shipped_rows.write_rows(rows, study["seed"], changed_rows.NOTE)


def write_metric_coverage(part: StudyPart, options: Any, folder: Path) -> None:
    """Write the table of the metrics that the library ships, and its page, and nothing else."""
    records = [
        (cell, of_cell) for cell, of_cell in read_part(part, folder) if isinstance(cell, MetricCell)
    ]
    findings = compute_all_findings([], records, recommended.LEVEL)
    cells = next(table.rows for table in findings.tables if table.name == "metric_cells")
    rows = orjson.loads(encode_json(cells))
    library = options.library / "metrics"
    command = f"{COMMAND} --seed {options.seed} --metrics-alone {part.draws}"
    recommended_metrics.write_files(
        rows, recommended.LEVEL, part.draws, options.output, library, command
    )


def write_page_of_fitted_models(options: Any, folder: Path) -> None:
    """Write the page of the study that decided the rules for fitted models."""
    fitted_draws = min(FITTED_DRAWS, options.most_draws)
    with ProcessPoolExecutor(options.processes) as pool:
        cases = range(len(fitted_models.CASES))
        by_case = list(pool.map(partial(keep_fitted_case, folder, fitted_draws), cases))
    fitted = [row for rows in by_case for row in rows]
    page = fitted_models.write_page(fitted, FITTED_SEED, fitted_draws)
    (options.output / "fitted_models.md").write_text(page)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog=COMMAND,
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--rows", type=Path, help="exam scores: r_exam.csv")
    parser.add_argument("--labelled-rows", type=Path, help="reviews: amazon10_counts.npz")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--records", type=Path, required=True, help="folder that keeps the chunks")
    parser.add_argument("--output", type=Path, default=OUTPUT, help="folder of the kept tables")
    parser.add_argument(
        "--library", type=Path, default=LIBRARY, help="folder whose losses and metrics get a table"
    )
    parser.add_argument("--most-draws", type=int, default=10**6, help="for a trial of all parts")
    parser.add_argument(
        "--metrics-alone",
        type=int,
        metavar="DRAWS",
        help="compute the metrics alone, with that many draws, and write metric_coverage",
    )
    parser.add_argument(
        "--power-alone",
        action="store_true",
        help=f"draw at most {kept_power.DRAWS} samples of each cell, and add length and power to "
        "the kept tables, whose other numbers stay",
    )
    parser.add_argument(
        "--changed-alone",
        nargs="*",
        metavar="SCHEME",
        help=f"draw {changed_rows.DRAWS} samples of the cells of recommended_coverage with a row "
        "without power, of these schemes or of all, and write the rows whose interval has another "
        "width today",
    )
    options = parser.parse_args()
    if options.power_alone:
        options.most_draws = min(kept_power.DRAWS, options.most_draws)
    options.draws = {name: min(draws, options.most_draws) for name, draws in DRAWS.items()}
    files = {"rows": options.rows, "labelled_rows": options.labelled_rows}
    options.files = {role: file for role, file in files.items() if file is not None}
    folder = options.records / f"seed {options.seed}"
    folder.mkdir(parents=True, exist_ok=True)
    began = time.monotonic()
    with open_inputs(options.files) as datasets:
        parts = list_parts(options.seed, read_inputs(datasets), options.draws)
        if options.changed_alone is not None:
            write_changed(parts, options, folder / "changed")
            return
        if options.metrics_alone is not None:
            (metrics,) = (part for part in parts if part.name == METRICS)
            metrics = replace(metrics, draws=options.metrics_alone)
            for left in compute_parts([metrics], folder, options.processes):
                print(f"{time.monotonic() - began:6.0f} s: {left} chunks are left", flush=True)
            write_metric_coverage(metrics, options, folder)
            return
        for left in compute_parts(parts, folder, options.processes):
            print(f"{time.monotonic() - began:6.0f} s: {left} chunks are left", flush=True)
        if options.power_alone:
            write_power(parts, options, folder)
            return
        write_tables(parts, datasets, options, folder)
    write_page_of_fitted_models(options, folder)
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    seconds = sum(each.ru_utime + each.ru_stime for each in used)
    print(f"{seconds / 60:.1f} minutes of one core")


if __name__ == "__main__":
    main()
