import re
from typing import Final

from pagegrade.checks._check import State, Verdict, check
from pagegrade.model.artifacts import WellKnown
from pagegrade.model.outcome import Detail, Evidence, NotApplicable, NotRun, Outcome, Severity
from pagegrade.parse.files.robots import looks_like_html
from pagegrade.parse.http.headers import parse_media_type

MIN_CHARS: Final = 50
_HEADING: Final = re.compile(r"^ {0,3}#(?!#)[ \t]+\S", re.MULTILINE)
_LINK: Final = re.compile(r"\]\([^()\s]{1,2000}[) \t]|<https?://[^\s<>]{1,2000}>|https?://[^\s<>]")


@check(
    id="llms-txt",
    title="llms.txt",
    severity=Severity.INFO,
    since="0.1.0",
    states=(
        State("complete", "The site has an llms.txt file."),
        State(
            "lacking",
            "The llms.txt file lacks content that the format expects.",
            title="Complete llms.txt",
            why=(
                "Programs that read the file find no usable description of the site. The format is a proposal "
                "and read by few programs."
            ),
            fix=(
                "Give the file a main heading, a sentence about the site and links to the pages that matter, or "
                "remove it."
            ),
        ),
    ),
    sources=("https://llmstxt.org/",),
)
def llms_txt(llms_txt: WellKnown) -> Verdict:
    """Some sites publish a list of content for language models.

    ## What it checks

    `/llms.txt` of the site, where there is one: it is meant to have a main heading (a line that begins with `#`), at
    least one link and 50 characters of text. An application that answers every URL with a page counts as having no such
    file. The format is a proposal that few programs read, so this check costs nothing.

    ## Fails on

    ```http llms_txt
    HTTP/2 200
    Content-Type: text/plain

    We sell chairs.
    ```

    ## Passes on

    ```http llms_txt
    HTTP/2 200
    Content-Type: text/plain

    # Example chairs

    > Chairs and tables made of oak.

    - [Catalogue](https://example.com/catalogue.md): every model with sizes and prices
    ```
    """
    response = llms_txt.response
    kind = parse_media_type(response.header("content-type"))
    is_page = looks_like_html(response.body) or (kind is not None and "html" in kind.essence)
    if 400 <= response.status < 500 or (response.status == 200 and is_page):
        return NotApplicable("The site has no llms.txt file.")
    if response.status != 200:
        return NotRun("probe", f"The URL of the file answers with status {response.status}.")
    text = response.body.decode("utf-8-sig", "replace").strip()
    if not text:
        return NotApplicable("The site has no llms.txt file.")
    faults = [
        *(() if _HEADING.search(text) else ("no main heading",)),
        *(() if _LINK.search(text) else ("no link",)),
        *(() if len(text) >= MIN_CHARS else (f"fewer than {MIN_CHARS} characters",)),
    ]
    return Outcome(
        "lacking" if faults else "complete",
        value=f"{len(text)} characters",
        evidence=(Evidence(url=response.url, reason="; ".join(faults)),),
        details=tuple(Detail(code="fault", actual=fault) for fault in faults),
    )
