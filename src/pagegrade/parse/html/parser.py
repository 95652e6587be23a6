"""The only door to the HTML parser: bytes in, facts out.

Everything here may be handed hostile bytes, and no parser is safe in the process that must survive: callers run it in
a child that can be killed. The parser is ``turbohtml``; to replace it, replace this module, ``walk``, ``handlers``,
``collect``, ``locate`` and ``declarations``, and keep ``tests/parse/html/test_parser.py`` green.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence, Sized
from functools import partial
from itertools import chain, count, islice
from typing import Final, Literal

import msgspec
import turbohtml
from msgspec.structs import replace
from turbohtml import Element

from pagegrade.model import document as facts
from pagegrade.model.artifacts import Response
from pagegrade.model.document import Document, social_image
from pagegrade.parse.cascade.drawn import DrawnVisibility
from pagegrade.parse.cascade.sheets import visibility_of
from pagegrade.parse.css.image_space import images_with_space
from pagegrade.parse.files.javascript import marks_of_script
from pagegrade.parse.html.accessibility import accessibility_of
from pagegrade.parse.html.collect import Collector
from pagegrade.parse.html.declarations import (
    charset_of_content_type,
    declarations,
    encoding_of_label,
    is_malformed,
    rendering_mode,
)
from pagegrade.parse.html.empty_sections import names_of_places
from pagegrade.parse.html.flat_tree import flatten_shadow_trees, has_shadow_trees, show_streamed_parts
from pagegrade.parse.html.locate import locate
from pagegrade.parse.html.main_content import names_of_main
from pagegrade.parse.html.markup import count_faults, note_faults
from pagegrade.parse.html.walk import walk
from pagegrade.parse.http.robots_directives import ALL_BOTS, parse_robots_meta, parse_x_robots_tag
from pagegrade.parse.page_kind.empty_shell import THRESHOLD as SHELL_THRESHOLD
from pagegrade.parse.page_kind.empty_shell import score_empty_shell
from pagegrade.parse.page_links import (
    canonical_links,
    has_section,
    host_of_most_links,
    language_alternates,
    linked_sections,
    links_to_ask,
    same_page_key,
)
from pagegrade.parse.party import Parties, parties_of
from pagegrade.parse.url import host, join_url, registrable_domain, strip_fragment
from pagegrade.parse.words import count_words

MAX_LINKS: Final = 200
MAX_SOCIAL_IMAGE: Final = 8_192
"""Characters of the URL."""
_MAX_COUNTED: Final = 20_000
"""Pieces of text that are counted while all of them are held; more would take too much memory at once."""
MAX_MERGED_TAGS: Final = 64
"""Tags of ``<html>`` and ``<body>`` whose attributes count. Those of a repeated one are added to the element, which
takes the parser as long as the element has attributes already; pages have two or three."""
_MERGED_TAG: Final = re.compile(
    rb"(<\x00?(?:h\x00?t\x00?m\x00?l|b\x00?o\x00?d\x00?y))(?=\x00?[\s/])([^>]*+)", re.IGNORECASE
)
"""In ASCII and in UTF-16."""
_CONTENT: Final = re.compile(rb"[^\x00\r\n]")
_REFERRING_FACTS: Final = frozenset({"anchors", "links", "metas", "references"})
_HEAD_ELEMENTS: Final = frozenset(
    ["base", "basefont", "bgsound", "link", "meta", "title", "noscript", "script", "style", "template"]
)


class ReferenceURL(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A URL that the served HTML makes a browser fetch; plain, so that it can cross to another process."""

    url: str
    kind: Literal["image", "script", "stylesheet", "font", "frame", "icon", "manifest", "media", "object", "preload"]
    lazy: bool
    alternative: bool


MIN_TEXT_CHARACTERS: Final = 200
"""Of a page; one with less is drawn by scripts, which may add what it seems to lack."""
_CODE: Final = "script, style, noscript, template"


class _References(Collector):
    """Collects what ``find_named_urls`` and ``names_alternate`` read, and nothing else."""

    def fits(self, items: Sized, name: str) -> bool:
        """Return whether another entry fits and is wanted."""
        return name in _REFERRING_FACTS and super().fits(items, name)


class NamedURLs(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """URLs that a page refers to and links to, as far as they were requested; plain values."""

    references: tuple[ReferenceURL, ...] = ()
    """The sub-resources, in document order."""
    links: tuple[str, ...] = ()
    """Pages of the own host that it links to and that may be asked for, in order; at most ``MAX_LINKS``."""
    link_count: int = 0
    """The same without the limit."""
    sections: Mapping[str, tuple[str, ...]] = msgspec.field(default_factory=dict)
    """Address -> sections of it that links lead to (``parse.page_links.linked_sections``), for those of ``links``."""
    other_host: str = ""
    """The one that most links lead to (``parse.page_links.host_of_most_links``)."""
    alternates: tuple[str, ...] = ()
    """Its language versions in order, itself left out; at most ``MAX_LINKS``."""
    canonical: str = ""
    """The one canonical URL that counts, where it is another URL of the page's site."""
    own_sites: tuple[str, ...] = ()
    """Domains and hosts besides its own that serve the site (``parse.party``)."""
    social_image: str = ""
    """As written."""
    icon: str = ""
    """The first one that is no SVG by its name."""
    names_of_main: tuple[str, ...] = ()
    """Names by which a script finds its main part (``parse.html.main_content``)."""


def parse_document(
    body: bytes,
    *,
    url: str,
    content_type: str | None,
    sheets: Mapping[str, Sequence[str] | None] | None = None,
    image_space: Sequence[str] = (),
    lost: Collection[str] = (),
    drawn: bool = False,
) -> Document:
    """Parse the served HTML and read every fact in one walk.

    Args:
        body: Decoded body (no content coding).
        url: URL of the document after redirects; relative URLs resolve against it or against ``<base>``.
        content_type: The Content-Type header, whose charset rules over the one in the markup.
        sheets: Address -> what ``reduce_stylesheet`` kept of a sheet that was fetched, empty for one that browsers do
            not use; what a sheet says that is missing or ``None`` is unknown.
        image_space: Selectors of the sheets that were fetched for what keeps the space of an image free.
        lost: Addresses of files that no browser gets: scripts there do not run.
        drawn: The body is a copy that a browser made after it had drawn the page, with marks on what it hides
            (``parse.cascade.drawn``); style sheets are not asked then.

    Source: https://html.spec.whatwg.org/multipage/parsing.html; scripting counts as on, because that is how browsers
    and search engines read a page, so ``<noscript>`` holds no elements.
    """
    tree = _parse(body, content_type)
    if not drawn:
        show_streamed_parts(tree, body)
    doctype, errors = _doctype(tree), tree.errors
    fault_counts = count_faults(errors)
    mode = rendering_mode(doctype, malformed=is_malformed(errors, fault_counts))
    base_url = _base_url(tree, url)
    quirks = mode == "quirks"
    visibility = (
        DrawnVisibility(tree, quirks=quirks) if drawn else visibility_of(tree, base_url, sheets or {}, quirks=quirks)
    )
    if has_shadow_trees(tree):
        # Selectors do not reach into shadow trees: what they select is read before.
        _ = visibility.suspects
        flatten_shadow_trees(tree)
    into = Collector(base_url, visibility)
    if tree.root is not None:
        walk(tree.root, into)
    into.finish()
    words, main_words = _words(into)
    text = " ".join(words)
    main_text = text if main_words is words else " ".join(main_words)
    word_count = count_words(text, len(words))
    _mark_trailing_scripts(into)
    marks = {script.node: marks_of_script(script.text) for script in into.scripts if script.text}
    document = Document(
        locate=partial(locate, max_depth=into.max_depth),
        url=url,
        base_url=into.base_url,
        bytes=len(body),
        encoding=tree.encoding or "UTF-8",
        charset_declarations=declarations(body, content_type, into.metas),
        doctype=doctype,
        mode=mode,
        visibility=visibility,
        html=into.html,
        body=into.body,
        titles=into.titles,
        metas=into.metas,
        links=into.links,
        anchors=into.anchors,
        images=into.images,
        named=into.named,
        controls=into.controls,
        headings=into.headings,
        paragraphs=into.paragraphs,
        scripts=into.scripts,
        running_scripts=[one for one in into.scripts if _is_run(one, lost)],
        frames=into.frames,
        forms=into.forms,
        form_values=into.form_values,
        style_attributes=into.style_attributes,
        styles=into.styles,
        obsolete=into.obsolete,
        bases=into.bases,
        objects=[facts.ElementFact(node=node, attrs=attrs) for node, attrs, _ in into.parts.objects],
        references=into.references,
        structured_items=into.structured_items,
        ids=into.ids,
        accessibility=accessibility_of(into),
        markup=note_faults(into.markup.found, errors, fault_counts, "" if drawn else _decoded(tree, body)),
        element_count=into.element_count,
        max_depth=into.max_depth,
        max_children=into.max_children,
        deepest=into.deepest,
        head_closed_by=_head_closed_by(into),
        noscripts=into.noscripts,
        text=text,
        main_text=main_text,
        main_pieces=Counter(main_words) if len(main_words) <= _MAX_COUNTED else {},
        images_with_space=images_with_space(
            (
                image.node
                for image in into.images
                if isinstance(image.node, Element) and not {"width", "height"} <= image.attrs.keys()
            ),
            (style.text for style in into.styles),
            image_space,
        ),
        longest_word=max(map(len, words if main_words is words else chain(words, main_words)), default=0),
        word_count=word_count,
        main_word_count=word_count if main_words is words else count_words(main_text, len(main_words)),
        script_marks=frozenset().union(*marks.values()),
        marks_of_scripts=marks,
        limits_hit=tuple(into.limits),
    )
    document.client_rendered = score_empty_shell(document) >= SHELL_THRESHOLD
    return document


def _decoded(tree: turbohtml.Document, body: bytes) -> str:
    """The page as text; of an encoding that is unknown here, what is ASCII in it."""
    try:
        return body.decode(tree.encoding or "utf-8", "replace")
    except LookupError:
        return body.decode("latin-1")


def _is_run(script: facts.Script, lost: Collection[str]) -> bool:
    """Return whether a browser runs a script: it is code, and it is there."""
    if script.kind not in {"classic", "module"} or (script.kind == "classic" and "nomodule" in script.attrs):
        return False
    return bool(script.text.strip()) if script.url is None else strip_fragment(script.url) not in lost


def find_named_urls(response: Response) -> NamedURLs:
    """Read the references of a page without its other facts."""
    into = _collect_response(response)
    links = links_to_ask(into.anchors, response.url)
    page = strip_fragment(response.url)
    named = (link for link in language_alternates(into.links, response) if link.in_head)
    alternates = dict.fromkeys(link.url for link in named if link.url is not None)
    alternates.pop(page, None)
    sections = linked_sections(into.anchors)
    return NamedURLs(
        references=tuple(
            ReferenceURL(url=found.url, kind=found.kind, lazy=found.lazy, alternative=found.alternative)
            for found in into.references
        ),
        links=links[:MAX_LINKS],
        link_count=len(links),
        sections={url: sections[url] for url in links[:MAX_LINKS] if url in sections},
        other_host=host_of_most_links(into.anchors, response.url),
        alternates=tuple(islice(alternates, MAX_LINKS)),
        canonical=_other_canonical(into.links, response),
        own_sites=tuple(sorted(_parties(response.url, into.references, into.metas).own)),
        social_image=social_image(into.metas).strip()[:MAX_SOCIAL_IMAGE],
        icon=next((found.url for found in into.references if found.kind == "icon" and not _is_drawing(found.url)), ""),
        names_of_main=_names_of_main(into.body),
    )


def _names_of_main(body: facts.ElementFact | None) -> tuple[str, ...]:
    if body is None or not isinstance(body.node, Element):
        return ()
    return (*names_of_main(body.node), *names_of_places(body.node))


def _other_canonical(links: Sequence[facts.Link], response: Response) -> str:
    """The one canonical URL that counts, if it is another URL of the site; empty otherwise."""
    page = response.url
    urls = {link.url for link in canonical_links(links, response) if link.counts}
    url = urls.pop() if len(urls) == 1 else None
    is_other = url is not None and url != strip_fragment(page)
    return url if url and is_other and registrable_domain(host(url)) == registrable_domain(host(page)) else ""


def _is_drawing(url: str) -> bool:
    return url.partition("?")[0].lower().endswith((".svg", ".svgz"))


def parties_of_document(document: Document) -> Parties:
    """Return the first-party rules that the document implies."""
    return _parties(document.url, document.references, document.metas)


def _parties(url: str, references: Sequence[facts.Reference], metas: Sequence[facts.Meta]) -> Parties:
    generator = next((meta.content for meta in metas if meta.name == "generator"), "")
    return parties_of(url, ((found.url, found.kind) for found in references), generator)


def may_be_indexed(response: Response) -> bool:
    """Return whether an answer leaves it to all search engines to index it, by its headers and its head."""
    rules = [parse_x_robots_tag(value) for value in response.header_values("x-robots-tag")]
    metas = _collect_response(response).metas
    rules += [parse_robots_meta(meta.name, meta.content) for meta in metas if meta.name and meta.in_head]
    return not any(rule.name == "noindex" and rule.bot == ALL_BOTS for found in rules for rule in found.directives)


def names_alternate(response: Response, url: str) -> bool | None:
    """Return whether a page names ``url`` as one of its language versions; ``None`` if it was cut off before.

    Scheme, ``www.`` and a closing slash do not count.
    """
    into = _collect_response(response)
    wanted = same_page_key(url)
    named = (link.url for link in language_alternates(into.links, response) if link.in_head)
    if any(same_page_key(found) == wanted for found in named if found is not None):
        return True
    # Behind the head there is nothing that counts.
    is_whole = response.truncated is None or (into.body is not None and into.body.node.source_line is not None)
    return False if is_whole else None


def missing_sections(response: Response, sections: tuple[str, ...]) -> tuple[str, ...] | None:
    """Return those of the sections that a page does not have; ``None`` where that cannot be said.

    A page that was cut off, is no HTML, or has next to no text without its scripts may have them all the same.
    """
    if response.truncated is not None or "html" not in (response.header("content-type") or "").lower():
        return None
    root = _parse(response.body, response.header("content-type")).root
    if root is None or len(root.text) - sum(len(code.text) for code in root.select(_CODE)) < MIN_TEXT_CHARACTERS:
        return None
    names = {element.attr("id") for element in root.select("[id]")}
    names |= {element.attr("name") for element in root.select("a[name]")}
    return tuple(section for section in sections if not has_section(section, names))


def _parse(body: bytes, content_type: str | None) -> turbohtml.Document:
    """Parse bytes by the charset of the Content-Type; without one the parser finds the encoding as a browser does."""
    label = charset_of_content_type(content_type)
    encoding = encoding_of_label(label) if label else None
    body = _without_further_attributes(body)
    return turbohtml.parse(body, encoding=encoding, scripting=True, allow_declarative_shadow_roots=False)


def _without_further_attributes(body: bytes) -> bytes:
    """Blank the attributes of ``<html>`` and ``<body>`` after ``MAX_MERGED_TAGS`` of them; all places stay the same."""
    if next(islice(_MERGED_TAG.finditer(body), MAX_MERGED_TAGS, None), None) is None:
        return body
    numbers = count(1)

    def kept(tag: re.Match[bytes]) -> bytes:
        return tag[0] if next(numbers) <= MAX_MERGED_TAGS else tag[1] + _CONTENT.sub(b" ", tag[2])

    return _MERGED_TAG.sub(kept, body)


def _collect_response(response: Response) -> Collector:
    """Walk the page of a response for what it refers to and links to."""
    tree = _parse(response.body, response.header("content-type"))
    if has_shadow_trees(tree):
        flatten_shadow_trees(tree)
    into = _References(_base_url(tree, response.url))
    if tree.root is not None:
        walk(tree.root, into, references_only=True)
    return into


def _base_url(tree: turbohtml.Document, url: str) -> str:
    """Return the base of relative URLs: the first ``<base href>`` that is a usable URL, or the document's URL."""
    for base in tree.iter_elements("base"):
        href = base.attr("href")
        if href is None:
            continue
        # Only the first one with an href counts, even when it is broken.
        joined = join_url(url, href.strip())
        return joined if joined is not None and joined.startswith(("http:", "https:")) else url
    return url


def _doctype(tree: turbohtml.Document) -> facts.Doctype | None:
    """The document type declaration; text before it makes the parser ignore it."""
    for node in tree.children:
        if isinstance(node, turbohtml.Doctype):
            return facts.Doctype(
                name=node.name, public_id=node.public_id, system_id=node.system_id, line=node.source_line
            )
    return None


def _words(into: Collector) -> tuple[list[str], list[str]]:
    """(the visible text, the same without the ranges that are boilerplate), both split at their white space."""
    texts = into.texts
    words: list[str] = []
    main: list[str] = []
    at = 0
    for start, end in into.boilerplate:
        if not _is_apart(texts, start, end):
            # An inline dialog stands in the middle of a word: each of the two has to be put together by itself.
            return "".join(texts).split(), "".join(_outside(into)).split()
        found = "".join(texts[at:start]).split()
        words += found
        main += found
        words += "".join(texts[start:end]).split()
        at = end
    rest = "".join(texts[at:]).split()
    words += rest
    main += rest
    return words, words if len(main) == len(words) else main


def _is_apart(texts: Sequence[str], start: int, end: int) -> bool:
    """Return whether white space parts what lies between two places from what comes before and after it."""
    return (not start or texts[start - 1][-1:].isspace()) and (end == len(texts) or texts[end - 1][-1:].isspace())


def _outside(into: Collector) -> Iterator[str]:
    """The texts that are no boilerplate."""
    at = 0
    for start, end in into.boilerplate:
        yield from into.texts[at:start]
        at = end
    yield from into.texts[at:]


def _mark_trailing_scripts(into: Collector) -> None:
    """A script delays nothing that people see when nothing visible comes after it."""
    last = len(into.texts) - 1
    while last >= 0 and not into.texts[last].strip():
        last -= 1
    for index, (texts_before, media_before) in enumerate(into.script_marks):
        script = into.scripts[index]
        if not script.in_head and texts_before > last and media_before == into.media_count:
            into.scripts[index] = replace(script, trailing=True)


def _head_closed_by(into: Collector) -> str | None:
    """The element that pushed later head elements into the body; ``None`` when nothing did.

    The parser closes the head at the first thing that may not stand there; a body that it had to make up then has no
    position in the source.
    """
    strays = (
        any(not meta.in_head for meta in into.metas)
        or any(not title.in_head for title in into.titles)
        or any(not link.in_head and ("canonical" in link.rel or "hreflang" in link.attrs) for link in into.links)
    )
    if not strays or into.body is None or into.body.node.source_line is not None:
        return None
    body = into.body.node
    if not isinstance(body, Element):
        return None
    for child in body.children:
        if isinstance(child, Element):
            if child.tag not in _HEAD_ELEMENTS:
                return child.tag
        elif isinstance(child, turbohtml.Text) and child.data.strip():
            return "text"
    return None
