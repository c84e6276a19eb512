"""Compare four learners on exam scores of 65 schools: in these schools, and in a new one.

``make demo`` runs it. It starts the service, sends the data and two evaluations over HTTP, prints
their results, writes the whole results to JSON files, and stops the service.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from pathlib import Path
from types import FrameType
from typing import Any

from report import describe_result, explain_difference, fill, list_results
from schools import read_exam_csv, request
from service_process import DemoFailed, find_data_dir, run_service

from thetahat_client import Client
from thetahat_client.progress import ProgressBar

ROOT = Path(__file__).resolve().parents[2]
TIMEOUT_S = 600.0
BY_SCHOOL, AT_RANDOM = "one school left out at a time", "ten random folds"
SCHEMES: dict[str, dict[str, Any]] = {
    BY_SCHOOL: {"name": "leave_one_source_out"},
    AT_RANDOM: {"name": "k_fold", "params": {"n_folds": 10}},
}
QUESTIONS = {
    BY_SCHOOL: "How well would each learner do in a school that is not in the data?",
    AT_RANDOM: "How well would each learner do on more pupils of these schools?",
}
INTRODUCTION = (
    "Exam scores of 4059 pupils in 65 London schools (Goldstein et al. 1993). Four learners "
    "predict a pupil's score from the intake score and from features of the pupil and the school. "
    "The loss is the squared error; the scores have variance 1, so that a learner which always "
    "predicts the mean has a mean loss of about 1. Two learners whose mean losses differ by less "
    "than 0.02 count as equivalent."
)


def main() -> int:
    """Run the demo; return 1, with the reason on standard error, if it fails."""
    signal.signal(signal.SIGTERM, _interrupt)
    started, folder = time.monotonic(), find_data_dir(ROOT)
    print(f"{fill(INTRODUCTION)}\n\nStarting the service (data in {folder})", flush=True)
    try:
        with run_service(folder, folder / "demo" / "thetahat_service.process.log") as url:
            results = _evaluate(url)
        _report(results, folder / "demo")
    except DemoFailed as failure:
        print(f"\nThe demo failed. {failure}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nThe demo and its service are stopped.", file=sys.stderr)
        return 130
    seconds = time.monotonic() - started
    print(f"\nThe service is stopped. The demo took {seconds:.0f} seconds.")
    return 0


def _evaluate(url: str) -> dict[str, tuple[str, dict[str, Any]]]:
    """Send the data and both evaluations; return id and result of each by its title."""
    with Client(url, os.environ.get("THETAHAT_API_KEY")) as client:
        dataset = client.upload(read_exam_csv(), media_type="text/csv", name="exam.csv")
        print(f"Data set {dataset.id}: {dataset.rows} rows, {len(dataset.columns)} columns")
        submitted = {
            title: client.submit(request(dataset.id, scheme, title))
            for title, scheme in SCHEMES.items()
        }
        results = {}
        for title, evaluation in submitted.items():
            print(f"Evaluation {evaluation.id}: {title}", flush=True)
            client.wait(evaluation.id, TIMEOUT_S, progress=ProgressBar(sys.stdout))
            results[title] = (evaluation.id, client.result(evaluation.id))
    return results


def _report(results: dict[str, tuple[str, dict[str, Any]]], folder: Path) -> None:
    files = {}
    for title, (_, result) in results.items():
        path = folder / f"{title.replace(' ', '_')}.json"
        path.write_text(json.dumps(result, indent=2), encoding="utf-8")
        files[title] = str(path)
        heading = title[0].upper() + title[1:]
        print(f"\n{describe_result(heading, QUESTIONS[title], result)}")
    print(f"\n{explain_difference(results[BY_SCHOOL][1], results[AT_RANDOM][1])}")
    evaluations = {title: identifier for title, (identifier, _) in results.items()}
    print(f"\n{list_results(files, evaluations)}")


def _interrupt(number: int, frame: FrameType | None) -> None:
    """Do on SIGTERM what Ctrl-C does, so that the service is stopped then too."""
    del number, frame
    raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(main())
