"""Tests of the check canonical."""

from __future__ import annotations

import pytest

from pagegrade.checks._check import Cap
from pagegrade.checks.seo.canonical import canonical
from pagegrade.checks.seo.noindex import noindex
from pagegrade.model.artifacts import Artifacts
from pagegrade.model.outcome import Outcome
from tests.builders import evaluated, make_artifacts, outcome

PAGE = "https://example.com/shoes/red"
HTML = ("Content-Type", "text/html; charset=utf-8")


def page(*hrefs: str, url: str = PAGE, header: str | None = None, head: str = "", lang: str = "en") -> Artifacts:
    """A page at ``url`` with these canonical links."""
    links = "".join(f'<link rel="canonical" href="{href}">' for href in hrefs)
    return make_artifacts(
        f'<!doctype html><html lang="{lang}"><head><title>T</title>{head}{links}</head><body><p>x',
        url=url,
        headers=[HTML] if header is None else [HTML, ("Link", header)],
    )


def found(*hrefs: str, **more: str) -> Outcome:
    """The finding of the check for such a page."""
    return outcome(canonical, page(*hrefs, **more))


@pytest.mark.parametrize(
    ("href", "url"),
    [
        (PAGE, PAGE),
        ("HTTPS://Example.com:443/shoes/red", PAGE),
        (PAGE, PAGE + "?utm_source=mail"),
        ("https://example.com/shoes", PAGE),
        ("https://blog.example.com/shoes", PAGE),
        ("https://example.com/", "https://example.com/"),
        ("https://example.com/", "https://example.com/?ref=1"),
    ],
)
def test_one_address_on_the_same_site_passes(href: str, url: str) -> None:
    """The page itself and another page of the site are both fine, and addresses compare by meaning."""
    assert found(href, url=url).state == "ok"


def test_missing_costs_little() -> None:
    """It is optional, so its absence is a warning."""
    assert evaluated(canonical, page()).loss == 0.06


def test_header_counts() -> None:
    """A Link header is as good as a tag; headers about other pages or relations are not."""
    assert found(header=f'<{PAGE}>; rel="canonical"').state == "ok"
    assert found(header='<https://example.com/a>; rel="canonical"; anchor="/b"').state == "missing"
    assert found(header='</style.css>; rel="preload"').state == "missing"


def test_tag_and_header_with_one_address_pass() -> None:
    """Saying the same in both places is fine."""
    assert found(PAGE, header=f"<{PAGE}>; rel=canonical").state == "ok"


def test_identical_tags_are_no_conflict() -> None:
    """The same address twice is pointed out and costs nothing; a fragment is the greater fault."""
    assert evaluated(canonical, page(PAGE, PAGE)).loss == 0.0
    assert found(PAGE, PAGE + "#x").state == "fragment"


def test_http_page_may_name_its_https_address() -> None:
    """Search engines prefer https; the way back is still worth a look."""
    assert found("https://www.example.com", url="http://example.com/").state == "ok"
    assert found("http://www.example.com", url="https://example.com/").state == "variant"


@pytest.mark.parametrize(
    ("hrefs", "header"),
    [((PAGE, "https://example.com/shoes/blue"), None), ((PAGE,), "<https://example.com/shoes/blue>; rel=canonical")],
)
def test_different_addresses_conflict(hrefs: tuple[str, ...], header: str | None) -> None:
    """Two answers to one question are none, wherever they stand, and both are shown."""
    result = outcome(canonical, page(*hrefs, header=header))

    assert result.state == "conflicting"
    assert len(result.evidence) == 2


@pytest.mark.parametrize("href", ["", " ", "https://[", "mailto:a@example.com", "javascript:void(0)"])
def test_unreadable_address_fails(href: str) -> None:
    """Empty, broken and other schemes are no address of a page."""
    assert found(href).state == "unparsable"


@pytest.mark.parametrize("href", ["/shoes/red", "red", "//example.com/shoes/red", "?a=1"])
def test_relative_address_fails(href: str) -> None:
    """A whole address is asked for, scheme included."""
    assert found(href).state == "relative"


@pytest.mark.parametrize(
    "href",
    ["http://example.com/shoes/red", "https://www.example.com/shoes/red", "https://example.com/shoes/red/"],
)
def test_other_spelling_of_the_page_warns(href: str) -> None:
    """Scheme, www and slash alone are no other page, but worth a look."""
    assert found(href).state == "variant"


def test_other_site_warns() -> None:
    """Syndicated content may point elsewhere on purpose."""
    assert found("https://example.org/shoes/red").state == "cross_domain"


def test_start_page_as_canonical_of_a_deep_page_fails() -> None:
    """A template that writes the same canonical everywhere hides all pages but one."""
    assert found("https://example.com/").state == "root"
    assert found("https://example.com").state == "root"


@pytest.mark.parametrize("path", ["index.html", "home", "home/", "amp", "index.php", "INDEX.HTM"])
def test_start_page_as_canonical_of_its_other_names_only_warns(path: str) -> None:
    """The start page under another name may well point to the start page."""
    assert found("https://example.com/", url=f"https://example.com/{path}").state == "root_of_home"


ALTERNATES = (
    '<link rel="alternate" hreflang="en" href="https://example.com/en/shoes">'
    '<link rel="alternate" hreflang="de" href="https://example.com/de/schuhe">'
    '<link rel="alternate" hreflang="x-default" href="https://example.com/choose">'
)


def test_other_language_version_fails() -> None:
    """A German page that calls the English one canonical disappears."""
    url = "https://example.com/de/schuhe"

    assert found("https://example.com/en/shoes", url=url, head=ALTERNATES, lang="de").state == "alternate"
    assert found(url, url=url, head=ALTERNATES, lang="de").state == "ok"


def test_listed_page_must_not_name_another_listed_one() -> None:
    """Both are versions of their own then, whatever their languages are."""
    lists = '<link rel=alternate hreflang={} href="https://example.com/{}">'
    head = lists.format("en-GB", "uk") + lists.format("en-US", "us")

    assert found("https://example.com/us", url="https://example.com/uk", head=head).state == "alternate"
    assert found("https://example.com/us", url="https://example.com/uk", head=head, lang="").state == "alternate"
    assert found("https://example.com/us", url="https://example.com/us/offers", head=head, lang="").state == "ok"


def test_own_language_version_is_no_other() -> None:
    """Tracking parameters and variants of the page's own language may point to that version."""
    target = "https://example.com/en/shoes"

    assert found(target, url=target + "?utm=1", head=ALTERNATES, lang="").state == "ok"
    assert found(target, url="https://example.com/en/shoes/red", head=ALTERNATES, lang="en-GB").state == "ok"


def test_canonical_in_the_body_fails_and_names_the_cause() -> None:
    """A stray element in the head moves what follows into the body."""
    result = outcome(
        canonical,
        make_artifacts(
            '<!doctype html><html><head><title>T</title><div></div><meta name="description" content="x">'
            f'<link rel="canonical" href="{PAGE}"></head>',
            url=PAGE,
        ),
    )

    assert result.state == "in_body"
    assert "<div>" in result.message


def test_stray_copy_in_the_body_is_no_conflict() -> None:
    """Only the head counts; what stands in the body beside it is a repetition."""
    head = f'<head><title>T</title><link rel=canonical href="{PAGE}"></head>'
    artifacts = make_artifacts(f'<!doctype html>{head}<body><p><link rel=canonical href="/x">', url=PAGE)

    assert outcome(canonical, artifacts).state == "repeated"


@pytest.mark.parametrize("href", ["https://example.com/shoes/red#top", "https://example.com/shoes/red#"])
def test_fragment_is_a_warning(href: str) -> None:
    """Search engines leave it out."""
    assert found(href).state == "fragment"


def test_base_element_does_not_make_a_relative_address_whole() -> None:
    """It is resolved, but still not what search engines ask for."""
    assert found("red", head='<base href="https://example.com/shoes/">').state == "relative"


def test_a_fix_never_costs_more() -> None:
    """From conflict to one tag, from none to the right one: each step costs at most as much as the one before."""
    steps = [page(PAGE, "https://example.com/x"), page(PAGE, PAGE), page(PAGE)]
    losses = [evaluated(canonical, step).loss for step in steps]

    assert losses == [0.12, 0.0, 0.0]


@pytest.mark.parametrize(
    "attribute", ['hreflang="ja"', 'lang="ar"', 'media="print"', 'type="text/html"', 'MEDIA="all"']
)
def test_attributes_disqualify_the_link(attribute: str) -> None:
    """Google uses none with them, whatever their value."""
    link = f'<link rel="canonical" {attribute} href="{PAGE}">'

    assert outcome(canonical, page(head=link)).state == "disqualified"


def test_parameters_of_a_header_disqualify_it_too() -> None:
    """As attributes do."""
    assert outcome(canonical, page(header=f'<{PAGE}>; rel="canonical"; hreflang="en"')).state == "disqualified"


def test_disqualified_link_beside_a_good_one_does_no_harm() -> None:
    """It is passed over, also where it names another URL; empty and other attributes do not matter."""
    other = f'<link rel="canonical" media="print" href="{PAGE}/print">'

    assert outcome(canonical, page(PAGE, head=other)).state in {"ok", "repeated"}
    assert outcome(canonical, page(head=f'<link rel="canonical" media="" id="c" href="{PAGE}">')).state == "ok"


@pytest.mark.parametrize("target", ["https://example.com/", "https://staging.other.example/shoes"])
def test_what_keeps_the_page_out_of_search_costs_what_noindex_costs(target: str) -> None:
    """The home page, or another site, in place of the page."""
    found = evaluated(canonical, page(target))

    assert (found.loss, canonical.severity, canonical.cause) == (1.0, noindex.severity, noindex.cause)
    assert canonical.caps == (Cap(59, category_max_score=30),) == noindex.caps
