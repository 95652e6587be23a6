"""Signs that a page shows the account of somebody who is signed in."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator
from typing import Final
from urllib.parse import unquote

from pagegrade.model.document import Anchor, Document
from pagegrade.parse.emails import find_emails, find_mailto_emails, mask_email
from pagegrade.parse.page_links import path_and_query
from pagegrade.parse.source_text import texts_outside_code
from pagegrade.parse.url import host, registrable_domain

_MAX_TEXT: Final = 400_000
_MAX_WORDS: Final = 40
"""Characters of what a control to sign out says."""
_SIGN_OUT: Final = frozenset(
    (
        *("log out", "logout", "log off", "sign out", "signout", "sign off", "abmelden", "ausloggen", "déconnexion"),
        *("se déconnecter", "me déconnecter", "cerrar sesión", "tancar sessió", "saioa itxi", "pechar sesión"),
        *("terminar sessão", "sair", "sair da conta", "esci", "disconnetti", "uitloggen", "afmelden", "logga ut"),
        *("log ud", "log af", "logg ut", "logg av", "kirjaudu ulos", "skrá út", "útskrá", "logi välja", "iziet"),
        *("izrakstīties", "atsijungti", "wyloguj", "wyloguj się", "odhlásit", "odhlásit se", "odhlásiť", "odhlásiť sa"),
        *("kijelentkezés", "deconectare", "ieșire din cont", "odjava", "odjavi se", "odjavi me", "одјава", "одјави се"),  # noqa: RUF001
        *("изход", "излез", "выйти", "выход", "вийти", "вихід", "выйсці", "αποσύνδεση", "έξοδος", "çıkış", "çıkış yap"),  # noqa: RUF001
        *("oturumu kapat", "çıxış", "шығу", "გასვლა", "ելք", "تسجيل الخروج", "تسجيل خروج", "خروج", "התנתקות", "התנתק"),  # noqa: RUF001
        *("लॉग आउट", "लॉगआउट", "साइन आउट", "লগ আউট", "லாக் அவுட்", "ออกจากระบบ", "đăng xuất", "thoát", "keluar"),
        *(
            "log keluar",
            "ログアウト",
            "サインアウト",
            "로그아웃",
            "退出登录",
            "退出",
            "登出",
            "注销",
            "登出帳號",
            "allgofnodi",
        ),
    )
)
_OTHER_MEANINGS: Final = frozenset(
    (
        *("sign off", "abmelden", "afmelden", "odhlásit", "odhlásit se", "odhlásiť", "odhlásiť sa", "odjava"),
        *("odjavi se", "odjavi me", "одјава", "одјави се", "izrakstīties", "kijelentkezés", "注销"),  # noqa: RUF001
    )
)
"""Those of them that also mean to end a subscription, a registration or a stay, or to approve a work."""
_MIN_SEGMENT: Final = 5
"""Latin letters of a word for it that is a part of an address: shorter ones have other meanings, too."""
_MAX_SEGMENT: Final = 60
MIN_AREA: Final = 2
"""Links into the part of a site that has a way out of its own, and links out of that part."""
_SIGN_OUT_ADDRESS: Final = re.compile(r"(?:^|[/?&=_.-])(?:log|sign)[-_]?(?:out|off)(?:[/?&=_.-]|$)", re.IGNORECASE)
_SIGN_OFF: Final = re.compile(r"sign[-_]?off", re.IGNORECASE)
_SIGN_IN_ADDRESS: Final = re.compile(
    r"(?:^|[/?&=_.-])(?:(?:log|sign)[-_]?(?:in|on|up)|register|anmelden|connexion|iniciar-[a-z]{3,9}|inloggen|zaloguj)"
    r"(?:[/?&=_.-]|$)",
    re.IGNORECASE,
)
"""Pages that serve strangers and members alike have both controls, and show one."""
_PERSONAL_FIELDS: Final = frozenset(
    "name given-name family-name email tel tel-national street-address address-line1 postal-code bday".split()
)
MIN_FIELDS: Final = 2
"""Kinds of personal fields with values, by which a page is somebody's even without a control to sign out."""
_NUMBER: Final = re.compile(r"(?<![\w.+#/-])\+?\d[0-9 ()/.-]{7,20}(?<=\d)(?![\w-])")
_DATE: Final = re.compile(r"\b\d{1,4}[-./]\d\d?[-./]\d{1,4}\b")
_DAY: Final = re.compile(r"(?<![\w.-])(?:(?:19|20)\d\d([-./])\d\d?\1\d\d?|\d\d?([-./])\d\d?\2(?:19|20)\d\d)(?![\w-])")
_FIGURES: Final = re.compile(r"\d{1,4}")
MIN_DAYS: Final = 2
"""Days on which something happened in an account: a manual of how to sign out tells of none."""
_MIN_DIGITS: Final = 9
_LOCAL: Final = 8
"""Digits by which a telephone number is the same with and without the code of its country."""
_SAMPLES: Final = frozenset({"example.com", "example.net", "example.org"})


def find_account(document: Document) -> tuple[str, ...]:
    """The address and the number of the person whose account a page shows, masked; empty when it shows none.

    The page has a control to sign out and no link to sign in, or ``MIN_FIELDS`` personal fields that are filled in;
    and it shows an e-mail address of another site and a number of nine digits or more, neither of them a link. Linear.
    """
    fields = dict(_filled_in(document))
    if len(fields) < MIN_FIELDS and not signs_out(document):
        return ()
    text = "\n".join((document.text[:_MAX_TEXT], *fields.values()))
    addresses = [anchor.href or "" for anchor in document.anchors]
    written = {one.lower() for href in addresses if href[:7].lower() == "mailto:" for one in find_mailto_emails(href)}
    own = {registrable_domain(host(document.url)), *_SAMPLES}
    mail = next(
        (
            one
            for one in find_emails(text)
            if one.lower() not in written and registrable_domain(one.rpartition("@")[2].lower()) not in own
        ),
        "",
    )
    called = {_digits(href)[-_LOCAL:] for href in addresses if href[:4].lower() == "tel:"}
    numbers = (_digits(one) for one in _NUMBER.findall(_DATE.sub("x", text)))
    number = next((one for one in numbers if len(one) >= _MIN_DIGITS and one[-_LOCAL:] not in called), "")
    return (mask_email(mail), f"…{number[-3:]}") if mail and number else ()


def _filled_in(document: Document) -> Iterator[tuple[str, str]]:
    """(kind, value) of the personal fields that the page fills in."""
    for control in document.controls:
        kind = control.attrs.get("autocomplete", "").lower().split()[-1:]
        value = control.attrs.get("value", "").strip()
        if value and not control.hidden and kind and kind[0] in _PERSONAL_FIELDS:
            yield kind[0], value


def signs_out(document: Document) -> bool:
    """Return whether it has a link or a button to sign out, and no link to sign in."""
    if any(_SIGN_IN_ADDRESS.search(one.href or "") for one in document.anchors if not one.hidden):
        return False
    if next(_sign_outs(document), None) is not None:
        return True
    return any(_says_so(one.name) for one in document.named if not one.hidden and one.role in {"button", "link"})


def is_in_account(document: Document) -> bool:
    """Return whether the page lies in a folder with its way out: the account of the signed-in user.

    ``MIN_AREA`` other links lead into that folder, and as many out of it to the rest of the site; ``MIN_DAYS`` are
    named outside of code. The address of the way out says so: its text may be that of a page about signing out. Where
    its word also means to unsubscribe or to approve, the text has to be one that means to sign out alone, or the page
    has fields to change a password. Where it has them, a way out at the root of the site is one of the page and what
    lies below it: other pages for members, such as those of a forum, have that way out, too.
    """
    own, here = host(document.url), path_and_query(document.url)[0]
    below = f"{here.rstrip('/')}/"
    is_sure = _changes_password(document)
    ways = (
        path_and_query(one.url or "")[0].rstrip("/").rpartition("/")[0]
        for one in document.anchors
        if host(one.url or "") == own and not one.hidden and (_is_surely_way_out(one) or (is_sure and _is_way_out(one)))
    )
    # A folder is compared with a page that is its beginning, too.
    folders = {(f"{way}/" if way else below, not way) for way in ways if way or is_sure}
    folders = {(folder, at_root) for folder, at_root in folders if folder != "/" and below.startswith(folder)}
    if not folders or not _names_days(document):
        return False
    paths = {
        path_and_query(one.url or "")[0] for one in document.anchors if not one.hidden and host(one.url or "") == own
    } - {here}
    # The way out is one of those inside, or at the root one of those outside.
    inside = ((sum(path.startswith(folder) for path in paths), at_root) for folder, at_root in folders)
    return any(MIN_AREA + 1 - at_root <= number <= len(paths) - MIN_AREA - at_root for number, at_root in inside)


def _changes_password(document: Document) -> bool:
    """Return whether there are fields for the password that is valid and for a new one: only its owner has use for."""
    asked = {one.attrs.get("autocomplete", "").lower() for one in document.controls if one.type == "password"}
    return {"current-password", "new-password"} <= asked


def _names_days(document: Document) -> bool:
    """Return whether ``MIN_DAYS`` are named in figures outside of code; 14.10.2026 and 2026-10-14 are one."""
    found = (match[0] for _, text in texts_outside_code(document) for match in _DAY.finditer(text))
    days: set[tuple[int, ...]] = set()
    for one in found:
        days.add(tuple(sorted(map(int, _FIGURES.findall(one)))))
        if len(days) >= MIN_DAYS:
            return True
    return False


def _is_way_out(anchor: Anchor) -> bool:
    return _SIGN_OUT_ADDRESS.search(anchor.href or "") is not None or _leads_out(anchor, _SEGMENTS)


def _is_surely_way_out(anchor: Anchor) -> bool:
    """Return whether an address is that to sign out, by a word or with a text that means nothing else."""
    if not _is_way_out(anchor):
        return False
    if _says_so(text := anchor.name or anchor.text) and not _says_so(text, _OTHER_MEANINGS):
        return True
    is_plain = _SIGN_OUT_ADDRESS.search(_SIGN_OFF.sub("", anchor.href or "")) is not None
    return is_plain or _leads_out(anchor, _CLEAR_SEGMENTS)


def _sign_outs(document: Document) -> Iterator[Anchor]:
    """The links to sign out, by their address or by what they say."""
    return (one for one in document.anchors if not one.hidden and (_is_way_out(one) or _says_so(one.name or one.text)))


def _says_so(text: str, words: Collection[str] = _SIGN_OUT) -> bool:
    return len(text) <= _MAX_WORDS and text.casefold().strip(" ›»→.!") in words


def _leads_out(anchor: Anchor, words: Collection[str]) -> bool:
    """Return whether the last part of an address is one of the words, without its accents."""
    last = (anchor.href or "").rstrip("/").rpartition("/")[2]
    # Most addresses end in a section, a file or several words, which is quick to see.
    is_word = last.isalpha() or last.startswith("%")
    return is_word and len(last) <= _MAX_SEGMENT and _plain(unquote(last)) in words


def _plain(text: str) -> str:
    """Small letters without accents, and nothing else."""
    return "".join(filter(str.isalpha, unicodedata.normalize("NFKD", text.casefold()))).replace("ı", "i")  # noqa: RUF001


_SEGMENTS: Final = frozenset(word for word in map(_plain, _SIGN_OUT) if len(word) >= _MIN_SEGMENT or not word.isascii())
_CLEAR_SEGMENTS: Final = _SEGMENTS.difference(map(_plain, _OTHER_MEANINGS))


def _digits(text: str) -> str:
    return "".join(filter(str.isdecimal, text))
