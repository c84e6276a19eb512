from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture.sources import ROOT, imported_names, python_files

CORE_MAY_IMPORT = sys.stdlib_module_names | {
    "numba",
    "numpy",
    "scipy",
    "sklearn",
    "threadpoolctl",
    "thetahat",
}
# A pure core reads no clock, no network and no shared random state.
CORE_MUST_NOT_IMPORT = {
    *("asyncio", "datetime", "http", "logging", "multiprocessing", "random", "signal", "socket"),
    *("sqlite3", "subprocess", "threading", "time", "urllib"),
}
# Reads texts as dates, and asks no clock: a test below looks for that.
READS_DATES = Path("thetahat/tables/instants.py")
# Starts no thread, and asks whether there are others.
COUNTS_THREADS = Path("thetahat/special_functions.py")
# Its results are shown by the presentation, which computes nothing and is loaded when one is shown;
# the numbers of its sentences are written as there.
SHOWN_RESULTS = {
    Path("thetahat/analyses/losses/result.py"),
    Path("thetahat/analyses/agreement/result.py"),
    Path("thetahat/values/number_text.py"),
}
PYTEST_PLUGIN = Path("thetahat/pytest_plugin.py")
# Each costs the API process a second or tens of megabytes, and it computes and maps nothing.
HEAVY = ("scipy.stats", "sklearn", "numba", "pandas", "matplotlib", "sqlalchemy.orm")
API_SIDE = python_files("thetahat", "service")


def _is_or_is_in(name: str, package: str) -> bool:
    return name == package or name.startswith(f"{package}.")


def test_exact_the_import_contracts_hold() -> None:
    linter = Path(sys.executable).parent / "lint-imports"
    done = subprocess.run(
        [linter, "--no-logo"], cwd=ROOT, capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stdout + done.stderr
    assert " 0 broken" in done.stdout


def test_exact_the_core_imports_only_its_allow_list() -> None:
    refused: dict[str, set[str]] = {}
    for path in python_files("thetahat"):
        roots = {name.split(".")[0] for name in imported_names(path, module_level_only=False)}
        may = {READS_DATES: {"datetime"}, COUNTS_THREADS: {"threading"}}.get(path, set())
        roots -= {"pytest"} if path == PYTEST_PLUGIN else set()
        roots -= {"thetahat_presentation"} if path in SHOWN_RESULTS else set()
        refused[str(path)] = (roots - CORE_MAY_IMPORT) | ((roots & CORE_MUST_NOT_IMPORT) - may)

    assert {path: names for path, names in refused.items() if names} == {}


def test_exact_parsing_dates_reads_no_clock() -> None:
    tree = ast.parse((ROOT / READS_DATES).read_text())
    names = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}

    assert "fromisoformat" in names
    assert not names & {"now", "utcnow", "today"}


def test_exact_heavy_packages_are_imported_inside_functions() -> None:
    early = {
        str(path): {
            name
            for name in imported_names(path, module_level_only=True)
            if any(_is_or_is_in(name, heavy) for heavy in HEAVY)
        }
        for path in API_SIDE
    }

    assert {path: names for path, names in early.items() if names} == {}


@pytest.mark.parametrize("name", ["thetahat.registry", "thetahat_service.api.app"])
def test_exact_the_api_process_does_not_load_heavy_packages(name: str) -> None:
    if not (ROOT / name.replace(".", "/")).with_suffix(".py").is_file():
        return
    script = f"import sys, {name}; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )

    loaded = done.stdout.split()
    assert name in loaded
    assert not [heavy for heavy in HEAVY if heavy in loaded]


def test_exact_the_reader_of_imports_sees_them(tmp_path: Path) -> None:
    source = tmp_path / "module.py"
    source.write_text(
        "import sklearn.svm\nfrom typing import TYPE_CHECKING\n"
        "if TYPE_CHECKING:\n    import pandas\n"
        "class A:\n    from scipy import stats\n"
        "def late():\n    import numba\n"
    )

    early = {"sklearn.svm", "typing.TYPE_CHECKING", "scipy.stats"}
    assert set(imported_names(source, module_level_only=True)) == early
    assert set(imported_names(source, module_level_only=False)) == early | {"numba"}
