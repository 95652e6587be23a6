from typing import Final

from pagegrade.checks._amounts import rounded
from pagegrade.checks._check import State, check
from pagegrade.model.document import Document
from pagegrade.model.outcome import Detail, Outcome, Severity

BYTES_PER_TOKEN: Final = 4
"""UTF-8 bytes of one token: about four letters of English, a little more than one Chinese character.

Source: https://help.openai.com/en/articles/4936856-what-are-tokens-and-how-to-count-them
"""
MAX_TEXT_TOKENS: Final = 25_000
"""Visible text beyond which readers are cut off: what a widespread agent takes of one tool's answer by default.

Source: https://code.claude.com/docs/en/mcp (MAX_MCP_OUTPUT_TOKENS)
"""
MAX_HTML_TOKENS: Final = 200_000
"""HTML that fills a usual context window alone."""


@check(
    id="token-weight",
    title="Token weight",
    severity=Severity.INFO,
    since="0.1.0",
    states=(
        State("moderate", "The page fits what language models read at once."),
        State(
            "heavy_html",
            "The HTML is longer than what language models read at once, although its text is not.",
            title="HTML is too long for language models",
            why=(
                "Agents that read the HTML as it is cut it off, and pay for markup, inline scripts and data as they "
                "pay for text."
            ),
            fix=(
                "Move inline scripts, styles and data into files, or offer the page as Markdown to clients that ask "
                "for `text/markdown`."
            ),
        ),
        State(
            "heavy_text",
            "The visible text is longer than what agents read of one page.",
            title="Text is too long for agents",
            why="Agents cut long answers off, so what stands at the end is neither read nor cited.",
            fix="Put a summary at the beginning, and split what belongs to different questions into pages of its own.",
        ),
    ),
    sources=("https://help.openai.com/en/articles/4936856-what-are-tokens-and-how-to-count-them",),
)
def token_weight(document: Document) -> Outcome:
    """Language models read a page as tokens, and only so many of them.

    ## What it checks

    The approximate number of tokens of the visible text and of the whole HTML. These are estimates: four bytes of UTF-8
    count as one token, which is usual for English and too low for code and for languages with other scripts; every
    model splits text in its own way. Up to 25,000 tokens of text are fine, which is what a widely used agent reads of
    one response by default, and up to 200,000 tokens of HTML. It is informative and costs nothing.

    ## Fails on

    ```html
    <!doctype html>
    <title>All statutes</title>
    <!-- the next line 3000 times -->
    <p>Section {n} governs the maintenance of benches, tables and other furniture in grounds.
    ```

    ## Passes on

    ```html
    <!doctype html>
    <title>Garden furniture</title>
    <p>Our benches and tables are made of oak.
    ```
    """
    text = _tokens(len(document.text.encode("utf-8", "replace")))
    html = _tokens(document.bytes)
    state = "heavy_text" if text > MAX_TEXT_TOKENS else "heavy_html" if html > MAX_HTML_TOKENS else "moderate"
    return Outcome(
        state,
        value=text,
        details=(
            Detail(code="text_tokens_estimate", actual=text, limit=MAX_TEXT_TOKENS),
            Detail(code="html_tokens_estimate", actual=html, limit=MAX_HTML_TOKENS),
        ),
        message=f"The visible text is about {rounded(text)} tokens, the HTML about {rounded(html)}.",
    )


def _tokens(size: int) -> int:
    return -(-size // BYTES_PER_TOKEN)
