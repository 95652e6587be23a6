import re
from typing import Final

from pagegrade.checks._amounts import amount
from pagegrade.checks._check import Cap, State, check
from pagegrade.model.document import Anchor, Document
from pagegrade.model.outcome import MAX_EVIDENCE, Outcome, Severity
from pagegrade.parse.url import strip_fragment

MAX_ANCHORS: Final = 2_000
_TITLE: Final = re.compile(
    r"(?:index of|directory listing (?:for|of)|directory:|listing directory|files within|contents of) ?[/\[~].{0,500}|"
    r"index of /?.{0,300}|[a-z0-9.:\[\]-]{1,255} - /.{0,500}",
    re.IGNORECASE,
)
_STATED: Final = re.compile(r"(?:index of|directory listing|directory:|listing directory|.{1,255} - /)", re.IGNORECASE)
_SORTING: Final = re.compile(r"[?&](?:C=[NMSD]|O=[AD]|sort=|order=)")
_PARENTS: Final = frozenset(
    {"parent directory", "[to parent directory]", "..", "../", "up", "up to higher level directory"}
)
_DATE: Final = re.compile(
    r"\b\d{4}-\d\d-\d\d[ T]\d\d:\d\d|\b\d{1,2}-[A-Z][a-z]{2}-\d{4} \d\d:\d\d|\b\d{1,2}/\d{1,2}/\d{4}\s"
)
_SECRET: Final = re.compile(
    r"(?:^|/)(?:\.env|\.git|\.htpasswd|\.svn|id_[dr]sa|id_ed25519|wp-config|config(?:uration)?\.(?:php|ya?ml|json|ini)|"
    r"credentials|secrets?|passwords?|passwd|shadow)|\.(?:sql|bak|old|pem|key|p12|pfx|kdbx|dump|sqlite3?)(?:\.(?:gz|zip|bz2|xz))?$|"
    r"backup|~$",
    re.IGNORECASE,
)
_LEAST: Final = 5


@check(
    id="directory-listing",
    title="Directory listing",
    severity=Severity.HIGH,
    since="0.1.0",
    states=(
        State("closed", "The page is no directory listing."),
        State(
            "open",
            "The server shows the list of files of a folder instead of a page.",
            loss=1.0,
            title="Directory listing is enabled",
            why=(
                "Visitors get a list of file names instead of a page, and anyone can find and download backups, "
                "configuration and other files that were never meant for them."
            ),
            fix=(
                "Put a start page into the folder and switch listings off: `Options -Indexes` in Apache, "
                "`autoindex off` in nginx. The other findings describe the listing, so analyze the page again "
                "afterwards."
            ),
        ),
        State(
            "sensitive",
            "The server lists files that look confidential, such as backups or configuration.",
            loss=1.0,
            title="Directory listing exposes confidential files",
            why=(
                "Anyone can download what the list names: databases, keys and passwords are the first things "
                "attackers look for."
            ),
            fix=(
                "Move the files out of the published folder at once, and change every password and key in them. "
                "Then switch listings off: `Options -Indexes` in Apache, `autoindex off` in nginx. The other findings "
                "describe the listing, so analyze the page again afterwards."
            ),
        ),
    ),
    cap=Cap(49),
    visible_only=True,
    sources=("https://cwe.mitre.org/data/definitions/548.html",),
)
def directory_listing(document: Document) -> Outcome:
    """A folder without a start page must not show the list of its files.

    ## What it checks

    Whether the page is the list that a web server writes for a folder: a title or heading such as "Index of /", and
    links that are named like the files they lead to, a link to the parent folder, or links that sort. Names that look
    like backups, databases, keys or configuration are reported as confidential. A page that writes about listings has
    no such links.

    ## Fails on

    ```html
    <html><head><title>Index of /files</title></head><body><h1>Index of /files</h1>
    <a href="/">Parent Directory</a> <a href="plan.pdf">plan.pdf</a> <a href="prices.csv">prices.csv</a></body></html>
    ```

    ## Passes on

    ```html
    <!doctype html><title>Index of /: what to do about open folders</title> <h1>Open folders</h1><p>A server that finds
    no start page may show "Index of /". <a href="/guide">Read the guide</a>.
    ```
    """
    anchors = [one for one in document.anchors[:MAX_ANCHORS] if one.href]
    folder = strip_fragment(document.url).partition("?")[0].rpartition("/")[0] + "/"
    files = [
        one for one in anchors if one.url and one.url.startswith(folder) and _is_named_like_its_target(one, folder)
    ]
    named = [one.text for one in document.titles[:1]] + [one.text for one in document.headings[:2]]
    titled = any(_TITLE.fullmatch(one.strip()[:600]) for one in named)
    if not titled and len(files) < _LEAST:
        return Outcome("closed", value=0)
    stated = any(_STATED.match(one.strip()[:600]) for one in named)
    goes_up = any(" ".join(one.text.lower().split()) in _PARENTS for one in anchors)
    sorts = sum(1 for one in anchors if _SORTING.search((one.href or "")[:200])) > 1
    mostly = 2 * len(files) >= len(anchors) - 6
    dated = len(_DATE.findall(document.text[:20_000])) * 2 >= len(files)
    is_listing = (titled and (bool(files) or goes_up) and (mostly or goes_up or sorts)) or (
        len(files) >= _LEAST and mostly and (goes_up or sorts or stated) and dated
    )
    if not is_listing:
        return Outcome("closed", value=0)
    secret = [one for one in files if _SECRET.search((one.href or "")[:300])]
    shown = secret or files
    return Outcome(
        "sensitive" if secret else "open",
        value=amount(len(files), "file"),
        evidence=tuple(document.evidence(one, url=one.url or "") for one in shown[:MAX_EVIDENCE]),
        total=len(shown),
    )


def _is_named_like_its_target(anchor: Anchor, folder: str) -> bool:
    """Return whether a link leads below a folder and its text is the name, perhaps cut, of what it leads to."""
    url = strip_fragment(anchor.url or "").partition("?")[0]
    text = anchor.text.strip().removesuffix("/")
    if not url.startswith(folder) or len(url) <= len(folder) or not text:
        return False
    name = url[len(folder) :].rstrip("/").lower()
    shown = text.lower().replace(" ", "%20")
    cut = shown.rstrip(".>\u2026")
    return name == shown or (len(cut) >= 12 and len(cut) < len(shown) and name.startswith(cut))
