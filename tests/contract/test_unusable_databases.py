"""Every command on every kind of database that cannot be used: a sentence with the reason, no traceback, no secret."""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from pagegrade.cli.app import run
from pagegrade.store.engine.factory import open_database
from pagegrade.store.schema.migrate import migrate, revisions
from tests import postgres

SECRET: Final = "tops3cret"
Say = Callable[[str, tuple[str, ...]], tuple[int, str]]
COMMANDS: Final = (
    ("doctor", "--format", "json"),
    ("accounts", "list"),
    ("keys", "list"),
    ("monitors", "list"),
    ("webhooks", "list"),
    ("migrate", "--check"),
    ("migrate",),
    ("prune", "--dry-run", "--days", "1"),
    ("serve", "--port", "0"),
)
URLS: Final = {
    "no URL": (SECRET, "cannot be read"),
    "another database": (f"mysql://u:{SECRET}@{{server}}/postgres", "not used here"),
    "another driver": (f"postgresql+asyncpg://u:{SECRET}@{{server}}/postgres", "Begin it with postgresql.psycopg"),
    "parameters of a file": ("sqlite:////nowhere/x.db?schema=public", "has a path and nothing else"),
    "a schema": (f"postgresql://pagegrade:{SECRET}@{{server}}/postgres?schema=public", "the parameter schema"),
    "a parameter twice": (f"postgresql://pagegrade@{{server}}/x?sslmode=a&sslmode={SECRET}", "more than once"),
    "a bad value": (f"postgresql://pagegrade:{SECRET}@{{server}}/postgres?sslmode=yes", "invalid sslmode value"),
    "a raw @": (f"postgresql://pagegrade:a@{SECRET}@{{server}}/postgres", "more than one @"),
    "a raw @ and :": (f"postgresql://pagegrade:a@b:{SECRET}@{{server}}/postgres", "more than one @"),
    "a raw @ and /": (f"postgresql://pagegrade:a@{SECRET}/b@{{server}}/postgres", "more than one @"),
    "a raw @ and ?": (f"postgresql://pagegrade:a@b/c?{SECRET}@{{server}}/postgres", "more than one @"),
    "a raw /, # and ?": (f"postgresql://pagegrade:a/#?{SECRET}@{{server}}/missing", 'database "missing" does not'),
    "no port": (f"postgresql://pagegrade@127.0.0.1:{SECRET}/postgres", "cannot be read"),
    "a port that is none": (f"postgresql://pagegrade:{SECRET}@127.0.0.1:99999/postgres", "no usable host and port"),
    "no database": (f"postgresql://pagegrade:{SECRET}@{{server}}", "names no database"),
    "a missing database": (f"postgres://pagegrade:{SECRET}@{{server}}/missing", 'database "missing" does not exist'),
    "a missing user": (f"postgres://unknown:{SECRET}@{{server}}/postgres", 'role "unknown" does not exist'),
    "missing TLS": (f"postgres://pagegrade:{SECRET}@{{server}}/postgres?sslmode=require", "does not support SSL"),
    "no such host": (f"postgres://pagegrade:{SECRET}@a..b/postgres", "address of the server cannot be used"),
    "nothing listens": (f"postgres://pagegrade:{SECRET}@127.0.0.1:1/postgres", "Connection refused"),
}
"""Fault -> (URL, pattern of the reason)."""


def whole(folder: Path) -> bytes:
    """A database of this version."""
    database = open_database(f"sqlite:///{folder / 'whole.db'}")
    migrate(database)
    database.close()
    return (folder / "whole.db").read_bytes()


def with_revision(revision: str) -> Callable[[Path], bytes]:
    """The file of a database that says it is of this version, or of an earlier one, and has other tables."""
    return tables(
        f"CREATE TABLE alembic_version (version_num DEFAULT '{revision}')",
        "INSERT INTO alembic_version DEFAULT VALUES",
        "CREATE TABLE installation (name, value)",
    )


def tables(*statements: str) -> Callable[[Path], bytes]:
    """The file of a database with these tables."""

    def make(folder: Path) -> bytes:
        with sqlite3.connect(folder / "other.db") as other:
            for statement in statements:
                other.execute(statement)
        other.close()
        return (folder / "other.db").read_bytes()

    return make


FILES: Final[dict[str, tuple[Callable[[Path], bytes], str]]] = {
    "another program's": (tables("CREATE TABLE posts (id)"), "of another program"),
    "another Alembic's": (
        tables("CREATE TABLE alembic_version (version_num)", "INSERT INTO alembic_version VALUES ('ae1027')"),
        "a later (Pagegrade|version)",
    ),
    "a strange Alembic's": (tables("CREATE TABLE alembic_version (other)"), "no such column: version_num"),
    "our revision, other tables": (with_revision(revisions()[-1]), "of another program"),
    "our first revision, other tables": (with_revision(revisions()[0]), "of another program"),
    "half": (lambda folder: (content := whole(folder))[: len(content) // 2], "SQLITE_CORRUPT"),
    "a piece": (lambda folder: whole(folder)[:60], "SQLITE_"),
    "damaged": (lambda folder: whole(folder)[:100] + b"\xa5" * 200_000, "SQLITE_CORRUPT"),
    "noise": (lambda _: b"\xa5" * 20_000, "file is not a database"),
}
"""Fault -> (makes the content of the file, pattern of the reason)."""


@pytest.fixture
def say(tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Say:
    """Run a command on a URL; its exit code and all it said."""
    for name in list(os.environ):
        if name.startswith("PAGEGRADE_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("PAGEGRADE_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("PAGEGRADE_DATABASE_WAIT_SECONDS", "0")
    monkeypatch.setenv("PAGEGRADE_RENDER", "never")
    monkeypatch.chdir(tmp_path)

    def command(url: str, arguments: tuple[str, ...]) -> tuple[int, str]:
        monkeypatch.setenv("PAGEGRADE_DATABASE_URL", url)
        capfd.readouterr()
        code = run(arguments)
        said = capfd.readouterr()
        return code, said.out + said.err

    return command


def check(say: Say, url: str, words: str) -> None:
    """Every command ends with the reason; only a doctor that skips a check may say that there is none."""
    for arguments in COMMANDS:
        code, said = say(url, arguments)

        assert code in {2, 4, 5}, (arguments, said)
        assert re.search(words, said.replace('\\"', '"')), (arguments, said)
        assert "Traceback" not in said, (arguments, said)
        assert SECRET not in said, (arguments, said)


@pytest.mark.parametrize("wrong", URLS)
def test_a_url_that_cannot_be_used(say: Say, wrong: str) -> None:
    """The driver's reason where one was asked, and nothing of a password, whatever part of the URL it got into."""
    url, words = URLS[wrong]
    check(say, url.format(server=f"127.0.0.1:{postgres.shared_server().port}"), words)


@pytest.mark.parametrize("wrong", FILES)
def test_a_file_that_cannot_be_used(say: Say, tmp_path: Path, wrong: str) -> None:
    """The reason in SQLite's words."""
    make, words = FILES[wrong]
    (tmp_path / "made").mkdir()
    (tmp_path / "pagegrade.db").write_bytes(make(tmp_path / "made"))
    check(say, f"sqlite:///{tmp_path / 'pagegrade.db'}", words)


def test_a_folder_in_place_of_the_file(say: Say, tmp_path: Path) -> None:
    """It cannot be opened."""
    (tmp_path / "pagegrade.db").mkdir()
    check(say, f"sqlite:///{tmp_path / 'pagegrade.db'}", "SQLITE_CANTOPEN")


@pytest.mark.parametrize("encoding", ["LATIN1", "SQL_ASCII"])
def test_a_server_database_of_another_encoding(say: Say, encoding: str) -> None:
    """It gets no tables, and its encoding is named."""
    server = postgres.shared_server()
    name = f"encoded_{encoding.lower()}"
    options = f"ENCODING '{encoding}' TEMPLATE template0 LOCALE_PROVIDER libc LOCALE 'C' OWNER pagegrade"
    server.execute(f"CREATE DATABASE {name} {options}")
    for arguments in COMMANDS:
        if arguments != ("migrate", "--check"):
            code, said = say(server.url(name), arguments)

            assert code in {2, 5}, (arguments, said)
            assert encoding in said, (arguments, said)
            assert "Traceback" not in said, (arguments, said)


def test_a_password_that_is_wrong_is_named_and_not_shown(say: Say, tmp_path: Path) -> None:
    """By a server that asks for one."""
    server = postgres.Postgres()
    try:
        rules = (server.data / "pg_hba.conf").read_text()
        server.start()
        server.execute("ALTER ROLE pagegrade PASSWORD 'another'")
        (server.data / "pg_hba.conf").write_text(
            "host all pagegrade 127.0.0.1/32 scram-sha-256\n" + rules, encoding="utf-8"
        )
        server.execute("SELECT pg_reload_conf()")
        check(
            say, server.url("postgres").replace("pagegrade@", f"pagegrade:{SECRET}@"), "password authentication failed"
        )
    finally:
        server.close()
