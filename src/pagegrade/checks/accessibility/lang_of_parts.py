from pagegrade.checks._check import State, check
from pagegrade.checks._offenders import Offender, counted
from pagegrade.model.accessibility import Accessibility
from pagegrade.model.document import Document
from pagegrade.model.outcome import Outcome, Severity


@check(
    id="lang-of-parts",
    title="Languages of parts",
    severity=Severity.LOW,
    since="0.1.0",
    states=(
        State("known", "Every part that names a language names one that exists."),
        State("unknown", "Parts of the page name a language that does not exist.", 0.5, 1.0),
    ),
    sources=(
        "https://www.w3.org/WAI/WCAG22/Understanding/language-of-parts.html",
        "https://www.w3.org/WAI/standards-guidelines/act/rules/de46e4/",
        "https://www.rfc-editor.org/rfc/rfc5646#section-2.2.1",
    ),
)
def lang_of_parts(document: Document, accessibility: Accessibility) -> Outcome:
    """A quotation or a link in another language says so with a `lang` attribute, and screen readers change their voice.

    ## What it checks

    Every element of HTML inside the page with a `lang` attribute; `xml:lang` means nothing there. It fails when the
    language, the part before the first hyphen, is not in the IANA registry of language subtags: `lang="engl"`,
    `lang="gr-GR"`, or a value of blanks. An empty `lang=""` says that the language is not known, which is allowed.
    Elements without anything to read in that language are left out, and the language of the whole page has a check of
    its own. `aria-hidden` changes nothing, because browsers also choose hyphens and fonts by the language. The loss
    grows from half (one element) to everything (ten or more).

    ## Why it matters

    A screen reader that does not know the language reads the words with the sounds of the page's language, which no one
    understands.

    ## How to fix

    Use the tag of the language: `de`, not `ger`; `el`, not `gr`; `uk` for Ukrainian.

    ## Fails on

    ```html
    <!doctype html><title>Shop</title>
    <p>The word <span lang="germn">Weltschmerz</span>.</p>
    ```

    ## Passes on

    ```html
    <!doctype html><title>Shop</title>
    <p>The word <span lang="de">Weltschmerz</span>.</p>
    ```
    """
    found = [
        Offender(part.node, "no registered language", part.value)
        for part in accessibility.languages
        if part.has_text and not part.hidden
    ]
    return counted(
        document,
        found,
        "known",
        "unknown",
        "One part names a language that does not exist.",
        "{count} parts name a language that does not exist.",
    )
