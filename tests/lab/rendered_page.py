"""A page that tries every way to reach forbidden addresses, and an address of its own for each channel.

Inside the lab every address answers, so a connection or a datagram to a forbidden one is seen by the tripwires, and the
address says which channel it came through.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from tests.lab.names import Answer, records

IP: Final = "11.40.0.1"
HOST: Final = "attack-lab.com"
CHANNELS: Final[Mapping[str, str]] = {
    "image": '<img src="http://{target}/" alt="">',
    "image candidate": '<img srcset="http://{target}/ 1x" alt="">',
    "style sheet": '<link rel=stylesheet href="http://{target}/">',
    "import in a style": '<style>@import "http://{target}/";</style>',
    "background": '<p style="background:url(http://{target}/)">x</p>',
    "font": '<style>@font-face{{font-family:f;src:url(http://{target}/)}}</style><p style="font-family:f">font</p>',
    "script": '<script src="http://{target}/"></script>',
    "module": '<script type=module>import "http://{target}/";</script>',
    "frame": '<iframe src="http://{target}/"></iframe>',
    "object": '<object data="http://{target}/" type="text/html"></object>',
    "embed": '<embed src="http://{target}/" type="text/html">',
    "video": '<video src="http://{target}/" autoplay muted></video>',
    "track": '<video autoplay muted crossorigin=anonymous><track default src="http://{target}/"></video>',
    "icon": '<link rel=icon href="http://{target}/">',
    "preload": '<link rel=preload as=image href="http://{target}/">',
    "prefetch": '<link rel=prefetch href="http://{target}/">',
    "preconnect": '<link rel=preconnect href="http://{target}/">',
    "refresh in a frame": "<iframe srcdoc=\"<meta http-equiv=refresh content='0;url=http://{target}/'>\"></iframe>",
    "form": '<form id=f{n} method=post target=t{n} action="http://{target}/"></form><iframe name=t{n}></iframe>'
    "<script>document.getElementById('f{n}').submit()</script>",
    "popup": '<script>open("http://{target}/")</script>',
    "link with a ping": '<a id=p{n} href="#x" ping="http://{target}/">x</a><script>p{n}.click()</script>',
    "download": "<iframe srcdoc=\"<a id=d href='http://{target}/' download>x</a><script>d.click()</script>\"></iframe>",
    "fetch": '<script>go(()=>fetch("http://{target}/",{{mode:"no-cors"}}))</script>',
    "kept alive": '<script>go(()=>fetch("http://{target}/",{{mode:"no-cors",method:"POST",keepalive:true}}))</script>',
    "request object": '<script>go(()=>{{const r=new XMLHttpRequest();r.open("GET","http://{target}/");r.send()}})</script>',
    "beacon": '<script>go(()=>navigator.sendBeacon("http://{target}/","x"))</script>',
    "socket": '<script>go(()=>new WebSocket("ws://{target}/"))</script>',
    "events": '<script>go(()=>new EventSource("http://{target}/"))</script>',
    "transport": '<script>go(()=>new WebTransport("https://{target}:4433/"))</script>',
    "peer": '<script>go(()=>{{const p=new RTCPeerConnection({{iceServers:[{{urls:["stun:{target}:3478"]}}]}});'
    'p.createDataChannel("x");return p.createOffer().then((o)=>p.setLocalDescription(o))}})</script>',
    "relay": '<script>go(()=>{{const p=new RTCPeerConnection({{iceServers:[{{urls:["turn:{target}:3478?transport=tcp"],'
    'username:"u",credential:"c"}}]}});p.createDataChannel("x");'
    "return p.createOffer().then((o)=>p.setLocalDescription(o))}})</script>",
    "worker": "<script>go(()=>new Worker(URL.createObjectURL(new Blob([`fetch('http://{target}/',{{mode:'no-cors'}})`]"
    ")))) </script>",
    "worker import": "<script>go(()=>new Worker(URL.createObjectURL(new Blob([`importScripts('http://{target}/')`]))))"
    "</script>",
    "shared worker": "<script>go(()=>new SharedWorker(URL.createObjectURL(new Blob([`fetch('http://{target}/',"
    "{{mode:'no-cors'}})`]))))</script>",
    "redirect": '<script>go(()=>fetch("/to?http://{target}/",{{mode:"no-cors"}}))</script>',
    "redirected image": '<img src="/to?http://{target}/" alt="">',
    "redirected frame": '<iframe src="/to?http://{target}/"></iframe>',
    "policy report": '<iframe src="/reports?http://{target}/"></iframe>',
    "speculation": '<script type=speculationrules>{{"prefetch":[{{"source":"list","urls":["https://{target}/"],'
    '"eagerness":"immediate"}}],"prerender":[{{"source":"list","urls":["/to?https://{target}/"],'
    '"eagerness":"immediate"}}]}}</script>',
    "redirected download": '<a id=s{n} href="/to?http://{target}/" download>x</a><script>s{n}.click()</script>',
}
"""Channel -> markup with its own private address as ``target`` and a number ``n``."""
UNSEEN: Final[Mapping[str, str]] = {
    "icon": "A browser without a window fetches no icon.",
    "preconnect": "Chromium leaves the hint to the program around it, and the one without a window ignores it.",
    "redirected download": "A browser without a window starts no download, and asks for nothing.",
    "transport": "It exists in secure contexts only; a page with TLS could not lead to plain HTTP through the others.",
}
"""Channels that a browser without any protection does not use here -> why; all others prove the wires."""
SPELLINGS: Final[Mapping[str, str]] = {
    "127.0.0.1": "http://127.0.0.1:8080/",
    "localhost": "http://localhost:8080/",
    "decimal": "http://2130706433:8080/",
    "hexadecimal": "http://0x7f.1:8080/",
    "octal": "http://0177.0.0.1:8080/",
    "zero": "http://0.0.0.0:8080/",
    "::1": "http://[::1]:8080/",
    "mapped": "http://[::ffff:10.67.0.1]/",
    "translated": "http://[64:ff9b::a00:1]/",
    "metadata": "http://169.254.169.254/latest/meta-data/",
    "metadata v6": "http://[fd00:ec2::254]/",
    "carrier": "http://100.100.100.200/",
    "browser itself": "http://127.0.0.1:9222/json/version",
    "proxy itself": "http://127.0.0.1:1080/",
    "private name": "http://private-lab.com/",
    "private second": "http://second-lab.com/",
    "rebinding": "http://rebind-lab.com/",
}
"""Forbidden places by how they are written."""
_START: Final = (
    "<!doctype html><html lang=en><title>Attack</title><body><h1>Attack</h1><script>const go=(work)=>{"
    "try{const done=work();if(done&&done.catch)done.catch(()=>0);}catch(error){}};</script>"
)


@dataclass(frozen=True, slots=True)
class Attack:
    """The page, and which forbidden address belongs to which channel."""

    html: str
    channel_of: Mapping[str, str]


def make_attack() -> Attack:
    """Write the page."""
    parts, channel_of = [_START], {}
    for number, (channel, markup) in enumerate(CHANNELS.items(), start=1):
        target = f"10.66.{number}.1"
        channel_of[target] = channel
        parts.append(markup.format(target=target, n=number))
    parts += [
        f'<img src="{url}" alt=""><script>go(()=>fetch("{url}",{{mode:"no-cors"}}))</script>'
        for url in SPELLINGS.values()
    ]
    parts.append('<iframe src="file:///etc/passwd"></iframe><img src="file:///etc/hostname" alt="">')
    parts.append('<link rel=dns-prefetch href="//private-lab.com">')
    parts.append('<script>go(()=>navigator.serviceWorker.register("/worker.js"))</script>')
    parts.append('<script>go(()=>alert("x"));go(()=>print());for(let n=0;n<50;n+=1)go(()=>open("/popup"))</script>')
    return Attack("".join(parts), channel_of)


def respond(path: str, attack: Attack) -> tuple[int, dict[str, str], bytes]:
    """Status, header fields and body of what the attacking host serves."""
    path, _, target = path.partition("?")
    kind = {"Content-Type": "text/html; charset=utf-8"}
    match path:
        case "/":
            return 200, kind, attack.html.encode()
        case "/away":
            later = f'<script>setTimeout(()=>location="{SPELLINGS["metadata"]}",300)</script>'
            return 200, kind, f"<!doctype html><title>Away</title><h1>Away</h1>{later}".encode()
        case "/to":
            return 302, {"Location": target}, b""
        case "/reports":
            policy = f"img-src 'none'; report-uri {target}"
            return 200, {**kind, "Content-Security-Policy": policy}, b"<img src=/x.png alt=x>"
        case "/worker.js":
            code = 'oninstall=()=>{skipWaiting();fetch("http://10.66.99.1/",{mode:"no-cors"})}'
            return 200, {"Content-Type": "text/javascript"}, code.encode()
        case _:
            return 404, kind, b""


def zone() -> dict[str, Answer]:
    """Names of the attack: one private, one with a private second address, one that is public only when first asked."""
    first_public: Callable[..., bytes | None] = records(a=["11.40.0.2"], ttl=0)
    then_private: Callable[..., bytes | None] = records(a=["10.68.0.1"], ttl=0)

    def rebind(question: object) -> bytes | None:
        return (then_private if getattr(question, "nth", 0) else first_public)(question)

    return {
        HOST: records(a=[IP]),
        "private-lab.com": records(a=["10.70.0.1"]),
        "second-lab.com": records(a=["11.40.0.3", "10.71.0.1"]),
        "rebind-lab.com": rebind,
    }
