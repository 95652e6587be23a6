"""Shells of any framework are recognized by what is missing; what is served with its content is graded."""

from __future__ import annotations

import pytest

from tests.parse.page_kind.pages import kind_of, site, words

SHELLS = {
    "react": """<!doctype html><html lang="en"><head><title>Larder</title><script defer src="/static/js/main.8f2c.js"></script></head><body><noscript>You
need to enable JavaScript to run this app.</noscript><div id="root"></div></body></html>""",
    "vue": """<html lang=""><head><title>larder</title><link href="/css/app.css" rel="stylesheet"></head><body><noscript><strong>We're sorry but larder
doesn't work properly without JavaScript enabled. Please enable it to continue.</strong></noscript><div id="app"></div><script
src="/js/chunk-vendors.js"></script><script src="/js/app.js"></script></body></html>""",
    "vite": """<html lang="en"><head><title>Vite + React</title><script type="module" crossorigin src="/assets/index-BZ3kq1.js"></script></head><body>
<div id="root"></div></body></html>""",
    "angular": """<html lang="en"><head><title>Parcelly</title><base href="/"></head><body><app-root>Loading...</app-root><script
src="main.e0d4.js" type="module"></script></body></html>""",
    "sveltekit": """<html lang="en"><head><title>x</title><link rel="modulepreload" href="/_app/immutable/entry/start.js"></head><body
data-sveltekit-preload-data="hover"><div style="display: contents"><script>{__sveltekit_1 = {base: ""}; Promise.all([
import("/_app/immutable/entry/start.4f.js"), import("/_app/immutable/entry/app.9a.js")]).then(([kit, app]) => {kit.start(app, element);});}
</script></div></body></html>""",
    "flutter": """<html><head><base href="/"><title>splitty</title></head><body><script src="flutter_bootstrap.js" async></script></body></html>""",
    "blazor": """<html lang="en"><head><title>Wetterapp</title></head><body><div id="app"><svg class="loading-progress"><circle r="40%" cx="50%"
cy="50%"/></svg><div class="loading-progress-text"></div></div><div id="blazor-error-ui">An unhandled error has occurred. <a href="" class="reload">
Reload</a> <a class="dismiss">x</a></div><script src="_framework/blazor.webassembly.js"></script></body></html>""",
    "ember": """<html><head><title>Dashboard</title><meta name="dashboard/config/environment" content="%7B%7D"></head><body><script
src="/assets/vendor-d2.js"></script><script src="/assets/dashboard-77.js"></script><div id="ember-bootstrap-rootview"></div></body></html>""",
    "elm": """<html><head><title>Main</title><script src="/elm.js"></script></head><body><pre id="elm"></pre><script>var app = Elm.Main.init({ node:
document.getElementById("elm") });</script></body></html>""",
    "unknown framework, skeletons": """<html lang="en"><head><title>Suites</title></head><body><div class="shell"><div class="bar"></div><div
class="card shimmer"><div class="line"></div></div><div class="card shimmer"><div class="line"></div></div></div><script type="module"
src="/assets/index-91ce.js"></script></body></html>""",
    "shell between header and footer": """<html lang="en"><head><title>Fieldbook</title><script src="/bundle.4f1c2a.js" defer></script></head><body>
<header><a href="/"><img src="/logo.svg" alt="Fieldbook"></a><nav><a href="/a">Fields</a><a href="/b">Crops</a><a href="/c">Prices</a></nav></header>
<main id="view"></main><footer><p>Fieldbook Ltd.</p><a href="/terms">Terms</a></footer></body></html>""",
    "splash": """<html lang="de"><head><title>Kundenportal</title><script src="/dist/runtime.1c.js" defer></script></head><body><div id="splash"><img
src="/logo.png" alt="Portal"><p>Die Anwendung wird geladen, bitte warten ...</p></div><portal-app></portal-app></body></html>""",
    "French plea in the page": """<html lang="fr"><head><title>Espace client</title><script src="/js/app.9c.js"></script></head><body><div id="main">
Veuillez activer JavaScript pour utiliser cette application.</div></body></html>""",
    "inline bundle": "<html lang=en><head><title>Game</title></head><body><canvas></canvas><div id=ui></div><script>" + "var a=1;" * 600 + "</script></body></html>",
}  # fmt: skip
SERVED = {
    "rendered on the server": site("Time tracking", f'<div id="__next"><h1>Time tracking</h1>{words(120)}</div><script src="/_next/static/main-5f.js"></script>'),
    "small page with analytics": "<html lang=en><title>Ida</title><script async src='https://www.googletagmanager.com/gtag/js?id=1'></script><h1>Ida Holm</h1>"
                                 "<p>I repair clocks in Wexcombe.</p><a href='mailto:ida@x.example'>Write to me</a></html>",
    "no scripts": "<html lang=en><title>x</title><body><div id=root></div></body></html>",
    "short": "<html lang=en><title>x</title><p>short<script src=/a.js></script></html>",
    "search form": "<html lang=en><title>Find</title><script src=/main.9f2c1a.js></script><body><div id=app><form><input name=q aria-label=Search><input "
                   "name=w aria-label=Where><button>Find</button></form></div></html>",
    "gallery": "<html lang=en><title>Photos</title><script src=/app.js></script><body><div id=root>"
               + "".join(f"<img src=/{n}.jpg alt='Boat {n}'>" for n in range(6)) + "</div></html>",
    "plea beside content": site("Clocks", f"<h1>Clocks</h1>{words(90)}<noscript>Please enable JavaScript</noscript><div id='map'></div>"),
    "embedded film": "<html lang=en><title>Film</title><script src=/app.js></script><body><div id=root><iframe src='https://v.example/1' title=Film></iframe></div></html>",
    "link list": "<html lang=en><title>Ida</title><script src=/app.1f2e3d.js></script><body><div id=app><h1>Ida Holm</h1>"
                 + "".join(f"<a href=/l{n}>Clock number {n} repaired</a>" for n in range(13)) + "</div></html>",
}  # fmt: skip


@pytest.mark.parametrize("name", SHELLS)
def test_shell_is_recognized(name: str) -> None:
    """No list of frameworks is needed."""
    assert kind_of(SHELLS[name], url="https://app.example/") == "empty_shell"


@pytest.mark.parametrize("name", SERVED)
def test_served_content_is_graded(name: str) -> None:
    """Whatever made it, and however little it is."""
    assert kind_of(SERVED[name], url="https://app.example/") is None


@pytest.mark.parametrize(
    ("html", "places"),
    [
        (
            '<html><head><title>Solid App</title></head><body><noscript>You need to enable JavaScript to run this app.</noscript><div id="root"></div><script src="/src/index.tsx" type="module"></script></body></html>',
            {},
        ),
        (
            '<html><head><title>x</title></head><body><div id="__nuxt"><style>#nuxt-loading{}</style><div id="nuxt-loading" aria-live="polite" role="status"><div>Loading...</div></div></div><script>window.__NUXT__={config:{}}</script><script src="/_nuxt/3f2a.js"></script></body></html>',
            {},
        ),
        (
            '<html><head><title>App</title><script src="app/app.nocache.js"></script></head><body><iframe src="javascript:\'\'" id="__gwt_historyFrame" style="position:absolute;width:0;height:0;border:0"></iframe><noscript><div>Your web browser must have JavaScript enabled in order for this application to display correctly.</div></noscript></body></html>',
            {},
        ),
        (
            '<html><head><title>Docs</title></head><body><div id="app"></div><script>window.$docsify={name:"x"}</script><script src="//cdn.jsdelivr.net/npm/docsify@4"></script></body></html>',
            {},
        ),
        (
            '<html><head><script>__meteor_runtime_config__ = {}</script><script src="/abc123def456.js?meteor_js_resource=true"></script><title>x</title></head><body></body></html>',
            {},
        ),
        (
            '<html><head><title>Ionic</title></head><body><app-root></app-root><script src="runtime.js" type="module"></script></body></html>',
            {},
        ),
        (
            '<html><head><title>BlazorApp</title></head><body><app>Loading...</app><div id="blazor-error-ui">An error has occurred. This application may no longer respond until reloaded.<a href="" class="reload">Reload</a><a class="dismiss">X</a></div><script src="_framework/blazor.server.js"></script></body></html>',
            {},
        ),
        (
            '<html><head><title>Store</title><script defer src=/js/app.3f2a1b.js></script></head><body><div id="app"><div class="page-loader"><svg class="spinner"></svg></div></div><footer><p>Store Inc. 2026. All rights reserved.</p><a href=/a>Imprint</a><a href=/b>Privacy</a></footer></body></html>',
            {},
        ),
    ],
)
def test_more_products(html: str, places: dict[str, str]) -> None:
    """Shorter pages of further products."""
    assert (
        kind_of(html, url=places.get("url", "https://otterline.example/"), asked=places.get("asked")) == "empty_shell"
    )


def test_page_of_which_scripts_draw_a_part_is_graded() -> None:
    """A dashboard with a heading and figures of its own, and places for two charts."""
    cards = "".join(f"<div class=card><b>Μήνας {n}</b> <span>{n * 12} %</span></div>" for n in range(1, 8))
    charts = "<div id=chart-1></div><div id=chart-2 class=progress></div><div class=progress-bar></div>"
    script = "<script type=module src=/assets/index-4f1c2a.js></script>"

    assert kind_of(f"<title>Πωλήσεις</title><body><h1>Πωλήσεις</h1>{cards}{charts}{script}") is None
    assert kind_of(f"<title>Πωλήσεις</title><body>{charts}{script}") == "empty_shell"


@pytest.mark.parametrize(
    "word", ["Loading", "Загрузка", "読み込み中", "લોડ થાય છે", "로딩", "Αναμονή…", "טוען...", "กำลังโหลด"]
)
@pytest.mark.parametrize("mount", ["<app-root>{}</app-root>", "<div id=app>{}</div>", "<div id=root><p>{}…</p></div>"])
def test_word_that_waits_in_a_mount_needs_no_language(word: str, mount: str) -> None:
    """It stands there until the script starts; the same word in a heading is content."""
    script = "<script type=module src=/assets/index-4f1c2a.js></script>"

    assert kind_of(f"<title>x</title><body>{mount.format(word)}{script}") == "empty_shell"
    assert kind_of(f"<title>x</title><body><h1>{word.strip('.…')}</h1><p>{word.strip('.…')}</p>{script}") is None


@pytest.mark.parametrize(
    ("heading", "sentence"),
    [
        ("Language", "The following chapters detail changes to the language."),
        ("Sprache", "Die folgenden Kapitel beschreiben Änderungen der Sprache."),
        ("Язык", "В следующих главах описаны изменения самого языка."),
        ("اللغة", "تصف الفصول التالية التغييرات التي طرأت على اللغة نفسها."),
    ],
)
@pytest.mark.parametrize(
    ("inside", "kind"), [("", None), ("<div id=chapters></div>", "empty_shell"), ("<p>…</p>", "empty_shell")]
)
def test_page_of_a_heading_and_a_sentence_is_one_where_it_waits_for_nothing(
    heading: str, sentence: str, inside: str, kind: str | None
) -> None:
    """The first page of a chapter, in a manual whose menu and search scripts make."""
    html = f"""<html><head><title>{heading}</title><script src="/toc-2b.js"></script><script type="module" src="/book-a71c9e04.js"></script></head>
<body><nav><toc-box></toc-box></nav><div id="menu-bar-placeholder"></div><div id="search"><ul id="results"></ul></div>
<main><h1>{heading}</h1><p>{sentence}</p>{inside}</main></body></html>"""

    assert kind_of(html) == kind
