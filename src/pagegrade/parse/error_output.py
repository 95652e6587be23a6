"""Finds error output of a server's language in the visible text of a page, and not where a page writes about errors."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from itertools import islice
from typing import Final
from urllib.parse import unquote

import msgspec
from turbohtml import Element, Text

from pagegrade.model.document import Document
from pagegrade.parse.byte_search import ByteSearch
from pagegrade.parse.page_content import own_links
from pagegrade.parse.url import host, strip_fragment
from pagegrade.parse.words import count_words, says_more_than

MAX_NODES: Final = 60_000
MAX_TEXT: Final = 200_000
MAX_FOUND: Final = 20
_MAX_MESSAGE: Final = 300
_NEAR: Final = 1_500
"""Characters in which the parts of one message stand."""
_TOP: Final = 400
"""Characters at the beginning of the page, where messages without markup stand."""
_MAX_ANCHORS: Final = 10
_MAX_OWN_WORDS: Final = 50
"""Words beside a trace in a ``<pre>`` up to which the trace is the page."""
_MIN_WAYS_ON: Final = 4
"""Other pages of the site that a page leads to, from which on it is a page with code, however few its words are."""
_MAX_TITLE_WORDS: Final = 8
"""Words in the main content beside code up to which it has a title at most."""
_QUOTED: Final = re.compile(r"[“„«][^“”„«»]{0,500}[”“»]")
_CODE: Final = frozenset({"pre", "code", "samp", "kbd", "blockquote", "q", "xmp", "listing", "plaintext"})
_HEADINGS: Final = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_SILENT: Final = frozenset({"script", "style", "template", "noscript", "textarea", "select", "svg", "head", "title"})
_PARAGRAPHS: Final = frozenset({"p", "li", "dd", "dt", "figcaption", *_HEADINGS})
_BLOCKS: Final = frozenset(
    {"div", "tr", "td", "table", "hr", "pre", "ul", "ol", "dl", "section", "main", "article", "aside", "nav"}
    | {"header", "footer", "form", "figure", "details", "blockquote"}
)
_COMMENT: Final = re.compile(r"(?<![a-z])(?:comments?|repl(?:y|ies)|answers?)(?![a-z])")
"""Classes and ids of what visitors write below a page, in the names that content management systems give them."""
_BOLD: Final = frozenset({"b", "strong", "th", "font"})
_START, _END, _TITLED = "\x02", "\x03", "\x04"
"""Begin and end of bold type, and begin of a heading, in the text that ``_split`` makes."""
_BREAK, _BLOCK, _PARAGRAPH = "\x1c", "\x1d", "\x1e"
"""A ``<br>``, the edge of a block, and that of a paragraph or an item of a list; white space for expressions."""
_EDGES: Final = re.compile("[\x1d\x1e]")
_WRAPPED: Final = 3
"""Words in front of a message or behind it, in one paragraph with it, from which on a sentence quotes it."""
_MIN_PROSE: Final = 8
"""Words that a page which writes about a message says itself."""
_MIN_SHARED: Final = 2
"""Long words of a message that title, description or address have, from which on the page is about the message."""
_LONG_WORD: Final = re.compile(r"[^\W\d_]{5,40}")
_SLUG_WORD: Final = re.compile(r"[^\W\d_]{4,40}")
_NO_MARKS: Final = str.maketrans("", "", _START + _END + _TITLED)
_HINTS: Final = (
    " on line ",
    "Traceback (most recent",
    ".java:",
    ".kt:",
    "Server Error in '",
    "unhandled exception",
    "VBScript",
    "OLE DB",
    ".js:",
    ".ts:",
    ".mjs:",
    ".rb:",
    ".erb:",
    ".haml:",
    ".slim:",
    "goroutine ",
    "Django Version",
    "Whitelabel Error",
    ".scala:",
    ".groovy:",
    ":line ",
    ":\\",
    "Exception Type:",
)
"""Part of every trace and every message of PHP."""
_HINT_SEARCH: Final = ByteSearch([hint.encode() for hint in _HINTS])
_PAGE_HINTS: Final = (
    *("error", "Error", "ERROR", "Bad Gateway", "went wrong"),
    *("ehler", "rreur", "rrore", "Erro ", "erro ", "fout", "łąd", "шибк", "hata", "エラー", "错误", "出错", "خطأ"),
)
"""The same for pages that say nothing else."""
_LINE: Final = re.compile(r" on line [\x02 ]{0,3}\d{1,7}")
_LABEL: Final = re.compile(
    r"(\x02)?(?:(\( ! \))\s{0,3})?(?:PHP )?"
    r"(Fatal error|Parse error|Recoverable fatal error|Catchable fatal error|Warning|Notice|Deprecated|"
    r"Strict Standards)\x03?\s{0,3}:"
)
_PATH: Final = re.compile(r" in [\x02 ]{0,3}(?:/|[A-Za-z]:[\\/]|phar://|vfs://)")
_FATAL_LABELS: Final = frozenset({"Fatal error", "Parse error", "Recoverable fatal error", "Catchable fatal error"})
_MIN_FRAMES: Final = 4
"""Calls of a trace, in whatever language a program writes the words between them."""
_TRACES: Final[tuple[tuple[str, tuple[str, ...], re.Pattern[str], int], ...]] = (
    (
        "Python",
        ("Traceback (most",),
        re.compile(r"Traceback \(most recent call last\):\s{0,40}File \"[^\"\n]{1,400}\", line \d"),
        1,
    ),
    (
        "Java",
        (".java:", ".kt:", ".scala:", ".groovy:"),
        re.compile(r"at (?<=\bat )[\w.$]{3,200}\([A-Za-z_$][\w$]{0,80}\.(?:java|kt|scala|groovy):\d{1,6}\)"),
        2,
    ),
    (
        ".NET",
        (":line ",),
        re.compile(r"at (?<=\bat )[\w.`<>]{3,200}\([^()]{0,200}\) in [A-Za-z]:\\[^:\n]{1,200}:line \d"),
        1,
    ),
    (
        ".NET",
        (":\\",),
        re.compile(
            r"\([^()\n]{0,200}\)\s{1,3}\S{1,8}\s{1,3}[A-Za-z]:\\[^:\n]{1,200}\.[a-z]{2,4}:\S{1,12}\s{1,3}\d",
        ),
        _MIN_FRAMES,
    ),
    (".NET", ("Server Error in '",), re.compile(r"Server Error in '[^']{0,100}' Application\."), 1),
    (
        ".NET",
        ("An unhandled exception",),
        re.compile(r"An unhandled exception occurred (?:during the execution of|while processing the request)"),
        1,
    ),
    (
        "ASP",
        ("Microsoft ",),
        re.compile(r"Microsoft (?:VBScript (?:runtime|compilation)|OLE DB Provider for [\w ]{2,40}) error '?8?0?"),
        1,
    ),
    (
        "Node.js",
        ("js:", "ts:", "jsx:", "tsx:"),
        re.compile(
            r"at (?<=\bat )(?:[\w.<>\[\]$ ]{1,120} )?\(?(?:file://|node:|/|[A-Za-z]:\\)[^\s()]{1,300}\.[cm]?[jt]sx?:\d{1,6}:\d"
        ),
        2,
    ),
    (
        "Ruby",
        (".rb:", ".erb:", ".haml:", ".slim:"),
        re.compile(r"\b(?:app|lib|config)/[\w/.-]{1,150}\.(?:rb|erb|haml|slim):\d{1,6}:in [`']"),
        1,
    ),
    ("Go", ("goroutine ",), re.compile(r"goroutine (?<=\bgoroutine )\d{1,6} \[[\w ,]{3,40}\]:"), 1),
    ("Python", ("Exception Type:",), re.compile(r"Exception Type:.{0,200}Exception Value:", re.DOTALL), 1),
)
"""(language, parts of which each of its traces holds one, what only its traces hold, how often it has to occur).

Expressions begin with the letters themselves, and the boundary of the word is looked at behind them: so the search can
skip to the next place."""
_PAGES: Final[tuple[tuple[str, re.Pattern[str]], ...]] = (
    (
        "WordPress",
        re.compile(
            r"there has been a critical error on (?:this|your) website|error establishing a database connection|"
            r"kritischen fehler auf deiner website|fehler beim aufbau einer datenbankverbindung|"
            r"erreur critique sur (?:ce|votre) site|erreur lors de la connexion à la base de données|"
            r"error crítico en (?:esta|tu) web|error al establecer una conexión con la base de datos|"
            r"errore critico sul tuo sito|errore nello stabilire una connessione al database|"
            r"erro crítico n(?:este|o seu) site|erro ao estabelecer uma conexão com o banco de dados|"
            r"kritieke fout|fout bij het maken van verbinding met de database|"
            r"wystąpił krytyczny błąd|błąd podczas łączenia się z bazą danych|"
            r"возникла критическая ошибка|ошибка установки соединения с базой данных|"
            r"kritik bir hata oluştu|veritabanı bağlantısı kurulurken hata|"
            r"サイトで重大なエラーが発生しました|データベース接続確立エラー|"
            r"(?:站点|网站)遇到了致命错误|建立数据库连接时出错|"
            r"خطأ فادح في هذا الموقع|خطأ في (?:إنشاء )?(?:ال)?اتصال بقاعدة البيانات"
        ),
    ),
    ("Drupal", re.compile(r"the website encountered an unexpected error")),
    (
        "PHP",
        re.compile(r"whoops,? looks like something went wrong|sqlstate\[\w{5}\]|you have an error in your sql syntax"),
    ),
    (
        "Magento",
        re.compile(r"there has been an error processing your request|exception printing is disabled by default"),
    ),
    ("Symfony", re.compile(r"oops! an error occurred.{0,40}the server returned a")),
    ("Python", re.compile(r"seeing this error because you have debug ?= ?true")),
    ("Java", re.compile(r"whitelabel error page|http status 500 [–-] internal server error")),
    ("Ruby", re.compile(r"we're sorry, but something went wrong|action controller: exception caught")),
    (
        "Node.js",
        re.compile(r"application error: a (?:server|client)-side exception has occurred|error: cannot find module"),
    ),
    (".NET", re.compile(r"runtime error.{0,200}an (?:application|exception) (?:error )?occurred")),
    ("database", re.compile(r"\bora-\d{5}:|unclosed quotation mark after the character string|mysqli?_\w{3,30}\(\):")),
    (
        "server",
        re.compile(
            r"^(?:\d{3} )?(?:internal server error|bad gateway|server error \(500\)|gateway time-?out|"
            r"interner serverfehler|erreur interne du serveur|error interno del servidor|errore interno del server|"
            r"erro interno (?:do|no) servidor|サーバー内部エラー|内部サーバーエラー|服务器内部错误|خطأ داخلي في الخادم)"
        ),
    ),
)
"""(what it comes from, what its error pages say); counted only where the page says little else."""


_MAX_REPORT: Final = 4_000
_MIN_SIGNS: Final = 4
_SOURCE_LINE: Final = re.compile(
    r"(?<![\w./\\-])(?:[A-Za-z]:[\\/]|/|[\w.-]{1,60}[/\\])[\w.$@/\\-]{1,200}\.[A-Za-z]{1,6}[\"']?"
    r"(?::\d{1,6}\b|,? (?:on |at )?line \d|: line \d)|"
    r"(?<![\w./\\-])[A-Za-z_]\w{0,60}\.[a-z]{2,5}:\d{1,6}(?::\d{1,6})?\b"
)
"""A file and a line of it, in the forms in which programs name them."""
_KIND: Final = re.compile(
    r"\b[A-Z][A-Za-z]{2,60}(?:Error|Exception)\b|\bpanick?(?:ed)?(?: at|:)|"
    r"\b(?:[Ff]atal|FATAL|[Rr]untime) [Ee](?:rror|RROR)\b|\b(?:ERROR|Error|error):|\bThe error occurred\b|\bSQLSTATE\b|"
    r"\b(?:[Aa]n|[Uu]nhandled) exception\b|\b[Ss]tack ?(?:trace|traceback|backtrace)\b|\bTraceback\b|"
    r"\b[Cc]ompilation failed\b|\bUncaught\b"
)
"""Kinds of failures, as programs name them; these words stay English in every language."""
_THREAD: Final = re.compile(r'\bException in thread "[^"\n]{0,80}"')
"""Words of Java itself before a kind."""
_COLUMN: Final = re.compile(r":\d{1,6}:(?=\s)")
"""The column behind a line of a file, after which the message of the program stands."""
_STATEMENT: Final = re.compile(
    r"\bselect (?:\*|[^;?!]{1,200} from [\w`\".]{1,80} where\b)|\binsert into [\w`\".]{1,80} ?\(|"
    r"\bupdate [\w`\".]{1,80} set\b|\bdelete from [\w`\".]{1,80} where\b",
    re.IGNORECASE,
)
_REST: Final = re.compile(r"[^.;?!\x1d\x1e]{0,400}(?:[.;?!](?=\S)[^.;?!\x1d\x1e]{0,400}){0,20}")
"""The rest of a statement, up to the end of the sentence or block."""
_ANY_ERROR: Final = frozenset({"error", "fatal error", "runtime error", "the error occurred"})
_PATHS: Final = re.compile(r"\S{0,200}[/\\]\S{0,200}")
_KIND_HINTS: Final = ("rror", "xception", "anic", "RROR", "SQLSTATE", "race", "ncaught", "ompilation")


_CGI: Final = frozenset(
    (
        "DOCUMENT_ROOT GATEWAY_INTERFACE HTTP_HOST PATH_TRANSLATED REMOTE_ADDR SCRIPT_FILENAME SERVER_ADDR SERVER_NAME "
        "SERVER_SOFTWARE CONTEXT_DOCUMENT_ROOT"
    ).split()
)
"""Variables that hold a path, an address or a version (RFC 3875, 4.1, and those that servers add)."""
_CGI_KEY: Final = re.compile(r"\W*(?:_SERVER|_ENV)?\W*([A-Z_]{9,24})\W*")
_CGI_VALUE: Final = re.compile(
    r"(?:/|[A-Za-z]:\\)[\w.$@/\\-]{3,200}|\d{1,3}(?:\.\d{1,3}){3}|[\da-f:]{6,40}|\w{2,20}/\d\S{0,60}"
)
_MIN_VARIABLES: Final = 2
_MIN_SETTINGS: Final = 5
_SETTING: Final = re.compile(
    r"(?:^|[\n\x1c-\x1e])[ \t]{0,20}(?:export )?([A-Za-z][A-Za-z\d]{0,30}(?:[_.][A-Za-z\d]{1,30}){1,6}) ?= ?"
    r"([^\n\x1c-\x1e]{0,200})"
)
"""A line of a file with settings: a name of several parts and its value."""
_SECRET_NAME: Final = re.compile(r"(?:pass(?:word|wd)?|pwd|secret|token|key|dsn)$", re.IGNORECASE)
_MIN_SECRET: Final = 6


class ErrorOutput(msgspec.Struct, frozen=True, gc=False):
    """A message that was meant for developers."""

    language: str
    text: str
    """Its beginning, white space collapsed."""
    fatal: bool
    """The page broke off, or the message is all there is; else it stands beside the content."""


def find_error_output(document: Document) -> tuple[ErrorOutput, ...]:
    """The messages that visitors see, the fatal ones first; at most ``MAX_FOUND``.

    Messages in code and quotations are what the page writes about, unless the page holds nothing else; so are those
    that a published page wraps in its own sentences or is about.
    """
    text = document.text[:MAX_TEXT]
    if document.body is None:
        return ()
    found: list[ErrorOutput] = []
    is_traced = next(_HINT_SEARCH.places(text.encode("utf-8", "replace"), 1), None) is not None
    is_short = not says_more_than(text, 2 * _MAX_OWN_WORDS)
    leads_nowhere = len(document.anchors) <= _MAX_ANCHORS or (is_short and own_links(document) <= _MAX_ANCHORS)
    may_be_all = leads_nowhere and any(hint in text for hint in _KIND_HINTS)
    if is_traced or may_be_all:
        prose, code, comments = _split(document.body.node)
        has_own_text = document.main_word_count - len(f"{code} {comments}".split()) > _MAX_TITLE_WORDS
        code = code if has_own_text else f"{code}\n{comments}"
        whole = prose if has_own_text and not _is_dead_end(document) else f"{prose}\n{code}"
        says_little = leads_nowhere and not says_more_than(prose, _MAX_OWN_WORDS)
        seen = whole if says_little else prose
        quotes = _Quotes(document, count_words(code))
        found += (*_php_messages(seen, quotes), *_traces(seen, quotes))
        if not any(one.fatal for one in found) and (says_little or (may_be_all and is_short)):
            found += _reports(whole[:_MAX_REPORT], quotes)
    if not any(one.fatal for one in found) and any(hint in document.main_text[:_MAX_REPORT] for hint in _KIND_HINTS):
        found += _reports_between(document)
    if not any(one.fatal for one in found) and is_short and (is_traced or any(hint in text for hint in _PAGE_HINTS)):
        found += _error_pages(document)
    return tuple(sorted(found, key=lambda one: not one.fatal)[:MAX_FOUND])


def find_environment(document: Document) -> list[tuple[Element, str]]:
    """The cells of a table with a variable of the server, whose value stands beside them."""
    body = document.body.node if document.body is not None else None
    if not isinstance(body, Element) or not any(name in document.text for name in _CGI):
        return []
    found: dict[str, Element] = {}
    for cell in islice(body.select("td, th, dt"), MAX_NODES):
        key = _CGI_KEY.fullmatch(str(cell.text)[:60].strip())
        if key is None or key[1] not in _CGI:
            continue
        value = next((one for one in cell.next_siblings if isinstance(one, Element)), None)
        if value is not None and _CGI_VALUE.fullmatch(str(value.text)[:300].strip()) is not None:
            found.setdefault(key[1], cell)
    return [(node, name) for name, node in found.items()][:MAX_FOUND] if len(found) >= _MIN_VARIABLES else []


def find_settings(document: Document) -> str:
    """Beginning of a file with settings and at least one secret that stands outside of code; "" where there is none."""
    body = document.body.node if document.body is not None else None
    if document.text.count("=") < _MIN_SETTINGS:
        return ""
    prose, _, _ = _split(body)
    found = list(islice(_SETTING.finditer(prose), MAX_FOUND))
    has_secret = any(_SECRET_NAME.search(one[1]) and len(one[2].strip()) >= _MIN_SECRET for one in found)
    # The values are left out: a report must not repeat them.
    return " ".join(one[1] for one in found)[:_MAX_MESSAGE] if len(found) >= _MIN_SETTINGS and has_secret else ""


def _reports_between(document: Document) -> Iterator[ErrorOutput]:
    """Report of a program that is all between the header and the footer of a page."""
    if document.main_word_count > 2 * _MAX_OWN_WORDS or document.body is None:
        return
    root = document.body.node
    part = next(iter(root.select("main, [role=main]")), None) if isinstance(root, Element) else None
    if isinstance(part, Element):
        prose, code, _ = _split(part)
        # What a page says about code, it says in more words than a heading.
        has_own_text = document.main_word_count - len(code.split()) > _MAX_TITLE_WORDS
        yield from _reports(
            (prose if has_own_text else f"{prose}\n{code}")[:_MAX_REPORT], _Quotes(document, count_words(code))
        )


def _is_dead_end(document: Document) -> bool:
    """Return whether the page leads to next to no other page of its site, as the output of a program does."""
    own = host(document.url)
    here = strip_fragment(document.url)
    pages = {strip_fragment(one.url) for one in document.anchors if one.url is not None and host(one.url) == own}
    return len(pages - {here}) < _MIN_WAYS_ON


class _Quotes:
    """Distinguishes messages that a page writes about from those that its software wrote into it."""

    def __init__(self, document: Document, code_words: int) -> None:
        self._document = document
        self._own_words = document.main_word_count - code_words

    @cached_property
    def _is_published(self) -> bool:
        """The page names itself to search engines or leads further into its site, as the output of a program does not.

        Source: the debug pages of Django, Werkzeug, Rails, Laravel, ASP.NET and Spring.
        """
        document = self._document
        described = any(one.name == "description" or one.property.startswith("og:") for one in document.metas)
        named = any("canonical" in one.rel for one in document.links) or bool(document.structured_items)
        return described or named or own_links(document) >= _MIN_WAYS_ON - 1

    @cached_property
    def subject(self) -> str:
        """Subject of the page by its own account: title, first heading, description and address."""
        return " ".join((*_names(self._document), _description(self._document), _address(self._document))).casefold()

    def holds(self, text: str, start: int, end: int, *, is_exact: bool = False) -> bool:
        """Return whether the page quotes the message at ``text[start:end]``.

        It does if the sentence goes on around the message, or if title or description name it and the page has
        something to say about it.

        Args:
            text: What ``_split`` returned.
            start: Where the message begins.
            end: Where it ends.
            is_exact: It has the form that only its program gives it, so that sentences beside it prove nothing.
        """
        if not self._is_published:
            return False
        # A program stops once: several failures, each in a paragraph or item of its own, are a list of them.
        parts = text[max(0, start - _NEAR) : end + _NEAR].split(_PARAGRAPH)
        if sum(1 for one in parts if _KIND.search(one) and _SOURCE_LINE.search(one)) > 1:
            return True
        near = text[max(0, start - _NEAR) : start]
        before = near[max((one.end() for one in _EDGES.finditer(near)), default=0) :]
        kind = _KIND.search(before)
        message = text[start - (len(before) - kind.start() if kind else 0) : end]
        before = before[: kind.start()].rpartition(" ")[0] if kind else before
        before = _THREAD.sub("", before)
        after = _EDGES.split(text[end : end + _NEAR], maxsplit=1)[0]
        further = _LABEL.search(after)
        # The next message of a program is no end of a sentence.
        after = after[: further.start() if further else len(after)]
        place = _COLUMN.match(after)
        after = after[place.end() :] if place else after.lstrip(":0123456789)")
        signs = [*_KIND.finditer(after), *_SOURCE_LINE.finditer(after)]
        behind = max((one.end() for one in signs), default=0)
        # What follows a colon is the message of the program itself.
        tail = "" if (place and not behind) or after[behind:].lstrip().startswith(":") else after[behind:]
        outside = self._own_words - count_words(f"{message} {after[:behind]}")
        outside -= sum(count_words(one.text) for one in self._document.headings[:5])
        if outside >= _MIN_PROSE and self._is_subject(message + after[: max(behind, 80)]):
            return True
        if is_exact:
            return False
        leads, ends = count_words(_plain(before)), count_words(_plain(tail))
        return ends >= _WRAPPED or (leads >= _WRAPPED and outside - leads >= _MIN_PROSE)

    def _is_subject(self, message: str) -> bool:
        kinds = (one.group().rstrip(":").casefold() for one in _KIND.finditer(message))
        if any(one in self.subject for one in kinds if one not in _ANY_ERROR):
            return True
        # Names of files and of the functions in them are words of the site too.
        plain = _PATHS.sub(" ", message)
        shared = {one.casefold() for one in _LONG_WORD.findall(plain) if one.casefold() in self.subject}
        return len(shared) >= _MIN_SHARED


def _names(document: Document) -> tuple[str, str]:
    """(title, first heading), one empty where there is none."""
    title = document.titles[0].text if document.titles else ""
    return title[:_MAX_MESSAGE], document.headings[0].text[:_MAX_MESSAGE] if document.headings else ""


def _description(document: Document) -> str:
    described = (one.content for one in document.metas if one.name == "description")
    return next(described, "")[:_MAX_MESSAGE]


def _address(document: Document) -> str:
    return " ".join(_SLUG_WORD.findall(unquote(document.url.partition("://")[2].partition("/")[2])[:_MAX_MESSAGE]))


def _php_messages(text: str, quotes: _Quotes) -> Iterator[ErrorOutput]:
    """PHP's own form: a label, a message, a path and a line; in bold type, or as a line of text on top.

    Source: ``php_error_cb`` of PHP, main/main.c: a break, the label in bold type, and the same for path and line. A
    message without the break may be a quoted one.
    """
    begin = 0
    for number, end in enumerate(_LINE.finditer(text)):
        if number >= 2 * MAX_FOUND:
            return
        start = max(begin, end.start() - _NEAR)
        window = text[start : end.start()]
        begin = end.end()
        if _PATH.search(window) is None:
            continue
        labels = list(_LABEL.finditer(window))
        if not labels:
            continue
        label = labels[0]
        at = start + label.start()
        gap = text[max(0, at - _TOP) : at]
        gap = gap[len(gap.rstrip()) :]
        is_bold = label[1] is not None
        starts_line = len(gap) == at or (_PARAGRAPH not in gap and any(one in gap for one in ("\n", _BREAK, _BLOCK)))
        is_set = is_bold and (len(gap) == at or _BREAK in gap or f" in {_START}" in window)
        is_output = is_set or label[2] is not None or (not is_bold and at <= _TOP and starts_line)
        if is_output and not quotes.holds(text, at, end.end(), is_exact=is_bold and _BREAK in gap):
            message = _plain(window[label.start() :] + end.group())
            yield ErrorOutput("PHP", message, fatal=label[3] in _FATAL_LABELS)


def _traces(text: str, quotes: _Quotes) -> Iterator[ErrorOutput]:
    for language, parts, pattern, least in _TRACES:
        if not any(part in text for part in parts):
            continue
        matches = []
        for match in pattern.finditer(text):
            matches.append(match)
            if len(matches) >= least:
                # No one quotes so much of a trace as prose.
                if least >= _MIN_FRAMES or not quotes.holds(text, matches[0].start(), match.end()):
                    start = max(0, matches[0].start() - 160)
                    yield ErrorOutput(language, _plain(text[start : matches[0].end()]), fatal=True)
                break


def _reports(text: str, quotes: _Quotes) -> Iterator[ErrorOutput]:
    """Report of a program in any language, on a page that says little else: a kind of failure, and where it was."""
    kind = _KIND.search(text)
    if kind is None:
        return
    lines = list(islice(_SOURCE_LINE.finditer(text), 2))
    statement = _STATEMENT.search(text)
    if 2 + min(3, 2 * len(lines)) + 2 * (statement is not None) < _MIN_SIGNS:
        return
    places = (*lines, statement) if statement else lines
    kinds = list(_KIND.finditer(text[: places[0].start()])) or [kind]
    end = max(one.end() for one in (kinds[-1], *places))
    if statement is not None and end == statement.end():
        # The rest of its statement belongs to the message.
        end = rest.end() if (rest := _REST.match(text, end)) is not None else end
    if not quotes.holds(text, kinds[-1].start(), end):
        yield ErrorOutput("program", _plain(text[max(0, kind.start() - 80) :]), fatal=True)


def _error_pages(document: Document) -> Iterator[ErrorOutput]:
    shown = " ".join(
        (
            *(one.text for one in document.titles[:1]),
            "\n",
            document.text[:2_000],
        )
    )
    folded = " ".join(shown.casefold().replace("\u2019", "'").split())
    heading = document.headings[0].text.casefold()[:200] if document.headings else ""
    for language, pattern in _PAGES:
        found = pattern.search(folded) or pattern.search(heading)
        if found and not _explains(document, found.group()):
            yield ErrorOutput(language, _plain(document.text), fatal=True)
            return


def _explains(document: Document, phrase: str) -> bool:
    """Return whether the page is an article on what error pages say: its address or description has the words.

    A title proves nothing unless its sentence goes on behind the phrase, since the error page of a site has the same
    one, and a template's description is of the site.
    """
    if document.main_word_count < 2 * count_words(phrase) + _MIN_PROSE:
        return False
    words = {one.casefold() for one in _SLUG_WORD.findall(" ".join((*_names(document), phrase)))}
    title = _names(document)[0].casefold()
    further = title.partition(phrase)[2]
    if len(further.split()) >= _MIN_SHARED and further[:1].isspace() and further.split()[0].isalpha():
        return True
    kinds = (one for item in document.structured_items[:5] for one in item.types[:5])
    return (
        len(words.intersection(_SLUG_WORD.findall(_address(document).casefold()))) >= _MIN_SHARED
        or len(words.intersection(_SLUG_WORD.findall(_description(document).casefold()))) >= _MIN_SHARED
        or any(one.endswith(("Article", "Posting", "Question", "HowTo", "QAPage", "FAQPage")) for one in kinds)
    )


def _plain(text: str) -> str:
    return " ".join(text.translate(_NO_MARKS).split())[:_MAX_MESSAGE]


def _split(body: object) -> tuple[str, str, str]:
    """(the visible text outside of code and quotation marks, with marks for its structure; of code; of comments)."""
    prose: list[str] = []
    code: list[str] = []
    comments: list[str] = []
    if not isinstance(body, Element):
        return "", "", ""
    left, size = MAX_NODES, 0
    stack: list[tuple[Iterator[object], list[str], str]] = [(iter(body), prose, "")]
    while stack and left and size < MAX_TEXT:
        children, out, closes = stack[-1]
        child = next(children, None)
        left -= 1
        if child is None:
            stack.pop()
            out.append(closes)
            continue
        if isinstance(child, Text):
            size += len(child.data)
            out.append(child.data)
        elif isinstance(child, Element) and child.tag not in _SILENT:
            edge = _edge(child.tag)
            out.append(edge + _TITLED if child.tag in _HEADINGS else edge)
            inner = out
            if out is prose and child.tag in _CODE:
                inner = code
            elif out is prose and _is_comment(child):
                inner = comments
            bold = child.tag in _BOLD and inner is prose
            if bold:
                prose.append(_START)
            stack.append((iter(child), inner, _END if bold else edge if edge != _BREAK else ""))
    return _QUOTED.sub(" ", "".join(prose)[:MAX_TEXT]), "".join(code)[:MAX_TEXT], "".join(comments)[:MAX_TEXT]


def _edge(tag: str) -> str:
    return _BREAK if tag == "br" else _BLOCK if tag in _BLOCKS else _PARAGRAPH if tag in _PARAGRAPHS else ""


def _is_comment(element: Element) -> bool:
    named = (element.attrs.get(one) for one in ("class", "id"))
    return any(one and _COMMENT.search(str(one)[:_MAX_MESSAGE].lower()) is not None for one in named)
