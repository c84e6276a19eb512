"""What reports are made of: results of every kind, with hostile names where a test wants them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from tests.service.figures.results import evaluation
from thetahat_service.json_types import ColumnDescription
from thetahat_service.kinds.examples import REQUEST, RESULT, WITH_DATASET, read_examples
from thetahat_service.reports.document import ReportSource
from thetahat_service.storage.datasets import DatasetRow
from thetahat_service.storage.evaluations import EvaluationRow
from thetahat_service.storage.sign_offs import SignOffRow

RESULTS = read_examples(RESULT)
REQUESTS = read_examples(REQUEST) | read_examples(WITH_DATASET)
FINISHED = datetime(2026, 11, 22, 12, 30, tzinfo=UTC)
HOSTILE = (
    '#read("/etc/passwd")',
    "$x$ *bold* _a_ `b` = h <label> @ref",
    "<script>alert(1)</script>&amp;\"'",
    r"\input{/etc/passwd} & 5 % $\alpha$ #1 ~^{}",
    "]; #panic() //",
)
"""Names that are markup of HTML, Typst or LaTeX."""


def source_of(kind: str, **fields: Any) -> ReportSource:
    """Return the example of a kind of evaluation."""
    return build_source(RESULTS[kind], REQUESTS[kind], **fields)


def build_source(
    result: dict[str, Any], request: dict[str, Any] | None = None, **fields: Any
) -> ReportSource:
    values: dict[str, Any] = {
        "finished_at": FINISHED,
        "result_sha256": "c" * 64,
        "request": request or {"kind": result["kind"]},
        "result": result,
    }
    of_row = {name: fields.pop(name) for name in ("name", "labels") if name in fields}
    return ReportSource(row=make_row(result["kind"], **of_row), **values | fields)


def make_row(kind: str, **fields: Any) -> EvaluationRow:
    """Return the row of an evaluation that has ended."""
    values: dict[str, Any] = dict.fromkeys(EvaluationRow.__dataclass_fields__)
    values |= {
        "id": UUID("0b0e7a52-11aa-4a4e-9a3d-0123456789ab"),
        "kind": kind,
        "name": "Schools",
        "labels": {"team": "blue"},
        "created_at": FINISHED,
        "finished_at": FINISHED,
        "seed": 7,
        "data_sha256": "a" * 64,
        "request_sha256": "b" * 64,
    }
    return EvaluationRow(**values | fields)


def many_models(n_models: int) -> ReportSource:
    """Return an evaluation of many models on 20 schools."""
    provenance = {"version": "0.1.0", "methods": []}
    result = evaluation(n_models)
    result["summary"] |= {"sentences": ["model 0 is the best."]}
    result |= {"provenance": provenance, "not_applicable": [], "learners": {}, "failures": {}}
    n_comparisons = [pair | {"cautions": []} for pair in result["comparisons"]]
    result["comparisons"] = n_comparisons
    result["summary"]["comparisons"] = [
        {"a": pair["a"], "b": pair["b"], "decision": pair["verdict"]["decision"]}
        for pair in n_comparisons
    ]
    return build_source(result)


def signed(**fields: Any) -> SignOffRow:
    values: dict[str, Any] = {
        "id": UUID(int=1),
        "evaluation_id": UUID(int=2),
        "at": datetime(2026, 11, 23, 9, tzinfo=UTC),
        "name": "Ann Reviewer",
        "owner": "local",
        "actor": "th_12345678",
        "decision": "approved",
        "comment": "Only for school 12.",
        "result_sha256": "c" * 64,
    }
    return SignOffRow(**values | fields)


def data_set(name: str = "exam.csv") -> DatasetRow:
    columns = [ColumnDescription(name=f"c{i}", type="number") for i in range(5)]
    return DatasetRow(
        id=UUID(int=12),
        sha256="d" * 64,
        media_type="text/csv",
        bytes=1,
        rows=4059,
        columns=columns,
        details={},
        name=name,
        created_at=FINISHED,
    )
