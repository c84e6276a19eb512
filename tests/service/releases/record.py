"""Records the data folder of this release as an archive for the tests of later ones.

``python -m tests.service.releases.record NAME`` starts a service of this code, lets it compute the
example of every kind, sends five more evaluations, kills it, and packs its folder as
``data/NAME.tar.xz``. Run it once when a release is made.
"""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import tarfile
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from tests.servers.processes import free_port
from tests.service.releases.test_earlier_releases import DATA
from thetahat_client import Client
from thetahat_client.errors import ConnectionFailed
from thetahat_service.kinds.examples import REQUEST, read_examples

LEFT_QUEUED: Final = ("losses", "cross_validation", "learning_curve", "bootstrap", "selection")


def main() -> None:
    """Record an archive."""
    with TemporaryDirectory(prefix="thetahat-release-") as name:
        folder, port = Path(name), free_port()
        environment = {**os.environ, "THETAHAT_DATA_DIR": name, "THETAHAT_PORT": str(port)}
        words = [sys.executable, "-m", "thetahat_service.cli", "serve"]
        with subprocess.Popen(words, env=environment, start_new_session=True) as service:
            try:
                _send_all(f"http://127.0.0.1:{port}")
            finally:
                os.killpg(service.pid, signal.SIGKILL)
        _pack(folder, DATA / f"{sys.argv[1]}.tar.xz")


def _send_all(url: str) -> None:
    examples = read_examples(REQUEST)
    with Client(url) as client:
        while not _is_ready(client):
            time.sleep(0.2)
        for kind, body in examples.items():
            finished = client.wait(client.submit({**body, "name": kind}).id)
            print(kind, finished.status)
        for kind in LEFT_QUEUED:
            client.submit({**examples[kind], "name": f"queued {kind}"})


def _is_ready(client: Client) -> bool:
    try:
        return client.ready()
    except ConnectionFailed:
        return False


def _pack(folder: Path, archive: Path) -> None:
    database = folder / "packed.sqlite3"
    connection = sqlite3.connect(folder / "thetahat.sqlite3")
    connection.execute("VACUUM INTO ?", (str(database),))
    connection.close()
    with tarfile.open(archive, "w:xz", preset=9) as packed:
        packed.add(database, "thetahat.sqlite3")
        packed.add(folder / "files", "files")


if __name__ == "__main__":
    main()
