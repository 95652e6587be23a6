"""Messages of languages are found where visitors see them, and not where a page writes about them."""

from __future__ import annotations

import pytest

from pagegrade.parse.error_output import MAX_FOUND, find_error_output, find_settings
from tests.builders import make_document
from tests.linear import MAX_RATIO, growth

FILLER = "<p>" + "".join(f"Joiner{n} planes board{n} by hand before bench{n} is built. " for n in range(50)) + "</p>"
PHP = "<br />\n<b>{label}</b>:  Undefined variable $x in <b>/srv/shop/header.php</b> on line <b>88</b><br />\n"
TRACE = """Traceback (most recent call last):
  File "/srv/app/views.py", line 12, in index
    return total / 0
ZeroDivisionError: division by zero"""
JAVA = """java.lang.NullPointerException: shop
	at com.shop.web.CartServlet.doGet(CartServlet.java:41)
	at javax.servlet.http.HttpServlet.service(HttpServlet.java:655)"""
NODE = """TypeError: Cannot read properties of undefined (reading 'id')
    at render (/srv/app/routes/index.js:12:30)
    at Layer.handle (/srv/app/node_modules/express/lib/router/layer.js:95:5)"""
OUTPUT = {
    "php warning": (PHP.format(label="Warning") + FILLER, "PHP", False),
    "php notice without markup on top": (
        "Notice: Undefined index: q in /var/www/a.php on line 3 " + FILLER,
        "PHP",
        False,
    ),
    "php fatal": (PHP.format(label="Fatal error"), "PHP", True),
    "php on windows": (PHP.format(label="Parse error").replace("/srv/shop/", "C:\\inetpub\\"), "PHP", True),
    "python": (f"<h1>Shop</h1><div>{TRACE}</div>{FILLER}", "Python", True),
    "python in pre, alone": (f"<pre>{TRACE}</pre>", "Python", True),
    "java": (f"<p>{JAVA}</p>{FILLER}", "Java", True),
    "node": (f"<pre>{NODE}</pre>", "Node.js", True),
    "asp.net": ("<h1>Server Error in '/' Application.</h1><h2>Object reference not set</h2>", ".NET", True),
    "asp": ("<p>Microsoft VBScript runtime error '800a01a8'</p><p>/a.asp, line 12</p>", "ASP", True),
    "ruby": ("<p>undefined method: app/views/home/index.html.erb:3:in `block'</p>", "Ruby", True),
    "wordpress": ("<title>Error</title><p>There has been a critical error on this website.</p>", "WordPress", True),
    "database": ("<h1>Error establishing a database connection</h1>", "WordPress", True),
    "database, German": ("<h1>Fehler beim Aufbau einer Datenbankverbindung</h1>", "WordPress", True),
    "database, Chinese": ("<h1>建立数据库连接时出错</h1>", "WordPress", True),
    "wordpress, Arabic": ("<title>خطأ</title><p>حدث خطأ فادح في هذا الموقع.</p>", "WordPress", True),
    "status, French": ("<title>500</title><h1>Erreur interne du serveur</h1>", "server", True),
    "django": (
        "<h1>KeyError at /</h1><p>You're seeing this error because you have <code>DEBUG = True</code></p>",
        "Python",
        True,
    ),
    "spring": (
        "<h1>Whitelabel Error Page</h1><p>This application has no explicit mapping for /error</p>",
        "Java",
        True,
    ),
    "status": ("<title>500 Internal Server Error</title><h1>Internal Server Error</h1>", "server", True),
}
FATAL = "Fatal error: Call to undefined function foo() in /var/www/index.php on line 3"
MESSAGES = {"php": FATAL, "python": TRACE, "java": JAVA, "node": NODE}


OWN = "<h1>Help</h1><p>Assign it before you read it, and the log is empty.</p>"


def on_a_site(message: str, own: str = OWN) -> str:
    """A page with a menu that says less than sixty words."""
    menu = "".join(f"<a href=/{name}>{name}</a> " for name in ("tents", "boots", "maps", "journal", "contact"))
    return f"<nav>{menu}</nav><main>{own}{message}</main>"


REPORTS = {
    "a panic": "thread 'main' panicked at 'called on a None value', src/handlers.rs:77:31",
    "a script of a server": "Can't locate object method at /srv/cgi/item.pl line 42.\nCompilation failed in require",
    "a module": "** (FunctionClauseError) no function clause\n lib/shop/cart.ex:14: Shop.Cart.total(nil)",
    "a program": "Fatal error: Unexpectedly found nil, file App/routes.swift, line 18",
    "a template": "Element TITLE is undefined. The error occurred in D:/inetpub/shop/product.cfm: line 12",
    "a plugin of a server": "runtime error: /etc/nginx/lua/app.lua:31: attempt to index local 'res'\nstack traceback:",
    "a statement": 'ERROR: relation "orders" does not exist LINE 1: SELECT * FROM orders',
    "a driver": "SQLSTATE[42S02]: Table 'shop.a' doesn't exist (SQL: select * from `a` where `id` = 4)",
}
"""Messages of programs that are known by nothing but their form."""
QUOTED = {
    "php in code": f"<h1>Warnings</h1><pre><code>{PHP.format(label='Warning')}</code></pre>{FILLER}",
    "php in a quotation": f"<h1>Help</h1><blockquote>{PHP.format(label='Warning')}</blockquote>{FILLER}",
    "php in a forum post": f"{FILLER}<p>Warning: Undefined variable $x in /srv/shop/header.php on line 88</p>",
    "trace in code": f"<h1>Traces</h1><pre>{TRACE}</pre><pre>{JAVA}</pre><pre>{NODE}</pre>{FILLER}",
    "one frame": f"<p>It broke at com.shop.Cart.add(Cart.java:41), as the log said.</p>{FILLER}",
    "page about errors": f"<title>Internal Server Error: what now?</title><h1>Internal Server Error</h1>{FILLER}",
    "the word": f"<h1>Error</h1><p>A comedy of errors. Notice: we close on line dance night.</p>{FILLER}",
    "report of a program beside a page": f"<h1>Notes</h1><p>{REPORTS['a panic']}</p>{FILLER}",
    "report beside a menu": "".join(f"<a href=/{n}>a</a> " for n in range(11)) + f"<p>{REPORTS['a program']}</p>",
    "a kind of error": "<h1>TypeError: what is it?</h1><p>A value has another type.</p>",
    "a file and a line": "<h1>Notes</h1><p>See src/handlers.rs:77 and lib/cart.ex:14 for more.</p>",
    "php in quotation marks": f"<p>It says “{FATAL}” then.</p><p>Install the extension.</p>",
    "php as a title": f"<h1>{FATAL}</h1>{FILLER}",
    "php in a list": f"{FILLER}<ul><li><b>Warning</b>: Division by zero in /a/b.php on line 3</li></ul>",
    "php in a q": f"<h1>Help</h1><p>It says <q>{FATAL}</q> then.</p>{FILLER}",
    **{f"{name}, on a short page of a site": on_a_site(f"<pre>{text}</pre>") for name, text in MESSAGES.items()},
    "script": f'<script>var s = "<b>Warning</b>: x in <b>/a.php</b> on line <b>1</b>";</script>{FILLER}',
}


@pytest.mark.parametrize("name", OUTPUT)
def test_output_is_found(name: str) -> None:
    """With its language, and whether the page stopped there."""
    html, language, fatal = OUTPUT[name]
    found = find_error_output(make_document(f"<!doctype html><body>{html}"))

    assert [(one.language, one.fatal) for one in found][:1] == [(language, fatal)]


@pytest.mark.parametrize("name", MESSAGES)
def test_a_trace_in_place_of_the_content_of_a_site_is_found(name: str) -> None:
    """Its menu stands around it, and nothing that the page says itself."""
    html = on_a_site(f"<pre>{MESSAGES[name]}</pre>", own="<h1>Error</h1>")

    assert [one.fatal for one in find_error_output(make_document(html))] == [True]


@pytest.mark.parametrize("element", ["pre", "p"])
@pytest.mark.parametrize("name", REPORTS)
def test_a_report_of_any_program_is_found_where_the_page_says_little_else(name: str, element: str) -> None:
    """By a kind of failure, with a file and a line or a statement of a database; whatever the page's language is."""
    page = f"<!doctype html><body><h1>ჩვენი ბაღი</h1><p>ყვავილები და ხეები</p><{element}>{REPORTS[name]}</{element}>"

    assert [one.fatal for one in find_error_output(make_document(page))] == [True]


@pytest.mark.parametrize("name", QUOTED)
def test_page_that_writes_about_errors_is_not_blamed(name: str) -> None:
    """Code, quotations and single words are content."""
    assert find_error_output(make_document(f"<!doctype html><body>{QUOTED[name]}")) == ()


PROSE = {
    "English": ("My script stopped with this", "The key is missing there, so ask for it with a default value instead."),
    "German": ("Unsere Anwendung endete so", "Der Schlüssel fehlt dort, also frage ihn mit einem anderen Wert ab."),
    "Russian": ("Программа остановилась так", "Ключа там нет, поэтому читайте его вместе со значением по умолчанию."),
    "Greek": ("Το πρόγραμμα σταμάτησε έτσι", "Το κλειδί λείπει, οπότε ζητήστε το μαζί με μια άλλη τιμή."),
    "Arabic": ("توقف البرنامج هكذا هنا", "المفتاح غير موجود هناك، لذلك اقرأه مع قيمة أخرى بدلا من ذلك."),
    "Hindi": ("मेरा प्रोग्राम यहाँ रुक गया", "कुंजी वहाँ नहीं है, इसलिए उसे किसी दूसरे मान के साथ पढ़ें।"),
    "Japanese": ("プログラムは次のように止まりました", "キーがないので、既定の値と一緒に読み取ってください。"),
    "Korean": ("프로그램이 이렇게 멈추었습니다 여기", "키가 거기에 없으니 다른 값과 함께 읽어 보세요. 그러면 됩니다."),
}
"""Sentences of a page before and behind a message, by language."""
PLAIN = {
    **MESSAGES,
    "php in bold type": "<b>Warning</b>: Undefined variable $x in <b>/srv/a.php</b> on line <b>5</b>",
    "ruby": "app/models/user.rb:12:in `name': undefined method (NoMethodError).",
    "go": "panic: runtime error: index out of range goroutine 1 [running]: main.main() /tmp/x.go:8",
    "database": "SQLSTATE[42S02]: Base table or view not found. Select * from users where id = 1.",
}
FORMS = {
    "sentence": "<p>{before}: {message} {after}</p>",
    "item": "<ul><li>{before}: {message} {after}</li></ul>",
    "comment": "<p>{after}</p><div class='comment'><p>{message}</p><p>{after}</p></div>",
}


def published(inside: str, title: str = "Notes") -> str:
    """A page with a description of its own and a menu."""
    head = f"<title>{title}</title><meta name=description content='Notes of a small workshop.'>"
    menu = "".join(f"<a href=/{name}>{name}</a> " for name in ("tents", "boots", "maps"))
    return f"<!doctype html>{head}<body><nav>{menu}</nav><main><h1>{title}</h1>{inside}</main>"


@pytest.mark.parametrize("language", PROSE)
def test_a_message_in_a_sentence_or_a_comment_is_quoted(language: str, subtests: pytest.Subtests) -> None:
    """In a paragraph, an item of a list or a comment, without any code element, in any language."""
    before, after = PROSE[language]
    for name, message in PLAIN.items():
        for form, html in FORMS.items():
            with subtests.test(message=name, form=form):
                page = published(html.format(before=before, message=message, after=after))
                assert find_error_output(make_document(page)) == ()


@pytest.mark.parametrize("language", PROSE)
def test_a_message_that_the_title_names_is_quoted(language: str) -> None:
    """It stands in a paragraph of its own, and the page goes on about it."""
    before, after = PROSE[language]
    page = published(f"<p>{before}:</p><p>{TRACE}</p><p>{after}</p>", title=f"{before}: ZeroDivisionError")

    assert find_error_output(make_document(page)) == ()


@pytest.mark.parametrize("language", PROSE)
def test_output_within_a_published_page_is_found(language: str, subtests: pytest.Subtests) -> None:
    """The page is about something else, and the message stands between its paragraphs as programs write it."""
    before, after = PROSE[language]
    output = {
        "php": PHP.format(label="Fatal error"),
        "python": TRACE,
        "java": JAVA,
        "java thread": f'Exception in thread "main" {JAVA}',
        "node": NODE,
    }
    for name, message in output.items():
        with subtests.test(message=name):
            page = published(f"<p>{after}</p><div>{message}</div>", title=before)
            assert [one.fatal for one in find_error_output(make_document(page))] == [True]


def test_warnings_in_front_of_the_text_of_a_published_page_are_found() -> None:
    """Text behind the own form of PHP is the page, and no sentence around a quotation."""
    output = PHP.format(label="Warning") + PHP.format(label="Deprecated")
    page = published(f"{output} Benches of teak for every garden of the town.")

    assert [one.fatal for one in find_error_output(make_document(page))] == [False, False]


WITHIN = {
    "Elixir": "<p>** (KeyError) key :price not found in: %{id: 1}</p><p>(shop 0.1) lib/shop/row.ex:88: Row.cell/2</p>",
    "ColdFusion": "<b>Element LIST is undefined.</b><br>The error occurred in <b>D:\\site\\offers.cfm: line 214</b>",
    "Twig": '<p>An exception has been thrown ("no attribute price") in "catalog/_card.html.twig" at line 31.</p>',
    "Rust": "<p>thread 'main' panicked at src/price.rs:88:41:<br>called `unwrap()` on an `Err` value: TimedOut</p>",
    "database": "<div>SQLSTATE[42S02]: Base table not found: 1146: SELECT * FROM admission WHERE class = 1</div>",
    "Perl": "<pre>Error: no price at /srv/shop/lib/Row.pm line 12.</pre>",
}


def framed(main: str, title: str) -> str:
    """A page of a site that has much around its main part."""
    links = "".join(f"<li><a href=/p{n}>{title} {n}</a> {title} {n}</li>" for n in range(30))
    head = f"<title>{title}</title><meta name=description content='{title}'><link rel=canonical href=/a>"
    return f"{head}<header><nav><ul>{links}</ul></nav></header><main>{main}</main><footer><ul>{links}</ul></footer>"


@pytest.mark.parametrize("name", WITHIN)
def test_a_report_that_is_all_between_header_and_footer_is_found(name: str) -> None:
    """However many links and texts stand around the main part."""
    page = framed(f"<h1>प्रवेश</h1>{WITHIN[name]}", "प्रवेश")

    assert [one.fatal for one in find_error_output(make_document(page))] == [True]


@pytest.mark.parametrize("name", WITHIN)
def test_a_report_in_a_question_about_it_is_quoted(name: str) -> None:
    """A short question in a forum says what its writer did."""
    asked = "<p>Since the update my page shows this, and I do not know what to look for:</p>"
    page = framed(f"<h1>Price is gone</h1>{asked}<pre>{WITHIN[name]}</pre><p>Who can help?</p>", "Forum")

    assert find_error_output(make_document(page)) == ()


def test_several_failures_in_items_of_their_own_are_a_list_of_them() -> None:
    """A program stops once."""
    items = (f"Fatal error: out of memory in /srv/{n}.php on line {n}: raise the limit" for n in "12")
    page = published("<ul>" + "".join(f"<li><strong>{one}</strong></li>" for one in items) + "</ul>")

    assert find_error_output(make_document(page)) == ()


def test_an_article_on_an_error_page_is_none() -> None:
    """Its title goes on behind the phrase, or address and description name it; an error page of a site has neither."""
    phrase = "Error establishing a database connection"
    body = "<p>The password in the configuration is wrong, or the database is down. Check both of them.</p>"

    assert find_error_output(make_document(published(body, f"{phrase} in WordPress"))) == ()
    assert find_error_output(make_document(published(body, f"{phrase} - Shop")))[0].fatal


def test_fatal_messages_come_first_and_all_are_bounded() -> None:
    """A page can repeat a warning any number of times."""
    html = PHP.format(label="Warning") * (MAX_FOUND + 10) + FILLER
    found = find_error_output(make_document(f"<body>{html}"))

    assert len(found) == MAX_FOUND
    assert find_error_output(make_document(f"<body>{html}{JAVA}"))[0].fatal


@pytest.mark.parametrize(
    "part",
    [
        "Traceback (most recent call last): ",
        " on line 1",
        "<b>Warning</b>: in /a",
        "at a.b(",
        "at /a.js:1",
        "Error: /a/b.c line ",
        "Error: select from ",
        "SQLSTATE select * a.b",
    ],
)
def test_hostile_text_costs_linear_time(part: str) -> None:
    """Beginnings of messages without their ends are cheap."""
    documents = {n: make_document("<body><p>" + part * n) for n in (5_000, 10_000, 20_000)}

    assert growth(lambda n: find_error_output(documents[n]), 5_000) <= MAX_RATIO


SETTINGS = (
    "APP_ENV=production\nDB_HOST=10.0.4.12\nDB_USERNAME=shop\nDB_PASSWORD=Tr0ub4dor-kw93\nMAIL_HOST=smtp.internal"
)


@pytest.mark.parametrize(
    ("html", "count"),
    [
        (f"{SETTINGS}<h1>გზა</h1><p>ტექსტი", 5),
        (f"<h1>道</h1><div>{SETTINGS.replace(chr(10), '<br>')}</div>", 5),
        ("".join(f"<p>{line}</p>" for line in SETTINGS.split("\n")), 5),
        (f"<h1>Τρόπος</h1><pre>{SETTINGS}</pre>", 0),
        (SETTINGS.replace("Tr0ub4dor-kw93", ""), 0),
        (SETTINGS.partition("\n")[2], 0),
        (SETTINGS.replace("DB_PASSWORD", "DB_PREFIX"), 0),
        ("<p>a_b = c, e_f = g, i_j = k, m_n = o, q_key = password", 0),
    ],
)
def test_file_with_settings_is_found_outside_of_code(html: str, count: int) -> None:
    """Five lines, one of them a secret, whose value is not repeated."""
    found = find_settings(make_document(html))

    assert len(found.split()) == count
    assert "Tr0ub4dor" not in found


@pytest.mark.parametrize("word", ["\u00e0", "\u0432", "konum:", "\u5728"])
def test_trace_is_found_whatever_the_words_between_its_parts_are(word: str) -> None:
    """Four calls with a file and a line of it; one alone is an example."""
    calls = [
        f"<p>Phare.Cours.List{n}(Object sender) {word} C:\\Sites\\phare\\List.cs:{word} {n}7</p>" for n in range(4)
    ]
    page = f"<title>Cours List</title><link rel=canonical href=/cours>{FILLER}"

    found = find_error_output(make_document(page + "".join(calls)))

    assert [(one.language, one.fatal) for one in found] == [(".NET", True)]
    assert find_error_output(make_document(page + "".join(calls[:3]))) == ()
    assert find_error_output(make_document(f"{page}<pre>{''.join(calls)}</pre>")) == ()
