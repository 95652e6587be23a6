from typing import Final

from pagegrade.checks._check import State, Verdict, check
from pagegrade.model.document import CharsetDeclaration, Document
from pagegrade.model.outcome import MAX_EVIDENCE, Detail, Evidence, Outcome, Severity

MAX_OFFSET_BYTES: Final = 1_024
NAMES: Final = {"bom": "byte order mark", "header": "Content-Type header", "meta": "meta element"}


@check(
    id="charset",
    title="Character encoding",
    severity=Severity.MEDIUM,
    since="0.1.0",
    states=(
        State("utf8", "The page declares UTF-8 where browsers look for it."),
        State("repeated", "The page declares its encoding in more than one meta element.", loss=0.5),
        State("late", "The encoding is declared too far down.", loss=0.5),
        State("other", "The page declares an encoding other than UTF-8.", loss=0.5),
        State("conflicting", "The declarations of the encoding contradict each other.", loss=0.5),
        State("missing", "The page declares no encoding.", loss=1.0),
    ),
    sources=(
        "https://html.spec.whatwg.org/multipage/semantics.html#charset",
        "https://html.spec.whatwg.org/multipage/parsing.html#determining-the-character-encoding",
        "https://encoding.spec.whatwg.org/#names-and-labels",
    ),
)
def charset(document: Document) -> Verdict:
    """Without a declared encoding, letters such as é or ü may turn into nonsense.

    ## What it checks

    Where the page says that it is UTF-8: in the `Content-Type` header, by a byte order mark, or in a `<meta>` that
    ends within the first 1,024 bytes (bytes, not characters), which is as far as browsers must look. One of them is
    enough. A declaration that comes later, another encoding, two `<meta>` declarations, or places that contradict each
    other cost half. No declaration, or only a name that no browser knows, costs everything. The declaration in an
    `<?xml ...?>` line does not count in HTML. Every usual spelling of the name is fine, `utf8` too.

    ## Why it matters

    Browsers have to guess what is not declared, and search engines show what they guessed.

    ## How to fix

    Put this directly after `<head>`, before the title and everything else:

    ```
    <meta charset="utf-8">
    ```

    Better still, let the server send `Content-Type: text/html; charset=utf-8`. Save the files as UTF-8.

    ## Fails on

    ```http
    HTTP/2 200
    Content-Type: text/html

    <!doctype html><title>Gartenmöbel</title>
    ```

    ## Passes on

    ```http
    HTTP/2 200
    Content-Type: text/html

    <!doctype html><meta charset="utf-8"><title>Gartenmöbel</title>
    ```
    """
    declared = document.charset_declarations
    known = [found for found in declared if found.encoding is not None]
    return Outcome(
        _state(known),
        value=known[0].encoding if known else declared[0].label[:50] if declared else None,
        evidence=tuple(_evidence(found) for found in declared[:MAX_EVIDENCE]),
        total=len(declared),
        details=(
            *(
                Detail(code="offset_bytes", actual=found.offset_bytes, limit=MAX_OFFSET_BYTES)
                for found in known[:1]
                if found.source == "meta"
            ),
            Detail(code="encoding_used", actual=document.encoding, limit="UTF-8"),
        ),
    )


def _state(known: list[CharsetDeclaration]) -> str:
    if not known:
        return "missing"
    encodings = {(found.encoding or "").upper() for found in known}
    if len(encodings) > 1:
        return "conflicting"
    if encodings != {"UTF-8"}:
        return "other"
    metas = [found for found in known if found.source == "meta"]
    if len(metas) == len(known) and all(_is_late(found) for found in metas):
        return "late"
    return "repeated" if len(metas) > 1 else "utf8"


def _is_late(found: CharsetDeclaration) -> bool:
    return found.offset_bytes is None or found.offset_bytes > MAX_OFFSET_BYTES


def _evidence(found: CharsetDeclaration) -> Evidence:
    place = NAMES[found.source]
    if found.source == "meta" and found.offset_bytes is not None:
        place = f"{place}, ends at byte {found.offset_bytes:,}"
    return Evidence(
        line=found.line,
        header="Content-Type" if found.source == "header" else "",
        value=found.label[:100],
        reason=place if found.encoding is not None else f"{place}, no known encoding",
    )
