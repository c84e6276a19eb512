"""The manifests for Kubernetes name what the images, the settings and the service have."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]

from tests.architecture.compose_file import outline
from tests.architecture.sources import ROOT
from thetahat_service.api.app import app
from thetahat_service.cli import COMMANDS
from thetahat_service.settings import Settings

FOLDER = ROOT / "docs" / "kubernetes"
PAGE = (ROOT / "docs" / "running-on-kubernetes.md").read_text()
DOCKERFILE = (ROOT / "Dockerfile").read_text()
FILES = {
    path.relative_to(FOLDER): list(yaml.safe_load_all(path.read_text()))
    for path in sorted(FOLDER.rglob("*.yaml"))
}
KUSTOMIZATIONS = {path: each[0] for path, each in FILES.items() if path.name.startswith("kust")}
MANIFESTS = [
    document
    for path, documents in FILES.items()
    if path not in KUSTOMIZATIONS
    for document in documents
]
WORKLOADS = {
    document["metadata"]["name"]: document
    for document in MANIFESTS
    if document["kind"] in {"Deployment", "Job"}
}
EVERY = pytest.mark.parametrize("name", sorted(WORKLOADS))
KNOWN_COMMANDS = {command for names in COMMANDS.values() for command in names}
BUILT = {"thetahat": "api", "thetahat-worker": "worker"}
"""The images of docker-compose.yml, by the stage of the Dockerfile that makes each."""


def pod(name: str) -> dict[str, Any]:
    """Return the specification of the pods of a workload."""
    specification: dict[str, Any] = WORKLOADS[name]["spec"]["template"]["spec"]
    return specification


def container(name: str) -> dict[str, Any]:
    """Return the only container of the pods of a workload."""
    (only,) = pod(name)["containers"]
    assert isinstance(only, dict)
    return only


def walk(part: Any) -> Iterator[tuple[str, Any]]:
    """Yield every key of a document with its value, at any depth."""
    if isinstance(part, dict):
        yield from part.items()
    for each in part.values() if isinstance(part, dict) else part if isinstance(part, list) else ():
        yield from walk(each)


def literals() -> Iterator[tuple[str, str]]:
    """Yield the names and values of every ConfigMap that Kustomize makes."""
    for document in KUSTOMIZATIONS.values():
        for generator in document.get("configMapGenerator", []):
            for line in generator["literals"]:
                name, _, value = line.partition("=")
                yield name, value


def test_exact_there_are_api_workers_sweeper_and_a_migration_before_them() -> None:
    commands_of = {name: container(name)["command"] for name in WORKLOADS}

    assert commands_of == {
        "thetahat-api": ["thetahat", "api"],
        "thetahat-worker": ["thetahat", "worker"],
        "thetahat-sweeper": ["thetahat", "sweeper"],
        "thetahat-migrate": ["thetahat", "migrate"],
    }
    assert {command[1] for command in commands_of.values()} <= KNOWN_COMMANDS
    assert WORKLOADS["thetahat-migrate"]["kind"] == "Job"
    # Applied by itself, before the folder with the others.
    assert KUSTOMIZATIONS[next(p for p in KUSTOMIZATIONS if p.parts[0] == "migration")][
        "resources"
    ] == ["../settings", "job.yaml"]


@EVERY
def test_exact_the_image_is_one_that_the_dockerfile_builds(name: str) -> None:
    image = container(name)["image"]
    compose = outline((ROOT / "docker-compose.yml").read_text())["services"].values()

    assert f"{image}:latest" in {service["image"] for service in compose}
    assert re.search(rf"^FROM base AS {BUILT[image]}$", DOCKERFILE, re.MULTILINE)
    assert (image == "thetahat") == (name == "thetahat-api")


@EVERY
def test_exact_every_variable_is_one_that_is_read(name: str) -> None:
    settings = {f"THETAHAT_{field.upper()}" for field in Settings.model_fields}
    amazon = set(re.findall(r"`(AWS_\w+)`", (ROOT / "docs" / "settings.md").read_text()))
    own = {entry["name"]: entry for entry in container(name)["env"]}
    shared = dict(literals())

    assert {*own, *shared} <= settings | amazon
    assert "THETAHAT_FILES_URL" in shared
    assert own["THETAHAT_DATABASE_URL"]["valueFrom"]["secretKeyRef"] == {
        "name": "thetahat",
        "key": "database-url",
    }
    assert own["THETAHAT_BROKER_URL"]["valueFrom"]["secretKeyRef"]["key"] == "broker-url"


def test_exact_the_values_are_ones_that_the_settings_take() -> None:
    """Settings are read from the environment, whose values are text."""
    own = [entry for name in WORKLOADS for entry in container(name)["env"] if "value" in entry]
    pairs = [(entry["name"], entry["value"]) for entry in own] + list(literals())
    values = {
        name.removeprefix("THETAHAT_").lower(): value
        for name, value in pairs
        if name.startswith("THETAHAT_")
    }

    assert all(isinstance(value, str) for _, value in pairs)
    assert Settings.model_validate(values).workers == 2


@EVERY
def test_exact_no_process_has_more_rights_than_it_needs(name: str) -> None:
    user = re.search(r"^USER (\d+):(\d+)$", DOCKERFILE, re.MULTILINE)
    assert user
    of_pod = pod(name)["securityContext"]
    of_container = container(name)["securityContext"]

    assert of_pod["runAsNonRoot"] is True
    assert (of_pod["runAsUser"], of_pod["runAsGroup"]) == (int(user[1]), int(user[2]))
    assert of_pod["seccompProfile"] == {"type": "RuntimeDefault"}
    assert of_container == {
        "readOnlyRootFilesystem": True,
        "allowPrivilegeEscalation": False,
        "capabilities": {"drop": ["ALL"]},
    }
    assert pod(name)["automountServiceAccountToken"] is False


@EVERY
def test_exact_what_a_process_writes_goes_to_volumes_of_the_pod(name: str) -> None:
    mounts = {mount["mountPath"]: mount["name"] for mount in container(name)["volumeMounts"]}
    volumes = {volume["name"]: volume for volume in pod(name)["volumes"]}

    assert mounts == {"/var/lib/thetahat": "data", "/tmp": "tmp"}
    assert set(volumes) == {"data", "tmp"}
    assert all(volume["emptyDir"]["sizeLimit"] for volume in volumes.values())
    assert re.search(r"^VOLUME /var/lib/thetahat$", DOCKERFILE, re.MULTILINE)


@EVERY
def test_exact_the_address_of_a_service_is_not_taken_for_a_setting(name: str) -> None:
    """Kubernetes sets ``THETAHAT_PORT=tcp://...`` for a Service that is called thetahat."""
    assert pod(name)["enableServiceLinks"] is False


@EVERY
def test_exact_every_container_has_limits(name: str) -> None:
    for part in ("requests", "limits"):
        assert set(container(name)["resources"][part]) == {"cpu", "memory"}


def test_exact_a_worker_pod_has_a_processor_for_each_process() -> None:
    worker = container("thetahat-worker")
    processes = next(e["value"] for e in worker["env"] if e["name"] == "THETAHAT_WORKERS")
    trigger = next(d for d in MANIFESTS if d["kind"] == "ScaledObject")["spec"]["triggers"][0]

    assert processes == worker["resources"]["limits"]["cpu"] == trigger["metadata"]["threshold"]


def test_exact_probes_ask_a_path_of_the_api_on_its_port() -> None:
    paths = {getattr(route, "path", None) for route in app.routes} | set(app.openapi()["paths"])
    api = container("thetahat-api")
    (port,) = api["ports"]

    for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
        asked = api[probe]["httpGet"]
        assert asked["path"] == "/healthz"
        assert asked["path"] in paths
        assert asked["port"] == port["name"]
    named = {entry["name"]: entry.get("value") for entry in api["env"]}
    assert named["THETAHAT_PORT"] == str(port["containerPort"])
    assert set(re.findall(r"`(/(?:healthz|readyz|metrics))`", PAGE)) <= paths
    assert not any(
        "Probe" in key for name in WORKLOADS if name != "thetahat-api" for key in container(name)
    )


def test_exact_selectors_find_the_pods_that_they_are_for() -> None:
    labels = {name: w["spec"]["template"]["metadata"]["labels"] for name, w in WORKLOADS.items()}
    selecting = {
        f"{document['kind']}/{document['metadata']['name']}": document["spec"]["selector"]
        for document in MANIFESTS
        if "selector" in document["spec"]
    }
    found = {
        who: {
            name
            for name, own in labels.items()
            if selector.get("matchLabels", selector).items() <= own.items()
        }
        for who, selector in selecting.items()
    }

    assert found == {
        **{f"Deployment/{n}": {n} for n in WORKLOADS if n != "thetahat-migrate"},
        "Service/thetahat-api": {"thetahat-api"},
        "PodDisruptionBudget/thetahat-api": {"thetahat-api"},
        "PodDisruptionBudget/thetahat-worker": {"thetahat-worker"},
        "ServiceMonitor/thetahat-api": {"thetahat-api"},
    }


def test_exact_every_file_is_used_and_every_name_in_a_kustomization_exists() -> None:
    used = set()
    for path, document in KUSTOMIZATIONS.items():
        for name in [*document.get("resources", []), *document.get("components", [])]:
            target = (FOLDER / path.parent / name).resolve()
            assert target.exists(), f"{path}: {name}"
            used.add(target if target.is_file() else target / "kustomization.yaml")
    alone = {path for path in FILES if (FOLDER / path).resolve() not in used}

    # By hand: both folders of the example, and the volume in place of a bucket.
    assert sorted(map(str, alone)) == [
        "example/migration/kustomization.yaml",
        "example/service/kustomization.yaml",
        "shared-folder/kustomization.yaml",
    ]


def test_exact_the_page_names_every_manifest_and_no_other() -> None:
    cells = re.findall(r"^\| [\w ]+ \| `([\w./-]+)` \|", PAGE, re.MULTILINE)

    assert [cell for cell in cells if not (FOLDER / cell).exists()] == []
    manifests = {str(path) for path in FILES if path not in KUSTOMIZATIONS}
    assert manifests <= set(cells)


def test_exact_the_page_names_every_secret_and_every_workload() -> None:
    log_in = (ROOT / "docs" / "log-in-provider.md").read_text()
    named = set(re.findall(r"create secret generic (\S+)", PAGE + log_in))
    read = {
        value["name"]
        for document in MANIFESTS
        for key, value in walk(document)
        if key in {"secretKeyRef", "secretRef", "credentials"}
    }

    assert named == read == {"thetahat", "thetahat-bucket", "thetahat-log-in", "thetahat-metrics"}
    targets = set(re.findall(r"(?:deploy|job)/(\S+)", PAGE))
    assert targets == {"thetahat-api", "thetahat-sweeper", "thetahat-migrate"} <= set(WORKLOADS)
    assert set(re.findall(r"-- thetahat (\w+)", PAGE)) <= KNOWN_COMMANDS
