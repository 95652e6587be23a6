from pagegrade.checks._check import Cap, State, check
from pagegrade.model.accessibility import Accessibility
from pagegrade.model.artifacts import Response
from pagegrade.model.document import Document
from pagegrade.model.outcome import Evidence, Outcome, Severity
from pagegrade.parse.language_tags import is_registered_language, parse_language_tag
from pagegrade.parse.text_language import detect_language


@check(
    id="html-lang",
    title="Page language",
    severity=Severity.HIGH,
    since="0.1.0",
    visible_only=False,
    states=(
        State("declared", "The page declares its language."),
        State("untidy", "The page declares its language; the rest of the language tag is not registered."),
        State(
            "conflict",
            "The lang and xml:lang attributes declare different languages.",
            loss=0.5,
            title="Conflicting lang and xml:lang attributes",
            why="Programs that read `xml:lang` pronounce or translate the page in another language than browsers do.",
            fix="Give both attributes the same value, or remove `xml:lang`.",
        ),
        State(
            "unregistered",
            "The page declares a language that is not registered.",
            loss=0.5,
            title="Page language is not registered",
            why="Screen readers have no voice for an unknown code and use that of the system.",
            fix="Use the registered code: `en` instead of `eng`, `de` instead of `ger`.",
        ),
        State(
            "elsewhere",
            "The page declares its language only in a header or a meta element.",
            loss=0.5,
            title="Page language is not declared on the html element",
            why="Assistive technology and the accessibility guidelines rely on the `lang` attribute of `<html>`.",
            fix='Add the same language to the `<html>` element, for example `<html lang="en">`.',
        ),
        State(
            "invalid",
            "The lang attribute is not a valid language tag.",
            loss=1.0,
            title="Page language is invalid",
            why="Screen readers ignore the value and may read the page with the wrong voice.",
            fix="Use the code of the language, with hyphens between its parts: `en-US` instead of `en_US`.",
        ),
        State(
            "empty",
            "The lang attribute is empty.",
            loss=1.0,
            title="Page language is empty",
            why=(
                'An empty attribute means "unknown language", so screen readers may read the page with the wrong voice.'
            ),
            fix='Write the code of the language into the attribute, for example `<html lang="en">`.',
        ),
        State(
            "missing",
            "The page does not declare its language.",
            loss=1.0,
            title="Declare the page language",
            why=(
                "Screen readers may read the page with the wrong voice, which can be impossible to understand. "
                "Hyphenation and translation depend on it as well."
            ),
            fix=(
                "Add the code of the language of the text to the `<html>` element, for example `en`, `pt-BR` or "
                '`ar`:\n\n```html\n<html lang="en">\n```'
            ),
        ),
        State(
            "other-text",
            "The text of the page is in another language than the one it declares.",
            loss=1.0,
            title="Declared language is not that of the text",
            why=(
                "Screen readers read the whole page with the voice of another language, which is hard or impossible to "
                "understand, and browsers offer to translate it from the wrong one."
            ),
            fix=(
                "Declare the language of the text on the `<html>` element. Templates and site builders often declare "
                "`en` until it is changed in their settings."
            ),
        ),
    ),
    cap=Cap(69, states=("other-text",)),
    sources=(
        "https://html.spec.whatwg.org/multipage/dom.html#the-lang-and-xml:lang-attributes",
        "https://www.rfc-editor.org/rfc/rfc5646",
        "https://www.w3.org/WAI/WCAG22/Understanding/language-of-page.html",
        "https://www.w3.org/WAI/standards-guidelines/act/rules/b5c3f8/",
        "https://www.w3.org/WAI/standards-guidelines/act/rules/bf051a/",
        "https://www.w3.org/WAI/standards-guidelines/act/rules/ucwvc8/",
    ),
)
def html_lang(document: Document, accessibility: Accessibility, response: Response) -> Outcome:
    """The page language determines how screen readers pronounce the text and when browsers offer a translation.

    ## What it checks

    The `lang` attribute of the `<html>` element. It has to begin with a language that is registered with IANA, such as
    `en`, `pt-BR` or `zh-Hant`. What follows the first hyphen only refines it: where that is not registered (`en-UK`) or
    too much (`en-US-GB`), it is shown and costs nothing, because browsers and screen readers take the language.

    It costs half when the language is private or unknown (also `eng` and `i-lux`, which have shorter names), when
    `xml:lang` beside it names another language, and when only a `Content-Language` header or `<meta>` says the
    language. It fails when the attribute is missing, empty or no language tag: one with an underscore (`en_US`), a
    space, a part that is empty or longer than eight letters. It also fails when the text is beyond doubt in another
    language: at least 200 letters, whose beginning, middle and end a detector finds to be in one language that is not
    the declared one nor close to it (as Norwegian and Danish are), and that no part of the page declares.

    ## Fails on

    ```html
    <!doctype html><html lang="en_US"><title>Example</title>
    ```

    ## Passes on

    ```html
    <!doctype html><html lang="en-US"><title>Example</title>
    ```
    """
    html = document.html
    attrs = {} if html is None else html.attrs
    place = () if html is None else (document.evidence(html),)
    value = attrs.get("lang")
    if value is None:
        elsewhere = _elsewhere(document, response)
        if elsewhere is not None:
            return Outcome("elsewhere", value=elsewhere.value, evidence=(elsewhere, *place))
        if attrs.get("xml:lang", "").strip():
            evidence = Evidence(value=attrs["xml:lang"][:200], reason="xml:lang means nothing in HTML without lang")
            return Outcome("missing", value="", evidence=(evidence, *place))
        return Outcome("missing", value="", evidence=place)
    shown = value[:200]
    if not value.strip():
        return Outcome("empty", value=shown, evidence=place)
    language = _language(value)
    tag = parse_language_tag(value)
    if not is_registered_language(language):
        return Outcome("invalid" if tag is None else "unregistered", value=shown, evidence=place)
    if tag is None and not all(part.isascii() and part.isalnum() and len(part) < 9 for part in value.split("-")):
        return Outcome("invalid", value=shown, evidence=place)
    if tag is not None and tag.private_use:
        return Outcome("unregistered", value=shown, evidence=place)
    written = detect_language(document.main_text, unless=(language, *accessibility.declared_languages))
    if written:
        evidence = Evidence(value=written, snippet=document.main_text[:100], reason="language of the text, as detected")
        return Outcome("other-text", value=shown, evidence=(evidence, *place))
    is_untidy = tag is None or tag.unregistered
    other = attrs.get("xml:lang", "").strip()
    if other and _language(other) != language:
        untidy = () if html is None or not is_untidy else (document.evidence(html, state="untidy"),)
        return Outcome("conflict", value=shown, evidence=(*untidy, *place))
    if is_untidy:
        return Outcome("untidy", value=shown, evidence=place)
    return Outcome("declared", value=shown)


def _language(tag: str) -> str:
    """The part that names the language: what browsers and screen readers go by."""
    return tag.partition("-")[0].lower()


def _elsewhere(document: Document, response: Response) -> Evidence | None:
    """A language that is declared without the attribute."""
    for meta in document.metas:
        if meta.http_equiv == "content-language" and parse_language_tag(meta.content.strip()) is not None:
            return document.evidence(meta, reason=f"only in a meta element: {meta.content.strip()[:100]}")
    header = response.header("content-language")
    if header is not None and parse_language_tag(header.partition(",")[0].strip()) is not None:
        return Evidence(
            header="Content-Language", snippet=header[:200], value=header[:200], reason="only in the header"
        )
    return None
