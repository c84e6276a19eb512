"""A client of the thetahat service: upload, submit, wait, read.

>>> from thetahat_client import Client
>>> with Client() as client:
...     submitted = client.submit({"kind": "losses", "blocks": "random", "losses": losses})
...     done = client.wait(submitted.id)
...     result = client.result(done.id)

``AsyncClient`` has the same methods for ``await`` and ``async for``.
What a user seldom needs is in modules: ``errors`` has the other exceptions, ``models`` and
``events`` what calls return, ``text`` results as text, Markdown and LaTeX, ``record`` and
``result_metrics`` what goes to MLflow and DVC, ``progress`` bars, ``webhooks`` deliveries.
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
        ThetahatError,
        WaitTimeout,
    )
    from thetahat_client.models import Dataset, Evaluation
    from thetahat_client.result import ResultObject
    from thetahat_client.scikit_learn import (
        from_cross_val_predict,
        from_cross_validate,
        from_grid_search,
    )

__version__ = VERSION

__all__ = [
    "AsyncClient",
    "Client",
    "ConnectionFailed",
    "Dataset",
    "Evaluation",
    "EvaluationFailed",
    "NotFound",
    "Refused",
    "ResultNotReady",
    "ResultObject",
    "ThetahatError",
    "WaitTimeout",
    "from_cross_val_predict",
    "from_cross_validate",
    "from_grid_search",
]

_MODULES: Final = {
    "AsyncClient": "thetahat_client.client",
    "Client": "thetahat_client.client",
    "ConnectionFailed": "thetahat_client.errors",
    "Dataset": "thetahat_client.models",
    "Evaluation": "thetahat_client.models",
    "EvaluationFailed": "thetahat_client.errors",
    "NotFound": "thetahat_client.errors",
    "Refused": "thetahat_client.errors",
    "ResultNotReady": "thetahat_client.errors",
    "ResultObject": "thetahat_client.result",
    "ThetahatError": "thetahat_client.errors",
    "WaitTimeout": "thetahat_client.errors",
    "from_cross_val_predict": "thetahat_client.scikit_learn",
    "from_cross_validate": "thetahat_client.scikit_learn",
    "from_grid_search": "thetahat_client.scikit_learn",
}
"""Where each name is defined."""


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)


def __dir__() -> list[str]:
    return list(__all__)
