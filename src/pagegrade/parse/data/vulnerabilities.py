"""Published weaknesses of JavaScript libraries that browsers run.

Each range was compared, on 2026-11-22, with the reviewed advisory of the GitHub Advisory Database for the npm package
of that library (https://github.com/advisories, in a copy of August 2026, a few in older copies). Libraries that are
also in one of two other collections of ranges were compared with those too; where they disagree, the advisory counts.
Three entries rest on
the CVE record instead: ``prototype``, which has no advisory, ``bootstrap``, whose record begins with the first version,
and the second of ``underscore``.

So far the names of the records and their ranges can be trusted. The opposite cannot be concluded: only weaknesses are
here that are rated medium or higher, matter in a browser and have a range of versions, and of each library the few that
cover most versions. A version that is not here is not known to be safe, and nothing is here that was published after
August 2026.
"""

from __future__ import annotations

import re
from typing import Final

SOURCE: Final = "https://github.com/advisories"
LICENSE: Final = "CC-BY-4.0"
DATE: Final = "2026-08-31"
VULNERABILITIES: Final[dict[str, tuple[tuple[str, str, str], ...]]] = {
    "angularjs": (
        ("0", "1.7.9", "CVE-2019-10768"),
        ("0", "1.8.0", "CVE-2020-7676"),
        ("0", "2", "CVE-2023-26117"),
        ("1.2.0", "2", "CVE-2026-11998"),
    ),
    "axios": (
        ("0.8.1", "0.28.0", "CVE-2023-45857"),
        ("1.0.0", "1.6.0", "CVE-2023-45857"),
        ("0", "0.31.1", "CVE-2026-42042"),
        ("1.0.0", "1.15.1", "CVE-2026-42042"),
    ),
    "bootstrap": (("0", "3.4.1", "CVE-2019-8331"), ("4.0.0", "4.3.1", "CVE-2019-8331")),
    "chart.js": (("0", "2.9.4", "CVE-2020-7746"),),
    "datatables": (("0", "1.10.22", "CVE-2020-28458"), ("0", "1.11.3", "CVE-2021-23445")),
    "dompurify": (
        ("0", "2.5.0", "CVE-2024-47875"),
        ("3.0.0", "3.1.3", "CVE-2024-47875"),
        ("0", "3.2.4", "CVE-2025-26791"),
        ("0", "3.4.6", "CVE-2026-49459"),
        ("0", "3.4.11", "CVE-2026-65898"),
    ),
    "handlebars": (("0", "4.7.7", "CVE-2021-23369"), ("4.0.0", "4.7.9", "CVE-2026-33940")),
    "highlight.js": (
        ("0", "9.18.2", "CVE-2020-26237"),
        ("10.0.0", "10.1.2", "CVE-2020-26237"),
        ("9.0.0", "10.4.1", "GHSA-7wwv-vh3v-89cq"),
    ),
    "jquery": (
        ("1.12.0", "3.5.0", "CVE-2020-11022"),
        ("1.0.3", "3.5.0", "CVE-2020-11023"),
        ("1.1.4", "3.4.0", "CVE-2019-11358"),
        ("0", "1.12.2", "CVE-2015-9251"),
        ("1.12.3", "3.0.0", "CVE-2015-9251"),
    ),
    "jquery-ui": (("0", "1.13.0", "CVE-2021-41184"), ("0", "1.13.2", "CVE-2022-31160")),
    "knockout": (("0", "3.5.0", "CVE-2019-14862"),),
    "lodash": (
        ("0", "4.17.12", "CVE-2019-10744"),
        ("0", "4.17.21", "CVE-2021-23337"),
        ("4.0.0", "4.17.23", "CVE-2025-13465"),
        ("0", "4.18.0", "CVE-2026-2950"),
    ),
    "marked": (("0", "4.0.10", "CVE-2022-21680"), ("18.0.0", "18.0.2", "CVE-2026-41680")),
    "moment": (("0", "2.19.3", "CVE-2017-18214"), ("2.18.0", "2.29.4", "CVE-2022-31129")),
    "mustache": (("0", "2.2.1", "CVE-2015-8862"),),
    "pdf.js": (("0", "4.2.67", "CVE-2024-4367"), ("5.6.83", "6.2.108", "CVE-2026-16633")),
    "prototype": (("0", "1.7.4", "CVE-2020-27511"),),
    "select2": (("0", "4.0.6", "CVE-2016-10744"),),
    "swagger-ui": (("0", "4.1.3", "CVE-2018-25031"),),
    "underscore": (("1.3.2", "1.12.1", "CVE-2021-23358"), ("0", "1.13.8", "CVE-2026-27601")),
    "video.js": (("0", "7.14.3", "CVE-2021-23414"),),
}
"""Library -> (first version affected, first version that is not, name of the record)."""
_BEFORE: Final = re.compile(r"(?:alpha|beta|rc|pre|next)[0-9.]{0,15}", re.IGNORECASE)
"""Suffixes of a version that came out before the number itself; any other may mean a patched copy."""


def vulnerabilities_of(name: str, version: str) -> tuple[str, ...]:
    """Return the records about that version; none for an unknown library or version, or one that may be patched."""
    written, _, suffix = version.partition("-")
    if not written or (suffix and not _BEFORE.fullmatch(suffix)):
        return ()
    number = (*_parts(written), -1 if suffix else 0)
    return tuple(
        dict.fromkeys(
            record
            for first, fixed, record in VULNERABILITIES.get(name, ())
            if (*_parts(first), 0) <= number < (*_parts(fixed), 0)
        )
    )


def _parts(version: str) -> tuple[int, int, int]:
    numbers = [int(part[:5]) for part in version.split(".")[:3] if part.isascii() and part.isdecimal()]
    major, minor, patch, *_ = (*numbers, 0, 0, 0)
    return major, minor, patch
