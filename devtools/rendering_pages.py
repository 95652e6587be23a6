"""Pages that load in ways which metrics define differently if they are read wrongly, with their files."""

from __future__ import annotations

import struct
import zlib
from typing import Final

_HEAD: Final = (
    "<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'><title>{name}"
    "</title><style>body{{margin:16px;font:18px sans-serif}}img,section{{display:block}}</style><body>"
)
_WORDS: Final = "<p>" + "Brass lamps need some care, and every part of them can be replaced. " * 6
_BUSY: Final = "const busy=(ms)=>{const end=performance.now()+ms;while(performance.now()<end);};"

PAGES: Final[dict[str, str]] = {
    "text": f"<h1>Lamps</h1>{_WORDS}",
    "late-image": f"<h1>Lamps</h1>{_WORDS}<img src=/a.png?600 width=380 height=300 alt=Lamp>",
    "shifts": f"<h1>Lamps</h1><div id=top></div>{_WORDS * 2}"
    "<script>[200,500,900,2600,2900].forEach((ms)=>setTimeout(()=>{const one=document.createElement('div');"
    "one.style.height='60px';document.getElementById('top').append(one);},ms));</script>",
    "tasks": f"<h1>Lamps</h1>{_WORDS}<script>{_BUSY}"
    "[300,900,1500].forEach((ms,n)=>setTimeout(()=>busy(80+n*100),ms));</script>",
    "drawn": f"<div id=app></div><script>{_BUSY}setTimeout(()=>{{busy(200);document.getElementById('app').innerHTML="
    "'<h1>Lamps</h1>'+'<p>Drawn by a script, line after line.</p>'.repeat(20);},500);</script>",
    "steps": "<h1>Lamps</h1><script>let n=0;const more=setInterval(()=>{const one=document.createElement('section');"
    "one.style.cssText=`height:120px;background:hsl(${n*60} 70% 45%)`;document.body.append(one);"
    "if(++n===6)clearInterval(more);},350);</script>",
    "dark": "<style>body{background:#102030;color:#eee}</style><h1>Lamps</h1>"
    f"{_WORDS}<img src=/b.png?900 width=380 height=400 alt=Lamp>",
    "frame": f"<h1>Lamps</h1>{_WORDS}<iframe src=/shifts/ width=360 height=300 title=Shifts></iframe>",
    "polling": f"<h1>Lamps</h1>{_WORDS}<script>for(let n=0;n<4;n+=1)fetch(`/c.txt?${{1200+n*500}}`);</script>",
    "unused": f"<link rel=stylesheet href=/unused.css><h1>Lamps</h1>{_WORDS}<script src=/unused.js></script>",
    "banner": f"<h1 style=height:200px>Lamps</h1>{_WORDS}<script>setTimeout(()=>{{document.body.prepend("
    "Object.assign(document.createElement('section'),{textContent:'Cookies',style:'height:180px;background:#ddd'}));"
    "},700);</script>",
    "carousel": "<h1>Lamps</h1><div id=stage><img src=/a.png width=380 height=300 alt=One></div><script>"
    "setTimeout(()=>{document.getElementById('stage').innerHTML='<img src=/b.png width=380 height=400 alt=Two>';},800);"
    "</script>",
    "spinner": "<style>@keyframes turn{to{transform:rotate(1turn)}}#wait{width:80px;height:80px;background:#c33;"
    "animation:turn 1s linear infinite}</style><h1>Lamps</h1><div id=wait></div><script>setTimeout(()=>{"
    "document.getElementById('wait').outerHTML='<p>'+'Ready at last. '.repeat(60);},2000);</script>",
    "faults": "<h1>Lamps</h1><p style='color:#bbb'>Pale words</p><img src=/a.png><input><a href=/x></a>"
    "<button></button><div role=checkbox>On</div><ul><div>x</div></ul><span role=wrong>x</span>"
    "<a href=/a style='font-size:10px'>a</a><a href=/b style='font-size:10px'>b</a>",
}
"""Name -> markup of its body. A number in the query of a file delays it by so many milliseconds."""


def answer(path: str) -> tuple[str, bytes, float]:
    """Media type, body and delay in seconds of what is served at a path; the type is empty for what does not exist."""
    path, _, query = path.partition("?")
    delay_s = int(query) / 1_000 if query.isdecimal() else 0.0
    name = path.strip("/")
    if name in PAGES:
        return "text/html; charset=utf-8", (_HEAD.format(name=name) + PAGES[name]).encode(), delay_s
    if name == "elements":
        rows = "".join(f"<p>Lamp {number} <b>brass</b></p>" for number in range(int(query or 0) // 2))
        return "text/html; charset=utf-8", (_HEAD.format(name=name) + f"<h1>Lamps</h1><main>{rows}</main>").encode(), 0
    found = _FILES.get(name)
    return (*found, delay_s) if found is not None else ("", b"", 0.0)


def _png(red: int, green: int, blue: int) -> bytes:
    width, height = 400, 300
    rows = b"".join(
        b"\0" + bytes(channel for x in range(width) for channel in ((red + x) % 256, (green + y) % 256, blue))
        for y in range(height)
    )

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def _script() -> bytes:
    """60 functions of which every third is called."""
    parts = []
    for number in range(60):
        body = f"const text{number}='{chr(97 + number % 26) * 1_500}';return text{number}.length+{number};"
        parts.append(f"function part{number}(){{{body}}}\n" + (f"part{number}();\n" if number % 3 == 0 else ""))
    return "".join(parts).encode()


def _sheet() -> bytes:
    """400 rules of which two select something."""
    rules = [f".none{number}{{color:#{number:06x};background:#fff;padding:{number}px}}\n" for number in range(800)]
    return "".join((*rules, "h1{color:#123}\n", "p{color:#234}\n")).encode()


_FILES: Final[dict[str, tuple[str, bytes]]] = {
    "a.png": ("image/png", _png(20, 90, 160)),
    "b.png": ("image/png", _png(160, 60, 40)),
    "c.txt": ("text/plain", b"later"),
    "unused.js": ("text/javascript", _script()),
    "unused.css": ("text/css", _sheet()),
}
