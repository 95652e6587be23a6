"""A model of short texts is made from examples, and judged by texts that it has not seen."""

from __future__ import annotations

from pathlib import Path

import pytest

from devtools.train_notice_text import (
    FOLDS,
    Example,
    digest_of,
    main,
    margin_of,
    read_examples,
    train,
    validate,
)

NOTICES = [Example("en", f"The {one} is closed. Please try again later.", is_notice=True) for one in range(20)]
PAGES = [Example("en", f"Fresh bread every day, oven {one}. We bake at night.", is_notice=False) for one in range(20)]


def test_model_tells_examples_apart() -> None:
    """Words of the one kind count for it, those of the other against."""
    weights = train([*NOTICES, *PAGES])

    assert margin_of(weights, "Closed, try again") > 0.3
    assert margin_of(weights, "Bread from the oven") < -0.3
    assert margin_of(weights, "") == 0.0


def test_same_examples_give_the_same_weights() -> None:
    """The order of training is fixed by a seed."""
    assert train([*NOTICES, *PAGES]) == train([*NOTICES, *PAGES])


def test_each_text_is_judged_once_by_a_model_without_it() -> None:
    """A word that only one text has is worth nothing for it."""
    odd = Example("en", "Zyxwvut", is_notice=True)
    judged = validate([*NOTICES, *PAGES, odd])

    assert len(judged) == len(NOTICES) + len(PAGES) + 1
    assert {one.text: margin for one, margin in judged}["Zyxwvut"] == 0.0
    assert FOLDS > 1


def test_lines_have_a_sign(tmp_path: Path) -> None:
    """A line without one names its file and number."""
    (tmp_path / "en.txt").write_text("+ Closed.\n- Bread.\n", encoding="utf-8")

    assert [(one.language, one.text, one.is_notice) for one in read_examples(tmp_path)] == [
        ("en", "Closed.", True),
        ("en", "Bread.", False),
    ]

    (tmp_path / "en.txt").write_text("+ Closed.\nBread.\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"en\.txt:2: begin the line with"):
        read_examples(tmp_path)


def test_digest_changes_with_text_and_sign() -> None:
    """It tells of which texts the weights were made."""
    first = digest_of([Example("en", "Closed.", is_notice=True)])

    assert first != digest_of([Example("en", "Closed.", is_notice=False)])
    assert first != digest_of([Example("en", "Closed now.", is_notice=True)])


def test_help(capsys: pytest.CaptureFixture[str]) -> None:
    """The command says what it writes."""
    with pytest.raises(SystemExit):
        main(["--help"])

    assert "notice_text.bin" in capsys.readouterr().out
