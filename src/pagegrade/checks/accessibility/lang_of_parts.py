from pagegrade.checks._check import State, check
from pagegrade.checks._offenders import Offender, counted
from pagegrade.model.accessibility import Accessibility
from pagegrade.model.document import Document
from pagegrade.model.outcome import NotApplicable, Outcome, Severity


@check(
    id="lang-of-parts",
    title="Language of parts",
    severity=Severity.LOW,
    since="0.1.0",
    states=(
        State("known", "Every part that declares a language uses a valid code."),
        State(
            "unknown",
            "Parts of the page declare an invalid language.",
            0.5,
            1.0,
            title="Elements with an invalid language code",
            why=(
                "Screen readers read the words with the pronunciation of the page's language, which is hard to "
                "understand."
            ),
            fix=(
                "Use the registered code of the language: `de` instead of `ger`, `el` instead of `gr`, `uk` for "
                "Ukrainian."
            ),
            counted=True,
        ),
    ),
    sources=(
        "https://www.w3.org/WAI/WCAG22/Understanding/language-of-parts.html",
        "https://www.w3.org/WAI/standards-guidelines/act/rules/de46e4/",
        "https://www.rfc-editor.org/rfc/rfc5646#section-2.2.1",
    ),
)
def lang_of_parts(document: Document, accessibility: Accessibility) -> Outcome | NotApplicable:
    """A `lang` attribute on a quotation or link in another language makes screen readers switch their voice.

    ## What it checks

    Every element of HTML inside the page with a `lang` attribute; `xml:lang` means nothing there. It fails when the
    language, the part before the first hyphen, is not in the IANA registry of language subtags: `lang="engl"`,
    `lang="gr-GR"`, or a value of spaces only. An empty `lang=""` says that the language is not known, which is allowed.
    Elements without anything to read in that language are left out, and the language of the whole page has a check of
    its own. `aria-hidden` changes nothing, because browsers also choose hyphens and fonts by the language. The loss
    grows from half (one element) to everything (ten or more).

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
    if not accessibility.declared_languages:
        return NotApplicable("No part of the page declares a language of its own.")
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
        "One element declares an invalid language.",
        "{count} elements declare an invalid language.",
    )
