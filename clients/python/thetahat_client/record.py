"""All of an evaluation in one value, to keep beside an experiment: in MLflow or in a folder."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import import_module
from typing import Any, Final

from thetahat_client.figure import FigureImage
from thetahat_client.models import Evaluation
from thetahat_client.result_metrics import metric_values
from thetahat_client.result_types import (
    JsonObject,
    ResultJson,
    find_summary,
    has_models,
    read_result,
)
from thetahat_client.text import result_markdown
from thetahat_client.version import VERSION
from thetahat_presentation.result_texts import write_html

FOLDER: Final = "thetahat"
LONGEST_TAG: Final = 5000  # of MLflow
LARGEST_BATCH: Final = 1000  # metrics in one call of MLflow


@dataclass(frozen=True, slots=True)
class EvaluationRecord:
    """An evaluation with its request, result and figures, as ``Client.record`` returns it."""

    evaluation: Evaluation
    request: JsonObject
    result: Mapping[str, Any]
    figures: tuple[FigureImage, ...]

    @property
    def tags(self) -> dict[str, str]:
        """What finds the evaluation again, and its verdict: names and texts."""
        result = read_result(self.result)
        provenance = result.get("provenance")
        summary = find_summary(result) if has_models(result) else None
        gate = result.get("gate") if has_models(result) else None
        tags: dict[str, str | int | None] = {
            "id": self.evaluation.id,
            "kind": self.evaluation.kind,
            "verdict": " ".join(summary["sentences"]) if summary else "",
            "gate": gate["outcome"] if gate else None,
            "version": provenance["version"] if provenance else None,
            "client_version": VERSION,
            "seed": provenance["seed"] if provenance else None,
            "data_sha256": provenance["data_sha256"] if provenance else None,
            "spec_sha256": provenance["spec_sha256"] if provenance else None,
        }
        return {name: str(value) for name, value in tags.items() if value not in {None, ""}}

    @property
    def files(self) -> dict[str, str]:
        """Contents by file name: result and request as JSON, the result as Markdown, figures."""
        return {
            "result.json": _encode_json(self.result),
            "request.json": _encode_json(self.request),
            "result.md": result_markdown(self.result, show_all=True) + "\n",
            **{f"figures/{figure.name}.svg": figure.decode() for figure in self.figures},
        }

    def _repr_html_(self) -> str:
        return write_html(self.result)


def log_to_mlflow(record: EvaluationRecord, run: Any = None) -> str:
    """Log an evaluation to a run of MLflow, and return the id of the run.

    Metrics are those of ``metric_values``; tags begin with ``thetahat.``; the files of the record
    are artifacts below ``thetahat/``.

    Parameters
    ----------
    record : EvaluationRecord
        What ``Client.record`` returned.
    run : run or str or None
        A run or its id. By default the active run, or a new one if none is active.

    Raises
    ------
    ImportError
        MLflow is not installed.
    """
    mlflow = _import_mlflow()
    client = mlflow.MlflowClient()
    with _open_run(mlflow, run, record.evaluation.name) as run_id:
        entities: Any = import_module("mlflow.entities")
        ended = record.evaluation.finished_at
        moment = int(1000 * (ended or datetime.now(UTC)).timestamp())
        metrics = [
            entities.Metric(name, value, moment, 0)
            for name, value in metric_values(record.result).items()
        ]
        tags = [
            entities.RunTag(f"thetahat.{name}", value[:LONGEST_TAG])
            for name, value in record.tags.items()
        ]
        client.log_batch(run_id, tags=tags)
        for start in range(0, len(metrics), LARGEST_BATCH):
            client.log_batch(run_id, metrics=metrics[start : start + LARGEST_BATCH])
        for name, text in record.files.items():
            client.log_text(run_id, text, f"{FOLDER}/{name}")
    return run_id


@contextmanager
def _open_run(mlflow: Any, run: Any, name: str | None) -> Iterator[str]:
    """Yield the id of the run to log to; a run that is begun here ends here."""
    run = run or mlflow.active_run()
    if run is not None:
        yield run if isinstance(run, str) else str(run.info.run_id)
        return
    with mlflow.start_run(run_name=name) as started:
        yield str(started.info.run_id)


def _import_mlflow() -> Any:
    try:
        return import_module("mlflow")
    except ImportError:
        message = "Logging to MLflow needs its package: pip install 'thetahat-client[mlflow]'."
        raise ImportError(message) from None


def _encode_json(value: ResultJson) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"
