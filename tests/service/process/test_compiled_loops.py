from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from thetahat_service.process import compiled_loops


def _shipped(folder: Path, build: str) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "a.nbi").write_text(f"index of {build}")
    compiled_loops.stamp_loops(folder, build)
    return folder


def test_exact_the_shipped_loops_are_copied_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = tmp_path / "data" / "loops"
    monkeypatch.setenv(compiled_loops.VARIABLE, str(kept))
    shipped = _shipped(tmp_path / "shipped", "1")

    compiled_loops.fill_loop_cache(shipped)
    (kept / "a.nbi").write_text("compiled here")
    compiled_loops.fill_loop_cache(shipped)

    assert (kept / "a.nbi").read_text() == "compiled here"
    assert sorted(path.name for path in kept.parent.iterdir()) == ["loops"]


def test_exact_the_loops_of_another_build_replace_the_kept_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = tmp_path / "loops"
    monkeypatch.setenv(compiled_loops.VARIABLE, str(kept))
    compiled_loops.fill_loop_cache(_shipped(tmp_path / "shipped", "1"))
    (kept / "old.nbi").write_text("of the build before")

    compiled_loops.fill_loop_cache(_shipped(tmp_path / "shipped", "2"))

    assert (kept / "a.nbi").read_text() == "index of 2"
    assert not (kept / "old.nbi").exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["loops", "shipped"]


def test_degenerate_nothing_happens_without_a_variable_or_shipped_loops(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(compiled_loops.VARIABLE, str(tmp_path / "loops"))
    compiled_loops.fill_loop_cache(tmp_path / "absent")
    monkeypatch.delenv(compiled_loops.VARIABLE)
    compiled_loops.fill_loop_cache(_shipped(tmp_path / "shipped", "1"))

    assert [path.name for path in tmp_path.iterdir()] == ["shipped"]


def test_degenerate_a_folder_that_cannot_be_written_to_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv(compiled_loops.VARIABLE, str(tmp_path / "file" / "loops"))

    compiled_loops.fill_loop_cache(_shipped(tmp_path / "shipped", "1"))

    assert (tmp_path / "file").read_text() == ""


def test_exact_a_process_reads_the_copied_loops_instead_of_compiling(tmp_path: Path) -> None:
    """The copy is at another place than the folder that the loops were compiled into."""
    call = (
        "import numpy as np;"
        "from thetahat.numerics.loops.compiling import compiled;"
        "from thetahat.numerics.loops import bootstrap;"
        "loop = compiled(bootstrap.count_draws);"
        "loop(np.zeros((1, 2), dtype=np.uint32), np.zeros((1, 2)));"
        "print(sum(loop.stats.cache_hits.values()), sum(loop.stats.cache_misses.values()))"
    )
    shipped, kept = tmp_path / "shipped", tmp_path / "kept"

    def run(folder: Path) -> str:
        environment = os.environ | {compiled_loops.VARIABLE: str(folder)}
        done = subprocess.run(
            [sys.executable, "-c", call],
            check=True,
            capture_output=True,
            text=True,
            env=environment,
        )
        return done.stdout.strip()

    assert run(shipped) == "0 1"
    compiled_loops.stamp_loops(shipped, "1")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(compiled_loops.VARIABLE, str(kept))
        compiled_loops.fill_loop_cache(shipped)
    assert run(kept) == "1 0"
