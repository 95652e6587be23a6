"""A strict reader of our own HTML: the parser's errors, what stands where, references, labels and headings."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Final
from xml.etree.ElementTree import Element

import html5lib
from html5lib.constants import E as ERRORS

from tests.browser.content_models import (
    ATTRIBUTES,
    CLOSED,
    FIRST,
    GLOBAL,
    INPUT_TYPES,
    INTERACTIVE,
    ONLY_CHILDREN,
    ONLY_PHRASING,
    PHRASING,
    REFERENCES,
    SECTIONS,
    SVG,
)

_HTML: Final = "{http://www.w3.org/1999/xhtml}"
_SVG: Final = "{http://www.w3.org/2000/svg}"
_LANGUAGE: Final = re.compile(r"[a-z]{2,3}(-[A-Za-z]{4})?(-([A-Z]{2}|\d{3}))?")
_HEADING: Final = re.compile(r"h[1-6]")


def problems(html: str) -> list[str]:
    """All that a strict validator would say about a whole document, one line each."""
    parser = html5lib.HTMLParser(namespaceHTMLElements=True)
    document = parser.parse(html)
    found = [
        f"line {line}: {ERRORS.get(code, code) % details if details else ERRORS.get(code, code)}"
        for (line, _), code, details in parser.errors
    ]
    found += list(_evaluate(document, ()))
    found += list(_document(document))
    found += list(_references(document))
    found += list(_controls(document))
    found += list(_headings(document))
    return found


def name_of(element: Element) -> str:
    """The tag without its namespace; of SVG with ``svg:`` before it."""
    tag: object = element.tag  # of a comment it is a function
    return (tag if isinstance(tag, str) else "").removeprefix(_HTML).replace(_SVG, "svg:")


def text_of(element: Element) -> str:
    """All text inside, white space made one blank."""
    return " ".join("".join(element.itertext()).split())


def _path(parents: tuple[str, ...], element: Element) -> str:
    mark = f"#{element.get('id')}" if element.get("id") else ""
    return " > ".join([*parents[-3:], f"{name_of(element)}{mark}"])


def _evaluate(element: Element, parents: tuple[str, ...]) -> Iterator[str]:
    """The faults of an element, of its place, and of all inside it."""
    name = name_of(element)
    if not name:
        return
    where = _path(parents, element)
    if name.startswith("svg:"):
        if name.removeprefix("svg:") not in SVG:
            yield f"{where}: not a shape of ours"
        yield from (f"{where}: attribute {each}" for each in element.attrib if each == "style" or each.startswith("on"))
    elif name not in ATTRIBUTES:
        yield f"{where}: no element of ours"
    else:
        yield from _attributes(element, name, where)
        yield from _place(element, name, parents, where)
    for child in element:
        yield from _evaluate(child, (*parents, name))


def _attributes(element: Element, name: str, where: str) -> Iterator[str]:
    for each, value in element.attrib.items():
        if each not in GLOBAL | ATTRIBUTES[name] and not each.startswith(("aria-", "data-")):
            yield f"{where}: attribute {each}"
        if each == "id" and (not value or value.split() != [value]):
            yield f"{where}: id {value!r}"
        if each == "lang" and value and not _LANGUAGE.fullmatch(value):
            yield f"{where}: lang {value!r}"
        if each == "dir" and value not in {"ltr", "rtl", "auto"}:
            yield f"{where}: dir {value!r}"
        if each == "tabindex" and value not in {"0", "-1"}:
            yield f"{where}: tabindex {value!r} changes the order"
    if name == "a" and element.get("href") is None:
        yield f"{where}: a link without an address"
    if name == "img" and element.get("alt") is None:
        yield f"{where}: an image without alt"
    if name == "input" and element.get("type", "text") not in INPUT_TYPES:
        yield f"{where}: type {element.get('type')!r}"
    if name == "script" and element.get("src") is None:
        yield f"{where}: a script that the policy refuses"
    if name == "form" and (element.get("method") not in {"get", "post"} or element.get("action") == ""):
        yield f"{where}: method {element.get('method')!r}, action {element.get('action')!r}"
    if name == "th" and element.get("scope") not in {"row", "col", "rowgroup", "colgroup"}:
        yield f"{where}: a header without scope"


def _place(element: Element, name: str, parents: tuple[str, ...], where: str) -> Iterator[str]:
    parent = next((each for each in reversed(parents) if each not in {"a", "ins", "del"}), "")
    direct = parents[-1] if parents else ""
    if direct in ONLY_CHILDREN and name not in ONLY_CHILDREN[direct]:
        yield f"{where}: not in {direct}"
    if (parent in ONLY_PHRASING or (parent == "summary" and not _HEADING.fullmatch(name))) and name not in PHRASING:
        yield f"{where}: not in {parent}"
    if name in FIRST and direct != FIRST[name]:
        yield f"{where}: belongs into {FIRST[name]}"
    for owner, first in ((owner, first) for first, owner in FIRST.items()):
        children = [name_of(child) for child in element]
        if name == owner and first in children[1:]:
            yield f"{where}: {first} must come first"
        if name == owner == "details" and children[:1] != [first]:
            yield f"{where}: details without a summary"
    if name in INTERACTIVE and not (name == "input" and element.get("type") == "hidden"):
        holders = [each for each in parents if each in CLOSED]
        if holders:
            yield f"{where}: interactive inside {holders[-1]}"
        if name not in {"label", "a"} and parents.count("label") > 1:
            yield f"{where}: labels in labels"
    if name in SECTIONS and {"th", "dt", "header" if name == "header" else "", "address"} & set(parents):
        yield f"{where}: a section or heading where only plain flow may be"
    if name == "form" and "form" in parents:
        yield f"{where}: a form in a form"
    if name == "main" and set(parents) & {"article", "aside", "header", "footer", "nav", "section"}:
        yield f"{where}: main inside a section"


def _document(document: Element) -> Iterator[str]:
    """The elements that every page has exactly once."""
    if not document.get("lang") or document.get("dir") not in {"ltr", "rtl"}:
        yield f"html: lang {document.get('lang')!r}, dir {document.get('dir')!r}"
    for name in ("title", "main", "h1"):
        count = sum(1 for _ in document.iter(f"{_HTML}{name}"))
        if count != 1:
            yield f"{count} {name}"
    for title in document.iter(f"{_HTML}title"):
        if len(text_of(title)) < 3:
            yield f"title {text_of(title)!r}"
    metas = {meta.get("name") or next(iter(meta.attrib), ""): meta for meta in document.iter(f"{_HTML}meta")}
    for name in ("charset", "viewport", "description", "color-scheme"):
        if name not in metas:
            yield f"no meta {name}"
    if "description" in metas and len((metas["description"].get("content") or "").strip()) < 10:
        yield f"description {metas['description'].get('content')!r}"


def _references(document: Element) -> Iterator[str]:
    """Ids are unique, and what refers to one finds it."""
    ids = Counter(each for element in document.iter() if (each := element.get("id")) is not None)
    yield from (f"id {each!r} {count} times" for each, count in ids.items() if count > 1)
    for element in document.iter():
        for name in REFERENCES:
            for wanted in (element.get(name) or "").split():
                if wanted not in ids:
                    yield f"{name_of(element)}: {name}={wanted!r} leads nowhere"
        href = element.get("href") or ""
        if href.startswith("#") and href != "#top" and href[1:] not in ids:
            yield f"{name_of(element)}: href={href!r} leads nowhere"


def _controls(document: Element) -> Iterator[str]:
    """Every control has a name that people can see or hear."""
    labels = {label.get("for"): text_of(label) for label in document.iter(f"{_HTML}label") if label.get("for")}
    wrapped = {
        child
        for label in document.iter(f"{_HTML}label")
        if not label.get("for") and text_of(label)
        for child in label.iter()
    }
    for name in ("input", "select", "textarea"):
        for control in document.iter(f"{_HTML}{name}"):
            if control.get("type") in {"hidden", "submit"}:
                continue
            named = labels.get(control.get("id")) or control.get("aria-label") or control.get("aria-labelledby")
            if not named and control not in wrapped:
                yield f"{name} {control.get('name')!r} without a label"
    for name in ("button", "a", "summary", "legend", "label", "th", "h1", "h2", "h3", "h4"):
        for element in document.iter(f"{_HTML}{name}"):
            spoken = text_of(element) or element.get("aria-label") or element.get("aria-labelledby")
            if not spoken and not any(each.get("alt") or each.get("aria-label") for each in element.iter()):
                yield f"{name} {dict(element.attrib)} says nothing"


def _headings(document: Element) -> Iterator[str]:
    """No level is skipped; the summary of what is wrong with a form may stand above the heading of the page."""
    level = 1
    for element in document.iter():
        name = name_of(element)
        if _HEADING.fullmatch(name):
            if int(name[1]) > level + 1:
                yield f"{name} {text_of(element)[:40]!r} follows h{level}"
            level = int(name[1])
