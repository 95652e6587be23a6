from __future__ import annotations

import base64
import hashlib

import pytest

from pagegrade.parse.http.integrity import parse_integrity


def word(bits: int, body: bytes = b"x") -> str:
    """A hash as it stands in the attribute."""
    return f"sha{bits}-{base64.b64encode(hashlib.new(f'sha{bits}', body).digest()).decode()}"


def test_only_the_strongest_kind_counts() -> None:
    """Several of it are alternatives; options and unknown words are skipped."""
    found = parse_integrity(f"{word(256)} md5-x\n{word(384)}?ct=a {word(384, b'y')}")

    assert found is not None
    assert found.bits == 384
    assert found.digests == (hashlib.sha384(b"x").digest(), hashlib.sha384(b"y").digest())


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "sha1-abc",
        "sha256",
        "sha256-",
        "sha384 " + word(384)[7:],
        "sha256-" + "A" * 5_000,
    ],
)
def test_what_browsers_do_not_understand_is_none(text: str) -> None:
    """Words that are no hash."""
    assert parse_integrity(text) is None


@pytest.mark.parametrize("text", ["sha256-abc", word(256)[:-3], f"{word(256)} sha512-abc", f"sha384-x {word(256)}"])
def test_hash_of_the_wrong_length_fits_nothing(text: str) -> None:
    """It counts all the same, so that a weaker one beside it does not help."""
    found = parse_integrity(text)

    assert found is not None
    assert found.digests == ()


def test_algorithm_is_matched_in_any_case_and_base64url_is_taken() -> None:
    """As the standard says."""
    body = next(bytes([n]) for n in range(256) if b"+" in base64.b64encode(hashlib.sha256(bytes([n])).digest()))
    found = parse_integrity(word(256, body).replace("+", "-").replace("/", "_").replace("sha", "SHA"))

    assert found is not None
    assert found.digests == (hashlib.sha256(body).digest(),)
