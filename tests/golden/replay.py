"""Requests run in this process, and their numbers recorded or compared with the record.

``python -m tests.golden.replay --record`` writes the results and the machine's fingerprint;
``--check`` prints every difference. Names of requests after it take these alone.
"""

from __future__ import annotations

import os

# The thread pools of the suite (tests/conftest.py): sums over threads round differently. It must
# be said before numpy is loaded.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import hashlib
import json
import math
import platform
import re
import struct
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, TypeAlias

import numpy as np

from tests.golden.moved import MOVED, Changed, Moved, Rounded, is_clipped, moved_to

HERE: Final = Path(__file__).parent
REQUESTS: Final = HERE / "requests"
RESULTS: Final = HERE / "results"
DATA: Final = HERE / "data"
MACHINE: Final = HERE / "machine.json"

Leaf: TypeAlias = float | int | bool | str | None
Numbers: TypeAlias = dict[str, Leaf]

LONGEST: Final = 50
"""Numbers of an array that are recorded one by one; of a longer one its digest is."""
LONGEST_OF_LOSSES: Final = 6
"""The same of the losses and predictions of instances, which are many."""
RTOL: Final = 1e-9
"""Taken on another machine than the record's alone."""
LOSSES: Final = "losses of instances"
"""The first part of the paths of what ``.../losses`` would give: no key of a result."""
DIGEST: Final = ("sha256", "n", "first", "last", "sum", "sum_of_sizes")

MEDIA_TYPES: Final = {
    ".csv": "text/csv",
    ".svm": "text/x-libsvm",
    ".parquet": "application/vnd.apache.parquet",
}
TIMED: Final = re.compile(r"second(s$|s_)|^duration|^elapsed")
"""Keys of wall-clock and processor times (``study.seconds``, ``seconds_per_repetition``)."""
LEFT_OUT: Final = frozenset({"version", "sha256", "seed_hash", "provenance", "created_at"})
"""Keys of what says who computed, not what came out."""
WORDS: Final = frozenset(
    {
        "a", "b", "alternative", "also", "basis", "best", "better", "block_labels", "blocks",
        "by", "candidate", "candidates", "chosen", "code", "control", "correction", "decision",
        "detail", "direction", "family", "from", "grow_by", "kind", "loss", "mean", "method",
        "metric", "name", "needs", "oracle", "parameter", "path", "positive", "reference", "risk",
        "rule", "scheme", "selected", "statistic", "target", "task", "test", "tied", "tests",
        "truth", "unit", "variance", "variances", "verdict", "where", "winner", "zeros", "ties",
        "beta_from", "weights", "mode", "width", "generator", "preset", "estimator", "as",
        "eliminated", "groups", "least", "tied_with", "selected_learner", "set", "subject",
        "form", "variant", "average", "small_sample", "post_hoc", "prior_place",
    }
)  # fmt: skip
"""Keys whose strings are words of the interface and not sentences."""
OF_LOSSES: Final = frozenset(
    {"losses", "predictions", "cross_validation", "learning_curve", "selection"}
)
"""Kinds whose requests name the parts that the result has."""
WORD: Final = re.compile(r"[^\s]{1,60}|[^\s]{1,40} @ [0-9.]+")


@dataclass(frozen=True)
class Difference:
    """A path at which what is found now is not what was recorded."""

    path: str
    recorded: Leaf
    now: Leaf
    missing: bool = False

    def __str__(self) -> str:
        now = "is not there" if self.missing else repr(self.now)
        return f"{self.path}: {self.recorded!r} was recorded, now {now}"


def names() -> list[str]:
    """Return the name of every request, in alphabetical order."""
    return sorted(path.stem for path in REQUESTS.glob("*.json"))


def request_of(name: str) -> dict[str, Any]:
    """Return a request as it would be sent, but for the names of data files.

    Evaluations of losses are asked for every part, so that all numbers are compared.
    """
    body: dict[str, Any] = json.loads((REQUESTS / f"{name}.json").read_text())
    return {**body, "include": "all"} if body["kind"] in OF_LOSSES else body


def run_request(body: Mapping[str, Any], folder: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """Run one request in this process and return its result and its losses as JSON values.

    This function alone knows the modules of the service. The request is checked, stored, read
    again, cut into chunks and gathered as the service does with one worker. A string ``@FILE``
    in it stands for the id of a data set with the content of ``data/FILE``.
    """
    from uuid import NAMESPACE_URL, uuid5

    import pyarrow as pa

    from thetahat_service.in_process.files import read_file
    from thetahat_service.json_encoding import encode_json
    from thetahat_service.kinds.base import Job, run_job
    from thetahat_service.kinds.provenance import Provenance
    from thetahat_service.kinds.registry import JOB_KINDS
    from thetahat_service.kinds.result_json import encode_result

    files = {
        name: read_file(DATA / name, MEDIA_TYPES[Path(name).suffix], folder)
        for name in files_of(body)
    }
    body = with_ids(body, {name: str(file.id) for name, file in files.items()})
    datasets = {file.id: file for file in files.values()}
    kind = JOB_KINDS[body["kind"]]
    request = kind.request.model_validate_json(json.dumps(body))
    kind.check(request, datasets)
    stored = json.loads(encode_json(request.build_canonical()))
    again = kind.request.model_validate({"kind": body["kind"], **stored})
    number = uuid5(NAMESPACE_URL, json.dumps(body))
    job = Job(number, body["kind"], again, body["seed"], datasets)
    finished = run_job(kind, job)
    losses = finished.losses
    if losses is not None and not isinstance(losses, pa.Table):
        losses = losses.table()
    columns = {} if losses is None else losses.to_pydict()
    unknown = Provenance(version="", seed=body["seed"], data_sha256="", spec_sha256="")
    result = encode_result(finished, unknown)
    result["methods"] = result["provenance"]["methods"]
    return json.loads(encode_json(result)), json.loads(encode_json(columns))


def files_of(value: Any) -> list[str]:
    """Return the names of the data files that a request names, each once."""
    if isinstance(value, str):
        return [value[1:]] if value.startswith("@") else []
    parts = value.values() if isinstance(value, Mapping) else value
    if not isinstance(value, Mapping | list):
        return []
    return sorted({name for part in parts for name in files_of(part)})


def with_ids(value: Any, ids: Mapping[str, str]) -> Any:
    """Return a request with the ids of data sets in the places of ``@FILE``."""
    if isinstance(value, str):
        return ids[value[1:]] if value.startswith("@") else value
    if isinstance(value, Mapping):
        return {key: with_ids(part, ids) for key, part in value.items()}
    if isinstance(value, list):
        return [with_ids(part, ids) for part in value]
    return value


def numbers_of(name: str) -> Numbers:
    """Run a recorded request and return what is recorded of its result now.

    Cautions are compared where they apply.
    """
    from thetahat_presentation.expansion import expand_result

    with TemporaryDirectory() as folder:
        result, losses = run_request(request_of(name), Path(folder))
    check_schema(result)
    return flat({**expand_result(result), LOSSES: losses})


def check_schema(result: Mapping[str, Any]) -> None:
    """Raise AssertionError if a result does not satisfy its schema in the OpenAPI document."""
    from tests.service.api.json_schema import check_value  # not in the tree of planted copies
    from thetahat_service.schemas.evaluation import ANY_RESULT

    document = _openapi()
    schema = document["components"]["schemas"][ANY_RESULT]
    sent = {key: value for key, value in result.items() if key != "methods"}
    if sent.get("kind") in schema["discriminator"]["mapping"]:
        check_value(document, schema, sent)


@cache
def _openapi() -> Mapping[str, Any]:
    from thetahat_service.api.app import create_app

    return create_app().openapi()


def flat(result: Mapping[str, Any]) -> Numbers:
    """Return numbers, booleans, nulls and machine words by path, in alphabetical order."""
    return dict(sorted(_leaves(result, (), "")))


def _leaves(  # noqa: C901 - one branch for each kind of JSON value
    value: Any, path: tuple[str, ...], key: str
) -> Iterator[tuple[str, Leaf]]:
    """Yield the leaves below a value; ``key`` is the nearest key of an object above it."""
    if isinstance(value, Mapping):
        for name, part in value.items():
            if not _is_left_out(name, path):
                yield from _leaves(part, (*path, name.replace("/", "~1")), name)
    elif isinstance(value, list) and key.endswith("cautions"):
        yield from _cautions(value, path)
    elif isinstance(value, list):
        numbers = _all_numbers(value)
        longest = LONGEST_OF_LOSSES if path[:1] == (LOSSES,) else LONGEST
        if numbers is not None and len(numbers) > longest:
            yield from _digest(numbers, path)
        elif path[:1] == (LOSSES,) and numbers is None:
            yield "/".join((*path, "sha256")), _sha256(json.dumps(value).encode())
        else:
            for i, item in enumerate(value):
                yield from _leaves(item, (*path, str(i)), key)
    elif isinstance(value, str):
        if key in WORDS and WORD.fullmatch(value):
            yield "/".join(path), value
    else:
        yield "/".join(path), value


def _cautions(cautions: list[Any], path: tuple[str, ...]) -> Iterator[tuple[str, Leaf]]:
    """Yield cautions by code, so that one more of them moves no other."""
    for caution in cautions:
        code = ":".join(caution[name] for name in ("where", "code") if name in caution)
        yield "/".join((*path, code, "is_there")), True
        yield from _leaves(_without_words(caution), (*path, code), code)


def _without_words(caution: Mapping[str, Any]) -> dict[str, Any]:
    """Return the numbers of a caution; its code is part of the path, its sentence may change."""
    return {name: part for name, part in caution.items() if _is_number(part)}


def _is_left_out(name: str, path: tuple[str, ...]) -> bool:
    """Say whether a key of the object at a path holds nothing that must stay the same.

    The names of models and of columns are not keys of the interface: a study's records have a
    column of seconds, and no other table of losses is asked.
    """
    if path[:1] == ("tables",) and name == "columns":
        return True  # the headings of a study's tables
    return name in LEFT_OUT or TIMED.search(name) is not None


def _all_numbers(values: list[Any]) -> list[float] | None:
    """Return the numbers of a list, or of the rows of a matrix; None where there are others."""
    if values and all(isinstance(row, list) for row in values):
        rows = [_all_numbers(row) for row in values]
        parts = [row for row in rows if row is not None]
        return [item for row in parts for item in row] if len(parts) == len(rows) else None
    return values if all(_is_number(item) for item in values) else None


def _sha256(content: bytes) -> str:
    """Return the beginning of a digest: long enough, and short in the record."""
    return hashlib.sha256(content).hexdigest()[:16]


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _digest(values: list[float], path: tuple[str, ...]) -> Iterator[tuple[str, Leaf]]:
    """Yield what is recorded of a long array: its bits, and what compares on other machines."""
    numbers = np.array(values, dtype="<f8")
    digest: tuple[Leaf, ...] = (
        _sha256(numbers.tobytes()),
        len(values),
        float(numbers[0]),
        float(numbers[-1]),
        math.fsum(values),
        math.fsum(map(abs, values)),
    )
    for name, leaf in zip(DIGEST, digest, strict=True):
        yield "/".join((*path, name)), leaf


def compared(
    recorded: Numbers,
    now: Numbers,
    *,
    exact: bool,
    request: str = "",
    moved: Mapping[str, Moved | Rounded | Changed] = MOVED,
) -> list[Difference]:
    """Return every recorded path whose value is not there, or another one, now.

    Paths that are new are no difference: results may gain fields. An interval is compared with the
    one of the same method and variance, and a method of a list with the one of the same name, so
    that lists may gain entries too.

    Parameters
    ----------
    exact : bool
        Whether numbers must agree in every bit. Elsewhere a relative ``RTOL`` is let pass, since
        other SIMD widths and other builds of BLAS round differently, and digests are not
        compared.
    request : str
        The name of the request, with which the paths of declared exceptions begin.
    moved : mapping
        The exceptions that are declared.
    """
    differences = []
    entries = _match_entries(recorded, now)
    for path, value in recorded.items():
        place, must_be_exact = moved_to(request, path, moved)
        if place is None:
            continue
        place = _ENTRY.sub(lambda entry: entries.get(entry[0], entry[0]), place)
        if place not in now:
            differences.append(Difference(path, value, None, missing=True))
        elif is_clipped(path, value, now[place]):
            continue
        elif (exact or not _is_hash(recorded, path)) and not _same(
            value, now[place], exact=exact and must_be_exact, sizes=_sizes(recorded, path)
        ):
            differences.append(Difference(path, value, now[place]))
    return differences


_ENTRY: Final = re.compile(r"^(?:.*/)?(?:intervals|not_applicable|methods)/\d+(?=/)")
"""The path of an entry of a list whose entries say what they are."""
_NAMES: Final = ("family", "name", "method", "variance", "target")
"""The fields by which an entry of such a list is found again."""


def _match_entries(recorded: Numbers, now: Numbers) -> dict[str, str]:
    """Return where each entry of a recorded list is now; entries that are gone are left out."""
    places = {name: place for place, name in _name_entries(now).items()}
    return {
        place: places[name] for place, name in _name_entries(recorded).items() if name in places
    }


def _name_entries(numbers: Numbers) -> dict[str, tuple[str, tuple[Leaf, ...], int]]:
    """Return list, name and occurrence of each entry, by its path."""
    entries = {match[0] for path in numbers if (match := _ENTRY.match(path))}
    times: Counter[tuple[str, tuple[Leaf, ...]]] = Counter()
    named: dict[str, tuple[str, tuple[Leaf, ...], int]] = {}
    for entry in sorted(entries, key=lambda path: int(path.rpartition("/")[2])):
        key = (
            entry.rpartition("/")[0],
            tuple(numbers.get(f"{entry}/{field}") for field in _NAMES),
        )
        named[entry] = (*key, times[key])
        times[key] += 1
    return named


def _is_hash(recorded: Numbers, path: str) -> bool:
    """Say whether a path is that of the digest of an array of numbers."""
    array, _, last = path.rpartition("/")
    return last == "sha256" and f"{array}/sum_of_sizes" in recorded


def _sizes(recorded: Numbers, path: str) -> float:
    """Return the sum of the sizes of an array's numbers at the path of their sum, else zero."""
    array, _, last = path.rpartition("/")
    sizes = recorded.get(f"{array}/sum_of_sizes") if last == "sum" else None
    return float(sizes) if _is_number(sizes) and sizes is not None else 0.0


def _same(a: Leaf, b: Leaf, *, exact: bool, sizes: float) -> bool:
    if not (_is_number(a) and _is_number(b)):
        return type(a) is type(b) and a == b
    assert isinstance(a, int | float)
    assert isinstance(b, int | float)
    if isinstance(a, int) and isinstance(b, int):
        return a == b
    if exact:
        return struct.pack("<d", a) == struct.pack("<d", b)
    return math.isclose(a, b, rel_tol=RTOL, abs_tol=max(RTOL * sizes, 1e-12))


def recorded_of(name: str) -> Numbers:
    """Return what is recorded of a request's result."""
    return read(json.loads((RESULTS / f"{name}.json").read_text()))


def read(tree: Any, path: tuple[str, ...] = ()) -> Numbers:
    """Return the numbers of a record by path; ``text_of`` says how they are written."""
    if not isinstance(tree, dict | list):
        return {"/".join(path): tree}
    numbers: Numbers = {}
    for last, part in tree.items() if isinstance(tree, dict) else enumerate(tree):
        numbers |= read(part, (*path, str(last)))
    return dict(sorted(numbers.items())) if not path else numbers


def text_of(numbers: Numbers) -> str:
    """Return the text of a record: the paths as a tree, so that each of their parts stands once.

    There is a line for each of the first two parts of the paths; below, places 0, 1, ... are a
    list.
    Floats are written so that they are read back as they were, bit by bit.
    """
    tree: dict[str, Any] = {}
    for path, value in numbers.items():
        *groups, last = path.split("/")
        place = tree
        for group in groups:
            place = place.setdefault(group, {})
        place[last] = value
    return _lines(tree, depth=2) + "\n"


def _lines(tree: Any, depth: int) -> str:
    """Return a tree as JSON, with a line for each of its parts down to a depth."""
    if depth == 0 or not isinstance(tree, dict):
        return json.dumps(_with_lists(tree), separators=(",", ":"))
    parts = (f"{json.dumps(key)}:{_lines(part, depth - 1)}" for key, part in tree.items())
    return "{" + ",\n".join(parts) + "}"


def _with_lists(tree: Any) -> Any:
    if not isinstance(tree, dict):
        return tree
    parts = {key: _with_lists(part) for key, part in tree.items()}
    places = [str(i) for i in range(len(parts))]
    return [parts[place] for place in places] if parts.keys() == set(places) else parts


@cache
def on_the_same_machine() -> bool:
    """Say whether this machine computes with the software and the CPU features of the record."""
    known: bool = json.loads(MACHINE.read_text()) == fingerprint()
    return known


def fingerprint() -> dict[str, Any]:
    """Return what the last bits of results depend on."""
    from threadpoolctl import threadpool_info  # type: ignore[import-untyped]

    features: dict[str, bool] = np._core._multiarray_umath.__cpu_features__  # type: ignore[attr-defined]
    import scipy.linalg  # noqa: F401 - so that its BLAS is among those loaded

    pools = {
        f"{pool['internal_api']} {pool.get('version')} {pool.get('architecture', '')}".strip()
        for pool in threadpool_info()
        if pool["user_api"] == "blas"
    }
    return {
        "python": platform.python_version(),
        **{name: version(name) for name in ("numpy", "scipy", "scikit-learn", "numba")},
        "cpu": " ".join(sorted(name for name, there in features.items() if there)),
        "blas": sorted(pools),
        "threads": os.environ.get("OMP_NUM_THREADS"),
    }


def record(name: str) -> Numbers:
    """Run a request and write what came out under its name."""
    numbers = numbers_of(name)
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.json").write_text(text_of(numbers))
    return numbers


def main(arguments: list[str]) -> int:
    """Record or check the requests that are named, or all; return 1 where something differs."""
    parser = argparse.ArgumentParser(prog="python -m tests.golden.replay")
    mode = parser.add_mutually_exclusive_group(required=True)
    mode.add_argument("--record", action="store_true", help="write what comes out now")
    mode.add_argument("--check", action="store_true", help="print every difference")
    parser.add_argument("names", nargs="*", help="requests; all, if left out")
    options = parser.parse_args(arguments)
    if options.record and not options.names:
        MACHINE.write_text(json.dumps(fingerprint(), indent=1) + "\n")
    exact = on_the_same_machine()
    if not exact:
        print(f"another machine than the record's: a relative difference of {RTOL} is let pass")
    n_different = 0
    for name in options.names or names():
        began = time.perf_counter()
        if options.record:
            n_paths = len(record(name))
            print(f"{name}: {n_paths} recorded in {time.perf_counter() - began:.2f} s")
            continue
        differences = compared(recorded_of(name), numbers_of(name), exact=exact, request=name)
        n_different += len(differences)
        for difference in differences:
            print(f"{name}/{difference}")
    if options.check:
        print(f"{n_different} differences")
    return int(n_different > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
