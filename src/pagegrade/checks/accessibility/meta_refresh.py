import re
from collections import Counter
from typing import Final

from pagegrade.checks._amounts import amount
from pagegrade.checks._check import Cap, State, check
from pagegrade.checks._offenders import Offender, evidence_of
from pagegrade.model.artifacts import NotGathered, Response
from pagegrade.model.document import Document, Node
from pagegrade.model.outcome import Evidence, Outcome, Severity
from pagegrade.model.rendering import Rendering
from pagegrade.parse.files.javascript import MAX_AT_LOAD, done_at_load
from pagegrade.parse.page_content import form_of
from pagegrade.parse.page_links import same_page_key
from pagegrade.parse.party import Parties
from pagegrade.parse.refreshes import delay_seconds, refresh_target, refreshes
from pagegrade.parse.url import is_http, strip_fragment
from pagegrade.parse.words import count_words

MAX_SECONDS: Final = 72_000
"""Twenty hours: WCAG 2.2, success criterion 2.2.1. No one is hurried by more."""

MAX_RESTLESS_SECONDS: Final = 10
MAX_AT_ONCE_SECONDS: Final = 3
MIN_READ_WORDS: Final = 60
"""Words that no one reads in that time; a page with fewer is a display, such as that of a counter."""
WORDS_A_SECOND: Final = 20
"""The same in a longer time, in paragraphs: five times what people read. Displays have tables and lists."""
MIN_FIELDS: Final = 3
"""Fields of a form that no one fills in within ``MAX_RESTLESS_SECONDS``, and one for a longer text is enough."""
_WRITTEN: Final = frozenset({"text", "email", "tel", "url", "number", "date", "password", "textarea"})
_LEAVES: Final = re.compile(
    r"(?<![\w$.])(?:(?:window|document|self|top)\.)?location(?:\.href)?\s{0,9}(?:=|\.(?:replace|assign)\()\s{0,9}"
    r"([\"'`])(https?://[^\"'`\s]{1,900})\1"
)
_RELOADS: Final = re.compile(
    r"(?<![\w$.])(?:(?:window|document|self|top)\.)?(?:location\.reload\(|"
    r"location(?:\.href)?\s{0,9}=\s{0,9}(?:(?:window|document|self|top)\.)?location(?:\.href)?\s{0,9}(?:;|$))"
)
_TIMER: Final = re.compile(
    r"set(?:Timeout|Interval)\(\s{0,9}(?:function\s{0,3}\w{0,40}\s{0,3}\(\s{0,3}\)\s{0,9}\{|"
    r"\(\s{0,3}\)\s{0,9}=>\s{0,9}\{?|[\"'`])[^{}]{0,100}\Z"
)
_LEADING_MARKS: Final = frozenset({"location", "ubmit("})
"""One of them is in every script that loads a page."""
_MAX_TIMER: Final = 160
_MILLISECONDS: Final = re.compile(r"[^{},]{0,60}[}\"'`]?[^{},]{0,9},\s{0,9}(\d{1,9})\s{0,9}\)")
_SUBMITS: Final = re.compile(
    r"document\s{0,3}\.\s{0,3}(?:getElementById\([^()]{1,80}\)|querySelector\([^()]{1,80}\)|forms\[[^\[\]]{1,80}\]|"
    r"forms\.\w{1,60}|\w{1,60})\s{0,3}\.\s{0,3}(?:requestSubmit|submit)\("
)


@check(
    id="meta-refresh",
    title="Automatic refresh",
    severity=Severity.MEDIUM,
    since="0.1.0",
    visible_only=False,
    states=(
        State("none", "The page does not reload or redirect by itself."),
        State(
            "redirect",
            "The page redirects immediately by itself, without a response of the server.",
            0.5,
            title="Redirect with a response of the server",
            why=(
                "A page that leads on by itself adds a step to the way back, and programs without scripts stay on it."
            ),
            fix="Answer the URL with status 301 or 302 and the URL of the page that visitors are to see.",
        ),
        State(
            "timed",
            "The page reloads or redirects by itself after a delay.",
            1.0,
            title="Remove the timed refresh",
            why=(
                "People who need longer lose their place or a half-filled form, and screen readers start again "
                "from the top."
            ),
            fix=(
                'Remove the `<meta http-equiv="refresh">` or the header `Refresh`. Redirect with status 301, and '
                "refresh parts of the page when the visitor asks for it."
            ),
        ),
        State(
            "restless",
            "The page loads itself again before anyone can read it.",
            1.0,
            title="The page reloads again and again",
            why="Visitors cannot read to the end, fill in a field or follow a link in time.",
            fix=(
                'Remove the `<meta http-equiv="refresh">`, the header `Refresh` or the call of `location.reload()`. '
                "Let a script fetch what changes."
            ),
        ),
        State(
            "leaves",
            "The page sends its visitors to another site by itself.",
            1.0,
            title="The page sends visitors to another site",
            why=(
                "Visitors do not get the page that they asked for. Intruders and doorway pages do this, so search "
                "engines warn of such pages or drop them."
            ),
            fix=(
                "If you do not know the URL, the page was changed: restore it and change all passwords. If the "
                "site has moved, redirect with status 301, which search engines follow."
            ),
        ),
    ),
    cap=Cap(49, states=("restless", "leaves")),
    sources=(
        "https://www.w3.org/WAI/WCAG22/Understanding/timing-adjustable.html",
        "https://www.w3.org/WAI/WCAG22/Techniques/html/H76",
        "https://www.w3.org/WAI/standards-guidelines/act/rules/bc659a/",
        "https://www.w3.org/WAI/standards-guidelines/act/rules/bisz58/",
        "https://html.spec.whatwg.org/multipage/semantics.html#attr-meta-http-equiv-refresh",
    ),
)
def meta_refresh(
    document: Document,
    served_document: Document,
    response: Response,
    parties: Parties,
    rendering: Rendering | NotGathered,
) -> Outcome:
    """A page that reloads or redirects by itself takes time away from people who read slowly.

    ## What it checks

    The header `Refresh` and elements `<meta http-equiv="refresh">` whose content browsers understand; of several the
    first counts. It fails with a delay above 0 and up to 20 hours. A delay of 0 is a redirect. The guidelines for
    accessibility allow it, because no one has begun to read, so it costs only half; a response with status 301 or 308
    does the same for every program, and faster. One without a URL is treated alike on a page of a few words: the page
    requests itself again, and what it then shows is not known. Where a browser drew the page, a redirect by a script
    counts like one by the element. Content that browsers do not understand does nothing, and passes. More than 20 hours
    pass, although the strictest level of the guidelines forbids them as well. A refresh that leads to another site
    fails with any delay up to 20 hours, and limits the score: visitors do not get this page. So does a script in the
    page that leads to another site without any condition, and a page that loads itself again before anyone can use it,
    by a script as well: one of sixty words and more within three seconds, one whose paragraphs have twenty words and
    more for each second within ten seconds, and one within ten seconds with a form that has three fields to write in or
    one for a longer text.

    ## Fails on

    ```html
    <!doctype html><title>News</title><meta http-equiv="refresh" content="300">
    ```

    ## Passes on

    ```html
    <!doctype html><title>News</title><p><a href="/news">Reload</a></p>
    ```
    """
    first = _first(document, response)
    departures = () if isinstance(rendering, NotGathered) else rendering.departures
    if first is not None and first[0] <= MAX_SECONDS:
        delay, content, node = first
        evidence = (
            (Evidence(url=response.url, value=amount(delay, "second"), snippet=f"Refresh: {content[:200]}"),)
            if node is None
            else evidence_of(document, [Offender(node, amount(delay, "second"))])
        )
        url = refresh_target(content, document)
        # The document that was drawn last is no longer the one that the header led away from.
        is_same = _is_same(url, document, delay) and (node is not None or not departures)
        if is_same and _is_restless(delay, document):
            return Outcome("restless", value=delay, evidence=evidence)
        if not departures:
            leaves = url is not None and is_http(url) and not parties.is_own(url)
            state = "leaves" if leaves else "timed" if delay else "redirect"
            return Outcome(state, value=url[:2_000] if url and leaves else delay, evidence=evidence)
    if departures:
        gone = tuple(Evidence(url=one.url, value=f"{one.after_ms / 1_000:.1f} s") for one in departures)
        served = _first(served_document, response)
        waited = served[0] if served is not None and departures[0].kind in {"meta", "header"} else 0
        return Outcome("timed" if waited else "redirect", value=waited, evidence=gone)
    for script in document.running_scripts:
        if document.marks_of_scripts.get(script.node, frozenset()).isdisjoint(_LEADING_MARKS):
            continue
        text, delay = _without_timer(script.text[:MAX_AT_LOAD])
        certain = done_at_load(text) if "location" in text or "ubmit(" in text else ""
        reason = _loads_again(certain, document) if certain and delay <= MAX_SECONDS else ""
        if reason and (_is_restless(delay, document) or delay):
            again = Offender(script.node, reason, amount(delay, "second") if delay else "")
            state = "restless" if _is_restless(delay, document) else "timed"
            return Outcome(state, value=delay, evidence=evidence_of(document, [again]))
        found = _LEAVES.search(certain)
        if found is not None and not parties.is_own(found[2]):
            away = Offender(script.node, "a script leads there at once", url=found[2])
            return Outcome("leaves", value=found[2], evidence=evidence_of(document, [away]))
    return Outcome("none")


def _first(document: Document, response: Response) -> tuple[int, str, Node | None] | None:
    """(seconds, content, element) of the first refresh that browsers understand."""
    asked = ((delay_seconds(content), content, node) for content, node in refreshes(document, response))
    return next(((delay, content, node) for delay, content, node in asked if delay is not None), None)


def _is_same(url: str | None, document: Document, delay: int) -> bool:
    """Return whether a refresh loads the page again: at once, another form of its URL may be where it ends."""
    if url is None:
        return True
    return url == strip_fragment(document.url) if delay == 0 else same_page_key(url) == same_page_key(document.url)


def _is_restless(delay: int, document: Document) -> bool:
    """Return whether a page that loads itself again after so many seconds cannot be used."""
    if delay <= MAX_AT_ONCE_SECONDS:
        return document.word_count >= MIN_READ_WORDS
    if delay > MAX_RESTLESS_SECONDS:
        return False
    if count_words(" ".join(one.text for one in document.paragraphs)) >= WORDS_A_SECOND * delay:
        return True
    fields = [one for one in document.controls if not one.hidden and one.type in _WRITTEN]
    forms = Counter(form for one in fields if (form := form_of(one)) is not None)
    return any(number >= MIN_FIELDS for number in forms.values()) or any(
        one.type == "textarea" and form_of(one) is not None for one in fields
    )


def _find_reload(text: str) -> re.Match[str] | None:
    # What is quickest to rule out comes first: both forms are slow to search for.
    may_reload = "location.reload(" in text or text.count("location") > 1
    return _RELOADS.search(text) if may_reload else None


def _without_timer(text: str) -> tuple[str, int]:
    """Return a script in which its first call to load the page again stands alone, and the seconds that it waits."""
    found = _find_reload(text) if "set" in text else None
    if found is not None:
        timer = _TIMER.search(text, max(0, found.start() - _MAX_TIMER), found.start())
        after = _MILLISECONDS.match(text, found.end())
        if timer is not None and after is not None:
            return f"{text[: timer.start()]}{found[0]}{text[after.end() :]}", int(after[1]) // 1_000
    return text, 0


def _loads_again(statements: str, document: Document) -> str:
    """Explain how these statements load the page again for every visitor; "" where they do not."""
    if _find_reload(statements) is not None:
        return "a script reloads the page"
    here = same_page_key(document.url)
    is_own = bool(document.forms) and all(same_page_key(one.url) == here for one in document.forms)
    return "a script sends a form to the page itself" if is_own and _SUBMITS.search(statements) else ""
