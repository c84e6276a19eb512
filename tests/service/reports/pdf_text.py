"""The text of a PDF that Typst made: glyphs as the maps of their fonts translate them."""

from __future__ import annotations

import re
import zlib

OBJECT = re.compile(rb"\n(\d+) 0 obj(.*?)\nendobj", re.DOTALL)
STREAM = re.compile(rb"stream\r?\n(.*?)\nendstream", re.DOTALL)
LITERAL = rb"\(((?:\\.|[^()\\]|\((?:\\.|[^()\\])*\))*)\)"
SHOWN = re.compile(rb"/(f\d+) [-0-9.]+ Tf|<([0-9a-fA-F]+)>|" + LITERAL, re.DOTALL)
ESCAPE = re.compile(rb"\\([0-7]{1,3}|.)", re.DOTALL)
NAMED = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"b": b"\b", b"f": b"\f"}
PAIR = rb"<([0-9a-fA-F]+)>\s*<([0-9a-fA-F]+)>"


def read_text(pdf: bytes) -> str:
    """Return the letters of all pages, without white space."""
    objects = {int(number): body for number, body in OBJECT.findall(pdf)}
    text = "".join(
        _read_page(body, objects)
        for body in objects.values()
        if re.search(rb"/Type\s*/Page\b", body)
    )
    return "".join(text.split()).replace("\N{ZERO WIDTH SPACE}", "")


def without_spaces(text: str) -> str:
    return "".join(text.split())


def _read_page(page: bytes, objects: dict[int, bytes]) -> str:
    resources = page
    if reference := re.search(rb"/Resources (\d+) 0 R", page):
        resources = objects[int(reference[1])]
    fonts = {
        name: _read_font(objects[int(number)], objects)
        for name, number in re.findall(rb"/(f\d+) (\d+) 0 R", resources)
    }
    contents = re.search(rb"/Contents (\d+) 0 R", page)
    assert contents is not None
    letters, font = [], dict[int, str]()
    for name, digits, literal in SHOWN.findall(_read_stream(objects[int(contents[1])])):
        if name:
            font = fonts[name]
            continue
        glyphs = bytes.fromhex(digits.decode()) if digits else _unescape(literal)
        pairs = zip(glyphs[::2], glyphs[1::2], strict=False)
        letters += [font.get(256 * high + low, "") for high, low in pairs]
    return "".join(letters)


def _read_stream(body: bytes) -> bytes:
    match = STREAM.search(body)
    assert match is not None
    return zlib.decompressobj().decompress(match[1]) if b"FlateDecode" in body else match[1]


def _read_font(body: bytes, objects: dict[int, bytes]) -> dict[int, str]:
    """Return the letters of a font's glyphs, from its map to Unicode."""
    reference = re.search(rb"/ToUnicode (\d+) 0 R", body)
    assert reference is not None
    table = _read_stream(objects[int(reference[1])])
    letters: dict[int, str] = {}
    for block in re.findall(rb"beginbfchar(.*?)endbfchar", table, re.DOTALL):
        for glyph, code in re.findall(PAIR, block):
            letters[int(glyph, 16)] = bytes.fromhex(code.decode()).decode("utf-16-be")
    return letters


def _unescape(literal: bytes) -> bytes:
    def replace(match: re.Match[bytes]) -> bytes:
        code = match[1]
        return bytes([int(code, 8)]) if code.isdigit() else NAMED.get(code, code)

    return ESCAPE.sub(replace, literal)
