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
        State(
            "repeated",
            "The page declares its encoding in more than one meta element.",
            loss=0.5,
            title="Character encoding is declared twice",
            why="Browsers use the first declaration; the other one is invalid and confuses editors and tools.",
            fix='Keep one `<meta charset="utf-8">`, directly after `<head>`.',
        ),
        State(
            "late",
            "The encoding is declared after the first 1,024 bytes.",
            loss=0.5,
            title="Character encoding is declared too late",
            why=(
                "Browsers look at the first 1,024 bytes only. They start with a default encoding and may have to parse "
                "the page twice."
            ),
            fix='Put `<meta charset="utf-8">` directly after `<head>`, before the title and everything else.',
        ),
        State(
            "other",
            "The page declares an encoding other than UTF-8.",
            loss=0.5,
            title="Change the character encoding to UTF-8",
            why=(
                "The HTML standard requires UTF-8. Other encodings break form input and URLs with characters "
                "that they lack."
            ),
            fix='Convert the files to UTF-8, and declare it: `<meta charset="utf-8">`.',
        ),
        State(
            "conflicting",
            "The declarations of the encoding contradict each other.",
            loss=0.5,
            title="Conflicting character encodings",
            why="Browsers follow the header, other programs the meta element, so letters may be shown wrongly.",
            fix="Declare UTF-8 in both the `Content-Type` header and the meta element.",
        ),
        State(
            "missing",
            "The page declares no encoding.",
            loss=1.0,
            title="Declare the character encoding",
            why="Browsers guess, and show letters such as é or ü wrongly if they guess wrong.",
            fix=(
                'Put this directly after `<head>`, and save the files as UTF-8:\n\n```html\n<meta charset="utf-8">\n```'
            ),
        ),
    ),
    sources=(
        "https://html.spec.whatwg.org/multipage/semantics.html#charset",
        "https://html.spec.whatwg.org/multipage/parsing.html#determining-the-character-encoding",
        "https://encoding.spec.whatwg.org/#names-and-labels",
    ),
)
def charset(document: Document) -> Verdict:
    """Without a declared encoding, letters such as é or ü may be shown wrongly.

    ## What it checks

    How the page declares that it is UTF-8: in the `Content-Type` header, by a byte order mark, or in a `<meta>` that
    ends within the first 1,024 bytes (bytes, not characters), which is as far as browsers must look. One of them is
    enough. A declaration that comes later, another encoding, two `<meta>` declarations, or places that contradict each
    other cost half. No declaration, or only a name that no browser knows, costs everything. The declaration in an
    `<?xml ...?>` line does not count in HTML. Every usual spelling of the name is fine, `utf8` too.

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
    state, *further = _states(known)
    metas = [found for found in known if found.source == "meta"]
    shown = {"late": metas[:1], "repeated": metas[1:]}
    milder = [(name, found) for name in further for found in shown[name]]
    return Outcome(
        state,
        value=known[0].encoding if known else declared[0].label[:50] if declared else None,
        evidence=(
            *(_evidence(found, name) for name, found in milder[:10]),
            *(_evidence(found) for found in declared[: MAX_EVIDENCE - 10]),
        ),
        total=len(declared) + len(milder),
        details=(
            *(
                Detail(code="offset_bytes", actual=found.offset_bytes, limit=MAX_OFFSET_BYTES)
                for found in known[:1]
                if found.source == "meta"
            ),
            Detail(code="encoding_used", actual=document.encoding, limit="UTF-8"),
        ),
    )


def _states(known: list[CharsetDeclaration]) -> list[str]:
    if not known:
        return ["missing"]
    encodings = {(found.encoding or "").upper() for found in known}
    states = []
    if len(encodings) > 1:
        states.append("conflicting")
    elif encodings != {"UTF-8"}:
        states.append("other")
    metas = [found for found in known if found.source == "meta"]
    if len(metas) == len(known) and all(_is_late(found) for found in metas):
        states.append("late")
    if len(metas) > 1:
        states.append("repeated")
    return states or ["utf8"]


def _is_late(found: CharsetDeclaration) -> bool:
    return found.offset_bytes is None or found.offset_bytes > MAX_OFFSET_BYTES


def _evidence(found: CharsetDeclaration, state: str = "") -> Evidence:
    place = NAMES[found.source]
    if found.source == "meta" and found.offset_bytes is not None:
        place = f"{place}, ends at byte {found.offset_bytes:,}"
    return Evidence(
        line=found.line,
        header="Content-Type" if found.source == "header" else "",
        value=found.label[:100],
        reason=place if found.encoding is not None else f"{place}, no known encoding",
        state=state,
    )
