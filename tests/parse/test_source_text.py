"""Source that is shown in place of a page, and pages that show source on purpose."""

from __future__ import annotations

import pytest

from pagegrade.parse.source_text import find_includes, find_source_text, is_template_of_server, texts_outside_code
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


RECORDS = {
    "SQL": "INSERT INTO `ბაღი` (`id`, `სახელი`) VALUES ({n}, 'ვარდი', 'წითელი');",
    "CSV": '{n};Горщик;12,50;{n}4;так;2026-11-02;"синій"',
    "log": "2026-11-02 08:12:4{n},123 ERROR [worker-{n}] c.a.b.Foo - db01.internal:5432",
    "XML": '&lt;Заказ id="{n}"&gt;&lt;Товар&gt;Чай&lt;/Товар&gt;',
    "INI": "host_{n}=db.internal; port={n}5432; user='ఆకు'; ssl=on",
    "query": "?q=ชา&page={n}&utm_source=a&utm_medium=b&ref=%E0%B8",
}


@pytest.mark.parametrize("name", RECORDS)
def test_text_for_programs_is_no_page(name: str) -> None:
    """In any notation, in paragraphs or lines; beside a text that is longer it is an example."""
    lines = [RECORDS[name].format(n=n) for n in range(9)]
    prose = "<p>" + "В саду за школой соседи сажают овощи и варят суп для всех. " * 40 + "</p>"

    for page in ("".join(f"<p>{one}</p>" for one in lines), "<br>".join(lines)):
        shown = [page, f"{page}{prose}", f"<pre>{page}</pre>"]

        assert [find_source_text(make_document(f"<main>{one}</main>")) is None for one in shown] == [False, True, True]


def test_single_record_is_an_example() -> None:
    """Whatever its notation."""
    for record in RECORDS.values():
        page = f"<main><p>{record.format(n=1)}</p></main>"

        assert find_source_text(make_document(page)) is None


@pytest.mark.parametrize(
    "text",
    [
        "1. e4 c5 2. Sf3 d6 3. d4 cxd4 4. Sxd4 Sf6 5. Sc3 a6 6. Lg5 e6 7. f4 Le7 8. Df3 Dc7 9. 0-0-0 Sbd7 10. g4 b5",
        "Rnd 1: *K1 tbl, P1; rep from * to end. Rnd 2: K10, k2tog; rep from * (88 sts). Rnd 3: *K9, ssk (80 sts).",
        "Πρωινό 08:00–10:30, τηλ. 2310 555 019, e-mail: info@xenonas.gr. Διπλό δωμάτιο 65,00 €, τρίκλινο 85,00 €.",
        "L’été, c’est l’heure d’aller à l’île : qu’est-ce qu’on y mange ? « D’abord, l’huître », dit-il, « l’ail ! »",
    ],
)
def test_text_for_people_has_few_signs(text: str) -> None:
    """A game, a pattern, a list of prices, and French."""
    assert find_source_text(make_document(f"<main>{f'<p>{text}</p>' * 9}</main>")) is None


def test_report_of_an_error_is_no_data() -> None:
    """It is as full of signs, and another check says what it is."""
    report = (
        "<b>Fatal error</b>: Uncaught PDOException: SQLSTATE[HY000] [1045] Access denied in /var/www/shop/db.php:23\n"
        "Stack trace:\n#0 /var/www/shop/db.php(23): PDO-&gt;__construct('mysql:host=loca...', 'shop', 'x!')\n"
        "#1 /var/www/shop/index.php(7): require_once('/var/www/shop...')\n#2 {main}\n"
        "  thrown in <b>/var/www/shop/db.php</b> on line <b>23</b>"
    )

    assert find_source_text(make_document(report)) is None


def test_includes_say_where_they_stand() -> None:
    """Elements first, then comments; a part of the navigation is none of the main content."""
    page = '<nav><!--#include virtual="/n" --></nav><main><esi:include src="/a"></esi:include><!-- #echo --></main>'
    found = find_includes(make_document(page))

    assert [(text, is_main) for _, text, is_main in found] == [
        ("<esi:include>", True),
        ('<!--#include virtual="/n" ', False),
    ]


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("{% endif %}", True),
        ("{%- endblock -%}", True),
        ("{% if x %}", False),
        ('{{ x | date: "%d" }}', True),
        ("{{ x | upper }}", False),
        ("<code>{% endif %}</code>", False),
        ("<textarea>{% endif %}</textarea>", False),
        ("<p data-ng-app>{{ x | date: 'short' }}", False),
    ],
)
def test_template_of_a_server(text: str, *, is_one: bool) -> None:
    """Ends of blocks and filters with a value, outside of code and of AngularJS."""
    assert is_template_of_server(make_document(f"<main>{text}</main>")) is is_one


def test_texts_outside_code() -> None:
    """Each text with its element; code and what is not seen are left out."""
    found = texts_outside_code(make_document("<main>a<p>b <code>c</code></p><samp>d</samp> </main>"))

    assert [(node.tag, text) for node, text in found] == [("main", "a"), ("p", "b ")]


@pytest.mark.parametrize("part", ["{{", "{% end", "{{a|", "{{ a | b:", "<esi:vars>", "<!--esi -->", "{% endif"])
def test_templates_and_includes_are_found_in_linear_time(part: str) -> None:
    """Markers that begin again and again and never end."""
    documents = {size: make_document(f"<main>{part * size}</main>") for size in (500, 1_000, 2_000)}

    def search(size: int) -> None:
        find_includes(documents[size])
        is_template_of_server(documents[size])

    assert growth(search, 500) <= MAX_RATIO
