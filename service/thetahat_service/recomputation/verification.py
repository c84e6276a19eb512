"""The verification of a bundle: its digests, its signature, and every number computed again."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

import orjson
import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import ValidationError

import thetahat
from thetahat.errors import EvaluationError, InvalidParameter
from thetahat.values.block_losses import LossTable
from thetahat.values.json_values import to_json
from thetahat_presentation.expansion import expand_result
from thetahat_presentation.numbers import count
from thetahat_service.errors import InvalidFile, ServiceError
from thetahat_service.json_encoding import encode_json
from thetahat_service.kinds.base import DatasetFile
from thetahat_service.kinds.digests import compute_digests, digest_inline_data
from thetahat_service.kinds.kept_losses import read_kept_losses
from thetahat_service.kinds.planned_results import add_outcome
from thetahat_service.kinds.registry import JOB_KINDS
from thetahat_service.kinds.result_json import drop_training_cautions
from thetahat_service.kinds.running import run_request
from thetahat_service.outcomes.output_table import OutputTable
from thetahat_service.recomputation.bundles import (
    LOSSES,
    REQUEST,
    RESULT,
    SIGNED_STATEMENT,
    STATEMENT,
    OpenedBundle,
    read_bundle,
)
from thetahat_service.recomputation.comparing import (
    ABSENT,
    ComparedValues,
    OtherValue,
    compare_results,
)
from thetahat_service.recomputation.evaluating import evaluate_kept_losses
from thetahat_service.recomputation.sources import RecomputedFrom, choose_source
from thetahat_service.recomputation.statements import (
    BundleStatement,
    describe_computation,
    parse_statement,
)
from thetahat_service.schemas.base import EvaluationRequest

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

MOST_CELLS: Final = 200_000_000
"""Largest number of rows times columns of a file of losses, as of an uploaded data set."""
PROTOCOL: Final = "protocol"
"""What a result says of its plan, which only the service knows."""
NOT_OF_LOSSES: Final = frozenset({"kind", "left_out", "provenance"})
"""Fields of a result that say what was sent, and that losses do not have."""


ORIGINS: Final[Mapping[RecomputedFrom, str]] = {
    RecomputedFrom.REQUEST: "its request",
    RecomputedFrom.LOSSES: "its losses",
    RecomputedFrom.DATA: "its request and data",
}


class VerificationOutcome(IntEnum):
    """What a verification found, as the exit status of ``thetahat verify``."""

    SAME = 0
    NOT_GENUINE = 1
    OTHER_NUMBERS = 3


@dataclass(slots=True)
class Verification:
    """What was found, in sentences."""

    outcome: VerificationOutcome = VerificationOutcome.SAME
    """The worst that was found."""
    findings: list[str] = field(default_factory=list)
    """What was checked, and with which outcome."""
    differences: list[OtherValue] = field(default_factory=list)
    """Values that were computed again and are not the recorded ones."""

    def refuse(self, finding: str) -> None:
        """Record that the bundle is not what its statement says."""
        self.outcome = VerificationOutcome.NOT_GENUINE
        self.findings.append(finding)

    def record_other_numbers(self, finding: str) -> None:
        """Record that the result does not follow from the losses, with the code at hand."""
        if self.outcome is VerificationOutcome.SAME:
            self.outcome = VerificationOutcome.OTHER_NUMBERS
        self.findings.append(finding)


def verify_bundle(
    path: Path, key: Ed25519PublicKey | None, data: Sequence[DatasetFile] = ()
) -> Verification:
    """Return what is right and wrong about a bundle, without any service.

    Nothing is computed from a bundle whose digests or signature are wrong.

    Parameters
    ----------
    path : Path
        The file.
    key : Ed25519PublicKey or None
        The key by which it must be signed; None accepts any bundle.
    data : sequence of DatasetFile
        The files of the data sets that the request names, in its order; everything is then computed
        again from them.

    Raises
    ------
    InvalidFile
        It is no bundle, or the files are not those of the evaluation.
    """
    found = Verification()
    bundle = read_bundle(path)
    statement = _check_signature(bundle, key, found)
    _check_digests(bundle, statement, found)
    if found.outcome is VerificationOutcome.SAME:
        _check_numbers(bundle, statement, data, found)
    return found


def _check_signature(
    bundle: OpenedBundle, key: Ed25519PublicKey | None, found: Verification
) -> BundleStatement:
    """Return the statement, and record whether it is signed by the key."""
    content = bundle.files.get(STATEMENT, b"")
    try:
        if bundle.is_signed:
            content = _check_envelope(bundle.files[SIGNED_STATEMENT], key, found)
        elif key is not None:
            found.refuse("Signature: the bundle is not signed, and a signature is demanded.")
        else:
            found.findings.append(
                "Signature: the bundle is not signed, so it does not show who made it."
            )
        return parse_statement(content)
    except ValueError as error:
        name = SIGNED_STATEMENT if bundle.is_signed else STATEMENT
        raise InvalidFile(f"The bundle's {name} cannot be read: {error}.") from None


def _check_envelope(content: bytes, key: Ed25519PublicKey | None, found: Verification) -> bytes:
    """Return the statement of an envelope, and record whether its signature is right."""
    from thetahat_service.recomputation.signatures import (  # noqa: PLC0415 - an extra
        compute_key_id,
        is_signed_by,
        parse_envelope,
    )

    envelope = parse_envelope(content)
    if key is None:
        named = ", ".join(identifier[:16] for identifier, _ in envelope.signatures)
        found.findings.append(
            f"Signature: there is one by the key {named}, which was not checked. Give its public "
            "key with --public-key."
        )
    elif is_signed_by(envelope, key):
        found.findings.append(f"Signature: right, by the key {compute_key_id(key)[:16]}.")
    else:
        found.refuse(
            f"Signature: wrong. The key {compute_key_id(key)[:16]} has not signed this statement."
        )
    return envelope.payload


def _check_digests(bundle: OpenedBundle, statement: BundleStatement, found: Verification) -> None:
    """Record files that are not those of the statement."""
    files, named = bundle.files.keys() - {STATEMENT, SIGNED_STATEMENT}, statement.digests
    faults = [f"{name} is missing" for name in sorted(named.keys() - files)]
    faults += [f"the statement does not name {name}" for name in sorted(files - named.keys())]
    faults += [
        f"{name} was changed"
        for name in sorted(files & named.keys())
        if bundle.compute_digest(name) != named[name]
    ]
    if faults:
        found.refuse(f"Digests: wrong: {'; '.join(faults)}.")
    else:
        found.findings.append(f"Digests: right, of {', '.join(sorted(files))}.")


def _check_numbers(
    bundle: OpenedBundle,
    statement: BundleStatement,
    data: Sequence[DatasetFile],
    found: Verification,
) -> None:
    """Compute the result again, and record every value that is not the same."""
    try:
        evaluation = _Evaluation(bundle, data)
        evaluation.check_form()
        evaluation.check_statement(statement, found)
        if found.outcome is VerificationOutcome.SAME:
            evaluation.compare(found)
    except InvalidFile:
        raise
    except (ValidationError, EvaluationError, ServiceError) as error:
        found.record_other_numbers(
            "Numbers: not computed again, because this release "
            f"({thetahat.__version__}) refuses the request: {_describe(error)}"
        )
    except RecursionError:
        raise InvalidFile("The bundle's result is nested more deeply than any result.") from None


def _describe(error: Exception) -> str:
    if isinstance(error, ValidationError):
        first = error.errors()[0]
        return f"{'.'.join(map(str, first['loc']))}: {first['msg']}."
    return str(error)


@dataclass
class _Evaluation:
    """The evaluation of a bundle, whose files are those that its statement names."""

    bundle: OpenedBundle
    data: Sequence[DatasetFile]
    """The files that the reader has given."""

    @cached_property
    def body(self) -> dict[str, Any]:
        """The request."""
        return self.bundle.parse(REQUEST)

    @cached_property
    def result(self) -> dict[str, Any]:
        """The recorded result."""
        return self.bundle.parse(RESULT)

    @cached_property
    def request(self) -> EvaluationRequest:
        """The request, checked by the code at hand."""
        kind = str(self.result["kind"])
        if kind not in JOB_KINDS:
            raise InvalidParameter(f"there is no kind {kind!r}.", loc=("kind",), value=kind)
        request: EvaluationRequest = JOB_KINDS[kind].request.model_validate(self.body)
        return request

    @cached_property
    def stated_source(self) -> RecomputedFrom:
        """What the result can be computed from, as the statement has it."""
        return choose_source(self.request, has_losses=LOSSES in self.bundle.files)

    @cached_property
    def source(self) -> RecomputedFrom:
        """What the result is computed from: where the reader has given its data, from these."""
        return RecomputedFrom.DATA if self.data else self.stated_source

    @property
    def version(self) -> str:
        """The release that computed the result."""
        return str(self.result["provenance"]["version"])

    @property
    def is_of_this_release(self) -> bool:
        """Whether the code at hand has the version of the release that computed the result."""
        return self.version == thetahat.__version__

    def check_form(self) -> None:
        """Refuse a result without what every result has."""
        provenance = self.result.get("provenance")
        forms = {
            "version": str,
            "seed": int,
            "data_sha256": str,
            "spec_sha256": str,
            "methods": list,
        }
        if not (
            isinstance(self.result.get("kind"), str)
            and isinstance(self.result.get("caution_texts", {}), dict)
            and isinstance(self.result.get("failures", {}), dict)
            and isinstance(provenance, dict)
            and all(isinstance(provenance.get(name), form) for name, form in forms.items())
            and all(
                isinstance(each, dict) and {"family", "name"} <= each.keys()
                for each in provenance["methods"]
            )
        ):
            raise InvalidFile("The bundle's result lacks a kind, or a part of its provenance.")

    def check_statement(self, statement: BundleStatement, found: Verification) -> None:
        """Record what the statement says of the result that the result does not say."""
        computed = describe_computation(self.result)
        faults = [name for name in computed if statement.predicate.get(name) != computed[name]]
        if statement.predicate.get("recomputed_from") != self.stated_source.value:
            faults.append("recomputed_from")
        if faults:
            found.refuse(f"Statement: wrong about {', '.join(faults)} of the result.")

    def compare(self, found: Verification) -> None:
        """Record the numbers that are equal to the bit, and the values that are not."""
        if self.source is RecomputedFrom.DATA and not self.data:
            found.record_other_numbers(
                "Numbers: not computed again. They follow from the request and its data, which are "
                f"not in the bundle: give {self._describe_data()} with --data."
            )
            return
        is_whole = self.source is not RecomputedFrom.LOSSES
        computed = self._run_request() if is_whole else self._evaluate_losses()
        recorded = expand_result(self.result)
        left_out = frozenset({PROTOCOL}) if is_whole else NOT_OF_LOSSES | {PROTOCOL}
        if PROTOCOL in recorded:  # a gate may require it
            computed = add_outcome(self.request, dict(computed), recorded[PROTOCOL])
        comparison = compare_results(recorded, computed, is_whole=is_whole, left_out=left_out)
        if not is_whole:
            comparison.differences += self._compare_digests()
        self._record(comparison, found)

    def _evaluate_losses(self) -> Mapping[str, Any]:
        """Return what follows from the kept losses."""
        request: Any = self.request
        table = self._read_losses()
        seed = int(self.result["provenance"]["seed"])
        evaluated = evaluate_kept_losses(table, request.choices, self.result, seed)
        value: dict[str, Any] = orjson.loads(encode_json(to_json(evaluated)))
        return value if request.has_trained_models else drop_training_cautions(value)

    def _read_losses(self) -> LossTable:
        try:
            return read_kept_losses(self._open_losses())
        except (pa.ArrowException, LookupError, TypeError, ValueError, AttributeError) as error:
            message = f"The bundle's {LOSSES} is not a file of kept losses: {error}."
            raise InvalidFile(message) from None

    def _run_request(self) -> Mapping[str, Any]:
        """Return the result of the request, whose losses must be those of the bundle."""
        evaluated = run_request(self.body, self._match_data())
        if LOSSES in self.bundle.files:
            again = evaluated.losses
            table = again.table() if isinstance(again, OutputTable) else again
            if table is None or not pq.read_table(self._open_losses()).equals(table):
                raise InvalidFile(f"The bundle's {LOSSES} does not have the losses of its request.")
        value: dict[str, Any] = orjson.loads(encode_json(evaluated.result))
        value["provenance"]["version"] = self.version
        return expand_result(value)

    def _match_data(self) -> dict[UUID, DatasetFile]:
        """Return the files of the reader as the request's data sets, which they must be."""
        identifiers = self.request.list_dataset_ids()
        n_files = len(self.data)
        if n_files != len(identifiers):
            raise InvalidFile(
                f"The request names {count(len(identifiers), 'data set')}, and "
                f"{count(n_files, 'file')} of data {'is' if n_files == 1 else 'are'} given."
            )
        named = zip(identifiers, self.data, strict=True)
        datasets = {identifier: replace(file, id=identifier) for identifier, file in named}
        digest = compute_digests(self.request, datasets).data_sha256
        recorded = self.result["provenance"]["data_sha256"]
        if digest != recorded:
            raise InvalidFile(
                "The result was not computed from the data that are given: their SHA-256 is "
                f"{digest}, and the recorded one is {recorded}."
            )
        return datasets

    def _describe_data(self) -> str:
        """Return which files are needed."""
        n_files = len(self.request.list_dataset_ids())
        if n_files > 1:
            return f"the files of its {n_files} data sets, in the order of the request,"
        if digest_inline_data(self.request) is not None:
            return "the file of its data set"
        return f"the file with the SHA-256 {self.result['provenance']['data_sha256']}"

    def _open_losses(self) -> pa.BufferReader:
        """Return the file of losses, of which nothing but its size was read."""
        content = self.bundle.files[LOSSES]
        try:
            metadata = pq.read_metadata(io.BytesIO(content))
        except (pa.ArrowException, OSError) as error:
            raise InvalidFile(f"The bundle's {LOSSES} is not Parquet: {error}.") from None
        n_cells = metadata.num_rows * metadata.num_columns
        if n_cells > MOST_CELLS:
            raise InvalidFile(
                f"The bundle's {LOSSES} has {n_cells:,} cells, and at most {MOST_CELLS:,} are read."
            )
        return pa.BufferReader(content)

    def _compare_digests(self) -> Iterator[OtherValue]:
        """Yield the digests of the request and its data that are not the recorded ones."""
        provenance = self.result["provenance"]
        canonical = encode_json(self.request.build_canonical())
        digests = {"spec_sha256": hashlib.sha256(canonical.encode()).hexdigest()}
        inline = digest_inline_data(self.request)
        if inline is not None and not self.request.list_dataset_ids():
            digests["data_sha256"] = inline
        for name, digest in digests.items():
            if provenance[name] != digest:
                yield OtherValue(f"provenance.{name}", provenance[name], digest)

    def _record(self, comparison: ComparedValues, found: Verification) -> None:
        differences = comparison.differences
        if not self.is_of_this_release:
            # What this release has added, or says in other words, is no other number.
            added = [each for each in differences if each.recorded == ABSENT]
            reworded = [each for each in differences if each.is_wording and each not in added]
            differences = [each for each in differences if each not in (*added, *reworded)]
            if added or reworded:
                found.findings.append(
                    f"Since release {self.version}, {len(added)} fields or cautions are new and "
                    f"{len(reworded)} sentences have other words."
                )
        releases = f"computed by release {self.version}, and again by {thetahat.__version__}"
        is_request = self.source is RecomputedFrom.REQUEST
        origin = ORIGINS[self.source]
        if differences:
            found.differences += differences
            found.record_other_numbers(
                f"Numbers: {len(differences)} values are not what follows from {origin} "
                f"({releases}); {comparison.n_equal:,} numbers are equal to the bit."
                f"{_describe_largest(differences)}"
            )
        else:
            found.findings.append(
                f"Numbers: {comparison.n_equal:,} follow from {origin}, equal to the bit "
                f"({releases})."
            )
        if comparison.not_computed:
            counts = sorted(comparison.not_computed.items())
            listed = ", ".join(f"{n:,} of {name}" for name, n in counts)
            lack = f"{origin} {'does' if is_request else 'do'} not have"
            found.findings.append(
                f"Not computed again, because {lack} what they need: {listed}. "
                "Their digest is right, and nothing else is known of them."
            )


def _describe_largest(differences: list[OtherValue]) -> str:
    """Return the largest relative difference of numbers, as a sentence."""
    sizes = [size for each in differences if (size := each.relative_size) is not None]
    return f" The largest relative difference is {max(sizes):.1e}." if sizes else ""
