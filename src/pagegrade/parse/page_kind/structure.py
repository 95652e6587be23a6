"""Structure of notices in every language: where it leads, what it asks, and what it repeats."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Final
from urllib.parse import unquote

from turbohtml import Element, Text

from pagegrade.model.document import Anchor
from pagegrade.parse.data.social_networks import is_of_network
from pagegrade.parse.likeness import ALIKE
from pagegrade.parse.page_kind.sketch import ORIGIN_FIELD, PRICE, SLUG, Sketch, path_of
from pagegrade.parse.url import host, is_http, registrable_domain, strip_fragment

SUPPORT: Final = 5
"""The most that phrases add to the points of a kind: less than half of what it takes, and less than a structure has
that leads nowhere and says little."""
MAX_ONWARD: Final = 50
"""Pages of the own site that are counted: more than any notice leads to."""
_MAX_LOOKED_AT: Final = 400
_MAX_NODES: Final = 1_500
_MAX_VALUE: Final = 2_000
_MIN_PATH: Final = 5
_MAX_NOTICE_WORDS: Final = 160
MAX_WAYS_OUT: Final = 2
"""Pages that a waiting room leads to: those to leave it, and to read about it."""
_MAX_BESIDE: Final = 80
"""Characters that may stand beside a dialog that takes the place of a page: a name, a copyright."""
_ADDRESS: Final = re.compile(
    r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w.]*\d)|\b(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}\b|"
    r"\b(?:[0-9a-f]{1,4}:){3,7}(?::?[0-9a-f]{1,4})\b"
)
"""An IPv4 or MAC address, or an IPv6 one, in digits of any script."""
_AT_HOME: Final = re.compile(r"(?:10|192\.168|172\.(?:1[6-9]|2\d|3[01])|169\.254)\.")
_NUMBER: Final = re.compile(
    r"\b(?=[0-9a-f-]*[a-f])(?=(?:[a-f-]*\d){4})[0-9a-f]{4,32}(?:-[0-9a-f]{2,32}){0,6}\b|\b\d{14,40}\b"
)
"""The number of an incident: hexadecimal digits, or more decimal ones than a telephone number or an ISBN has."""
_MIN_NUMBER: Final = 10
_STATUS: Final = re.compile(r"(?:\D{0,24}\b)?(?:401|403|404|410|429|451|503)(?:\b\D{0,40})?")
"""A title or heading that is the number of a refusal or of a missing page, with few words beside it. That an
application failed (500) is a fault of the page, and graded."""
_RELOADS: Final = re.compile(r"location\.(?:reload|replace)|location(?:\.href)? ?= ?(?:window\.|document\.)?location")
_CHOICE_TYPES: Final = frozenset({"checkbox", "radio", "select", "number", "date", "month"})
_DATE_PARTS: Final = 3
ASKS_ABOUT_PRIVACY: Final = re.compile(
    r"cookie|privacy|consent|datenschutz|confidentialit|privacidad|privacidade|einwilligung|gdpr|dsgvo|rgpd|legal"
)
"""Addresses of pages about consent."""
_MARKS: Final = re.compile(
    r"(?:^|[\s/._?&=-])(?:age[-_]?(?:gate|check|verification|verify)|consent|cmp|cookie-?wall|gate|captcha|challenge|pow|"
    r"guard|waf|anti-?bot|bot-?check|blocked|block-?page|geo-?(?:block|ip|fence)?|denied|forbidden|restricted|captive|"
    r"hotspot|maintenance|coming[-_]?soon|under[-_]?construction|parked|parking|lander|suspended|suspend|"
    r"placeholder-?page|default-?page|interstitial|queue|waiting-?room|unsupported|outdated)(?=$|[\s/._?&=\d-])"
)
"""Names that files, classes and ids of such pages have in every language; ordinary pages have single ones, too."""
_COUNT_DOWN: Final = re.compile(r"count[-_]?down")
_BROWSERS: Final = ("chrom", "firefox", "safari", "edge", "opera", "internet explorer")
"""Names that are written alike in all languages."""
_MIN_BROWSERS: Final = 3
_MAX_BROWSER_WORDS: Final = 90
_WRITES: Final = re.compile(r"\.(?:textcontent|innertext|innerhtml) ?[+-]?=|\.append(?:child)?\(")
"""A script puts something on the page."""
_PASSES: Final = re.compile(
    r"cookie|location|storage|fetch\(|xmlhttprequest|beacon|submit\(|reload|history|crypto|worker|challenge|captcha"
)
"""A script remembers an answer, sends it, or leads away."""
_ZERO: Final = re.compile(r"(?<![\w.,:])[0٠۰०০](?![\w.,:]*\d)(?!\w)|\b00:00\b")
"""The begin of a count, in four kinds of digits."""
_MAX_OFFER_BUTTONS: Final = 2
_PHONE: Final = re.compile(r"(?<![\w./-])\+?\(?\d{2,5}\)?[ /-]\d{2,5}(?:[ -]?\d{2,5}){1,4}(?![\w./-])")
_MAX_FIELDS: Final = 6
_OWN_MACHINE: Final = frozenset({"localhost", "127.0.0.1", "localhost:3306", "localhost:5432"})
_MIN_MENU: Final = 3
_PROGRAMS: Final = (".exe", ".msi", ".dmg", ".pkg", ".deb", ".rpm", ".apk", ".cab", ".xpi", ".crx")
_MIN_PROGRAMS: Final = 2
_MIN_BREAKS: Final = 3
_AROUND: Final = frozenset({"nav", "header", "footer", "aside"})
_COMMENTS: Final = re.compile(r"comment|respond", re.IGNORECASE)
"""In the classes and ids of the place to comment, which leads back from a sign-in, in the systems' own languages."""
_SIGNS_IN: Final = re.compile(r"[/.](?:oauth2?|auth(?:n|ori[sz]e)?|log-?in|sign-?in|sso|saml2?|cas|openid)(?:$|[/.])")
"""In addresses of other sites that know who a visitor is."""
MAX_MAIN_WORDS: Final = 90
_MAX_DEPTH: Final = 40
_REFUSALS: Final = re.compile(r"(?:^|\s)(?:mw-special-badtitle|mode_denied)(?=$|\s)", re.MULTILINE)
"""Classes by which MediaWiki and DokuWiki mark that they refuse a page, in every language."""
_MORE: Final = "pre, table, dl, canvas, math, [role=slider], [role=tablist], [role=menu], [role=listbox], [data-toggle]"


@dataclass(frozen=True, kw_only=True)
class Structure(Sketch):
    """Facts that need no language, each with the points it gives."""

    likeness: float = 0.0
    """Share of words in common with what the site answers where nothing can be, 0 to 1."""
    missing_leads_here: bool = False
    """A URL that cannot exist is redirected to the address that answered."""

    @cached_property
    def anchors(self) -> tuple[Anchor, ...]:
        """The first visible links with an address."""
        return tuple(one for one in self.document.anchors[:_MAX_LOOKED_AT] if one.url is not None and not one.hidden)

    @cached_property
    def onward(self) -> int:
        """Different pages of the own site that links lead to, at most ``MAX_ONWARD``.

        The front page, the page itself, a way back to what was asked for and programs do not count.
        """
        home, here = self._bare("/"), self._bare(self.final_path)
        found: set[str] = set()
        for one in self.anchors:
            if not (one.url and is_http(one.url) and registrable_domain(host(one.url)) == self.domain):
                continue
            path = self._bare(path_of(one.url))
            if path in {home, here} or path in found or _is_program(path):
                continue
            if not (self._asked and _carries(one.url.partition("?")[2][:_MAX_VALUE], self._asked)):
                found.add(path)
                if len(found) == MAX_ONWARD:
                    break
        return len(found)

    @cached_property
    def leads_to_itself(self) -> bool:
        """There are links, and all lead to the page itself, back, or run a script; none to a section of it."""
        if self.sections:
            return False
        shown = [one for one in self.anchors if not (one.url or "").startswith(("mailto:", "tel:"))]
        here = self._bare(self.final_path)
        return bool(shown) and all(
            not is_http(one.url or "")
            or (registrable_domain(host(one.url or "")) == self.domain and self._bare(path_of(one.url or "")) == here)
            for one in shown
        )

    @cached_property
    def sections(self) -> int:
        """Visible links to sections of the page: a menu of a page that has some."""
        return sum(1 for one in self.anchors if len((one.href or "").strip()) > 1 and (one.href or "").startswith("#"))

    @cached_property
    def media(self) -> int:
        """Visible pictures, frames and players."""
        shown = sum(1 for one in self.document.images if not one.hidden)
        frames = sum(1 for one in self.document.frames if not one.hidden and one.url)
        return shown + frames + sum(1 for one in self.document.references if one.kind in {"media", "object"})

    @cached_property
    def is_described(self) -> bool:
        """The page names itself to search engines or networks: as its own canonical page, or with structured data."""
        own = self._bare(self.final_path)
        named = (one.url for one in self.document.links if "canonical" in one.rel and one.url)
        return any(self._bare(path_of(one)) == own for one in named) or bool(self.document.structured_items)

    @cached_property
    def bareness(self) -> int:
        """Points for little text and few links to own pages: at most 6, below 0 for a whole page."""
        words, links = self.words, self.onward
        points = 3 if words <= 30 else 2 if words <= 90 else 1 if words <= _MAX_NOTICE_WORDS else -2 * (words > 300)
        points += 3 if not links else 2 if links <= 2 else 1 if links <= 4 else -3 * (links > 8)
        points -= 2 * (self.media > 3) + 2 * (len(self.headings) > 4) + 2 * (len(self.document.paragraphs) > 8)
        return (
            points
            - min(self.sections, 2)
            - 2 * self.is_described
            - 2 * (self.textual > 2)
            - (self.textual > 0 and self.onward > 0)
        )

    @cached_property
    def is_deep(self) -> bool:
        """A certain page was asked for and not the front page."""
        return len(self.requested_path.strip("/")) > 0

    @cached_property
    def is_dead_end(self) -> bool:
        """A certain page was asked for, and what answers has no link but to write a mail, and nothing to see."""
        leads = any(is_http(one.url or "") for one in self.anchors)
        return self.is_deep and not leads and self.media <= 1 and not self.is_described

    @cached_property
    def is_one_statement(self) -> bool:
        """A page with a style of its own says one thing, under one heading, and has nothing to use."""
        styled = bool(self.document.styles) or any(one.kind == "stylesheet" for one in self.document.references)
        few = len(self.headings) == 1 and len(self.document.paragraphs) <= 2
        return styled and few and not self.media and not self.controls and not self.buttons

    @cached_property
    def is_undescribed(self) -> bool:
        """The page says nothing about itself to search engines and networks but its title, and names no contact."""
        if any((one.url or "").startswith(("mailto:", "tel:")) for one in self.anchors) and not self.is_one_statement:
            return False
        described = any(one.name == "description" or one.property.startswith("og:") for one in self.document.metas)
        named = any({"canonical", "alternate", "amphtml"}.intersection(one.rel) for one in self.document.links)
        return bool(self.words) and not (described or named or self.document.structured_items)

    @cached_property
    def says_one_thing(self) -> int:
        """Points of one or two sentences with nothing to follow, to fill in or to look at beside a logo."""
        document = self.document
        nothing = not (document.anchors or document.controls or document.named or self.runs_scripts)
        nothing = nothing and self.media <= 1 and not self.shows_its_subject and _PHONE.search(self.text) is None
        is_short = len(self.headings) <= 1 and len(self.document.paragraphs) <= 2
        styled = bool(self.document.styles) or any(one.kind == "stylesheet" for one in self.document.references)
        return 2 + (not styled) if nothing and is_short and self.is_undescribed else 0

    @cached_property
    def shows_its_subject(self) -> bool:
        """A picture has the name of the page, or a text has lines of its own, as a poem or an address has."""
        alternatives = (
            one.attrs.get("alt", "").strip().casefold() for one in self.document.images[:5] if not one.hidden
        )
        if self.first_heading and self.first_heading in alternatives:
            # A notice in a picture names something else than the address.
            words = [one for one in SLUG.split(unquote(self.requested_path)) if len(one) > 3 and one.isalpha()]
            shown = f"{self.title} {self.first_heading}"
            return not words or any(one[:4] in shown for one in words) or not shown.isascii()
        root = self.document.body.node if self.document.body is not None else None
        return isinstance(root, Element) and len(list(islice(root.select("p > br"), _MIN_BREAKS))) == _MIN_BREAKS

    @cached_property
    def works(self) -> bool:
        """Buttons change what the page shows: a counter, a clock, a game, a small tool.

        A gate remembers the answer or leads elsewhere, and a number in its heading is an error code.
        """
        if not self.buttons or self.is_status:
            return False
        heading = self.first_heading
        if heading and not any(one.isalpha() for one in heading):
            return True
        if _WRITES.search(self.inline) is not None and _PASSES.search(self.inline) is None:
            return True
        root = self.document.body.node if self.document.body is not None else None
        shows_result = isinstance(root, Element) and next(iter(root.select("output, meter")), None) is not None
        return shows_result or (not self.waits and _ZERO.search(self.text) is not None)

    @cached_property
    def offers(self) -> bool:
        """A price, and one form of the own site whose only fields are an amount and a kind: one thing for sale.

        What is paid by the month is a subscription, as walls offer it.
        """
        forms = self.document.forms
        if self.textual > 0 or self.buttons > _MAX_OFFER_BUTTONS or len(forms) != 1:
            return False
        return registrable_domain(host(forms[0].url)) == self.domain and self.prices

    @cached_property
    def prices(self) -> bool:
        """The text names a price that is not paid by the month."""
        return PRICE.search(self.text) is not None

    @cached_property
    def is_contact(self) -> bool:
        """There are links to call and to write: a card of a person or a business."""
        led = {(one.url or "").partition(":")[0] for one in self.anchors}
        return {"tel", "mailto"} <= led

    @cached_property
    def shows_more(self) -> bool:
        """There is something that notices do not have: a table, a listing, a widget, or a form of many fields."""
        root = self.document.body.node if self.document.body is not None else None
        menu = sum(1 for one in self.document.anchors[:_MAX_LOOKED_AT] if (one.href or "").startswith("#"))
        if len(self.document.controls) > _MAX_FIELDS or menu >= _MIN_MENU or self.shows_its_subject:
            return True
        if self.works or self.offers or self.is_contact:
            return True
        return isinstance(root, Element) and next(iter(root.select(_MORE)), None) is not None

    @cached_property
    def names_browsers(self) -> bool:
        """A short text counts up browsers: those that it would have visitors use."""
        return self.words <= _MAX_BROWSER_WORDS and sum(one in self.text for one in _BROWSERS) >= _MIN_BROWSERS

    @cached_property
    def is_gate(self) -> bool:
        """Of two or three links one leads to the page itself, one to another site, and none further into the site."""
        here = self._bare(self.final_path)
        led = [one.url for one in self.anchors if one.url is not None and is_http(one.url)]
        own = [one for one in led if registrable_domain(host(one)) == self.domain]
        into = any("?" in one and self._bare(path_of(one)) == here for one in own)
        return 2 <= len(led) <= 3 and into and len(own) < len(led) and not self.onward

    @cached_property
    def is_waiting_room(self) -> bool:
        """It asks for itself again after a while, shows a bar that fills, and is kept out of search engines.

        That alone shows a task of the site, too: a room of a service has its files elsewhere and numbers the visitor.
        One whose script asks leads nowhere, and is named as such in its files or classes.
        """
        reloads = self.refresh is not None and "url" not in self.refresh
        is_kept_out = self.is_noindex and self.onward <= MAX_WAYS_OUT
        is_named = self.runs_scripts and not self.onward and self.is_marked
        passes = self.waits > 0 and ((reloads and is_kept_out) or is_named)
        return passes and self.is_undescribed and self.foreign_files and self.prints_number

    @cached_property
    def is_framed(self) -> bool:
        """In the frame of a site, the main part refuses what was asked for.

        The software says so, or the main part carries the way back, beside the address of a visitor and a name that is
        not what the words of the address promised.
        """
        words = self.document.main_word_count
        if not self.is_deep or words == self.words or words > MAX_MAIN_WORDS or self.is_named_by_address:
            return False
        return _REFUSALS.search(self.names) is not None or (
            self._prints_visitor and self.is_named_otherwise and self.leads_back
        )

    @cached_property
    def asks_for_programs(self) -> bool:
        """It leads to programs and to the front page, and a script leads back to the address that was asked for."""
        programs = {one.url for one in self.anchors if _is_program(one.url or "")}
        if len(programs) < _MIN_PROGRAMS or self.onward > 1 or not self._asked or "location" not in self.inline:
            return False
        return any(f"{mark}{self._asked[0]}{mark}" in self.inline for mark in "\"'`")

    @cached_property
    def is_lock(self) -> bool:
        """All there is to do is to fill in one code for once, and nothing leads anywhere."""
        fields = [one for one in self.document.controls if not one.hidden]
        asks = len(fields) == 1 and fields[0].attrs.get("autocomplete", "").strip().lower() == "one-time-code"
        return asks and self.is_deep and not self.anchors

    @cached_property
    def way_back(self) -> bool:
        """A form or a link carries the address that was asked for, so that it can be asked for again."""
        asked = self._asked
        if not asked:
            return False
        fields = (value for name, value in self.document.form_values if ORIGIN_FIELD.search(name.lower()) is None)
        queries = (one.partition("?")[2] for one in self._led_to)
        return any(_carries(one[:_MAX_VALUE], asked) for one in (*fields, *queries) if one)

    @cached_property
    def names_host_elsewhere(self) -> bool:
        """A link or form of another site carries the name of this one."""
        name = self.domain
        return bool(name) and any(
            name in unquote(address.partition("://")[2].partition("/")[2][:_MAX_VALUE]).lower()
            for address in self._led_to
            if registrable_domain(host(address)) not in {"", name}
        )

    @cached_property
    def is_of_another_site(self) -> bool:
        """Every link and form leads to one other site, and no file is the own site's."""
        led = {registrable_domain(host(one)) for one in self._led_to if is_http(one)}
        if not self.onward and not any(registrable_domain(host(one.url)) == self.domain for one in self.document.forms):
            led.discard(self.domain)
        return len(led) == 1 and self.domain not in led and self.domain not in self._file_sites

    @cached_property
    def is_about_host(self) -> bool:
        """A page of another site names this one where a certain page of it was asked for."""
        return self.is_deep and self.is_of_another_site and bool(self.domain) and self.domain in self.text

    @cached_property
    def foreign_files(self) -> bool:
        """It loads files, and none from its own site."""
        return bool(self._file_sites) and self.domain not in self._file_sites

    @cached_property
    def prints_address(self) -> bool:
        """The text shows the network address of a visitor or a device."""
        return bool(self._addresses)

    @cached_property
    def _prints_visitor(self) -> bool:
        """It shows one network address, which is none of a device at home: a manual names several, or such a one."""
        return len(self._addresses) == 1 and not any(map(_AT_HOME.match, self._addresses))

    @cached_property
    def _addresses(self) -> frozenset[str]:
        """Network addresses in the text; versions and name servers for all have numbers of one or two digits."""
        found = (one[0] for one in islice(_ADDRESS.finditer(self.text), _MAX_LOOKED_AT))
        return frozenset(one for one in found if "." not in one or _is_of_visitor(one.split(".")))

    @cached_property
    def prints_number(self) -> bool:
        """The text shows the number of an incident or a request."""
        return any(len(one.group()) >= _MIN_NUMBER for one in _NUMBER.finditer(self.text[:4_000]))

    @cached_property
    def prints_url(self) -> bool:
        """The text shows the address that was asked for."""
        asked = self.navigation.requested_url.partition("://")[2].rstrip("/").lower()
        return self.is_deep and (asked in self.text or asked.removeprefix("www.") in self.text)

    @cached_property
    def is_status(self) -> bool:
        """The title or the first heading is the number of an error."""
        named = (*self.title_parts, self.first_heading)
        return any(len(one) <= 60 and _STATUS.fullmatch(one) for one in named if one)

    @cached_property
    def reloads(self) -> int:
        """Ways in which the page asks for its own address again by itself: 0 to 2."""
        by_script = _RELOADS.search(self.inline) is not None
        return (
            (self.refresh is not None and "url" not in self.refresh)
            + (by_script and "cookie" in self.inline)
            + (by_script and self.words <= 5)
        )

    @cached_property
    def refresh(self) -> str | None:
        """The content of a ``<meta http-equiv=refresh>``, lower case."""
        metas = self.document.metas[:50]
        return next((one.content[:500].lower() for one in metas if one.http_equiv == "refresh"), None)

    @cached_property
    def buttons(self) -> int:
        """Visible buttons."""
        return sum(1 for one in self.document.named if one.role == "button" and not one.hidden)

    @cached_property
    def textual(self) -> int:
        """Visible fields that take text; those of three or more fields for parts of a date do not."""
        fields = [one for one in self.document.controls if not one.hidden and one.type not in _CHOICE_TYPES]
        short = [one for one in fields if one.attrs.get("maxlength", "") in {"2", "4"}]
        return len(fields) - (len(short) if len(short) >= _DATE_PARTS else 0)

    @cached_property
    def asks_for_server(self) -> bool:
        """A form asks for a password and, filled in already, for the machine that the page itself runs on."""
        if not self.passwords or not self.is_undescribed or self.onward:
            return False
        return any(
            one.type == "text" and not one.hidden and one.attrs.get("value", "").strip().lower() in _OWN_MACHINE
            for one in self.document.controls[:_MAX_LOOKED_AT]
        )

    @cached_property
    def choice(self) -> int:
        """Points of a page that only asks to choose: buttons, and no field that takes text."""
        if self.textual or self.has_more_than_dialog or not 1 <= self.buttons <= 6:  # yes, no, settings, and the like
            return 0
        if self.works or self.offers:
            return 0
        dates = sum(1 for one in self.document.controls if not one.hidden and one.type in {"select", "date", "number"})
        sends = bool(self.document.forms) and any(one.method == "post" for one in self.document.forms[:5])
        # Two answers to one question are all that such a page has to use.
        only = self.is_undescribed and self.buttons in {2, 3} and self.onward <= 2 and len(self.headings) <= 1
        only = only and not self.is_named_by_address
        return 1 + 4 * sends + 2 * (dates >= _DATE_PARTS) + 3 * (only and not sends)

    @cached_property
    def is_marked(self) -> bool:
        """A file, a class or an id has the name of a notice, and the address that was asked for has not."""
        return _MARKS.search(self.names) is not None and not self.asks_for_notice

    @cached_property
    def asks_for_notice(self) -> bool:
        """The address that was asked for has the name of a notice: it is what was wanted."""
        asked = self.requested_path
        return any(one.search(asked) is not None for one in (_MARKS, _COUNT_DOWN, ASKS_ABOUT_PRIVACY))

    @cached_property
    def names(self) -> str:
        """Classes, ids and files, lower case, one element a line."""
        paths = (path_of(one.url)[:200] for one in self.document.references[:40])
        return "\n".join((*paths, *self._body[0])).lower()

    @cached_property
    def is_dialog(self) -> bool:
        """A dialog holds most of what the page says."""
        _, inside, outside = self._body
        return inside > 0 and inside >= 3 * outside

    @cached_property
    def has_more_than_dialog(self) -> bool:
        """A dialog stands in front of a page that says something by itself."""
        _, inside, outside = self._body
        return inside > 0 and not self.is_dialog and outside > _MAX_BESIDE

    @cached_property
    def waits(self) -> int:
        """Points of what shows that time passes: a count that runs down, or a bar that fills."""
        return 2 * (_COUNT_DOWN.search(self.names) is not None) + ("progress" in self.names)

    @cached_property
    def _body(self) -> tuple[tuple[str, ...], int, int]:
        """(classes and ids of the first elements, characters of text inside dialogs, and outside)."""
        root = self.document.body.node if self.document.body is not None else None
        names: list[str] = []
        counts = [0, 0]
        if isinstance(root, Element):
            left = _MAX_NODES
            stack: list[tuple[Iterator[object], bool]] = [(iter((root,)), False)]
            while stack and left:
                children, inside = stack[-1]
                child = next(children, None)
                if child is None:
                    stack.pop()
                    continue
                left -= 1
                if isinstance(child, Text):
                    counts[not inside] += len(child.data.strip())
                elif isinstance(child, Element) and child.tag not in {"script", "style", "template", "noscript"}:
                    attrs = child.attrs
                    marks = [_string(attrs.get(one)) for one in ("class", "id", "role")]
                    marks += [child.tag] if child.tag == "progress" else []
                    if any(marks):
                        names.append(" ".join(marks)[:200])
                    is_dialog = child.tag == "dialog" or "dialog" in marks[2] or "aria-modal" in attrs
                    stack.append((iter(child), inside or is_dialog))
        return tuple(names), counts[0], counts[1]

    @cached_property
    def is_everywhere(self) -> bool:
        """The site answers the same where nothing can be."""
        return self.likeness >= ALIKE

    @cached_property
    def _asked(self) -> tuple[str, ...]:
        """The ways in which a page writes the address that was asked for, lower case; none for a front page."""
        if not self.is_deep:
            return ()
        path, whole = unquote(self.requested_path).rstrip("/"), strip_fragment(self.navigation.requested_url)
        plain = whole.partition("://")[2].partition("/")[2]
        coded = (b64encode(one.encode()).decode().rstrip("=")[:-2].lower() for one in (whole, f"/{plain}"))
        return (path, *(one for one in coded if len(one) > 5))

    @cached_property
    def leads_back(self) -> bool:
        """In the main part a link to the own site, or a hidden field, carries the address that was asked for."""
        root = self.document.body.node if self.document.body is not None else None
        fields = islice(root.select("input[type=hidden]"), _MAX_LOOKED_AT) if isinstance(root, Element) else ()
        named = ((one, _string(one.attrs.get("name")).lower()) for one in fields if not is_around(one))
        hidden = (_string(one.attrs.get("value")) for one, name in named if ORIGIN_FIELD.search(name) is None)
        links = [(one.url or "") for one in self.anchors if not is_around(one.node)]
        own = (one.partition("?")[2] for one in links if registrable_domain(host(one)) == self.domain)
        is_told_apart = bool(self._asked) and len(self._asked[0]) >= _MIN_PATH
        return is_told_apart and any(_carries(one[:_MAX_VALUE], self._asked) for one in (*own, *hidden))

    @cached_property
    def _led_to(self) -> tuple[str, ...]:
        """Addresses of the first forms and links; those that offer the page to others do not count."""
        links = [(one, one.url) for one in self.anchors[:40] if one.url and is_http(one.url)]
        told = {url: registrable_domain(host(url)) for one, url in links if _tells(one, self.domain or "//")}
        is_shared = len({*told.values()}) > 1
        kept = (url for _, url in links if url not in told or not (is_shared or is_of_network(host(url))))
        return (*(one.url for one in self.document.forms[:20]), *kept)

    @cached_property
    def _file_sites(self) -> frozenset[str]:
        """Registrable domains of the first files that the page loads; icons do not count."""
        files = (one.url for one in self.document.references[:80] if one.kind != "icon" and is_http(one.url))
        return frozenset(registrable_domain(host(one)) for one in files)

    @staticmethod
    def _bare(path: str) -> str:
        return path.partition("?")[0].rstrip("/").lower()


def _tells(link: Anchor, name: str) -> bool:
    """A link to another site carries the name of this one, as buttons to share do, and not to sign visitors in."""
    path, _, query = (link.url or "").lower().partition("?")
    signs_in = _SIGNS_IN.search(path) is not None and not is_around(link.node)
    return name in query and registrable_domain(host(path)) != name and not signs_in


def _carries(value: str, asked: tuple[str, ...]) -> bool:
    plain = unquote(unquote(value)).lower()
    return any(one in plain for one in asked)


def is_around(node: object) -> bool:
    """Return whether an element is in a part of the page beside its main one, or in a place to comment."""
    for _ in range(_MAX_DEPTH):
        if not isinstance(node, Element):
            break
        named = f"{_string(node.attrs.get('class'))} {_string(node.attrs.get('id'))}"
        if node.tag in _AROUND or (node.tag != "body" and _COMMENTS.search(named) is not None):
            return True
        node = node.parent
    return False


def _is_of_visitor(parts: list[str]) -> bool:
    return all(int(one) <= 255 for one in parts) and parts[0] not in {"127", "0"} and any(len(one) > 2 for one in parts)


def _is_program(url: str) -> bool:
    return url.partition("?")[0].lower().endswith(_PROGRAMS)


def _string(value: object) -> str:
    return value if isinstance(value, str) else " ".join(map(str, value)) if isinstance(value, list | tuple) else ""
