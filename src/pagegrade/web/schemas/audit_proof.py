"""The proof that the site of an audit is that of its account."""

from __future__ import annotations

from typing import Annotated, Final, Literal

import msgspec

from pagegrade.model.audit import META_NAME, Audit, ProofMethod
from pagegrade.model.schema import URL, about
from pagegrade.service.audits.consent import proof_of
from pagegrade.web.schemas.envelope import Answer
from pagegrade.web.schemas.shape import Document

_SHOWN: Final = "0f3a5c7e9b1d2f400f3a5c7e9b1d2f40"


class AuditProofDocument(Document, frozen=True, kw_only=True):
    """Three places of which one proves that a site is yours."""

    object: Annotated[Literal["audit_proof"], about("The kind of object.", "audit_proof")]
    token: Annotated[
        str, about("The same for all audits of your account of one registrable domain; no secret.", _SHOWN)
    ]
    record: Annotated[
        str | None,
        about(
            "Name of a DNS TXT record with the token as its text; it proves all hosts of the domain. null: an address "
            "has none.",
            "_pagegrade.example.com",
        ),
    ]
    file: Annotated[
        URL,
        about(
            "URL of a text file with the token on a line of its own.", "https://example.com/.well-known/pagegrade.txt"
        ),
    ]
    meta: Annotated[str, about("Tag in the head of the start page.", f'<meta name="{META_NAME}" content="{_SHOWN}">')]
    found: Annotated[
        ProofMethod | None, about("Proof that the newest crawl found; null: it found none, or needed none.", "file")
    ]


class AuditProofAnswer(Answer, frozen=True, kw_only=True):
    """The proof of an audit."""

    data: Annotated[AuditProofDocument, about("The proof.")]


def audit_proof_object(audit: Audit, key: bytes) -> bytes:
    """The JSON object of the proof for an audit; ``key`` as of ``proof_of``."""
    proof, facts = proof_of(audit.start_url, audit.account_id, key), audit.crawl.facts
    return msgspec.json.encode(
        AuditProofDocument(
            object="audit_proof",
            token=proof.token,
            record=proof.record or None,
            file=proof.file,
            meta=proof.meta,
            found=None if facts is None else facts.proof,
        )
    )
