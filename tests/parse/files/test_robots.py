"""Tests of reading robots.txt and deciding by it."""

from __future__ import annotations

import pytest

import pagegrade.parse.files.robots as robots_module
from pagegrade.checks.seo.ai_crawler_access import OTHERS, RETRIEVAL, TRAINING
from pagegrade.model.artifacts import NotGathered, Response
from pagegrade.parse.files.robots import (
    MAX_BYTES,
    MAX_DECLARED,
    MAX_EXTENSION_CHARACTERS,
    MAX_EXTENSIONS,
    MAX_PROBLEMS,
    OWN_TOKEN,
    Robots,
    crawl_delay,
    find_declared_sitemaps,
    looks_like_html,
    parse_robots_txt,
    path_of,
    permitted,
)

SITE = "https://example.com"


def make_answer(body: str | bytes, *, status: int = 200, truncated: str | None = None) -> Response:
    """The answer to /robots.txt."""
    data = body.encode() if isinstance(body, str) else body
    return Response(url=SITE + "/robots.txt", status=status, body=data, truncated=truncated)


def make_robots(body: str | bytes, *, status: int = 200, truncated: str | None = None) -> Robots:
    """A file that could be read."""
    robots = parse_robots_txt(make_answer(body, status=status, truncated=truncated))
    assert isinstance(robots, Robots)
    return robots


def allows(rules: str, path: str) -> bool:
    """Return whether a group for all crawlers with these rules (one a line) lets ``agent`` fetch ``path``."""
    return make_robots(f"User-agent: *\n{rules}").decide("Googlebot", SITE + path).allowed


@pytest.mark.parametrize(
    ("status", "access"),
    [
        (200, "rules"),
        (204, "rules"),
        (301, "allow_all"),
        (400, "allow_all"),
        (401, "allow_all"),
        (403, "allow_all"),
        (404, "allow_all"),
        (410, "allow_all"),
        (429, "disallow_all"),
        (500, "disallow_all"),
        (503, "disallow_all"),
    ],
)
def test_status_decides_whether_there_are_rules(status: int, access: str) -> None:
    """A client error means no restrictions; a server error, and being rate limited, a ban at first."""
    robots = make_robots("User-agent: *\nDisallow: /", status=status)
    expected = {"rules": status != 200, "allow_all": True, "disallow_all": False}[access]

    assert robots.access == access
    if status != 204:
        assert robots.decide("Googlebot", SITE + "/a").allowed is expected


@pytest.mark.parametrize(("truncated", "code"), [("connection", "protocol"), ("coding", "decode"), ("time", "timeout")])
def test_half_a_file_is_not_evaluated(truncated: str, code: str) -> None:
    """A body that broke off may miss the rule that matters."""
    robots = parse_robots_txt(make_answer("User-agent: *\nDisallow: /", truncated=truncated))

    assert isinstance(robots, NotGathered)
    assert robots.code == code


@pytest.mark.parametrize(
    "body",
    [
        "<!doctype html><pre>User-agent: *\nDisallow: /</pre>",
        "\n  <HTML>\n<title>Shop</title>",
        "\ufeff<!DOCTYPE HTML>\n<p>Disallow: /",
        "<!-- app shell -->\n<div id=app></div>",
    ],
)
def test_html_in_place_of_the_file_bans_no_crawler(body: str) -> None:
    """An application that answers everything with its own page has no robots.txt."""
    robots = make_robots(body)

    assert robots.is_html
    assert robots.decide("Googlebot", SITE + "/a").allowed


@pytest.mark.parametrize(
    "head",
    [
        "<!-- \u7ba1\u7406 -->",
        "<?xml version='1.0' encoding='UTF-8'?>",
        "<!DOCTYPE html>",
        "<html><body><pre>",
        "<div>\u0641\u0631\u064a\u0642</div>",
        "<meta charset=utf-8>",
    ],
)
def test_lines_behind_markup_count(head: str) -> None:
    """Google skips the lines that it cannot read, whatever kind of file they seem to open."""
    robots = make_robots(f"{head}\nUser-agent: *\nDisallow: /private/\n")

    assert not robots.is_html
    assert not robots.decide("Googlebot", SITE + "/private/a").allowed
    assert [problem.line for problem in robots.problems] == [1]


def test_byte_order_mark_does_not_hide_the_first_line() -> None:
    """A mark in front of ``User-agent`` is not part of the word."""
    robots = make_robots(b"\xef\xbb\xbfUser-agent: *\nDisallow: /a")

    assert not robots.decide("Googlebot", SITE + "/a").allowed
    assert not robots.problems


def test_rules_behind_the_limit_do_not_count() -> None:
    """Lines beyond 500 KiB are not read, and a path cut by the limit is no rule."""
    head = "User-agent: *\n"
    filler = "#" * (MAX_BYTES - len(head) - len("\nDisallow: /a"))
    inside = make_robots(f"{head}{filler}\nDisallow: /a")
    beyond = make_robots(f"{head}{filler}\nDisallow: /admin")

    assert not inside.over_limit
    assert not inside.decide("x", SITE + "/a").allowed
    assert beyond.over_limit
    assert beyond.decide("x", SITE + "/admin").allowed


def test_line_cut_by_our_own_limit_is_no_rule() -> None:
    """A body that was read up to the limit ends with half a line, which is left out."""
    robots = make_robots("User-agent: *\nDisallow: /a\nDisallow: /adm", truncated="limit")

    assert robots.over_limit
    assert not robots.decide("x", SITE + "/a").allowed
    assert robots.decide("x", SITE + "/adm").rule == "Disallow: /a"


def test_only_the_most_specific_group_counts() -> None:
    """A crawler with a group of its own ignores the general one, in whatever order they stand."""
    robots = make_robots("User-agent: GoogleBot/2.1\nDisallow: /a\n\nUser-agent: *\nDisallow: /\n")

    assert robots.decide("googlebot", SITE + "/b").allowed
    assert not robots.decide("Googlebot", SITE + "/a").allowed
    assert not robots.decide("bingbot", SITE + "/b").allowed


def test_groups_of_one_crawler_merge() -> None:
    """Two groups for the same name are one, case does not matter, and other groups in between do not end them."""
    robots = make_robots("User-agent: a\nDisallow: /1\nUser-agent: b\nDisallow: /2\nUser-agent: A\nDisallow: /3")

    assert not robots.decide("a", SITE + "/1").allowed
    assert robots.decide("a", SITE + "/2").allowed
    assert not robots.decide("a", SITE + "/3").allowed


def test_several_names_share_a_group_across_other_lines() -> None:
    """Comments, empty lines, sitemaps and unknown directives do not end the naming; a rule does."""
    robots = make_robots(
        "User-agent: a\n# note\n\nSitemap: https://example.com/s.xml\nCrawl-delay: 5\nUser-agent: b\nDisallow: /1\n"
        "User-agent: c\nDisallow: /2"
    )

    assert not robots.decide("a", SITE + "/1").allowed
    assert not robots.decide("b", SITE + "/1").allowed
    assert robots.decide("a", SITE + "/2").allowed


def test_own_group_without_rules_allows_everything() -> None:
    """An empty ``Disallow`` frees a crawler from the rules for the others."""
    robots = make_robots("User-agent: *\nDisallow: /\n\nUser-agent: Googlebot\nDisallow:\n")
    decision = robots.decide("Googlebot", SITE + "/a")

    assert decision.allowed
    assert (decision.reason, decision.agent_group) == ("no_rule", "Googlebot")


@pytest.mark.parametrize("agent", [*TRAINING, *RETRIEVAL, *OTHERS, "360Spider"])
def test_every_known_crawler_has_its_own_group(agent: str) -> None:
    """Its rules bind it, and no crawler whose name is the beginning of that name."""
    robots = make_robots(f"User-agent: {agent}/1.0\nDisallow: /a\n\nUser-agent: *\nDisallow: /b\n")

    assert not robots.decide(agent, SITE + "/a").allowed
    assert robots.decide(agent, SITE + "/b").allowed
    assert robots.decide(agent[:2], SITE + "/a").allowed


def test_a_comment_names_no_agent() -> None:
    """A group header behind a hash does not open a group."""
    robots = make_robots("#User-agent: *\nDisallow: /")

    assert robots.decide("Googlebot", SITE + "/a").allowed
    assert robots.problem_counts == {"rule_before_group": 1}


def test_decision_names_line_rule_and_group() -> None:
    """The report can point at what decided."""
    robots = make_robots("# shop\r\nUser-agent: *\r\nAllow: /a\r\nDisallow: /a/b # secret\r\n")
    decision = robots.decide("bingbot", SITE + "/a/b/c")

    assert not decision.allowed
    assert (decision.reason, decision.line, decision.rule, decision.agent_group) == ("rule", 4, "Disallow: /a/b", "*")


def test_decisions_without_a_rule_say_why() -> None:
    """No group, no matching rule, no file and the file itself are distinguished."""
    robots = make_robots("User-agent: a\nDisallow: /")

    assert robots.decide("b", SITE + "/").reason == "no_group"
    assert robots.decide("a", SITE + "/robots.txt").reason == "robots_txt"
    assert make_robots("", status=404).decide("a", SITE + "/").reason == "no_file"
    assert make_robots("", status=500).decide("a", SITE + "/").reason == "unavailable"
    assert make_robots("User-agent: a\nDisallow: /x").decide("a", SITE + "/").reason == "no_rule"


@pytest.mark.parametrize(
    ("rules", "path", "allowed"),
    [
        ("Disallow: /", "/", False),
        ("Disallow:", "/", True),
        ("Disallow: /fish", "/fish/salmon.html", False),
        ("Disallow: /fish", "/Fish", True),
        ("Disallow: /fish/", "/fish", True),
        ("Disallow: fish", "/fish", True),
        ("Allow: /p\nDisallow: /", "/page", True),
        ("Disallow: /\nAllow: /p", "/page", True),
        ("Disallow: /folder\nAllow: /folder", "/folder/page", True),
        ("Allow: /folder\nDisallow: /folder", "/folder/page", True),
        ("Allow: /page\nDisallow: /*.htm", "/page.htm", False),
        ("Allow: /$\nDisallow: /", "/", True),
        ("Allow: /$\nDisallow: /", "/page.htm", False),
        ("Disallow: /*.php", "/folder/filename.php?parameters", False),
        ("Disallow: /*.php", "/windows.PHP", True),
        ("Disallow: /*.php$", "/filename.php", False),
        ("Disallow: /*.php$", "/filename.php?parameters", True),
        ("Disallow: /*.php$", "/filename.php5", True),
        ("Disallow: /fish*.php", "/fishheads/catfish.php?x", False),
        ("Disallow: *a*b", "/x/a/b", False),
        ("Disallow: *a*b", "/x/b/a", True),
        ("Disallow: /a*a$", "/a", True),
        ("Disallow: /a*a$", "/aa", False),
        ("Disallow: *", "/x", False),
        ("Disallow: /a**b", "/axb", False),
        ("Disallow: /?", "/?q=1", False),
        ("Disallow: /?", "/q", True),
        ("Disallow: /a$b", "/a$b", False),
        ("Disallow: /a%24", "/a$", False),
        ("Disallow: /a-%2A.html", "/a-*.html", False),
        ("Disallow: /a-%2A.html", "/a-x.html", True),
        ("Disallow: /caf\u00e9", "/caf%C3%A9", False),
        ("Disallow: /caf%c3%a9", "/caf%C3%A9/x", False),
        ("Disallow: /%7Ejoe", "/~joe", False),
        ("Disallow: /~joe", "/%7Ejoe", False),
        ("Disallow: /a%2Fb", "/a/b", True),
        ("Disallow: /a/b", "/a%2Fb", True),
        ("Disallow: /a%2fb", "/a%2Fb", False),
        ("Disallow: /100%", "/100%25", False),
        ("Disallow: /a b", "/a%20b", True),
        ("DISALLOW : /a", "/a", False),
        ("Disallow /a", "/a", False),
        ("Disalow: /a", "/a", False),
        ("Disallowed: /a", "/a", False),
        ("Allowed: /a\nDisallow: /", "/a", True),
        ("\x0bDisallow:\x0c/a\x0b", "/a", False),
    ],
)
def test_matching(rules: str, path: str, *, allowed: bool) -> None:
    """Longest match, allow on a tie, wildcards, the end mark and equal octets, as the RFC and Google describe them."""
    assert allows(rules, path) is allowed


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("https://example.com", "/"),
        ("https://example.com/", "/"),
        ("https://example.com/a?b=/c#d", "/a?b=/c"),
        ("https://example.com?q", "/?q"),
        ("https://example.com#f/g", "/"),
        ("https://example.com/*$", "/%2A%24"),
    ],
)
def test_path_of_a_url(url: str, path: str) -> None:
    """Path and query count, scheme, host and fragment do not."""
    assert path_of(url) == path


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("Unicorn: /a", "unknown_directive"),
        ("Disalow: /a", "misspelled"),
        ("Disallow /a", "missing_colon"),
        ("hello", "no_directive"),
        ("User-agent:", "empty_agent"),
        ("Disallow: /a$b", "dollar_not_last"),
        ("Disallow: a", "path_not_rooted"),
        ("Sitemap: /sitemap.xml", "relative_sitemap"),
        ("Disallowed: /a", "misspelled"),
        ("User-agents: a", "misspelled"),
        ("User-agent: Yandex, Baiduspider", "several_names"),
        ("User-agent: Yandex;Baiduspider", "several_names"),
        ("User-agent: Yandex Baiduspider", "several_names"),
        ("User-agent: Opera/9.8 (Linux; Yandex/3.0)", "several_names"),
        ("User-agent: * Disallow: /", "several_names"),
        ('User-agent: "Yandex"', "several_names"),
        ("User-agent: \u767e\u5ea6", "several_names"),
        ("User-agent: Yandex*", "wildcard_in_name"),
        ("User-agent: *spider*", "wildcard_in_name"),
        ("Disallow: /a /b", "space_in_address"),
        ("Disallow: /\u043a\u043e\u0440\u0437\u0438\u043d\u0430/, /\u0432\u0445\u043e\u0434/", "space_in_address"),
        ("Disallow: /a/,/b/", "several_paths"),
        ("Disallow: /a/|/b/", "several_paths"),
        ("Sitemap: https://example.com/a.xml https://example.com/b.xml", "space_in_address"),
        ("Disallow\uff1a/a", "no_directive"),
    ],
)
def test_oddities_are_listed_with_their_line(line: str, code: str) -> None:
    """A line that a crawler skips or may misread is named with its place."""
    robots = make_robots(f"User-agent: *\nDisallow: /b\n{line}\n")

    assert robots.problem_counts == {code: 1}
    assert [(problem.code, problem.line, problem.text) for problem in robots.problems] == [(code, 3, line)]


@pytest.mark.parametrize(
    "hidden",
    ["\u00a0", "\u3000", "\u2003", "\u202f", "\u200b", "\ufeff", "\u200e", "\u200f", "\u2060", "\u00ad", "\u0085"],
)
@pytest.mark.parametrize(
    ("line", "path"),
    [
        ("{}Disallow: /\u30ab\u30fc\u30c8/", "/%E3%82%AB%E3%83%BC%E3%83%88/"),
        ("Disallow:{}/\u0633\u0644\u0629/", "/%D8%B3%D9%84%D8%A9/"),
        ("Disallow: /a/{}", "/a/"),
    ],
)
def test_white_space_is_that_of_ascii(hidden: str, line: str, path: str) -> None:
    """Another space, or an invisible mark, is part of the word: the rule has no effect, and is listed."""
    written = line.format(hidden)
    robots = make_robots(f"User-agent: *\n{written}\n")

    assert robots.decide("Googlebot", SITE + path).allowed
    assert [(problem.code, problem.text) for problem in robots.problems] == [("invisible_character", written)]


@pytest.mark.parametrize("name", ["\u00a0Googlebot", "Googlebot\u200b", "\ufeff*"])
def test_names_with_hidden_characters_are_listed(name: str) -> None:
    """At the edges of a name as at those of a path."""
    assert make_robots(f"User-agent: {name}\nDisallow: /\n").problem_counts == {"invisible_character": 1}


@pytest.mark.parametrize(
    "line",
    [
        "User-agent: GPTBot/1.2",
        "User-agent: archive.org_bot",
        "User-agent: 360Spider",
        "Disallow: /a,b/",
        "Disallow: /\u06a9\u062a\u0627\u0628\u200c\u0647\u0627/",
        "Disallow: /\u00a0x",
        "\tDisallow:\t/a\t",
    ],
)
def test_what_crawlers_read_as_meant_is_no_oddity(line: str) -> None:
    """A version, a dot or digit in a name, a comma or joiner within a path."""
    assert not make_robots(f"User-agent: *\nDisallow:\n{line}\nDisallow:\n").problems


def test_rule_before_any_group_binds_no_agent() -> None:
    """It is listed and does not count."""
    robots = make_robots("Disallow: /\nUser-agent: *\nDisallow: /a")

    assert robots.problem_counts == {"rule_before_group": 1}
    assert robots.decide("Googlebot", SITE + "/b").allowed


@pytest.mark.parametrize(
    "line", ["Crawl-delay: 10", "Content-Signal: ai-train=no", "License: /l.xml", "Agentmap: /a", "Host: x"]
)
def test_documented_extensions_are_no_oddities(line: str) -> None:
    """The RFC allows further directives, and these have a documentation."""
    assert not make_robots(f"User-agent: *\n{line}\nDisallow:\n").problems


def test_only_line_ends_end_lines() -> None:
    """Carriage returns alone end a line; other separators of Unicode do not."""
    robots = make_robots("User-agent: *\rDisallow: /a\u2028Allow:/a\u0085x")

    assert not robots.decide("x", SITE + "/a%E2%80%A8Allow:/a%C2%85x").allowed
    assert robots.decide("x", SITE + "/a").allowed


def test_sitemaps_are_collected_once_anywhere() -> None:
    """Sitemap lines belong to no group, keep their case and order, and count once."""
    body = b"sitemap: https://example.com/B.xml\nUser-agent: *\nDisallow: /\nSITEMAP:https://example.com/a.xml # x\n"

    assert make_robots(body * 2).sitemaps == ("https://example.com/B.xml", "https://example.com/a.xml")


def test_problems_are_bounded_and_counted() -> None:
    """A file of nonsense lists a hundred lines, counts all, and still names each kind once."""
    robots = make_robots("User-agent: *\n" + "nonsense\n" * 5_000 + "Disallow: a")

    assert len(robots.problems) == MAX_PROBLEMS + 1
    assert robots.problem_counts == {"no_directive": 5_000, "path_not_rooted": 1}


def test_sixty_thousand_rules_are_decided_by() -> None:
    """The last of very many rules still counts."""
    robots = make_robots("User-agent:*\n" + "".join(f"Allow:/{n}\n" for n in range(40_000)) + "Disallow:/end")

    assert not robots.decide("x", SITE + "/end").allowed
    assert robots.decide("x", SITE + "/39999").line == 40_001


def test_patterns_made_to_backtrack_stay_linear() -> None:
    """A quarter of a million stars against a long path is decided; a backtracking matcher would never end."""
    robots = make_robots("User-agent: *\nDisallow: /" + "a*" * 200_000 + "b")

    assert robots.decide("x", SITE + "/" + "a" * 8_000).allowed


def test_many_names_before_many_rules_stay_small() -> None:
    """Twenty thousand names that share twenty thousand rules are one group, not a product."""
    robots = make_robots("".join(f"User-agent:a{chr(97 + n % 26)}\n" for n in range(15_000)) + "Disallow:/x\n" * 15_000)

    assert len(robots.groups) == 1
    assert not robots.decide("ab", SITE + "/x").allowed


@pytest.mark.parametrize(
    "body", [b"", b"\x00\xff\xfe", b"\xff\xfeU\x00s\x00e\x00r\x00", b":", b"::\n:", b"User-agent: *\nDisallow: %\xff"]
)
def test_binary_and_broken_files_do_not_raise(body: bytes) -> None:
    """Whatever the bytes are, there is an answer."""
    assert make_robots(body).decide("Googlebot", SITE + "/page").allowed


def test_plain_text_is_not_html() -> None:
    """A rule file is never mistaken for a page."""
    assert not looks_like_html(b"User-agent: *\nDisallow: /<html>")


def test_lines_about_the_use_of_content_are_kept_with_their_group() -> None:
    """They end no group and start none."""
    read = make_robots(
        "License: https://a.example/l\nUser-agent: A\nContent-Signal: search=yes\nUser-agent: B\nDisallow: /x"
    )

    assert [(one.directive, one.value, one.line, one.group) for one in read.extensions] == [
        ("license", "https://a.example/l", 1, None),
        ("content-signal", "search=yes", 3, 0),
    ]
    assert [group.agents for group in read.groups] == [["A", "B"]]


@pytest.mark.parametrize(("lines", "kept"), [(MAX_EXTENSIONS, MAX_EXTENSIONS), (MAX_EXTENSIONS + 1, MAX_EXTENSIONS)])
def test_lines_about_the_use_of_content_are_bounded(lines: int, kept: int) -> None:
    """In number, and each in its length."""
    read = make_robots(f"Content-Signal: {'x' * (MAX_EXTENSION_CHARACTERS + 1)}\n" * lines)

    assert len(read.extensions) == kept
    assert {len(one.value) for one in read.extensions} == {MAX_EXTENSION_CHARACTERS}


ROBOTS_URL = "https://example.com/robots.txt"


@pytest.mark.parametrize(
    ("robots", "expected"),
    [
        (b"Sitemap: https://example.com/a.xml\nUser-agent: *\nsitemap :/b.xml # here\n", ["/a.xml", "/b.xml"]),
        (b" Sitemap:https://example.com/a.xml  \nSite-map: /b.xml", ["/a.xml", "/b.xml"]),
        (b"<!-- by hand -->\nSitemaps: /a.xml", ["/a.xml"]),
        (b"\xef\xbb\xbfSITEMAP:https://example.com/a.xml\r\nSitemap: https://example.com/a.xml#x", ["/a.xml"]),
        (b"# Sitemap: https://example.com/a.xml\nSitemap:\nSitemap: ftp://example.com/a.xml", []),
        (b"<!doctype html><p>\nSitemap: https://example.com/a.xml", []),
        (b"\n<html>\nSitemap: https://example.com/a.xml", []),
        (b"User-agent: *\rSitemap: /a.xml\rSitemap /b.xml", ["/a.xml", "/b.xml"]),
        (b"Sitemap: /a.xml#top\nSite map: /b.xml\nMy-Sitemap: /c.xml", ["/a.xml"]),
        (b"<?xml version='1.0'?>\nSitemap: /a.xml", ["/a.xml"]),
        (b"Sitemap: http://[\nSitemap: https://example.com/" + b"x" * 3_000, []),
    ],
)
def test_sitemaps_declared_in_robots(robots: bytes, expected: list[str]) -> None:
    """The lines count in any group and any case; what is no robots.txt declares nothing."""
    found = find_declared_sitemaps(robots, url=ROBOTS_URL)

    assert found == tuple(f"https://example.com{path}" for path in expected)


def test_declared_sitemaps_are_bounded() -> None:
    """One line over the limit is not read."""
    body = "".join(f"Sitemap: /{number}.xml\n" for number in range(MAX_DECLARED + 1)).encode()

    assert len(find_declared_sitemaps(body, url=ROBOTS_URL)) == MAX_DECLARED


URLS = ("https://example.com/a", "https://example.com/b?c", "https://example.com/b")


def answer_with(body: str, *, status: int = 200, truncated: str | None = None) -> Response:
    """The answer to the request for the file."""
    return Response(url="https://example.com/robots.txt", status=status, body=body.encode(), truncated=truncated)


@pytest.mark.parametrize(
    ("body", "allowed"),
    [
        ("", URLS),
        ("User-agent: *\nDisallow: /b", URLS[:1]),
        ("User-agent: *\nDisallow: /\n\nUser-agent: pagegrade\nAllow: /b$", URLS),
        ("User-agent: Pagegrade\nDisallow: /*?", (URLS[0], URLS[2])),
        ("User-agent: *\nDisallow: /", ()),
    ],
)
def test_rules_are_kept(body: str, allowed: tuple[str, ...]) -> None:
    """Those for us by name before the general ones; the order stays."""
    assert permitted(answer_with(body), URLS) == allowed


@pytest.mark.parametrize(("status", "count"), [(404, 3), (403, 3), (429, 0), (500, 0), (503, 0)])
def test_a_file_that_is_missing_permits_and_one_that_fails_does_not(status: int, count: int) -> None:
    """As RFC 9309 says of crawlers."""
    assert len(permitted(answer_with("", status=status), URLS)) == count


@pytest.mark.parametrize(("more", "count"), [(0, 2), (1, 1)])
def test_no_more_is_compared_than_takes_a_moment(monkeypatch: pytest.MonkeyPatch, more: int, count: int) -> None:
    """Rules and addresses multiply; what would go beyond the limit is not asked for."""
    body = "User-agent: *\nDisallow: /*x\n"
    urls = ("https://example.com/a", "https://example.com/" + "b" * (1 + more))
    monkeypatch.setattr(robots_module, "MAX_COMPARED", len(body) * 2 * len(urls[0]))

    assert len(permitted(answer_with(body), urls)) == count


def test_half_a_file_permits_nothing() -> None:
    """The other half may have forbidden it."""
    assert permitted(answer_with("User-agent: *\n", truncated="connection"), URLS) == ()


def test_the_name_is_the_one_that_requests_carry() -> None:
    """So that a site can speak of us."""
    assert OWN_TOKEN == "Pagegrade"


@pytest.mark.parametrize(
    ("body", "seconds"),
    [
        ("User-agent: *\nCrawl-delay: 5\nDisallow: /b", 5.0),
        ("User-agent: *\nCrawl-delay: 5\nAllow: /\n\nUser-agent: Pagegrade\nCrawl-delay: 0.5", 0.5),
        ("User-agent: *\nCrawl-delay: 5\nAllow: /\n\nUser-agent: Pagegrade\nDisallow:", 0.0),
        ("User-agent: other\nCrawl-delay: 5", 0.0),
        ("User-agent: *\nCrawl-delay: soon", 0.0),
        ("Crawl-delay: 5", 0.0),
        ("", 0.0),
    ],
)
def test_the_delay_is_that_of_our_group(body: str, seconds: float) -> None:
    """Our own group alone counts where there is one."""
    assert crawl_delay(answer_with(body)) == seconds


def test_a_file_that_is_not_there_asks_for_no_delay() -> None:
    """Nor one that broke off."""
    assert crawl_delay(answer_with("User-agent: *\nCrawl-delay: 5", status=404)) == 0
    assert crawl_delay(answer_with("User-agent: *\nCrawl-delay: 5", truncated="connection")) == 0
