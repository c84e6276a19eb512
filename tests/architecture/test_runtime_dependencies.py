"""The runtime lock has every package that the service imports, also through its dependencies."""

from __future__ import annotations

import subprocess
import sys

from tests.architecture.sources import ROOT

WITHOUT_OTHERS = """
import importlib, pkgutil, re, sys
from importlib.metadata import packages_distributions
from pathlib import Path

def normalise(name):
    return re.sub(r"[-_.]+", "-", name).lower()

lock = Path("requirements.lock").read_text()
allowed = {normalise(name) for name in re.findall(r"^([a-z0-9._-]+)==", lock, re.MULTILINE)}
allowed |= {"thetahat", "thetahat-client"}
hidden = {
    top for top, names in packages_distributions().items()
    if not allowed & {normalise(name) for name in names}
}
assert {"pytest", "mypy"} <= hidden

class NotInstalled:
    @staticmethod
    def find_spec(name, *_):
        if name.partition(".")[0] in hidden:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, NotInstalled)
for package in (
    "thetahat", "thetahat_replications", "thetahat_service", "thetahat_worker", "thetahat_client"
):
    module = importlib.import_module(package)
    for found in pkgutil.walk_packages(module.__path__, f"{package}."):
        if not found.name.endswith("__main__"):
            importlib.import_module(found.name)

from thetahat_worker.app import app
for url in ("redis://127.0.0.1:6379/0", "rediss://127.0.0.1:6379/0"):
    app.connection_for_read(url).transport_cls
"""


def test_exact_the_runtime_lock_suffices() -> None:
    """The image has the packages of that lock alone, and the development environment has more."""
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_OTHERS],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr[-2000:]
