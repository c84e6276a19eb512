"""One service for all tests of its clients."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.service.supervisor.processes import serving
from thetahat_client import Client


@pytest.fixture(scope="session")
def service_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of a real service with two workers, on a folder of its own."""
    folder = tmp_path_factory.mktemp("service")
    with serving(folder / "data", folder / "log") as command:
        yield command.wait_for(r"ready at (http://\S+)")[1]
        assert command.stop() == 0


@pytest.fixture
def client(service_url: str) -> Iterator[Client]:
    """A client of that service."""
    with Client(service_url) as client:
        yield client
