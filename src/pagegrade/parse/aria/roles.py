"""The roles of WAI-ARIA and its modules, as one table.

Sources: https://www.w3.org/TR/wai-aria-1.2/ (Recommendation of 6 June 2023),
https://www.w3.org/TR/dpub-aria-1.1/, https://www.w3.org/TR/graphics-aria-1.0/ (Recommendation of 2 October 2018),
and what browsers already take from the draft https://www.w3.org/TR/wai-aria-1.3/ (image, comment, mark, suggestion,
sectionheader, sectionfooter). Read in November 2026.
"""

from __future__ import annotations

from typing import Final

import msgspec


class Role(msgspec.Struct, frozen=True, kw_only=True):
    """One role and its properties."""

    attributes: frozenset[str] = frozenset()
    """States and properties it supports besides the global ones, without the prefix ``aria-``."""
    required: tuple[str, ...] = ()
    """Those it must have and that get no value by themselves."""
    context: frozenset[str] = frozenset()
    """Roles one of which must be around it; empty when it may stand anywhere."""
    owned: frozenset[str] = frozenset()
    """Roles of which it must hold only these; empty when it may hold anything."""
    name_from_content: bool = False
    name_required: bool = False
    name_prohibited: bool = False
    children_presentational: bool = False
    abstract: bool = False
    deprecated: bool = False


_TABLE: Final = """
alert
alertdialog | name=required | modal
application | | activedescendant disabled errormessage expanded haspopup invalid
article | | posinset setsize
banner
blockquote
button | content name=required presentational | disabled expanded haspopup pressed
caption | prohibited | | | figure grid table treegrid
cell | content | colindex colindextext colspan rowindex rowindextext rowspan | | row
checkbox | content name=required presentational | checked disabled errormessage expanded invalid readonly required
    | checked
code | prohibited
columnheader | content name=required | colindex colindextext colspan disabled errormessage expanded haspopup invalid
    readonly required rowindex rowindextext rowspan selected sort | | row
combobox | name=required | activedescendant autocomplete disabled errormessage expanded haspopup invalid readonly
    required | expanded
comment | content | level posinset setsize
complementary
contentinfo
definition
deletion | prohibited
dialog | name=required | modal
directory | deprecated
document
emphasis | prohibited
feed | | | | | article
figure
form
generic | prohibited
grid | name=required | activedescendant colcount disabled multiselectable readonly rowcount | | | row rowgroup caption
gridcell | content | colindex colindextext colspan disabled errormessage expanded haspopup invalid readonly required
    rowindex rowindextext rowspan selected | | row
group | | activedescendant disabled
heading | content name=required | level | level
image | name=required presentational
img | name=required presentational
insertion | prohibited
link | content name=required | disabled expanded haspopup
list | | | | | listitem
listbox | name=required | activedescendant disabled errormessage expanded invalid multiselectable orientation readonly
    required | | | group option
listitem | | level posinset setsize | | list directory
log
main
mark | prohibited
marquee
math
menu | | activedescendant disabled orientation | | | group menu menuitem menuitemcheckbox menuitemradio separator
menubar | | activedescendant disabled orientation | | | group menu menuitem menuitemcheckbox menuitemradio separator
menuitem | content name=required | disabled expanded haspopup posinset setsize | | group menu menubar
menuitemcheckbox | content name=required presentational | checked disabled errormessage expanded haspopup invalid
    posinset readonly setsize | checked | group menu menubar
menuitemradio | content name=required presentational | checked disabled errormessage expanded haspopup invalid
    posinset readonly setsize | checked | group menu menubar
meter | name=required presentational | valuemax valuemin valuenow valuetext | valuenow
navigation
none | prohibited
note
option | content name=required presentational | checked disabled posinset selected setsize | | group listbox
paragraph | prohibited
presentation | prohibited
progressbar | name=required presentational | valuemax valuemin valuenow valuetext
radio | content name=required presentational | checked disabled posinset setsize | checked
radiogroup | name=required | activedescendant disabled errormessage invalid orientation readonly required
region
row | content | activedescendant colindex disabled expanded level posinset rowindex rowindextext selected
    setsize | | grid rowgroup table treegrid | cell columnheader gridcell rowheader
rowgroup | | | | grid table treegrid | row
rowheader | content name=required | colindex colindextext colspan disabled errormessage expanded haspopup invalid
    readonly required rowindex rowindextext rowspan selected sort | | row
scrollbar | presentational | controls disabled orientation valuemax valuemin valuenow valuetext | controls valuenow
search
searchbox | name=required | activedescendant autocomplete disabled errormessage haspopup invalid multiline placeholder
    readonly required
sectionfooter
sectionheader
separator | presentational | disabled orientation valuemax valuemin valuenow valuetext
slider | name=required presentational | disabled errormessage haspopup invalid orientation readonly required valuemax
    valuemin valuenow valuetext | valuenow
spinbutton | name=required | activedescendant disabled errormessage invalid readonly required valuemax valuemin valuenow
    valuetext
status
strong | prohibited
subscript | prohibited
suggestion | prohibited
superscript | prohibited
switch | content name=required presentational | checked disabled errormessage expanded invalid readonly required
    | checked
tab | content presentational name=required | disabled expanded haspopup posinset selected setsize | | tablist
table | name=required | colcount rowcount | | | row rowgroup caption
tablist | | activedescendant disabled multiselectable orientation | | | tab
tabpanel | name=required
term
text | content
textbox | name=required | activedescendant autocomplete disabled errormessage haspopup invalid multiline placeholder
    readonly required
time
timer
toolbar | | activedescendant disabled orientation
tooltip | content name=required
tree | name=required | activedescendant disabled errormessage invalid multiselectable orientation required | | |
    group treeitem
treegrid | name=required | activedescendant colcount disabled errormessage invalid multiselectable orientation readonly
    required rowcount | | | row rowgroup caption
treeitem | content name=required | checked disabled expanded haspopup level posinset selected setsize | | group tree
command | abstract
composite | abstract
input | abstract
landmark | abstract
range | abstract
roletype | abstract
section | abstract
sectionhead | abstract
select | abstract
structure | abstract
widget | abstract
window | abstract
graphics-document | name=required
graphics-object
graphics-symbol | name=required presentational
doc-abstract
doc-acknowledgments
doc-afterword
doc-appendix
doc-backlink | content name=required | disabled expanded haspopup
doc-biblioentry | deprecated | level posinset setsize
doc-bibliography
doc-biblioref | content name=required | disabled expanded haspopup
doc-chapter
doc-colophon
doc-conclusion
doc-cover | presentational
doc-credit
doc-credits
doc-dedication
doc-endnote | deprecated | level posinset setsize
doc-endnotes
doc-epigraph
doc-epilogue
doc-errata
doc-example
doc-footnote
doc-foreword
doc-glossary
doc-glossref | content name=required | disabled expanded haspopup
doc-index
doc-introduction
doc-noteref | content name=required | disabled expanded haspopup
doc-notice
doc-pagebreak | name=required | disabled orientation valuemax valuemin valuenow valuetext
doc-pagefooter | prohibited
doc-pageheader | prohibited
doc-pagelist
doc-part
doc-preface
doc-prologue
doc-pullquote
doc-qna
doc-subtitle | content name=required
doc-tip
doc-toc
"""
"""Role, what is special about it, attributes it supports, attributes it must have, roles around it, roles inside it.

A submenu may stand beside the item that opens it, as in https://www.w3.org/WAI/ARIA/apg/patterns/menubar/.
"""


def _read() -> dict[str, Role]:
    table: dict[str, Role] = {}
    for line in _TABLE.strip().replace("\n    ", " ").split("\n"):
        name, flags, attributes, required, context, owned = ([*(part.split() for part in line.split("|")), *[[]] * 5])[
            :6
        ]
        table[name[0]] = Role(
            attributes=frozenset(attributes),
            required=tuple(required),
            context=frozenset(context),
            owned=frozenset(owned),
            name_from_content="content" in flags,
            name_required="name=required" in flags,
            name_prohibited="prohibited" in flags,
            children_presentational="presentational" in flags,
            abstract="abstract" in flags,
            deprecated="deprecated" in flags,
        )
    return table


ROLES: Final = _read()
"""Role name -> what it means."""
_BLANKS: Final = str.maketrans("\t\n\f\r", "    ")
NAMED_FROM_CONTENT: Final = frozenset(name for name, role in ROLES.items() if role.name_from_content)


def role_tokens(value: str) -> list[str]:
    """The words of a ``role`` attribute, lower case; other blanks than those of ASCII are part of a word.

    Source: https://html.spec.whatwg.org/multipage/common-microsyntaxes.html#space-separated-tokens
    """
    words = value.lower()
    return words.split() if value.isascii() else words.translate(_BLANKS).split(" ")


def is_opaque(value: str) -> bool:
    """Return whether a ``role`` attribute makes everything inside its element presentation."""
    role = ROLES.get(first_role(value))
    return role is not None and role.children_presentational


def first_role(value: str) -> str:
    """The role a browser takes from a ``role`` attribute: the first token it knows; "" when it knows none.

    Source: https://www.w3.org/TR/wai-aria-1.2/#document-handling_role
    """
    role = ROLES.get(value)
    if role is not None and not role.abstract:
        return value
    for token in role_tokens(value):
        role = ROLES.get(token)
        if role is not None and not role.abstract:
            return token
    return ""
