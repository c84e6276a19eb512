"""Functions of ``scipy.special`` that are imported without that package."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.architecture.sources import ROOT

WITHOUT_COMPILED = """import sys
class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name == "scipy.special._ufuncs":
            sys.meta_path.remove(self)
            raise ImportError(name)
sys.meta_path.insert(0, Hidden())"""
CASES = {
    "alone": ("", "False False"),
    "beside another thread": (
        "from threading import Event, Thread; Thread(target=Event().wait, daemon=True).start()",
        "True True",
    ),
    "after the package": ("import scipy.special", "True True"),
    "with functions elsewhere": (WITHOUT_COMPILED, "True True"),
}


@pytest.mark.parametrize("before", CASES)
def test_against_scipy_the_functions_are_the_same_objects(before: str) -> None:
    first, imported = CASES[before]
    script = f"""import sys
{first}
from thetahat.special_functions import gammaln, ndtr, stdtrit
print("scipy.special" in sys.modules, "numpy.f2py" in sys.modules)
import scipy.special
print(all(getattr(scipy.special, f.__name__) is f for f in (gammaln, ndtr, stdtrit)))
print(scipy.special._ufuncs.ndtr is ndtr, scipy.special.logsumexp([0.0]))
{"import scipy.stats; assert scipy.stats.norm.cdf(0) == 0.5" if before == "alone" else ""}
"""
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )

    assert done.stdout.splitlines() == [imported, "True", "True 0.0"]
