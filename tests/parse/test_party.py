"""Own files are recognized wherever the site keeps them; shared services never become the site's own."""

from __future__ import annotations

import pytest

from pagegrade.parse.party import MAX_REFERENCES, Parties, is_shared_service, parties_of, tracking_purpose

PAGE = "https://www.otterline.co.uk/tents"


def parties(*references: str, page: str = PAGE, generator: str = "") -> Parties:
    """References written as ``kind host/path``."""
    pairs = [one.split(" ") for one in references]
    return parties_of(page, [(f"https://{rest}", kind) for kind, rest in pairs], generator)


@pytest.mark.parametrize(
    "host",
    [
        "static.otterline.co.uk",
        "otterline.com",
        "img.otterline.net",
        "otterlinecdn.com",
        "otterline-static.net",
        "cdn-otterline.com",
        "a.otterlineimages.com",
    ],
)
def test_domain_with_the_name_of_the_site_is_its_own(host: str) -> None:
    """Another suffix, or a word for files before or behind the name."""
    assert parties(f"script {host}/a.js").is_own(f"https://{host}/b.png")


@pytest.mark.parametrize(
    ("page", "host"),
    [
        (PAGE, "otter.com"),
        (PAGE, "otterlineshop.com"),
        (PAGE, "notterline.com"),
        ("https://ab.de/", "ab.com"),
        ("https://cdn.example/", "static.net"),
    ],
)
def test_other_names_are_not_its_own(page: str, host: str) -> None:
    """A name inside another, and names so short that many have them."""
    assert not parties(f"image {host}/a.png", page=page).is_own(f"https://{host}/a.png")


def test_domain_that_serves_most_styles_and_scripts_is_its_own() -> None:
    """Whatever it is called, for all kinds of files; a single widget is not."""
    found = parties(
        "stylesheet assets.guim.example/a.css",
        "script assets.guim.example/a.js",
        "script assets.guim.example/b.js",
        "script widget.example/w.js",
        "script www.googletagmanager.com/gtm.js",
        "image i.guim.example/p.jpg",
    )

    assert found.own == {"guim.example"}
    assert found.is_own("https://i.guim.example/p.jpg")
    assert not found.is_own("https://widget.example/w.js")


def test_widgets_beside_own_files_stay_third_party() -> None:
    """A site with a style sheet of its own has its own place; so has one with a single foreign style."""
    beside = parties(
        "stylesheet www.otterline.co.uk/a.css",
        *(f"script chat.example/{n}.js" for n in range(5)),
        "stylesheet chat.example/c.css",
    )
    alone = parties("stylesheet chat.example/c.css")

    assert not beside.is_own("https://chat.example/0.js")
    assert not alone.is_own("https://chat.example/c.css")


@pytest.mark.parametrize(
    "host",
    ["cdn.jsdelivr.net", "fonts.googleapis.com", "www.googletagmanager.com", "use.typekit.net", "code.jquery.com"],
)
def test_shared_services_are_never_its_own(host: str) -> None:
    """Not even where all styles and scripts come from there."""
    found = parties(f"stylesheet {host}/a.css", f"stylesheet {host}/b.css", f"script {host}/c.js")

    assert not found.is_own(f"https://{host}/a.css")


def test_network_of_the_platform_is_its_own() -> None:
    """With a generator that says so; without it the network has to serve the page's files."""
    image = "image static.wixstatic.com/m.jpg"

    assert parties(image, generator="Wix.com Website Builder").is_own("https://static.wixstatic.com/m.jpg")
    assert not parties(image).is_own("https://static.wixstatic.com/m.jpg")


def test_page_of_a_shared_service_keeps_its_own_domains() -> None:
    """The owner of a service has files as well."""
    found = parties(
        "script static.licdn.com/a.js", "script www.linkedin.com/b.js", page="https://www.linkedin.com/in/x"
    )

    assert found.is_own("https://static.licdn.com/a.js")
    assert not parties("script static.licdn.com/a.js").is_own("https://static.licdn.com/a.js")


@pytest.mark.parametrize(("before", "own"), [(MAX_REFERENCES - 2, True), (MAX_REFERENCES - 1, False)])
def test_references_are_counted_up_to_a_limit(before: int, *, own: bool) -> None:
    """At the limit and one past it."""
    found = parties(
        *["image other.example/x.png"] * before, "stylesheet files.example/a.css", "script files.example/a.js"
    )

    assert found.is_own("https://files.example/a.js") is own


def test_nothing_without_a_host_is_its_own() -> None:
    """Data and broken addresses belong to no site."""
    assert not parties().is_own("data:text/css,x")


@pytest.mark.parametrize(
    ("host", "purpose"),
    [
        ("www.google-analytics.com", "analytics"),
        ("mc.yandex.ru", "analytics"),
        ("stats.g.doubleclick.net", "advertising"),
        ("static.ads-twitter.com", "advertising"),
        ("px.ads.linkedin.com", "advertising"),
        ("bat.bing.com", "advertising"),
        ("www.bing.com", None),
        ("plausible.io", None),
        ("fonts.googleapis.com", None),
        ("notdoubleclick.net", None),
        ("", None),
    ],
)
def test_services_that_recognize_visitors_are_known(host: str, purpose: str | None) -> None:
    """By domain or host; not those that only deliver files or count without recognizing."""
    assert tracking_purpose(host) == purpose


@pytest.mark.parametrize("host", ["static.ads-twitter.com", "sc-static.net", "cdn.privacy-mgmt.com", "www.bing.com"])
def test_names_with_hyphens_are_shared_services(host: str) -> None:
    """A site whose only script is theirs does not own it."""
    assert is_shared_service(host)
    assert not is_shared_service(host.replace("-", "").replace(".", "-"))
