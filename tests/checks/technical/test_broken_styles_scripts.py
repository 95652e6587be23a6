from __future__ import annotations

import base64
import hashlib

import pytest

from pagegrade.checks.technical.broken_styles_scripts import broken_styles_scripts
from pagegrade.model.artifacts import NotGathered, Resource
from pagegrade.model.outcome import NotApplicable
from tests.builders import make_artifacts, make_resource, make_resources, make_response, outcome, run

SHEETS = "<link rel=stylesheet href=/a.css><link rel=stylesheet href=/b.css>"
SCRIPTS = "<script src=/a.js></script><script src=/b.js></script>"


def resource(path: str, status: int = 200) -> Resource:
    """An own file that answered with ``status``."""
    kind = "stylesheet" if path.endswith("css") else "script"
    return make_resource(f"https://example.com{path}", kind=kind, status=status)


@pytest.mark.parametrize(
    ("html", "missing", "state"),
    [
        (SHEETS + SCRIPTS, [], "whole"),
        (SHEETS + SCRIPTS, ["/a.css"], "some"),
        (SHEETS + SCRIPTS, ["/a.js", "/b.js"], "some"),
        (SHEETS + SCRIPTS, ["/a.css", "/b.css"], "most"),
        (SHEETS + SCRIPTS, ["/a.css", "/a.js", "/b.js"], "most"),
        (SHEETS + "<style>" + "p{color:red}" * 200 + "</style>", ["/a.css", "/b.css"], "some"),
        (SHEETS + "<link rel=stylesheet href=https://cdn.libs.example/bootstrap.css>", ["/a.css", "/b.css"], "some"),
    ],
)
def test_lost_files(html: str, missing: list[str], state: str) -> None:
    """All styles, or half of all files, are the page; less is not."""
    files = [resource(path, 404 if path in missing else 200) for path in ("/a.css", "/b.css", "/a.js", "/b.js")]
    found = outcome(broken_styles_scripts, make_artifacts(f"<title>x</title>{html}", resources=make_resources(*files)))

    assert found.state == state
    assert found.state == "whole" or found.total == len(missing)


def test_plain_http_on_an_https_page_is_lost_without_asking() -> None:
    """Browsers block it; a policy that upgrades it saves it, and a page over HTTP may load it."""
    html = SHEETS.replace("href=/", "href=http://example.com/")
    policy = (("Content-Type", "text/html"), ("Content-Security-Policy", "upgrade-insecure-requests"))

    assert outcome(broken_styles_scripts, html).state == "most"
    assert outcome(broken_styles_scripts, html, headers=policy).state == "whole"
    assert outcome(broken_styles_scripts, html, url="http://example.com/").state == "whole"


@pytest.mark.parametrize(
    ("note", "truncated", "state"),
    [
        ("plain_body", "coding", "most"),
        ("corrupt", "coding", "most"),
        ("unknown_coding", "coding", "most"),
        ("no_coding", None, "whole"),
        ("truncated_stream", "coding", "whole"),
    ],
)
def test_files_that_are_not_coded_as_declared_are_lost(note: str, truncated: str | None, state: str) -> None:
    """Browsers refuse them; what is declared and no coding, or ends early, they use."""
    headers = [("Content-Type", "text/css"), ("Content-Encoding", "br")]
    files = [
        make_resource(
            f"https://example.com{path}",
            kind="stylesheet",
            response=make_response(headers=headers, notes=(note,), truncated=truncated),
        )
        for path in ("/a.css", "/b.css")
    ]
    found = outcome(broken_styles_scripts, SHEETS, resources=make_resources(*files))

    assert found.state == state


def test_html_in_the_place_of_a_stylesheet_is_lost() -> None:
    """The start page for every address, as single-page applications answer."""
    answer = make_response(url="https://example.com/a.css", headers=(("Content-Type", "text/html; charset=utf-8"),))
    files = make_resources(make_resource("https://example.com/a.css", kind="stylesheet", response=answer))

    assert (
        outcome(broken_styles_scripts, make_artifacts("<link rel=stylesheet href=/a.css>", resources=files)).state
        == "most"
    )


@pytest.mark.parametrize(
    "failure",
    [NotGathered(code="timeout"), NotGathered(code="connect"), NotGathered(code="dns", reason="dns_servfail")],
)
def test_what_may_be_our_own_fault_is_not_lost(failure: NotGathered) -> None:
    """Only an answer, or a name that does not exist, says that a file is missing."""
    lost = Resource(
        url="https://example.com/a.css", kinds=("stylesheet",), initiator_url="https://example.com/", failure=failure
    )

    assert outcome(broken_styles_scripts, make_artifacts(SHEETS, resources=make_resources(lost))).state == "whole"


def test_files_of_others_are_left_to_other_checks() -> None:
    """A missing widget does not take the design."""
    html = "<link rel=stylesheet href=https://widget.example/w.css>"

    assert isinstance(run(broken_styles_scripts, html), NotApplicable)


@pytest.mark.parametrize("base", ["http://localhost:3000/", "http://192.168.0.7/", "http://shop.local/"])
def test_files_inside_of_one_network_are_lost(base: str) -> None:
    """A page that lies there itself loads them."""
    html = f"<base href={base}><link rel=stylesheet href=a.css><script src=a.js></script><p>Honig"

    assert outcome(broken_styles_scripts, html).state == "most"
    assert outcome(broken_styles_scripts, html, url=base).state == "whole"


def answered(path: str, *headers: tuple[str, str], digest: str = "") -> Resource:
    """A file of the site that arrived, with these headers."""
    url = f"https://example.com{path}"
    kind = "stylesheet" if path.endswith("css") else "script"
    response = make_response("p{}", url=url, headers=headers, wire_bytes=3)
    return make_resource(url, kind=kind, response=response, decoded_bytes=3, digest=digest)


NOSNIFF = ("X-Content-Type-Options", "nosniff")


@pytest.mark.parametrize(
    ("html", "headers", "state"),
    [
        ("<link rel=stylesheet href=/a.css>", [("Content-Type", "text/css")], "whole"),
        ("<link rel=stylesheet href=/a.css>", [("Content-Type", "text/plain")], "most"),
        ("<link rel=stylesheet href=/a.css>", [], "whole"),
        ("<link rel=stylesheet href=/a.css>", [NOSNIFF], "most"),
        ("<script src=/a.js></script>", [("Content-Type", "text/plain")], "whole"),
        ("<script src=/a.js></script>", [("Content-Type", "text/plain"), NOSNIFF], "some"),
        ("<script type=module src=/a.js></script>", [("Content-Type", "text/plain")], "some"),
        ("<script type=module src=/a.js></script>", [("Content-Type", "text/javascript"), NOSNIFF], "whole"),
    ],
)
def test_files_whose_type_browsers_refuse_are_lost(html: str, headers: list[tuple[str, str]], state: str) -> None:
    """As they decide it: styles and modules strictly, classic scripts only where the server asks for it."""
    file = answered("/a.css" if "css" in html else "/a.js", *headers)
    page = f"<!doctype html><title>x</title>{html}"

    assert outcome(broken_styles_scripts, page, resources=make_resources(file)).state == state


@pytest.mark.parametrize(("body", "state"), [(b"p{}", "whole"), (b"p{color:red}", "most")])
def test_a_file_with_another_hash_than_its_integrity_is_lost(body: bytes, state: str) -> None:
    """It was changed after the page was built, and browsers refuse it."""
    written = base64.b64encode(hashlib.sha256(body).digest()).decode()
    page = f"<!doctype html><title>x</title><link rel=stylesheet href=/a.css integrity='sha256-{written}'>"
    file = answered("/a.css", ("Content-Type", "text/css"), digest=hashlib.sha256(b"p{}").hexdigest()[:32])

    assert outcome(broken_styles_scripts, page, resources=make_resources(file)).state == state
