"""``pagegrade prove-site``."""

from __future__ import annotations

from typing import Final

from pagegrade.cli import exit_codes
from pagegrade.cli.database import opened
from pagegrade.cli.exit_codes import run_async
from pagegrade.cli.output import write_stdout
from pagegrade.cli.process import OWN_RESPONSES
from pagegrade.clock import now_ms
from pagegrade.gather.temporary import own_folder
from pagegrade.model.audit import AuditSettings, ProofMethod
from pagegrade.model.errors import InvalidInput
from pagegrade.parse.url import host, parse_target_url
from pagegrade.render.escape import visible
from pagegrade.sandbox.pool import Children
from pagegrade.service.accounts.access import choose_account
from pagegrade.service.audits.consent import Proof, proof_of
from pagegrade.service.audits.crawl import begin_crawl
from pagegrade.service.audits.frontier import open_frontier
from pagegrade.service.audits.site_facts import prove_site as find_proof
from pagegrade.service.audits.slice import Slice
from pagegrade.service.runs.options import AnalyzeOptions
from pagegrade.store.engine.database import Transaction
from pagegrade.store.repositories.installation import load_or_make_secret
from pagegrade.wiring import open_audit_database, service_options

FOUND: Final[dict[ProofMethod, str]] = {
    "dns": "The DNS record is there: all hosts of the domain are proved.",
    "file": "The file is there: the host and its www sibling are proved.",
    "meta": "The tag is there: the host and its www sibling are proved.",
    "network": "The host lies in a network of this installation, so it needs no proof.",
}


def prove_site(typed: str, account_id: int | None) -> int:
    """Show the places for the proof that a site is that of an account, and look whether one is there; the exit code.

    Raises:
        InvalidInput, NotFound: What was typed cannot be used.
        Unavailable: The database cannot be used.
    """
    start = parse_target_url(typed).document_url
    options = service_options(workers=0).analyze

    def load(tx: Transaction) -> Proof:
        account = choose_account(tx, account_id, now_ms())
        return proof_of(start, account.id, load_or_make_secret(tx, OWN_RESPONSES))

    with opened() as database:
        proof = database.write_here(load)
    record = [f"TXT record at {proof.record}:", f"  {proof.token}"] if proof.record else []
    file = [f"File {visible(proof.file)} with the line:", f"  {proof.token}"]
    places = [*record, *file, "Tag in the head of the start page:", f"  {proof.meta}"]
    write_stdout("\n".join(places) + "\n")
    found = run_async(_look(start, proof, options))
    said = "None of them is there." if found is None else FOUND[found]
    write_stdout(f"{said}\n")
    return exit_codes.GATE_FAILED if found is None else exit_codes.OK


async def _look(start: str, proof: Proof, options: AnalyzeOptions) -> ProofMethod | None:
    """Look for the proof as the first slice of a crawl does.

    Raises:
        InvalidInput: robots.txt of the site cannot be had, so that nothing may be asked for.
    """
    with own_folder("proof") as folder:
        database = open_audit_database(folder)
        try:
            crawl = await database.write(lambda tx: begin_crawl(tx, start, AuditSettings(), options=options))
            frontier = await open_frontier(database, crawl)
            async with Children(1) as children, Slice(frontier, options=options, children=children) as work:
                allowed = await work.permitted_urls(work.host_of(start), (start, proof.file))
                if allowed is None:
                    name = visible(host(start))
                    raise InvalidInput(f"robots.txt of {name} cannot be had, so nothing may be asked for. Try later.")
                return await find_proof(work, start, proof, allowed)
        finally:
            database.close()
