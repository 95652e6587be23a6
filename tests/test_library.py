"""The public functions, used as a caller would use them."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import pagegrade
from tests.cli.site import running_site
from tests.gather.forward_proxies import ADDRESS, PASSWORD, needs_tinyproxy, tinyproxy
from tests.site.serve import serve_site

PAGE = b"<!doctype html><html lang=en><head><meta charset=utf-8><title>Cats and their owners</title><h1>Cats</h1>"


def test_nothing_else_is_public() -> None:
    """Every public name resolves, and a name that is not listed is no attribute."""
    assert all(getattr(pagegrade, name) is not None for name in pagegrade.__all__)
    assert pagegrade.__all__ == sorted(pagegrade.__all__)
    with pytest.raises(AttributeError):
        pagegrade.evaluation  # noqa: B018


def test_import_is_cheap() -> None:
    """Importing the package loads neither the parser nor the network."""
    code = "import sys, pagegrade; print(sorted({'pycurl', 'turbohtml', 'rich', 'asyncio'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"


def test_document_is_evaluated_without_the_network() -> None:
    """A page at hand becomes a report."""
    report = pagegrade.evaluate_document(
        PAGE, url="https://example.com/cats", headers=[("X-Content-Type-Options", "nosniff")]
    )
    outcomes = {result.check: result.outcome for result in report.results}

    assert report.state == "completed"
    assert report.url == "https://example.com/cats"
    assert outcomes["title"] == "passed"
    assert outcomes["x-content-type-options"] == "passed"
    assert outcomes["meta-description"] == "failed"
    assert outcomes["robots-txt-allows"] == "not_evaluated"


def test_robots_txt_at_hand_is_evaluated() -> None:
    """Handed over, it counts."""
    report = pagegrade.evaluate_document(
        PAGE, url="https://example.com/cats", robots_txt=b"User-agent: *\nDisallow: /cats"
    )

    assert {result.check: result.outcome for result in report.results}["robots-txt-allows"] == "failed"
    assert report.score is not None
    assert report.score <= 79


def test_report_turns_into_the_interface_object() -> None:
    """The JSON form is plain data."""
    data = pagegrade.report_to_dict(pagegrade.evaluate_document(PAGE, url="https://example.com/"))

    assert json.loads(json.dumps(data))["object"] == "report"


@pytest.mark.parametrize(
    ("url", "error"),
    [
        ("", pagegrade.InvalidURL),
        ("http://exa mple.com/", pagegrade.InvalidURL),
        ("ftp://example.com/", pagegrade.InvalidInput),
        ("https://user:secret@example.com/", pagegrade.InvalidInput),
    ],
)
def test_bad_address_is_an_error_with_a_code(url: str, error: type[pagegrade.InvalidInput]) -> None:
    """Errors name what is wrong, have a stable code and keep credentials to themselves."""
    with pytest.raises(error) as failure:
        pagegrade.analyze(url)

    assert failure.value.code in {"invalid_url", "url_not_allowed", "invalid_input"}
    assert "secret" not in failure.value.message


def test_private_address_is_refused_unless_permitted() -> None:
    """The default is safe; each permission opens exactly what it says."""
    with serve_site() as site:
        with pytest.raises(pagegrade.URLNotAllowed, match="allow_typed_private=True"):
            pagegrade.analyze(site.http + "/")
        typed = pagegrade.analyze(site.http + "/", allow_typed_private=True)
        network = pagegrade.analyze(site.http + "/", allow_networks=["127.0.0.0/8"], subresources=False)

    assert typed.state == network.state == "completed"
    assert typed.result == "good"


def test_an_address_that_nothing_opens_is_refused_without_advice() -> None:
    """No option of the caller opens the address at which clouds hand out credentials."""
    with pytest.raises(pagegrade.URLNotAllowed) as failure:
        pagegrade.analyze("http://169.254.169.254/", allow_typed_private=True)

    assert failure.value.reason == "address_not_allowed"
    assert "allow_typed_private" not in failure.value.message


def test_async_twin_gives_the_same_kind_of_report() -> None:
    """Inside an event loop there is an awaitable; the blocking one says so."""

    async def main(url: str) -> pagegrade.Report:
        with pytest.raises(RuntimeError, match="analyze_async"):
            pagegrade.analyze(url, allow_typed_private=True)
        return await pagegrade.analyze_async(url, allow_typed_private=True, subresources=False)

    with serve_site() as site:
        report = asyncio.run(main(site.http + "/poor"))

    assert report.state == "completed"
    assert report.final_url == site.http + "/poor"


def test_works_in_a_script_without_a_main_guard(tmp_path: Path) -> None:
    """A plain script is not started a second time by the children it causes."""
    script = tmp_path / "script.py"
    script.write_text(
        "import pagegrade\n"
        "print(pagegrade.evaluate_document(b'<title>x</title>', url='https://example.com/').state)\n"
        "print(pagegrade.evaluate_document(b'<title>y</title>', url='https://example.com/').state)\n"
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True, timeout=60)

    assert done.stdout.split() == ["completed", "completed"]
    assert done.stderr == ""


def test_an_access_goes_to_the_origin_of_the_page() -> None:
    """Unless it names others; what cannot be sent is refused."""
    with running_site() as site:
        access = pagegrade.Access(
            user="reader",
            password="n0t-Shown-1",
            headers=(("X-Door", "n0t-Shown-2"),),
            cookies=(("a", "b"), ("c", "d")),
        )
        seen = pagegrade.analyze(f"{site.url}door", access=access, allow_typed_private=True, subresources=False)
        elsewhere = replace(access, origins=("https://staging.example",))
        blocked = pagegrade.analyze(f"{site.url}door", access=elsewhere, allow_typed_private=True, subresources=False)

    assert seen.state == "completed"
    assert blocked.error is not None
    with pytest.raises(pagegrade.InvalidInput, match="Host"):
        pagegrade.analyze("https://example.com/", access=replace(access, headers=(("Host", "evil"),)))


@needs_tinyproxy
@pytest.mark.allow_hosts([ADDRESS, "127.0.0.1"])
def test_sites_are_reached_through_the_proxy_that_is_named(tmp_path: Path) -> None:
    """For the page and all around it; one that cannot be used is refused without a word of its password."""
    with tinyproxy(tmp_path, password=True) as proxy, serve_site(ADDRESS) as site:
        report = pagegrade.analyze(f"{site.http}/", proxy=proxy.url, allow_typed_private=True)
        direct = pagegrade.analyze(f"{site.http}/", allow_typed_private=True, subresources=False)
        asked = proxy.asked()

    assert report.state == direct.state == "completed"
    assert set(asked) == {site.http.removeprefix("http://")}
    assert len(asked) > 1
    with pytest.raises(pagegrade.InvalidInput, match="socks5h") as failure:
        pagegrade.analyze("https://example.com/", proxy=f"ftp://agent:{PASSWORD}@127.0.0.1")

    assert PASSWORD not in failure.value.message
