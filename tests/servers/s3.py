"""An object store with the protocol of Amazon S3 for the tests: moto's server, in a process."""

from __future__ import annotations

import contextlib
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import httpx

from tests.servers.processes import ServerFault, free_port, running

START_SECONDS = 60.0
CREDENTIALS = {
    "AWS_ACCESS_KEY_ID": "test",
    "AWS_SECRET_ACCESS_KEY": "test",
    "AWS_REGION": "us-east-1",
}


@contextlib.contextmanager
def s3_server() -> Iterator[str]:
    """Run a server until the block ends; the value is its address."""
    with tempfile.TemporaryDirectory(prefix="thetahat-s3-") as folder:
        port, log = free_port(), Path(folder, "log")
        command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
        with running(command, log) as process:
            address, deadline = f"http://127.0.0.1:{port}", time.monotonic() + START_SECONDS
            while process.poll() is None and time.monotonic() < deadline:
                with contextlib.suppress(httpx.TransportError):
                    httpx.get(f"{address}/moto-api/", timeout=5)
                    yield address
                    return
                time.sleep(0.05)
            message = f"moto did not start:\n{log.read_text(errors='replace')}"
            raise ServerFault(message)


def make_bucket(address: str, name: str) -> None:
    """Make an empty bucket."""
    httpx.put(f"{address}/{name}", timeout=30).raise_for_status()
