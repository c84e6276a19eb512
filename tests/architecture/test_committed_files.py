from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.architecture.sources import ROOT, committed_files

# Written in halves, so that this file does not find itself.
REGISTRIES = (
    *(
        "py" + "pi.org",
        "python" + "hosted.org",
        "npm" + "js.",
        "yarn" + "pkg.com",
        "crates" + ".io",
    ),
    *("ana" + "conda.org", "docker" + ".io", "gh" + "cr.io", "qu" + "ay.io", "rubygems" + ".org"),
)
MACHINE_PATH = re.compile(r"(?<![\w.}$-])/(?:work|root|home|Users)/|[A-Z]:\\\\?Users")
RESOLVED_LINK = re.compile(r'"resolved"\s*:\s*"http')
LOCK_FILES = sorted(path.name for path in ROOT.glob("requirements*.lock"))
LOCKED = re.compile(r"^[a-z0-9][a-z0-9._-]*==\S+", re.MULTILINE)


def _texts() -> list[tuple[Path, str]]:
    texts = []
    for path in committed_files():
        try:
            texts.append((path, (ROOT / path).read_text(encoding="utf-8")))
        except UnicodeDecodeError:
            continue  # data, not text
    return texts


def test_exact_no_file_names_a_registry() -> None:
    assert [(str(p), host) for p, text in _texts() for host in REGISTRIES if host in text] == []


def test_exact_no_file_names_a_path_of_some_machine() -> None:
    this = Path(__file__).relative_to(ROOT)
    assert [str(p) for p, text in _texts() if p != this and MACHINE_PATH.search(text)] == []


def test_exact_no_lock_file_links_to_a_download() -> None:
    assert [str(path) for path, text in _texts() if RESOLVED_LINK.search(text)] == []


@pytest.mark.parametrize("name", LOCK_FILES)
def test_exact_every_locked_package_has_its_hashes(name: str) -> None:
    text = (ROOT / name).read_text()
    packages = re.split(r"\n(?=[a-z0-9])", text)[1:]

    assert len(packages) == len(LOCKED.findall(text)) > 4
    assert [p.split(maxsplit=1)[0] for p in packages if "--hash=sha256:" not in p] == []


def test_exact_the_development_lock_contains_the_other_locks() -> None:
    locks = {name: set(LOCKED.findall((ROOT / name).read_text())) for name in LOCK_FILES}

    assert [n for n in LOCK_FILES if not locks[n] <= locks["requirements-dev.lock"]] == []
    assert len(locks["requirements.lock"]) > 50


@pytest.mark.parametrize("text", ["see /" + "home/me/x", "at C:\\" + "Users\\me", "(/" + "root/x)"])
def test_exact_a_path_of_some_machine_is_seen(text: str) -> None:
    assert MACHINE_PATH.search(text)


@pytest.mark.parametrize("text", ["../work/x", "a/home/b", "${X}/root/y", "/usr/lib/x"])
def test_exact_a_harmless_path_is_not(text: str) -> None:
    assert not MACHINE_PATH.search(text)
