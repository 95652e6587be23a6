import re
from collections.abc import Iterator
from itertools import islice
from typing import Final

from pagegrade.checks._check import State, check
from pagegrade.model.document import Document
from pagegrade.model.outcome import MAX_EVIDENCE, Evidence, Outcome, Severity
from pagegrade.parse.emails import find_emails, find_mailto_emails, mask_email

MOST: Final = 10_000
"""Addresses that are counted; a page with more is a list of them."""
_SAMPLE: Final = re.compile(
    r"you@|your[-._]?(?:name|mail|e-mail|email|address|friend|user|username)@"
    r"|[^@]*@your-?(?:domain|company|site|website|business|organization|organisation|email|mail|host|server)\."
)
"""Placeholders for an address of the reader; ``@your`` alone is also the start of real domain names."""


@check(
    id="plaintext-email",
    title="Plain email addresses",
    severity=Severity.LOW,
    since="0.1.0",
    states=(
        State("none", "The page shows no email address to bots."),
        State(
            "found",
            "The page shows email addresses that bots can collect.",
            loss=0.5,
            title="Email addresses that bots can collect",
            why=(
                "An address that is found once receives spam for years. In some countries a contact address is "
                "mandatory all the same."
            ),
            fix=(
                "Offer a contact form, or encode the address where the law allows it. Many content "
                "management systems and CDNs have a setting for it."
            ),
            counted=True,
        ),
    ),
    sources=(
        "https://www.rfc-editor.org/rfc/rfc6068",
        "https://www.rfc-editor.org/rfc/rfc5321#section-4.1.2",
    ),
)
def plaintext_email(document: Document) -> Outcome:
    """Email addresses in plain text are collected by spam bots.

    ## What it checks

    The visible text and the `mailto:` links of the page. Scripts, structured data and attributes are not searched,
    and names that only look like addresses are left out: images for dense screens (`logo@2x.png`), package versions,
    users in server addresses. So are samples that stand for the reader's own address (`you@...`, `yourname@...` or
    anything at `yourdomain.com`). Reports show addresses masked. No standard forbids them, and in some countries a
    contact address is mandatory, so this never costs more than half of a low check.

    ## Fails on

    ```html
    <!doctype html><title>Contact</title>
    <p>Write to <a href="mailto:jane@example.com">Jane</a> or to office@example.com.</p>
    ```

    ## Passes on

    ```html
    <!doctype html><title>Contact</title>
    <p>Use our <a href="/contact">contact form</a>. <img src="logo@2x.png" alt="Example"></p>
    ```
    """
    found: dict[str, Evidence | None] = {}
    for address, evidence in islice(_addresses(document), MOST):
        if address not in found and len(found) < MAX_EVIDENCE:
            found[address] = evidence
        else:
            found.setdefault(address, None)
    if not found:
        return Outcome("none", value=0)
    count = len(found)
    message = (
        "The page shows one email address that bots can collect."
        if count == 1
        else (f"The page shows {count} email addresses that bots can collect.")
    )
    shown = tuple(evidence for evidence in found.values() if evidence is not None)
    return Outcome("found", value=count, evidence=shown, total=count, message=message)


def _addresses(document: Document) -> Iterator[tuple[str, Evidence]]:
    """Each address, in lower case, with its place; the address itself is masked wherever it would be shown."""
    seen: set[str] = set()
    for anchor in document.anchors:
        if anchor.href is None or anchor.href[:7].lower() != "mailto:":
            continue
        for address in find_mailto_emails(anchor.href):
            if _SAMPLE.match(address.lower()):
                continue
            masked = mask_email(address)
            place = Evidence() if address.lower() in seen or len(seen) >= MAX_EVIDENCE else document.evidence(anchor)
            seen.add(address.lower())
            yield (
                address.lower(),
                Evidence(
                    selector=_without(place.selector),
                    line=place.line,
                    column=place.column,
                    snippet=f"mailto:{masked}",
                    value=masked,
                    reason="link",
                ),
            )
    if "@" not in document.text:
        return
    for address in find_emails(document.text):
        if _SAMPLE.match(address.lower()):
            continue
        yield address.lower(), Evidence(value=mask_email(address), reason="visible text")


def _without(selector: str) -> str:
    """The selector, unless it quotes an address (an ``id`` or ``href`` may hold one)."""
    return "" if "@" in selector else selector
