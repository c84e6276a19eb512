"""The client installs from its own folder, and needs urllib3 and the presentation alone."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

from tests.architecture.sources import ROOT

CLIENT = ROOT / "clients" / "python"
# Packages that a client must do without are made to fail where they are imported.
USE = """
import sys
others = "httpx certifi idna numpy pandas narwhals pyarrow mlflow IPython thetahat thetahat_service"
for name in others.split():
    sys.modules[name] = None
import thetahat_client
from thetahat_client import AsyncClient, Client, ConnectionFailed
assert "urllib3" not in sys.modules
with Client("http://127.0.0.1:9", retries=0) as client:
    assert not client.ready()
    try:
        client.get("x")
    except ConnectionFailed:
        print(thetahat_client.__file__, thetahat_client.__version__)
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        cwd=CLIENT,
        env={key: value for key, value in os.environ.items() if key != "PYTHONPATH"},
        check=True,
        capture_output=True,
    )
    (path,) = folder.glob("thetahat_client-*.whl")
    return path


def test_exact_the_wheel_has_the_package_its_types_and_its_needs(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        (metadata,) = [
            archive.read(name).decode() for name in names if name.endswith(".dist-info/METADATA")
        ]
    sources = {str(path.relative_to(CLIENT)) for path in CLIENT.rglob("thetahat_client/**/*.py")}

    assert "thetahat_client/py.typed" in names
    assert sources <= names
    assert {name.split("/")[0] for name in names if ".dist-info" not in name} == {"thetahat_client"}
    needs = [line for line in metadata.splitlines() if line.startswith("Requires-Dist")]
    assert [line for line in needs if "extra ==" not in line] == [
        "Requires-Dist: thetahat-presentation==0.1.0",
        "Requires-Dist: urllib3>=2.3",
    ]


def test_exact_the_wheel_works_in_an_environment_of_its_own(wheel: Path, tmp_path: Path) -> None:
    """urllib3 and the presentation are taken from here; the client is installed from its wheel."""
    venv.create(tmp_path, system_site_packages=False, with_pip=False, symlinks=True)
    python = tmp_path / "bin" / "python"
    (site,) = (tmp_path / "lib").glob("python*/site-packages")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    for path in map(Path, sys.path):
        if path.name == "site-packages":
            (site / "others.pth").write_text(f"{ROOT / 'presentation'}\n{path}\n")
    done = subprocess.run(
        [python, "-c", USE],
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [str(site / "thetahat_client" / "__init__.py"), "0.1.0"]
