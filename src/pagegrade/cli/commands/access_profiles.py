"""``pagegrade access-profiles``."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeVar

import msgspec
import typer

from pagegrade.cli import exit_codes
from pagegrade.cli.database import opened
from pagegrade.cli.files import typed_lines
from pagegrade.cli.options import typed_access
from pagegrade.cli.output import check_format, write_list, write_stdout
from pagegrade.clock import now_ms
from pagegrade.model.access import MAX_PROFILES, StoredAccess
from pagegrade.model.account import Caller
from pagegrade.model.errors import InvalidInput, NotFound, QuotaExceeded, ValidationFailed
from pagegrade.model.stored import ListPart
from pagegrade.report.serialize import timestamp
from pagegrade.service.access import operations as service
from pagegrade.service.accounts.access import choose_account
from pagegrade.store.engine.database import Transaction
from pagegrade.wiring import make_vault

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


class TypedProfile(msgspec.Struct, frozen=True, kw_only=True):
    """Options of a profile; what is not given stays as it is."""

    name: str | None = None
    origins: tuple[str, ...] = ()
    user: str | None = None
    """``NAME:PASSWORD``, or the file that holds it; likewise the next ones."""
    headers: tuple[str, ...] = ()
    cookies: tuple[str, ...] = ()
    query: tuple[str, ...] = ()
    user_agent: str | None = None
    cacert: str | None = None
    """File of certificates; empty: none are trusted."""

    def fields(self) -> service.AccessFields:
        """As the service takes them, with files read.

        Raises:
            typer.BadParameter: A file cannot be read, or there is no password.
        """
        typed = typed_access(
            self.user, self.headers, self.cookies, user_agent=self.user_agent, origins=self.origins, cacert=self.cacert
        )
        query = [line for each in self.query for line in typed_lines(each, "--query")]
        user, _, password = (typed.user or "").partition(":")
        return service.AccessFields(
            name=self.name,
            origins=typed.origins or None,
            user=None if typed.user is None else user,
            password=None if typed.user is None else password,
            headers=typed.headers or None,
            cookies=typed.cookies or None,
            query=query or None,
            user_agent=typed.user_agent,
            certificates=typed.certificates,
        )


def create(typed: TypedProfile, account_id: int | None) -> None:
    """Create a profile; its id alone goes to stdout."""
    wanted, vault = typed.fields(), make_vault()
    saved = _write(account_id, lambda tx, caller: service.create_profile(tx, caller, wanted, vault, now_ms()))
    sys.stderr.write(f"Created access profile {saved.profile.id}. {_made_private(saved)}".rstrip() + "\n")
    write_stdout(f"{saved.profile.id}\n")


def change(profile_id: int, typed: TypedProfile, account_id: int | None) -> None:
    """Change a profile, such as the cookie of a session that has ended."""
    wanted, vault = typed.fields(), make_vault()

    def work(tx: Transaction, caller: Caller) -> service.Saved:
        return service.update_profile(tx, caller, profile_id, wanted, vault=vault, now_ms=now_ms())

    saved = _write(account_id, _known(profile_id, work))
    sys.stderr.write(f"Access profile {profile_id} is changed. {_made_private(saved)}".rstrip() + "\n")


def delete(profile_id: int, account_id: int | None) -> None:
    """Delete a profile."""
    _write(account_id, _known(profile_id, lambda tx, caller: service.delete_profile(tx, caller, profile_id)))
    sys.stderr.write(f"Access profile {profile_id} is deleted. Its reports are analyzed without it from now on.\n")


def show_all(account_id: int | None, format_name: str) -> None:
    """Write the profiles of an account to stdout, without their secrets."""
    check_format(format_name)
    found = _write(account_id, lambda tx, caller: service.list_profiles(tx, caller, ListPart(per_page=MAX_PROFILES)))
    write_list([_entry(profile) for profile in found.items], COLUMNS, format_name)


def rotate() -> int:
    """Encrypt the secrets of all profiles with the first key; the exit code.

    Raises:
        Locked: There is no key to encrypt with.
    """
    vault = make_vault()
    with opened() as database:
        found = database.write_here(lambda tx: service.seal_again(tx, vault))
    write_stdout(f"{_number(found.former)} encrypted anew; {found.current} had the newest key before.\n")
    if found.unknown:
        sys.stderr.write(
            f"{_number(found.unknown)} cannot be decrypted with any key here. Add the former key to "
            "PAGEGRADE_SECRET_KEY, behind the others, or have their owners enter their secrets again.\n"
        )
        return exit_codes.UNFIT
    sys.stderr.write("Only the first key is needed from now on, and by backups from before the former ones.\n")
    return exit_codes.OK


def _number(profiles: int) -> str:
    return "1 access profile" if profiles == 1 else f"{profiles} access profiles"


def _made_private(saved: service.Saved) -> str:
    return (
        f"Public reports and audits of its origins that are private now: {saved.made_private}."
        if saved.made_private
        else ""
    )


def _write(account_id: int | None, work: Callable[[Transaction, Caller], T]) -> T:
    """Run a use case for an account; ``None``: the only one that works.

    Raises:
        typer.BadParameter: A field cannot be used.
        InvalidInput: The account has as many profiles as it may have.
    """
    try:
        with opened() as database:
            return database.write_here(lambda tx: work(tx, Caller(account=choose_account(tx, account_id, now_ms()))))
    except ValidationFailed as error:
        first = error.violations[0]
        option = _OPTIONS[first.field]
        raise typer.BadParameter(first.message, param_hint=f"'{option}'") from None
    except QuotaExceeded as error:
        raise InvalidInput(error.message) from None


def _known(profile_id: int, work: Callable[[Transaction, Caller], T]) -> Callable[[Transaction, Caller], T]:
    def named(tx: Transaction, caller: Caller) -> T:
        try:
            return work(tx, caller)
        except NotFound:
            raise NotFound(
                f"The account has no access profile {profile_id}; `pagegrade access-profiles list` shows them."
            ) from None

    return named


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
