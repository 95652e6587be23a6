from typing import Final

from pagegrade.checks._check import NEEDS_RENDERING, State, Verdict, check
from pagegrade.model.document import Document
from pagegrade.model.outcome import Detail, Evidence, NotApplicable, Outcome, Severity
from pagegrade.parse.url import host
from pagegrade.parse.words import contains_word, fold_for_search, has_unspaced_script, significant_words

MAX_WORDS: Final = 12


@check(
    id="content-keywords",
    title="Title words in the content",
    severity=Severity.LOW,
    since="0.1.0",
    states=(
        State("in_headings", "The words of the title appear in the text and in a heading."),
        State(
            "in_body",
            "The words of the title appear in the text, but in no heading.",
            loss=0.5,
            title="Title words appear in no heading",
            why="Visitors look for the words they clicked, first of all in the headings.",
            fix=(
                "Use the important words of the title in the main heading:\n\n"
                "```html\n"
                "<title>Garden furniture made of teak</title>\n"
                "<h1>Teak furniture for your garden</h1>\n"
                "```"
            ),
        ),
        State(
            "absent",
            "No word of the title appears in the text.",
            loss=1.0,
            title="Title does not match the content",
            why=(
                "Search engines replace titles that do not match the content, and visitors leave when they do "
                "not find what they clicked."
            ),
            fix="Name in the title what the page is about, and use the same words in the main heading and the text.",
        ),
    ),
    sources=("https://developers.google.com/search/docs/appearance/title-link",),
)
def content_keywords(document: Document) -> Verdict:
    """A title that does not match the content disappoints visitors who click it.

    ## What it checks

    Takes the significant words of the title: three letters (in Korean two syllables) or more, no words like "and" or
    "the" in the language of the page, no bare numbers. At least one has to occur in the visible text and one in a
    heading; plurals and similar endings count. Capitals (by the rules of the language), accents, vowel signs and soft
    hyphens make no difference, and neither do letters that are interchangeable in Arabic and Persian. Words in the text
    only cost half, none at all costs everything. A page without any heading, whose text has
    such words, is the matter of `h1` alone. Not evaluated are titles in scripts without spaces, such as Chinese or
    Thai, home pages whose title is only the name of the site, pages whose content is in frames, and pages rendered by
    scripts. The `keywords` meta element plays no part, since search engines ignore it.

    ## Fails on

    ```html
    <!doctype html>
    <html lang="en">
    <title>Garden furniture made of teak</title>
    <h1>Welcome</h1>
    <p>We are glad that you are here.
    ```

    ## Passes on

    ```html
    <!doctype html>
    <html lang="en">
    <title>Garden furniture made of teak</title>
    <h1>Teak furniture</h1>
    <p>Tables and chairs for your garden.
    ```
    """
    if document.client_rendered:
        return NEEDS_RENDERING
    if document.body is None and document.frames:
        return NotApplicable("The content of the page is in its frames.")
    title = next((found.text for found in document.titles if found.text), "")
    if not title:
        return NotApplicable("The page has no title.")
    if has_unspaced_script(title):
        return NotApplicable("The title is in a script that writes no spaces between words.")
    language = document.html.attrs.get("lang") if document.html is not None else None
    words = significant_words(title, language)[:MAX_WORDS]
    if not words:
        return NotApplicable("The title has no significant words.")
    if _is_home_with_brand(document.url, words):
        return NotApplicable("The title of the home page is the name of the site.")
    shown = [heading.text for heading in document.headings if not heading.hidden and heading.text]
    headings = fold_for_search(" | ".join(shown), language)
    sought = {word: fold_for_search(word, language) for word in words}
    in_headings = {word for word in words if contains_word(headings, sought[word])}
    text = fold_for_search(document.text, language) if len(in_headings) < len(words) else headings
    in_text = {word for word in words if word in in_headings or contains_word(text, sought[word])}
    if in_text and not shown:
        return NotApplicable("The page has no headings.")
    state = "in_headings" if in_headings else "in_body" if in_text else "absent"
    return Outcome(
        state,
        value=", ".join(words)[:100],
        evidence=tuple(Evidence(value=word, reason=_place(word, in_headings, in_text)) for word in words),
        details=(
            Detail(code="title_words", actual=len(words)),
            Detail(code="title_words_in_text", actual=len(in_text), limit=1),
            Detail(code="title_words_in_headings", actual=len(in_headings), limit=1),
        ),
    )


def _is_home_with_brand(url: str, words: tuple[str, ...]) -> bool:
    """Only words that the host name is made of, on the page at its root."""
    if url.partition("?")[0].rstrip("/").count("/") > 2:
        return False
    name = host(url).replace("-", "")
    return all(word in name for word in words)


def _place(word: str, in_headings: set[str], in_text: set[str]) -> str:
    if word in in_headings:
        return "word of the title in a heading"
    return "word of the title in the text" if word in in_text else "word of the title that the page does not contain"
