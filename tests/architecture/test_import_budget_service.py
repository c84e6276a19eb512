"""What the service's processes import before they answer, because a lost machine starts anew.

Modules are counted instead of time, which other work on the machine changes.
"""

from __future__ import annotations

import pytest

from tests.architecture.test_import_budget import list_modules_after

SHARED = (
    "from thetahat_service.supervisor.forked_process import load_shared_modules\n"
    "load_shared_modules()"
)
SCRIPTS = {
    "supervisor": SHARED,
    "api": f"{SHARED}\nfrom thetahat_service.supervisor.api_process import load_application\n"
    "load_application()",
}
MOST_MODULES = {"supervisor": 1360, "api": 2390}

FORBIDDEN = {
    *("scipy.special", "scipy.optimize", "scipy.linalg", "scipy.spatial", "scipy.stats"),
    *("sklearn", "numba", "pandas", "matplotlib", "alembic", "pyarrow.compute"),
    *("vl_convert", "typst", "thetahat_replications"),
}
NOT_SHARED = {"fastapi", "uvicorn", "celery", "redis", "jinja2", "scipy.sparse"}


@pytest.mark.parametrize("process", SCRIPTS)
def test_exact_a_process_imports_nothing_that_its_first_answers_do_not_use(process: str) -> None:
    modules = list_modules_after(SCRIPTS[process])
    forbidden = FORBIDDEN | (NOT_SHARED if process == "supervisor" else set())

    assert modules & forbidden == set()
    assert len(modules) <= MOST_MODULES[process]
