"""A client of the thetahat service: upload, submit, wait, read.

>>> from thetahat_client import Client
>>> with Client() as client:
...     submitted = client.submit({"kind": "losses", "blocks": "random", "losses": losses})
...     done = client.wait(submitted.id)
...     result = client.result(done.id)

``AsyncClient`` has the same methods for ``await`` and ``async for``.
"""

from __future__ import annotations

from thetahat_client.client import AsyncClient, Client
from thetahat_client.errors import (
    ConnectionFailed,
    EvaluationFailed,
    NotFound,
    Refused,
    ResultNotReady,
    ServiceFault,
    ThetahatError,
    TooManyRequests,
    Unauthorised,
    UnexpectedAnswer,
    UnknownMediaType,
    WaitTimeout,
    WrongKind,
)
from thetahat_client.events import Event
from thetahat_client.figure import FigureImage
from thetahat_client.frames import comparisons_frame, models_frame
from thetahat_client.metric_values import metric_values, write_metrics
from thetahat_client.models import (
    Column,
    Dataset,
    Evaluation,
    Fault,
    Problem,
    Progress,
    SignOff,
    field_path,
)
from thetahat_client.progress import NotebookProgress, ProgressBar
from thetahat_client.record import EvaluationRecord, log_to_mlflow
from thetahat_client.result import ResultObject
from thetahat_client.scikit_learn import (
    from_cross_val_predict,
    from_cross_validate,
    from_grid_search,
)
from thetahat_client.text import result_html, result_latex, result_markdown, result_text
from thetahat_client.version import VERSION
from thetahat_client.webhooks import Delivery, SubmissionOutcome, Webhook

__version__ = VERSION

__all__ = [
    "AsyncClient",
    "Client",
    "Column",
    "ConnectionFailed",
    "Dataset",
    "Delivery",
    "Evaluation",
    "EvaluationFailed",
    "EvaluationRecord",
    "Event",
    "Fault",
    "FigureImage",
    "NotFound",
    "NotebookProgress",
    "Problem",
    "Progress",
    "ProgressBar",
    "Refused",
    "ResultNotReady",
    "ResultObject",
    "ServiceFault",
    "SignOff",
    "SubmissionOutcome",
    "ThetahatError",
    "TooManyRequests",
    "Unauthorised",
    "UnexpectedAnswer",
    "UnknownMediaType",
    "WaitTimeout",
    "Webhook",
    "WrongKind",
    "comparisons_frame",
    "field_path",
    "from_cross_val_predict",
    "from_cross_validate",
    "from_grid_search",
    "log_to_mlflow",
    "metric_values",
    "models_frame",
    "result_html",
    "result_latex",
    "result_markdown",
    "result_text",
    "write_metrics",
]
