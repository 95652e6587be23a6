"""Payloads that a hostile page writes into everything of it that we show: rows J and M of the hostile-input matrix."""

from __future__ import annotations

from typing import Final

OUTSIDE: Final = "outside.example"
"""Nothing may ever be loaded from there."""
PAYLOADS: Final = {
    "J01": "</title></textarea></noscript><script>alert('J01')</script>",
    "J02": f"\"><svg onload=alert('J02')><img src=//{OUTSIDE}/j02 onerror=alert('J02')>' autofocus "
    "onfocus=alert('J02') x='",
    "J03": "javascript:alert('J03')//https://example.com/",
    "J04": "</script><script>alert('J04')</script><!--<script>",
    "J05": "{{7*1337}} ${7*1337} {% raw %} <%=7*1337%> #{7*1337} [[7*1337]]",
    "J06": f'red;}}</style><style>*{{background:url(//{OUTSIDE}/j06)}}</style>" style="background:url(//{OUTSIDE}/j06)',
    "J07": "\u202egnp.exe\u202c \u200bzero\u200bwidth\u2066 https://ex\u0430mple.com/ \u05d0\u05d1\u05d2 123",
    "J12": '\n{"level":"info","event":"fake"}\r\n\x1b[31mred\x1b]0;title\x07',
    "J14": "%s%n%(name)s%(num)d {0.__class__} {name!r} %%",
    "J16": 'a"b\r\nX-Evil: 1\r\n/../../etc/passwd;filename=evil.html' + "x" * 300,
    "J20": f"<img src=x onerror=alert('J20')><meta http-equiv=refresh content='0;url=//{OUTSIDE}/j20'>"
    f"<base href=//{OUTSIDE}/>",
    "M16": f"https://{OUTSIDE}/click?from=report",
}
"""Row -> text that would do something where it is not taken as text."""
EVALUATED: Final = ("9359", "9,359")
"""The result of ``J05`` if it were expanded."""
RIGHT_TO_LEFT: Final = "مرحبا بالعالم: صفحة عن أسعار المتجر (٢٠٢٦) – שלום עולם 123"
VERY_LONG: Final = "Donaudampfschifffahrtsgesellschaftskapitänsmütze" * 40
"""One word that no line can hold."""


def everything() -> str:
    """All payloads in one text."""
    return " ".join(PAYLOADS.values())
