"""What the service's processes import before they answer, because a lost machine starts anew.

Modules are counted instead of time, which other work on the machine changes.
"""

from __future__ import annotations

import pytest

from tests.architecture.test_import_budget import list_modules_after
from tests.architecture.test_import_budget_commands import KINDS
from thetahat_service.kinds.registry import JOB_KINDS

SHARED = (
    "from thetahat_service.supervisor.forked_process import load_shared_modules\n"
    "load_shared_modules()"
)
SCRIPTS = {
    "supervisor": SHARED,
    "api": f"{SHARED}\nfrom thetahat_service.supervisor.api_process import load_application\n"
    "load_application()",
    "worker": f"{SHARED}\nfrom thetahat_worker import main_process\nmain_process.load()",
}
MOST_MODULES = {"supervisor": 680, "api": 2096, "worker": 1211}

FORBIDDEN = {
    *("scipy.special", "scipy.optimize", "scipy.linalg", "scipy.spatial", "scipy.stats"),
    *("scipy.sparse", "sklearn", "numba", "pandas", "matplotlib", "alembic", "pyarrow.compute"),
    *("vl_convert", "typst", "thetahat_replications"),
}
OF_ONE = {
    "api": {"celery", "fastapi", "jinja2", "redis", "uvicorn"},
    "worker": {"celery", "redis"},
}
"""Packages that one of the processes needs before its first answer, and others do not."""
FIRST_KINDS = {
    "supervisor": set(),
    "api": {"ladder", "losses", "predictions"},
    "worker": {"ladder"},
}
"""Kinds of which modules are loaded: what settles an evaluation knows the scores of ladders."""


@pytest.mark.parametrize("process", SCRIPTS)
def test_exact_a_process_imports_nothing_that_its_first_answers_do_not_use(process: str) -> None:
    modules = list_modules_after(SCRIPTS[process])
    forbidden = FORBIDDEN.union(*OF_ONE.values()) - OF_ONE.get(process, set())

    assert modules & forbidden == set()
    assert len(modules) <= MOST_MODULES[process]
    assert set(filter(None, map(_name_kind, modules))) == FIRST_KINDS[process]


def _name_kind(module: str) -> str | None:
    """Return the kind of evaluation that a module is of."""
    names = module.split(".")
    return names[2] if names[:2] == KINDS and len(names) > 3 and names[2] in JOB_KINDS else None
