import re
from typing import Final
from urllib.parse import unquote

from msgspec.structs import replace

from pagegrade.checks._check import State, check
from pagegrade.model.artifacts import Navigation
from pagegrade.model.outcome import Detail, Evidence, Outcome, Severity
from pagegrade.parse.page_links import path_and_query
from pagegrade.parse.url import route
from pagegrade.parse.urls.identity import page_url

MAX_PARAMETERS: Final = 2
_SESSION_NAMES: Final = frozenset(
    {
        "aspsessionid",
        "cfid",
        "cftoken",
        "jsessionid",
        "phpsessid",
        "session_id",
        "sessionid",
        "sessid",
        "sid",
    }
)
_SESSION_PATH: Final = re.compile(r";(jsessionid|phpsessid|sid|sessionid)=|/\(S\([a-z0-9]{10,40}\)\)/", re.IGNORECASE)
_PROGRAM: Final = re.compile(r"\.(php\d?|phtml|aspx?|jspx?|cgi|cfm|pl|do)$", re.IGNORECASE)
_SEPARATORS: Final = re.compile(r"[\[\],:;$|]|%5B|%5D|%7C", re.IGNORECASE)
_FOUND: Final = {
    "underscore": "underscores",
    "uppercase": "upper-case letters",
    "space": "a space",
    "double_slash": "two slashes in a row",
    "many_parameters": "more than two parameters",
    "program": "a file extension that names the software",
}
_HARMLESS: Final = frozenset({"underscore", "program"})
"""Search engines read such URLs as well as others; changing them costs more than it brings."""
_LOCALE: Final = re.compile(r"(?<=/)[a-z]{2,3}-(?:[A-Z]{2}|[A-Z][a-z]{3})(?=/|$)")
"""A folder such as ``en-US``: that is how the standard for language tags writes them."""
_REASONS: Final = {
    "underscore": "Words are joined by underscores; hyphens separate them.",
    "uppercase": "Upper-case letters: URLs that differ in case are different pages.",
    "space": "A space becomes %20.",
    "double_slash": "Two slashes in a row.",
    "many_parameters": "More than two parameters.",
    "program": "The file extension names the software that generates the page.",
}


@check(
    id="url-friendly",
    title="Readable URL",
    severity=Severity.LOW,
    since="0.1.0",
    states=(
        State("ok", "The URL of the page is easy to read."),
        State("old_style", "The URL of the page has underscores or an ending that names a program."),
        State(
            "unfriendly",
            "The URL of the page is hard to read.",
            loss=0.5,
            title="Make the URL readable",
            why="People see the URL in search results and shared links, and trust one that they can read.",
            fix=(
                "Use lower-case words separated by hyphens, without file extension and with few parameters. "
                "Redirect the old URL with status 301."
            ),
        ),
        State(
            "odd_separators",
            "The query of the URL uses brackets, commas or colons as separators.",
            loss=1.0,
            title="Query string uses unusual separators",
            why="Search engines and analytics cannot split the parameters and treat every combination as a new page.",
            fix="Write parameters as `?name=value&other=value`.",
        ),
        State(
            "fragment_route",
            "The page is selected by the fragment of the URL, which servers never receive.",
            loss=1.0,
            title="Page is selected by the URL fragment",
            why="Search engines ignore everything after `#`, so all such pages count as one.",
            fix="Use the History API so that each page has a path of its own, such as `/chairs`.",
        ),
        State(
            "session_id",
            "The URL of the page contains a session id.",
            loss=1.0,
            title="URL contains a session id",
            why=(
                "Every visitor gets a different URL, so search engines find endless copies. Anyone who receives "
                "a shared link may take over the session."
            ),
            fix="Keep the session in a cookie, and redirect URLs with a session id to the plain URL.",
        ),
    ),
    sources=(
        "https://developers.google.com/search/docs/crawling-indexing/url-structure",
        "https://www.rfc-editor.org/rfc/rfc3986",
    ),
)
def url_friendly(navigation: Navigation) -> Outcome:
    """People and search engines read URLs, and trust and share readable ones.

    ## What it checks

    The path and the query of the page's final URL. Warnings: upper-case letters, spaces, two slashes in a row and
    more than two parameters. Underscores and an ending such as `.php` or `.aspx` are named and cost nothing.
    Failures: a session id, content chosen by `#!` or `#/`, and a query that uses brackets, commas or colons in place
    of `=` and `&`. Letters of any language are fine, also when they appear as `%E3%82%AF`, and so are folders such as
    `en-US`, which is how language tags are written; the home page has no path to evaluate.

    ## Fails on

    ```url
    https://example.com/Shop/red_shoes.php
    ```

    ## Passes on

    ```url
    https://example.com/shop/red-shoes
    ```
    """
    url = navigation.main_document_url
    path, query = path_and_query(url)
    text = unquote(path)
    session = _session_name(path, query)
    # The id itself may open someone's session: only its name is shown, and no part of the URL.
    open_url = "" if session is not None else url
    serious: list[tuple[str, str, Evidence]] = []
    if session is not None:
        serious.append(("session_id", session, Evidence(value=session, reason="A session id.")))
    if route(page_url(navigation)):
        serious.append(("fragment_route", "#", Evidence(url=open_url, reason="Continues behind #.")))
    if query and "=" not in query and _SEPARATORS.search(query):
        shown = "" if session is not None else query[:200]
        reason = "Brackets, commas or colons stand between the parameters."
        serious.append(("odd_separators", shown or "query", Evidence(url=open_url, snippet=shown, reason=reason)))
    parameters = len([part for part in query.split("&") if part])
    found = [
        name
        for name, is_found in (
            ("underscore", "_" in text),
            ("uppercase", any(character.isupper() for character in _LOCALE.sub("", text))),
            ("space", " " in text),
            ("double_slash", "//" in path),
            ("many_parameters", parameters > MAX_PARAMETERS),
            ("program", _PROGRAM.search(text) is not None),
        )
        if is_found
    ]
    if serious:
        state, value, first = serious[0]
        unfriendly = [name for name in found if name not in _HARMLESS]
        milder = [replace(entry, state=name) for name, _, entry in serious[1:]]
        milder += [Evidence(url=open_url, reason=_REASONS[name], state="unfriendly") for name in unfriendly]
        return Outcome(state, value=value, evidence=(first, *milder))
    # What is decoded is easier to read, but must not bring line breaks or worse into the report.
    readable = (text if text.isprintable() else path)[:2_000]
    if not found:
        return Outcome("ok", value=readable)
    shown = query[:200] if found == ["many_parameters"] else readable[:200]
    return Outcome(
        "old_style" if _HARMLESS.issuperset(found) else "unfriendly",
        value=readable,
        evidence=tuple(Evidence(url=url, snippet=shown, reason=_REASONS[name]) for name in found),
        details=tuple(
            Detail(code=name, actual=parameters, limit=MAX_PARAMETERS)
            if name == "many_parameters"
            else Detail(code=name)
            for name in found
        ),
        message=f"The URL of the page has {_joined([_FOUND[name] for name in found])}.",
    )


def _joined(parts: list[str]) -> str:
    *most, last = parts
    return f"{', '.join(most)} and {last}" if most else last


def _session_name(path: str, query: str) -> str | None:
    match = _SESSION_PATH.search(path)
    if match is not None:
        return (match[1] or "session in the path").lower()
    for part in query.replace(";", "&").split("&"):
        name = part.partition("=")[0].lower()
        if name in _SESSION_NAMES or name.startswith("aspsessionid"):
            return name[:40]
    return None
