"""Administrations without a sign-in, and pages that look like them."""

from __future__ import annotations

import pytest

from pagegrade.parse.html.open_administrations import MIN_MANAGED, find_managed_people
from tests.builders import make_document

ROW = "<tr><th>{name}<td>+7 900 000-0{n}-10<td><a href='/manage/orders/delete?id=5821{n}'>X</a></tr>"
BACKUP = "<a href='/manage/backup/download?file=db.sql.gz'>Копия</a>"


def managed(row: str = ROW, more: str = BACKUP, count: int = MIN_MANAGED) -> tuple[str, ...]:
    """The people that are found in a table of such rows."""
    names = ("Ковалёва Ирина", "Åsa Öberg", "山田太郎", "محمد علي", "สมชาย ใจดี")
    rows = "".join(row.format(n=n, name=names[n]) for n in range(count))
    return find_managed_people(make_document(f"<!doctype html><title>x</title><table>{rows}</table>{more}"))


@pytest.mark.parametrize(
    ("row", "more"),
    [
        (ROW, BACKUP),
        (ROW, "<a href=/logout>Αποσύνδεση</a>"),
        (ROW, "<button>ログアウト</button>"),
        (ROW, "<a href=/admin/export/customers.csv>CSV</a>"),
        (ROW.replace("/delete", "/refund"), ""),
        (ROW.replace("+7 900 000-0{n}-10", "a{n}@mailbox.gr"), BACKUP),
        (ROW.replace("/manage/orders/delete?id=5821{n}", "/usuarios/5{n}/eliminar"), BACKUP),
        ("<li>{name} <b>0900 000 0{n}</b> <a href='/orders/delete/5821{n}'>X</a></li>", BACKUP),
    ],
)
def test_administration_without_sign_in(row: str, more: str) -> None:
    """As many rows as make one, and one fewer."""
    found = managed(row, more)

    assert len(found) == MIN_MANAGED
    assert all("…" in one or "***" in one for one in found)
    assert not managed(row, more, MIN_MANAGED - 1)


@pytest.mark.parametrize(
    ("row", "more"),
    [
        (ROW, ""),
        (ROW, "<a href=/login>Log in</a><a href=/logout>Log out</a>"),
        (ROW.replace("+7 900 000-0{n}-10", "12 pieces"), BACKUP),
        (ROW.replace("+7 900 000-0{n}-10", "+7 900 000-00-10"), BACKUP),
        (ROW.replace("/manage/orders/delete?id=5821{n}", "#delete-{n}"), BACKUP),
        (ROW.replace("/manage/orders/delete?id=5821{n}", "/how-to-delete-your-account-{n}"), ""),
        (ROW.replace("/manage/orders/delete?id=5821{n}", "/orders/5821{n}"), BACKUP),
        (ROW.replace("?id=5821{n}", "?id=7"), BACKUP),
        (ROW.replace("/manage/", "https://other.example/manage/"), BACKUP),
    ],
)
def test_pages_for_everybody(row: str, more: str) -> None:
    """Guest books, directories, guides, templates, and lists of goods."""
    assert managed(row, more) == ()


def test_a_link_to_another_site_takes_no_link_of_this_one_away() -> None:
    """A blank that browsers do not cut off makes an address that begins with it one below the page."""
    row = ROW.replace("/manage/", "\u00a0https://other.example/manage/")
    others = "".join(f"<a href='https://other.example/manage/orders/delete?id=5821{n}'>X</a>" for n in range(3))

    assert len(managed(row, BACKUP + others)) == MIN_MANAGED
