"""Bundles that are verified: whole ones of every kind, and hostile ones."""

from __future__ import annotations

import base64
import io
import json
import re
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import uuid4

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

import thetahat
from tests.service.api.test_result_parts import REQUESTS
from tests.service.recomputation.kept_evaluations import (
    OF_ROWS,
    change,
    keep,
    keep_request,
    keep_table,
    pack,
    repack,
    state_again,
    unpack,
)
from thetahat_presentation.expansion import expand_result
from thetahat_service.errors import InvalidFile, PartsNotKept
from thetahat_service.in_process.evaluation import evaluate_in_process
from thetahat_service.in_process.files import open_file
from thetahat_service.kinds.examples import REQUEST, read_examples
from thetahat_service.kinds.ladder.request import LadderRequest
from thetahat_service.recomputation import bundles, verification
from thetahat_service.recomputation.kept import KeptEvaluation
from thetahat_service.recomputation.sources import choose_source
from thetahat_service.recomputation.verification import (
    Verification,
    VerificationOutcome,
    verify_bundle,
)

EXAMPLES = {f"example of {kind}": body for kind, body in read_examples(REQUEST).items()}
KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
OTHER_KEY = Ed25519PrivateKey.from_private_bytes(bytes(32))
CROSS_VALIDATION = REQUESTS["cross_validation"]
FITTED: dict[str, dict[str, Any]] = {
    **OF_ROWS,
    "metrics": {**CROSS_VALIDATION, "metrics": ["r2"], "include": "all"},
    "failed": {
        **CROSS_VALIDATION,
        "learners": {
            **CROSS_VALIDATION["learners"],
            "bad": {"name": "nearest_neighbours", "params": {"k": 5000}},
        },
    },
    "seeds": {**CROSS_VALIDATION, "seeds": 3},
    "cost of models": {
        **CROSS_VALIDATION,
        "cost": {name: 1.0 + i for i, name in enumerate(CROSS_VALIDATION["learners"])},
    },
    "probabilities of learners": {
        "kind": "cross_validation",
        "data": {"X": [[i % 7, i % 5] for i in range(40)], "y": ["b", "a", "a", "b"] * 10},
        "learners": {"logistic": "logistic_regression", "bayes": "gaussian_naive_bayes"},
        "scheme": {"name": "k_fold", "params": {"n_folds": 4}},
        "loss": "log",
        "probabilities": {"thresholds": [0.5], "band_resamples": 100},
    },
    "cost of rows": {
        "kind": "predictions",
        "blocks": "holdout",
        "y": [0, 1, 0, 1, 1, 0, 1, 1],
        "scores": {
            "a": [0.1, 0.9, 0.4, 0.6, 0.7, 0.3, 0.4, 0.8],
            "b": [0.3, 0.6, 0.6, 0.7, 0.6, 0.2, 0.5, 0.7],
        },
        "loss": "brier",
        "cost": {"a": [1, 2, 3, 2, 1, 4, 2, 3], "b": [3, 5, 4, 6, 4, 7, 5, 6]},
        "probabilities": {"thresholds": [0.5], "band_resamples": 100},
    },
    "left_out": {
        "kind": "losses",
        "blocks": "source",
        "losses": {"a": [[1, 2, None], [3, 4], [2, 5]], "b": [[1, 2, 3], [3, 5], [1, 5]]},
        "missing": "leave_out",
    },
    "scores": {
        "kind": "losses",
        "split_scores": {"a": [0.8, 0.7, 0.9], "b": [0.9, 0.7, 0.8]},
        "n_train": 20,
        "n_test": 10,
        "better": "higher",
    },
}


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> KeptEvaluation:
    return keep_table(tmp_path_factory.mktemp("table"))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "bundle.zip"


def join(found: Verification) -> str:
    return " ".join([*found.findings, *map(str, found.differences)])


@pytest.mark.parametrize("name", [*EXAMPLES, *REQUESTS, *FITTED])
def test_exact_every_kind_is_computed_again_to_the_bit(name: str, tmp_path: Path) -> None:
    body = {**EXAMPLES, **REQUESTS, **FITTED}[name]
    pack(keep_request(body, tmp_path), tmp_path / "bundle.zip")

    found = verify_bundle(tmp_path / "bundle.zip", None)

    assert (found.outcome, found.differences) == (VerificationOutcome.SAME, []), join(found)
    assert "equal to the bit" in join(found)
    is_of_losses = body["kind"] == "cross_validation"
    assert ("follow from its losses" in join(found)) == is_of_losses
    assert ("Not computed again" in join(found)) == is_of_losses


def test_exact_losses_of_a_file_are_enough(table: KeptEvaluation, file: Path) -> None:
    files = pack(table, file)
    again = file.with_name("again.zip")
    pack(table, again)

    found = verify_bundle(file, None)

    assert again.read_bytes() == file.read_bytes()
    assert sorted(files) == ["losses.parquet", "request.json", "result.json", "statement.json"]
    assert found.outcome is VerificationOutcome.SAME
    # Every number of the result but the seed: counted by hand from the JSON.
    result = dict(expand_result(json.loads(files["result.json"])))
    del result["provenance"]
    n = sum(1 for _ in iterate_numbers(result))
    assert f"Numbers: {n} follow from its losses, equal to the bit" in join(found)


def test_exact_what_several_runs_add_is_named_as_not_computed(tmp_path: Path) -> None:
    rows = [f"i{i // 2},{i % 3},{i % 5}" for i in range(40)]
    (tmp_path / "runs.csv").write_text("\n".join(["item,old,new", *rows]))
    columns = {"losses": ["old", "new"], "item": "item"}
    with open_file(tmp_path / "runs.csv", "text/csv") as data:
        request: Any = {"kind": "losses", "blocks": "holdout", "columns": columns}
        kept = keep(evaluate_in_process(request, data), tmp_path)
    pack(kept, tmp_path / "bundle.zip")

    found = verify_bundle(tmp_path / "bundle.zip", None)

    assert found.outcome is VerificationOutcome.SAME, join(found)
    assert re.search(r"Not computed again, .*: \d+ of runs\.", found.findings[-1])


def iterate_numbers(value: Any) -> Any:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            yield from iterate_numbers(each)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield value


def test_exact_the_statement_says_what_computed_the_result(
    table: KeptEvaluation, file: Path
) -> None:
    statement = json.loads(pack(table, file)["statement.json"])
    result = json.loads(table.result)

    assert statement["_type"] == "https://in-toto.io/Statement/v1"
    assert statement["predicateType"] == "urn:thetahat:evaluation:1"
    predicate = statement["predicate"]
    assert predicate["version"] == thetahat.__version__
    assert predicate["seed"] == result["provenance"]["seed"]
    assert {"family": "intervals", "name": "student_t"} in predicate["methods"]
    assert predicate["recomputed_from"] == "losses"


@pytest.mark.parametrize(
    ("edit", "finding"),
    [
        (lambda r: r["summary"]["models"][0].update(estimate=0.5), "summary.models[0].estimate"),
        (lambda r: r["comparisons"][0]["verdict"].update(decision="better"), "verdict.decision"),
        (lambda r: r["models"]["old"].pop("mean"), "models.old.mean: recorded (absent)"),
        (lambda r: r.update(cautions=[]), "cautions: recorded (absent)"),
        (lambda r: r["provenance"].update(spec_sha256="0" * 64), "request_sha256"),
        (lambda r: r["provenance"].update(seed=1), "wrong about seed"),
    ],
)
def test_invalid_a_changed_result_is_found_with_and_without_its_digest(
    table: KeptEvaluation, file: Path, edit: Callable[[Any], object], finding: str
) -> None:
    files = pack(table, file)
    files["result.json"] = change(files["result.json"], edit)
    changed = verify_bundle(repack(file, files), None)
    forged = verify_bundle(repack(file, state_again(files)), None)

    assert changed.outcome is VerificationOutcome.NOT_GENUINE
    assert "Digests: wrong: result.json was changed." in changed.findings
    assert changed.differences == []  # nothing was computed
    assert forged.outcome is not VerificationOutcome.SAME
    assert finding in join(forged)


def test_invalid_a_changed_loss_is_found_with_and_without_its_digest(
    table: KeptEvaluation, file: Path
) -> None:
    files = pack(table, file)
    losses = pq.read_table(io.BytesIO(files["losses.parquet"]))
    values = losses["new"].to_numpy().copy()
    values[3] += 1e-4
    position = losses.column_names.index("new")
    changed = losses.set_column(position, "new", pa.array(values))
    buffer = io.BytesIO()
    pq.write_table(changed.replace_schema_metadata(losses.schema.metadata), buffer)
    files["losses.parquet"] = buffer.getvalue()

    by_digest = verify_bundle(repack(file, files), None)
    forged = verify_bundle(repack(file, state_again(files)), None)

    assert "Digests: wrong: losses.parquet was changed." in by_digest.findings
    assert by_digest.outcome is VerificationOutcome.NOT_GENUINE
    assert forged.outcome is VerificationOutcome.OTHER_NUMBERS
    assert "are not what follows from its losses" in join(forged)
    assert "The largest relative difference is" in join(forged)


def test_invalid_losses_that_are_not_those_of_the_request_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "bundle.zip"
    files = pack(keep_request(REQUESTS["sources"], tmp_path), file)
    other = tmp_path / "other"
    other.mkdir()
    body = {**REQUESTS["sources"], "losses": {n: [[1.0, 2, 3], [2, 3, 1]] for n in "abc"}}
    files["losses.parquet"] = pack(keep_request(body, other), other / "b.zip")["losses.parquet"]

    with pytest.raises(InvalidFile, match="does not have the losses of its request"):
        verify_bundle(repack(file, state_again(files)), None)


def test_exact_a_signature_is_right_for_its_key_alone(table: KeptEvaluation, file: Path) -> None:
    pack(table, file, KEY)

    right = verify_bundle(file, KEY.public_key())
    wrong = verify_bundle(file, OTHER_KEY.public_key())
    unchecked = verify_bundle(file, None)

    assert (right.outcome, wrong.outcome) == (
        VerificationOutcome.SAME,
        VerificationOutcome.NOT_GENUINE,
    )
    assert right.findings[0].startswith("Signature: right, by the key ")
    assert wrong.findings[0].endswith("has not signed this statement.")
    assert (unchecked.outcome, "was not checked" in join(unchecked)) == (
        VerificationOutcome.SAME,
        True,
    )


def test_invalid_a_bundle_without_a_signature_is_refused_where_one_is_demanded(
    table: KeptEvaluation, file: Path
) -> None:
    pack(table, file)

    found = verify_bundle(file, KEY.public_key())

    assert found.outcome is VerificationOutcome.NOT_GENUINE
    assert found.findings[0] == (
        "Signature: the bundle is not signed, and a signature is demanded."
    )


def test_invalid_a_signed_statement_that_was_changed_is_refused(
    table: KeptEvaluation, file: Path
) -> None:
    files = pack(table, file, KEY)

    def edit(envelope: dict[str, Any]) -> None:
        statement = json.loads(base64.b64decode(envelope["payload"]))
        statement["predicate"]["version"] = "9.9.9"
        envelope["payload"] = base64.b64encode(json.dumps(statement).encode()).decode()

    files["statement.dsse.json"] = change(files["statement.dsse.json"], edit)
    repack(file, files)

    assert verify_bundle(file, KEY.public_key()).outcome is VerificationOutcome.NOT_GENUINE
    unsigned = verify_bundle(file, None)  # the statement contradicts the result
    assert unsigned.findings[-1] == "Statement: wrong about version of the result."
    assert unsigned.outcome is VerificationOutcome.NOT_GENUINE


def test_exact_openssl_accepts_the_signature_of_the_encoding_of_dsse(
    table: KeptEvaluation, file: Path
) -> None:
    envelope = json.loads(pack(table, file, KEY)["statement.dsse.json"])
    payload = base64.b64decode(envelope["payload"])
    kind = "application/vnd.in-toto+json"
    signed = b"DSSEv1 %d %s %d " % (len(kind), kind.encode(), len(payload)) + payload
    folder = file.parent
    (folder / "key.pem").write_bytes(
        KEY.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    )
    (folder / "signed").write_bytes(signed)
    (folder / "signature").write_bytes(base64.b64decode(envelope["signatures"][0]["sig"]))
    command = ["openssl", "pkeyutl", "-verify", "-pubin", "-rawin", "-inkey", "key.pem"]
    command += ["-in", "signed", "-sigfile", "signature"]

    process = subprocess.run(command, cwd=folder, capture_output=True, check=False)

    assert b"Verified Successfully" in process.stdout, process.stderr


def test_exact_a_bundle_of_an_older_release_is_compared_and_its_release_named(
    table: KeptEvaluation, file: Path
) -> None:
    files = pack(table, file)

    def make_old(result: dict[str, Any]) -> None:
        result["provenance"]["version"] = "0.0.9"
        del result["comparisons"][0]["other_verdicts"]  # a field that the release did not have
        result["summary"]["sentences"][0] = "Other words were used."

    files["result.json"] = change(files["result.json"], make_old)
    files["statement.json"] = change(
        files["statement.json"], lambda each: each["predicate"].update(version="0.0.9")
    )
    same = verify_bundle(repack(file, state_again(files)), None)
    files["result.json"] = change(
        files["result.json"], lambda r: r["models"]["old"]["mean"].update(macro=0.5)
    )
    other = verify_bundle(repack(file, state_again(files)), None)

    assert same.outcome is VerificationOutcome.SAME, join(same)
    assert "0.0.9, 1 fields or cautions are new and 1 sentences have other words." in join(same)
    assert other.outcome is VerificationOutcome.OTHER_NUMBERS
    assert "computed by release 0.0.9, and again by " in join(other)
    assert "models.old.mean.macro: recorded 0.5, computed" in join(other)


def test_exact_a_request_that_this_release_refuses_is_a_difference_and_no_crash(
    table: KeptEvaluation, file: Path
) -> None:
    files = pack(table, file)
    files["request.json"] = change(files["request.json"], lambda r: r.update(detail="brief"))

    found = verify_bundle(repack(file, state_again(files)), None)

    assert found.outcome is VerificationOutcome.OTHER_NUMBERS
    assert "refuses the request: detail: Extra inputs" in join(found)


def replace_file(name: str, content: bytes) -> Callable[[dict[str, bytes]], dict[str, bytes]]:
    return lambda files: {**files, name: content}


@pytest.mark.parametrize(
    ("edit", "sentence"),
    [
        (replace_file("../../etc/cron.d/x", b""), "has a file '../../etc/cron.d/x', and bundles"),
        (replace_file("/etc/passwd", b""), "has a file '/etc/passwd', and bundles have only"),
        (replace_file("statement.dsse.json", b"{}"), "must have one statement, .* and has both"),
        (replace_file("statement.json", b"[]"), "statement.json cannot be read: its _type is not"),
        (replace_file("statement.json", b"{"), "statement.json cannot be read: it is not JSON"),
        (replace_file("report.html", b"x" * 300), "report.html unpacks to 300 bytes, and at most"),
    ],
)
def test_invalid_hostile_archives_are_refused_with_a_sentence(
    table: KeptEvaluation,
    file: Path,
    monkeypatch: pytest.MonkeyPatch,
    edit: Callable[[dict[str, bytes]], dict[str, bytes]],
    sentence: str,
) -> None:
    monkeypatch.setattr(bundles, "LARGEST", {**bundles.LARGEST, "report.html": 200})

    with pytest.raises(InvalidFile, match=sentence):
        verify_bundle(repack(file, edit(pack(table, file))), None)


@pytest.mark.parametrize("name", ["request.json", "result.json", "statement.json"])
def test_invalid_a_bundle_without_a_file_is_refused(
    table: KeptEvaluation, file: Path, name: str
) -> None:
    files = pack(table, file)
    del files[name]

    with pytest.raises(InvalidFile, match=r"has no re|must have one statement"):
        verify_bundle(repack(file, files), None)


def test_invalid_losses_that_are_missing_or_not_named_are_found(
    table: KeptEvaluation, file: Path
) -> None:
    files = pack(table, file)
    without = {name: content for name, content in files.items() if name != "losses.parquet"}
    more = {**files, "report.html": b"<p>Approved</p>"}

    assert "losses.parquet is missing" in join(verify_bundle(repack(file, without), None))
    found = verify_bundle(repack(file, more), None)
    assert (found.outcome, found.findings[-1]) == (
        VerificationOutcome.NOT_GENUINE,
        "Digests: wrong: the statement does not name report.html.",
    )


def test_invalid_two_files_of_one_name_are_refused(table: KeptEvaluation, file: Path) -> None:
    files = pack(table, file)
    with zipfile.ZipFile(file, "a") as archive, pytest.warns(UserWarning, match="Duplicate name"):
        archive.writestr("result.json", files["result.json"])

    with pytest.raises(InvalidFile, match=r"two files 'result\.json', of which one hides"):
        verify_bundle(file, None)


def test_invalid_a_zip_bomb_is_refused_before_it_is_unpacked(file: Path) -> None:
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        with archive.open("result.json", "w", force_zip64=True) as member:
            for _ in range(300):
                member.write(bytes(2**20))
        archive.writestr("request.json", "{}")

    assert file.stat().st_size < 400_000
    with pytest.raises(InvalidFile, match=r"result\.json unpacks to 314,572,800 bytes"):
        verify_bundle(file, None)


def test_invalid_losses_with_too_many_cells_are_refused_before_they_are_read(
    table: KeptEvaluation, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verification, "MOST_CELLS", 100)
    pack(table, file)

    with pytest.raises(InvalidFile, match=r"parquet has 160 cells, and at most 100 are read"):
        verify_bundle(file, None)


@pytest.mark.parametrize("content", [b"PAR1", b"", b"PAR1" + bytes(40) + b"PAR1"])
def test_invalid_losses_that_are_no_parquet_are_refused(
    table: KeptEvaluation, file: Path, content: bytes
) -> None:
    files = {**pack(table, file), "losses.parquet": content}

    with pytest.raises(InvalidFile, match=r"losses\.parquet is not Parquet"):
        verify_bundle(repack(file, state_again(files)), None)


@pytest.mark.parametrize(
    "result", [b"[]", b"{}", b'{"kind": "losses"}', b"[" * 3000, b'{"kind": 1, "provenance": 2}']
)
def test_invalid_results_of_another_form_are_refused(
    table: KeptEvaluation, file: Path, result: bytes
) -> None:
    files = {**pack(table, file), "result.json": result}

    with pytest.raises(InvalidFile, match=r"The bundle's result(\.json)? (is not|lacks)"):
        verify_bundle(repack(file, state_again(files)), None)


def test_invalid_a_damaged_archive_is_refused(table: KeptEvaluation, file: Path) -> None:
    pack(table, file)
    content = bytearray(file.read_bytes())
    content[60] ^= 255
    file.write_bytes(content)

    with pytest.raises(InvalidFile, match="is no bundle, or it is damaged"):
        verify_bundle(file, None)


@pytest.mark.parametrize(
    "fields",
    [
        {"scheme": "k_fold", "intervals": ["bates_nested_cv"]},
        {"scheme": "k_fold", "variances": ["out_of_bag"]},
    ],
)
def test_exact_results_of_extra_fits_are_computed_from_their_request(
    tmp_path: Path, fields: dict[str, Any]
) -> None:
    file = tmp_path / "bundle.zip"
    pack(keep_request({**CROSS_VALIDATION, **fields}, tmp_path), file)

    found = verify_bundle(file, None)

    assert found.outcome is VerificationOutcome.SAME, found
    assert "follow from its request, equal to the bit" in join(found)


SAMPLE = "x,y\n" + "".join(f"{i % 7 - 3},{(i * 5 % 11) / 2 + i % 3}\n" for i in range(48))
LEARNERS = {"ridge": {"name": "ridge", "params": {"penalty": 1.0}}, "mean": "mean"}
OF_DATA: dict[str, dict[str, Any]] = {
    "selection": {
        "kind": "selection",
        "candidates": LEARNERS,
        "internal": {"name": "k_fold", "params": {"n_folds": 4}},
    },
    "learning_curve": {"kind": "learning_curve", "learners": LEARNERS, "sizes": [10, 20]},
    "extra fits": {
        "kind": "cross_validation",
        "scheme": "k_fold",
        "learners": LEARNERS,
        "variances": ["out_of_bag"],
    },
}


@pytest.mark.parametrize("name", OF_DATA)
def test_exact_a_result_of_an_uploaded_file_is_computed_from_that_file(
    tmp_path: Path, name: str
) -> None:
    sample, bundle = tmp_path / "sample.csv", tmp_path / "bundle.zip"
    sample.write_text(SAMPLE)
    request = {**OF_DATA[name], "columns": {"features": ["x"], "target": "y"}}
    with open_file(sample, "text/csv") as data:
        pack(keep(evaluate_in_process(request, data), tmp_path), bundle)
        without, found = verify_bundle(bundle, None), verify_bundle(bundle, None, [data])

        assert found.outcome is VerificationOutcome.SAME, found
        assert "follow from its request and data, equal to the bit" in join(found)
        assert without.outcome is VerificationOutcome.OTHER_NUMBERS
        assert f"give the file with the SHA-256 {data.sha256} with --data" in join(without)
        with pytest.raises(InvalidFile, match=r"names 1 data set, and 2 files of data are given"):
            verify_bundle(bundle, None, [data, data])

    sample.write_text(SAMPLE + "1,2\n")
    with (
        open_file(sample, "text/csv") as other,
        pytest.raises(InvalidFile, match="was not computed from the data that are given"),
    ):
        verify_bundle(bundle, None, [other])


def test_exact_losses_of_a_file_are_computed_from_that_file_where_it_is_given(
    tmp_path: Path, file: Path
) -> None:
    pack(keep_table(tmp_path), file)

    with open_file(tmp_path / "losses.csv", "text/csv") as data:
        found = verify_bundle(file, None, [data])

    assert found.outcome is VerificationOutcome.SAME, found
    assert "follow from its request and data, equal to the bit" in join(found)
    assert "Not computed again" not in join(found)


def test_invalid_a_submission_to_a_ladder_has_no_bundle() -> None:
    request = LadderRequest.model_validate(
        {"dataset": str(uuid4()), "columns": {"target": "y"}, "loss": "zero_one"}
    )

    with pytest.raises(PartsNotKept, match="from all earlier submissions"):
        choose_source(request, has_losses=False)


def test_exact_a_bundle_has_no_more_than_was_packed(table: KeptEvaluation, file: Path) -> None:
    with file.open("wb") as opened:
        bundles.write_bundle(opened, table, None, b"<p>A report</p>")

    assert unpack(file)["report.html"] == b"<p>A report</p>"
    assert "Digests: right, of losses.parquet, report.html" in join(verify_bundle(file, None))


def test_exact_logs_are_computed_from_their_losses_with_the_same_words(tmp_path: Path) -> None:
    """Sources are called tasks, and nothing is said of other training data."""
    rows, bundle = tmp_path / "long.csv", tmp_path / "bundle.zip"
    items = [(task, item, model) for task in "abc" for item in range(8) for model in ("new", "old")]
    lines = [f"{t},{i},{m},{(i * 7 + ord(t) + len(items) * (m == 'new')) % 3}" for t, i, m in items]
    rows.write_text("\n".join(["task,item,model,score", *lines]))
    with open_file(rows, "text/csv") as data:
        logs = {"score": "score", "files": [{"dataset": str(data.id)}]}
        request: dict[str, Any] = {"kind": "losses", "better": "higher", "logs": logs}
        pack(keep(evaluate_in_process(request, logs=[data]), tmp_path), bundle)

    found = verify_bundle(bundle, None)

    assert found.outcome is VerificationOutcome.SAME, found
    assert "follow from its losses, equal to the bit" in join(found)
