"""Every parser of what sites send takes time in proportion to its input: n, 2n, 4n of every kind of nuisance."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import pytest

from pagegrade.model.artifacts import Response
from pagegrade.parse import (
    emails,
    language_tags,
    mojibake,
    page_links,
    rich_results,
    script_json,
    secrets,
    structured_data,
    words,
)
from pagegrade.parse.css import colors, font_faces, image_space, minified
from pagegrade.parse.css import newer_features as newer_css
from pagegrade.parse.css import urls as css_urls
from pagegrade.parse.files import (
    agent_files,
    content_preferences,
    image,
    javascript,
    javascript_libraries,
    legacy_javascript,
    manifest,
    robots,
    security_txt,
    sitemap,
)
from pagegrade.parse.html import declarations, parser, srcset, viewport
from pagegrade.parse.html import newer_features as newer_html
from pagegrade.parse.http import (
    caching,
    cookies,
    csp,
    headers,
    hsts,
    integrity,
    permissions_policy,
    robots_directives,
    structured_fields,
)
from pagegrade.parse.url import host_problem, join_url
from tests.linear import MAX_RATIO, growth

URL: Final = "https://example.com/a"
SIZE: Final = 6_000
"""n: characters of the shortest input."""

Parser = Callable[[str], object]


def _response(body: str = "", **lines: str) -> Response:
    named = tuple((name.replace("_", "-"), value) for name, value in lines.items())
    return Response(url=URL, status=200, headers=named, body=body.encode())


def _sitemap(text: str) -> object:
    return sitemap.read_sitemap(text.encode(), url=URL, page_url=URL, source="robots", status=200)


PARSERS: Final[dict[str, Parser]] = {
    "robots.txt": lambda text: robots.parse_robots_txt(_response(text)),
    "robots.txt rule": lambda text: robots.permitted(
        _response(f"User-agent: *\nDisallow: /{text}"), (f"https://example.com/{text[:2_000]}",)
    ),
    "Content-Signal": content_preferences.read_content_signal,
    "Content-Usage": lambda text: content_preferences.read_content_usage(text, in_robots_txt=True),
    "robots meta": lambda text: robots_directives.parse_robots_meta("robots", text),
    "X-Robots-Tag": robots_directives.parse_x_robots_tag,
    "sitemap": _sitemap,
    "sitemap entries": lambda text: _sitemap(f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{text}'),
    "declared sitemaps": lambda text: robots.find_declared_sitemaps(text.encode(), url=URL),
    "security.txt": lambda text: security_txt.parse_security_txt(text.encode()),
    "agent file": lambda text: agent_files.read_agent_files((("agent-card", URL, _response(text)),)),
    "manifest": lambda text: manifest.read_manifest(text.encode(), URL, URL),
    "JSON-LD": structured_data.read_json_ld,
    "values of JSON-LD": lambda text: list(rich_results.faults_of_values(dict.fromkeys(VALUES, text))),
    "import map": script_json.skipped_of_import_map,
    "speculation rules": script_json.skipped_of_speculation_rules,
    "speculation rule": lambda text: script_json.skipped_of_speculation_rules('{"prefetch":[' + text + "]}"),
    "image": lambda text: image.read_image(text.encode()),
    "icon file": lambda text: image.find_shown_image(b"\0\0\1\0" + text.encode()),
    "SVG": lambda text: image.read_image(f"<svg {text}".encode()),
    "style sheet": lambda text: css_urls.find_css_urls(text, base_url=URL),
    "style attribute": lambda text: css_urls.find_css_urls(text, base_url=URL, declarations=True),
    "style sheet's charset": lambda text: css_urls.decode_stylesheet(text.encode(), text),
    "newer CSS": lambda text: newer_css.find_newer_features(text.encode()),
    "newer CSS in rules": lambda text: newer_css.find_newer_features(f"a{{text-fit:x}}@supports(a){{{text}".encode()),
    "newer HTML": lambda text: newer_html.find_newer_markup(text.encode()),
    "font faces": lambda text: font_faces.find_font_faces(text, stylesheet_url=URL),
    "font face": lambda text: font_faces.find_font_faces("@font-face{" + text, stylesheet_url=URL),
    "minified style sheet": lambda text: minified.minified_stylesheet_bytes(text.encode()),
    "color": colors.is_css_color,
    "minified script": lambda text: javascript.minified_script_bytes(text.encode()),
    "script": javascript.read_script,
    "document.write": javascript.count_document_writes,
    "marks of a script": javascript.marks_of_script,
    "jQuery": javascript.find_jquery_versions,
    "source map": lambda text: javascript.find_source_map(text.encode()),
    "legacy script": lambda text: legacy_javascript.find_legacy_javascript(text.encode()),
    "libraries": lambda text: javascript_libraries.find_libraries(text.encode()),
    "library of a URL": javascript_libraries.library_of_url,
    "srcset": srcset.parse_srcset,
    "viewport": viewport.parse_viewport,
    "charset of a type": declarations.charset_of_content_type,
    "charset of a meta": lambda text: declarations.charset_of_content_type(text, meta=True),
    "charset declarations": lambda text: declarations.declarations(text.encode(), None, ()),
    "cookie": lambda text: cookies.parse_cookie(text, url=URL),
    "cookie's date": cookies.parse_cookie_date,
    "caching": lambda text: caching.read_cache_policy(_response(Cache_Control=text, Expires=text, Vary=text)),
    "CSP": csp.parse_policy,
    "CSP sources": lambda text: csp.parse_policy(f"img-src {text}"),
    "Permissions-Policy": lambda text: permissions_policy.parse_permissions_policy([text]),
    "robots tag of another name": lambda text: robots_directives.parse_robots_meta(text, "noindex"),
    "section of a URL": page_links.section_of,
    "nonces": csp.mask_nonces,
    "HSTS": lambda text: hsts.parse_hsts([text]),
    "integrity": integrity.parse_integrity,
    "list header": lambda text: headers.parse_list([text]),
    "directives": lambda text: headers.parse_directives([text]),
    "media type": headers.parse_media_type,
    "Link": lambda text: headers.parse_links([text]),
    "structured dictionary": lambda text: structured_fields.parse_dictionary([text]),
    "structured item": lambda text: structured_fields.parse_item([text]),
    "language tag": language_tags.parse_language_tag,
    "mojibake": lambda text: list(mojibake.find_mojibake(text)),
    "secrets": lambda text: secrets.find_secrets(text.encode()),
    "named secrets": lambda text: secrets.find_named_secrets(text.encode()),
    "e-mail addresses": lambda text: list(emails.find_emails(text)),
    "mailto": lambda text: list(emails.find_mailto_emails(f"mailto:{text}")),
    "space of images": lambda text: image_space.images_with_space([], [text]),
    "word count": words.count_words,
    "words as search engines compare them": words.fold_for_search,
    "words of a title": lambda text: words.significant_words(text, "en"),
    "a word of a title": lambda text: words.contains_word(text, text[: words.MAX_TITLE]),
    "frequent words": lambda text: words.top_terms_of_text(text, 10),
    "URL": lambda text: join_url(URL, text),
    "host": host_problem,
}
VALUES: Final[tuple[str, ...]] = (
    "price",
    "ratingValue",
    "bestRating",
    "duration",
    "datePublished",
    "availability",
    "reviewCount",
)
NUISANCES: Final = (
    *"a0 \n\"'(){}[]<>/\\,;:=&%.@#!-+*$|`?\0",
    "//", "/*", "*/", "<!--", "-->", "..", "a,", "a;", "a=b;", 'a="b', "a =", '"a",', '\\"', "\\a", "url(", 'url("',
    "@import ", "@media{", "src:url(", "a{", '{"a":', "[1,", "a@", "a@b.", ".a@", "http://", "a 1x, ", "( ", "<a ",
    "<loc>", "<url><loc>", "</", "<?", "<![CDATA[", "<!DOCTYPE ", "&#", "&amp;", "User-agent: a\n", "Disallow: /*a*\n",
    "*a",
    "Sitemap: a\n", "sha256-a ", "charset=", "a/b;", '; a="', "<a>; rel=", 'rel="a" ', "1x", "Mon, 01 ", "é", "字",
    "\N{PILE OF POO}", "jQuery v", "document . write (", "//# sourceMappingURL=", "\r\n", "${", "=/", "/[", "return /",
    "format(", "width = ", "a-b-", "'nonce-", "'a' ", ";;", "  ,", "a.b.", "xn--", "Content-Signal: a=yes\n", "a=yes,",
    "AKIA", "SG.", "T3BlbkFJ", "sk-T3BlbkFJ", "1:AA", "-----BEGIN PRIVATE KEY-----M", "eyJhbGciOi", "eyJhbGciOi.",
    "?sv=20", "&sv=20", "mailgun key-", "mongodb://a:", "authToken='", "gsk_ab", "Ã¤", "Ã", "__spreadArray",
    "â€", "\ufffd", "@supports ", "@supports{", ":open", "text-fit", "text-fit:", "base-select", "abs(",
    " popover", "<a popover", "<script ", "<div popover>",
)  # fmt: skip
"""Repeated parts: delimiters that never close, escapes, prefixes of what a parser looks for."""
ELEMENTS: Final = (
    "<b>x</b>", "<p>", "<div>", "<b><p>", "<a href=/#>x", "<img src=a# srcset='a 1x, b 2x'>", "<h2 id=a>x</h2>",
    "<span id=a#>", "<label for=a#><input id=a#>", "<input aria-labelledby='a1 a2 a#'>",
    "<p id=a# aria-labelledby=a#>x", "<table><tr><td headers='a b'>x", "<select><option>a", "<meta name=a content=b>",
    "<link rel=stylesheet href=a#>",
    "<link rel=alternate hreflang=en href=a#>", "<script src=a#></script>", "<style>a{color:red}</style>",
    "<p style='color:red;background:url(a#)'>x", "<script type=application/ld+json>{}</script>", "<div itemscope>",
    "<iframe src=a#></iframe>", "<form action=/#><input type=password></form>", "<ul><li>a", "<dl><dt>a", "<svg><g>",
    "<template><p>", "<noscript><img src=a>", "<video><source src=a#>", "<base href=a>", "<title>a</title>", "<main>",
    "word ", "a@b#.com ", "&amp;", "&bogus", "字字字 ", "<!--", "<a", "<a b='", "</p>", "</b></i>", "<font color=red>",
    "<div role=list><div role=listitem>x</div></div>", "<details><summary>a", "<b class='a b c#'>x</b>", "<textarea>a",
)  # fmt: skip
"""Contents of pages; ``#`` is a number that goes up."""


def measured(parse: Parser, make: Callable[[int], str], size: int, *, settled: bool = False) -> float:
    """Growth of the time of a parser on inputs of n, 2n, 4n characters, which are made before it is measured."""
    texts = {factor * size: make(factor * size) for factor in (1, 2, 4)}
    return growth(lambda length: parse(texts[length]), size, settled=settled)


def repeated(piece: str) -> Callable[[int], str]:
    """So many characters of it; an end that fits nothing makes a parser that looks back do so."""
    return lambda size: piece * (size // len(piece)) + "!"


def numbered(piece: str) -> Callable[[int], str]:
    """A page of so many characters."""
    return lambda size: (
        "<!doctype html><title>x</title><body>"
        + "".join(piece.replace("#", str(number)) for number in range(size // len(piece)))
    )


@pytest.mark.parametrize("name", PARSERS)
def test_a_parser_takes_time_in_proportion(name: str) -> None:
    """Whatever is sent to it again and again."""
    slow = {
        piece: ratio for piece in NUISANCES if (ratio := measured(PARSERS[name], repeated(piece), SIZE)) > MAX_RATIO
    }

    assert slow == {}


def test_a_page_is_read_in_time_in_proportion() -> None:
    """Of whatever elements it consists."""

    def read(text: str) -> object:
        return parser.parse_document(text.encode(), url=URL, content_type="text/html; charset=utf-8")

    read("<p>")
    slow = {piece: ratio for piece in ELEMENTS if (ratio := measured(read, numbered(piece), SIZE)) > MAX_RATIO}

    assert slow == {}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16le", "utf-16be"])
@pytest.mark.parametrize("piece", ["<html a#=1>", "<body a#=1>", "<HTML\ta#='1'/>", "<html/a#=1><body a#=1>"])
def test_attributes_of_repeated_tags_are_merged_in_time_in_proportion(piece: str, encoding: str) -> None:
    """Each tag may add others, and the parser looks at all that are there."""

    def read(text: str) -> object:
        return parser.parse_document(text.encode(encoding), url=URL, content_type=f"text/html; charset={encoding}")

    assert measured(read, numbered(piece), 4 * SIZE) <= MAX_RATIO


def test_a_quadratic_parser_is_noticed() -> None:
    """The measure can fail."""

    def count_pairs(text: str) -> int:
        return sum(1 for start in range(len(text)) for _ in range(start))

    assert measured(count_pairs, repeated("a"), SIZE // 8, settled=True) > MAX_RATIO
