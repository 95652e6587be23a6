"""Pages on which everybody may manage the data of customers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

from turbohtml import Element, Text

from pagegrade.model.document import Document
from pagegrade.parse.byte_search import ByteSearch
from pagegrade.parse.emails import find_emails, mask_email
from pagegrade.parse.html.exposed_secrets import PHONE
from pagegrade.parse.html.shared_accounts import signs_out
from pagegrade.parse.url import host

MIN_MANAGED: Final = 3
"""Rows, each of a person and with a link of its own that deletes or pays back, from which on it is one."""
_MAX_ROWS: Final = 2_000
_MAX_ROW: Final = 600
"""Characters of a row that are read."""
_MAX_LINKS: Final = 20
"""Links of a row that are looked at, and parts of it."""
_BOUND: Final = r"(?:[/?&=_.-]|$)"
_PAYING: Final = ("refund", "reembols", "reembolso", "rimborso", "erstatten", "remboursement", "payout", "chargeback")
_DELETING: Final = (
    *("delete", "destroy", "loeschen", "supprimer", "effacer", "eliminar", "borrar", "excluir", "apagar", "elimina"),
    *("verwijder", "verwijderen", "usun", "smazat", "vymazat", "udalit", "torles", "sil", "slett", "radera", "slet"),
    *("poista", "hapus", *_PAYING),
)
_PAYS, _DELETES = (
    re.compile(rf"[/?&=_.-](?:{'|'.join(words)}){_BOUND}", re.IGNORECASE) for words in (_PAYING, _DELETING)
)
_DELETING_SEARCH: Final = ByteSearch([word.encode() for word in _DELETING])
_TAKES_ALL: Final = re.compile(
    rf"[/?&=_.-](?:export|backup|dump|db|database){_BOUND}|\.(?:sql|sql\.gz|sql\.zip|dump|bak)$", re.IGNORECASE
)
_ID: Final = re.compile(r"\d{1,12}|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}")


def find_managed_people(document: Document) -> tuple[str, ...]:
    """The telephone numbers and addresses in rows that everybody may delete, masked; empty for few.

    ``MIN_MANAGED`` rows of a table or a list each hold one and a link on the same host that deletes or pays back by
    an id of its own; and the page has a link that pays back, one that takes all data along, or a control to sign out.
    Guest books and boards have links to delete, too, but none of these. Linear.
    """
    own = host(document.url)
    links = {one.href: one.url for one in document.anchors if one.href is not None and not one.hidden}
    # Nearly all pages end here, in one search: between two of its parts an address may have what is put between two.
    if not _may_delete("&".join(map(str.strip, links))):
        return ()
    addresses = [href.strip() for href, url in links.items() if url is not None and host(url) == own]
    deleting = frozenset(one for one in addresses if _deletes(one))
    body = document.body.node if document.body is not None else None
    if len(deleting) < MIN_MANAGED or not isinstance(body, Element):
        return ()
    if not (any(map(_PAYS.search, deleting)) or any(map(_TAKES_ALL.search, addresses)) or signs_out(document)):
        return ()
    found: dict[str, str] = {}
    for row in islice(body.select("tr, li"), _MAX_ROWS):
        targets = {_ID.findall(one)[-1] for one in _links(row) if one in deleting}
        person = _person(_text(row)) if len(targets) == 1 else ""
        if person:
            found.setdefault(targets.pop(), person)
    people = dict.fromkeys(found.values())
    if len(people) < MIN_MANAGED:
        return ()
    return tuple(mask_email(one) if "@" in one else f"…{one[-2:]}" for one in people)


def _may_delete(text: str) -> bool:
    if not text.isascii():
        return _DELETES.search(text) is not None
    places = _DELETING_SEARCH.places(text.lower().encode(), len(text) + 1)
    return any(_DELETES.match(text, at - 1) is not None for _, at in places if at)


def _deletes(address: str) -> bool:
    return _DELETES.search(address) is not None and _ID.search(address) is not None


def _links(row: Element) -> Iterator[str]:
    for link in islice(row.select("a[href]"), _MAX_LINKS):
        value = link.attrs.get("href")
        if isinstance(value, str):
            yield value.strip()


def _text(row: Element) -> str:
    """The text of a row, its cells apart."""
    parts = (one.text if isinstance(one, Element) else one.data for one in row if isinstance(one, Element | Text))
    return " ".join(str(part)[:_MAX_ROW] for part in islice(parts, _MAX_LINKS))[:_MAX_ROW]


def _person(text: str) -> str:
    """The telephone number or the e-mail address in a row; empty without any."""
    phone = PHONE.search(text)
    return phone[0] if phone is not None else next(iter(find_emails(text)), "")
