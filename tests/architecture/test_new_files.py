"""A method or a kind is added by its own file alone: copies under new names work as they do.

The copies are written into a copy of the source tree, which a process of its own runs, so that
nothing but their files can have told the program of them. Requests are those of the golden record
that name the original; the result of the copy is the same to the last bit, but for the name.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest

from tests.architecture.sources import ROOT
from tests.golden.replay import request_of
from thetahat.families import collect_families

TWIN: Final = "_twin"
COPIED: Final = (
    "thetahat",
    "service",
    "presentation",
    "replications",
    "tests/golden",
    "tests/architecture",
)


@dataclass(frozen=True)
class Case:
    """A method, and a golden request that names it.

    Parameters
    ----------
    family, name : str
        The method.
    request : str
        The golden request.
    change : mapping
        Fields of the request that are replaced.
    """

    family: str
    name: str
    request: str
    change: Mapping[str, Any] = field(default_factory=dict)

    @property
    def key(self) -> str:
        """Return what the case is called."""
        return f"{self.family}/{self.name}/{self.request}"

    def body(self) -> dict[str, Any]:
        """Return the request that names the original."""
        body = {**request_of(self.request), **self.change}
        assert f'"{self.name}"' in json.dumps(body), self.key
        return body

    def twin_body(self) -> dict[str, Any]:
        """Return the request that names the copy."""
        text = json.dumps(self.body()).replace(f'"{self.name}"', f'"{self.name}{TWIN}"')
        body: dict[str, Any] = json.loads(text)
        return body


def alone(family: str, name: str, request: str, **change: Any) -> Case:
    """Return a case whose request names that method of its list and no other."""
    return Case(family, name, request, {family: [name], **change})


CASES: Final = (
    alone("variances", "iid", "losses_holdout_all_that_apply", margin=0.1),
    alone("variances", "cluster_robust", "losses_holdout_clusters", margin=0.1),
    alone("variances", "nadeau_bengio", "losses_random_all_that_apply", margin=0.01),
    alone("variances", "nadeau_bengio", "losses_subsamples", margin=0.01),
    alone("variances", "theta_5", "losses_random_all_that_apply"),
    alone("variances", "theta_B", "losses_source_all_that_apply", margin=0.01),
    alone("variances", "theta_gamma", "losses_source_all_that_apply", margin=0.01),
    alone("intervals", "student_t", "losses_random_all_that_apply"),
    alone("intervals", "normal", "losses_random_all_that_apply"),
    alone("intervals", "prediction", "losses_source_all_that_apply"),
    alone("intervals", "wilson", "losses_holdout_zero_one"),
    alone("intervals", "tango", "losses_holdout_zero_one", margin=0.1),
    alone("tests", "mcnemar", "losses_holdout_zero_one"),
    alone("tests", "theta_t", "losses_random_all_that_apply"),
    alone("tests", "friedman", "losses_many_models_brief"),
    Case("corrections", "bonferroni", "losses_correction_bonferroni"),
    Case("corrections", "finner", "losses_correction_finner"),
    Case("corrections", "shaffer", "losses_correction_shaffer"),
    Case("losses", "absolute", "cross_validation_loss_absolute"),
    Case("losses", "zero_one", "cross_validation_metrics_classes"),
    Case("learners", "linear_discriminant", "cross_validation_own_learners_classes"),
    Case("learners", "multinomial_naive_bayes", "cross_validation_counts"),
    Case("learners", "ridge", "cross_validation_all_that_apply"),
    Case("metrics", "roc_auc", "predictions_random_metrics"),
    Case("weights", "given", "importance_weighting_given"),
    Case("weights", "kernel_mean_matching", "weights_kernel_mean_matching"),
    Case("risks", "weighted", "importance_weighting_all_risks"),
    Case("statistics", "median", "bootstrap_median"),
    Case("statistics", "mean_vector", "bootstrap_mean_vector"),
    Case("schemes", "k_fold", "cross_validation_scheme_k_fold"),
    Case(
        "two_sample_tests",
        "two_sample_permutation",
        "bootstrap_difference_median",
        {"statistic": "difference", "tests": ["two_sample_permutation"]},
    ),
    Case("variances", "out_of_bag", "cross_validation_refits_variances"),
    Case("generators", "random_effects", "study_random_effects"),
)
NO_METHOD_NAMED: Final = (
    "losses_random_all_that_apply",
    "losses_source_all_that_apply",
    "losses_holdout_all_that_apply",
    "losses_holdout_clusters",
    "losses_subsamples",
    "losses_many_models_brief",
)
"""Golden requests that take all methods that apply, the copies among them."""

FOLDERS: Final = {
    "tests": "paired_tests",
    "weights": "importance_weights",
    "risks": "weighted_risks",
}
"""The package of a family, where a request calls the family otherwise."""

SUBPACKAGES: Final = {"vector_statistics": "statistics/vector_statistics"}
"""Packages of families that are inside another one."""


KIND_NAMED: Final = re.compile(r"Literal\[|name: ClassVar|kind=")
"""The lines of a kind that have its name, and not a field that is called alike."""


def folder_of(case: Case) -> str:
    """Return the package that has the method."""
    names = [FOLDERS.get(case.family, case.family), "multiple_tests", "refit_estimators"]
    names.append("vector_statistics")
    return next(name for name in names if case.name in collect_families()[name])


def test_exact_every_family_of_single_files_has_a_case() -> None:
    """Steps and presets are not methods with a file of their own in the library.

    Sequential methods belong to series, which are no evaluations.
    """
    covered = {folder_of(case) for case in CASES}

    assert covered == set(collect_families()) - {"steps", "presets", "sequential"}


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return the results of all requests in a copy of the tree that has the copies' files."""
    tree = tmp_path_factory.mktemp("planted")
    for part in COPIED:
        shutil.copytree(ROOT / part, tree / part, ignore=shutil.ignore_patterns("__pycache__"))
    (tree / "tests" / "__init__.py").touch()
    for case in CASES:
        folder = folder_of(case)
        plant_method(tree / "thetahat" / SUBPACKAGES.get(folder, folder), case.name)
    plant_kind(tree / "service" / "thetahat_service" / "kinds", "losses")
    plant_method(tree / "presentation" / "thetahat_presentation" / "kinds", "losses")
    requests = {f"{case.key}{TWIN}": case.twin_body() for case in CASES}
    requests |= {case.key: case.body() for case in CASES}
    requests |= {name: request_of(name) for name in NO_METHOD_NAMED}
    requests[f"kind{TWIN}"] = {**request_of(NO_METHOD_NAMED[0]), "kind": f"losses{TWIN}"}
    folders = [str(tree / part) for part in ("", "service", "presentation", "replications")]
    here = os.environ["PYTHONPATH"]  # last, for the client
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([*folders, here])}
    done = subprocess.run(
        [sys.executable, "-m", "tests.architecture.run_planted"],
        cwd=tree,
        env=environment,
        input=json.dumps(requests),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def plant_method(package: Path, name: str) -> None:
    """Write a copy of a method's file under a new name."""
    shutil.copyfile(package / f"{name}.py", package / f"{name}{TWIN}.py")


def plant_kind(kinds: Path, name: str) -> None:
    """Write a copy of a kind's package under a new name."""
    copy = kinds / f"{name}{TWIN}"
    shutil.copytree(kinds / name, copy)
    for path in copy.glob("*.py"):
        text = path.read_text(encoding="utf-8")
        text = "".join(
            line.replace(f'"{name}"', f'"{name}{TWIN}"') if KIND_NAMED.search(line) else line
            for line in text.splitlines(keepends=True)
        )
        path.write_text(
            text.replace(f"thetahat_service.kinds.{name}.", f"thetahat_service.kinds.{name}{TWIN}.")
        )


@cache
def in_this_tree(name: str) -> dict[str, Any]:
    """Return the result of a golden request where no copy is planted."""
    from tempfile import TemporaryDirectory

    from tests.golden.replay import run_request
    from thetahat_presentation.expansion import expand_result

    with TemporaryDirectory() as folder:
        result, _ = run_request(request_of(name), Path(folder))
    return dict(expand_result(result))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.key)
def test_exact_a_copy_gives_what_the_original_gives(case: Case, planted: dict[str, Any]) -> None:
    from thetahat_presentation.wording import name_method

    original, copy = (planted["results"][case.key + end] for end in ("", TWIN))

    text = json.dumps(copy).replace(f"{case.name}{TWIN}", case.name)
    renamed = json.loads(text.replace(name_method(f"{case.name}{TWIN}"), name_method(case.name)))
    assert _without_studied_coverage(renamed) == _without_studied_coverage(original)


def _without_studied_coverage(value: Any) -> Any:
    """Return a result without what the kept studies say, in which a new method is not."""
    if isinstance(value, list):
        kept = [part for part in value if not _is_caution_of_study(part)]
        return [_without_studied_coverage(part) for part in kept]
    if not isinstance(value, dict):
        return value
    return {
        name: _without_studied_coverage(part)
        for name, part in value.items()
        if not name.startswith(("expected_coverage", "expected_size"))
    }


def _is_caution_of_study(part: Any) -> bool:
    codes = {"covers_too_rarely", "rejects_too_often", "rejects_far_too_often"}
    return isinstance(part, dict) and part.get("code") in codes


@pytest.mark.parametrize("name", NO_METHOD_NAMED)
def test_exact_unnamed_copies_of_methods_change_no_recommendation_plan_or_verdict(
    name: str, planted: dict[str, Any]
) -> None:
    with_copies, without = planted["results"][name]["result"], in_this_tree(name)

    assert TWIN in json.dumps(with_copies["methods"])
    for ours, theirs in zip(with_copies["comparisons"], without["comparisons"], strict=True):
        assert ours["verdict"] == theirs["verdict"]
        assert ours["interval"] == theirs["interval"]
    for model, theirs in without["models"].items():
        assert with_copies["models"][model]["recommended"] == theirs["recommended"]


def test_exact_a_copy_of_a_kind_gives_what_the_original_gives(planted: dict[str, Any]) -> None:
    copy = planted["results"][f"kind{TWIN}"]["result"]
    original = planted["results"][NO_METHOD_NAMED[0]]["result"]

    assert {**copy, "kind": original.get("kind")} == {**original, "kind": original.get("kind")}


def test_exact_a_copied_kind_is_shown_by_its_own_file(planted: dict[str, Any]) -> None:
    original = planted["shown"][NO_METHOD_NAMED[0]]

    assert f"losses{TWIN}" in planted["presentations"]
    assert planted["shown"][f"kind{TWIN}"] == original
    assert "Mean loss of each model" in original


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.key)
def test_exact_the_service_and_the_page_of_methods_list_a_copy(
    case: Case, planted: dict[str, Any]
) -> None:
    assert f"{case.name}{TWIN}" in planted["families"][case.family]
    assert f"### `{case.name}{TWIN}`" in planted["page"]
