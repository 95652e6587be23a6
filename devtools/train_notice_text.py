"""Make ``parse/page_kind/notice_text.bin`` from the texts in ``devtools/notice_texts``, and say how good it is.

Each file holds the texts of one language, one a line: those after ``+`` are notices in place of a page, those after
``-`` short pages that were asked for. All are written for this purpose. The model is a logistic regression, trained by
gradient descent in an order that a seed fixes, so that the same texts give the same weights on every machine.

``python -m devtools.train_notice_text`` writes the weights; with ``--validate`` it trains on nine tenths of the texts
in turn and judges the other tenth, and writes nothing.
"""

from __future__ import annotations

import argparse
import math
import random
import re
import sys
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final

from pagegrade.parse.page_kind.notice_text import BUCKETS, SCALE, WEIGHTS, parts_of

TEXTS: Final = Path(__file__).with_name("notice_texts")
FOLDS: Final = 10
_SEED: Final = 20_261_129
_EPOCHS: Final = 12
_RATE: Final = 0.5
_MIN_WEIGHT: Final = 9
"""Of 127: without smaller ones the words of other languages have few weights, and the margins are the same."""
_SENTENCE: Final = re.compile("(?<=[.!?\u2026])\\s+|(?<=[\u3002\uff01\uff1f\u0964\u1362\u0589])\\s*")
_MIN_SENTENCES: Final = 3
_MARGINS: Final = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8)


@dataclass(frozen=True)
class Example:
    """A text, its language, and whether it is a notice."""

    language: str
    text: str
    is_notice: bool


def read_examples(folder: Path = TEXTS) -> list[Example]:
    """The texts of all languages, in the order of the files.

    Raises:
        ValueError: A line begins with neither sign.
    """
    found = []
    for path in sorted(folder.glob("*.txt")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            if line[:2] not in {"+ ", "- "}:
                message = f"{path.name}:{number}: begin the line with '+ ' or '- '."
                raise ValueError(message)
            found.append(Example(path.stem, line[2:].strip(), is_notice=line[0] == "+"))
    return found


def train(examples: Iterable[Example], *, epochs: int = _EPOCHS) -> array[int]:
    """Weights of the model: a signed byte for each part of a text."""
    order = random.Random(_SEED)  # noqa: S311 - the same order every time
    data = [(tuple(parts_of(text)), one.is_notice) for one in examples for text in _variants(one.text)]
    data = [(parts, target) for parts, target in data if parts]
    weights = [0.0] * BUCKETS
    for epoch in range(epochs):
        order.shuffle(data)
        rate = _RATE / (1 + epoch / 2)
        for parts, target in data:
            size = math.sqrt(len(parts))
            margin = sum(weights[one] for one in parts) / size
            step = rate * (1 / (1 + math.exp(-margin)) - target) / size
            for one in parts:
                weights[one] -= step
    rounded = (max(-127, min(127, round(SCALE * one))) for one in weights)
    return array("b", (one if abs(one) >= _MIN_WEIGHT else 0 for one in rounded))


def _variants(text: str) -> Iterable[str]:
    """The text, and the text without its first and without its last sentence, where it has three or more."""
    yield text
    sentences = [one for one in _SENTENCE.split(text) if one]
    if len(sentences) >= _MIN_SENTENCES:
        yield " ".join(sentences[1:])
        yield " ".join(sentences[:-1])


def margin_of(weights: Sequence[int], text: str) -> float:
    """What the product computes, with other weights."""
    parts = parts_of(text)
    return sum(weights[one] for one in parts) / SCALE / math.sqrt(len(parts)) if parts else 0.0


def validate(examples: Sequence[Example]) -> list[tuple[Example, float]]:
    """Each text with its margin by a model that has not seen it."""
    shuffled = list(examples)
    random.Random(_SEED).shuffle(shuffled)  # noqa: S311 - the same order every time
    found = []
    for fold in range(FOLDS):
        weights = train(one for number, one in enumerate(shuffled) if number % FOLDS != fold)
        unseen = shuffled[fold::FOLDS]
        found += [(one, margin_of(weights, one.text)) for one in unseen]
    return found


def digest_of(examples: Iterable[Example]) -> bytes:
    """SHA-256 of what makes the weights, behind which it stands: they are out of date where it differs.

    These are the texts, their parts, and the numbers of the training.
    """
    found = sha256(f"{_EPOCHS} {_RATE} {_MIN_WEIGHT} {SCALE} {BUCKETS}".encode())
    for one in examples:
        found.update(f"{one.language} {one.is_notice} {sorted(parts_of(one.text))}\n".encode())
    return found.digest()


def _table(judged: Sequence[tuple[Example, float]]) -> None:
    for language in (*sorted({one.language for one, _ in judged}), ""):
        chosen = [(one, margin) for one, margin in judged if language in {"", one.language}]
        notices = [margin for one, margin in chosen if one.is_notice]
        pages = [margin for one, margin in chosen if not one.is_notice]
        shares = (f"{_share(notices, at):4.0%}/{_share(pages, at):4.1%}" for at in _MARGINS)
        print(f"{language or 'all':8} {len(notices):5} {len(pages):5}  {'  '.join(shares)}")


def _share(margins: Sequence[float], at: float) -> float:
    return sum(one > at for one in margins) / max(1, len(margins))


def main(arguments: Sequence[str] | None = None) -> int:
    """Train, or validate."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--validate", action="store_true", help="judge texts that the model has not seen")
    chosen = parser.parse_args(arguments)
    examples = read_examples()
    if chosen.validate:
        print(f"{'':8} notices pages, then notices found / pages mistaken above {', '.join(map(str, _MARGINS))}")
        _table(validate(examples))
        return 0
    WEIGHTS.write_bytes(train(examples).tobytes() + digest_of(examples))
    print(f"{WEIGHTS.name}: {len(examples)} texts in {len({one.language for one in examples})} languages")
    return 0


if __name__ == "__main__":
    sys.exit(main())
