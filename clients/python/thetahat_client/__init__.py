"""A client of the thetahat service: upload, submit, wait, read.

>>> from thetahat_client import Client
>>> with Client() as client:
...     submitted = client.submit({"kind": "losses", "blocks": "random", "losses": losses})
...     done = client.wait(submitted.id)
...     result = client.result(done.id)

``AsyncClient`` has the same methods for ``await`` and ``async for``.
The modules behind these names are imported when a name is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from thetahat_client.version import VERSION

if TYPE_CHECKING:
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
    from thetahat_client.result_metrics import metric_values, write_metrics
    from thetahat_client.scikit_learn import (
        from_cross_val_predict,
        from_cross_validate,
        from_grid_search,
    )
    from thetahat_client.series import Look, Series
    from thetahat_client.text import result_html, result_latex, result_markdown, result_text
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
    "Look",
    "NotFound",
    "NotebookProgress",
    "Problem",
    "Progress",
    "ProgressBar",
    "Refused",
    "ResultNotReady",
    "ResultObject",
    "Series",
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
    "field_path",
    "from_cross_val_predict",
    "from_cross_validate",
    "from_grid_search",
    "log_to_mlflow",
    "metric_values",
    "result_html",
    "result_latex",
    "result_markdown",
    "result_text",
    "write_metrics",
]

_MODULES: Final = {
    "AsyncClient": "thetahat_client.client",
    "Client": "thetahat_client.client",
    "Column": "thetahat_client.models",
    "ConnectionFailed": "thetahat_client.errors",
    "Dataset": "thetahat_client.models",
    "Delivery": "thetahat_client.webhooks",
    "Evaluation": "thetahat_client.models",
    "EvaluationFailed": "thetahat_client.errors",
    "EvaluationRecord": "thetahat_client.record",
    "Event": "thetahat_client.events",
    "Fault": "thetahat_client.models",
    "FigureImage": "thetahat_client.figure",
    "Look": "thetahat_client.series",
    "NotFound": "thetahat_client.errors",
    "NotebookProgress": "thetahat_client.progress",
    "Problem": "thetahat_client.models",
    "Progress": "thetahat_client.models",
    "ProgressBar": "thetahat_client.progress",
    "Refused": "thetahat_client.errors",
    "ResultNotReady": "thetahat_client.errors",
    "ResultObject": "thetahat_client.result",
    "Series": "thetahat_client.series",
    "ServiceFault": "thetahat_client.errors",
    "SignOff": "thetahat_client.models",
    "SubmissionOutcome": "thetahat_client.webhooks",
    "ThetahatError": "thetahat_client.errors",
    "TooManyRequests": "thetahat_client.errors",
    "Unauthorised": "thetahat_client.errors",
    "UnexpectedAnswer": "thetahat_client.errors",
    "UnknownMediaType": "thetahat_client.errors",
    "WaitTimeout": "thetahat_client.errors",
    "Webhook": "thetahat_client.webhooks",
    "WrongKind": "thetahat_client.errors",
    "field_path": "thetahat_client.models",
    "from_cross_val_predict": "thetahat_client.scikit_learn",
    "from_cross_validate": "thetahat_client.scikit_learn",
    "from_grid_search": "thetahat_client.scikit_learn",
    "log_to_mlflow": "thetahat_client.record",
    "metric_values": "thetahat_client.result_metrics",
    "result_html": "thetahat_client.text",
    "result_latex": "thetahat_client.text",
    "result_markdown": "thetahat_client.text",
    "result_text": "thetahat_client.text",
    "write_metrics": "thetahat_client.result_metrics",
}
"""Where each name is defined."""


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    return getattr(import_module(_MODULES[name]), name)


def __dir__() -> list[str]:
    return list(__all__)
