from __future__ import annotations

import pytest
from jinja2 import UndefinedError

from pagegrade.render.finding_texts import Untranslated
from pagegrade.render.i18n import LOCALES
from pagegrade.render.templating import Unindented, environment


@pytest.mark.parametrize("tag", LOCALES)
def test_values_are_escaped_in_every_language(tag: str) -> None:
    """Also inside a message, where they are filled in."""
    made = environment(tag).from_string('{{ value }}{{ _("Score %(score)s of 100", score=value) }}')

    assert "<b>" not in made.render(value="<b>")
    assert "&lt;b&gt;" in made.render(value="<b>")


def test_messages_without_values_are_translated_while_a_template_is_compiled() -> None:
    """And escaped like any other text: no message is markup."""
    made = environment("de")
    shown = {"{{ _('Where it was seen') }}": "Wo es gesehen wurde", "{{ _('5 < 6, 100 %%') }}": "5 &lt; 6, 100 %"}

    assert {source: made.from_string(source).render() for source in shown} == shown
    assert [source for source in shown if "gettext" in str(made.compile(source, raw=True))] == []


def test_what_is_missing_is_an_error() -> None:
    """A page with a gap in it would go unnoticed."""
    with pytest.raises(UndefinedError):
        environment("en").from_string("{{ nothing }}").render()


def test_only_other_languages_mark_what_is_english() -> None:
    """Texts that the catalogue does not have are English on every page."""
    mark = "{{ known|en }}{{ unknown|en }}"

    def marks(tag: str) -> str:
        return environment(tag).from_string(mark).render(known="Titel", unknown=Untranslated("Title"))

    assert (marks("en"), marks("de")) == ("", ' lang="en"')


def test_indentation_of_templates_is_left_out_and_that_of_values_kept() -> None:
    """Code that a report shows has its own."""
    plain = Unindented(environment("en")).preprocess("<ul>\n    <li>\n", None)
    shown = environment("en").from_string("  <pre>{{ code }}</pre>").render(code="if x:\n    y")

    assert plain == "<ul>\n<li>\n"
    assert shown == "<pre>if x:\n    y</pre>"
