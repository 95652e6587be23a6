"""Roles with what is around and inside them, parts in other languages, players."""

from __future__ import annotations

import pytest

from pagegrade.model.accessibility import Accessibility
from tests.builders import make_document


def facts(html: str) -> Accessibility:
    """The facts about accessibility of a page."""
    found = make_document(html).accessibility
    assert isinstance(found, Accessibility)
    return found


@pytest.mark.parametrize(
    ("html", "around"),
    [
        ("<div role=tablist><div><b role=none><i role=tab>x</i></b></div></div>", "tablist"),
        ("<div role=tab>x</div>", "document"),
        ("<nav><div role=tab>x</div></nav>", "navigation"),
        ("<div role=tree><div role=group><div role=treeitem>x</div></div></div>", "tree"),
        ("<div role=treeitem><div role=group><div role=treeitem id=t>x</div></div></div>", "group"),
        ("<p role=list aria-owns=t></p><p role=listitem id=t>x", "list"),
        ("<div role=menuitem><div role=group><div role=menuitem><p role=tab>x</div></div></div>", "menuitem"),
        ("<table role=none><tr role=row><td><p role=tab>x</table>", "row"),
        ("<table role=none><tr><td><p role=tab>x</table>", "document"),
    ],
)
def test_nearest_meaning_is_found(html: str, around: str) -> None:
    """Boxes without meaning are looked through, and groups where they belong."""
    last = [one for one in facts(html).roles if one.written in {"tab", "treeitem", "listitem"}][-1]

    assert last.around == around


def test_inside_is_what_has_a_role() -> None:
    """Boxes and allowed groups are looked through; nothing at all is empty."""
    roles = facts(
        "<div role=list><div><p>x</p><b role=listitem>y</b></div></div><div role=list> <!-- --> </div>"
        "<div role=table><div role=rowgroup><div role=row></div></div></div>"
    ).roles
    inside = {one.written: ([role for role, _ in one.inside], one.empty) for one in reversed(roles)}

    assert inside["list"] == (["listitem"], False)
    assert inside["table"] == (["row"], False)
    assert [one.empty for one in roles if one.written == "list"] == [False, True]


def test_inside_is_also_what_is_owned() -> None:
    """It stands no longer where it is written, and what has no role, but the focus, has a place too."""
    roles = facts(
        "<div role=list aria-owns='b no'><p id=a role=listitem>x</p></div>"
        "<div role=menu aria-owns=a><p tabindex=0>y</div><p id=b><i role=listitem>z</i>"
    ).roles
    inside = {one.written: [role for role, _ in one.inside] for one in roles}

    assert inside["list"] == ["listitem"]
    assert inside["menu"] == ["", "listitem"]


@pytest.mark.parametrize(
    ("html", "table"),
    [
        ("<table><tr aria-level=1></table>", "table"),
        ("<table role=treegrid><tr aria-expanded=true></table>", "treegrid"),
        ("<div role=grid><b><p role=row aria-setsize=1></b></div>", "grid"),
        ("<table role=none><tr aria-level=1></table>", "none"),
        ("<p role=row aria-level=1>", ""),
        ("<table><tr aria-rowindex=1></table>", ""),
    ],
)
def test_rows_with_attributes_of_a_treegrid_know_their_table(html: str, table: str) -> None:
    """Other rows are not asked."""
    assert facts(html).roles[-1].table == table


@pytest.mark.parametrize(
    ("html", "inside"),
    [
        ("<button><b><i aria-label=x></i></b></button>", True),
        ("<a href=/><strong><i aria-labelledby=x></i></strong></a>", True),
        ("<button><b role=grid><i aria-label=x></i></b></button>", False),
        ("<a><i aria-label=x></i></a>", False),
        ("<button><img alt=x aria-label=x></button>", False),
        ("<button><i aria-live=off></i></button>", False),
    ],
)
def test_names_inside_of_controls_are_known(html: str, inside: bool) -> None:  # noqa: FBT001
    """Only where the element may have no name of its own."""
    assert facts(html).roles[-1].in_control is inside


def test_combobox_knows_the_field_inside() -> None:
    """It is the field that has a name."""
    found = facts("<p role=combobox><input></p><p role=combobox>").roles

    assert [one.wraps_field for one in found] == [True, False]


def test_roles_know_what_is_written_native_and_true() -> None:
    """A contradicted ``none`` leaves the native role."""
    one = facts("<button role=none>x</button>").roles[0]

    assert (one.written, one.native, one.role, one.focusable) == ("none", "button", "button", True)


def test_names_of_widgets_are_computed() -> None:
    """By the content where the role allows it."""
    found = facts("<div role=menuitem>Cut</div><div role=dialog>Text</div><div role=dialog title=Cart></div>")

    assert [one.name for one in found.roles] == ["Cut", "", "Cart"]
    assert facts("<p role=tab aria-label=Prices>x").roles[0].name == "Prices"


def test_players_list_their_tracks_and_sources() -> None:
    """A track without a kind holds subtitles, and a hidden player can be heard."""
    player = facts("<video title=Tour><source src=a><track kind=Captions src=b><track src=c></video>").players[0]
    hidden = facts("<audio hidden src=a><source src=b><p src=c></audio>").players[0]

    assert (player.tracks, player.has_source, player.name) == (("captions", "subtitles"), True, "Tour")
    assert (player.sources, player.hidden) == (("a",), False)
    assert (hidden.sources, hidden.hidden) == (("a", "b"), True)


def test_parts_name_only_languages_that_do_not_exist() -> None:
    """With whether anything is to be read in them."""
    found = facts("<p lang=de>x<p lang=germn>y<p lang=germn><b lang=fr>z</b><p lang=germn><b hidden>z</b>").languages

    assert [(one.value, one.has_text) for one in found] == [("germn", True), ("germn", False), ("germn", False)]


def test_images_in_links_keep_their_link() -> None:
    """Also with links in between."""
    found = facts("<a href=/a><img src=1></a><img src=2><a href=/b>x</a><a href=/c><img src=3><img src=4></a>")

    assert [(link.href, image.attrs["src"]) for link, image in found.linked_images] == [
        ("/a", "1"),
        ("/c", "3"),
        ("/c", "4"),
    ]


@pytest.mark.parametrize(
    "html",
    [
        "<div role=list>" * 3_000,
        "<div role=treeitem>" * 1_500,
        "<div role=button tabindex=0>" * 1_500,
        "<p lang=germn>" * 1 + "<b lang=germn>" * 3_000 + "x",
        "<div aria-hidden=true>" * 400 + "<fieldset><input>" * 3_000,
        "<ul>" * 3_000 + "<li>" * 3_000,
        "".join(f"<p id=p{n} role=listitem aria-owns=p{n - 1}>" for n in range(3_000)),
    ],
)
def test_hostile_nesting_ends(html: str) -> None:
    """Within the budget of the document."""
    assert isinstance(facts(html), Accessibility)
