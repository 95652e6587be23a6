"""The content model of HTML, for the elements and attributes that our pages use; another one is an error.

Source: https://html.spec.whatwg.org/multipage/indices.html, read 2026-11: elements, their content and their attributes.
"""

from __future__ import annotations

from typing import Final

GLOBAL: Final = frozenset("class dir hidden id lang role tabindex title translate autofocus popover inert".split())
"""Attributes of every element; ``style`` and handlers are left out on purpose, ``aria-`` and ``data-`` are taken."""
ATTRIBUTES: Final[dict[str, frozenset[str]]] = {
    name: frozenset(attributes.split())
    for name, attributes in {
        "html": "",
        "head": "",
        "body": "",
        "meta": "name content charset http-equiv property",
        "title": "",
        "link": "rel href type media sizes hreflang as crossorigin",
        "style": "",
        "script": "src defer async type",
        "noscript": "",
        "header": "", "footer": "", "main": "", "nav": "", "section": "", "article": "", "aside": "", "search": "",
        "h1": "", "h2": "", "h3": "", "h4": "", "h5": "", "h6": "", "hgroup": "", "address": "",
        "p": "", "div": "", "pre": "", "blockquote": "cite", "hr": "", "figure": "", "figcaption": "",
        "ul": "", "ol": "start reversed type", "li": "value", "dl": "", "dt": "", "dd": "", "menu": "",
        "table": "", "caption": "", "thead": "", "tbody": "", "tfoot": "", "tr": "", "colgroup": "span", "col": "span",
        "th": "scope colspan rowspan headers abbr", "td": "colspan rowspan headers",
        "a": "href rel target download hreflang type",
        "span": "", "em": "", "strong": "", "small": "", "b": "", "i": "", "u": "", "s": "", "mark": "", "sub": "",
        "sup": "", "bdi": "", "bdo": "", "cite": "", "q": "cite", "abbr": "", "code": "", "kbd": "", "samp": "",
        "var": "", "wbr": "", "br": "", "ins": "cite datetime", "del": "cite datetime", "data": "value",
        "time": "datetime", "img": "src alt width height loading decoding srcset sizes",
        "meter": "value min max low high optimum", "progress": "value max", "output": "for name form",
        "details": "open name", "summary": "", "dialog": "open",
        "form": "action method enctype novalidate autocomplete name target accept-charset",
        "fieldset": "disabled name form", "legend": "", "label": "for",
        "button": "type name value disabled form formaction formmethod formnovalidate popovertarget",
        "input": "type name value checked disabled readonly required placeholder autocomplete min max step minlength "
        "maxlength pattern size list multiple inputmode spellcheck autocapitalize form accept enterkeyhint",
        "textarea": "name rows cols disabled readonly required placeholder autocomplete minlength maxlength wrap "
        "spellcheck inputmode autocapitalize form",
        "select": "name multiple size disabled required autocomplete form", "option": "value selected disabled label",
        "optgroup": "label disabled", "datalist": "",
    }.items()
}  # fmt: skip
"""Element -> attributes of its own."""
PHRASING: Final = frozenset(
    "a abbr b bdi bdo br button cite code data datalist del em i img input ins kbd label mark meter output progress q "
    "s samp script select small span strong sub sup svg textarea time u var wbr noscript".split()
)
ONLY_PHRASING: Final = frozenset(
    "p h1 h2 h3 h4 h5 h6 pre span em strong small b i u s mark sub sup bdi bdo cite q abbr code kbd samp var data time "
    "button label output meter progress".split()
)
"""Elements that hold text and phrasing elements only. What an ``a`` holds is what its parent may hold."""
ONLY_CHILDREN: Final[dict[str, frozenset[str]]] = {
    name: frozenset(children.split())
    for name, children in {
        "ul": "li",
        "ol": "li",
        "menu": "li",
        "dl": "dt dd div",
        "table": "caption colgroup thead tbody tfoot tr",
        "thead": "tr",
        "tbody": "tr",
        "tfoot": "tr",
        "tr": "th td",
        "colgroup": "col",
        "select": "option optgroup hr",
        "optgroup": "option",
        "datalist": "option",
        "option": "",
        "title": "",
        "textarea": "",
        "html": "head body",
        "head": "meta title link script style",
    }.items()
}
FIRST: Final = {"summary": "details", "legend": "fieldset", "caption": "table"}
"""Element -> the only parent it may have, whose first child it must be."""
INTERACTIVE: Final = frozenset({"a", "button", "input", "select", "textarea", "label", "details"})
CLOSED: Final = frozenset({"a", "button", "summary"})
"""Elements that may hold nothing interactive."""
SECTIONS: Final = frozenset({"header", "footer", "main", "nav", "section", "article", "aside", "h1", "h2", "h3", "h4"})
"""Elements that neither a heading, a header of a table nor a term may hold."""
INPUT_TYPES: Final = frozenset(
    (
        "text search url email password number date checkbox radio hidden submit tel datetime-local time month file "
        "color"
    ).split()
)
REFERENCES: Final = tuple(
    "for list headers form popovertarget aria-labelledby aria-describedby aria-controls aria-owns aria-details "
    "aria-errormessage aria-activedescendant".split()
)
"""Attributes that name ids of the same page."""
SVG: Final = frozenset(
    "svg g defs image title desc path rect circle ellipse line polyline polygon text tspan use symbol clipPath "
    "linearGradient stop marker".split()
)
