"""Every page with every status: headers, cookies, links, sizes. No browser needed."""

from __future__ import annotations

import itertools
import re
from base64 import b64encode
from collections.abc import Iterator
from hashlib import sha256
from typing import Final

import html5lib
import pytest

from pagegrade.checks import all_checks, all_site_checks
from pagegrade.parse import url as urls
from pagegrade.web.operations import Operation
from pagegrade.web.pages.account.single_sign_on import PATH as PROVIDER
from tests.browser.instance import Instance
from tests.browser.markup import name_of, problems
from tests.browser.recipes import FILES, Visit
from tests.browser.visits import all_visits, file_visits, form_visits, one_visit_each, page_operations, plain, visits_of
from tests.server import Reply

SECURITY: Final = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "geolocation=(), camera=(), microphone=(), browsing-topics=()",
    "X-Frame-Options": "DENY",
    "Strict-Transport-Security": "max-age=31536000; includeSubDomains",
}
NEVER: Final = ("Server", "X-Powered-By", "Access-Control-Allow-Origin", "Set-Cookie2")
POLICY: Final = {
    "default-src": {"'none'"},
    "script-src": {"'self'", "'none'"},
    "style-src": {"'self'"},
    "img-src": {"'self'", "data:"},
    "font-src": {"'self'"},
    "connect-src": {"'self'"},
    "form-action": {"'self'", "'none'"},
    "base-uri": {"'none'"},
    "frame-ancestors": {"'none'"},
    "object-src": {"'none'"},
    "require-trusted-types-for": {"'script'"},
    "trusted-types": {"'none'"},
}
"""Directive of a page -> what it may allow at most."""
NEEDED: Final = ("default-src", "script-src", "style-src", "form-action", "base-uri", "frame-ancestors")
MOST_BYTES: Final = 90_000
"""Of a page's HTML without its tables of evidence; each of nearly two hundred checks has its line there."""
_COOKIE: Final = re.compile(
    r"(?P<name>session|sign-on|unlock-[\w-]{8})=(?P<value>[\w.~-]*)"
    r"; Path=/; Max-Age=(?P<age>\d+); HttpOnly; SameSite=Lax"
)
LONGEST_S: Final = {"session": 60 * 86_400, "sign-on": 600, "unlock": 12 * 3_600}
_EVIDENCE: Final = re.compile(r"(<h3>[^<]*</h3>\s*)?<table[^>]*\bevidence\b.*?</table>", re.DOTALL)
_SHOWN_ELSEWHERE: Final = frozenset(
    {"Cross-Origin-Resource-Policy: cross-origin", "Cache-Control: public, max-age=300"}
)
_STYLE: Final = re.compile(rb"<style>(.*?)</style>", re.DOTALL)
EMBEDDED: Final = {"show-badge": _SHOWN_ELSEWHERE, "show-card": _SHOWN_ELSEWHERE}
"""Operation -> what it may do besides: pages elsewhere show these pictures, and services that pass images on keep
them."""


def wrong_headers(reply: Reply) -> list[str]:
    """Promises for every answer that this one breaks."""
    found = [f"{name}: {reply.header(name)}" for name, value in SECURITY.items() if reply.header(name) != value]
    found += [f"{name} is there" for name in NEVER if reply.header(name) is not None]
    kind = reply.header("Content-Type") or ""
    if reply.status != 304 and kind.startswith(("text/", "image/svg")) and "charset=utf-8" not in kind.lower():
        found += [f"Content-Type: {kind}"] if not kind.startswith("image/") else []
    found += wrong_policy(reply, page=is_page(reply))
    kept = reply.header("Cache-Control") or ""
    if "no-store" not in kept and "immutable" not in kept and "no-cache" not in kept:
        found.append(f"Cache-Control: {kept}")
    if is_page(reply) and "noindex" not in (reply.header("X-Robots-Tag") or ""):
        found.append(f"X-Robots-Tag: {reply.header('X-Robots-Tag')}")
    if is_page(reply) and "cookie" not in (reply.header("Vary") or "").lower():
        found.append(f"Vary: {reply.header('Vary')}")
    for name, value in reply.headers:
        if name.lower() == "set-cookie":
            found += wrong_cookie(value)
    if reply.status == 429 and not (reply.header("Retry-After") or "").isdigit():
        found.append("429 without Retry-After")
    return found


def wrong_policy(reply: Reply, *, page: bool) -> list[str]:
    """Faults of a Content-Security-Policy: it allows too much, or lacks something."""
    text = reply.header("Content-Security-Policy") or ""
    directives = {words[0]: set(words[1:]) for part in text.split(";") if (words := part.split())}
    if not page:
        missing = {"default-src", "sandbox", "frame-ancestors"} - directives.keys()
        return [f"Content-Security-Policy: {text}"] if missing else []
    found = [f"policy without {name}" for name in NEEDED if name not in directives]
    # The sheet of a look is inside the page: its hash allows this sheet alone.
    sheets = {f"'sha256-{b64encode(sha256(one).digest()).decode()}'" for one in _STYLE.findall(reply.body)}
    directives["style-src"] = directives.get("style-src", set()) - sheets
    found += [
        f"policy: {name} {' '.join(allowed)}"
        for name, allowed in directives.items()
        if allowed - POLICY.get(name, set())
    ]
    return found


def wrong_cookie(text: str) -> list[str]:
    """There are three kinds of cookies, scripts and other sites cannot use them, and they end."""
    found = _COOKIE.fullmatch(text)
    if found is None:
        return [f"Set-Cookie: {text}"]
    kind = "unlock" if found["name"].startswith("unlock-") else found["name"]
    return [f"Set-Cookie lasts {found['age']} s"] if int(found["age"]) > LONGEST_S[kind] else []


def wrong_page(reply: Reply) -> list[str]:
    """Promises for the HTML of every page that this one breaks."""
    text = reply.body.decode()
    size = len(_EVIDENCE.sub("", text).encode())
    large = [f"{size} bytes without evidence"] if size >= MOST_BYTES else []
    return large + problems(text)


def is_page(reply: Reply) -> bool:
    """Return whether a browser shows it as a page; a redirect or a file to keep is none."""
    is_file = (reply.header("Content-Disposition") or "").startswith("attachment")
    return bool(reply.body) and (reply.header("Content-Type") or "").startswith("text/html") and not is_file


IN_LANGUAGES: Final = [*((visit, "en") for visit in all_visits()), *((visit, "de") for visit in one_visit_each())]


def test_every_state_is_a_valid_page(instance: Instance, subtests: pytest.Subtests) -> None:
    """Valid and small HTML in its language, with all headers."""
    for visit, language in IN_LANGUAGES:
        with subtests.test(visit=visit.id, language=language):
            headers = {"Accept-Language": language}
            reply = instance.ask(
                instance.fill(visit.path), person=visit.person, form=instance.fields(visit.form), headers=headers
            )
            said = re.search(rb'<html lang="([\w-]+)" dir="(\w+)"', reply.body)

            assert reply.status == visit.status
            assert wrong_headers(reply) == []
            assert is_page(reply)
            assert wrong_page(reply) == []
            assert said is not None
            # Signed-in visitors read in the language of their account.
            assert (said[1].decode(), said[2].decode()) == (language if visit.person == "Charlie" else "en", "ltr")


def test_every_file_can_do_nothing(instance: Instance, subtests: pytest.Subtests) -> None:
    """Opened in a browser, it runs nothing and loads nothing."""
    for visit in file_visits():
        with subtests.test(visit=visit.id):
            reply = instance.ask(instance.fill(visit.path), person=visit.person)

            assert reply.status == visit.status
            assert not is_page(reply)
            assert set(wrong_headers(reply)) <= EMBEDDED.get(visit.operation, set())


def first_path(operation: Operation, instance: Instance) -> tuple[Visit, str]:
    """The first state of an operation, and its address."""
    visit = visits_of(operation)[0]
    return visit, instance.fill(visit.path)


OPERATIONS: Final = [operation for operation in page_operations() if plain(operation.path) not in FILES]
CLOSED: Final = [operation for operation in OPERATIONS if operation.access != "anyone"]


def test_who_has_not_signed_in_is_asked_to(instance: Instance, subtests: pytest.Subtests) -> None:
    """A page leads to the form and back; a form that was sent says so."""
    for operation in CLOSED:
        with subtests.test(operation=operation.name):
            visit, path = first_path(operation, instance)
            reply = instance.ask(
                path, form=instance.fields(visit.form) if operation.method != "GET" else None, method=operation.method
            )

            assert wrong_headers(reply) == []
            if operation.method == "GET":
                assert reply.status == 303
                assert reply.need("Location").startswith("/sign-in?next=%2F")
            else:
                assert reply.status == 401
                assert wrong_page(reply) == []


def test_what_is_not_theirs_is_not_there(instance: Instance, subtests: pytest.Subtests) -> None:
    """Bob gets the page about a report of Alice as if it had never been; pages of administrators likewise."""
    for operation in CLOSED:
        with subtests.test(operation=operation.name):
            visit, path = first_path(operation, instance)
            if "{" not in operation.path and operation.access != "admin":
                path = f"{path.rstrip('/')}/9999999999/nothing"
            reply = instance.ask(path, person="Bob", form=instance.fields(visit.form), method=operation.method)

            assert reply.status == 404
            assert wrong_headers(reply) == []
            assert wrong_page(reply) == []


def test_another_method_is_refused(instance: Instance, subtests: pytest.Subtests) -> None:
    """With a page that says so."""
    for operation in OPERATIONS:
        with subtests.test(operation=operation.name):
            visit, path = first_path(operation, instance)
            reply = instance.ask(path, person=visit.person, method="DELETE")

            assert reply.status == 405
            assert wrong_headers(reply) == []
            assert wrong_page(reply) == []


FORMS: Final = [operation for operation in OPERATIONS if operation.method == "POST"]
FOREIGN: Final[tuple[dict[str, str], ...]] = (
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
    {"Sec-Fetch-Site": "", "Origin": "https://outside.example"},
    {"Sec-Fetch-Site": "", "Origin": "null"},
)
"""Headers of a form that a page of another origin sends."""


def test_forms_of_others_are_not_heeded(instance: Instance, subtests: pytest.Subtests) -> None:
    """Before anything is looked at."""
    for operation, headers in itertools.product(FORMS, FOREIGN):
        with subtests.test(operation=operation.name, headers=headers):
            visit, path = first_path(operation, instance)
            reply = instance.ask(path, person=visit.person, form=instance.fields(visit.form) or {}, headers=headers)

            assert reply.status == 403
            assert b"elsewhere" in reply.body or b"another" in reply.body
            assert wrong_headers(reply) == []
            assert wrong_page(reply) == []


def links_of(reply: Reply) -> Iterator[str]:
    """The targets of a page's links, and the files that it loads."""
    document = html5lib.parse(reply.body.decode(), namespaceHTMLElements=True)
    for element in document.iter():
        name = name_of(element)
        target = element.get("href") or element.get("src")
        if target and not target.startswith("#") and name in {"a", "link", "script", "img"}:
            yield target
        if name == "form" and element.get("method") == "get" and element.get("action"):
            yield element.get("action")


SAMPLES: Final = 3
"""Links of one kind that are followed for each person: all that lead to a report are of one kind."""


def test_no_link_is_dead(instance: Instance) -> None:
    """Every address of ours that a page names answers 200 to each visitor who was shown it."""
    kinds: dict[tuple[str, str], set[str]] = {}
    for visit in all_visits():
        here = instance.fill(visit.path)
        for link in links_of(instance.ask(here, person=visit.person, form=instance.fields(visit.form))):
            url = urls.join_url(f"{instance.origin}{here}", link)
            if url is not None and url.startswith(f"{instance.origin}/"):
                path = url.removeprefix(instance.origin).partition("#")[0]
                kinds.setdefault((visit.person, kind_of(path)), set()).add(path)
    followed = {
        (person, path): follow(instance, path, person)
        for (person, _), paths in kinds.items()
        for path in sorted(paths)[:SAMPLES]
    }

    assert {where: status for where, status in followed.items() if status != answer_to(where[1])} == {}
    assert len(followed) > 30


def answer_to(path: str) -> int:
    """Status of an address that a page names; the provider of this world is not there."""
    return 503 if path.startswith(PROVIDER) else 200


def kind_of(path: str) -> str:
    """A path without the parts that distinguish one report, check or value of a filter from the next."""
    where, _, query = path.partition("?")
    where = re.sub(r"^/(checks|problems)/[\w-]+", r"/\1/*", re.sub(r"/[\w-]{22}(?=[/.]|$)", "/*", where))
    names = sorted({pair.partition("=")[0] for pair in query.split("&")})
    if re.match(r"/r/|/reports/[0-9]+", where):
        # States of a report page combine: one parameter stands for those that come with it. Share pages have the same
        # ones, and a client may open only so many of them a minute.
        names = [] if where.startswith("/r/") else names[:1]
    return f"{re.sub(r'[0-9]+', '0', where)}?{'&'.join(names)}"


def test_every_check_that_a_page_names_is_explained(instance: Instance) -> None:
    """The pages about checks are many; whether one is there is asked of the list of checks."""
    named = {
        link.removeprefix("/checks/").partition("#")[0]
        for visit in all_visits()
        for link in links_of(
            instance.ask(instance.fill(visit.path), person=visit.person, form=instance.fields(visit.form))
        )
        if link.startswith("/checks/")
    }

    assert named - set(all_checks()) - set(all_site_checks()) == set()
    assert len(named) > 50


def follow(instance: Instance, path: str, person: str) -> int:
    """The status at the end of at most three steps within our own pages."""
    reply = instance.ask(path, person=person)
    for _ in range(3):
        if reply.status not in {301, 302, 303, 307, 308}:
            break
        reply = instance.ask(reply.need("Location").removeprefix(instance.origin), person=person)
    return reply.status


def test_a_form_that_is_right_leads_on(instance: Instance, subtests: pytest.Subtests) -> None:
    """To a page of ours, which says what was done."""
    for visit in form_visits():
        with subtests.test(visit=visit.id):
            reply = instance.ask(instance.fill(visit.path), person=visit.person, form=instance.fields(visit.form))

            assert reply.status == 303
            assert wrong_headers(reply) == []
            assert re.match(r"/(?!/)", reply.need("Location")) is not None
