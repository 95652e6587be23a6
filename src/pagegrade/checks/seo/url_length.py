from typing import Final
from urllib.parse import unquote

from pagegrade.checks._check import State, check
from pagegrade.model.artifacts import Response
from pagegrade.model.outcome import Detail, Evidence, Outcome, Severity
from pagegrade.parse.page_links import path_and_query
from pagegrade.parse.url import strip_fragment

GOOD: Final = 100
MAX_PATH: Final = 200
MAX_OCTETS: Final = 2_000


@check(
    id="url-length",
    title="URL length",
    severity=Severity.LOW,
    since="0.1.0",
    states=(
        State("short", "The URL of the page is short enough."),
        State(
            "long",
            "The URL of the page is long.",
            loss=0.5,
            title="Shorten the URL",
            why="Long URLs are cut off in search results, chats and emails.",
            fix="Leave out folders, dates and words that add nothing, and redirect the old URL with status 301.",
        ),
        State(
            "very_long",
            "The URL of the page is very long.",
            loss=1.0,
            title="URL is very long",
            why="Some programs and servers reject or cut URLs of this length, and people cannot read or retype them.",
            fix=(
                "Move state that the URL carries, such as filters or tokens, into the session or a short id, "
                "and redirect the old URL."
            ),
        ),
    ),
    sources=("https://www.rfc-editor.org/rfc/rfc9110#section-4.1",),
)
def url_length(response: Response) -> Outcome:
    """Short URLs are easier to read, share and type.

    ## What it checks

    The characters of the URL after redirects, without fragment, as people read it: letters that are sent
    percent-encoded count once. Up to 100 are fine, more are a warning, and it fails with a path of more than 200
    characters, or more than 2,000 altogether as they are sent. These limits are a convention for people; servers have
    to cope with 8,000.

    ## Fails on

    ```url
    https://example.com/shop/products/garden-furniture/chairs-and-benches/wooden-chairs/a-very-comfortable-teak-chair-for-summer
    ```

    ## Passes on

    ```url
    https://example.com/chairs/teak
    ```
    """
    url = strip_fragment(response.url)
    shown = len(unquote(url, errors="replace"))
    path = len(unquote(path_and_query(url)[0], errors="replace"))
    details = (Detail(code="characters", actual=shown, limit=GOOD), Detail(code="path", actual=path, limit=MAX_PATH))
    if shown <= GOOD and len(url) <= MAX_OCTETS:
        return Outcome("short", value=shown, details=details)
    return Outcome(
        "very_long" if path > MAX_PATH or len(url) > MAX_OCTETS else "long",
        value=shown,
        evidence=(Evidence(url=url, value=f"{shown} characters"),),
        details=details,
        message=f"The URL of the page has {shown} characters.",
    )
