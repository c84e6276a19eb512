from __future__ import annotations

import re
import tomllib
from typing import Any

import pytest

from tests.architecture.compose_file import outline
from tests.architecture.sources import ROOT
from thetahat_service.settings import Settings

COMPOSE = (ROOT / "docker-compose.yml").read_text()
DOCKERFILE = (ROOT / "Dockerfile").read_text()
DOCUMENT = outline(COMPOSE)
SERVICES: dict[str, dict[str, Any]] = DOCUMENT["services"]
OURS = ("migrate", "api", "worker")
HEALTHY, DONE = "service_healthy", "service_completed_successfully"

EVERY = pytest.mark.parametrize("name", SERVICES)


def test_exact_the_topology() -> None:
    assert set(SERVICES) == {*OURS, "postgres", "redis"}
    assert SERVICES["worker"]["deploy"] == {"replicas": "2"}
    assert [SERVICES[name]["command"] for name in OURS] == [
        f'["thetahat", "{command}"]' for command in OURS
    ]


def test_exact_each_waits_for_what_it_needs() -> None:
    waits = {
        (name, other, how["condition"])
        for name, service in SERVICES.items()
        for other, how in service.get("depends_on", {}).items()
    }

    assert waits == {
        ("migrate", "postgres", HEALTHY),
        *((name, "migrate", DONE) for name in ("api", "worker")),
        *((name, "redis", HEALTHY) for name in ("api", "worker")),
    }


@EVERY
def test_exact_no_process_has_more_rights_than_it_needs(name: str) -> None:
    service = SERVICES[name]

    assert service["read_only"] == "true"
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    ours = {"thetahat:latest", "thetahat-worker:latest"}
    assert service.get("user", "root") != "root" or service["image"] in ours


@EVERY
def test_exact_volumes_and_networks_are_declared(name: str) -> None:
    service = SERVICES[name]

    assert {volume.partition(":")[0] for volume in service["volumes"]} <= set(DOCUMENT["volumes"])
    assert set(service["networks"]) <= set(DOCUMENT["networks"])
    assert ("ports" in service) == ("outside" in service["networks"]) == (name == "api")


def test_exact_health_is_checked_where_something_listens() -> None:
    assert "test" in SERVICES["postgres"]["healthcheck"]
    assert "test" in SERVICES["redis"]["healthcheck"]
    assert "healthcheck" not in SERVICES["api"]
    assert "/healthz" in DOCKERFILE.partition("HEALTHCHECK")[2]


def test_exact_no_password_has_a_default() -> None:
    secrets = re.findall(r"\$\{(\w*PASSWORD\w*)(:\?)?", COMPOSE)

    assert {name for name, _ in secrets} == {"THETAHAT_DB_PASSWORD", "THETAHAT_BROKER_PASSWORD"}
    assert all(required for _, required in secrets)


def test_exact_every_setting_is_one_that_the_service_reads() -> None:
    set_here = {
        name for s in OURS for name in SERVICES[s]["environment"] if name.startswith("THETAHAT_")
    }
    set_here |= set(re.findall(r"\b(THETAHAT_\w+)=", DOCKERFILE))

    assert set_here <= {f"THETAHAT_{field.upper()}" for field in Settings.model_fields}
    assert {"THETAHAT_DATABASE_URL", "THETAHAT_BROKER_URL", "THETAHAT_FILES_URL"} <= set_here


def test_exact_the_image_runs_as_a_common_user_from_locked_packages() -> None:
    base = DOCKERFILE.partition(" AS base\n")[2].partition("\nFROM ")[0]
    installs = re.findall(r"^RUN .*pip install (.*)$", DOCKERFILE, re.MULTILINE)

    assert re.search(r"^USER 10001:10001$", base, re.MULTILINE)
    assert len(installs) == 4
    # Without --no-deps, old versions of pip look past the lock for packages with extras.
    assert [i for i in installs if "--no-deps" not in i] == []
    assert [i for i in installs if ".lock" in i and "--require-hashes" not in i] == []


def test_exact_the_image_is_given_all_that_it_is_built_from() -> None:
    kept = set(re.findall(r"^!(.*)$", (ROOT / ".dockerignore").read_text(), re.MULTILINE))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    packages = project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    others = {source["path"] for source in project["tool"]["uv"]["sources"].values()}
    locks = {"requirements.lock", "requirements-worker.lock", "requirements-build.lock"}
    folders = {package.partition("/")[0] for package in packages} | others

    assert kept == {"LICENSE", "README.md", "pyproject.toml", *locks, *folders}


def test_exact_the_image_says_the_version_of_the_package() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]

    assert re.findall(r'image\.version="([^"]+)"', DOCKERFILE) == [version]


def test_exact_the_worker_image_has_no_engines_for_figures_and_reports() -> None:
    worker, full = (
        (ROOT / name).read_text() for name in ("requirements-worker.lock", "requirements.lock")
    )

    for package in ("vl-convert-python", "typst", "fastapi"):
        assert re.search(rf"^{package}==", full, re.MULTILINE)
        assert not re.search(rf"^{package}==", worker, re.MULTILINE)


@pytest.mark.parametrize(
    "text", ["a:\n    b: 1", "a: 1\na: 2", "words", "a: 1\n  b: 2", "a:\n\tb: 1"]
)
def test_invalid_yaml_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"line|key"):
        outline(text)


def test_exact_yaml_is_read() -> None:
    text = "x: &base\n  k: 1\ns:\n  one:\n    <<: *base\n    l:\n      - a: b\n  two: *base\n"

    assert outline(text) == {
        "x": {"k": "1"},
        "s": {"one": {"k": "1", "l": ["a: b"]}, "two": {"k": "1"}},
    }
