"""Published weaknesses of JavaScript libraries that browsers run.

Facts of CVE records, typed in by hand on 2026-11-21 and not yet compared with the records one by one, which is to be
done before a release; only weaknesses rated medium or higher that matter in a browser and whose range of versions is
named. Not complete, and never meant to be: a version that is not here is not known to be safe.
"""

from __future__ import annotations

from typing import Final

HOLES: Final[dict[str, tuple[tuple[str, str, str], ...]]] = {
    "angularjs": (("0", "1.8.0", "CVE-2020-7676"), ("1.0.0", "2", "CVE-2023-26117")),
    "axios": (("0.8.1", "0.28.0", "CVE-2023-45857"), ("1.0.0", "1.6.0", "CVE-2023-45857")),
    "bootstrap": (("0", "3.4.1", "CVE-2019-8331"), ("4.0.0", "4.3.1", "CVE-2019-8331")),
    "chart.js": (("0", "2.9.4", "CVE-2020-7746"),),
    "datatables": (("0", "1.10.22", "CVE-2020-28458"), ("0", "1.11.3", "CVE-2021-23445")),
    "dompurify": (("0", "3.2.4", "CVE-2025-26791"),),
    "handlebars": (("0", "4.7.7", "CVE-2021-23369"),),
    "highlight.js": (("0", "9.18.2", "CVE-2020-26237"), ("10.0.0", "10.1.2", "CVE-2020-26237")),
    "jquery": (("1.2", "3.5.0", "CVE-2020-11022"), ("0", "3.4.0", "CVE-2019-11358")),
    "jquery-ui": (("0", "1.13.0", "CVE-2021-41184"), ("0", "1.13.2", "CVE-2022-31160")),
    "knockout": (("0", "3.5.0", "CVE-2019-14862"),),
    "lodash": (("0", "4.17.21", "CVE-2021-23337"),),
    "marked": (("0", "4.0.10", "CVE-2022-21680"),),
    "moment": (("0", "2.19.3", "CVE-2017-18214"), ("2.18.0", "2.29.4", "CVE-2022-31129")),
    "mustache": (("0", "2.2.1", "CVE-2015-8862"),),
    "pdf.js": (("0", "4.2.67", "CVE-2024-4367"),),
    "prototype": (("0", "1.7.4", "CVE-2020-27511"),),
    "select2": (("0", "4.0.6", "CVE-2016-10744"),),
    "swagger-ui": (("0", "4.1.3", "CVE-2018-25031"),),
    "underscore": (("1.3.2", "1.12.1", "CVE-2021-23358"),),
    "video.js": (("0", "7.14.3", "CVE-2021-23414"),),
}
"""Library -> (first version affected, first version that is not, name of the record)."""


def holes_of(name: str, version: str) -> tuple[str, ...]:
    """The records that speak of that version; none for an unknown library or version, or one with a suffix."""
    if "-" in version or not version:
        return ()
    number = _parts(version)
    return tuple(record for first, fixed, record in HOLES.get(name, ()) if _parts(first) <= number < _parts(fixed))


def _parts(version: str) -> tuple[int, ...]:
    numbers = [int(part[:5]) for part in version.split(".")[:3] if part.isascii() and part.isdecimal()]
    return (*numbers, 0, 0, 0)[:3]
