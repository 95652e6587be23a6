from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from pagegrade.model.outcome import Detail, Evidence
from pagegrade.model.rendering import (
    ConsoleMessage,
    Coverage,
    ElementFacts,
    LoadMetrics,
    PaintCandidate,
    RenderedRequest,
    ShiftedElement,
    StoredEntry,
)
from pagegrade.model.report import (
    Failure,
    LoadedFile,
    NotGathered,
    PageFacts,
    Preview,
    Redirect,
    Report,
    Result,
    RunFacts,
    Withheld,
)
from pagegrade.parse.rendering.causes import largest_paint
from pagegrade.report.build import rendered_page
from pagegrade.report.masking import MIN_BARE_CHARACTERS, mask_report, mask_url, without_secrets
from pagegrade.report.serialize import report_to_dict
from tests.linear import MAX_RATIO, growth
from tests.rendering_builders import make_rendering, make_timeline


@pytest.mark.parametrize(
    ("url", "masked"),
    [
        ("https://example.com/", "https://example.com/"),
        ("https://example.com/?token=abc&page=2", "https://example.com/?token=…&page=…"),
        ("https://example.com/?abc", "https://example.com/?…"),
        ("https://example.com/?a=&b", "https://example.com/?a=&…"),
        ("https://example.com/?", "https://example.com/?"),
        ("https://example.com/?a=1=2?3", "https://example.com/?a=…"),
        ("https://example.com/#key", "https://example.com/#…"),
        ("https://alice:secret@example.com/x?y=z#k", "https://…@example.com/x?y=…#…"),
        ("/login?next=/secret", "/login?next=…"),
        ("", ""),
    ],
)
def test_every_value_of_an_address_is_masked(url: str, masked: str) -> None:
    """Names, host and path stay; user name, password and fragment go as well."""
    assert mask_url(url) == masked


SECRET = "s3cr3t-R4nd0m"


def result(**members: object) -> Result:
    """One finding with the given members."""
    plain = Result(
        check="canonical",
        title="Canonical address",
        category="seo",
        outcome="failed",
        state="foreign",
        importance="high",
        price=1.0,
        lost=1.0,
    )
    return replace(plain, **members)


def report(url: str, **members: object) -> Report:
    """A report on ``url``."""
    plain = Report(
        url=url,
        final_url=url,
        project="example.com",
        state="completed",
        run=RunFacts(engine="0.1.0"),
        generated_at=datetime(2026, 1, 5, tzinfo=UTC),
    )
    return replace(plain, **members)


@pytest.mark.parametrize(
    "text",
    [
        f"The canonical address is https://example.com/?token={SECRET}.",
        f'<link rel="canonical" href="/a?x=1&amp;token={SECRET}">',
        f"https://share.example/?u=https%3A%2F%2Fexample.com%2F%3Ftoken%3D{SECRET}",
        f"Your key is {SECRET}",
        f"cut off in the middle: https://example.com/?token={SECRET[:7]}",
        f"?token={SECRET}&more",
    ],
)
def test_a_value_is_gone_from_every_text_of_the_page(text: str) -> None:
    """Whatever a check quotes, the server says, or the page is called."""
    found = mask_report(
        report(
            f"https://example.com/?token={SECRET}&lang=en",
            results=(
                result(
                    value=text,
                    message=text,
                    reason=text,
                    fix=text,
                    errors=(Detail(code="foreign", actual=text, limit=text),),
                    evidence=(Evidence(selector=text, snippet=text, url=text, value=text, reason=text),),
                ),
            ),
            page=PageFacts(
                http_status=200,
                title=text,
                server=text,
                headers=(("link", text),),
                files=(LoadedFile(url=text, type="script", initiator_url=text, first_party=True),),
                preview=Preview(
                    description=text, site_name=text, social_title=text, social_description=text, image_url=text
                ),
                redirects=(Redirect(url=f"https://example.com/?token={SECRET}", status=301, location=f"/?k={SECRET}"),),
            ),
            run=RunFacts(engine="0.1.0", not_gathered=(NotGathered(artifact="favicon", reason=text),), notes=(text,)),
            error=Failure(code="http_error", message=text, reason=text),
        )
    )

    assert SECRET[:7] not in str(report_to_dict(found))
    assert "…" in found.results[0].message


def test_values_of_redirects_are_masked_too() -> None:
    """A login adds a session to the address, and the page then quotes it."""
    hop = Redirect(url="https://example.com/", status=302, location="https://example.com/?session=0123456789")
    found = mask_report(
        report(
            "https://example.com/",
            final_url="https://example.com/?session=0123456789",
            page=PageFacts(http_status=200, redirects=(hop,), title="Hello 0123456789"),
        )
    )

    assert found.page is not None
    assert found.page.title == "Hello …"
    assert "0123456789" not in str(report_to_dict(found))


def test_words_that_happen_to_be_short_values_stay() -> None:
    """``lang=en`` must not eat every ``en``; inside an address it goes."""
    found = mask_report(
        report("https://example.com/?lang=en", results=(result(message="When /?lang=en is opened, men see 'en'."),))
    )

    assert found.results[0].message == "When /?lang=… is opened, men see 'en'."


def test_what_is_ours_is_left_alone() -> None:
    """Names of checks and categories are no secret, and the report must stay one that can be read."""
    plain = report("https://example.com/?q=canonical", results=(result(message="canonical address"),))
    found = mask_report(plain)

    assert found.results[0].check == "canonical"
    assert found.results[0].title == "Canonical address"
    assert found.project == "example.com"


def test_a_report_without_queries_is_the_same() -> None:
    """Nothing to hide, nothing changed."""
    plain = report("https://example.com/", results=(result(message="See https://cdn.example/a.js?v=3.", value=3),))

    assert mask_report(plain) == plain


SHAPES = (
    "a",
    "&",
    "?",
    "=",
    "%",
    "%3D",
    "?a=",
    "?token=",
    "&token=abcdef",
    "abcde",
    "abcdef",
    "aaaaab",
    "?%",
    "a%26",
    " ",
)
HOSTILE_URL = "https://example.com/?token=abcdef&" + "&".join(f"{'a' * 12}{n}={'a' * n}b{n}" for n in range(6, 60))


@pytest.mark.parametrize("shape", SHAPES)
def test_masking_takes_linear_time(shape: str) -> None:
    """Four times as much text takes about four times as long, however nearly it holds a value or a name."""

    def mask(size: int) -> Report:
        text = (shape * (size // len(shape) + 1))[:size]
        return mask_report(report(HOSTILE_URL, results=(result(message=text),)))

    assert growth(mask, 200_000) <= MAX_RATIO


def test_a_long_value_is_masked_as_one() -> None:
    """It is searched for in pieces, which does not show."""
    value = "".join(f"{number:03}x" for number in range(200))
    masked = mask_report(report(f"https://example.com/?v={value}", results=(result(message=f"It says {value}!"),)))

    assert masked.results[0].message == "It says …!"


@given(
    values=st.lists(st.text("abc0", min_size=MIN_BARE_CHARACTERS, max_size=200), min_size=1, max_size=8),
    glue=st.lists(st.text("abc0 &=?", max_size=20), min_size=8, max_size=8),
)
def test_no_value_is_left_in_any_text(values: list[str], glue: list[str]) -> None:
    """Wherever it stands, whatever stands around it, and however the values hold each other."""
    url = "https://example.com/?" + "&".join(f"n{number}={value}" for number, value in enumerate(values))
    text = "".join(part for pair in zip(glue, values, strict=False) for part in pair)
    masked = mask_report(report(url, results=(result(message=text),))).results[0].message

    assert [value for value in values if value in masked] == []


@pytest.mark.parametrize(
    ("url", "text", "masked"),
    [
        ("https://e.example/?a%5Bid%5D=12", "see /x?a%5Bid%5D=12&b=1", "see /x?a%5Bid%5D=…&b=1"),
        ("https://e.example/?a%5Bid%5D=12", "see /x?a[id]=12&b=1", "see /x?a[id]=…&b=1"),
        ("https://e.example/?id=12", "/login?next=%3Fid%3D12", "/login?next=%3Fid%3D…"),
        ("https://e.example/?a%26b=12", "/?a%26b=12", "/?a%26b=…"),
        ("https://e.example/?id=12", "Why? x=bar?id=12", "Why? x=bar?id=…"),
        ("https://e.example/?id=12", "?id=1 and ?ID=1 and ?kid=1", "?id=… and ?ID=1 and ?kid=1"),
    ],
)
def test_short_values_are_masked_behind_their_names(url: str, text: str, masked: str) -> None:
    """In every spelling of the name that an address has, and nowhere else."""
    assert mask_report(report(url, results=(result(message=text),))).results[0].message == masked


def test_the_part_about_the_browser_is_masked() -> None:
    """Requests, the console, and elements carry the page's own address."""
    secret = f"https://example.com/?token={SECRET}"
    element = ElementFacts(selector=f"#k{SECRET}", html=f"<img src='/a?token={SECRET}'>")
    paint = PaintCandidate(time_ms=90, size_px=9, kind="image", url=secret, load_start_ms=20, load_end_ms=80)
    document = RenderedRequest(
        url=secret, kind="document", response_ms=10, initiator_url=secret, response_headers=(("etag", SECRET),)
    )
    rendering = make_rendering(
        make_timeline(paint_candidates=(paint,)),
        requests=(document,),
        console=(ConsoleMessage(level="error", source="console", text=f"failed for {SECRET}", url=secret),),
        coverage=(Coverage(url=secret, kind="script", total_bytes=1, unused_bytes=1),),
        lcp_element=element,
        shifted_elements=(ShiftedElement(selector=f"#k{SECRET}", html="<p>", pushed_by=element),),
        storage=(StoredEntry(kind="cache", name=SECRET),),
        final_url=secret,
    )
    page = rendered_page(
        rendering,
        [],
        LoadMetrics(),
        largest_paint=largest_paint(rendering),
        shifted_elements=rendering.shifted_elements,
    )
    withheld = Withheld(kind="empty_shell", message=f"Its script fails with “no {SECRET}”.", fix="Fix it.")
    found = mask_report(report(secret, rendered=page, withheld=withheld))

    assert found.rendered is not None
    assert found.rendered.largest_paint is not None
    assert found.withheld is not None
    assert SECRET not in str(report_to_dict(found))


def test_secrets_are_removed_wherever_they_are() -> None:
    """From texts and bytes inside of dataclasses, structs, tuples and mappings; all else stays the same object."""
    untouched = Detail(code="other", actual="plain", limit=1)
    before = (
        Failure(code="dns", message=f"It says {SECRET}, {SECRET}."),
        result(
            errors=(Detail(code="x", actual=SECRET, limit=2), untouched), evidence=(Evidence(snippet=f"<a {SECRET}"),)
        ),
        {"body": b"<p>" + SECRET.encode() + b"</p>", SECRET: 7},
        None,
    )
    after = without_secrets(before, (SECRET, "never-there"))

    assert SECRET not in repr(after)
    assert after[0].message == "It says …, …."
    assert after[1].errors[1] is untouched
    assert after[2] == {"body": "<p>…</p>".encode(), "…": 7}
    assert without_secrets(before, ("never-there",))[0] is before[0]
    assert without_secrets(before, ()) is before


def test_secrets_are_removed_in_linear_time() -> None:
    """However often they stand in a page."""

    def remove(size: int) -> None:
        without_secrets((f"{SECRET} and more " * size).encode(), (SECRET, f"{SECRET} and"))

    assert growth(remove, 20_000) <= MAX_RATIO
