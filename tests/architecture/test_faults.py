"""Every known fault of another package is a test that it is not made here.

The tests stand in ``tests/thetahat/faults`` and ``tests/service/api/test_faults.py``, and name the
package and what it does wrong.
"""

from __future__ import annotations

from functools import cache

import pytest

from tests.architecture.proofs import proofs

pytestmark = pytest.mark.xdist_group("tests of methods")  # which are read once

# Words that one test must say, whatever the case.
FAULTS = {
    "correctipy takes no square root": ("correctipy",),
    "correctR counts instances for folds": ("correctr",),
    "julearn rounds the averages of sizes": ("julearn",),
    "WEKA is silently uncorrected": ("weka",),
    "scmamp halves the p-value of wilcoxon": ("scmamp", "wilcoxon"),
    "autorank chooses the side by the data": ("autorank", "rank_two"),
    "three conventions of friedman": ("friedman", "scmamp"),
    "scmamp has other degrees for nemenyi": ("nemenyi", "scmamp"),
    "autorank's interval of a median": ("autorank", "median"),
    "mlxtend's .632+ is not clipped": ("mlxtend", "632"),
    "mlxtend's F test has other degrees": ("mlxtend", "ftest"),
    "mlxtend's proportion_difference": ("mlxtend", "proportion_difference"),
    "mlxtend's documented McNemar": ("mlxtend", "documentation", "mcnemar"),
    "confidenceinterval's macro precision": ("confidenceinterval", "precision"),
    "confidenceinterval's F1 beyond 1": ("confidenceinterval", "f1"),
    "confidenceinterval's AUC beyond 1": ("confidenceinterval", "auc"),
    "MLJ divides by k - 1": ("mlj",),
    "two nested cross-validations of one name": ("nestedcv", "mlr3inferr"),
    "STAC shows its trace": ("stac", "trace"),
    "STAC mixes up the models": ("stac", "order"),
    "STAC doubles p by hand": ("stac", "double"),
    "lm-eval compares paired items unpaired": ("lm-eval",),
    "inspect_ai's interval of one score": ("inspect_ai",),
    "libTLDA's kernel has no square and no bound": ("libtlda", "unsquared", "bound"),
    "libTLDA's logistic weights are classes": ("libtlda", "logistic", "labels"),
    "libTLDA asks the wrong rows for their neighbours": ("libtlda", "neighbours", "axis"),
    "ctrl-iwxval's linear term has the wrong sign": ("ctrl-iwxval", "sign"),
    "adapt's batches leave rows out": ("adapt kmm", "remainder"),
    "pykliep ignores its seed": ("pykliep", "seed"),
    "inferGE centres on the run beside": ("inferge", "centre"),
}
# Faults in methods that are not offered yet.
LATER: frozenset[str] = frozenset()
# Not there yet. A fault that has its test must leave the list.
OPEN: frozenset[str] = frozenset()


@cache
def told() -> dict[str, str]:
    """Return the texts of the tests of faults, by place."""
    return {
        p.place: p.text.lower()
        for p in proofs()
        if "architecture" not in p.path.parts
        and ("faults" in p.path.parts or p.path.name == "test_faults.py")
    }


@pytest.mark.parametrize("fault", FAULTS)
def test_exact_every_fault_of_another_package_has_its_test(fault: str) -> None:
    holding = [place for place, text in told().items() if all(w in text for w in FAULTS[fault])]

    assert bool(holding) != (fault in OPEN), holding or f"no test says {FAULTS[fault]}"


def test_exact_no_fault_is_open() -> None:
    assert sorted(OPEN) == []


def test_exact_what_is_for_later_is_not_there_yet() -> None:
    assert [
        (fault, place) for fault in LATER for place, text in told().items() if fault in text
    ] == []
