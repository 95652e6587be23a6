"""Finds the sample data of a template where a page says how its owner is reached."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice, pairwise
from typing import Final

from turbohtml import Element, Text

from pagegrade.model.document import Document, Node
from pagegrade.parse.emails import find_emails, find_mailto_emails
from pagegrade.parse.url import host, registrable_domain

MIN_KINDS: Final = 3
"""Kinds of sample data: a mail address, a telephone number, another number, a name or place."""
_MAX_LINKS: Final = 2_000
_MAX_BLOCKS: Final = 10
_SCHEMES: Final = frozenset({"mail", "tel:"})
_MAX_TEXTS: Final = 400
_MAX_TEXT: Final = 2_000
_BLOCKS: Final = "address, footer, [itemtype$=PostalAddress]"
_AROUND: Final = "article footer, blockquote, figure, code, pre, samp, template, dialog, article address"
"""Places in which someone else is named, or something is shown."""
_DOMAIN: Final = re.compile(
    r"(?:your|ihre?|deine?|votre|tu|su|tuo|seu|uw|jouw|twoja|vase|din|ditt)-?"  # typos: allow
    r"(?:domaine?|domein|domena|dominio|company|empresa|firma|site|website)"
    r"|muster-?(?:firma|mann|frau|domain)|example|exemple|ejemplo|beispiel-?(?:firma|domain)?"  # typos: allow
)
"""The name of a domain that says that another one belongs there."""
_OF_DEMO: Final = re.compile(r"(?:^|[/.-])(?:demo|preview|theme|template)s?(?=[/.\d-]|$)", re.IGNORECASE)
"""In the address of a page that shows a template on purpose, in English in sites of all languages."""
_PHONE: Final = re.compile(r"(?<![\w.,])\+?\(?\d[\d ()/.\u2013-]{5,20}\d(?!\w)")
MIN_RUN: Final = 6
"""Digits of which each is one more than the one before, or all are 0."""
MAX_BESIDE: Final = 4
"""Digits before or after them, such as those of a country."""
_NUMBER: Final = re.compile(r"(?<![\w.,-])(?:[A-Z]{2} ?(?:123456789\d{0,3}|0{8,12})|12345|0{5,12})(?![\w.,-]*\w)")
"""A postal code, or a number in a register, that counts or is none."""
_NAME: Final = re.compile(
    r"Muster(?:mann|frau|stra(?:ß|ss)e|stadt|firma|hausen)|John Doe|Jane Doe|[Yy]our Company|"
    r"Ihr Firmenname|Jean Dupont|"  # typos: allow
    r"Mario Rossi|Jan Kowalski|Juan Pérez|Fulano de Tal|Ola Nordmann|"
    r"Иван Иванов|Іван Іваненко|山田 ?太郎|홍길동|张三|張三"
)
"""Names that the templates of a country hold."""


def find_sample_contact(document: Document) -> tuple[tuple[Node, str], ...]:
    """(element, sample) of a page whose addresses, footers and links all say how to reach nobody; else empty. Linear.

    All links to mail addresses and telephones lead to samples, and the page's addresses and footers have ``MIN_KINDS``
    kinds of them. In examples, articles and quotations they are none, nor where the address is that of a demonstration.
    """
    if _OF_DEMO.search(document.url[:_MAX_TEXT].partition("://")[2]) is not None:
        return ()
    own = registrable_domain(host(document.url))
    shown: dict[str, tuple[Node, str]] = {}
    for anchor in document.anchors[:_MAX_LINKS]:
        href = (anchor.href or "").strip()
        if href[:4].lower() not in _SCHEMES:
            continue
        for value, kind in _targets(href):
            if not (_is_sample_mail(value, own) if kind == "mail" else _counts(value)):
                return ()
            shown.setdefault(kind, (anchor.node, value))
    body = document.body
    if not shown or body is None or not isinstance(body.node, Element):
        return ()
    shown.clear()
    # Manuals, shops for cards and contracts show samples in the main part of their pages, but not of their front page.
    is_front = not document.url.partition("://")[2].partition("/")[2]
    around = _AROUND if is_front else f"main, {_AROUND}"
    for block in islice(body.node.select(_BLOCKS), _MAX_BLOCKS):
        if block.closest(around) is None:
            for text in islice(_texts(block), _MAX_TEXTS):
                for kind, value in _samples(text[:_MAX_TEXT], own):
                    shown.setdefault(kind, (block, value))
    # Names and numbers like those of samples belong to real firms, too; a domain called "yours" does not.
    return tuple(shown.values()) if len(shown) >= MIN_KINDS and "mail" in shown else ()


def _targets(href: str) -> Iterator[tuple[str, str]]:
    """(value, kind) of what a link leads to."""
    if href[:4].lower() == "tel:":
        yield href[4:100], "phone"
    for mail in find_mailto_emails(href):
        yield mail, "mail"


def _samples(text: str, own: str) -> Iterator[tuple[str, str]]:
    """(kind, sample) of a text."""
    yield from (("mail", one) for one in find_emails(text) if _is_sample_mail(one, own))
    yield from (("phone", one[0]) for one in _PHONE.finditer(text) if _counts(one[0]))
    number = _NUMBER.search(_PHONE.sub(" ", text))
    if number is not None:
        yield "number", number[0]
    name = _NAME.search(text)
    if name is not None:
        yield "name", name[0]


def _is_sample_mail(mail: str, own: str) -> bool:
    domain = registrable_domain(mail.rpartition("@")[2].lower())
    name, _, end = domain.partition(".")
    return domain != own and (end == "tld" or _DOMAIN.fullmatch(name) is not None)


def _counts(number: str) -> bool:
    """Return whether nearly all digits of a telephone number are 1, 2, 3 and so on, or 0."""
    if "555" in number:  # kept free for stories
        return False
    digits = [int(one) for one in number if one.isascii() and one.isdigit()]
    if digits and digits[-MIN_RUN:] == [0] * MIN_RUN:
        return True
    longest = run = 1
    for before, after in pairwise(digits):
        run = run + 1 if after == (before + 1) % 10 else 1
        longest = max(longest, run)
    return longest >= MIN_RUN and len(digits) - longest <= MAX_BESIDE


def _texts(block: Element) -> Iterator[str]:
    stack: list[Iterator[object]] = [iter(block)]
    while stack:
        child = next(stack[-1], None)
        if child is None:
            stack.pop()
        elif isinstance(child, Text):
            yield child.data
        elif isinstance(child, Element) and child.tag not in {"script", "style", "template", "code", "pre"}:
            stack.append(iter(child))
