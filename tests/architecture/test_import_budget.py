"""What a process imports for the library and for a first evaluation of losses.

Modules are counted instead of time, which other work on the machine changes.
"""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.architecture.sources import ROOT

BUDGET = {
    "thetahat": 12,
    "thetahat.analyses": 43,
    "thetahat.corrections": 2,
    "thetahat.intervals": 4,
    "thetahat.multiple_tests": 2,
    "thetahat.numerics": 25,
    "thetahat.paired_tests": 3,
    "thetahat.tables": 7,  # labels that are no whole numbers are checked as those of a file
    "thetahat.values": 21,
    "thetahat.variances": 11,
    "thetahat_presentation": 5,
}
"""The most modules by package. Methods do not count: an evaluation needs each of its families."""

FORBIDDEN = {
    # scipy.special alone would import numpy.f2py: see thetahat/special_functions.py
    *("numpy.f2py", "scipy.special", "scipy.stats"),
    *("scipy.optimize", "scipy.linalg", "scipy.sparse", "scipy.spatial"),
    *("sklearn", "numba", "llvmlite", "joblib", "threadpoolctl", "pandas", "pyarrow", "pydantic"),
}

EVALUATIONS = {
    "holdout": "evaluate({m: draw(45) for m in 'ab'}, blocks='holdout')",
    "sources": (
        "evaluate({m: draw(600) for m in 'abc'}, blocks='source', "
        "block=[f'school {i % 12}' for i in range(600)])"
    ),
}


def list_modules_after(script: str) -> set[str]:
    script = f"import json, sys\n{script}\njson.dump(sorted(sys.modules), sys.stdout)"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return set(json.loads(done.stdout))


def find_ours(modules: set[str]) -> set[str]:
    return {module for module in modules if module.partition(".")[0].startswith("thetahat")}


def group_by_package(modules: set[str]) -> dict[str, list[str]]:
    """Group modules by their package below the library; methods are left out."""
    packages = {module.rpartition(".")[0] for module in modules}
    families = {package for package in packages if f"{package}.base" in modules}
    groups: dict[str, list[str]] = {}
    for module in sorted(modules):
        parent, _, name = module.rpartition(".")
        if parent in families and name != "base" and not name.startswith("_"):
            continue
        below = ".".join(module.split(".")[:2])
        groups.setdefault(below if below in packages else module.split(".")[0], []).append(module)
    return groups


def test_exact_importing_the_library_imports_one_module() -> None:
    modules = list_modules_after("import thetahat")

    assert find_ours(modules) == {"thetahat"}
    assert not modules & {"numpy", "scipy"}


@pytest.mark.parametrize("data", EVALUATIONS)
def test_exact_a_first_evaluation_imports_no_more_than_its_budget(data: str) -> None:
    draw = "import numpy, thetahat\ndraw = numpy.random.default_rng(0).random"
    modules = list_modules_after(f"{draw}\nthetahat.{EVALUATIONS[data]}")
    over_budget = [
        f"{len(names)} modules of {package}, at most {BUDGET.get(package, 0)}: {', '.join(names)}"
        for package, names in group_by_package(find_ours(modules)).items()
        if len(names) > BUDGET.get(package, 0)
    ]

    assert not over_budget, "\n".join(over_budget)
    assert modules & FORBIDDEN == set()
    assert "scipy.special._ufuncs" in modules
