"""Rows J and M of the hostile-input matrix in real Chromium: what pages say about a hostile page does nothing."""

from __future__ import annotations

from typing import Final

import pytest

from tests.browser.browsing import Window
from tests.browser.conftest import Open, Tabs
from tests.browser.instance import Instance
from tests.browser.payloads import EVALUATED, OUTSIDE, PAYLOADS
from tests.browser.world import SECRET_HOST, SECRET_TITLE

PLACES: Final = {
    "report": ("Alice", "/reports/{@.id}"),
    "share": ("Charlie", "/r/{@.slug}"),
    "settings": ("Alice", "/reports/{@.id}/settings"),
    "delete": ("Alice", "/reports/{@.id}/delete"),
}
"""Pages that show text of an analyzed page -> (the visitor, the address with ``@`` for the report)."""
LISTS: Final = (
    "/reports?search=hostile.example",
    "/projects",
    "/account",
    "/keys",
    "/ignores",
    "/monitors",
    "/admin",
    "/admin/accounts",
)
_OPEN_ALL: Final = "() => document.querySelectorAll('details').forEach(each => each.open = true)"
_LINKS: Final = """() => [...document.querySelectorAll(
    '[href], [src], [action], [formaction], [srcset], [data], [poster]')].map(each => [
    each.tagName.toLowerCase(),
    each.href?.baseVal ?? each.href ?? each.src ?? each.formAction ?? each.action ?? '', each.rel ?? ''])
"""
_RUN_LINK: Final = """() => {
  const link = document.createElement('a');
  link.href = 'javascript:alert(1)'; document.body.append(link); link.click();
}"""
_STYLED: Final = "() => [...document.querySelectorAll('[style], style')].map(each => each.outerHTML.slice(0, 80))"


def wrong_links(window: Window) -> list[str]:
    """Links that run something, load something from elsewhere, or reveal to a site the page its visitor comes from."""
    found = []
    for tag, address, relation in window.page.evaluate(_LINKS):
        if not address.startswith((f"{window.origin}/", f"{window.origin}#", "http://", "https://")):
            found.append(f"{tag} {address[:60]}")
        elif tag != "a" and not address.startswith(window.origin):
            found.append(f"{tag} loads {address[:60]}")
        elif not address.startswith(window.origin) and "noreferrer" not in relation:
            found.append(f"{tag} reveals the address it comes from: {address[:60]}")
    return found


def provoke(window: Window) -> None:
    """Open what is folded, and let fields have the focus and images their time."""
    window.page.evaluate(_OPEN_ALL)
    window.page.mouse.move(200, 200)
    window.page.keyboard.press("Tab")
    window.page.wait_for_timeout(50)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("row", PAYLOADS)
def test_a_payload_in_every_field_is_only_text(row: str, place: str, instance: Instance, tabs: Tabs) -> None:
    """J01-J07, J12, J14, J16, J20, M16: no dialog, no request elsewhere, no violation, no link that runs."""
    person, path = PLACES[place]
    window = tabs(person)
    answer = window.go(instance.fill(path.replace("@", f"hostile_{row}")))
    provoke(window)

    assert answer.status == 200
    assert window.misdeeds == []
    assert wrong_links(window) == []
    assert window.page.evaluate(_STYLED) == []
    assert (
        window.page.evaluate("document.querySelectorAll('base, meta[http-equiv], object, embed, iframe').length") == 0
    )


@pytest.mark.parametrize("path", LISTS)
def test_lists_show_payloads_as_text(path: str, instance: Instance, tabs: Tabs) -> None:
    """Titles, names of accounts, keys and browsers included."""
    window = tabs("Alice")
    answer = window.go(path)
    provoke(window)

    assert answer.status == 200
    assert window.misdeeds == []
    assert wrong_links(window) == []
    assert window.page.evaluate(_STYLED) == []


@pytest.mark.parametrize("name", ["real-hostile", "hostile-all", "very-long", "right-to-left"])
def test_a_whole_hostile_page_is_only_text(name: str, instance: Instance, tabs: Tabs) -> None:
    """One that the engine has really fetched, and one with all payloads at once; also while a script helps."""
    known = name.replace("-", "_")
    for person, path in (("Alice", f"/reports/{{{known}.id}}"), ("Charlie", f"/r/{{{known}.slug}}")):
        window = tabs(person)
        answer = window.go(instance.fill(path))
        provoke(window)

        assert answer.status == 200
        assert window.misdeeds == []
        assert wrong_links(window) == []


def test_templates_in_a_page_are_not_evaluated(instance: Instance, tabs: Tabs) -> None:
    """J05: a product stays as it was written."""
    window = tabs("Charlie")
    window.go(instance.fill("/r/{hostile_J05.slug}"))
    window.page.evaluate(_OPEN_ALL)
    text = window.page.inner_text("main")

    assert "{{7*1337}}" in text
    assert [each for each in EVALUATED if each in text] == []


def test_directions_cannot_be_turned_around(instance: Instance, tabs: Tabs) -> None:
    """J07: overrides are shown as escapes, and text of pages is isolated from ours."""
    window = tabs("Charlie")
    window.go(instance.fill("/r/{hostile_J07.slug}"))
    window.page.evaluate(_OPEN_ALL)
    text = window.page.inner_text("body")

    assert not set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200b") & set(text)
    assert "\\u202e" in text


@pytest.mark.parametrize("path", ["/r/{password.slug}", "/r/{private.slug}", "/r/{queued.slug}"])
def test_a_locked_page_gives_nothing_away(path: str, instance: Instance, tabs: Tabs) -> None:
    """M04, J17: neither in the title, nor for previews of links, nor anywhere in what was sent."""
    window = tabs("Charlie")
    answer = window.go(instance.fill(path))
    sent = answer.text()

    assert [word for word in (SECRET_TITLE, SECRET_HOST, "waiting.example") if word in sent] == []
    assert window.page.title().count("example") == 0
    assert not any(word in sent for word in ("Bad", "Decent", "Good"))
    assert window.misdeeds == []


def test_what_loads_from_elsewhere_is_noticed(window_of: Open) -> None:
    """The watch itself watches: a script of ours may not load it either."""
    with window_of() as window:
        window.go("/problems")
        window.page.evaluate(f"new Image().src = 'https://{OUTSIDE}/x.png'")
        window.page.evaluate(_RUN_LINK)
        window.page.evaluate("setTimeout(() => alert('x'))")
        window.page.wait_for_timeout(200)
        noted = window.misdeeds

    assert any("img-src" in each for each in noted)
    assert any("script-src" in each for each in noted)
    assert any("dialog" in each for each in noted)
