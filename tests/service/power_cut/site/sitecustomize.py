"""Records what processes of a test flush to the disk; tests/worker/site has what else changes."""

from __future__ import annotations

import os
from pathlib import Path

import tests.worker.site.sitecustomize  # noqa: F401 - it changes what is imported from now on
from tests.service.power_cut.recorded_disk import Recorder

if "RECORDED_FOLDER" in os.environ:
    recorder = Recorder(Path(os.environ["RECORDED_FOLDER"]), Path(os.environ["FLUSH_RECORD"]))
    recorder.record_sqlite()
    os.fsync = recorder.fsync
