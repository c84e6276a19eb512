"""Every number of every result is the one that was recorded, and every method is asked for."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final

import pytest

from tests.golden import replay
from tests.golden.moved import MOVED, Changed, Moved, Rounded
from tests.golden.replay import Numbers
from thetahat.corrections import CORRECTIONS
from thetahat.generators import GENERATORS
from thetahat.importance_weights import IMPORTANCE_WEIGHTS
from thetahat.intervals import INTERVALS
from thetahat.learners import LEARNERS
from thetahat.losses import LOSSES
from thetahat.metrics import METRICS
from thetahat.multiple_tests import MULTIPLE_TESTS
from thetahat.paired_tests import PAIRED_TESTS
from thetahat.refit_estimators import REFIT_ESTIMATORS
from thetahat.schemes import SCHEMES
from thetahat.statistics import STATISTICS
from thetahat.variances import VARIANCES
from thetahat.weighted_risks import WEIGHTED_RISKS
from thetahat_replications.presets import PRESETS
from thetahat_service.kinds.registry import JOB_KINDS

FAMILIES: Final[Mapping[str, Mapping[str, Any]]] = {
    "comparisons": PAIRED_TESTS,
    "generators": GENERATORS,
    "intervals": INTERVALS,
    "learners": LEARNERS,
    "losses": LOSSES,
    "metrics": METRICS,
    "omnibus": MULTIPLE_TESTS,
    "presets": PRESETS,
    "refits": REFIT_ESTIMATORS,
    "risks": WEIGHTED_RISKS,
    "schemes": SCHEMES,
    "statistics": STATISTICS,
    "variances": VARIANCES,
    "weights": IMPORTANCE_WEIGHTS,
}
FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    "candidates": ("learners",),
    "external": ("schemes",),
    "generator": ("generators",),
    "internal": ("schemes",),
    "intervals": ("intervals", "refits"),
    "learner": ("learners",),
    "learners": ("learners",),
    "loss": ("losses",),
    "metrics": ("metrics",),
    "preset": ("presets",),
    "risks": ("risks",),
    "scheme": ("schemes",),
    "select_by": ("metrics",),
    "statistic": ("statistics",),
    "tests": ("comparisons", "omnibus"),
    "variances": ("variances", "refits"),
    "weights": ("weights",),
}
"""The fields of requests that name methods, and the families these are of."""
NOT_ASKED: Final[Mapping[tuple[str, str], str]] = {
    ("presets", "interval_coverage"): "two repetitions take 5 s, and 17 000 numbers come out",
}
"""Family and name of what no request asks for, and why."""


@pytest.mark.parametrize("name", replay.names())
def test_unchanged_every_number_is_as_recorded(name: str) -> None:
    now = replay.numbers_of(name)

    # Other SIMD widths and builds of BLAS round differently: elsewhere than on the machine of
    # the record a relative 1e-9 is let pass.
    exact = replay.on_the_same_machine()
    differences = replay.compared(replay.recorded_of(name), now, exact=exact, request=name)

    assert not differences, "\n".join(map(str, differences[:20]))


def test_exact_every_request_has_a_record_and_a_seed() -> None:
    assert sorted(path.stem for path in replay.RESULTS.glob("*.json")) == replay.names()
    for name in replay.names():
        body = replay.request_of(name)
        assert isinstance(body["seed"], int)
        assert name.startswith(body["kind"])
        assert replay.recorded_of(name)


def test_exact_every_kind_is_asked_for() -> None:
    assert {replay.request_of(name)["kind"] for name in replay.names()} == set(JOB_KINDS)


@pytest.mark.parametrize("family", FAMILIES)
def test_exact_every_method_is_asked_for(family: str) -> None:
    not_asked = {name for place, name in NOT_ASKED if place == family}

    assert set(FAMILIES[family]) - asked()[family] == not_asked, (
        "No request in tests/golden/requests names them. Add them to a request, and record it with "
        "`python -m tests.golden.replay --record <name of the request>`."
    )


def test_exact_every_correction_is_asked_for() -> None:
    corrections = {replay.request_of(name).get("correction") for name in replay.names()}

    assert set(CORRECTIONS) <= corrections


@cache
def asked() -> Mapping[str, set[str]]:
    """Return the names in requests, by family."""
    names: dict[str, set[str]] = defaultdict(set)
    for name in replay.names():
        for field, value in fields_of(replay.request_of(name)):
            for family in FIELDS.get(field, ()):
                names[family].update(methods_in(value))
    return names


def fields_of(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield every field of a request and of what stands in it."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield key, item
            yield from fields_of(item)
    elif isinstance(value, list):
        for item in value:
            yield from fields_of(item)


def methods_in(value: Any) -> Iterator[str]:
    """Yield the methods that a field names: one, a list, or some by names of their own."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict) and "name" in value:
        yield value["name"]
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from methods_in(item)


RECORDED: Final[Numbers] = {
    "blocks": 3,
    "models/nb/mean": 0.1,
    "models/nb/interval": None,
    "models/nb/target": "these_sources",
    "models/nb/tied": True,
    "models/nb/zero": 0.0,
}


def paths_of(
    now: Numbers,
    *,
    exact: bool = True,
    moved: Mapping[str, Moved | Rounded | Changed] | None = None,
) -> list[str]:
    """Return the paths at which these numbers differ from the record."""
    differences = replay.compared(RECORDED, now, exact=exact, request="some", moved=moved or {})
    return [difference.path for difference in differences]


def test_exact_the_same_numbers_and_more_are_no_difference() -> None:
    assert paths_of(dict(RECORDED)) == []
    assert paths_of({**RECORDED, "models/nb/new": 1.0}) == []
    assert paths_of({**RECORDED, "blocks": 3.0}) == []


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("blocks", 4),
        ("blocks", None),
        ("models/nb/mean", math.nextafter(0.1, 1)),
        ("models/nb/mean", "0.1"),
        ("models/nb/interval", 0.0),
        ("models/nb/target", "these_models"),
        ("models/nb/tied", 1),
        ("models/nb/zero", -0.0),
        ("models/nb/zero", False),
    ],
)
def test_exact_a_planted_difference_is_found(path: str, value: Any) -> None:
    assert paths_of({**RECORDED, path: value}) == [path]


def test_exact_a_path_that_is_missing_is_found() -> None:
    for path in RECORDED:
        now = {key: value for key, value in RECORDED.items() if key != path}
        assert paths_of(now) == [path]
        assert paths_of(now, exact=False) == [path]


def test_exact_on_another_machine_the_last_bits_may_differ() -> None:
    assert paths_of({**RECORDED, "models/nb/mean": 0.1 * (1 + 1e-12)}, exact=False) == []
    assert paths_of({**RECORDED, "models/nb/mean": 0.1 * (1 + 1e-7)}, exact=False) != []
    assert paths_of({**RECORDED, "models/nb/target": "other"}, exact=False) != []


def test_exact_a_bit_of_a_long_array_is_found() -> None:
    values = [0.1 * i for i in range(replay.LONGEST + 1)]
    other = [*values]
    other[7] = math.nextafter(other[7], 9)
    recorded, now = (replay.flat({"weights": {"values": v}}) for v in (values, other))

    differences = replay.compared(recorded, now, exact=True, moved={})

    assert "weights/values/sha256" in [difference.path for difference in differences]
    assert replay.compared(recorded, now, exact=False, moved={}) == []
    assert recorded["weights/values/n"] == len(values)


def test_exact_numbers_that_moved_are_looked_for_at_their_new_place() -> None:
    moved = {r"some/models/([^/]+)/mean": Moved(r"models/\1/means/macro")}
    now = {key: value for key, value in RECORDED.items() if key != "models/nb/mean"}

    assert paths_of(now, moved=moved) == ["models/nb/mean"]
    assert paths_of({**now, "models/nb/means/macro": 0.1}, moved=moved) == []
    assert paths_of({**now, "models/nb/means/macro": 0.2}, moved=moved) == ["models/nb/mean"]
    # whole parts of a path alone
    assert paths_of(now, moved={"some/models/nb/me": Changed("It was wrong.")}) != []


def test_exact_numbers_that_changed_for_a_reason_are_not_compared() -> None:
    moved = {"some/models": Changed("The model was another one.")}

    assert paths_of({"blocks": 3}, moved=moved) == []
    assert paths_of({"blocks": 4}, moved=moved) == ["blocks"]


def test_exact_numbers_in_another_order_are_compared_but_for_rounding() -> None:
    now = {**RECORDED, "models/nb/mean": 0.1 + 1e-15}
    moved = {"some/models/[^/]+/mean": Rounded("The mean is summed from the last one.")}

    assert paths_of(now, moved=moved) == []
    assert paths_of(now) == ["models/nb/mean"]
    assert paths_of({**now, "models/nb/mean": 0.1001}, moved=moved) == ["models/nb/mean"]


def test_exact_an_end_that_is_clipped_at_a_limit_is_no_difference() -> None:
    for path, recorded, now, is_same in (
        ("lower", -0.04, 0.0, True),
        ("lower", -1.2, -1.0, True),
        ("upper", 1.0014, 1.0, True),
        ("figure/upper/0", 1.5, 1.0, True),
        ("lower", 0.04, 0.0, False),
        ("lower", -0.04, -0.03, False),
        ("upper", 0.99, 1.0, False),
        ("estimate", -0.04, 0.0, False),
    ):
        found = replay.compared({path: recorded}, {path: now}, exact=True, moved={})
        assert (found == []) is is_same, (path, recorded, now)


def test_exact_every_declared_exception_has_a_reason_or_a_place() -> None:
    for change in MOVED.values():
        assert change.to if isinstance(change, Moved) else change.reason.endswith(".")


def test_exact_sentences_and_times_are_not_recorded() -> None:
    result = {
        "study": {"seconds": 1.5, "seconds_per_repetition": 0.1, "repetitions": 4},
        "cautions": [{"code": "few_units", "message": "There are few units."}],
        "models": {"a/b": {"n": 3}},
        "version": "0.1.0",
    }

    assert replay.flat(result) == {
        "cautions/few_units/is_there": True,
        "models/a~1b/n": 3,
        "study/repetitions": 4,
    }


def test_exact_a_record_is_read_as_it_was_written() -> None:
    numbers: Numbers = {
        **RECORDED,
        "x/y/list/0": 0.1,
        "x/y/list/1": None,
        "odd/1/x": 2,
        "one": True,
    }
    tree = json.loads(replay.text_of(numbers))

    assert tree["x"]["y"] == {"list": [0.1, None]}
    assert tree["odd"] == {"1": {"x": 2}}
    assert replay.read(tree) == numbers
