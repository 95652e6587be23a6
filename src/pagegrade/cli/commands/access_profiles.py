"""``pagegrade access-profiles``."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Final, TypeVar

import typer

from pagegrade.cli import exit_codes
from pagegrade.cli.access_options import typed_access
from pagegrade.cli.database import in_account, opened
from pagegrade.cli.files import typed_lines
from pagegrade.cli.options import Format
from pagegrade.cli.output import check_format, write_list, write_stdout
from pagegrade.clock import now_ms
from pagegrade.model.access import MAX_PROFILES, StoredAccess
from pagegrade.model.account import Caller
from pagegrade.model.errors import ValidationFailed
from pagegrade.model.stored import ListPart
from pagegrade.report.serialize import timestamp
from pagegrade.service.access import operations as service
from pagegrade.store.engine.database import Transaction
from pagegrade.wiring import make_vault

access_profiles = typer.Typer(rich_markup_mode=None)

OwnerOfProfile = Annotated[
    int | None, typer.Option("--account", metavar="ID", help="Account of the profile; optional if there is only one.")
]
ProfileName = Annotated[str | None, typer.Option("--name", metavar="NAME", help="Name that reports show.")]
Origins = Annotated[
    list[str] | None,
    typer.Option("--origin", metavar="ORIGIN", help="Such as https://staging.example; sent nowhere else. Repeatable."),
]
User = Annotated[
    str | None,
    typer.Option("--user", "-u", metavar="NAME[:PASSWORD]", help="Basic authentication; @FILE reads it from a file."),
]
Headers = Annotated[
    list[str] | None,
    typer.Option("--header", "-H", metavar="'Name: value'", help="@FILE has one a line. Repeatable."),
]
Cookies = Annotated[
    list[str] | None, typer.Option("--cookie", "-b", metavar="'a=b; c=d'", help="Or @FILE. Repeatable.")
]
Query = Annotated[
    list[str] | None,
    typer.Option("--query", metavar="name=value", help="Parameter that is added to URLs, or @FILE. Repeatable."),
]
UserAgent = Annotated[
    str | None, typer.Option("--user-agent", "-A", metavar="TEXT", help="Instead of Pagegrade's own.")
]
Authorities = Annotated[
    str | None,
    typer.Option("--cacert", metavar="FILE", help="Certificates (PEM) to trust, too: of your own authority or server."),
]
ProfileId = Annotated[int, typer.Argument(metavar="ID", help="As `pagegrade access-profiles list` shows it.")]

T = TypeVar("T")
COLUMNS: Final = {"id": "ID", "name": "NAME", "origins": "ORIGINS", "sends": "SENDS", "changed_at": "CHANGED"}
_OPTIONS: Final = {
    "name": "--name",
    "origins": "--origin",
    "user": "--user",
    "password": "--user",
    "headers": "--header",
    "cookies": "--cookie",
    "query": "--query",
    "user_agent": "--user-agent",
    "certificates": "--cacert",
}
"""Field of a profile -> the option that gives it."""


def _fields(
    *,
    name: str | None,
    origin: Sequence[str] | None,
    user: str | None,
    header: Sequence[str] | None,
    cookie: Sequence[str] | None,
    query: Sequence[str] | None,
    user_agent: str | None,
    cacert: str | None,
) -> service.AccessFields:
    """Options of a profile as the service takes them, with files read; what is not given stays as it is.

    Raises:
        typer.BadParameter: A file cannot be read, or there is no password.
    """
    typed = typed_access(user, header or (), cookie or (), user_agent=user_agent, origins=origin or (), cacert=cacert)
    lines = [line for each in query or () for line in typed_lines(each, "--query")]
    user_name, _, password = (typed.user or "").partition(":")
    return service.AccessFields(
        name=name,
        origins=typed.origins or None,
        user=None if typed.user is None else user_name,
        password=None if typed.user is None else password,
        headers=typed.headers or None,
        cookies=typed.cookies or None,
        query=lines or None,
        user_agent=typed.user_agent,
        certificates=typed.certificates,
    )


@access_profiles.command("list")
def show_all(*, account_id: OwnerOfProfile = None, format_name: Format = "text") -> None:
    """List the access profiles of an account, without their secrets."""
    check_format(format_name)
    found = _write(account_id, lambda tx, caller: service.list_profiles(tx, caller, ListPart(per_page=MAX_PROFILES)))
    write_list([_entry(profile) for profile in found.items], COLUMNS, format_name)


@access_profiles.command("create")
def create(
    *,
    name: ProfileName = None,
    origin: Origins = None,
    user: User = None,
    header: Headers = None,
    cookie: Cookies = None,
    query: Query = None,
    user_agent: UserAgent = None,
    cacert: Authorities = None,
    account_id: OwnerOfProfile = None,
) -> None:
    """Create an access profile and print its id; analyses of its origins use it from now on."""
    wanted = _fields(
        name=name,
        origin=origin,
        user=user,
        header=header,
        cookie=cookie,
        query=query,
        user_agent=user_agent,
        cacert=cacert,
    )
    vault = make_vault()
    saved = _write(account_id, lambda tx, caller: service.create_profile(tx, caller, wanted, vault, now_ms()))
    sys.stderr.write(f"Created access profile {saved.profile.id}. {_made_private(saved)}".rstrip() + "\n")
    write_stdout(f"{saved.profile.id}\n")


@access_profiles.command("change")
def change(
    profile_id: ProfileId,
    *,
    name: ProfileName = None,
    origin: Origins = None,
    user: User = None,
    header: Headers = None,
    cookie: Cookies = None,
    query: Query = None,
    user_agent: UserAgent = None,
    cacert: Authorities = None,
    account_id: OwnerOfProfile = None,
) -> None:
    """Change an access profile: all origins, all headers, all cookies or all parameters, or one of the others."""
    wanted = _fields(
        name=name,
        origin=origin,
        user=user,
        header=header,
        cookie=cookie,
        query=query,
        user_agent=user_agent,
        cacert=cacert,
    )
    vault = make_vault()

    def work(tx: Transaction, caller: Caller) -> service.Saved:
        return service.update_profile(tx, caller, profile_id, wanted, vault=vault, now_ms=now_ms())

    saved = _write(account_id, work, _no_profile(profile_id))
    sys.stderr.write(f"Access profile {profile_id} is changed. {_made_private(saved)}".rstrip() + "\n")


@access_profiles.command("delete")
def delete(profile_id: ProfileId, *, account_id: OwnerOfProfile = None) -> None:
    """Delete an access profile; its reports are analyzed without it from now on."""
    _write(account_id, lambda tx, caller: service.delete_profile(tx, caller, profile_id), _no_profile(profile_id))
    sys.stderr.write(f"Access profile {profile_id} is deleted. Its reports are analyzed without it from now on.\n")


@access_profiles.command("rotate")
def rotate() -> None:
    """Encrypt the secrets of all accounts with the first key of PAGEGRADE_SECRET_KEY, so that others can go."""
    vault = make_vault()
    with opened() as database:
        found = database.write_here(lambda tx: service.seal_again(tx, vault))
    write_stdout(f"{_number(found.former)} encrypted anew; {found.current} had the newest key before.\n")
    if found.unknown:
        sys.stderr.write(
            f"{_number(found.unknown)} cannot be decrypted with any key here. Add the former key to "
            "PAGEGRADE_SECRET_KEY, behind the others, or have their owners enter their secrets again.\n"
        )
        raise typer.Exit(exit_codes.UNFIT)
    sys.stderr.write("Only the first key is needed from now on, and by backups from before the former ones.\n")


def _number(profiles: int) -> str:
    return "1 access profile" if profiles == 1 else f"{profiles} access profiles"


def _made_private(saved: service.Saved) -> str:
    return (
        f"Public reports and audits of its origins that are private now: {saved.made_private}."
        if saved.made_private
        else ""
    )


def _write(account_id: int | None, work: Callable[[Transaction, Caller], T], missing: str = "") -> T:
    """Run a use case as ``in_account``.

    Raises:
        typer.BadParameter: A field cannot be used.
    """
    try:
        return in_account(account_id, work, missing=missing)
    except ValidationFailed as error:
        first = error.violations[0]
        option = _OPTIONS[first.field]
        raise typer.BadParameter(first.message, param_hint=f"'{option}'") from None


def _no_profile(profile_id: int) -> str:
    return f"The account has no access profile {profile_id}; `pagegrade access-profiles list` shows them."


def _entry(profile: StoredAccess) -> Mapping[str, object]:
    sends: Sequence[str] = [
        *([f"Basic {profile.user}"] if profile.user or profile.has_password else []),
        *(f"header {name}" for name in profile.headers),
        *(f"cookie {name}" for name in profile.cookies),
        *(f"parameter {name}" for name in profile.query),
        *(["user agent"] if profile.user_agent else []),
        *(f"trust in {subject}" for subject in profile.certificates),
    ]
    return {
        "id": profile.id,
        "name": profile.name,
        "origins": list(profile.origins),
        "sends": sends,
        "created_at": timestamp(profile.created_at_ms),
        "changed_at": timestamp(profile.updated_at_ms),
    }
