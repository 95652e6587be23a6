from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from pagegrade.model.outcome import Detail, Evidence
from pagegrade.model.report import Failure, PageFacts, Preview, Redirect, Report, Result, RunFacts
from pagegrade.report.masking import mask_report, mask_url
from pagegrade.report.serialize import report_to_dict


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
    return replace(plain, **members)  # type: ignore[arg-type]


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
    return replace(plain, **members)  # type: ignore[arg-type]


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
                preview=Preview(
                    description=text, site_name=text, social_title=text, social_description=text, image_url=text
                ),
                redirects=(Redirect(url=f"https://example.com/?token={SECRET}", status=301, location=f"/?k={SECRET}"),),
            ),
            run=RunFacts(engine="0.1.0", not_gathered=(("favicon", text),), notes=(text,)),
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
