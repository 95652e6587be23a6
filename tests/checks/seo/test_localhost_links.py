"""The traps of ``localhost-links``; what holds for every check is in ``tests/contract/test_checks.py``."""

from __future__ import annotations

import pytest

from pagegrade.model.outcome import NotApplicable
from tests.builders import make_artifacts, outcome, run


@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "localhost:3000",
        "app.localhost",
        "printer.local",
        "127.0.0.1",
        "127.1",
        "10.1.2.3",
        "172.16.0.1",
        "192.168.178.1",
        "169.254.1.1",
        "[::1]",
        "[fd00::1]",
        "[fe80::1]",
        "0.0.0.0",
        "LOCALHOST",
    ],
)
def test_addresses_of_one_network(host: str) -> None:
    """In every spelling, loaded from there they fail, linked they are a warning."""
    assert outcome("localhost-links", f'<img src="http://{host}/a.png" alt="">').state == "loads"
    assert outcome("localhost-links", f'<a href="http://{host}/a">a</a>').state == "links"


@pytest.mark.parametrize(
    "host",
    ["example.org", "localhost.example.org", "local", "mylocal", "172.32.0.1", "8.8.8.8", "192.0.2.1", "11.0.0.1"],
)
def test_public_addresses(host: str) -> None:
    """Names that only look alike, and addresses of documentation."""
    assert outcome("localhost-links", f'<img src="https://{host}/a.png" alt=""><a href="//{host}/">a</a>').value == 0


def test_text_is_no_link() -> None:
    """Code that names such an address is only text."""
    assert outcome("localhost-links", "<a href=/>a</a><pre>curl http://localhost:3000/</pre>").state == "public"


def test_forms_fail() -> None:
    """The values that visitors type would go to their own computer."""
    assert outcome("localhost-links", '<form action="http://localhost/send"></form>').state == "loads"


FILES = "".join(f'<img src="http://cms.internal/{n}.png" alt="">' for n in range(5))


def test_form_that_people_fill_in_is_broken() -> None:
    """No order arrives; a button alone sends nothing that anyone typed."""
    form = '<form action="http://localhost:3000/orders"><input name=a type=email></form>'

    assert outcome("localhost-links", form).state == "broken"
    assert outcome("localhost-links", form.replace("email", "hidden")).state == "loads"


def test_page_most_of_whose_files_lie_there_is_broken() -> None:
    """Half of all, and five at least, also on a disk."""
    more = "".join(f'<img src="/{n}.png" alt="">' for n in range(6))

    assert outcome("localhost-links", FILES).state == "broken"
    assert outcome("localhost-links", FILES.replace("http://cms.internal", "file:///C:/site")).state == "broken"
    assert outcome("localhost-links", FILES + more).state == "loads"
    assert outcome("localhost-links", FILES.replace("4.png", "3.png")).state == "loads"


def test_every_place_is_shown() -> None:
    """Failed places come first, and all are counted."""
    found = outcome("localhost-links", '<a href="http://localhost/a">a</a><script src="//localhost/a.js"></script>')

    assert (found.state, found.total) == ("loads", 2)
    assert found.evidence[0].url == "https://localhost/a.js"


@pytest.mark.parametrize("host", ["localhost:8000", "192.168.1.5", "shop.local"])
def test_a_page_on_such_an_address_is_not_evaluated(host: str) -> None:
    """A test site links to itself."""
    page = make_artifacts('<img src="/a.png" alt="">', url=f"http://{host}/")

    assert isinstance(run("localhost-links", page), NotApplicable)


@pytest.mark.parametrize(
    "html",
    [
        "<script src=file:///usr/share/a.js></script>",
        "<link rel=stylesheet href=file:///C:/site/a.css>",
        "<img src=file:///tmp/a.png alt=''>",
        "<iframe src=FILE:///tmp/a.html title=a></iframe>",
    ],
)
def test_what_lies_on_a_disk_fails(html: str) -> None:
    """Browsers load no file of the visitor's disk for a page of the web."""
    assert outcome("localhost-links", html).state == "loads"


def test_links_to_a_disk_are_not_loaded() -> None:
    """Other relations load nothing, and a link is followed by people only."""
    html = "<a href=/>a</a><link rel=author href=file:///tmp/a.html><a href=file:///tmp/a.html>a</a>"

    assert outcome("localhost-links", html).state == "public"
