"""A page as its parts: links, forms, identifiers, headings and text, read without a browser."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

VOID = {"input", "img", "source", "meta", "link", "br", "hr"}


@dataclass
class Form:
    method: str
    action: str
    kind: str
    fields: list[tuple[str, str]] = field(default_factory=list)
    names: set[str] = field(default_factory=set)

    def filled(self, **values: Any) -> dict[str, Any]:
        """Return the fields that a browser sends, with other values for some of them."""
        unknown = values.keys() - self.names
        assert not unknown, f"the form has no field {unknown}"
        sent: dict[str, list[str]] = {}
        for name, value in self.fields:
            sent.setdefault(name, []).append(value)
        return {**sent, **values}


class HtmlPage(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.forms: list[Form] = []
        self.ids: list[str] = []
        self.labels_for: list[str] = []
        self.described_by: list[str] = []
        self.headings: list[tuple[str, str]] = []
        self.row_names: list[str] = []
        self.images: list[dict[str, str | None]] = []
        self.words: list[str] = []
        self.styles: list[str] = []
        self._open: list[str] = []
        self._form: Form | None = None
        self._select: str | None = None
        self._first_option: str | None = None
        self._is_chosen = False
        self.feed(text)
        assert not self._open, f"elements are left open: {self._open}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        if tag not in VOID:
            self._open.append(tag)
        if attributes.get("id"):
            self.ids.append(str(attributes["id"]))
        if "style" in attributes:
            self.styles.append(str(attributes["style"]))
        for name in ("aria-describedby", "aria-labelledby"):
            self.described_by += (attributes.get(name) or "").split()
        self.links += [
            str(attributes[name]) for name in ("href", "src", "srcset") if attributes.get(name)
        ]
        if tag == "img":
            self.images.append(attributes)
        if tag == "label":
            self.labels_for.append(str(attributes.get("for")))
        self._read_form(tag, attributes)

    def _read_form(self, tag: str, attributes: dict[str, str | None]) -> None:
        if tag == "form":
            self._form = Form(
                attributes.get("method") or "get",
                attributes.get("action") or "",
                attributes.get("enctype") or "application/x-www-form-urlencoded",
            )
            self.forms.append(self._form)
        if self._form is not None and attributes.get("name"):
            self._add_field(tag, attributes)
        if tag == "option" and self._form is not None and self._select is not None:
            self._add_option(attributes)

    def _add_field(self, tag: str, attributes: dict[str, str | None]) -> None:
        assert self._form is not None
        name = str(attributes["name"])
        self._form.names.add(name)
        if tag == "select":
            self._select, self._first_option, self._is_chosen = name, None, False
        elif tag == "input" and attributes.get("type") in {"checkbox", "radio"}:
            if "checked" in attributes:
                self._form.fields.append((name, attributes.get("value") or "on"))
        elif tag == "input" and attributes.get("type") != "file":
            self._form.fields.append((name, attributes.get("value") or ""))

    def _add_option(self, attributes: dict[str, str | None]) -> None:
        assert self._form is not None
        assert self._select is not None
        value = attributes.get("value")
        if self._first_option is None:
            self._first_option = value or ""
        if "selected" in attributes:
            self._form.fields.append((self._select, value or ""))
            self._is_chosen = True

    def handle_endtag(self, tag: str) -> None:
        assert self._open, f"</{tag}> closes nothing"
        assert self._open[-1] == tag, f"</{tag}> closes <{self._open[-1]}>"
        self._open.pop()
        if tag == "form":
            self._form = None
        if tag == "select":
            if self._form is not None and self._select and not self._is_chosen:
                self._form.fields.append((self._select, self._first_option or ""))
            self._select = None

    # Elements whose end tag HTML allows to leave out are always closed in our templates.
    def handle_data(self, data: str) -> None:
        words = " ".join(data.split())
        if not words:
            return
        self.words.append(words)
        if self._open[-2:] == ["th", "a"] and "tbody" in self._open:
            self.row_names.append(words)
        heading = next((tag for tag in self._open if tag in {"h1", "h2", "h3"}), None)
        if heading is not None:
            self.headings.append((heading, words))

    @property
    def text(self) -> str:
        return " ".join(self.words)

    def form(self, action: str) -> Form:
        return next(form for form in self.forms if form.action.partition("?")[0] == action)

    def check(self) -> None:
        """Assert what every page must have."""
        assert len(self.ids) == len(set(self.ids)), "an id occurs twice"
        assert set(self.labels_for) <= set(self.ids)
        assert set(self.described_by) <= set(self.ids)
        assert [tag for tag, _ in self.headings].count("h1") == 1
        assert all(image.get("alt") for image in self.images)
        assert not self.styles, "the Content-Security-Policy blocks style attributes"
        for wrong in ("None", "nan", "{{", "}}"):
            assert wrong not in self.words
