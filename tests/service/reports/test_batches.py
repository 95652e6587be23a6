from __future__ import annotations

from pagegrade.service.options import AT_ONCE, ServiceOptions
from pagegrade.service.reports.batches import MAX_SHOWN, read_urls

OPTIONS = ServiceOptions()


def test_what_can_be_used_is_kept_and_the_rest_is_named() -> None:
    """In the order of the list, each once; empty texts mean nothing."""
    read = read_urls(
        ["b.example", "", "ftp://a.example/", "https://a.example/#x", "10.0.0.1", "HTTPS://A.example"], OPTIONS
    )

    assert read.urls == ("https://b.example/", "https://a.example/")
    assert [(each["url"], each["code"]) for each in read.refused] == [
        ("ftp://a.example/", "scheme_not_allowed"),
        ("10.0.0.1", "address_not_allowed"),
        ("HTTPS://A.example", "repeated"),
    ]
    assert all(each["message"] for each in read.refused)


def test_a_batch_has_a_limit() -> None:
    """At it everything fits; one past it is refused. A long URL is cut in the error."""
    urls = [f"https://a.example/{number}" for number in range(AT_ONCE)]
    full, over = read_urls(urls, OPTIONS), read_urls([*urls, "https://b.example/", "x" * 3_000], OPTIONS)

    assert (len(full.urls), full.refused) == (AT_ONCE, ())
    assert len(over.urls) == AT_ONCE
    assert [each["code"] for each in over.refused] == ["too_many", "too_long"]
    assert len(over.refused[1]["url"]) == MAX_SHOWN
