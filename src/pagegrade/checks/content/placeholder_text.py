import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Final

from msgspec.structs import replace

from pagegrade.checks._check import Cap, State, check
from pagegrade.checks._offenders import Offender, counted, evidence_of
from pagegrade.model.artifacts import NotGathered, Resources
from pagegrade.model.document import Document, ElementFact, Node
from pagegrade.model.outcome import Outcome, Severity
from pagegrade.parse.assistant_answer import MIN_GAPS, find_assistant_answer, find_named_gaps, find_open_blanks
from pagegrade.parse.byte_search import ByteSearch
from pagegrade.parse.html.empty_sections import find_empty_sections
from pagegrade.parse.html.raw_texts import find_choices, find_keys
from pagegrade.parse.html.sample_contact import find_sample_contact
from pagegrade.parse.html.single_elements import holds, holds_code, is_hollow, is_in_code, short_texts
from pagegrade.parse.source_text import find_includes, find_source_text, is_template_of_server, texts_outside_code

MAX_FOUND: Final = 1_000
MUCH: Final = 0.25
"""Share of the words of the main content from which on filling text is more than something forgotten."""
UNFINISHED: Final = 0.6
"""The same from which on there is no page."""
MIN_WORDS: Final = 30
"""Words of filling text below which it is something forgotten, however short the page is."""
FORGOTTEN_PARTS: Final = 0.32
"""Loss for as many in a page that is finished otherwise: what a serious fault costs."""
MIN_MISSING: Final = 5
"""Missing values from which on their share decides, too."""
MUCH_MISSING: Final = 0.2
MOST_MISSING: Final = 0.5
"""Share of the headings and paragraphs, or of the cells and items, that are a missing value, and nothing else."""
MIN_EMPTY: Final = 12
MOST_EMPTY: Final = 0.6
"""Headings and links without a text or picture, and their share of all, from which on a list lost what it listed."""
MIN_BLANK: Final = 12
MOST_BLANK: Final = 0.9
"""Cells of data without any, and their share of all, from which on a table has none."""
MAX_BESIDE_TABLE: Final = 150
"""Words of a page that has no more than such a table."""
MIN_MARKERS: Final = 5
"""Markers of a template in the text from which on it was not filled in."""
MIN_BELOW_NAME: Final = 3
"""The same for a page whose title or first heading is a marker and nothing else."""
MOSTLY_MARKERS: Final = 0.5
"""Share of the main text that markers are in a page of which they are most, in whatever elements."""
MIN_INCLUDES: Final = 3
"""Parts that a server should have put in beside few words, from which on they are what the page had to say."""
MIN_SENTENCES: Final = 2
"""Sentences of an assistant about its answer from which on they are a serious fault in a finished text."""
_BEGINNINGS: Final = ("{{", "{%", "<%")
"""Of a marker in place of a whole address."""
_CONTROLS: Final = "button,label,summary,legend,th,option"
"""Elements with a short text that names something."""
MAX_CALL: Final = 4_000
"""Characters of a script in the page up to which it is too short for a library that fills in markers."""
_FILLS: Final = ("{{", "\\{\\{", "import(", "createElement", "innerHTML", "fetch(", "XMLHttpRequest")
"""Parts of scripts that fill in markers by themselves, or load what does."""
MIN_LATIN: Final = 8
MOSTLY_LATIN: Final = 0.8
"""Words of a text, and the share of them that filling text has, from which on it is some without its beginning."""
_LATIN: Final = ("dolor sit amet", "consectetur adipi")
_LOREM: Final = "lorem ipsum"
_BEGINS: Final = re.compile(r"(?:^|[.!?:…])\W{0,5}lorem ipsum")
"""A sentence of a text in lower case that begins with these words; another one may speak of them."""
_LATIN_WORDS: Final = frozenset(
    (
        "lorem ipsum dolor sit amet consectetur consectetuer adipiscing adipisicing elit sed do eiusmod tempor "
        "incididunt ut labore et dolore magna aliqua enim ad minim veniam quis nostrud exercitation ullamco laboris "
        "nisi aliquip ex ea commodo consequat duis aute irure in reprehenderit voluptate velit esse cillum eu fugiat "
        "nulla pariatur excepteur sint occaecat cupidatat non proident sunt culpa qui officia deserunt mollit anim id "
        "est laborum sem nec eget vel nunc vitae mauris donec pellentesque vestibulum praesent curabitur integer "
        "turpis justo massa viverra lectus at quam tellus fusce morbi tincidunt felis risus augue odio ac ante diam "
        "nibh euismod facilisis purus cras suspendisse phasellus tortor orci mi ligula arcu leo lacus erat porta semper"
    ).split()
)
"""Words of the filling text and of its usual continuations."""
_WHOLE: Final = frozenset(
    {"undefined", "[object Object]", "NaN", "Invalid Date", "null null", "null undefined", "undefined undefined"}
)
"""Words that scripts and templates write where a value was missing, and that are no text of their own."""
_OBJECT: Final = "[object Object]"
"""Text that scripts write for data without one of its own."""
MAX_LABELED: Final = 60
"""Characters of a text that is a label and its value."""
_SHORTCODE: Final = r"\[/[a-z][\w-]{1,40}\]|\[[a-z][\w-]{1,40}\s[\w-]{1,40}=[\"'“”″][^\[\]]{0,300}\]"
"""A closing tag in brackets, or one with an attribute, which a plugin of the site replaces."""
_MARKER: Final = re.compile(
    r"\{\{[^{}]{1,80}\}\}|\{%[^{}%]{1,80}%\}|<%=?[^<>%]{1,80}%>|\$\{[A-Za-z_][\w.]{0,60}\}|%%[A-Za-z_]{2,40}%%"
    r"|\[%[^\[\]%]{1,80}%\]|(?<!\w)translation missing: ?[\w.-]+|(?<!\w)\[missing \"[\w.]{1,80}\" translation\]"
    rf"|{_SHORTCODE}"
)
_OF_SERVERS: Final = re.compile(
    rf"\{{%[^{{}}%]{{1,80}}%\}}|<%=?[^<>%]{{1,80}}%>|%%[A-Za-z_]{{2,40}}%%|\[%[^\[\]%]{{1,80}}%\]|{_SHORTCODE}"
)
"""Markers that no script in a browser fills in."""
_BETWEEN: Final = re.compile(r"\s[|·•–—-]\s|[|·•]")
"""Between the parts of a title."""
_MAX_TEXT: Final = 50_000
_MISSING_AMOUNT: Final = re.compile(
    r"(?<!\w)(?:NaN|undefined|null) ?[€$£¥₹₽₩%]|[€$£¥₹₽₩] ?(?:NaN|undefined|null)(?!\w)"
)
_NO_AMOUNT: Final = re.compile(r"(?:\S{1,4}\s?)?NaN(?:\s?\S{1,4})?")
"""A number that is none, with the name of its currency or unit, in any language."""
_ZERO: Final = re.compile(
    r"(?<![\w.,])0[.,]00 ?(?=[^\s\d.,%<>()]{1,4}(?:\s|$))|"
    r"(?<!\S)(?:[^\s\w.,%<>()]{1,3}|[A-Z]{3}) ?0[.,]00(?![\w.,])"
)
"""An amount of nothing, before or behind a currency."""
_ANY_AMOUNT: Final = re.compile(r"(?<![\w.,])\d[\d.,\s]{0,9}[.,]\d\d(?![\w.,])")
_EPOCH: Final = re.compile(r"(?<![\d.])(?:1970([-/.])0?1\1 ?0?1|0?1([-/.]) ?0?1\2 ?1970|0000-00-00)(?!\d)")
"""The date that a number of seconds has when there is none."""
_ANY_DATE: Final = re.compile(r"(?<![\d.])(?:\d{4}([-/.])\d\d?\1 ?\d\d?|\d\d?([-/.]) ?\d\d?\2 ?\d{4})(?!\d)")
_FORMAT: Final = re.compile(r"%(?:\d\$)?[sd](?![\w%])|(?<![\w{$])\{\d\}(?!\})")
"""A place of a format that nothing was put into."""
_ERROR_OF_SHEET: Final = re.compile(r"#(?:REF|VALUE|DIV/0|NAME|NULL|NUM)[!?]|#N/A\b")
_NOT_SET: Final = re.compile(r"(?<![\w.])(?:NaN|undefined)(?![\w.])")
_NO_OBJECT: Final = re.compile(r"\[object Object\]")
_BLANK: Final = frozenset({"", "-", "--", "\u2013", "\u2014", "\u2212", "?", "n/a", "...", "\u2026"})
"""Texts of a cell that stand for nothing."""
MIN_UNSET: Final = 8
"""Amounts, dates or values without one from which on it is a list whose values are missing."""
_MOST_UNSET: Final = 0.9
"""Share of all amounts or dates of the page."""
_NO_FIELDS: Final = re.compile(r"(?<![\w.])(?:Invalid Date|(?:null|undefined)(?:, ?| )(?:null|undefined))(?![\w.])")
"""Fields that a script put together, a name or a place, without one of them; a date that is none."""
_MAX_FIELDS: Final = 40
_SMALL_WORD: Final = re.compile(r"(?<!\w)[a-zß-ÿ]{2,}")
"""Beside lost fields stands the name of their kind, such as "Room"; where "null" is a numeral, other numerals do."""
_OF_FIELDS: Final = re.compile(r"(?<!\w)(?:by|von|on|min read)(?!\w)")
"""Small words that stand beside a name or a date all the same."""
_LOST_WORD: Final = re.compile(r"(?<!\w)(?:Invalid Date|null|undefined)(?!\w)")
_OF_SCRIPTS: Final = (_NOT_SET, _NO_FIELDS)
_OF_PROGRAMS: Final = re.compile(r"Java ?Script|TypeScript|\bSQL\b")
"""In the names of pages that may show such words on purpose."""
_UNSET: Final = (
    (("0.00", "0,00"), _ZERO, _ANY_AMOUNT, MIN_UNSET),
    (("1970", "0000-00"), _EPOCH, _ANY_DATE, MIN_UNSET),
    (("%s", "%d", "$s", "$d", "{0}"), _FORMAT, None, MIN_UNSET),
    (("#REF", "#VALUE", "#DIV", "#N/A", "#NAME", "#NULL", "#NUM"), _ERROR_OF_SHEET, None, MIN_UNSET),
    (("[object Object]",), _NO_OBJECT, None, MIN_UNSET),
    (("NaN", "undefined"), _NOT_SET, None, MIN_UNSET),
    (("Invalid Date", "null", "undefined"), _NO_FIELDS, None, MIN_MISSING),
)
"""(parts of which a text with a match holds one, pattern of what stands for nothing, pattern of all of its kind, the
number of them from which on a list has no values)."""
_UNSET_SIGNS: Final = ByteSearch([*dict.fromkeys(sign.encode() for signs, *_ in _UNSET for sign in signs)])
_NO_VALUE: Final = "stands in place of a value"
_EMPTY: Final = "has neither a text nor a picture"
_NOTHING_BELOW: Final = "has nothing below it but a place for a text"
_CELLS: Final = "td,dd,time,li,p,h2,h3,span"
_MAX_UNIT: Final = 6
_TODO: Final = re.compile(r"(?:TODO|TBD|FIXME)(?::|$)|\[?insert (?:text|title|content|description) here\]?$")
_MARKS: Final = ("{", "<%", "%%", "[%", "ranslation", "[/", '="', "='", "=“", "=”", "=″")
_UNFILLED: Final = "holds a marker of a template"
_INCLUDE: Final = "asks a server for a part of the text"
_INCLUDE_AROUND: Final = "asks a server for a part of the page"
_ASSISTANT: Final = "holds what an assistant wrote about its own answer"
_GAP: Final = "is a gap in an answer of an assistant"
_NAMED_GAP: Final = "is a gap in place of a value, as in the page's name"
_BLANK_OF_FORM: Final = "is a gap that nobody filled in"
_SAMPLE: Final = "holds the sample data of a template"
_MOSTLY: Final = "is a marker of a template, as most of the text"
_KEY: Final = "a key in place of its text"
_OPEN: Final = "holds words of which a program should have chosen one"
_SOURCES: Final = {
    "data": "data in place of a page",
    "markdown": "Markdown or the like",
    "markup": "escaped markup",
    "code": "code",
}
_NAMES: Final = {"data": "data", "markdown": "markup", "markup": "markup", "code": "code"}
_WHY: Final = "Visitors find nothing that they came for, and search results show the placeholders."


@check(
    id="placeholder-text",
    title="Placeholder text",
    severity=Severity.CRITICAL,
    since="0.1.0",
    visible_only=True,
    states=(
        State("none", "The page contains no placeholder text."),
        State(
            "some",
            "The page contains placeholder text.",
            loss=0.04,
            loss_max=FORGOTTEN_PARTS,
            title="Placeholders left in the page",
            why="The page looks neglected, and search results show the placeholders.",
            fix="Write the missing text, and look in the template for the value that is not set.",
            counted=True,
        ),
        State(
            "much",
            "A good part of the page is placeholder text.",
            loss=0.4,
            title="Parts of the page are not written yet",
            why=_WHY,
            fix="Write the missing text, or remove the parts that have none yet.",
            counted=True,
        ),
        State(
            "unfinished",
            "Most of the page is placeholder text.",
            loss=1.0,
            title="The page is not finished: it is placeholder text",
            why=_WHY,
            fix=(
                "Write the text, or take the page off the site until it has one. Where markers of a template are "
                "shown, look why the template engine did not run."
            ),
            counted=True,
        ),
        State(
            "source",
            "The page shows its source in place of its content.",
            loss=1.0,
            title="Visitors get the source of the page in place of the page",
            why="Visitors read code or data, or miss what it should have written, and search results show the same.",
            fix=(
                "Find the step that makes the page from this source, such as the template, the converter of Markdown "
                "or PHP, and why it does not run on this server. Answer with an error status until it does."
            ),
        ),
    ),
    cap=(Cap(49, states=("unfinished", "source")), Cap(79, states=("much", "unfinished", "source"))),
    sources=("https://developers.google.com/search/docs/fundamentals/creating-helpful-content",),
)
def placeholder_text(document: Document, resources: Resources | NotGathered) -> Outcome:
    """Filler text and template placeholders are meant to be replaced before the page is published.

    ## What it checks

    Paragraphs and headings for "lorem ipsum", but not for sentences that speak of it; headings, links and paragraphs
    whose whole text is a value that was missing, such as "undefined" or a key of a translation, and no code, or that
    name an amount "NaN"; paragraphs that begin with "TODO:" or "TBD"; and the title, the description and, where the
    page has no scripts, the text outside of code, the names of buttons and fields and the addresses of links, pictures,
    frames and forms for markers of templates such as `{{ title }}` and `[gallery id="3"]`. Beside scripts, which may
    fill them in, these places are searched only for those of a server, such as `{% block title %}` and `<%= title %>`;
    but `{{ title }}` is one of those, too, in a page whose text holds the end of a block, such as `{% endfor %}`, or a
    filter with a value, such as `{{ day | date: "%d" }}`, which of all libraries for browsers only AngularJS knows.
    Elements and comments that ask a server or cache for a part of the page are placeholders as well: `esi:include`,
    `jsp:include`, `cfoutput` and comments such as `<!--#include virtual="/menu.html" -->`. So is what a writing
    assistant said about its own answer and nobody removed, in two dozen languages: that it is a language model, or two
    of these: here comes the text, it could be changed, and something was not in its training; with the gaps in brackets
    that it left, such as `[insert age]`. Quotations are free, and so is a page whose title, description or headings
    speak of assistants or templates. A page whose title is about lorem ipsum, or whose language is Latin, is not
    flagged.

    Single placeholders cost 1 to 3 points. What is more costs by its share of the main content, and from a quarter on
    the page scores 79 at most: one of which 60 % is placeholder text, or whose template was not filled in at all,
    scores 49 at most: five markers in headings and paragraphs, or one in place of the page's name and three in its
    text; five markers that are half of the main text; three parts outside of header, footer, navigation and sidebars
    that no server put in, beside 150 words at most; a half of at least five headings and paragraphs without their
    value; eight and more cells or items whose amount is 0.00, whose date is the first of January 1970, or that hold a
    place of a format (`%s`, `{0}`), an error of a spreadsheet, "NaN" or "[object Object]", or five that hold "null
    null" or end with "Invalid Date", beside no word in small letters but "by", "on" and "min read", on a page without
    code that has these words nowhere else, where nine of ten amounts or dates of the page are like that, or a fifth of
    its cells and items; keys in place of nine of ten texts below a name that is one, if that of a heading says so, as
    `home.title` does, and another one like it, or the first does and half of the links are keys, too (a price may stand
    behind a key, and a reference of names is free: it has code, words in a table or a list of definitions, a name in an
    address, or one that is a part of another); choices of words in braces (`{fast|quick}`) in the title, in half of the
    headings and, three different ones in each, in half of the paragraphs of a page without code; twelve headings and
    links without a text or picture that are 60 % of all; four headings below each of which the same element for a text
    has none, two thirds of all, beside 25 words at most, and no script knows its class; or a table of which nine of ten
    cells, and twelve at least, have no data, beside 150 words at most. So does a page that shows its source: JSON or
    the dump of a program's data that is half of the main text or more, text in Markdown or in the markup of a wiki, a
    forum or LaTeX, tags that are shown, the marks of a conflict of versions, or the code of PHP that the server does
    not run. An answer of an assistant in which three values are missing scores 49 at most, too, and so does a page that
    begins as such an answer does and whose name has a gap in brackets that says what belongs there, as `[your city]`
    does, where its text has the same, another one that says so, and a third. A form with gaps in brackets that a site
    took for its imprint, its terms or the like, a page to which its own footer leads, is placeholder text from ten
    different gaps on, three of them behind a colon or alone and a third with a word for a value, or from five on where
    all are both, unless the page is named after a letter or form, and scores 49 at most. So does a page on which nobody
    can be reached: each link to a mail address or a telephone leads to a sample (`info@yourdomain.example`, 0123
    456789), and its addresses and footers hold three kinds of the sample data of templates: such a mail address, which
    is always one of them, such a telephone number, a postal code or a number of a register that counts or is zero, and
    a name like Max Mustermann. The main part counts on the front page of a site alone, since manuals and templates show
    such data, and nothing does where the address is that of a demonstration. Several paragraphs of filling text, and
    two sentences of an assistant, cost 8 points, however long the page is.

    ## Fails on

    ```html
    <!doctype html>
    <title>Chairs</title>
    <p>Lorem ipsum dolor sit amet, consectetur adipiscing elit.</p>
    ```

    ## Passes on

    ```html
    <!doctype html>
    <title>Chairs</title>
    <p>Our chairs are made of teak.</p>
    ```
    """
    source = find_source_text(document)
    if source is not None:
        places = [Offender(node, _SOURCES[source.kind], text) for node, text in source.places]
        return Outcome("source", value=_NAMES[source.kind], evidence=evidence_of(document, places), total=len(places))
    marker = _marker(document)
    names = resources.names_in_scripts() if isinstance(resources, Resources) else {}
    empty = (Offender(one.node, _NOTHING_BELOW, one.text) for one in find_empty_sections(document, names))
    found = list(islice(chain(_found(document, marker), empty), MAX_FOUND))
    state = _state(document, found, marker)
    verdict = counted(
        document,
        found,
        "none",
        state,
        "One placeholder is left in the page.",
        "{count} placeholders are left in the page.",
        low=0.04,
        high=0.12,
    )
    parts = sum(_is_latin(one.value.lower()) for one in found)
    is_answer = sum(one.reason == _ASSISTANT for one in found) >= MIN_SENTENCES
    if verdict.state == "some" and (is_answer or (parts > 1 and _filling(document, found) >= MIN_WORDS)):
        return replace(verdict, loss=FORGOTTEN_PARTS)
    if verdict.state in {"none", "some"}:
        return verdict
    return replace(verdict, loss=None, message="")


def _state(document: Document, found: Sequence[Offender], marker: re.Pattern[str]) -> str:
    """The state of a page with these placeholders, by the share of its main content that they take."""
    filling = _filling(document, found)
    markers = sum(one.reason == _UNFILLED and one.node.tag != "meta" for one in found)
    share = filling / max(1, document.main_word_count)
    if filling >= MIN_WORDS and share >= MUCH:
        return "unfinished" if share >= UNFINISHED else "much"
    if markers >= MIN_MARKERS or _is_nameless_template(document, marker) or any(one.reason == _KEY for one in found):
        return "unfinished"
    whole = {_NO_VALUE, _EMPTY, _NOTHING_BELOW, _MOSTLY, _SAMPLE, _OPEN, _BLANK_OF_FORM}
    if any(one.reason in whole for one in found):
        return "unfinished"
    if sum(one.reason == _GAP for one in found) >= MIN_GAPS or any(one.reason == _NAMED_GAP for one in found):
        return "unfinished"
    lost = sum(one.reason == _INCLUDE for one in found)
    if lost >= MIN_INCLUDES and document.main_word_count <= MAX_BESIDE_TABLE:
        return "unfinished"
    missing = sum(1 for one in found if one.node.tag != "a" and (one.reason == _ASSISTANT or _is_missing(one.value)))
    share = missing / max(1, len(document.paragraphs) + sum(1 for one in document.headings if not one.hidden))
    if missing >= MIN_MISSING and share >= MUCH_MISSING:
        return "unfinished" if share >= MOST_MISSING else "much"
    return "some"


def _filling(document: Document, found: Sequence[Offender]) -> int:
    """Words of filling text in the main content."""
    if not any(_is_latin(one.value.lower()) for one in found):
        return 0
    pieces = document.main_pieces.items()
    return sum(number for piece, number in pieces if piece.strip(".,;:?!").lower() in _LATIN_WORDS)


def _is_nameless_template(document: Document, marker: re.Pattern[str]) -> bool:
    """Return whether a marker stands in place of the page's name, and more of them in its text, in any element."""
    names = [part for title in document.titles[:1] for part in _BETWEEN.split(title.text[:1_000])]
    names += [one.text[:1_000] for one in document.headings[:1] if not one.hidden and not holds_code(one.node)]
    if not any(marker.fullmatch(name.strip()) for name in names):
        return False
    return sum(1 for _ in islice(marker.finditer(document.text[:_MAX_TEXT]), MIN_BELOW_NAME)) == MIN_BELOW_NAME


def _found(document: Document, marker: re.Pattern[str]) -> Iterator[Offender]:
    for node, text in _named_texts(document, marker):
        if _has_marker(text):
            yield Offender(node, _UNFILLED, text)
    for node, text, is_main in find_includes(document):
        yield Offender(node, _INCLUDE if is_main else _INCLUDE_AROUND, text)
    yield from _markers(document, marker)
    answer = find_assistant_answer(document)
    if answer is not None:
        yield from (Offender(node, _ASSISTANT, text) for node, text in answer.sentences)
        yield from (Offender(node, _GAP, text) for node, text in answer.gaps)
    else:
        yield from (Offender(node, _NAMED_GAP, text) for node, text in find_named_gaps(document))
        yield from (Offender(node, _BLANK_OF_FORM, text) for node, text in find_open_blanks(document))
    latin = not _is_about_latin(document)
    missing = _missing_of(
        one.text for facts in (document.headings, document.paragraphs, document.anchors) for one in facts
    )
    for heading in document.headings:
        if not heading.hidden and (
            (heading.text in missing and not is_in_code(heading.node)) or (latin and _is_latin(heading.text.lower()))
        ):
            yield Offender(heading.node, "holds a placeholder", heading.text)
    # Most pages end here: what a paragraph says is part of the text.
    latin = latin and (_LOREM in document.folded_text or _is_latin(document.folded_text))
    for paragraph in document.paragraphs:
        text = paragraph.text
        if (
            (text in missing and not is_in_code(paragraph.node))
            or _TODO.match(text)
            or (latin and _is_latin(text.lower()))
        ):
            yield Offender(paragraph.node, "holds a placeholder", text)
    for anchor in document.anchors if missing else ():
        if not anchor.hidden and anchor.text in missing and not is_in_code(anchor.node):
            yield Offender(anchor.node, "holds a placeholder", anchor.text, anchor.url or "")
    yield from (Offender(node, _KEY, text) for node, text in find_keys(document))
    yield from (Offender(node, _OPEN, text) for node, text in find_choices(document))
    yield from _unset_values(document)
    yield from _empty_parts(document)
    yield from (Offender(node, _SAMPLE, text) for node, text in find_sample_contact(document))


def _markers(document: Document, marker: re.Pattern[str]) -> Iterator[Offender]:
    """Markers in addresses and in names of controls, and anywhere in a text that consists of them."""
    places: tuple[tuple[str, Sequence[ElementFact]], ...] = (
        ("href", document.anchors),
        ("src", document.images),
        ("src", document.frames),
        ("action", document.forms),
    )
    # No such beginning holds a line break: one search is enough for most pages.
    joined = "\n".join([fact.attrs.get(name, "") for name, facts in places for fact in facts])
    for name, facts in places if any(one in joined for one in _BEGINNINGS) else ():
        for fact in facts:
            address = fact.attrs.get(name, "")
            is_marked = address.lstrip().startswith(_BEGINNINGS) and not fact.hidden
            if is_marked and marker.match(address.lstrip()[:1_000]):
                yield Offender(fact.node, _UNFILLED, address[:100])
    if document.body is None or not any(one in document.text for one in _MARKS):
        return
    for node, text in short_texts(document.body.node, _CONTROLS, 1_000):
        if any(one in text for one in _MARKS) and marker.fullmatch(text) is not None:
            yield Offender(node, _UNFILLED, text)
    text = document.main_text[:_MAX_TEXT]
    if _size(marker, text)[1] < MOSTLY_MARKERS * len(text):
        return
    found = [(node, part, *_size(marker, part)) for node, part in texts_outside_code(document) if not holds_code(node)]
    number, size = sum(one[2] for one in found), sum(one[3] for one in found)
    if number >= MIN_MARKERS and size >= MOSTLY_MARKERS * len(text):
        yield from (Offender(node, _MOSTLY, part.strip()[:100]) for node, part, marks, _ in found if marks)


def _size(marker: re.Pattern[str], text: str) -> tuple[int, int]:
    """The number of markers in a text, and of their characters."""
    sizes = [len(match[0]) for match in marker.finditer(text)]
    return len(sizes), sum(sizes)


def _unset_values(document: Document) -> Iterator[Offender]:
    """Cells and items of a list or table whose amounts, dates or other values are missing."""
    text = document.main_text[:_MAX_TEXT]
    is_signed = next(_UNSET_SIGNS.places(text.encode("utf-8", "replace"), 1), None) is not None
    for signs, pattern, of_kind, least in _UNSET if is_signed else ():
        # Each match holds one of the signs: to count these is quick.
        if document.body is None or sum(map(text.count, signs)) < least:
            continue
        number = sum(1 for _ in pattern.finditer(text))
        if number < least or (pattern in _OF_SCRIPTS and _is_about_missing(document)):
            continue
        of_all = number if of_kind is None else sum(1 for _ in of_kind.finditer(text))
        if number < _MOST_UNSET * of_all:
            continue
        shown: list[tuple[Node, str]] = []
        others = 0
        for node, part in short_texts(document.body.node, _CELLS, MAX_LABELED):
            if pattern.search(part) is not None and _is_bare(part):
                shown.append((node, part))
            elif not holds(node, _CELLS):
                # What is around other cells is no cell of its own.
                others += 1
        words = (len(_LOST_WORD.findall(part)) for _, part in shown)
        if pattern is _NO_FIELDS and len(_LOST_WORD.findall(text)) > sum(words):
            # A page that shows these words in other places, too, is about them.
            continue
        if len(shown) >= max(least, MUCH_MISSING * (len(shown) + others)):
            yield from (Offender(node, _NO_VALUE, text) for node, text in shown)
            return


def _is_about_missing(document: Document) -> bool:
    """Return whether a page is about programs, which shows such words on purpose: by its names, or because of code."""
    names = [one.text for one in document.titles[:1]] + [one.text for one in document.headings]
    names = [one for one in names if _NO_FIELDS.fullmatch(one) is None]
    names += [one.content for one in document.metas if one.name in {"description", "keywords"}]
    has_code = document.body is not None and holds_code(document.body.node)
    return has_code or any(_OF_PROGRAMS.search(name[:1_000]) is not None for name in names)


def _is_bare(text: str) -> bool:
    """Return whether a text says no more of a value that is not set than its unit."""
    fields = _NO_FIELDS.search(text)
    if fields is not None:
        is_alone = fields[0] != "Invalid Date" or text[fields.end() :].strip()[:1] in {"", "·", "•", "|"}
        rest = _OF_FIELDS.sub("", _NO_FIELDS.sub("", text))
        return len(text) <= _MAX_FIELDS and is_alone and _SMALL_WORD.search(rest) is None
    match = _NOT_SET.search(text)
    return match is None or len(text) - len(match[0]) <= _MAX_UNIT or _MISSING_AMOUNT.search(text) is not None


def _empty_parts(document: Document) -> Iterator[Offender]:
    """Headings and links of a list whose items have no name, or cells of a table that has no data."""
    headings = [one for one in document.headings if not one.hidden]
    links = [one for one in document.anchors if not one.hidden and one.href is not None]
    empty = [one.node for one in headings if not one.text and is_hollow(one.node)]
    if empty:
        empty += (one.node for one in links if not one.name and is_hollow(one.node))
    if len(empty) >= MIN_EMPTY and len(empty) >= MOST_EMPTY * (len(headings) + len(links)):
        yield from (Offender(node, _EMPTY) for node in empty)
    elif document.main_word_count <= MAX_BESIDE_TABLE and document.body is not None:
        cells = list(short_texts(document.body.node, "td", MAX_LABELED))
        blank = [(node, text) for node, text in cells if text.lower() in _BLANK and is_hollow(node)]
        if len(blank) >= MIN_BLANK and len(blank) >= MOST_BLANK * len(cells):
            yield from (Offender(node, _EMPTY, text) for node, text in blank)


def _named_texts(document: Document, marker: re.Pattern[str]) -> Iterator[tuple[Node, str]]:
    """Texts in which no code is shown; scripts may still fill in what the body says."""
    for title in document.titles:
        yield title.node, title.text[:1_000]
    for meta in document.metas:
        if meta.name == "description":
            yield meta.node, meta.content[:1_000]
    for heading in document.headings:
        text = heading.text[:1_000]
        shows = _may_miss_amount(text) or "ranslation" in text or marker.search(text) is not None
        if shows and not heading.hidden and not (_has_marker(text) and holds_code(heading.node)):
            yield heading.node, text
    # No mark holds a line break: one search is enough for most pages.
    joined = "\n".join([one.text for one in document.paragraphs])
    for paragraph in document.paragraphs if any(one in joined for one in _MARKS) else ():
        text = paragraph.text[:1_000]
        if any(one in text for one in _MARKS) and marker.search(text) is not None and not holds_code(paragraph.node):
            yield paragraph.node, text


def _marker(document: Document) -> re.Pattern[str]:
    """Markers that no script fills in: all of them beside blocks and filters of a server's template."""
    return _OF_SERVERS if _may_be_filled(document) and not is_template_of_server(document) else _MARKER


def _may_be_filled(document: Document) -> bool:
    """Return whether a script may fill in what the body says; blocks of data do not.

    Where a file is missing, a few lines in the page that know no marker and load nothing do not either: they call it.
    """
    running = document.running_scripts
    files = [one for one in document.scripts if one.url is not None and one.kind in {"classic", "module"}]
    if not files or any(one.url is not None or one.kind == "module" for one in running):
        return bool(running)
    return any(len(one.text) > MAX_CALL or any(part in one.text for part in _FILLS) for one in running)


def _has_marker(text: str) -> bool:
    return (any(one in text for one in _MARKS) and _MARKER.search(text) is not None) or (
        _may_miss_amount(text) and _MISSING_AMOUNT.search(text) is not None
    )


def _is_latin(text: str) -> bool:
    if any(map(text.__contains__, _LATIN)):
        return True
    words = [one.strip(".,;:?!") for one in text[:1_000].split()]
    if _LOREM in text and (len(words) < MIN_LATIN or _BEGINS.search(text)):
        return True
    return len(words) >= MIN_LATIN and sum(one in _LATIN_WORDS for one in words) >= MOSTLY_LATIN * len(words)


def _missing_of(texts: Iterable[str]) -> frozenset[str]:
    """The texts that stand for a missing value."""
    short = {one for one in texts if 0 < len(one) < MAX_LABELED}
    # Most pages end here, in one search for each part.
    joined = "\n".join(short)
    if not (_may_miss_amount(joined) or _OBJECT in joined) and _WHOLE.isdisjoint(short):
        return frozenset()
    return frozenset(filter(_is_missing, short))


def _is_missing(text: str) -> bool:
    if not text or len(text) >= MAX_LABELED:
        return False
    if text.endswith(_OBJECT):
        return True
    return len(text) < 30 and (
        text in _WHOLE
        or ("NaN" in text and _NO_AMOUNT.fullmatch(text) is not None)
        or (_may_miss_amount(text) and _MISSING_AMOUNT.search(text) is not None)
    )


def _may_miss_amount(text: str) -> bool:
    return "NaN" in text or "undefined" in text or "null" in text


def _is_about_latin(document: Document) -> bool:
    language = document.html.attrs.get("lang", "") if document.html else ""
    return language.lower().partition("-")[0] == "la" or any("lorem" in title.text.lower() for title in document.titles)
