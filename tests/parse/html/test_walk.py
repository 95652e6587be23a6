"""The walk: what is visited, what is text, and where it stops."""

from __future__ import annotations

import pytest

from tests.builders import make_document

HEAD = "<!doctype html><html lang=en><head><meta charset=utf-8><title>T</title></head><body>"


def test_template_and_noscript_hold_no_elements() -> None:
    """Elements that scripts-on browsers do not render are not there."""
    document = make_document(
        HEAD + "<template><h1>no</h1><img src=a></template><noscript><img src=b><a href=c>d</a></noscript><p>yes"
    )

    assert document.headings == []
    assert document.images == []
    assert document.anchors == []
    assert document.text == "yes"
    assert document.references == []


def test_declarative_shadow_root_is_part_of_the_page() -> None:
    """Its content is rendered, so its links and text count."""
    document = make_document(HEAD + "<div><template shadowrootmode=open><a href=/s>in the shadow</a></template></div>")

    assert [anchor.text for anchor in document.anchors] == ["in the shadow"]


def test_comments_scripts_and_attributes_hold_no_elements() -> None:
    """Markup inside raw text is text."""
    document = make_document(HEAD + "<!-- <h1>a</h1> --><script>var x = '<h1>b</h1>'</script><p title='<h1>c</h1>'>d")

    assert document.headings == []
    assert document.text == "d"


def test_visible_text_leaves_out_what_is_not_shown() -> None:
    """Scripts, styles, hidden parts, options and closed dialogs are no text; boilerplate is no main text."""
    document = make_document(
        HEAD + "<nav>menu</nav><main><p>One</p><p>two<script>x</script></p><p hidden>no</p><style>no</style>"
        "<select><option>no</select><dialog>no</dialog><textarea>no</textarea></main><footer>foot</footer>"
    )

    assert document.text == "menu One two foot"
    assert document.main_text == "One two"


@pytest.mark.parametrize(
    ("inside", "longest"),
    [
        ("", 6),
        ("<nav>Close</nav>", 5),
        ("<span role=dialog>Close </span>", 8),
        ("<span role=dialog> Close </span>", 6),
        ("<span role=dialog> Unchangeable </span>", 12),
    ],
)
def test_the_longest_word_is_that_of_all_text_and_of_the_main_text(inside: str, longest: int) -> None:
    """Without a dialog in the middle of a word, its halves are one again."""
    document = make_document(f"<main><p>abc{inside}def</p></main>")

    assert document.longest_word == longest
    assert document.longest_word == max(map(len, (*document.text.split(), *document.main_text.split())))


def test_limits_are_said() -> None:
    """A tree deeper or larger than we read says so."""
    deep = make_document("<div>" * 600)
    fine = make_document("<div>" * 300)

    assert deep.limits_hit == ("depth",)
    assert fine.limits_hit == ()


def test_walk_stops_at_the_node_limit() -> None:
    """200,000 elements are read, one more is a limit."""
    assert make_document("<b></b>" * 199_990).limits_hit == ()
    assert make_document("<b></b>" * 200_010).limits_hit == ("nodes",)


def test_figures_of_the_tree_are_counted() -> None:
    """Elements (not nodes), depth and the widest parent."""
    document = make_document("<html><head></head><body><ul><li>1<li>2<li>3</ul>")

    assert document.element_count == 7
    assert document.max_depth == 4
    assert document.max_children == 3


def test_unfinished_elements_are_closed_when_the_walk_stops() -> None:
    """Elements that were open at the limit are reported as far as they were read."""
    document = make_document("<h1>Title <a href=x>link" + "<b></b>" * 200_010)

    assert document.headings[0].text == "Title link"
    assert document.anchors[0].text == "link"
