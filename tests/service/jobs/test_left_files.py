"""Files that killed processes leave are deleted; those that something names or locks stay."""

from __future__ import annotations

from uuid import UUID, uuid4

from service.jobs.cancel import cancel
from service.jobs.left_files import remove_left_files
from service.storage.open_files import open_file_store
from service.storage.owners import LOCAL_OWNER_ID
from tests.service.jobs.evaluations import look, make_executor, submit_nap
from tests.service.jobs.test_datasets import keep, kept_files

SHA = "ab" * 32
NOW = -1.0
"""An age that every file has."""


def list_names() -> set[str]:
    root = open_file_store().root
    return {path.relative_to(root).as_posix() for path in kept_files()}


def run_chunks(evaluation_id: UUID, count: int) -> None:
    worker = make_executor()
    for number in range(count + 1):
        assert worker.run((evaluation_id, number))


def test_exact_what_nothing_names_is_deleted_and_the_rest_stays(database: str) -> None:
    store = open_file_store()
    running = submit_nap(n_chunks=2, seed=5)
    run_chunks(running, 1)
    done = submit_nap(n_chunks=1, seed=5)
    run_chunks(done, 2)
    assert look(done).status == "succeeded"
    cancelled = submit_nap(n_chunks=2, seed=5)
    run_chunks(cancelled, 1)
    cancel(LOCAL_OWNER_ID, cancelled)
    keep(b"a\n1\n")
    store.delete_folder(f"chunks/{cancelled}")
    store.write(f"chunks/{running}/2-1.npz", b"of an attempt that was killed")
    named = list_names()
    left = {
        f"chunks/{done}/1-1.npz",
        f"chunks/{cancelled}/1-1.npz",
        f"chunks/{uuid4()}/1-1.npz",
        f"losses/{done}-7.parquet",
        f"losses/{uuid4()}-1.parquet",
        f"datasets/ab/{SHA}",
        f"datasets/ab/{SHA}.table.arrow",
    }
    for name in left:
        store.write(name, b"1")
    (store.root / "uploads" / "tmpkilled").write_bytes(b"1")

    assert remove_left_files() == 0  # too young
    assert list_names() == named | left | {"uploads/tmpkilled"}
    with store.new_upload() as upload:
        upload.write(b"a,b\n")
        upload.flush()
        remove_left_files(NOW)
        assert list_names() == named | {f"uploads/{upload.name.rpartition('/')[2]}"}
        store.keep(upload, "losses/x")
    run_chunks_again = make_executor()
    assert run_chunks_again.run((running, 2))
    assert run_chunks_again.run((running, 3))
    assert look(running).status == "succeeded"


def test_exact_a_store_without_left_files_is_left_alone(sqlite: None) -> None:
    keep(b"a\n1\n")
    before = list_names()
    assert remove_left_files(NOW) == 0
    assert list_names() == before
