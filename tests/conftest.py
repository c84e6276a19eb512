"""What every test has: real servers, sockets closed to the world, and an order for two workers."""

from __future__ import annotations

import os

# Two pytest workers share two cores: a thread pool in each would only get in the way. It must be
# said before numpy is loaded.
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import gc
import itertools
import logging
import socket
from collections import Counter, defaultdict
from collections.abc import Generator, Iterator
from typing import Any
from uuid import uuid4

import pytest
import redis
from hypothesis import HealthCheck, Phase, settings

from tests.default_include import set_default_include
from tests.servers.postgres import fresh_database, postgres_server
from tests.servers.redis import DATABASES, redis_server
from tests.servers.s3 import CREDENTIALS, make_bucket, s3_server

SERVER_FIXTURES = frozenset({"postgres_url", "redis_server_url", "s3_address"})
SUPERVISOR = "tests/service/supervisor/"
FEW = 5
"""Most tests of a file of few tests."""
LOOPBACK = ("127.", "::1", "localhost")
WORKERS: defaultdict[str, set[str]] = defaultdict(set)
"""The workers of pytest-xdist that ran tests of each group."""

# Speed depends on the machine, so slowness is no failure. The suite draws the same examples
# everywhere: what passes here passes there. `make explore` looks for new ones, and alone looks for
# the smallest example that fails: of a slow test that takes longer than a test may last, so that
# its process was ended before the test could say what failed.
WITHOUT_SHRINKING = [phase for phase in Phase if phase is not Phase.shrink]
settings.register_profile(
    "suite",
    deadline=None,
    max_examples=30,
    derandomize=True,
    phases=WITHOUT_SHRINKING,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile(
    "explore",
    settings.get_profile("suite"),
    derandomize=False,
    max_examples=1000,
    phases=list(Phase),
)
# `make contract` sends more requests than the suite does.
settings.register_profile("contract", settings.get_profile("suite"), max_examples=100)
settings.load_profile("suite")


def pytest_configure() -> None:
    """Let evaluations of this process have every part of a result by default.

    Most tests are about the numbers of parts that a result has only if ``include`` names them. The
    fixture ``small_by_default`` restores the default of the product.
    """
    set_default_include("all")


@pytest.fixture
def small_by_default() -> Iterator[None]:
    """Leave the parts out of results that ``include`` does not name, as for users."""
    set_default_include(())
    yield
    set_default_include("all")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None]:
    """Collect no garbage while tests are collected, and never look at what they left again.

    Collecting makes millions of objects that stay until the end; looking through them again and
    again took half the time.
    """
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep together on one worker what must not run at once, and start the long ones first.

    Tests that kill processes form two groups, those of the supervisor and all others: they wait
    for most of their time, so one group after the other would be the last thing to end, and three
    at once would be too much for two cores. The tests that use the service of the clients form
    one, so that one such service is started. All other tests of a file stay together: what the
    file computes or starts for its tests is then made once, not in each worker. Files of few tests
    come before others, because the longest single tests are among them, and large files next.
    """
    groups: dict[pytest.Item, str] = {}
    for item in items:
        fixtures = set(getattr(item, "fixturenames", ()))
        mark = item.get_closest_marker("xdist_group")
        path = item.nodeid.partition("::")[0]
        if SERVER_FIXTURES & fixtures or "service_url" in fixtures:
            item.add_marker(pytest.mark.servers)
        if item.get_closest_marker("chaos"):
            place = "the supervisor" if path.startswith(SUPERVISOR) else "other parts"
            groups[item] = f"chaos of {place}"
        elif "service_url" in fixtures:
            groups[item] = "clients of one service"
        else:
            groups[item] = mark.args[0] if mark else path
    sizes = Counter(groups.values())
    items.sort(key=lambda item: (_length(item), (size := sizes[groups[item]]) > FEW, -size))
    if config.getoption("loadgroup", default=False):
        for item, group in groups.items():
            _name_group(item, group)


def _name_group(item: pytest.Item, group: str) -> None:
    """Put a test's group behind its id, where the scheduler of ``--dist loadgroup`` looks for it.

    pytest-xdist 3.8 writes it into a field that pytest no longer reads since 9.2, and then every
    test is a group of its own (pytest-xdist, issue 1386).
    """
    object.__setattr__(item.id, "_str_cache", f"{item.nodeid}@{group}")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Note on which worker each group runs, and give the test its id without the group.

    Otherwise ``--last-failed``, with which `.ci/run` repeats what failed, finds no such test.
    """
    if (node := getattr(report, "node", None)) is not None:
        report.nodeid, _, group = report.nodeid.rpartition("@")
        WORKERS[group].add(node.gateway.id)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail a run that did not keep its groups together: it takes twice as long, and only that."""
    if session.config.getoption("dist", default="no") == "loadgroup":
        apart = sorted(group for group, ids in WORKERS.items() if "::" in group or len(ids) > 1)
        if apart:
            session.exitstatus = pytest.ExitCode.INTERNAL_ERROR
            print(f"\npytest-xdist ran the tests of {len(apart)} groups apart: {apart[:3]}")


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> Generator[None]:
    """Say in one line which tests were not run, and why: a skipped test must not go unnoticed."""
    yield
    skipped: dict[str, Counter[str]] = defaultdict(Counter)
    for report in terminalreporter.stats.get("skipped", []):
        if isinstance(report.longrepr, tuple):
            reason = str(report.longrepr[2]).removeprefix("Skipped: ")
            skipped[reason][report.nodeid.partition("::")[0]] += 1
    if skipped:
        parts = (
            f"{', '.join(f'{path} ({n})' for path, n in sorted(files.items()))}: {reason}"
            for reason, files in sorted(skipped.items())
        )
        terminalreporter.write_line(f"Checks that were not run: {'; '.join(parts)}.")


def _length(item: pytest.Item) -> int:
    """Return where a test stands in the queue: the longest kinds first."""
    kinds = ("chaos", "servers", "xdist_group", "calibration")
    return next((i for i, kind in enumerate(kinds) if item.get_closest_marker(kind)), len(kinds))


@pytest.fixture
def nothing_loaded_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let processes of ``environment()`` load learners and loops at their first use only.

    Preparing takes half of the processor time of a service that lives for ten seconds.
    ``tests/worker/site`` has what is left out; tests/service/supervisor/test_warming.py and
    test_real_learners.py, and those of the clients, have services that prepare.
    """
    monkeypatch.setenv("THETAHAT_TESTS_LOAD_NOTHING", "1")


@pytest.fixture
def only_learners_loaded_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    """Like ``nothing_loaded_ahead``, but learners are loaded once for all workers of a service.

    Where each worker fits learners, each would import scikit-learn, which takes a second.
    """
    monkeypatch.setenv("THETAHAT_TESTS_LOAD_NOTHING", "learners")


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """URL of the maintenance database of a real PostgreSQL; one server per pytest worker."""
    with postgres_server() as url:
        yield url


@pytest.fixture
def postgres_database(postgres_url: str) -> Iterator[str]:
    """URL of an empty database of this test alone."""
    with fresh_database(postgres_url) as url:
        yield url


@pytest.fixture
def migrated_postgres_database(postgres_url: str, migrated_postgres_url: str) -> Iterator[str]:
    """URL of a database with the tables of this release, of this test alone."""
    with fresh_database(postgres_url, migrated_postgres_url) as url:
        yield url


@pytest.fixture(scope="session")
def migrated_postgres_url(postgres_url: str) -> Iterator[str]:
    """URL of a database with the tables of this release, to be copied: migrating takes longer."""
    from tests.service.storage.databases import forget, use
    from thetahat_service.storage import engine, schema

    with fresh_database(postgres_url) as url:
        with pytest.MonkeyPatch.context() as patch:
            use(patch, database_url=url)
            schema.upgrade()
            engine.reset()
        forget()
        yield url


@pytest.fixture(scope="session")
def redis_server_url() -> Iterator[str]:
    """URL of a real Redis, without a logical database; one server per pytest worker."""
    with redis_server() as url:
        yield url


@pytest.fixture(scope="session")
def s3_address() -> Iterator[str]:
    """Address of a real S3-style server; one per pytest worker."""
    with s3_server() as address:
        yield address


@pytest.fixture
def bucket_url(s3_address: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """URL of a file store in an empty bucket of this test alone."""
    name = f"test-{uuid4().hex}"
    make_bucket(s3_address, name)
    for variable, value in {**CREDENTIALS, "AWS_ENDPOINT_URL": s3_address}.items():
        monkeypatch.setenv(variable, value)
    return f"s3://{name}/some/prefix"


@pytest.fixture(scope="session")
def redis_numbers() -> Iterator[int]:
    """Numbers of logical databases, each given to one test at a time."""
    return itertools.cycle(range(DATABASES))


@pytest.fixture
def redis_url(redis_server_url: str, redis_numbers: Iterator[int]) -> Iterator[str]:
    """URL of an empty logical database of this test alone."""
    url = f"{redis_server_url}/{next(redis_numbers)}"
    yield url
    with redis.Redis.from_url(url) as client:
        client.flushdb()


@pytest.fixture(autouse=True)
def handlers_of_the_log() -> Iterator[None]:
    """Put back where the log goes: after a test that sets it up it would be a closed stream."""
    root = logging.getLogger()
    handlers = root.handlers[:]
    yield
    root.handlers[:] = handlers


@pytest.fixture(scope="session", autouse=True)
def sockets_closed_to_the_world() -> Iterator[None]:
    """Refuse connections that leave this machine: the suite needs no network."""
    connect = socket.socket.connect

    def connect_at_home(self: socket.socket, address: Any) -> None:
        host = address[0] if isinstance(address, tuple) else None
        if isinstance(host, str) and not host.startswith(LOOPBACK):
            message = f"a test wanted to connect to {host}; the suite stays on this machine"
            raise PermissionError(message)
        connect(self, address)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", connect_at_home)
        yield
