"""Toolbars of frameworks that were left in a public page, and pages that only speak of them."""

from __future__ import annotations

import pytest

from pagegrade.parse.html.debug_toolbars import find_debug_toolbars
from tests.builders import make_document

TOOLBARS = {
    "Django": '<div id="djDebug" class="djdt-hidden" data-store-id="4f"><div id="djDebugToolbar"></div></div>',
    "Symfony": '<div id="sfwdt6a4c12" class="sf-toolbar sf-display-none"></div>',
    "Laravel": '<script src="/_debugbar/assets/javascript?v=1702"></script>',
    "Yii": '<div id="yii-debug-toolbar" data-url="/debug/default/toolbar?tag=65f" style="display:none"></div>',
    "CakePHP": '<script id="__debug_kit_script" data-id="6d1" src="/debug_kit/js/inject-iframe.js"></script>',
    "CodeIgniter": '<script id="debugbar_loader" data-time="1" src="/?debugbar"></script>',
    "Flask": '<div id="flDebug" style="display:none"><div id="flDebugToolbar"></div></div>',
    "Pyramid": '<div id="pDebug"><div id="pDebugToolbarHandle"></div></div>',
    "Nette": '<script src="?_tracy_bar=js&amp;v=2.10"></script>',
    "Joomla": '<div id="system-debug" class="profiler"></div>',
}
PAGE = "<title>Лодки</title><main><h1>Лодки</h1><p>Прокат лодок у моста.</p></main>{}"
PRIVATE = ("http://localhost:8000/boats", "http://web:8000/boats", "http://127.0.0.1/boats", "http://192.168.0.7/boats")
PLACES = ("https://otterline.example/boats", "http://shop.otterline.example/")


@pytest.mark.parametrize("name", TOOLBARS)
def test_toolbar_in_a_public_page(name: str) -> None:
    """In the text of an example it is none, and on the machine of its developer it belongs there."""
    page = PAGE.format(TOOLBARS[name])
    shown = PAGE.format(f"<pre>{TOOLBARS[name].replace('<', '&lt;')}</pre>")

    assert [[found for _, found in find_debug_toolbars(make_document(page, url=url))] for url in PLACES] == [[name]] * 2
    assert not any(find_debug_toolbars(make_document(page, url=url)) for url in PRIVATE)
    assert not find_debug_toolbars(make_document(shown, url=PLACES[0]))
    assert not find_debug_toolbars(make_document(PAGE.format(f"<template>{TOOLBARS[name]}</template>"), url=PLACES[0]))


@pytest.mark.parametrize(
    "body",
    [
        "<div id=debug class=toolbar>Отладка</div>",
        "<div class=sf-toolbar>Toolbar of our editor</div>",
        "<div id=toolbarContainer><button>B</button></div>",
        "<a href=/_debugbar/assets>Laravel Debugbar</a>",
        "<a href=/wiki/Django_Debug_Toolbar>djDebug</a>",
        "<img src=/djDebug.png alt='The toolbar of Django'>",
        "<section id=query-monitor><h2>Query Monitor</h2><p>A plugin for WordPress.</p></section>",
        "<h2 id=tracy>Tracy</h2><p>工具栏显示查询。</p>",
        "<div id=profiler>プロファイラ</div>",
        "<script src=/assets/debugbar.js></script>",
        "<div id=yii-debug>Yii</div>",
        "<div class=phpdebugbar-docs>توثيق</div>",
        "<div id=system-debug>תיעוד</div>",
        "<script src=/js/profiler.js id=mini></script>",
        "<ul id=flDebugging><li>문서</ul>",
        "<h2 id=yii-debug-toolbar>Yii debug toolbar</h2>",
        "<h2 id=tracy-debug>Tracy</h2>",
        "<dl><dt id=djDebug>djDebug<dd>The element of the toolbar.</dl>",
        "<p id=pDebug>Pyramid</p><tr id=debugbar_loader></tr>",
        "<fieldset id=flDebug><legend>Debug</legend></fieldset>",
        "<article id=system-debug class='profiler card'>Joomla</article>",
        "<blockquote><div id=djDebug><div id=djDebugToolbar></div></div></blockquote>",
        "<figure class=demo><div class=phpdebugbar><img src=/bar.png alt=''></div></figure>",
    ],
)
def test_names_like_those_of_toolbars(body: str) -> None:
    """Pages about toolbars, and toolbars of other kinds."""
    assert not find_debug_toolbars(make_document(PAGE.format(body), url=PLACES[0]))


def test_toolbar_in_the_head_and_behind_an_example() -> None:
    """Some write their script before the head ends; the example in front of a real one does not hide it."""
    head = f"<html><head>{TOOLBARS['Laravel']}<title>Boats</title></head><body><p>Boats</p></body></html>"
    behind = PAGE.format(f"<figure>{TOOLBARS['Nette']}</figure>{TOOLBARS['Nette']}")

    assert [found for _, found in find_debug_toolbars(make_document(head, url=PLACES[0]))] == ["Laravel"]
    assert [found for _, found in find_debug_toolbars(make_document(behind, url=PLACES[0]))] == ["Nette"]
