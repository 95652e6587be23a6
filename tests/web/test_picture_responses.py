from __future__ import annotations

from pagegrade.service.reports.pictures import ShownPicture
from pagegrade.web.http.headers import INERT
from pagegrade.web.picture_responses import picture_response


def test_a_picture_is_inert_and_asked_about_each_time() -> None:
    """Opened by itself it can do nothing; another account on the same browser gets it from us or not at all."""
    answer = picture_response(
        ShownPicture(tag="slug 1 viewport", media_type="image/webp", body=b"RIFF"), headers=(("Vary", "Cookie"),)
    )

    assert (answer.status_code, answer.body) == (200, b"RIFF")
    assert answer.headers["content-type"] == "image/webp"
    assert answer.headers["cache-control"] == "private, no-cache"
    assert answer.headers["content-security-policy"] == INERT[1]
    assert answer.headers["vary"] == "Cookie"


def test_a_known_picture_is_not_sent_again() -> None:
    """The tag is the same, and says nothing of the report."""
    whole = picture_response(ShownPicture(tag="slug 1 viewport", media_type="image/webp", body=b"RIFF"))
    known = picture_response(ShownPicture(tag="slug 1 viewport", media_type="image/webp", body=None))

    assert (known.status_code, known.body) == (304, b"")
    assert known.headers["etag"] == whole.headers["etag"]
    assert "slug" not in whole.headers["etag"]
