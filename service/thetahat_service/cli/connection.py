"""The connection to a running service, and the arguments that its commands share."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any, Final, TypeVar

import typer

if TYPE_CHECKING:
    from thetahat_client import Client

DEFAULT_URL: Final = "http://127.0.0.1:8000"
RETRIES: Final = 3  # a person is waiting, so it soon gives up on a service that does not answer
COMPLETION_TIMEOUT_S: Final = 1.0
MOST_COMPLETIONS: Final = 20
LONGEST_PAGE: Final = 100

T = TypeVar("T")


def connect(url: str, *, retries: int = RETRIES, timeout: float = 30.0) -> Client:
    """Return a client of the service at ``url``, with the API key of the environment."""
    from thetahat_client import Client

    return Client(url, os.environ.get("THETAHAT_API_KEY"), retries=retries, timeout=timeout)


def take(list_pages: Callable[..., Iterator[T]], limit: int, **filters: object) -> list[T]:
    """Return the first items of a list of the service, at most ``limit``."""
    return list(islice(list_pages(**filters, page_size=min(limit, LONGEST_PAGE)), limit))


def find_service_url() -> str:
    """Return the address of the service, where no option names one."""
    return os.environ.get("THETAHAT_URL") or DEFAULT_URL


def complete_evaluation(incomplete: str) -> Iterator[tuple[str, str]]:
    """Yield the newest evaluations for the shell's completion; none if the service is away."""
    from thetahat_client import ThetahatError

    try:
        with connect(find_service_url(), retries=0, timeout=COMPLETION_TIMEOUT_S) as client:
            for evaluation in take(client.evaluations, MOST_COMPLETIONS):
                if evaluation.id.startswith(incomplete):
                    words = (evaluation.kind, evaluation.status, evaluation.name)
                    yield evaluation.id, ", ".join(word for word in words if word)
    except ThetahatError:
        return


def offer_url(purpose: str) -> Any:
    """Return the option that names a service, with what it is for as its help."""
    return typer.Option("--url", envvar="THETAHAT_URL", metavar="URL", help=purpose)


Url = Annotated[
    str,
    offer_url("Address of the service. Put its API key, if it has keys, into THETAHAT_API_KEY."),
]
EvaluationId = Annotated[
    str,
    typer.Argument(metavar="ID", help="Id of the evaluation.", autocompletion=complete_evaluation),
]
EvaluationIds = Annotated[
    list[str],
    typer.Argument(metavar="ID...", help="Ids of evaluations.", autocompletion=complete_evaluation),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")]
