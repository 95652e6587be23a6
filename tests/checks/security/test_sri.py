from __future__ import annotations

import base64
import hashlib

import pytest

from pagegrade.checks.security.sri import sri
from pagegrade.model.outcome import NotApplicable
from tests.builders import evaluated, make_resource, make_resources, outcome, run

DIGEST = hashlib.sha256(b"x")
HASH = "sha256-" + base64.b64encode(DIGEST.digest()).decode()
STRONG = "sha384-" + base64.b64encode(hashlib.sha384(b"x").digest()).decode()
CDN = "https://cdn.other.test/a-1.2.js"


@pytest.mark.parametrize(
    ("html", "state"),
    [
        (f"<script src={CDN}></script>", "missing"),
        (f"<script type=module src={CDN}></script>", "missing"),
        ("<link rel=stylesheet href=https://cdn.other.test/a-1.2.css>", "missing"),
        (f"<script src={CDN} integrity='' crossorigin></script>", "missing"),
        ("<script src=//cdn.other.test/a-1.2.js></script>", "missing"),
        (f"<script src={CDN} integrity='{HASH}' crossorigin></script>", "covered"),
        (f"<script src={CDN} integrity='{STRONG}' crossorigin=anonymous></script>", "covered"),
        (f"<script type=module src={CDN} integrity='{HASH}'></script>", "covered"),
        (f"<script src={CDN} integrity='{HASH}'></script>", "broken"),
        (f"<script src={CDN} integrity='sha256-abc' crossorigin></script>", "broken"),
        (f"<script src={CDN} integrity='md5-abc' crossorigin></script>", "broken"),
        ("<script src=http://cdn.other.test/a-1.2.js></script>", "insecure"),
        (f"<script src=http://cdn.other.test/a-1.2.js integrity='{HASH}' crossorigin></script>", "insecure"),
    ],
)
def test_foreign_files(html: str, state: str) -> None:
    """Each needs a hash that browsers can compare, and a safe way."""
    assert outcome(sri, html).state == state


@pytest.mark.parametrize(
    "html",
    [
        "<script src=/a.js></script>",
        "<script src=https://static.example.com/a.js></script>",
        "<script>1</script>",
        "<script src=https://www.googletagmanager.com/gtag/js></script>",
        "<script src=https://www.google.com/recaptcha/api.js></script>",
        "<link rel=stylesheet href=https://fonts.googleapis.com/css2>",
        "<script src=https://example-shop.disqus.com/embed.js></script>",
        "<script type=text/template src=https://cdn.other.test/a-1.2.js></script>",
        "<script nomodule src=https://cdn.other.test/a-1.2.js></script>",
        "<link rel=preconnect href=https://cdn.other.test><img src=https://cdn.other.test/a.png>",
        "<link rel='alternate stylesheet' href=https://cdn.other.test/a-1.2.css>",
        "<template><script src=https://cdn.other.test/a-1.2.js></script></template>",
        "<script src=data:text/javascript,1></script>",
    ],
)
def test_own_files_and_changing_services_need_none(html: str) -> None:
    """The same registered domain is the same owner; what changes cannot have a hash."""
    assert isinstance(run(sri, html), NotApplicable)


def test_file_of_this_machine_over_plain_http_is_no_danger() -> None:
    """No attacker stands between."""
    assert outcome(sri, "<script src=http://localhost:8080/a-1.2.js></script>").state == "missing"


def test_hash_is_compared_where_the_file_was_fetched() -> None:
    """With the part of it that is kept; a stronger hash cannot be compared and is believed."""
    page = f"<script src={CDN} integrity='{HASH}' crossorigin></script>"
    fits = make_resources(make_resource(CDN, kind="script", digest=DIGEST.hexdigest()[:32]))
    other = make_resources(make_resource(CDN, kind="script", digest="0" * 32))
    missing = make_resources(make_resource(CDN, kind="script", status=404, digest="0" * 32))

    assert outcome(sri, page, resources=fits).state == "covered"
    assert outcome(sri, page, resources=other).state == "broken"
    assert outcome(sri, page, resources=missing).state == "covered"
    assert outcome(sri, page.replace(HASH, STRONG), resources=other).state == "covered"
    assert outcome(sri, page.replace(HASH, f"{HASH} {STRONG}"), resources=other).state == "covered"


@pytest.mark.parametrize(("count", "loss"), [(1, 0.25), (10, 0.5), (30, 0.5)])
def test_missing_hashes_cost_up_to_half(count: int, loss: float) -> None:
    """A second domain may be the owner's own."""
    html = "".join(f"<script src=https://cdn.other.test/lib-1.{n}.js></script>" for n in range(count))

    assert evaluated(sri, html).loss == loss


def test_worst_is_named_first() -> None:
    """All that is wrong is evidence."""
    found = outcome(sri, f"<script src={CDN}></script><script src=http://a.test/b.js></script>")

    assert (found.state, found.total) == ("insecure", 2)
    assert [place.url for place in found.evidence] == ["http://a.test/b.js", CDN]


@pytest.mark.parametrize("path", ["widget.js", "lib@3/a.js", "lib@3.1/a.js", "embed/123456789.js", "a.js?v=1.2"])
def test_files_made_to_change_need_no_hash(path: str) -> None:
    """Their content changes under the same URL; plain HTTP and a wrong hash are found all the same."""
    assert isinstance(run(sri, f"<script src=https://cdn.other.test/{path}></script>"), NotApplicable)
    assert outcome(sri, f"<script src=http://cdn.other.test/{path}></script>").state == "insecure"
    assert outcome(sri, f"<script src=https://cdn.other.test/{path} integrity=x></script>").state == "broken"


@pytest.mark.parametrize("path", ["lib@3.1.4/a.js", "jquery-3.7.1.min.js", "lib/5.3/a.css.js", "main.0a1b2c3d4e.js"])
def test_fixed_versions_need_a_hash(path: str) -> None:
    """A version or a digest in the path says that the file stays as it is."""
    assert outcome(sri, f"<script src=https://cdn.other.test/{path}></script>").state == "missing"
