"""Reads JSON-LD blocks as leniently as the consumers of structured data do, in linear time."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Final, NoReturn

from turbohtml import Element

from pagegrade.model.document import Node, StructuredItem

MAX_DEPTH: Final = 100
"""Nested arrays and objects; real blocks stay under 20, and the standard library's reader recurses."""
MAX_NUMBER_CHARACTERS: Final = 400
"""A longer number is beyond the range of a double anyway, and reading one costs more than linear time."""
MAX_URL_CHARACTERS: Final = 2_000
MAX_ANCESTORS: Final = 64
"""Elements above one with a type that are asked for their vocabulary; it stands near the top or close by."""
MAX_TYPES: Final = 1_000
"""Distinct type names kept for one block."""

# Possessive sets (``[...]++``) and optional ends keep each pattern linear on unterminated input.
_STRING: Final = r'"(?:[^"\\]++|\\.)*"?'
_BRACKETS: Final = re.compile(_STRING + r"|[\[\]{}]", re.DOTALL)
_COMMENTS: Final = re.compile(
    _STRING
    + r"|//[^\n\r]*+"
    + r"|/\*(?:[^*]++|\*(?!/))*(?:\*/)?"
    + r"|<!--(?:[^-]++|-(?!->))*(?:-->)?"
    + r"|<!\[CDATA\[|\]\]>",
    re.DOTALL,
)
_MARKERS: Final = re.compile(
    _STRING + r"|(?://|/\*)?[ \t]{0,8}(?:<!--|-->|<!\[CDATA\[|\]\]>)(?:[ \t]{0,8}\*/)?",
    re.DOTALL,
)
_WRAPPER_SIGNS: Final = ("<!", "//", "/*", "]]>", "-->")
_SCHEMA_ORG_CONTEXT_PATHS: Final = frozenset({"", "/docs/jsonldcontext.json", "/docs/jsonldcontext.jsonld"})
_LONG_NAMES: Final = re.compile(
    r"\"(?:type|id|[\w-]{1,40}:\w{1,60}|https?://(?:www\.)?schema\.org/\w{1,60})\"\s{0,9}:|:\s{0,9}\"@(?:type|id|graph)\""
)
"""Names of members that may be other words for those that are read."""
_SCHEMA_ORG_URL: Final = re.compile(r"https?://(?:www\.)?schema\.org((?:[/?#].*)?)", re.DOTALL)


def structured_item_of_json_ld(text: str, node: Node) -> StructuredItem:
    """The fact for one ``<script type="application/ld+json">`` with that text. Never raises."""
    data, error = read_json_ld(text)
    is_known = error is None and is_schema_org(data)
    if is_known and _LONG_NAMES.search(text):
        data = _with_short_names(data, _aliases_of(data))
    return StructuredItem(
        format="json-ld",
        types=types_of(data),
        data=data,
        error=error,
        schema_org=is_known,
        node=node,
    )


def read_json_ld(text: str) -> tuple[object, str | None]:
    """Read the text of a JSON-LD block.

    Tolerated, because consumers tolerate it: a byte order mark, an HTML comment or CDATA section around or inside
    the block, JavaScript comments, and raw control characters inside strings.

    Args:
        text: Text of the script element, any size.

    Returns:
        (value, ``None``), or (``None``, one sentence that says why the block cannot be read). Integers of more than
        15 digits come back as floats, numbers of more than 400 characters as infinity.

    Source: https://www.w3.org/TR/json-ld11/#embedding-json-ld-in-html-documents
    """
    source = text.strip("\ufeff \t\n\r\f\x00")
    if not source:
        return None, "The block is empty."
    data, error = _loads(source)
    if error is not None and any(sign in source for sign in _WRAPPER_SIGNS):
        for cleaned in _unwrapped(source):
            if cleaned:
                data, new_error = _loads(cleaned)
                if new_error is None:
                    error = None
                    break
    if error is not None:
        return None, error
    if data is None:
        return [], None  # Templates write "null" where there is nothing to say, and readers pass over it.
    if not isinstance(data, (dict, list)):
        return None, "The block holds a bare value, not an object or a list of objects."
    return data, None


def read_json(text: str) -> tuple[object, str | None]:
    """Read JSON as browsers do, which forgive nothing: (value, ``None``), or (``None``, one sentence that says why)."""
    return _loads(text, strict=True)


def nodes_of(data: object) -> Iterator[Mapping[str, object]]:
    """Every object of a JSON-LD value in document order, except contexts, without recursion."""
    stack = [data]
    while stack:
        value = stack.pop()
        if isinstance(value, dict):
            yield value
            stack.extend(child for key, child in reversed(value.items()) if key != "@context")
        elif isinstance(value, list):
            stack.extend(reversed(value))


def types_of(data: object) -> tuple[str, ...]:
    """Distinct ``@type`` names of every node of a JSON-LD value, as written, in document order."""
    found: dict[str, None] = {}
    for node in nodes_of(data):
        for name in node_types(node):
            found[name] = None
        if len(found) >= MAX_TYPES:
            break
    return tuple(found)[:MAX_TYPES]


def node_types(node: Mapping[str, object]) -> tuple[str, ...]:
    """The ``@type`` names of one node, stripped; empty ones are left out."""
    value = node.get("@type")
    names = value if isinstance(value, list) else [value]
    return tuple(name.strip() for name in names if isinstance(name, str) and name.strip())


def local_type(name: str) -> str:
    """A type name without its vocabulary: ``Article`` for ``https://schema.org/Article`` and ``schema:Article``.

    A URL of another vocabulary stays what it is.
    """
    if "://" in name and not is_schema_org_type(name):
        return name
    return name.rstrip("/").rsplit("/", 1)[-1].rsplit("#", 1)[-1].rsplit(":", 1)[-1]


def is_schema_org(data: object) -> bool:
    """Return whether any node of a JSON-LD value uses the schema.org vocabulary, by its context or by a full type IRI.

    The scheme, ``www.`` and a closing slash of the context do not matter: schema.org names both schemes as
    equal, and consumers read all spellings.

    Source: https://schema.org/docs/faq.html (question on https), https://www.w3.org/TR/json-ld11/#the-context
    """
    for node in nodes_of(data):
        if "@context" in node and _context_is_schema_org(node["@context"]):
            return True
        if any(_is_schema_org_url(name, any_path=True) for name in node_types(node)):
            return True
    return False


def uses_schema_org_alone(data: object) -> bool:
    """Return whether no context of a JSON-LD value brings names of its own or of another vocabulary."""
    contexts = (node["@context"] for node in nodes_of(data) if "@context" in node)
    return all(
        isinstance(entry, str) and _is_schema_org_url(entry, any_path=False)
        for context in contexts
        for entry in (context if isinstance(context, list) else [context])
    )


def lacks_context(data: object) -> bool:
    """Return whether a JSON-LD value has types and nothing that says of which vocabulary they are."""
    names = types_of(data)
    return (
        bool(names) and not any(":" in name for name in names) and not any("@context" in one for one in nodes_of(data))
    )


def is_schema_org_type(name: str) -> bool:
    """Return whether a microdata ``itemtype`` or an RDFa type is a full IRI of schema.org."""
    return _is_schema_org_url(name, any_path=True)


def vocabulary_of(element: Element) -> str:
    """The ``vocab`` of RDFa that holds for an element: its own, else that of the nearest ancestor; "" for none.

    Source: https://www.w3.org/TR/rdfa-core/#s_vocab_expansion (the default vocabulary is handed down)
    """
    at: object = element
    for _ in range(MAX_ANCESTORS):
        if not isinstance(at, Element):
            break
        if "vocab" in at.attrs:
            return at.attr("vocab") or ""
        at = at.parent
    return ""


def _context_is_schema_org(context: object) -> bool:
    for entry in context if isinstance(context, list) else [context]:
        if isinstance(entry, str) and _is_schema_org_url(entry, any_path=False):
            return True
        if isinstance(entry, dict) and any(
            isinstance(value, str) and _is_schema_org_url(value, any_path=False) for value in entry.values()
        ):
            return True
    return False


def _is_schema_org_url(value: str, *, any_path: bool) -> bool:
    match = _SCHEMA_ORG_URL.fullmatch(value.strip()[:MAX_URL_CHARACTERS].lower())
    if match is None:
        return False
    return any_path or match[1].rstrip("/") in _SCHEMA_ORG_CONTEXT_PATHS


def _aliases_of(data: object) -> dict[str, str]:
    """Names that the contexts of a block give to others, and prefixes that they give to schema.org (each with ":").

    That of schema.org itself names ``@type`` and ``@id`` without the sign.
    """
    found = {"type": "@type", "id": "@id", "schema:": ""}
    for node in nodes_of(data):
        context = node.get("@context")
        for entry in context if isinstance(context, list) else [context]:
            for name, meant in entry.items() if isinstance(entry, dict) else ():
                if meant in {"@type", "@id", "@graph"}:
                    found[name] = str(meant)
                elif isinstance(meant, str) and is_schema_org_type(meant):
                    local = meant.strip().rstrip("/").rpartition("/")[2]
                    found[name if local and "." not in local else f"{name}:"] = local if "." not in local else ""
    return found


def _with_short_names(data: object, aliases: Mapping[str, str]) -> object:
    """The value with the names of schema.org and of JSON-LD as they are written without a context."""
    if isinstance(data, list):
        return [_with_short_names(one, aliases) for one in data]
    if not isinstance(data, dict):
        return data
    return {
        _short_name(name, aliases): value if name == "@context" else _with_short_names(value, aliases)
        for name, value in data.items()
    }


def _short_name(name: str, aliases: Mapping[str, str]) -> str:
    if name in aliases:
        return aliases[name]
    prefix, colon, rest = name.partition(":")
    return rest if f"{prefix}{colon}" in aliases else local_type(name) if is_schema_org_type(name) else name


def _unwrapped(source: str) -> Iterator[str]:
    # A comment may stand beside the JSON or around it, so first whole comments go, then only their marks.
    yield _COMMENTS.sub(_keep_string, source).strip()
    yield _MARKERS.sub(_keep_string, source).strip()


def _keep_string(match: re.Match[str]) -> str:
    found = match[0]
    return found if found.startswith('"') else " "


def _loads(source: str, *, strict: bool = False) -> tuple[object, str | None]:
    if _is_too_deep(source):
        return None, f"The block is nested deeper than {MAX_DEPTH} levels."
    try:
        return json.loads(
            source, strict=strict, parse_int=_read_integer, parse_float=_read_float, parse_constant=_refuse_constant
        ), None
    except json.JSONDecodeError as error:
        return None, f"It is not valid JSON: {error.msg} (line {error.lineno}, column {error.colno} of the block)."
    except (ValueError, RecursionError) as error:
        # Our own words from _read_integer and _refuse_constant, or the depth of the reader.
        return None, f"It is not valid JSON: {error}."  # lint: allow exception-text - ours, about the page's own text


def _is_too_deep(source: str) -> bool:
    if source.count("[") + source.count("{") <= MAX_DEPTH:
        return False
    depth = 0
    for match in _BRACKETS.finditer(source):
        match match[0]:
            case "[" | "{":
                depth += 1
                if depth > MAX_DEPTH:
                    return True
            case "]" | "}":
                depth -= 1
            case _:
                continue
    return False


def _read_integer(digits: str) -> int | float:
    return int(digits) if len(digits) <= 15 else _read_float(digits)


def _read_float(digits: str) -> float:
    if len(digits) > MAX_NUMBER_CHARACTERS:
        return float("-inf" if digits.startswith("-") else "inf")
    return float(digits)


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON value")
