"""Group G: shapes of HTML, served by a lab server and evaluated in the real child process."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from tests.fault import bodies
from tests.lab.case import Case, Expect, Holds, PerPlace, Place, Seen, done, done_or_failed, web
from tests.lab.servers import Script, paths, response

LIMIT: Final = done_or_failed("too_large")
"""Evaluated with a note, or a report that says the parser ran into its limits; never a lost one."""
EVALUATION_S: Final = 14.0
"""Ten seconds of CPU time in the child, and its replacement."""
MAX_REPORT_BYTES: Final = 2_000_000
MAX_TITLE: Final = 2_000
MAX_RESOURCES: Final = 200


def cases() -> Iterator[Case]:
    """Rows G01 to G18."""
    deep, attacks = 200_000, 50_000
    rows: tuple[tuple[str, str, Callable[[], bytes], Expect, tuple[Holds, ...]], ...] = (
        ("G01", "nested divs", bodies.repeated("<div>", deep), LIMIT, (_says_so,)),
        ("G02a", "nested b", bodies.repeated("<b>", deep), LIMIT, (_says_so,)),
        ("G02b", "nested svg", bodies.repeated("<svg>", deep), LIMIT, (_says_so,)),
        ("G02c", "nested tables", bodies.repeated("<table>", deep), LIMIT, ()),
        ("G02d", "nested mathematics", bodies.repeated("<math><mi>", deep), LIMIT, (_says_so,)),
        ("G02e", "options", bodies.repeated("<option>", deep), LIMIT, ()),
        ("G03", "fifty thousand attributes", lambda: bodies.many_attributes(attacks), LIMIT, ()),
        ("G04a", "the adoption agency: b and div", bodies.repeated("<b><div>", attacks), LIMIT, ()),
        ("G04b", "the adoption agency: a and div", bodies.repeated("<a><div>", attacks), LIMIT, ()),
        ("G05a", "comments never closed", bodies.repeated("<!--", attacks), done(), ()),
        ("G05b", "tags never closed", bodies.repeated("<a ", attacks), LIMIT, ()),
        ("G05c", "CDATA never closed", bodies.repeated("<![CDATA[", attacks), done(), ()),
        ("G05d", "quotes never closed", lambda: bodies.unterminated_quotes(attacks), LIMIT, ()),
        ("G06a", "a text of five megabytes", lambda: bodies.long_text(4_900_000), done(), ()),
        ("G06b", "an attribute of five megabytes", lambda: bodies.long_attribute(4_900_000), done(), ()),
        ("G06c", "a title of five megabytes", lambda: bodies.long_title(4_900_000), done(), (_short_title,)),
        ("G08a", "ten thousand head elements", lambda: bodies.many_head_elements(10_000), LIMIT, ()),
        ("G08b", "JSON-LD of a hundred thousand levels", lambda: bodies.deep_json(100_000), done(), ()),
        ("G08c", "JSON-LD of a hundred thousand lists", lambda: bodies.deep_json_lists(100_000), done(), ()),
        ("G08d", "JSON-LD with a number of a million digits", lambda: bodies.long_number(1_000_000), done(), ()),
        ("G09", "odd base elements", bodies.bases, done(), ()),
        ("G10", "nothing closed", bodies.unclosed, done(), ()),
        ("G11a", "plaintext", lambda: b"<!doctype html><title>Odd</title><plaintext><p>x</p>", done(), (_titled,)),
        (
            "G11b",
            "a textarea never closed",
            lambda: b"<!doctype html><title>Odd</title><textarea><p>x</p>",
            done(),
            (_titled,),
        ),
        (
            "G11c",
            "a script never closed",
            lambda: b"<!doctype html><title>Odd</title><script><p>x</p>",
            done(),
            (_titled,),
        ),
        (
            "G11d",
            "noscript in head",
            lambda: b"<!doctype html><title>Odd</title><noscript><p>x</noscript><p>y",
            done(),
            (_titled,),
        ),
        ("G12", "HTML in SVG in HTML", bodies.foreign, done(), (_titled,)),
        ("G13", "shadow roots and templates", bodies.shadow, done(), (_titled,)),
        ("G14", "bait for patterns with backtracking", lambda: bodies.bait(1_000_000), LIMIT, ()),
        ("G15a", "only <?", lambda: b"<?", done_or_failed("not_html"), ()),
        ("G15b", "only </", lambda: b"</", done_or_failed("not_html"), ()),
        ("G15c", "only a comment", lambda: b"<!-- nothing -->", done_or_failed("not_html"), ()),
        ("G16a", "a title of one letter with ten thousand marks", bodies.zalgo, done(), (_short_title,)),
        ("G17a", "a hundred thousand candidates", lambda: bodies.wide_srcset(100_000), LIMIT, (_few_resources,)),
        ("G17b", "a style of five megabytes", lambda: bodies.long_style(4_900_000), LIMIT, ()),
        ("G17c", "an image of five megabytes in a URL", lambda: bodies.long_data_uri(4_900_000), done(), ()),
    )
    for case_id, title, make, expect, holds in rows:
        yield _served(case_id, title, make, expect, holds)
    yield _served("G07", "a million references", lambda: bodies.many_references(100_000), LIMIT, (_few_resources,))
    xhtml = "application/xhtml+xml"
    yield _served("G18", "XHTML with entities", bodies.entities, done_or_failed("not_html"), (), media_type=xhtml)


def _served(
    case_id: str,
    title: str,
    make: Callable[[], bytes],
    expect: Expect,
    holds: tuple[Holds, ...],
    *,
    media_type: str = "text/html; charset=utf-8",
) -> Case:
    def script(_: Place) -> Script:
        return paths({"/": response(make(), content_type=media_type)})

    return Case(
        id=case_id,
        title=title,
        stage=web(PerPlace(script)),
        expect=expect,
        holds=(*holds, _bounded),
        budget_s=5,
        evaluation_s=EVALUATION_S,
    )


def _bounded(seen: Seen) -> str | None:
    size = seen.outcome.report_bytes
    return f"the report has {size} bytes" if size > MAX_REPORT_BYTES else None


def _says_so(seen: Seen) -> str | None:
    noted = any("limit" in note for note in seen.outcome.notes)
    return (
        None if noted or seen.outcome.state == "failed" else f"no note says that a limit was hit: {seen.outcome.notes}"
    )


def _short_title(seen: Seen) -> str | None:
    return f"a title of {len(seen.outcome.title)} characters" if len(seen.outcome.title) > MAX_TITLE else None


def _titled(seen: Seen) -> str | None:
    return None if seen.outcome.title == "Odd" else f"the title is {seen.outcome.title!r}"


def _few_resources(seen: Seen) -> str | None:
    fetched = sum(1 for value in seen.outcome.resources.values() if value.isdigit())
    return f"fetched {fetched} sub-resources" if fetched > MAX_RESOURCES else None
