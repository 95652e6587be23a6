"""Identify well-known JavaScript libraries and their versions by URL or by their first lines."""

from __future__ import annotations

import re
from typing import Final

import msgspec

from pagegrade.parse.byte_search import ByteSearch
from pagegrade.parse.url import host

HEAD_BYTES: Final = 2_000
"""Bytes at the start of a file in which a library names itself."""
_VERSION: Final = r"v?([0-9]{1,4}\.[0-9]{1,5}(?:\.[0-9]{1,5})?(?:-[0-9A-Za-z.]{1,20})?)"
_NAMES: Final = {
    "angular.js": "angularjs",
    "angularjs": "angularjs",
    "angular": "angularjs",
    "axios": "axios",
    "bootstrap": "bootstrap",
    "twitter-bootstrap": "bootstrap",
    "chart.js": "chart.js",
    "datatables": "datatables",
    "datatables.net": "datatables",
    "dompurify": "dompurify",
    "handlebars": "handlebars",
    "handlebars.js": "handlebars",
    "highlight.js": "highlight.js",
    "jquery": "jquery",
    "jquery-ui": "jquery-ui",
    "jqueryui": "jquery-ui",
    "knockout": "knockout",
    "lodash": "lodash",
    "lodash.js": "lodash",
    "marked": "marked",
    "moment": "moment",
    "moment.js": "moment",
    "mustache": "mustache",
    "mustache.js": "mustache",
    "pdf.js": "pdf.js",
    "pdfjs-dist": "pdf.js",
    "prototype": "prototype",
    "select2": "select2",
    "swagger-ui": "swagger-ui",
    "swagger-ui-dist": "swagger-ui",
    "underscore": "underscore",
    "underscore.js": "underscore",
    "video.js": "video.js",
}
"""Name on a delivery network -> our name. ``angular`` counts below version 2 only; later ones are another project."""
_NETWORK_PATHS: Final = {
    "cdn.jsdelivr.net": re.compile(rf"/npm/([a-z0-9.-]{{1,40}})@{_VERSION}(?=/|$)"),
    "unpkg.com": re.compile(rf"/([a-z0-9.-]{{1,40}})@{_VERSION}(?=/|$)"),
    "cdnjs.cloudflare.com": re.compile(rf"/ajax/libs/([A-Za-z0-9.-]{{1,40}})/{_VERSION}/"),
    "ajax.googleapis.com": re.compile(rf"/ajax/libs/([a-z0-9.-]{{1,40}})/{_VERSION}/"),
    "ajax.aspnetcdn.com": re.compile(rf"/ajax/(jquery)/jquery-{_VERSION}(?=\.)", re.IGNORECASE),
    "maxcdn.bootstrapcdn.com": re.compile(rf"/(bootstrap)/{_VERSION}/"),
    "stackpath.bootstrapcdn.com": re.compile(rf"/(bootstrap)/{_VERSION}/"),
    "netdna.bootstrapcdn.com": re.compile(rf"/(bootstrap)/{_VERSION}/"),
    "cdn.datatables.net": re.compile(rf"/()?{_VERSION}/js/jquery\.dataTables"),
}
"""CDNs whose URLs identify the file and its version, because they never change a file."""
_JQUERY_HOST: Final = re.compile(rf"/(?:(ui)/{_VERSION}/|jquery-{_VERSION}(?=[.]))")
_FILE: Final = re.compile(
    rf"/(angular|bootstrap|handlebars|jquery-ui|jquery|knockout|lodash|moment|underscore)[.-]{_VERSION}"
    r"(?=[.-](?:min|slim|pack|bundle|js))"
)
_BANNERS: Final = (
    ("jquery-ui", "jQuery UI", re.compile(rf"jQuery UI (?:- )?{_VERSION}")),
    ("bootstrap", "ootstrap", re.compile(rf"\* (?:Bootstrap|bootstrap\.js) {_VERSION}")),
    ("angularjs", "AngularJS v", re.compile(r"AngularJS v([01]\.[0-9]{1,3}\.[0-9]{1,3})")),
    ("dompurify", "@license DOMPurify", re.compile(rf"@license DOMPurify {_VERSION}")),
    ("dompurify", "cure53/DOMPurify/blob/", re.compile(rf"cure53/DOMPurify/blob/{_VERSION}/LICENSE")),
    ("moment", "//! moment.js", re.compile(rf"//! moment\.js\s{{1,4}}//! version : {_VERSION}")),
    ("underscore", "Underscore.js", re.compile(rf"(?<!Based on )(?<!\| )Underscore\.js {_VERSION}")),
    ("handlebars", "handlebars", re.compile(rf"handlebars {_VERSION}")),
    ("knockout", "Knockout JavaScript library", re.compile(rf"Knockout JavaScript library {_VERSION}")),
    ("select2", "Select2", re.compile(rf"Select2 {_VERSION}")),
    ("chart.js", "Chart.js", re.compile(rf"Chart\.js {_VERSION}")),
    ("video.js", "Video.js", re.compile(rf"Video\.js {_VERSION}")),
    ("axios", "xios", re.compile(rf"[aA]xios {_VERSION}")),
    ("prototype", "Prototype JavaScript framework", re.compile(rf"Prototype JavaScript framework, version {_VERSION}")),
    ("datatables", "DataTables", re.compile(rf"/\*!\s{{0,4}}DataTables {_VERSION}")),
    ("highlight.js", "ighlight.js", re.compile(rf"[hH]ighlight\.js {_VERSION} ")),
    ("lodash", "ash", re.compile(rf"[lL]o-?[dD]ash {_VERSION} (?:\(Custom Build\)|<)")),
    ("marked", "marked", re.compile(rf"marked {_VERSION} - a markdown parser")),
)
"""(library, a part that is found at once, what it writes at its beginning); ``parse.files.javascript`` finds jQuery.

Compared with the published files of each library, and of thirty others that name one in passing (Lodash says that it is
based on Underscore, and Moment Timezone gives its own version as Moment does).
"""
_PARTS: Final = ByteSearch([part.encode() for _, part, _ in _BANNERS])


class NamedLibrary(msgspec.Struct, frozen=True):
    """Library and version that a URL names."""

    name: str
    version: str
    certain: bool
    """It is the address on a network that never changes a file; any other name may be wrong."""


def library_of_url(url: str) -> NamedLibrary | None:
    """The library that an address names with its version; ``None`` for every other address."""
    if len(url) > 2_000:
        return None
    path = url.partition("?")[0].partition("#")[0]
    where = host(url)
    if where == "code.jquery.com":
        match = _JQUERY_HOST.search(path)
        if match is not None:
            return NamedLibrary("jquery-ui" if match[1] else "jquery", match[2] or match[3], certain=True)
    pattern = _NETWORK_PATHS.get(where)
    if pattern is not None:
        match = pattern.search(path)
        if match is None:
            return None
        name = _NAMES.get((match[1] or "datatables").lower())
        return None if name is None else _checked(name, match[2], certain=True)
    match = _FILE.search(path)
    return None if match is None else _checked(_NAMES[match[1]], match[2], certain=False)


def find_libraries(body: bytes) -> tuple[tuple[str, str], ...]:
    """(name, version) of the libraries that name themselves in the first lines of a script."""
    head_bytes = body[:HEAD_BYTES]
    # Most scripts name none.
    if next(_PARTS.places(head_bytes, 1), None) is None:
        return ()
    head = head_bytes.decode("latin-1")
    found: dict[tuple[str, str], None] = {}
    for name, part, pattern in _BANNERS:
        match = pattern.search(head) if part in head else None
        if match is not None:
            found[name, match[1]] = None
    return tuple(found)


def _checked(name: str, version: str, *, certain: bool) -> NamedLibrary | None:
    if name == "angularjs" and not version.startswith(("0.", "1.")):
        return None
    return NamedLibrary(name, version, certain)
