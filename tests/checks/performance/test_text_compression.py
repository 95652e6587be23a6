from __future__ import annotations

from hashlib import sha256
from typing import Any

import pytest

from pagegrade.checks._run import Evaluated
from pagegrade.checks.performance.text_compression import FIRST_ROUND_TRIP_BYTES, text_compression
from pagegrade.model.outcome import NotApplicable, NotRun, Outcome, Saving
from tests.builders import evaluated, make_response, outcome, run

REPEATING = "<!doctype html><title>Chairs</title>" + "<p>A chair made of teak.</p>" * 600
BROTLI = ("Content-Encoding", "br")
KEPT = ("Cache-Control", "public, max-age=600")
VARY = ("Vary", "Accept-Encoding")


def evaluate_html(*headers: tuple[str, str], body: str | bytes = REPEATING, **more: Any) -> Evaluated:
    """The check's verdict on an answer with these headers."""
    return evaluated(text_compression, response=make_response(body, headers=headers, **more))


def state_of(found: Evaluated) -> str:
    """The state it ended in."""
    if not isinstance(found.verdict, Outcome):
        raise TypeError(found.verdict)
    return found.verdict.state


@pytest.mark.parametrize("coding", ["gzip", "br", "zstd", "x-gzip", "GZIP", "identity, gzip"])
def test_every_current_coding_is_fine(coding: str) -> None:
    """Brotli and Zstandard are not mistaken for no compression."""
    found = evaluate_html(("content-encoding", coding))

    assert (state_of(found), found.loss) == ("compressed", 0)


def test_the_codings_that_were_really_removed_count() -> None:
    """The client decodes silently, so what it removed is the fact."""
    found = evaluate_html(content_encodings=("br",), wire_bytes=300)

    assert state_of(found) == "compressed"


def test_uncompressed_text_fails_and_says_what_gzip_would_save() -> None:
    """The saving is measured, not guessed."""
    found = evaluate_html()

    assert (state_of(found), found.loss) == ("uncompressed", 0.8)
    assert isinstance(found.verdict, Outcome)
    saving = next(detail.actual for detail in found.verdict.details if detail.code == "saving_bytes")

    assert isinstance(saving, int)
    assert 1_400 <= saving < len(REPEATING)
    assert found.verdict.saving == Saving(saving, "bytes")


def test_cost_grows_with_what_gzip_would_save() -> None:
    """Half for a packet, and everything for what takes more than one round trip."""
    lines = "".join(f"<p>{number * 7919 % 100_003} boats\n" for number in range(20_000)).encode()
    losses = [evaluate_html(body=lines[:size]).loss or 0 for size in (5_000, 20_000, 40_000, 400_000)]

    assert losses == sorted(losses)
    assert losses[0] < losses[-2]
    assert losses[-1] == 1


def test_the_size_of_the_html_proves_nothing() -> None:
    """A large page is compressed when the server says so, and a smaller one may not be."""
    large = evaluate_html(("Content-Encoding", "gzip"), body=REPEATING * 10)
    smaller = evaluate_html(body=REPEATING)

    assert (large.loss, smaller.loss) == (0, 0.8)


def test_a_tiny_body_need_not_be_compressed() -> None:
    """Compressing it could even make it larger."""
    found = evaluate_html(body="<!doctype html><title>Chairs</title>")

    assert (state_of(found), found.loss) == ("small", 0)


def test_a_body_that_does_not_shrink_need_not_be_compressed() -> None:
    """The saving decides, not the size."""
    found = evaluate_html(body=b"".join(sha256(bytes([n])).digest() for n in range(200)))

    assert state_of(found) == "small"


def test_a_missing_length_is_fine() -> None:
    """Chunked answers carry no Content-Length."""
    found = evaluate_html(("Transfer-Encoding", "chunked"), ("Content-Encoding", "gzip"))

    assert found.loss == 0


def test_deflate_alone_costs_half() -> None:
    """Servers disagree about what deflate means."""
    found = evaluate_html(("Content-Encoding", "deflate"))

    assert (state_of(found), found.loss) == ("deflate", 0.5)


def test_an_unknown_coding_is_no_compression() -> None:
    """A charset in the wrong header compresses nothing."""
    found = evaluate_html(("Content-Encoding", "utf-8"))

    assert (state_of(found), found.loss) == ("no_coding", 0.25)


def test_a_coding_that_is_declared_and_not_there_fails() -> None:
    """Browsers show an error in place of the page."""
    headers = (("Content-Type", "text/html"), ("Content-Encoding", "gzip"))
    page = make_response("<!doctype html><p>x", headers=headers, notes=("plain_body",), truncated="coding")

    assert outcome(text_compression, response=page).state == "not_coded"


def test_an_answer_that_varies_must_say_so_to_caches() -> None:
    """Without Vary a cache hands compressed bytes to a client that cannot read them."""
    found = evaluate_html(BROTLI, KEPT)

    assert (state_of(found), found.loss) == ("vary_missing", 0.25)


@pytest.mark.parametrize(
    "headers",
    [
        [KEPT, VARY],
        [KEPT, ("vary", "Cookie"), ("Vary", "ACCEPT-encoding")],
        [KEPT, ("Vary", "*")],
        [("Cache-Control", "private, max-age=600")],
        [("Cache-Control", "no-store")],
        [("Cache-Control", "no-cache, max-age=600")],
        [("Cache-Control", "max-age=0")],
        [],
    ],
)
def test_vary_is_asked_for_only_where_shared_caches_keep_the_answer(headers: list[tuple[str, str]]) -> None:
    """Private and unkept answers reach no other visitor."""
    found = evaluate_html(BROTLI, *headers)

    assert state_of(found) == "compressed"


def test_switching_compression_on_never_costs_points() -> None:
    """Even without Vary it is better than before."""
    before = evaluate_html(KEPT)
    after = evaluate_html(KEPT, BROTLI)
    whole = evaluate_html(KEPT, BROTLI, VARY)

    assert before.loss is not None
    assert after.loss is not None
    assert before.loss > after.loss > (whole.loss or 0)


def test_a_saved_page_is_not_evaluated() -> None:
    """Without a transfer nothing is known of its coding."""
    verdict = run(text_compression, response=make_response(REPEATING, headers=(), wire_bytes=None, http_version=""))

    assert verdict == NotRun("not_measured", "The saved page does not include its transfer size.")


def test_a_saved_page_that_kept_its_header_is_evaluated() -> None:
    """The header says it."""
    found = evaluate_html(BROTLI, wire_bytes=None)

    assert state_of(found) == "compressed"


def test_an_empty_body_is_not_evaluated() -> None:
    """There is nothing to compress."""
    verdict = run(text_compression, response=make_response(b""))

    assert isinstance(verdict, NotApplicable)


@pytest.mark.parametrize(
    ("size", "state", "loss"),
    [(FIRST_ROUND_TRIP_BYTES, "short_uncompressed", 0.25), (FIRST_ROUND_TRIP_BYTES + 1, "uncompressed", 0.8)],
)
def test_html_that_fits_into_the_first_round_trip_costs_a_quarter(size: int, state: str, loss: float) -> None:
    """Compressing it makes nothing arrive earlier."""
    found = evaluate_html(body=REPEATING[:size].ljust(size))

    assert (state_of(found), found.loss) == (state, loss)
