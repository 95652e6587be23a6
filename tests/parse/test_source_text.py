"""Source that is shown in place of a page, and pages that show source on purpose."""

from __future__ import annotations

import pytest

from pagegrade.parse.source_text import find_source_text
from tests.builders import make_document
from tests.linear import MAX_RATIO, growth

JSON = '{"status":200,"data":{"id":7,"title":"Ausstellung","text":"Boote","url":"/a","list":[1,2]}}'
MARKDOWN = """# Εγκατάσταση

**tidepool** τρέχει παντού, δείτε [απαιτήσεις](/req) πρώτα.

* `apt install tidepool`
* [Windows](/w.msi)

## Επόμενα

1. Διαβάστε το [πρώτο](/tour)
"""
DUMP = " ".join(f'[{one}]=> array(2) {{ ["name"]=> string(5) "Besen" ["preis"]=> NULL }}' for one in range(4))
HASH = "[" + ", ".join(f'{{:id=>{one}, :name=>"ჩაი", "ფასი"=>nil}}' for one in range(4)) + "]"
WIKI = """== Історія ==
'''Млин''' стоїть на [[річка|річці]].
* [[Зерно]]
* [[Борошно]]
== Адреса ==
Село [[Гай]]."""
FORUM = """[b]Giriş[/b] sayfası [url=/a]burada[/url].
[quote]Nerede?[/quote]
1. [i]Önce[/i] okuyun
- [url]https://example.com/[/url]"""
LATEX = r"""\section{Einleitung}
\begin{itemize}
\item Ein \emph{Satz}
* **zwei**
# Drei
\end{itemize}"""
PHP = "<?php include('head.php'); ?><h1><?= $name ?></h1><?php echo $a->b; ?><p>Kurse am Abend</p>"


@pytest.mark.parametrize(
    ("page", "kind"),
    [
        (JSON, "data"),
        (f"<pre>{JSON}</pre>", "data"),
        (f"[{JSON},{JSON}]", "data"),
        (f"<title>Doku</title><main>{MARKDOWN}</main>", "markdown"),
        ("<main>" + "".join(f"<p>{line}</p>" for line in MARKDOWN.splitlines()) + "</main>", "markdown"),
        (f"<nav>Hem</nav><main><h1>Varor</h1><div>{JSON}</div></main>", "data"),
        (f"<h1>Waren</h1><div>{DUMP}</div>", "data"),
        (f"<h1>სია</h1><div>{HASH}</div>", "data"),
        (f"<main>{WIKI}</main>", "markdown"),
        (f"<main>{FORUM}</main>", "markdown"),
        (f"<main>{LATEX}</main>", "markdown"),
        (PHP, "code"),
        ("<title><?php echo $t; ?></title><h1><?= $h ?></h1>", "code"),
    ],
)
def test_source_in_place_of_a_page(page: str, kind: str) -> None:
    """Data, Markdown and code of a server."""
    found = find_source_text(make_document(f"<!doctype html>{page}"))

    assert found is not None
    assert found.kind == kind
    assert found.places


@pytest.mark.parametrize(
    "page",
    [
        f"<h1>Antwort</h1><p>Die Schnittstelle antwortet so:<pre>{JSON}</pre><p><a href=/doc>Mehr</a>",
        '{"a":1}',
        f"<h1>Schnittstelle</h1><p>{'Ein Satz ohne Zeichen. ' * 40}</p><p>{JSON}</p>",
        f"<h1>Schnittstelle</h1><p hidden>{JSON}</p><p>Ein Satz.</p>",
        "<p>He said: 'yes': 'no', and \"later\": 'never'.</p>",
        "<p>Note [1], [2] and [3] say the same; [b] is a letter.</p>",
        f"<h1>Markdown</h1><p>So schreibt man es:<pre>{MARKDOWN}</pre><p>Zwei Sterne machen **fett**.",
        "<p>5 * 3 ** 2 = 45</p><p># 1 of the charts</p><p>- a dash</p>",
        "<p># eins</p>" + "<p>Ein Satz ohne Zeichen.</p>" * 40 + "<p>**zwei** [drei](/d) `vier`</p>" * 2,
        "<?xml version='1.0'?><html><body><p>Alt, aber richtig.",
        "<p>Mit &lt;?php echo 1; ?&gt; gibt PHP etwas aus, und mit &lt;?= 2 ?&gt; auch.",
        "<h1>Haiku</h1><p>Frost",
    ],
)
def test_pages_that_show_source_on_purpose_are_pages(page: str) -> None:
    """In code, in a sentence, or not at all."""
    assert find_source_text(make_document(page)) is None


@pytest.mark.parametrize("piece", ["# a\n", "[a](b) ", "**", "[", '{"a":', "<?php ", "<p>**a** [b](c)"])
def test_hostile_pages_cost_linear_time(piece: str) -> None:
    """Whatever repeats."""
    pages = {n: make_document(f"<p>{piece * n}") for n in (1_000, 2_000, 4_000)}

    assert growth(lambda n: find_source_text(pages[n]), 1_000) <= MAX_RATIO


TAGS = "&lt;item&gt;&lt;title&gt;შოთა&lt;/title&gt;&lt;/item&gt; " * 4
CONFLICT = "<p>&lt;&lt;&lt;&lt;&lt;&lt;&lt; HEAD</p><p>ა</p><p>=======</p><p>ბ</p><p>&gt;&gt;&gt;&gt;&gt;&gt;&gt; b</p>"
FRONT = "---\nlayout: post\ntitle: ლექსი\n---\n{% include menu.html %}\n## ლექსი\n{% include end.html %}"


@pytest.mark.parametrize(
    ("shown", "kind"),
    [(f"<p>{TAGS}</p>", "markup"), (CONFLICT, "code"), (f"<div>{FRONT}</div>", "markdown")],
)
def test_markup_and_marks_of_programs_are_no_text(shown: str, kind: str) -> None:
    """In a listing, and where prose is about them, they are."""
    found = find_source_text(make_document(f"<h1>შოთა</h1>{shown}"))

    assert found is not None
    assert found.kind == kind
    assert find_source_text(make_document(f"<h1>შოთა</h1><pre>{shown}</pre>")) is None
    if kind == "markup":
        prose = f"<p>{'ბაღში წვიმს დილით. ' * 200}</p>"
        assert find_source_text(make_document(f"<h1>შოთა</h1>{shown}{prose}")) is None
