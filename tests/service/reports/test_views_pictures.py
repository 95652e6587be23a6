from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from pagegrade.model.errors import NotFound
from pagegrade.model.stored import PackedPicture
from pagegrade.report.codec import pack_report
from pagegrade.service.reports.views import ShownPicture, show_picture
from tests.report_builders import make_report
from tests.service.instance import Instance, caller_of
from tests.store_builders import add_owner, make_database

FIRST = b"RIFF\x04\0\0\0WEBP"
SECOND = b"RIFF\x08\0\0\0WEBPVP8 "


@pytest.fixture
def instance(tmp_path: Path) -> Iterator[Instance]:
    """A service with a report of Alice that has a picture."""
    database = make_database(tmp_path)
    made = Instance(database, caller_of(add_owner(database)[0]), caller_of(add_owner(database, "Bob")[0]))
    made.create()
    made.finish(replace(pack_report(make_report()), pictures=(PackedPicture(name="viewport", body=FIRST),)))
    yield made
    database.close()


def show(instance: Instance, name: str = "viewport", *, known: str = "", by_bob: bool = False) -> ShownPicture:
    """The picture of the report."""
    who = instance.bob if by_bob else instance.alice
    return instance.database.read_here(
        lambda tx: show_picture(
            tx, who, 1, instance.options, instance.now_ms, name=name, is_known=lambda tag: tag == known
        )
    )


def test_a_picture_comes_once(instance: Instance) -> None:
    """With the tag by which its client can ask again; another run has another one."""
    first = show(instance)
    again = show(instance, known=first.tag)
    instance.update(1, results=1)
    instance.finish(replace(pack_report(make_report()), pictures=(PackedPicture(name="viewport", body=SECOND),)))
    later = show(instance, known=first.tag)

    assert first.body == FIRST
    assert (again.tag, again.body) == (first.tag, None)
    assert later.body == SECOND


@pytest.mark.parametrize("name", ["", "full-page", "x" * 17, "view\0port", "viewp\u00f6rt"])
def test_a_picture_that_there_is_not_is_not_found(instance: Instance, name: str) -> None:
    """However strange its name is."""
    with pytest.raises(NotFound):
        show(instance, name)


def test_pictures_of_others_are_not_found(instance: Instance) -> None:
    """As those that never were."""
    with pytest.raises(NotFound):
        show(instance, by_bob=True)
