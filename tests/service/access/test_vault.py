from __future__ import annotations

import stat
from pathlib import Path

import pytest

from pagegrade.service.access.vault import KEY_FILE, Locked, Vault

OLD, NEW = "o" * 32, "n" * 32
SECRET = b"n0t-Shown"


def test_what_is_sealed_is_opened_with_the_same_key_alone() -> None:
    """And nothing of it shows meanwhile."""
    sealed = Vault(keys=(OLD,)).seal(SECRET)

    assert SECRET not in sealed
    assert Vault(keys=(OLD,)).open(sealed) == SECRET
    with pytest.raises(Locked, match="another key"):
        Vault(keys=(NEW,)).open(sealed)


def test_keys_are_rotated() -> None:
    """The first one encrypts; what a former one has encrypted is still read."""
    sealed = Vault(keys=(OLD,)).seal(SECRET)
    both = Vault(keys=(NEW, OLD))

    assert both.open(sealed) == SECRET
    assert [vault.key_of(sealed) for vault in (Vault(keys=(OLD,)), both, Vault(keys=(NEW,)), Vault())] == [
        "current", "former", "unknown", "unknown",
    ]  # fmt: skip
    assert Vault(keys=(NEW,)).open(both.seal(SECRET)) == SECRET


def test_without_a_key_one_is_made_for_this_user_alone(tmp_path: Path) -> None:
    """When it is first needed, and it stays."""
    path = tmp_path / KEY_FILE
    first = Vault(file=path)
    with pytest.raises(Locked):
        first.open(b"anything")
    kept_before = path.exists()
    sealed = first.seal(SECRET)

    assert not kept_before
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert Vault(file=path).open(sealed) == SECRET
    assert Vault(file=path).open(Vault(file=path).seal(SECRET)) == SECRET
    assert [each.name for each in tmp_path.iterdir()] == [KEY_FILE]


def test_without_a_place_for_a_key_nothing_is_sealed(tmp_path: Path) -> None:
    """The message names the setting."""
    for vault in (Vault(), Vault(file=tmp_path / "missing" / KEY_FILE)):
        with pytest.raises((Locked, OSError)):
            vault.seal(SECRET)
    with pytest.raises(Locked, match="PAGEGRADE_SECRET_KEY"):
        Vault().seal(SECRET)


def test_keys_are_not_shown() -> None:
    """As values are in tracebacks."""
    assert OLD not in repr(Vault(keys=(OLD,)))
