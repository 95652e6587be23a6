"""Error pages with a success status are recognized; pages about such errors and pages that were asked for are graded."""

from __future__ import annotations

import pytest

from tests.builders import make_well_known
from tests.parse.page_kind.pages import kind_of, site, words

URL = "https://shop.example/p/4471-teak-bench"
ERRORS = {
    "shop": site("Page not found - Otterline", "<h1>Sorry, we can't find that page</h1><p>The product you are looking for is no longer available.</p>"),
    "wordpress": site("Page not found &#8211; Otterline", "<h1>Oops! That page can&rsquo;t be found.</h1><p>It looks like nothing was found at this "
                      "location. Maybe try a search?</p><form><label>Search <input name=s></label></form>"),
    "number": site("404", "<h1>404</h1><p>Page not found</p><a href='/'>Back to home</a>"),
    "German": site("Seite nicht gefunden | Otterline", "<h1>Fehler 404</h1><p>Die gesuchte Seite wurde verschoben oder gelöscht. Zurück zur "
                   "Startseite</p>", lang="de"),
    "French": site("Page introuvable - Otterline", "<h1>Page introuvable</h1><p>La page que vous recherchez a été déplacée.</p>", lang="fr"),
    "Spanish": site("Página no encontrada", "<h1>404</h1><p>La página que buscas no existe. Volver al inicio</p>", lang="es"),
    "Polish": site("Nie znaleziono strony - Otterline", "<h1>Błąd 404</h1><p>Strona, której szukasz, nie istnieje.</p>", lang="pl"),
    "Russian": site("Страница не найдена", "<h1>404</h1><p>Запрашиваемая страница не найдена. Вернуться на главную</p>", lang="ru"),
    "Japanese": site("ページが見つかりません | Otterline", "<h1>お探しのページは見つかりませんでした</h1><p>URLをご確認ください。</p>", lang="ja"),
}  # fmt: skip
PAGES = {
    "guide": site("How to design a 404 page", f"<h1>How to design a 404 page</h1><p>Page not found, error 404: the page you requested is gone.</p>{words(250)}"),
    "book": site("Not Found: a novel", f"<h1>Not Found: a novel</h1>{words(90)}"),
    "empty search": site("Search results", "<h1>Search results</h1><p>No results found. Try another word.</p>"),
    "bus line": site("Line 404 - Timetable", f"<h1>Line 404</h1>{words(60)}"),
    "sold out": site("Teak bench - Otterline", f"<h1>Teak bench</h1><p>This product is no longer available.</p>{words(60)}"),
}  # fmt: skip


@pytest.mark.parametrize("name", ERRORS)
def test_error_page_is_recognized(name: str) -> None:
    """Inside the whole layout of the site, in many languages."""
    assert kind_of(ERRORS[name], url=URL) == "soft_404"


@pytest.mark.parametrize("name", PAGES)
def test_page_that_exists_is_graded(name: str) -> None:
    """A number, a phrase or an empty search is no error page."""
    assert kind_of(PAGES[name], url=URL) is None


def test_error_page_that_was_asked_for_is_graded() -> None:
    """The quality of the error page is what was asked for."""
    assert kind_of(ERRORS["number"], url="https://shop.example/404.html") is None


def test_answer_that_every_wrong_address_gets_counts_as_a_signal() -> None:
    """The title alone is not enough; the same title for an address that cannot exist is one signal more."""
    html = site(
        "Page not found",
        "<h1>Otterline</h1><p>Try a search instead, or see what is new this week in tents and boots and maps.</p>",
    )
    probe = make_well_known(html, url="https://shop.example/zebra-lantern")

    assert kind_of(html, url=URL) is None
    assert kind_of(html, url=URL, probe=probe) == "soft_404"


@pytest.mark.parametrize(
    ("html", "places"),
    [
        (
            site(
                "Pagina non trovata - X",
                "<h1>Oops! Pagina non trovata</h1><p>La pagina che stai cercando non esiste. Torna alla home</p>",
            ),
            {"url": "https://x.example/a/b"},
        ),
        (
            site("Página não encontrada | X", "<h1>404</h1><p>A página que você procura não foi encontrada.</p>"),
            {"url": "https://x.example/a/b"},
        ),
        (
            site("404 Not Found | X", "<h1>Not Found</h1><p>The page you requested could not be found.</p>"),
            {"url": "https://x.example/a/b"},
        ),
        (
            site(
                "Pagina niet gevonden - X", "<h1>Pagina niet gevonden</h1><p>De pagina die je zoekt is verplaatst.</p>"
            ),
            {"url": "https://x.example/a/b"},
        ),
        (
            site(
                "X",
                "<h1>Oops! We couldn't find the page you were looking for</h1><p>Error 404. It may have been moved. Go back to the homepage</p>",
            ),
            {"url": "https://x.example/a/b"},
        ),
        (site("页面不存在", "<h1>抱歉，您访问的页面不存在</h1><p>404</p>"), {"url": "https://x.example/a/b"}),
    ],
)
def test_more_products(html: str, places: dict[str, str]) -> None:
    """Shorter pages of further products."""
    assert kind_of(html, url=places.get("url", "https://otterline.example/"), asked=places.get("asked")) == "soft_404"
