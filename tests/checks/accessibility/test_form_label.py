from __future__ import annotations

import pytest

from pagegrade.checks.accessibility.form_label import form_label
from pagegrade.model.outcome import NotApplicable, Severity
from tests.builders import outcome, run


@pytest.mark.parametrize(
    "field",
    [
        '<label for="m">Mail</label><input id="m">',
        "<label>Mail <input></label>",
        "<label>Mail <label><input></label></label>",
        "<label><label></label>Mail <input></label>",
        "<label><span>Mail</span><div><div><div><input></div></div></div></label>",
        '<input aria-label="Mail">',
        '<b id="l">Mail</b><input aria-labelledby="l">',
        '<input title="Mail">',
        "<label>Size <select><option>S</select></label>",
        "<label>Text <textarea></textarea></label>",
        '<label for="m">Mail</label><input id="m" placeholder="you@example.com">',
        '<label for="m" title="Mail"></label><input id="m">',
        '<label for="m" aria-label="Mail"></label><input id="m">',
        '<label for="m"><img src="m.png" alt="Mail"></label><input id="m">',
        '<label for="m">Mail</label><label for="m" hidden>x</label><input id="m">',
        '<label for="m" role="none">Mail</label><input id="m" role="none">',
    ],
)
def test_labelled_field_passes(field: str) -> None:
    """A label may wrap its field at any depth; a placeholder beside a label does no harm."""
    found = outcome(form_label, field)

    assert (found.state, found.value) == ("labelled", 1)


@pytest.mark.parametrize(
    "field",
    [
        "<input>",
        "<select><option>S</select>",
        "<textarea>hello</textarea>",
        '<label for="other">Mail</label><input id="m">',
        '<label for="m"></label><input id="m">',
        '<input type="checkbox" value="yes">',
        "<input disabled>",
        '<input aria-label=" ">',
        '<b id="l"></b><select aria-labelledby="l"><option>S</select>',
        '<input type="checkbox" role="menuitemcheckbox">',
        '<select role="none"></select>',
        '<label for="other">Mail <input></label>',
        "<label><select><option selected>S</select></label>",
    ],
)
def test_field_without_a_label_is_found(field: str) -> None:
    """One field costs half; its own content is no label."""
    found = outcome(form_label, field)

    assert (found.state, found.loss, found.total) == ("unlabelled", 0.5, 1)
    assert found.message == "One form field has no label."


def test_placeholder_alone_costs_as_much_as_a_medium_fault() -> None:
    """A placeholder is a name to programs, but it vanishes while typing."""
    assert form_label.state("placeholder").loss * form_label.severity.value == Severity.MEDIUM.value
    assert outcome(form_label, '<input placeholder="Mail">').state == "placeholder"


def test_label_found_only_later_in_the_page_counts() -> None:
    """The order of label and field does not matter."""
    assert outcome(form_label, '<input id="m" placeholder="x"><label for="m">Mail</label>').state == "labelled"


@pytest.mark.parametrize("kind", ["hidden", "submit", "reset", "button", "image"])
def test_buttons_and_hidden_inputs_need_no_label(kind: str) -> None:
    """They are no fields."""
    assert isinstance(run(form_label, f'<input type="{kind}">'), NotApplicable)


@pytest.mark.parametrize(
    "field",
    [
        '<div style="display:none"><input></div>',
        "<div hidden><input></div>",
        "<input aria-hidden=true>",
        "<select role=none disabled></select>",
        "<input role=presentation disabled>",
    ],
)
def test_fields_out_of_reach_are_left_out(field: str) -> None:
    """Traps for robots are hidden from people, and a disabled field with ``role=none`` is not exposed."""
    found = outcome(form_label, f"<input aria-label=Mail>{field}")

    assert (found.state, found.value) == ("labelled", 1)
    assert isinstance(run(form_label, field), NotApplicable)


def test_second_field_in_a_label_has_no_label() -> None:
    """A label belongs to the first field inside it."""
    found = outcome(form_label, "<label>Sizes <input><input></label>")

    assert (found.state, found.total) == ("unlabelled", 1)


@pytest.mark.parametrize("how", ["hidden", "aria-hidden=true", "style='visibility:hidden'"])
def test_hidden_label_costs_half(how: str) -> None:
    """It is there, but browsers leave it out."""
    assert outcome(form_label, f"<label for=m {how}>Mail</label><input id=m>").state == "placeholder"


def test_missing_label_outweighs_placeholder() -> None:
    """The worse state is reported, with both in the evidence."""
    found = outcome(form_label, '<input placeholder="Mail"><input>')

    assert (found.state, found.total) == ("unlabelled", 2)
    assert [place.reason for place in found.evidence] == ["no label", "only a placeholder"]


@pytest.mark.parametrize(("count", "loss"), [(2, 0.5 + 0.5 / 9), (10, 1.0), (11, 1.0)])
def test_loss_grows_with_the_number(count: int, loss: float) -> None:
    """Everything is lost from ten fields on."""
    page = "<label>Name <input></label>" + "<input>" * count

    assert outcome(form_label, page).loss == pytest.approx(loss)


def test_a_form_in_which_no_field_has_a_label_costs_everything() -> None:
    """It cannot be filled in; one field alone is guessed from what is around it."""
    assert [outcome(form_label, "<form>" + "<input>" * count).loss for count in (1, 2, 3)] == [0.5, 1.0, 1.0]


def test_fields_outside_of_forms_are_no_form() -> None:
    """Filters that scripts read are used one by one."""
    filters = "<select name=a><option>Größe</select><input name=c>"

    assert outcome(form_label, filters).loss == pytest.approx(0.5 + 0.5 / 9)
    assert outcome(form_label, f"<form>{filters}</form>").loss == 1.0


def test_placeholder_is_never_worse_than_nothing() -> None:
    """Adding a placeholder to a bare field cannot cost points."""
    bare = outcome(form_label, "<input>")

    assert bare.loss is not None
    assert form_label.state("placeholder").loss <= bare.loss


def test_message_counts_both_kinds() -> None:
    """Fields with a placeholder stand in the same list of evidence."""
    found = outcome(form_label, "<input name=a><input name=b placeholder=B>")

    assert found.message == ("One form field has no label. One more has nothing but a placeholder or a hidden label.")


def test_title_counts_where_the_label_is_hidden() -> None:
    """Browsers leave the hidden label out and take the tooltip."""
    assert outcome(form_label, "<label for=a hidden>x</label><input id=a title=y>").state == "labelled"
    assert outcome(form_label, "<label for=a hidden>x</label><input id=a>").state == "placeholder"
