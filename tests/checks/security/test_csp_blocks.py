from __future__ import annotations

import base64
import hashlib

import pytest

from pagegrade.checks.security.csp_blocks import MIN_DATA_CHARS, MIN_INLINE_CHARS, csp_blocks
from pagegrade.model.outcome import NotApplicable
from tests.builders import make_artifacts, outcome, run

PAGE = (
    "<!doctype html><title>Shop</title><link rel=stylesheet href=/s.css><script src=/a.js></script>"
    "<img src=/i.png alt=x><img src=/j.png alt=x><form action=/buy method=post></form>"
)


def state(policy: str, page: str = PAGE) -> str:
    """The state of a page under a policy."""
    headers = (("Content-Type", "text/html"), ("Content-Security-Policy", policy))
    return outcome(csp_blocks, make_artifacts(page, headers=headers)).state


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        ("default-src 'self'", "allowed"),
        ("default-src *", "allowed"),
        ("default-src https:", "allowed"),
        ("default-src example.com", "allowed"),
        ("default-src https://example.com:443", "allowed"),
        ("script-src 'self' https://cdn.example", "allowed"),
        ("frame-ancestors 'none'", "allowed"),
        ("default-src 'none'", "most"),
        ("default-src self", "most"),
        ("default-src https://other.example", "most"),
        ("default-src 'self'; style-src https://cdn.example", "most"),
        ("default-src 'self'; img-src https://cdn.example", "some"),
        ("default-src 'self'; script-src 'nonce-abc' 'strict-dynamic'", "some"),
        ("default-src 'self'; form-action https://pay.example", "some"),
        ("default-src 'self'; img-src 'self', img-src 'none'", "some"),
        ("default-src https://example.com/s.css https://example.com/a.js; img-src 'self'", "allowed"),
        ("default-src https://example.com/files/; img-src 'self'", "most"),
    ],
)
def test_what_browsers_do_not_load(policy: str, expected: str) -> None:
    """By source, path, keyword, nonce and every policy at once."""
    assert state(policy) == expected


def test_inline_code_needs_a_nonce_or_its_hash() -> None:
    """Or a policy that allows all of it."""
    page = "<script>go()</script><style>p{color:red}</style>"
    digest = base64.b64encode(hashlib.sha256(b"go()").digest()).decode()

    assert state("default-src 'self'", page) == "some"
    assert state("default-src 'self' 'unsafe-inline'", page) == "allowed"
    assert state(f"script-src 'sha256-{digest}'", page) == "allowed"
    assert state("script-src 'nonce-abc'", page.replace("<script", "<script nonce=abc")) == "allowed"
    assert state("script-src 'nonce-abc'", page.replace("<script", "<script nonce=abd")) == "some"


def test_without_a_policy_or_content_nothing_is_evaluated() -> None:
    """A policy that only reports blocks nothing; files of others are kept out on purpose."""
    headers = (("Content-Security-Policy-Report-Only", "default-src 'none'"),)

    assert isinstance(run(csp_blocks, make_artifacts(PAGE, headers=headers)), NotApplicable)
    assert isinstance(run(csp_blocks, PAGE), NotApplicable)
    assert state("default-src 'self'", PAGE + "<img src=https://ads.other.example/x.png alt=x>") == "allowed"


@pytest.mark.parametrize(
    ("chars", "sheet", "expected"),
    [
        (MIN_INLINE_CHARS, "", "most"),
        (MIN_INLINE_CHARS - 1, "", "some"),
        (MIN_INLINE_CHARS, "<link rel=stylesheet href=https://cdn.example/a.css>", "some"),
        (MIN_INLINE_CHARS, "<link rel=stylesheet href=https://other.example/a.css>", "most"),
    ],
)
def test_a_page_that_loses_all_its_styles_is_broken(chars: int, sheet: str, expected: str) -> None:
    """Inline ones count as well, unless they are few, or a sheet from elsewhere is allowed."""
    page = f"<!doctype html><title>Shop</title>{sheet}<style>{'p{color:#123}'.ljust(chars)}</style><p>Chairs"

    assert state("default-src 'self'; style-src https://cdn.example", page) == expected


@pytest.mark.parametrize(
    "link",
    [
        "<link rel=stylesheet href=/s.css media=print onload=\"this.media='all'\">",
        "<link rel=preload as=style href=/s.css onload=\"this.rel='stylesheet'\">",
    ],
)
def test_stylesheet_that_waits_for_code_in_an_attribute(link: str) -> None:
    """The page has no styles if the code is not run; another sheet gives it some."""
    page = f"<!doctype html><title>Shop</title>{link}<script src=/a.js></script><img src=/a.png alt=a><h1>Shop</h1>"
    other = page.replace("<h1>", "<link rel=stylesheet href=/b.css><h1>")

    assert state("default-src 'self'", page) == "most"
    assert state("default-src 'self'; script-src 'self' 'unsafe-inline'", page) == "allowed"
    assert state("style-src 'self'", page) == "allowed"
    assert state("default-src 'self'", other) == "some"


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        ("sandbox", "most"),
        ("sandbox allow-scripts", "some"),
        ("sandbox allow-forms", "some"),
        ("sandbox ALLOW-scripts allow-forms", "allowed"),
    ],
)
def test_sandbox_without_scripts_or_forms(policy: str, expected: str) -> None:
    """Scripts and forms that it does not allow do not work, for any visitor."""
    page = (
        "<!doctype html><title>Shop</title><link rel=stylesheet href=/s.css><script src=/a.js></script>"
        "<img src=/a.png alt=a><form action=/order><button>Go</button></form>"
    )

    assert state(policy, page) == expected


@pytest.mark.parametrize(
    ("policy", "markup", "expected"),
    [
        ("frame-src 'none'", "<iframe src=/map.html title=x></iframe>", "most"),
        ("default-src 'none'; img-src 'self'", "<video src=/tour.mp4 controls></video>", "most"),
        ("object-src 'none'", "<object data=/plan.pdf type=application/pdf></object>", "most"),
        ("default-src 'self'", "<iframe src=/map.html title=x></iframe><audio src=/a.mp3 controls></audio>", "allowed"),
        ("default-src 'self' 'strict-dynamic'", "<img src=/i.png alt=x>", "allowed"),
        ("default-src 'self' 'strict-dynamic'", "<script src=/a.js></script>", "most"),
        ("default-src 'unsafe-inline' 'strict-dynamic'", "<style>p{color:red}</style>", "allowed"),
    ],
)
def test_every_kind_of_file_has_its_directive(policy: str, markup: str, expected: str) -> None:
    """And 'strict-dynamic' changes the list for scripts only."""
    assert state(policy, markup) == expected


@pytest.mark.parametrize(
    ("policy", "markup", "expected"),
    [
        ("img-src https:", "<img src=http://example.com/i.png alt=x>", "allowed"),
        ("img-src 'self'; upgrade-insecure-requests", "<img src=http://example.com/i.png alt=x>", "allowed"),
        ("script-src 'self'; upgrade-insecure-requests", "<script src=http://example.com/a.js></script>", "allowed"),
        ("script-src 'self'", "<script src=http://example.com/a.js></script>", "most"),
        ("form-action 'self'; upgrade-insecure-requests", "<form action=http://example.com/buy></form>", "allowed"),
        ("form-action 'self'", "<form action=http://example.com/buy></form>", "most"),
    ],
)
def test_urls_are_compared_as_browsers_request_them(policy: str, markup: str, expected: str) -> None:
    """Images and media of pages over https, and everything under the directive for it, are asked for over https."""
    assert state(policy, markup) == expected


def test_attributes_need_a_permission_of_their_own() -> None:
    """A hash counts for them beside 'unsafe-hashes' only, and code that visitors start costs more than a style."""
    button = "<button type=button onclick='go()'>Go</button>"
    digest = base64.b64encode(hashlib.sha256(b"go()").digest()).decode()
    styled = "<p style='color: red'>x</p>"

    for markup, name in ((button, "script-src-attr"), (styled, "style-src-attr")):
        assert state("default-src 'self'", markup) == "attributes"
        assert state(f"default-src 'self'; {name} 'unsafe-inline'", markup) == "allowed"
        assert state(f"{name} 'unsafe-inline' 'nonce-abc'", markup) == "attributes"

    assert state(f"script-src 'sha256-{digest}'", button) == "attributes"
    assert state(f"script-src 'unsafe-hashes' 'sha256-{digest}'", button) == "allowed"
    assert state("default-src 'self'", "<p style=' '>x</p><a href=/ onclick=''>y</a>" + PAGE) == "allowed"

    headers = (("Content-Type", "text/html"), ("Content-Security-Policy", "default-src 'self'"))
    found = outcome(csp_blocks, make_artifacts(styled, headers=headers))
    code = outcome(csp_blocks, make_artifacts(styled + button, headers=headers))

    assert (found.loss, found.total) == (0.04, 1)
    assert (code.loss, code.total) == (0.12, 2)


@pytest.mark.parametrize(
    ("policy", "image", "expected"),
    [
        ("default-src 'self'", "<img src='{data}' alt=x>", "some"),
        ("img-src *", "<img src='{data}' alt=x>", "some"),
        ("img-src * data:", "<img src='{data}' alt=x>", "allowed"),
        ("img-src 'self' DATA:", "<img src='{data}' alt=x>", "allowed"),
        ("style-src 'self'", "<img src='{data}' alt=x>", "allowed"),
        ("default-src 'self'", "<img src='{data}' alt=x hidden>", "allowed"),
        ("default-src 'self'", "<img src='{data}' data-src=/b.png alt=x>", "allowed"),
        ("default-src 'self'", "<img src='{data}' srcset='/b.png 1x' alt=x>", "allowed"),
        ("default-src 'self'", "<img src='{data}' lazy-src=/b.png alt=x>", "allowed"),
        ("default-src 'self'", "<img src='{data}' v-lazy=/b.png alt=x>", "allowed"),
        ("default-src 'self'", "<img src='{data}' :src=photo alt=x>", "allowed"),
        ("script-src 'self' 'unsafe-inline'; img-src *", "<img src='{data}' onload=show() alt=x>", "allowed"),
        ("default-src 'self'", "<picture><source srcset=/b.webp><img src='{data}' alt=x></picture>", "allowed"),
        ("default-src 'self'", "<picture><img src='{data}' alt=x></picture>", "some"),
        (
            "default-src 'self'",
            "<img src='{data}' class=logo width=9 height=9 loading=lazy decoding=async title=x aria-label=x>",
            "some",
        ),
        ("default-src 'self'", "<img src='{short}' alt=x>", "allowed"),
    ],
)
def test_images_written_into_the_page(policy: str, image: str, expected: str) -> None:
    """No wildcard covers them; a picture that holds the place of another is no loss."""
    prefix = "data:image/png;base64,"
    data, short = (prefix.ljust(length, "A") for length in (MIN_DATA_CHARS, MIN_DATA_CHARS - 1))
    page = PAGE + image.format(data=data, short=short)

    assert state(policy, page) == expected
