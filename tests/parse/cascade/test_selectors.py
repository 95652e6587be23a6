"""Selectors: which elements they match, what is unknown, and what a browser drops."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from turbohtml import Element, parse

from pagegrade.parse.cascade.selectors import (
    MAX_SELECTOR,
    InvalidSelectorError,
    Matcher,
    parse_selector,
    parse_selectors,
    read_plain,
    split_list,
)

PAGE = """<!doctype html><html class="js no-touch"><body>
<nav id=top class="bar dark" data-state="open now">
<ul><li class="item first">1<li class=item>2<li class="item">3</ul></nav>
<form><fieldset><input id=f type=CheckBox checked class="A"><label>L</label><div class=panel>P</div></fieldset>
<input id=t required placeholder=x><select><option selected id=o>1</select><button id=b disabled></button></form>
<main><section><p id=p lang=en-GB class="a/b md:x">t</p><p id=e></p><x-card id=x><i id=i></i></x-card></section></main>
<a id=a href=/>l</a><details open id=d><summary id=s></summary></details><b v-cloak id=c></b></body></html>"""


def found(selector: str, target: str, *, quirks: bool = False) -> bool | None:
    """Return whether the selector matches the element that the other one finds."""
    node = parse(PAGE.encode(), scripting=True).select(target)[0]
    assert isinstance(node, Element)
    return Matcher(quirks=quirks).any(parse_selectors(selector), node)


@pytest.mark.parametrize(
    ("selector", "target", "expected"),
    [
        ("p", "#p", True),
        ("P", "#p", True),
        ("*", "#p", True),
        ("b", "#p", False),
        ("#p", "#p", True),
        (".bar.dark", "#top", True),
        (".bar.light", "#top", False),
        (".Bar", "#top", False),
        (".a\\/b", "#p", True),
        (".md\\:x", "#p", True),
        (".\\6d d\\:x", "#p", True),
        ("[data-state]", "#top", True),
        ("[data-state='open now']", "#top", True),
        ("[data-state=OPEN]", "#top", False),
        ("[data-state~=now]", "#top", True),
        ("[data-state^=open]", "#top", True),
        ("[data-state$=now]", "#top", True),
        ("[data-state*='n n']", "#top", True),
        ("[data-state*='']", "#top", False),
        ("[lang|=en]", "#p", True),
        ("[type=checkbox]", "#f", True),
        ("[data-state='OPEN now' i]", "#top", True),
        ("[class*=ar]", "#top", True),
        ("nav li", ".first", True),
        ("nav > li", ".first", False),
        ("nav > ul > li", ".first", True),
        ("body main section p", "#p", True),
        ("body > main p", "#p", True),
        ("main > p", "#p", False),
        ("section > section p", "#p", False),
        ("p + p", "#e", True),
        ("p ~ x-card", "#x", True),
        ("p + x-card > i", "#i", True),
        ("i ~ p", "#e", False),
        (".item:nth-child(2n + 1)", ".first", True),
        (".item:nth-child(odd)", ".item:nth-child(2)", False),
        (".item:nth-child(-n+2)", ".item:nth-child(2)", True),
        (".item:nth-child(-n+2)", ".item:nth-child(3)", False),
        (".item:nth-last-child(1)", ".item:nth-child(3)", True),
        ("li:nth-child(1 of .item)", ".first", True),
        ("p:nth-of-type(2)", "#e", True),
        (":is(nav, main) p", "#p", True),
        (":where(.x, #p)", "#p", True),
        (":is(::before, #p)", "#p", True),
        (":is(:unheard(, #p)", "#p", None),
        ("p:not(.x, .y)", "#p", True),
        ("p:not(:not(#p))", "#p", True),
        ("section:has(i)", "section", True),
        ("section:has(> i)", "section", False),
        ("p:has(+ p)", "#p", True),
        ("p:has(~ x-card i)", "#p", True),
        ("p:has(.x)", "#p", False),
        ("a:not(:hover)", "#a", True),
        ("form:focus-within", "form", False),
        ("input:valid", "#t", None),
        ("p:unheard-of", "#p", None),
        ("[v-cloak]", "#c", None),
        ("[v-cloak]", "#p", False),
        (":host p", "#p", False),
        ("svg|a", "#a", None),
    ],
)
def test_selector_matches(selector: str, target: str, expected: bool | None) -> None:  # noqa: FBT001
    """As browsers match it before anyone acts; what scripts or typing decide is unknown."""
    try:
        value = found(selector, target)
    except InvalidSelectorError:
        value = None

    assert value is expected


def test_quirks_fold_classes_and_ids() -> None:
    """Only without a proper document type."""
    assert found(".BAR", "#top") is False
    assert found(".BAR", "#top", quirks=True) is True
    assert found("#TOP", "#top", quirks=True) is True


@pytest.mark.parametrize(
    ("selector", "specificity", "keys"),
    [
        ("a", (0, 0, 1), ("a",)),
        ("*", (0, 0, 0), ("*",)),
        ("ul li.x.y", (0, 2, 2), (".y",)),
        ("#a .b", (1, 1, 0), (".b",)),
        (".b #a.c", (1, 2, 0), ("#a",)),
        ("[hidden]", (0, 1, 0), ("[hidden",)),
        (":where(#a) b", (0, 0, 1), ("b",)),
        (":is(#a, .b)", (1, 0, 0), ("#a", ".b")),
        (":is(.a, *)", (0, 1, 0), ("*",)),
        (".a:not(#b)", (1, 1, 0), (".a",)),
        ("a:hover::before", (0, 1, 2), ("a",)),
        (".x > :first-child", (0, 2, 0), ("*",)),
    ],
)
def test_weight_and_keys(selector: str, specificity: tuple[int, int, int], keys: tuple[str, ...]) -> None:
    """Keys are what an element must have for any chance to match."""
    one = parse_selectors(selector)[0]

    assert one.specificity == specificity
    assert one.keys == keys
    assert one.pseudo_element is selector.endswith("::before")


@pytest.mark.parametrize(
    "selector",
    [
        "",
        "a,",
        "> a",
        "a >",
        "a > > b",
        "..a",
        "a:",
        "a[",
        "a[b=",
        "a[b='c]",
        "a)",
        "a:not(",
        ":-moz-x",
        "a\u0000",
        "1a!",
    ],
)
def test_what_is_no_selector_is_refused(selector: str) -> None:
    """A browser drops the whole rule."""
    with pytest.raises(InvalidSelectorError):
        parse_selectors(selector)


def test_longest_selector_is_read_and_one_longer_is_not() -> None:
    """No longer one is written by hand."""
    assert parse_selectors("a" * MAX_SELECTOR)
    with pytest.raises(InvalidSelectorError):
        parse_selectors("a" * (MAX_SELECTOR + 1))


def test_lists_are_split_outside_of_parentheses_and_strings() -> None:
    """Commas inside belong to a part."""
    assert list(split_list("a,b")) == ["a", "b"]
    assert list(split_list(":is(a,b),[x='c,d'],e\\,f")) == [":is(a,b)", "[x='c,d']", "e\\,f"]


def test_budget_ends_in_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is claimed of what was not tried."""
    monkeypatch.setattr("pagegrade.parse.cascade.selectors.MAX_STEPS", 3)
    node = parse(PAGE.encode(), scripting=True).select("#p")[0]

    assert isinstance(node, Element)
    matcher = Matcher()

    assert matcher.any(parse_selectors("body main section p"), node) is None
    assert matcher.exhausted
    assert matcher.any(parse_selectors("p"), node) is None


@given(st.lists(st.sampled_from([*".#ab-_1 >+~*\t\n", "Z", ":hover", "é", "\u00a0", "[x]"]), max_size=10).map("".join))
def test_plain_selectors_are_filed_as_if_they_had_been_read(text: str) -> None:
    """A plain selector is valid, and has the same key and specificity."""
    plain = read_plain(text)

    if plain is not None:
        selector = parse_selector(text)
        assert (selector.keys, selector.specificity) == ((plain[0],), plain[1])


def test_plain_selectors() -> None:
    """The key is the rarest condition of the last compound."""
    assert read_plain("ul > LI.a.b") == (".b", (0, 2, 2))
    assert read_plain(".a b#c.d") == ("#c", (1, 2, 1))
    assert read_plain(" DIV ") == ("div", (0, 0, 1))
    assert read_plain(".a:hover") is None
    assert read_plain("> a") is None
