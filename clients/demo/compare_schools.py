"""Compare four learners on exam scores of 65 schools: in these schools, and in a new one.

``make demo`` runs it. It starts the service, sends the data and two evaluations over HTTP, prints
what came out, keeps the whole results as JSON, and stops the service.
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

from schools import exam_csv, request
from service_process import DemoFailed, data_dir, serving
from telling import fill, one_result, where_to_read, why_they_differ

from thetahat_client import Client, ProgressBar

ROOT = Path(__file__).resolve().parents[2]
PATIENCE_S = 600.0
BY_SCHOOL, AT_RANDOM = "one school left out at a time", "ten random folds"
SCHEMES: dict[str, dict[str, Any]] = {
    BY_SCHOOL: {"name": "leave_one_source_out"},
    AT_RANDOM: {"name": "k_fold", "params": {"n_folds": 10}},
}
QUESTIONS = {
    BY_SCHOOL: "How well would each learner do in a school that is not in the data?",
    AT_RANDOM: "How well would each learner do on more pupils of these schools?",
}
BEGINNING = (
    "Exam scores of 4059 pupils in 65 London schools (Goldstein et al. 1993). Four learners "
    "predict a pupil's score from the intake score and from what is known of the pupil and the "
    "school. The loss is the squared error; scores have variance 1, so always saying the mean "
    "costs about 1. Two learners whose mean losses differ by less than 0.02 count as equivalent."
)


def main() -> int:
    """Run the demo; return 1, with the reason on standard error, where it cannot be done."""
    signal.signal(signal.SIGTERM, _interrupt)
    started, folder = time.monotonic(), data_dir(ROOT)
    print(f"{fill(BEGINNING)}\n\nStarting the service (data in {folder})", flush=True)
    try:
        with serving(folder, folder / "demo" / "service.process.log") as url:
            found = _evaluate(url)
        _tell(found, folder / "demo")
    except DemoFailed as failure:
        print(f"\nThe demo failed. {failure}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nStopped, and the service with it.", file=sys.stderr)
        return 130
    seconds = time.monotonic() - started
    print(f"\nThe service is stopped. All of it took {seconds:.0f} seconds.")
    return 0


def _evaluate(url: str) -> dict[str, tuple[str, dict[str, Any]]]:
    """Send the data and both evaluations; return id and result of each by its title."""
    with Client(url, os.environ.get("THETAHAT_API_KEY")) as client:
        dataset = client.upload(exam_csv(), media_type="text/csv", name="exam.csv")
        print(f"Data set {dataset.id}: {dataset.rows} rows, {len(dataset.columns)} columns")
        sent = {
            title: client.submit(request(dataset.id, scheme, title))
            for title, scheme in SCHEMES.items()
        }
        found = {}
        for title, evaluation in sent.items():
            print(f"Evaluation {evaluation.id}: {title}", flush=True)
            client.wait(evaluation.id, PATIENCE_S, ProgressBar(sys.stdout))
            found[title] = (evaluation.id, client.result(evaluation.id))
    return found


def _tell(found: dict[str, tuple[str, dict[str, Any]]], folder: Path) -> None:
    saved = {}
    for title, (_, result) in found.items():
        path = folder / f"{title.replace(' ', '_')}.json"
        path.write_text(json.dumps(result, indent=2), encoding="utf-8")
        saved[title] = str(path)
        heading = title[0].upper() + title[1:]
        print(f"\n{one_result(heading, QUESTIONS[title], result)}")
    print(f"\n{why_they_differ(found[BY_SCHOOL][1], found[AT_RANDOM][1])}")
    evaluations = {title: identifier for title, (identifier, _) in found.items()}
    print(f"\n{where_to_read(saved, evaluations)}")


def _interrupt(number: int, frame: FrameType | None) -> None:
    """End as Ctrl-C does, so that the service is stopped on SIGTERM too."""
    del number, frame
    raise KeyboardInterrupt


if __name__ == "__main__":
    sys.exit(main())
