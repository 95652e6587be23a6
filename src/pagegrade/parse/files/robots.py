"""Reads robots.txt and decides by it, also what this program may request and how fast; says which line decided.

The package ``protego`` decides too, but cannot name the line, the rule and the group, nor list what it did not
understand, and both are needed to correct the file.

Lines are read as Google's published parser reads them: white space is that of ASCII, a field is known by its beginning,
and a line that is not understood is skipped, be the others in a web page. Where crawlers differ about a path, the RFC
decides: an encoded letter equals the plain one, and a line that the RFC does not know never ends a group. What Google
alone reads into a file (``index.html`` as its directory) is left out.

Sources: https://www.rfc-editor.org/rfc/rfc9309 and
https://developers.google.com/search/docs/crawling-indexing/robots/robots_txt and https://github.com/google/robotstxt
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from itertools import islice
from typing import Final, Literal

import msgspec

from pagegrade.model.artifacts import NotGathered, Response
from pagegrade.model.identity import USER_AGENT
from pagegrade.parse.url import is_http, join_url, strip_fragment

MAX_BYTES: Final = 512_000
"""500 KiB: RFC 9309 section 2.5 asks crawlers to read at least this much, and Google reads no more."""
MAX_PROBLEMS: Final = 100
"""Lines listed with what is wrong with them; all are counted."""
MAX_SITEMAPS: Final = 1_000
MAX_DECLARED: Final = 100
"""Sitemaps that are looked at; big sites declare dozens."""
MAX_SITEMAP_CHARACTERS: Final = 2_200
"""The protocol allows fewer than 2,048."""
MAX_SHOWN_CHARACTERS: Final = 200
MAX_EXTENSIONS: Final = 100
"""Lines of ``KEPT_EXTENSIONS`` that are kept."""
MAX_EXTENSION_CHARACTERS: Final = 2_000
"""Of the value of one of them."""

KNOWN_EXTENSIONS: Final = frozenset(
    {
        "agentmap",
        "clean-param",
        "content-signal",
        "content-usage",
        "crawl-delay",
        "host",
        "license",
        "request-rate",
        "visit-time",
    }
)
"""Directives outside the RFC that some crawler documents or documented; allowed by the RFC, so no warning."""
RETIRED_EXTENSIONS: Final = frozenset({"noarchive", "nofollow", "noindex"})
"""Directives that some crawlers obeyed once; Google stopped in September 2019, and none documents them today
(https://developers.google.com/search/blog/2019/07/a-note-on-unsupported-rules-in-robotstxt)."""
KEPT_EXTENSIONS: Final = frozenset({"content-signal", "content-usage", "crawl-delay", "license"})
"""Those that state what crawlers may use the content for, and how fast they may ask."""
_FIELDS: Final = (
    ("user-agent", "user-agent"),
    ("useragent", "user-agent"),
    ("user agent", "user-agent"),
    ("allow", "allow"),
    ("disallow", "disallow"),
    ("dissallow", "disallow"),
    ("dissalow", "disallow"),
    ("disalow", "disallow"),
    ("diasllow", "disallow"),
    ("disallaw", "disallow"),
    ("sitemap", "sitemap"),
    ("site-map", "sitemap"),
)
"""Beginning of a name -> the field. Google's parser knows these misspellings, and a field by its beginning."""

_SPACE: Final = " \t\n\v\f\r"
"""White space that Google's parser strips; the RFC knows the first two only."""
_EDGE_CATEGORIES: Final = frozenset({"Zs", "Zl", "Zp", "Cf", "Cc"})
"""Characters that are not seen at the edge of a word: spaces of other widths, and marks that direct or join text."""
_LINE_END: Final = re.compile(r"\r\n|\n|\r")
_AGENT: Final = re.compile(r"[A-Za-z0-9_-]+")
"""A product token. The standard allows no digits, but crawlers such as AI2Bot have some in theirs."""
_NAME: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.!@+~-]*(?:/[A-Za-z0-9_.+-]*)?")
"""A name that its crawler can find: one word, perhaps with a version."""
_NEXT_PATH: Final = re.compile(r"[,;|]/")
_HTML: Final = re.compile(rb"<(?:!doctype\s+html|html|head|body|!--|script|meta|div|\?xml)", re.IGNORECASE)
_PLAIN: Final = re.compile(r"[A-Za-z0-9\-._~/?=&+,;:@!'()#\[\] \t]*")
_OCTET: Final = re.compile(r"%[0-9A-Fa-f]{2}|%|[^A-Za-z0-9\-._~/?=&+,;:@!'()#\[\]*$% \t]+")
"""Octets that are spelled anew. White space is not: no URL holds any, so that a rule with some matches nothing."""
_UNRESERVED: Final = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")

ProblemCode = Literal[
    "unknown_directive",
    "retired_directive",
    "misspelled",
    "missing_colon",
    "no_directive",
    "empty_agent",
    "dollar_not_last",
    "path_not_rooted",
    "relative_sitemap",
    "rule_before_group",
    "invisible_character",
    "wildcard_in_name",
    "several_names",
    "space_in_address",
    "several_paths",
]


class RobotsProblem(msgspec.Struct, frozen=True, kw_only=True):
    """A line that crawlers skip or may read otherwise than meant."""

    code: ProblemCode
    line: int
    """From 1."""
    text: str
    """At most 200 characters of the line."""


class RobotsRule(msgspec.Struct, frozen=True):
    """One ``Allow`` or ``Disallow`` line that has a path."""

    allow: bool
    path: str
    """As written."""
    line: int
    segments: tuple[str, ...]
    """The normalized path cut at its ``*``."""
    anchored: bool
    """It ended with ``$``."""
    octets: int
    """Length of the normalized path: the longest match decides."""

    def matches(self, target: str) -> bool:
        """Return whether the rule covers a normalized path with query. Linear: each segment takes its first place."""
        first, *rest = self.segments
        if not target.startswith(first):
            return False
        if not rest:
            return not self.anchored or len(target) == len(first)
        position = len(first)
        last = rest.pop()
        for segment in rest:
            found = target.find(segment, position)
            if found < 0:
                return False
            position = found + len(segment)
        if self.anchored:
            return len(target) - len(last) >= position and target.endswith(last)
        return target.find(last, position) >= 0


class RobotsGroup(msgspec.Struct):
    """The rules that follow one or several ``User-agent`` lines."""

    agents: list[str] = msgspec.field(default_factory=list)
    rules: list[RobotsRule] = msgspec.field(default_factory=list)


class RobotsExtension(msgspec.Struct, frozen=True, kw_only=True):
    """A line outside the RFC that states what crawlers may use the content for, or how fast they may ask."""

    directive: str
    """One of ``KEPT_EXTENSIONS``."""
    value: str
    """As written, at most ``MAX_EXTENSION_CHARACTERS``."""
    line: int
    """From 1."""
    group: int | None
    """Index of the group it stands in; ``None`` before the first one."""


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """Permission of a crawler to fetch a URL, and the rule that decided."""

    allowed: bool
    reason: Literal["rule", "no_rule", "no_group", "no_file", "unavailable", "robots_txt"]
    """``rule``: a line decided; ``no_rule``: no line of the group matches; ``no_group``: no group is meant for the
    crawler; ``no_file``: nothing to obey; ``unavailable``: an error of the server counts as a ban at first;
    ``robots_txt``: the file itself is always allowed."""
    line: int | None = None
    rule: str = ""
    """The deciding line as ``Disallow: /path``."""
    agent_group: str = ""
    """The ``User-agent`` value of the group: the crawler's own name or ``*``; "" when no group is meant for it."""


class Robots(msgspec.Struct, frozen=True, kw_only=True):
    """A robots.txt as a crawler has to take it."""

    access: Literal["rules", "allow_all", "disallow_all"]
    """``allow_all``: there is no file (4xx, endless redirects) or it is a web page without any rule; ``disallow_all``:
    5xx or 429, which Google takes as a ban of the whole site at first."""
    status: int
    is_html: bool = False
    """A web page without a line for any crawler was sent in place of the file."""
    bytes: int = 0
    over_limit: bool = False
    """True if content beyond 500 KiB was not read."""
    groups: tuple[RobotsGroup, ...] = ()
    by_agent: Mapping[str, tuple[RobotsGroup, ...]] = msgspec.field(default_factory=dict)
    """Lower-case product token (or ``*``) -> its groups, in order."""
    sitemaps: tuple[str, ...] = ()
    """Values of ``Sitemap`` lines as written, each once, in order."""
    extensions: tuple[RobotsExtension, ...] = ()
    """In order, at most ``MAX_EXTENSIONS``."""
    problems: tuple[RobotsProblem, ...] = ()
    """In order, at most ``MAX_PROBLEMS``."""
    problem_counts: Mapping[ProblemCode, int] = msgspec.field(default_factory=dict)
    """All of them, by code."""

    def decide(self, agent: str, url: str) -> Decision:
        """Decide whether the crawler with product token ``agent`` (``*``: one that is not named) may fetch ``url``.

        Only the most specific groups count, those with the crawler's own name merged into one, else those for ``*``.
        In them the rule with the longest path wins, and ``Allow`` wins a tie (RFC 9309 section 2.2).

        Args:
            agent: Product token such as ``Googlebot``; any case.
            url: Absolute, canonical (WHATWG); the fragment does not matter.
        """
        target = path_of(url)
        if target == "/robots.txt":
            return Decision(allowed=True, reason="robots_txt")
        if self.access != "rules":
            allowed = self.access == "allow_all"
            return Decision(allowed=allowed, reason="no_file" if allowed else "unavailable")
        name = agent.lower()
        if name not in self.by_agent:
            name = "*"
        groups = self.by_agent.get(name)
        if groups is None:
            return Decision(allowed=True, reason="no_group")
        best: RobotsRule | None = None
        for group in groups:
            for rule in group.rules:
                rank = (rule.octets, rule.allow)
                if (best is None or rank > (best.octets, best.allow)) and rule.matches(target):
                    best = rule
        shown = next((shown for shown in groups[0].agents if _token(shown) == name), name)
        if best is None:
            return Decision(allowed=True, reason="no_rule", agent_group=shown)
        return Decision(
            allowed=best.allow,
            reason="rule",
            line=best.line,
            rule=f"{'Allow' if best.allow else 'Disallow'}: {best.path[:MAX_SHOWN_CHARACTERS]}",
            agent_group=shown,
        )


def parse_robots_txt(response: Response) -> Robots | NotGathered:
    """Read the answer to ``/robots.txt`` after its redirects. Linear in its size; never raises.

    Returns:
        What crawlers make of it; ``NotGathered`` when the body broke off, because half a file is another file.

    Source: RFC 9309 section 2.3.1; Google's page on robots.txt, "Handling of errors and HTTP status codes"
    """
    status = response.status
    if status >= 500 or status == 429:
        return Robots(access="disallow_all", status=status)
    if not 200 <= status < 300:
        return Robots(access="allow_all", status=status)
    if response.truncated not in (None, "limit"):
        code = {"coding": "decode", "time": "timeout"}.get(response.truncated, "protocol")
        return NotGathered(code=code, detail="The robots.txt file broke off while it was read.")
    body = response.body
    over_limit = len(body) > MAX_BYTES or response.truncated == "limit"
    reader = _Reader()
    reader.read(_text(body, is_cut=over_limit))
    if reader.is_page(body):
        return Robots(access="allow_all", status=status, is_html=True, bytes=len(body))
    by_agent: dict[str, list[RobotsGroup]] = {}
    for group in reader.groups:
        for token in dict.fromkeys(_token(agent) for agent in group.agents):
            by_agent.setdefault(token, []).append(group)
    return Robots(
        access="rules",
        status=status,
        bytes=len(body),
        over_limit=over_limit,
        groups=tuple(reader.groups),
        by_agent={token: tuple(groups) for token, groups in by_agent.items() if token},
        sitemaps=tuple(reader.sitemaps),
        extensions=tuple(reader.extensions),
        problems=tuple(reader.problems),
        problem_counts=reader.problem_counts,
    )


def find_declared_sitemaps(body: bytes, *, url: str) -> tuple[str, ...]:
    """List the sitemaps that a robots.txt declares, as its crawlers read it.

    Args:
        body: The robots.txt; an HTML page instead of one declares nothing.
        url: Its address: a relative one is against the protocol, but resolved by search engines.

    Returns:
        At most ``MAX_DECLARED`` different addresses, in order, without fragments.

    Source: https://www.sitemaps.org/protocol.html#submit_robots
    """
    reader = _Reader()
    reader.read(_text(body, is_cut=len(body) > MAX_BYTES))
    if reader.is_page(body):
        return ()
    absolute = (join_url(url, text) for text in reader.sitemaps if len(text) <= MAX_SITEMAP_CHARACTERS)
    found = dict.fromkeys(strip_fragment(one) for one in absolute if one is not None and is_http(one))
    return tuple(islice(found, MAX_DECLARED))


def looks_like_html(body: bytes) -> bool:
    """Return whether a file that should be text starts like a web page (an application's catch-all response)."""
    start = body[:1024].removeprefix(b"\xef\xbb\xbf").lstrip()
    return _HTML.match(start) is not None


def path_of(url: str) -> str:
    """Path and query of an absolute URL, normalized as rules are."""
    rest = url.partition("://")[2].partition("#")[0]
    start = min((index for index in (rest.find("/"), rest.find("?")) if index >= 0), default=len(rest))
    path = rest[start:]
    if not path.startswith("/"):
        path = "/" + path
    return _normalize(path).replace("*", "%2A").replace("$", "%24")


class _Reader:
    """One pass over the lines, collecting groups, sitemaps and problems."""

    def __init__(self) -> None:
        self.groups: list[RobotsGroup] = []
        self.sitemaps: dict[str, None] = {}
        self.extensions: list[RobotsExtension] = []
        self.problems: list[RobotsProblem] = []
        self.problem_counts: dict[ProblemCode, int] = {}
        self._naming = False
        """The last line of a group so far was a ``User-agent``, so another one joins the same group."""

    def read(self, text: str) -> None:
        for number, raw in enumerate(_LINE_END.split(text), 1):
            line = raw.partition("#")[0].strip(_SPACE)
            if line:
                self._read_line(number, line)

    def is_page(self, body: bytes) -> bool:
        """Return whether a page was served instead; lines behind a comment or declaration of XML count."""
        marked = body[:1024].removeprefix(b"\xef\xbb\xbf").lstrip()
        says_something = self.groups or (self.sitemaps and marked.startswith((b"<!--", b"<?xml")))
        return not says_something and looks_like_html(body)

    def _read_line(self, number: int, line: str) -> None:
        key, colon, value = line.partition(":")
        if not colon:
            # Google reads "Disallow /path" as if the colon were there, but only where there are exactly two words.
            key, _, value = line.replace("\t", " ").partition(" ")
            value = value.strip(_SPACE)
            if _field(key.lower()) is None or not value or " " in value:
                self._note("invisible_character" if _has_hidden_edge(line) else "no_directive", number, line)
                return
            self._note("missing_colon", number, line)
        word = key.strip(_SPACE).lower()
        value = value.strip(_SPACE)
        directive = _field(word)
        if directive is None:
            if word in RETIRED_EXTENSIONS:
                self._note("retired_directive", number, line)
            elif word not in KNOWN_EXTENSIONS:
                self._note("invisible_character" if _has_hidden_edge(word) else "unknown_directive", number, line)
            elif word in KEPT_EXTENSIONS and len(self.extensions) < MAX_EXTENSIONS:
                group = len(self.groups) - 1 if self.groups else None
                shown = value[:MAX_EXTENSION_CHARACTERS]
                self.extensions.append(RobotsExtension(directive=word, value=shown, line=number, group=group))
            return
        if directive != word:
            self._note("misspelled", number, line)
        if directive == "user-agent":
            self._name(number, line, value)
        elif directive == "sitemap":
            self._add_sitemap(number, line, value)
        else:
            self._add_rule(number, line, value, allow=directive == "allow")

    def _name(self, number: int, line: str, value: str) -> None:
        if not self._naming:
            self.groups.append(RobotsGroup())
        self._naming = True
        if not value:
            self._note("empty_agent", number, line)
        elif _has_hidden_edge(value):
            self._note("invisible_character", number, line)
        elif value != "*" and not _NAME.fullmatch(value):
            is_pattern = "*" in value and _token(value) != "*"
            self._note("wildcard_in_name" if is_pattern else "several_names", number, line)
        self.groups[-1].agents.append(value[:MAX_SHOWN_CHARACTERS])

    def _add_sitemap(self, number: int, line: str, value: str) -> None:
        # A Sitemap line belongs to no group and does not end the naming of one (RFC 9309 section 2.2.4).
        if value and _has_hidden_edge(value):
            self._note("invisible_character", number, line)
        elif not value.lower().startswith(("http://", "https://", "ftp://")):
            self._note("relative_sitemap", number, line)
        elif _has_space(value):
            self._note("space_in_address", number, line)
        if value and len(self.sitemaps) < MAX_SITEMAPS:
            self.sitemaps[value] = None

    def _add_rule(self, number: int, line: str, value: str, *, allow: bool) -> None:
        self._naming = False
        if not self.groups:
            self._note("rule_before_group", number, line)
            return
        if not value:
            return
        if _has_hidden_edge(value):
            self._note("invisible_character", number, line)
        elif not value.startswith(("/", "*", "$")):
            self._note("path_not_rooted", number, line)
        elif _has_space(value):
            self._note("space_in_address", number, line)
        elif _NEXT_PATH.search(value):
            self._note("several_paths", number, line)
        if "$" in value[:-1]:
            self._note("dollar_not_last", number, line)
        self.groups[-1].rules.append(_rule(value, number, allow=allow))

    def _note(self, code: ProblemCode, number: int, line: str) -> None:
        self.problem_counts[code] = self.problem_counts.get(code, 0) + 1
        # One of each kind is always listed, however many others came before.
        if len(self.problems) < MAX_PROBLEMS or self.problem_counts[code] == 1:
            self.problems.append(RobotsProblem(code=code, line=number, text=line[:MAX_SHOWN_CHARACTERS]))


def _field(word: str) -> str | None:
    """The field of the RFC that a lower-case word stands for; ``None`` for another."""
    return next((field for start, field in _FIELDS if word.startswith(start)), None)


def _has_hidden_edge(text: str) -> bool:
    """Return whether a word begins or ends with a character that looks like nothing, and is part of it."""
    return any(unicodedata.category(edge) in _EDGE_CATEGORIES for edge in (text[:1], text[-1:]) if edge)


def _has_space(value: str) -> bool:
    return any(character in _SPACE for character in value)


def path_rule(pattern: str) -> RobotsRule:
    """Read a pattern of paths as robots.txt writes them, with ``*`` and ``$``, for ``RobotsRule.matches``."""
    return _rule(pattern, 0, allow=True)


def _rule(path: str, line: int, *, allow: bool) -> RobotsRule:
    pattern = _normalize(path)
    anchored = pattern.endswith("$")
    body = (pattern[:-1] if anchored else pattern).replace("$", "%24")
    return RobotsRule(
        allow=allow,
        path=path,
        line=line,
        segments=tuple(body.split("*")),
        anchored=anchored,
        octets=len(pattern),
    )


def _normalize(path: str) -> str:
    """One spelling for equal octets: unreserved ones plain, others that need it as ``%XX`` (RFC 9309 section 2.2.2)."""
    return path if _PLAIN.fullmatch(path) else _OCTET.sub(_spell, path)


def _spell(match: re.Match[str]) -> str:
    found = match[0]
    if found == "%":
        return "%25"
    if found.startswith("%"):
        octet = int(found[1:], 16)
        return chr(octet) if octet in _UNRESERVED else found.upper()
    return "".join(f"%{octet:02X}" for octet in found.encode("utf-8", "replace"))


def _token(agent: str) -> str:
    """Lower-case product token of a ``User-agent`` value: what stands before a version; ``*`` for all; "" for none."""
    if agent == "*" or agent.startswith(("* ", "*\t")):
        return "*"
    match = _AGENT.match(agent)
    return match[0].lower() if match else ""


def _text(body: bytes, *, is_cut: bool) -> str:
    if is_cut:
        # The line that the limit cuts is dropped: half a path would be another rule.
        cut = body[:MAX_BYTES]
        body = cut[: max(cut.rfind(b"\n"), cut.rfind(b"\r")) + 1]
    # Google also takes off a mark of which only the first byte or two are there.
    for mark in (b"\xef\xbb\xbf", b"\xef\xbb", b"\xef"):
        if body.startswith(mark):
            body = body[len(mark) :]
            break
    return body.decode("utf-8", "replace")


OWN_TOKEN: Final = USER_AGENT.partition("/")[0]
"""The name by which a robots.txt speaks of this program."""
MAX_COMPARED: Final = 4_000_000_000
"""Bytes of robots.txt times characters of addresses: every rule may have to be compared with every character.

About half a second; fifty kilobytes of rules and two hundred addresses of eighty characters are a fifth of it.
"""

_SECONDS: Final = re.compile(r"[0-9]{1,6}(?:\.[0-9]{1,6})?")


def permitted(robots_txt: Response, urls: tuple[str, ...]) -> tuple[str, ...]:
    """Those of the addresses that may be asked for, in order; none where the file cannot be relied on.

    Args:
        robots_txt: The answer to ``/robots.txt`` after its redirects.
        urls: Absolute, of the origin that the file is about; those that would go beyond ``MAX_COMPARED`` are left out.

    Source: RFC 9309 sections 2.2 and 2.3.1
    """
    robots = parse_robots_txt(robots_txt)
    if isinstance(robots, NotGathered):
        return ()
    left = MAX_COMPARED // max(1, len(robots_txt.body))
    allowed = []
    for url in urls:
        left -= len(url)
        if left < 0:
            break
        if robots.decide(OWN_TOKEN, url).allowed:
            allowed.append(url)
    return tuple(allowed)


def crawl_delay(robots_txt: Response) -> float:
    """Seconds that a robots.txt asks this program to wait between requests; 0 where it does not.

    The group for this program counts, else that for all; of several lines the longest time.
    """
    robots = parse_robots_txt(robots_txt)
    if isinstance(robots, NotGathered):
        return 0.0
    groups = robots.by_agent.get(OWN_TOKEN.lower()) or robots.by_agent.get("*") or ()
    own = {id(group) for group in groups}
    delays = [
        float(line.value)
        for line in robots.extensions
        if line.directive == "crawl-delay"
        and line.group is not None
        and id(robots.groups[line.group]) in own
        and _SECONDS.fullmatch(line.value)
    ]
    return max(delays, default=0.0)
