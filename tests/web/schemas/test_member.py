"""The JSON objects of members and invitations."""

from __future__ import annotations

import msgspec

from pagegrade.model.account import Account, Role, Teammate
from pagegrade.model.account import Invitation as StoredInvitation
from pagegrade.web.schemas.member import Invitation, MadeInvitation, Member, invitation_object, member_object

BOB = Account(id=7, name="Bob", email="bob@example.org", created_at_ms=1)
INVITED = StoredInvitation(id=4, account_id=1, role=Role.ADMIN, label="Bob", created_at_ms=1, expires_at_ms=2)


def test_a_member_has_the_members_of_its_description() -> None:
    """The person whose own account it is did not join it."""
    made = msgspec.json.decode(member_object(Teammate(person=BOB, role=Role.OWNER, joined_at_ms=None)))
    joined = msgspec.json.decode(member_object(Teammate(person=BOB, role=Role.VIEWER, joined_at_ms=1)))

    assert set(made) == set(Member.model_fields)
    assert (made["id"], made["role"], made["joined_at"]) == (7, "owner", None)
    assert (joined["role"], joined["joined_at"]) == ("viewer", "1970-01-01T00:00:00.001Z")


def test_an_invitation_has_its_link_only_where_it_is_given() -> None:
    """And its account nowhere."""
    shown = msgspec.json.decode(invitation_object(INVITED))
    made = msgspec.json.decode(invitation_object(INVITED, url="https://x.example/join/a", mailed=None))

    assert set(shown) == set(Invitation.model_fields)
    assert set(made) == set(MadeInvitation.model_fields)
    assert (shown["role"], made["url"]) == ("admin", "https://x.example/join/a")
