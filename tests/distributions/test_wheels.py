"""The four distributions are built, and installed into an empty environment."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
import venv
import zipfile
from email.parser import Parser
from pathlib import Path
from typing import Final

import pytest

from tests.architecture.sources import ROOT, committed_files
from thetahat_service.cli.client_types import render_module

PROJECTS: Final = {
    "thetahat": ROOT,
    "thetahat_client": ROOT / "clients" / "python",
    "thetahat_presentation": ROOT / "presentation",
    "thetahat_replications": ROOT / "replications",
}
PACKAGES: Final = {
    "thetahat": "thetahat",
    "thetahat_client": "clients/python/thetahat_client",
    "thetahat_migrations": "migrations/thetahat_migrations",
    "thetahat_presentation": "presentation/thetahat_presentation",
    "thetahat_replications": "replications/thetahat_replications",
    "thetahat_service": "service/thetahat_service",
    "thetahat_worker": "worker/thetahat_worker",
}
"""The packages that the distributions install, and their folders."""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the wheels, each built from the source distribution."""
    folder = tmp_path_factory.mktemp("built")
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    for project in PROJECTS.values():
        # Without a target hatchling builds the source distribution, and the wheel from that.
        subprocess.run(
            [sys.executable, "-m", "hatchling", "build", "-d", str(folder)],
            cwd=project,
            env=environment,
            check=True,
            capture_output=True,
        )
    return folder


@pytest.fixture(scope="module")
def environment(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an environment with the wheels; what they need is taken from this one."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, symlinks=True)
    wheels = [str(path) for path in sorted(built.glob("*.whl"))]
    # By this environment's pip: one of its own, and compiling every module, took half of the time.
    options = ("--quiet", "--no-index", "--no-deps", "--no-compile", *wheels)
    subprocess.run(
        [sys.executable, "-m", "pip", "--python", str(folder), "install", *options], check=True
    )
    (site,) = (folder / "lib").glob("python*/site-packages")
    # After this environment's own packages, so that the wheels come first.
    others = [path for path in sys.path if path.endswith("site-packages")]
    (site / "zz_others.pth").write_text("".join(f"{path}\n" for path in others))
    return folder


def test_exact_the_wheels_have_every_file_of_the_packages(built: Path) -> None:
    in_wheels: set[str] = set()
    for wheel in built.glob("*.whl"):
        with zipfile.ZipFile(wheel) as archive:
            in_wheels |= {n for n in archive.namelist() if ".dist-info/" not in n}
    expected = {
        str(Path(package) / path.relative_to(folder))
        for package, folder in PACKAGES.items()
        for path in committed_files()
        if path.is_relative_to(folder)
    }

    assert {name.partition("/")[0] for name in in_wheels} == set(PACKAGES)
    assert expected - in_wheels == set()


def test_exact_the_client_has_the_types_of_results_of_this_code(built: Path) -> None:
    (wheel,) = built.glob("thetahat_client-*.whl")

    with zipfile.ZipFile(wheel) as archive:
        assert archive.read("thetahat_client/results.py").decode() == render_module()


def test_exact_a_build_without_what_the_service_needs_says_that_it_has_no_types(
    tmp_path: Path,
) -> None:
    """An isolated build from a checkout has hatchling alone."""
    checkout = tmp_path / "checkout"
    (checkout / "service" / "thetahat_service").mkdir(parents=True)
    shutil.copytree(
        ROOT / "clients", checkout / "clients", ignore=shutil.ignore_patterns("results.py")
    )
    code = (
        "import sys, importlib.util as u; find = u.find_spec\n"
        "u.find_spec = lambda name, *a: None if name == 'pyarrow' else find(name, *a)\n"
        "sys.argv[1:] = ['build', '-t', 'wheel', '-d', sys.argv[1]]\n"
        "from hatchling.cli import hatchling; hatchling()"
    )

    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)],
        cwd=checkout / "clients" / "python",
        capture_output=True,
        text=True,
        check=True,
    )

    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        assert "thetahat_client/results.py" not in archive.namelist()
    assert "The types of results are not written, for want of pyarrow." in done.stderr + done.stdout


def test_exact_wheel_and_source_distribution_of_each_describe_themselves(built: Path) -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]

    assert len(list(built.glob("*.tar.gz"))) == len(PROJECTS)
    for name in PROJECTS:
        (wheel,) = built.glob(f"{name}-{version}-*.whl")
        with zipfile.ZipFile(wheel) as archive:
            text = archive.read(f"{name}-{version}.dist-info/METADATA").decode()
            licence = archive.read(f"{name}-{version}.dist-info/licenses/LICENSE")
        metadata = Parser().parsestr(text)
        assert metadata["License-Expression"] == "BSD-3-Clause"
        assert licence == (ROOT / "LICENSE").read_bytes()
        assert metadata["Author"] == "The maintainers of thetahat"
        assert metadata["Keywords"]
        assert "Typing :: Typed" in (metadata.get_all("Classifier") or ())
        assert metadata["Requires-Python"] == ">=3.11"
        assert len(metadata.get_payload()) > 100  # the README
        for requirement in metadata.get_all("Requires-Dist") or ():
            # The distributions of one release go together.
            assert (
                not requirement.startswith("thetahat")
                or f"=={version}" in requirement
                or (requirement.startswith("thetahat["))
            )


def test_exact_only_names_that_begin_with_thetahat_are_installed(environment: Path) -> None:
    (site,) = (environment / "lib").glob("python*/site-packages")
    names = {path.name for path in site.iterdir()} - {"zz_others.pth"}

    assert all(name.startswith("thetahat") for name in names), names
    assert (site / "thetahat_migrations" / "versions").is_dir()


def test_exact_a_project_with_folders_of_the_same_names_works(
    environment: Path, tmp_path: Path
) -> None:
    """A user's own packages service, worker and migrations are neither imported nor hidden."""
    for name in ("service", "worker", "migrations", "replications"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("raise RuntimeError('imported')\n")
    (tmp_path / "losses.csv").write_text("school,old,new\n" + "a,1,0\nb,1,1\nc,0,0\nd,1,0\n" * 3)
    variables = {"PATH": f"{environment / 'bin'}:{os.environ['PATH']}", "HOME": str(tmp_path)}

    def run(*words: str) -> str:
        done = subprocess.run(
            words, cwd=tmp_path, env=variables, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr[-2000:]
        return done.stdout

    assert run("thetahat", "--version") == "thetahat 0.1.0\n"
    assert "new" in run("thetahat", "compare", "losses.csv", "--block", "school")
    assert run("python", "-c", "import thetahat_service as s; print(s.__file__)").startswith(
        str(environment)
    )


def test_exact_removing_the_client_leaves_the_library(environment: Path, tmp_path: Path) -> None:
    """The wheels share no file, so none removes what another needs."""
    (site,) = (environment / "lib").glob("python*/site-packages")
    records = [path.read_text().splitlines() for path in site.glob("thetahat*.dist-info/RECORD")]
    files = [{line.partition(",")[0] for line in lines} for lines in records]
    shared = set.intersection(*files) | {
        name for i, one in enumerate(files) for other in files[i + 1 :] for name in one & other
    }

    assert len(records) == len(PROJECTS)
    assert shared == set()
    script = (
        "import sys; sys.modules['thetahat_client'] = None\n"
        "from thetahat import evaluate\n"
        "print(evaluate({'a': [1, 0, 1], 'b': [0, 0, 1]}, blocks='holdout').summary)"
    )
    done = subprocess.run(
        [environment / "bin" / "python", "-c", script],
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
