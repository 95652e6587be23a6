from __future__ import annotations

import json
import re
from importlib.resources import files
from typing import Any

import pytest
import typer

from pagegrade.cli.app import app
from pagegrade.web.problem_texts import EXAMPLE_BASE, TEXTS, ProblemText, example_problem, statuses_of
from pagegrade.web.problems import PROBLEMS


def test_every_problem_is_explained() -> None:
    """And no problem is explained that there is not."""
    assert set(TEXTS) == set(PROBLEMS)


@pytest.mark.parametrize(("code", "text"), TEXTS.items(), ids=TEXTS)
def test_a_text_says_what_why_and_what_to_do(code: str, text: ProblemText) -> None:
    """In whole sentences, with what is typed marked as such."""
    sentences = [text.happened, *text.causes, *text.steps]

    assert text.causes
    assert text.steps
    assert all(sentence.endswith((".", "`")) for sentence in sentences)
    assert all(sentence.count("`") % 2 == 0 for sentence in sentences)


@pytest.mark.parametrize("code", PROBLEMS)
def test_an_example_is_a_problem_as_it_is_sent(code: str) -> None:
    """With the members of RFC 9457 and ours, of the path that its request names."""
    happened, body = example_problem(code)
    problem = json.loads(body)

    assert happened == TEXTS[code].happened
    assert problem["type"] == f"{EXAMPLE_BASE}/problems/{code.replace('_', '-')}"
    assert (problem["status"], problem["title"]) == PROBLEMS[code]
    assert problem["detail"] == problem["message"] == TEXTS[code].detail
    assert TEXTS[code].request.splitlines()[0].endswith(f" {problem['instance']}")


def test_an_example_with_fields_names_each() -> None:
    """For people and for programs."""
    problem = json.loads(example_problem("validation_failed")[1])

    assert set(problem["errors"]) == {violation["field"] for violation in problem["violations"]}
    assert problem["detail"].startswith(f"{len(problem['errors'])} fields ")


def test_only_one_code_has_more_than_one_status() -> None:
    """The body, the address and the headers can each be too large."""
    several = {code: statuses_of(code) for code in PROBLEMS if len(statuses_of(code)) > 1}

    assert several == {"too_large": (413, 414, 431)}


def test_an_example_can_have_another_of_its_statuses() -> None:
    """The status in the body is the status of the answer."""
    assert json.loads(example_problem("too_large", status=414)[1])["status"] == 414


def test_commands_that_are_named_exist() -> None:
    """On the pages too, with their options."""
    start = files("pagegrade.web").joinpath("templates/home.html.jinja").read_text(encoding="utf-8")
    texts = [start, *(sentence for text in TEXTS.values() for sentence in (*text.causes, *text.steps))]
    named = {line for text in texts for line in re.findall(r"[`>]pagegrade ([a-z -]+)[`<]", text)}

    assert "keys create --name me" in named
    for line in named:
        words, *options = re.split(r" (?=--)", line)
        command: Any = typer.main.get_command(app)
        for word in words.split():
            command = command.commands[word]
        known = {option for parameter in command.params for option in parameter.opts}

        assert {option.split()[0] for option in options} <= known
        assert all(
            f"{option} " in f"{line} "
            for parameter in command.params
            if parameter.required
            for option in parameter.opts
        )
