"""``thetahat verify``, and the bundles and notebooks that ``compare`` and ``gate`` write."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)

from tests.service.recomputation.kept_evaluations import TABLE, change, repack, state_again, unpack
from thetahat_service.cli import main
from thetahat_service.settings import get_settings


@pytest.fixture(autouse=True)
def without_service(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("THETAHAT_URL", raising=False)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    rows = zip(TABLE["old"], TABLE["new"], strict=True)
    file = tmp_path / "losses.csv"
    lines = [f"s{i // 5},{old},{new}\n" for i, (old, new) in enumerate(rows)]
    file.write_text("school,old,new\n" + "".join(lines))
    return file


@pytest.fixture
def keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Path, Path]]:
    """Yield the file of the public key that signs, and that of another one."""
    private = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
    other = Ed25519PrivateKey.from_private_bytes(bytes(32))
    pem = private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    (tmp_path / "key.pem").write_bytes(pem)
    files = (tmp_path / "key.pub", tmp_path / "other.pub")
    for file, key in zip(files, (private, other), strict=True):
        file.write_bytes(
            key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
        )
    monkeypatch.setenv("THETAHAT_SIGNING_KEY", str(tmp_path / "key.pem"))
    get_settings.cache_clear()
    yield files
    get_settings.cache_clear()


def test_exact_a_bundle_of_compare_is_verified(
    table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bundle, notebook = table.with_name("b.zip"), table.with_name("n.ipynb")
    words = ["--bundle", str(bundle), "--notebook", str(notebook)]
    assert main(["compare", str(table), "--block", "school", *words]) == 0
    capsys.readouterr()

    assert main(["verify", str(bundle)]) == 0

    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(":")[0] for line in lines] == ["Signature", "Digests", "Numbers"]
    assert "thetahat.evaluate(" in notebook.read_text()


def test_exact_a_signed_bundle_of_gate_is_refused_for_another_key(
    table: Path, keys: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    bundle = table.with_name("b.zip")
    words = ["--block", "school", "--model", "new", "--against", "old", "--margin", "0.5"]
    assert main(["gate", str(table), *words, "--bundle", str(bundle)]) == 0
    capsys.readouterr()

    statuses = [main(["verify", str(bundle), "--public-key", str(key)]) for key in keys]
    assert statuses == [0, 1]
    assert "has not signed this statement" in capsys.readouterr().out
    assert main(["verify", str(bundle), "--public-key", str(keys[0]), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["outcome"] == "same"


def test_exact_other_numbers_are_listed_with_status_3(
    table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bundle = table.with_name("b.zip")
    assert main(["compare", str(table), "--block", "school", "--bundle", str(bundle)]) == 0
    files = unpack(bundle)
    files["result.json"] = change(
        files["result.json"], lambda result: result["models"]["old"]["mean"].update(macro=0.25)
    )
    repack(bundle, state_again(files))
    capsys.readouterr()

    assert main(["verify", str(bundle)]) == 3

    shown = capsys.readouterr().out
    assert "1 values are not what follows from its losses" in shown
    assert "  models.old.mean.macro: recorded 0.25, computed " in shown


@pytest.mark.parametrize(
    ("name", "content", "status", "sentence"),
    [
        ("b.zip", b"PK no zip", 1, "is no bundle, or it is damaged"),
        ("absent.zip", None, 2, "No such file"),
    ],
)
def test_invalid_what_is_no_bundle(
    name: str,
    content: bytes | None,
    status: int,
    sentence: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)

    assert main(["verify", str(tmp_path / name)]) == status
    assert sentence in capsys.readouterr().err


def test_invalid_keys_that_are_none(
    table: Path, keys: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    table.with_name("key.pem").write_text("no key")
    words = ["compare", str(table), "--block", "school", "--bundle", str(table.with_name("b.zip"))]

    assert main(words) == 2
    assert "is not a private key of Ed25519 in PEM" in capsys.readouterr().err
    assert main(["verify", "b.zip", "--public-key", str(table)]) == 2
    assert "is not a public key of Ed25519 in PEM" in capsys.readouterr().err
    assert keys[0].exists()
