"""A bundle: an evaluation in one ZIP file, with the digests of its parts and their signature.

Files of a bundle are read by their names into memory, and nothing is written, so that no name in an
archive can reach a file of the reader.
"""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final

import orjson

from thetahat_service.data.zip_members import ZIP_ERRORS
from thetahat_service.errors import InvalidFile
from thetahat_service.process.memory import MEBIBYTE
from thetahat_service.recomputation.kept import KeptEvaluation
from thetahat_service.recomputation.sources import choose_source
from thetahat_service.recomputation.statements import write_statement
from thetahat_service.settings import get_settings

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

REQUEST, RESULT, LOSSES = "request.json", "result.json", "losses.parquet"
REPORT: Final = "report.html"
STATEMENT, SIGNED_STATEMENT = "statement.json", "statement.dsse.json"

LARGEST: Final[Mapping[str, int]] = {
    REQUEST: 64 * MEBIBYTE,
    RESULT: 256 * MEBIBYTE,
    LOSSES: 2048 * MEBIBYTE,
    REPORT: 64 * MEBIBYTE,
    STATEMENT: MEBIBYTE,
    SIGNED_STATEMENT: 2 * MEBIBYTE,
}
"""Most bytes of each file of a bundle, unpacked: several times what the service accepts."""
MOMENT: Final = (1980, 1, 1, 0, 0, 0)
"""The date of every file, so that the same evaluation gives the same bytes."""


def write_bundle(
    file: IO[bytes],
    evaluation: KeptEvaluation,
    key: Ed25519PrivateKey | None,
    report: bytes | None = None,
) -> None:
    """Write a bundle to an open file; the same evaluation, report and key give the same bytes.

    Raises ``PartsNotKept`` if the result follows from nothing that is kept.
    """
    losses = evaluation.losses
    source = choose_source(evaluation.check_request(), has_losses=losses is not None)
    parts = {REQUEST: orjson.dumps(evaluation.request), RESULT: evaluation.result.encode()}
    if report is not None:
        parts[REPORT] = report
    digests = {name: hashlib.sha256(content).hexdigest() for name, content in parts.items()}
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in parts.items():
            archive.writestr(_describe(name, zipfile.ZIP_DEFLATED), content)
        if losses is not None:
            digests[LOSSES] = _copy(archive, losses)
        result = orjson.loads(evaluation.result)
        statement = write_statement(digests, result, source, evaluation.identifier)
        if key is None:
            archive.writestr(_describe(STATEMENT, zipfile.ZIP_DEFLATED), statement)
        else:
            from thetahat_service.recomputation.signatures import sign  # noqa: PLC0415 - an extra

            signed = sign(statement, key)
            archive.writestr(_describe(SIGNED_STATEMENT, zipfile.ZIP_DEFLATED), signed)


def find_signing_key() -> Ed25519PrivateKey | None:
    """Return the key that signs bundles; None where none is set."""
    file = get_settings().signing_key
    if not file:
        return None
    from thetahat_service.recomputation.signatures import read_private_key  # noqa: PLC0415 - an extra

    return read_private_key(Path(file))


def _copy(archive: zipfile.ZipFile, losses: Path) -> str:
    """Copy the file of losses, which is compressed already, and return its SHA-256."""
    digest = hashlib.sha256()
    member = _describe(LOSSES, zipfile.ZIP_STORED)
    with losses.open("rb") as file, archive.open(member, "w", force_zip64=True) as packed:
        while piece := file.read(MEBIBYTE):
            digest.update(piece)
            packed.write(piece)
    return digest.hexdigest()


def _describe(name: str, compression: int) -> zipfile.ZipInfo:
    member = zipfile.ZipInfo(name, MOMENT)
    member.compress_type = compression
    member.external_attr = 0o644 << 16
    return member


@dataclass(frozen=True, slots=True)
class OpenedBundle:
    """The files of a bundle that was read, by name."""

    files: Mapping[str, bytes]

    @property
    def is_signed(self) -> bool:
        """Whether the statement is in an envelope with signatures."""
        return SIGNED_STATEMENT in self.files

    def compute_digest(self, name: str) -> str:
        """Return the SHA-256 of a file."""
        return hashlib.sha256(self.files[name]).hexdigest()

    def parse(self, name: str) -> dict[str, Any]:
        """Return a file of JSON; ``InvalidFile`` if it is no object."""
        try:
            value = orjson.loads(self.files[name])
        except orjson.JSONDecodeError as error:
            raise InvalidFile(f"The bundle's {name} is not JSON: {error}.") from None
        if not isinstance(value, dict):
            raise InvalidFile(f"The bundle's {name} is not a JSON object.")
        return value


def read_bundle(path: Path) -> OpenedBundle:
    """Return the files of a bundle, in memory.

    Raises ``InvalidFile`` if it is no bundle, or hostile: with other files, two of one name,
    damaged or encrypted ones, or files that unpack to more than a bundle can have.
    """
    with _translate_errors(path), zipfile.ZipFile(path) as archive:
        members = archive.infolist()
        _check_members(members)
        return OpenedBundle({member.filename: archive.read(member) for member in members})


def _check_members(members: Sequence[zipfile.ZipInfo]) -> None:
    """Refuse archives whose list of files is not that of a bundle; nothing is unpacked for it."""
    names = [member.filename for member in members]
    for name in names:
        if name not in LARGEST:
            raise InvalidFile(
                f"The bundle has a file {name!r}, and bundles have only {', '.join(LARGEST)}."
            )
        if names.count(name) > 1:
            raise InvalidFile(f"The bundle has two files {name!r}, of which one hides the other.")
    for member in members:
        largest = LARGEST[member.filename]
        if member.file_size > largest:
            raise InvalidFile(
                f"The bundle's {member.filename} unpacks to {member.file_size:,} bytes, and at "
                f"most {largest:,} are read."
            )
        if member.filename == LOSSES and member.compress_type != zipfile.ZIP_STORED:
            raise InvalidFile(
                f"The bundle's {LOSSES} is compressed a second time, as bundles never have it."
            )
    missing = [name for name in (REQUEST, RESULT) if name not in names]
    if missing:
        raise InvalidFile(f"The bundle has no {missing[0]}.")
    if (STATEMENT in names) == (SIGNED_STATEMENT in names):
        raise InvalidFile(
            f"The bundle must have one statement, {STATEMENT} or {SIGNED_STATEMENT}, and has "
            f"{'both' if STATEMENT in names else 'none'}."
        )


@contextmanager
def _translate_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except ZIP_ERRORS as error:
        raise InvalidFile(f"{str(path)!r} is no bundle, or it is damaged: {error}.") from None
