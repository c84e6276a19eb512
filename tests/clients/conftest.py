"""One service for all tests of its clients."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, cast

import pytest

from tests.clients.both import AwaitedClient
from tests.service.supervisor.processes import serving
from thetahat_client import Client


@pytest.fixture(scope="session")
def service_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of a real service with two workers, on a folder of its own."""
    folder = tmp_path_factory.mktemp("service")
    with serving(folder / "data", folder / "log") as command:
        yield command.wait_for(r"answers at (http://\S+)")[1]
        assert command.stop() == 0


CLIENTS: Final[dict[str, type[Client]]] = {
    "blocking": Client,
    "async": cast("type[Client]", AwaitedClient),
}


@pytest.fixture(params=CLIENTS)
def open_client(request: pytest.FixtureRequest) -> type[Client]:
    """The class of each of the clients in turn, with the methods of the blocking one."""
    return CLIENTS[request.param]


@pytest.fixture
def client(service_url: str, open_client: type[Client]) -> Iterator[Client]:
    """Each of the clients of that service."""
    with open_client(service_url) as client:
        yield client
