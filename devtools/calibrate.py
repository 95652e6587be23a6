"""Calibration of the grades: ``make calibrate`` grades labeled and real pages and prints the results.

Both sets lie beside the checkout, in ``../shared``: ``grading`` (pages with known grades, and a server for them) and
``corpus`` (saved pages of well-known sites, which that server answers with ordinary headers). Everything runs in a
network namespace of its own (``unshare``, no privileges needed), so nothing leaves the machine. Without the folder or
the namespace nothing is graded, which is printed and counted as a skip.

With ``--render`` a browser draws every page as well, as ``pagegrade analyze --render`` does: three loads over the line
of a phone. Without a browser that is a skip, too.

The exit status is 1 when a law of the grade does not hold: the constants below.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import importlib.util
import json
import os
import re
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec
from msgspec.structs import replace

from devtools.mutations import COUNTED, GRAVE, MIN_FALL, NUMBERS, WHOLE
from pagegrade.gather.browser.options import HOW_TO_GET_ONE, find_browser
from pagegrade.model.artifacts import NotGathered
from pagegrade.model.report import DECENT_FROM, GOOD_FROM
from pagegrade.parse.html.parser import parse_document
from pagegrade.parse.url import host as host_of
from pagegrade.report.artifacts_file import load_artifacts
from pagegrade.service.catalogue import check_penalties
from pagegrade.service.runs.evaluation import evaluate_artifacts

ROOT: Final = Path(__file__).resolve().parent.parent
MIN_RIGHT: Final = 0.95
"""Share of the labeled pages whose result is their label."""
MAX_GOOD: Final = 0.5
"""Share of the corpus below which its good pages stay."""
NEAR_BAD: Final = DECENT_FROM + 5
"""A score below this is bad or near it ..."""
MIN_NEAR_BAD: Final = 2
"""... as at least so many pages of the corpus are."""
MEDIAN: Final = (60, 75)
"""Between these lies the median score of the corpus."""
_UNKNOWN: Final = NotGathered(code="skipped", detail="Not asked for.")
GRADES: Final = ("good", "decent", "bad", "none")
BROWSERS: Final = 2
"""Pages that are drawn at the same time."""
NO_NAMESPACE: Final = 3
"""Status where no namespace is permitted."""
_ADDRESS: Final = re.compile(
    r"<link\b[^>]*\brel=[\"']?canonical\b[^>]*\bhref=[\"']?https?://([^\"'\s>#]+)"
    r"|<meta\b[^>]*\bproperty=[\"']?og:url\b[^>]*\bcontent=[\"']?https?://([^\"'\s>#]+)",
    re.IGNORECASE,
)
Row = Mapping[str, Any]
"""One page: ``id``, ``label`` (``None`` for the corpus), ``also`` (results that can be defended as well) and ``report``
(as JSON, or ``None``)."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit status."""
    parser = argparse.ArgumentParser(prog="python -m devtools.calibrate")
    parser.add_argument(
        "--shared", type=Path, default=ROOT.parent / "shared", help="the folder with both sets of pages"
    )
    parser.add_argument("--save", type=Path, help="a file to keep the reports in, one JSON object a line")
    parser.add_argument("--render", action="store_true", help="draw the pages in a browser, too")
    parser.add_argument("--labeled", action="store_true", help="only the labeled pages")
    parser.add_argument(
        "--mutations", action="store_true", help="add faults to the labeled pages: no grade may get better"
    )
    parser.add_argument("--only", default="", help="only pages whose id contains this; the laws need all of them")
    parser.add_argument("--inside", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if not (given.shared / "grading" / "serve.py").is_file():
        return _skip("there are no labeled pages beside the checkout")
    if given.render and find_browser() is None:
        return _skip(f"there is no browser. {HOW_TO_GET_ONE}")
    if given.inside is not None and given.mutations:
        given.inside.write_text(json.dumps(list(mutated(given.shared, only=given.only))), encoding="utf-8")
        return 0
    if given.inside is not None:
        graded = grade(given.shared, render=given.render, corpus=not given.labeled, only=given.only)
        with given.inside.open("w", encoding="utf-8") as file:
            for row in graded:
                file.write(f"{json.dumps(row)}\n")
                file.flush()
        return 0
    with tempfile.TemporaryDirectory() as scratch:
        results = (given.save or Path(scratch, "results.jsonl")).resolve()
        command = [sys.executable, "-B", "-m", "devtools.calibrate", "--shared", str(given.shared.resolve())]
        command += [flag for flag in ("--render", "--labeled", "--mutations") if getattr(given, flag[2:])]
        command += ["--only", given.only]
        status = unshare([*command, "--inside", str(results)])
        if status:
            return _skip("no private network namespace is permitted here") if status == NO_NAMESPACE else status
        rows = [json.loads(line) for line in results.read_text(encoding="utf-8").splitlines()]
        if not (rows[0] if given.mutations else rows):
            sys.stdout.write(f"No page was graded: the id of none contains {given.only!r}.\n")
            return 2
        if given.mutations:
            text, faults = mutation_report(rows[0])
            sys.stdout.write(text)
            return 1 if faults else 0
    corpus = None if given.labeled else [row for row in rows if not row["label"]]
    text, faults = report([row for row in rows if row["label"]], corpus, whole=not given.only)
    sys.stdout.write(text)
    if given.render:
        drawn = sum((row["report"] or {}).get("rendered") is not None for row in rows)
        sys.stdout.write(f"Drawn in a browser: {drawn} of {len(rows)}\n")
    return 1 if faults else 0


def _skip(reason: str) -> int:
    sys.stdout.write(f"make calibrate: 1 skipped ({reason})\n")
    return 0


def unshare(command: Sequence[str]) -> int:
    """Run a command of ours in a network and mount namespace of its own, as the user that runs this; its exit status.

    Users keep their identity, because a browser does not start as root, and no other user exists in a new namespace.
    """
    tool = shutil.which("unshare")
    flags = ["-nm"] if os.geteuid() == 0 else ["-cnm", "--keep-caps"]
    if tool is None or subprocess.run([tool, *flags, "true"], capture_output=True, check=False).returncode:
        return NO_NAMESPACE
    return subprocess.run([tool, *flags, "--", *command], cwd=ROOT, check=False).returncode


def report(labeled: Sequence[Row], corpus: Sequence[Row] | None, *, whole: bool = True) -> tuple[str, list[str]]:
    """(what to print, the laws that do not hold); ``None`` for a corpus that was not asked for.

    Laws are about all pages: without the ``whole`` they are not checked.
    """
    faults = [*label_faults(labeled), *(() if corpus is None else spread_faults(corpus))] if whole else []
    unbroken = "All laws hold." if whole else "Only some pages were graded: the laws were not checked."
    parts = [
        confusion(labeled),
        *(() if corpus is None else (spread(corpus),)),
        penalties([row["report"] for row in (*labeled, *(corpus or ())) if score_of(row) is not None]),
        "\n".join(f"BELOW THE LAWS: {fault}" for fault in faults) or unbroken,
    ]
    return "\n\n".join(parts) + "\n", faults


def result_of(row: Row) -> str:
    """``good``, ``decent``, ``bad``, or ``none`` for a failed analysis and a withheld result."""
    return (row["report"] or {}).get("result") or "none"


def score_of(row: Row) -> int | None:
    """The score; ``None`` without a result."""
    return (row["report"] or {}).get("score")


def is_near(row: Row) -> bool:
    """Return whether the result is the label, a defensible one, or the adjacent grade; no grade is adjacent to none."""
    label, result = row["label"], result_of(row)
    return result in {label, *row.get("also", ())} or (
        "none" not in {label, result} and {label, result} != {"good", "bad"}
    )


def label_faults(rows: Sequence[Row]) -> list[str]:
    """List the violations of the requirements by the labeled pages."""
    right = sum(row["label"] == result_of(row) for row in rows)
    far = [f"{row['id']} is {result_of(row)} ({score_of(row)}), not {row['label']}" for row in rows if not is_near(row)]
    few = f"{right} of {len(rows)} labeled pages are right; it takes {MIN_RIGHT:.0%}"
    return [*([few] if right < MIN_RIGHT * len(rows) else []), *far]


def spread_faults(rows: Sequence[Row]) -> list[str]:
    """List the violations of the requirements by the corpus."""
    scores = [score for row in rows if (score := score_of(row)) is not None]
    if not scores:
        return ["no page of the corpus was graded"]
    good = sum(result_of(row) == "good" for row in rows)
    near_bad = sum(score < NEAR_BAD for score in scores)
    median = statistics.median(scores)
    checks = (
        (good < MAX_GOOD * len(rows), f"{good} of {len(rows)} pages of the corpus are good"),
        (near_bad >= MIN_NEAR_BAD, f"{near_bad} pages of the corpus are bad or near it"),
        (MEDIAN[0] <= median <= MEDIAN[1], f"the median of the corpus is {median:g}"),
        (len(scores) == len(rows), f"{len(rows) - len(scores)} pages of the corpus have no grade"),
    )
    return [what for holds, what in checks if not holds]


def mutation_report(rows: Sequence[Sequence[Any]]) -> tuple[str, list[str]]:
    """(what to print, the laws that do not hold) of (page, fault, scores without it and with more and more of it).

    ``None`` is no grade: a page that has none any more has fallen to nothing, and one that had none cannot rise.
    """
    faults, lines = list[str](), [f"{'fault':36}{'median fall':>12}{'pages':>7}"]
    for fault in dict.fromkeys(fault for _, fault, _ in rows):
        found = [(page, scores) for page, each, scores in rows if each == fault]
        # A page that was bad already has little to lose.
        fall = statistics.median(
            [scores[0] - (scores[-1] or 0) for _, scores in found if scores[0] >= DECENT_FROM] or [0]
        )
        lines.append(f"{fault:36}{fall:12g}{len(found):7}")
        if fault in GRAVE and fall < MIN_FALL:
            faults.append(f"the median page loses {fall:g} points by: {fault}")
        for page, scores in found:
            graded = [score for score in scores if score is not None]
            # A change of the whole page may remove a graver fault, but of a good page only what is good.
            is_addition = fault in COUNTED or scores[0] >= GOOD_FROM
            if is_addition and graded != sorted(graded, reverse=True):
                faults.append(f"{page} rises by {fault}: {scores}")
    laws = [f"BELOW THE LAWS: {fault}" for fault in faults] or ["All laws hold."]
    return "\n".join([*lines, "", *laws]) + "\n", faults


def confusion(rows: Sequence[Row]) -> str:
    """The labels against the results, and the pages that differ."""
    matrix = Counter((row["label"], result_of(row)) for row in rows)
    lines = [f"{'label / result':16}" + "".join(f"{grade:>8}" for grade in GRADES)]
    lines += [f"{label:16}" + "".join(f"{matrix[label, result]:8}" for result in GRADES) for label in GRADES]
    for label in GRADES[:3]:
        scores = sorted(score for row in rows if row["label"] == label and (score := score_of(row)) is not None)
        if scores:
            lines.append(f"{label}: {scores[0]} to {scores[-1]}, median {statistics.median(scores):g}")
    right = sum(row["label"] == result_of(row) for row in rows)
    lines.append(f"right: {right} of {len(rows)} ({right / max(1, len(rows)):.0%})")
    lines += [
        f"  wrong: {row['id']} is {result_of(row)} ({score_of(row)}), not {row['label']}: {worst(row['report'])}"
        for row in rows
        if row["label"] != result_of(row)
    ]
    return "\n".join(lines)


def spread(rows: Sequence[Row]) -> str:
    """The scores of the corpus, the lowest first."""
    graded = sorted((score, row["id"]) for row in rows if (score := score_of(row)) is not None)
    scores = [score for score, _ in graded]
    lines = [f"{score:5}  {name}" for score, name in graded]
    lines += [f"    –  {row['id']}: no grade" for row in rows if score_of(row) is None]
    words = Counter(result_of(row) for row in rows)
    median = f", median {statistics.median(scores):g}" if scores else ""
    return "\n".join([*lines, f"corpus: {', '.join(f'{words[one]} {one}' for one in GRADES)}{median}"])


def penalties(reports: Sequence[Mapping[str, Any]]) -> str:
    """List each check's maximum and average penalty, and the share of pages that it flags."""
    flagged: Counter[str] = Counter()
    lost: Counter[str] = Counter()
    for one in reports:
        for name, result in one["results"].items():
            flagged[name] += result["passed"] is False
            lost[name] += result["lost"]
    lines = [f"{'check':32}{'at most':>8}{'mean':>8}{'flagged':>9}"]
    lines += [
        f"{name:32}{price:8.1f}{lost[name] / max(1, flagged[name]):8.1f}{flagged[name] / max(1, len(reports)):9.0%}"
        for name, price in sorted(check_penalties().items(), key=lambda item: (-lost[item[0]], item[0]))
        if price
    ]
    return "\n".join(lines)


def worst(one: Mapping[str, Any] | None) -> str:
    """The findings that cost most, for a line of text."""
    results = ((one or {}).get("results") or {}).items()
    found = sorted(((result["lost"], name) for name, result in results if result["lost"]), reverse=True)
    return ", ".join(f"{name} {lost:g}" for lost, name in found[:5])


def server_of(shared: Path) -> Any:
    """The module that serves labeled pages."""
    folder = shared / "grading"
    sys.path.insert(0, str(folder))
    spec = importlib.util.spec_from_file_location("serve", folder / "serve.py")
    if spec is None or spec.loader is None:
        raise FileNotFoundError(folder / "serve.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def corpus_cases(server: Any, folder: Path) -> list[Any]:
    """Each saved page as a case of its own, at its own address, on a server with compression and lifetimes of a day."""
    cases, hosts = [], set[str]()
    for path in sorted(folder.glob("*.html")):
        # Some were saved from plain HTTP; their sites have moved to HTTPS since, with their files.
        text = path.read_text(encoding="utf-8", errors="replace").replace("http://", "https://")
        found = _ADDRESS.search(text)
        url = "https://" + ((found[1] or found[2]) if found else f"{path.stem}.example/article")
        if not host_of(url) or host_of(url) in hosts:
            url = f"https://{path.stem}.example/article"
        hosts.add(host_of(url))
        files = _nameless_files(server.kit, text, url)
        cases.append(server.kit.one(path.stem, "", "", url, text, setup=server.kit.SHARED, files=files))
    return cases


def _nameless_files(kit: Any, text: str, url: str) -> dict[str, Any]:
    """Path -> an answer for the page's own styles and scripts whose names do not say what they are."""
    document = parse_document(text.encode(), url=url, content_type="text/html; charset=utf-8")
    made = {"stylesheet": ("text/css", kit.style), "script": ("text/javascript", kit.script)}
    files = {}
    for reference in document.references:
        if reference.kind in made and host_of(reference.url) == host_of(url):
            path = "/" + reference.url.split("/", 3)[3]
            if kit.extension(path) not in kit.EXT:
                media_type, generate = made[reference.kind]
                files[path] = kit.Answer(generate(8_000, len(path)), media_type)
    return files


Round = tuple[list[Any], Any]
"""Cases that are served at once, and the server's world of them."""


def rounds_of(server: Any, shared: Path) -> list[Round]:
    """The labeled pages together, and each page of the corpus alone: those name each other's hosts."""
    labeled = server.load()
    cases = [labeled, *([case] for case in corpus_cases(server, shared / "corpus"))]
    return [(some, server.World(some)) for some in cases]


class Served(NamedTuple):
    """Running servers of all pages."""

    authority: Path
    """The certificate that signed all others."""
    key: str
    """SHA-256 of the public key of every certificate that is in order, in Base64: what a browser is to trust."""
    show: Callable[[Any], None]
    """Switches the servers to another world."""


@contextmanager
def serving(server: Any, rounds: Sequence[Round], scratch: Path) -> Iterator[Served]:
    """Inside the namespace: serve the pages, the first world to begin with."""
    server.furnish(sorted({host for _, world in rounds for host in world.hosts()}), scratch)
    certificates = _certificates(server, scratch)
    listening = [server.Server(80, rounds[0][1], None), server.Server(443, rounds[0][1], certificates)]
    for one in listening:
        threading.Thread(target=one.serve_forever, daemon=True).start()

    def show(world: Any) -> None:
        certificates.contexts.clear()
        for one in listening:
            one.world = world

    der = certificates.leaf.public_key().public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    yield Served(certificates.file, base64.b64encode(hashlib.sha256(der).digest()).decode(), show)
    for one in listening:
        one.shutdown()


def _certificates(server: Any, scratch: Path) -> Any:
    """Certificates of which those that are not in order have a key of their own, so that no browser accepts them."""
    certificates, others = server.Certificates(scratch), server.Certificates(scratch)
    others.key, others.ca, others.leaf = certificates.key, certificates.ca, ec.generate_private_key(ec.SECP256R1())
    others.ski, others.name = certificates.ski, certificates.name
    others.keypem = others.leaf.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    others.file.write_bytes(certificates.ca.public_bytes(serialization.Encoding.PEM))
    make = certificates.make
    certificates.make = lambda host, setup: (make if setup.https in ("yes", "no") else others.make)(host, setup)
    return certificates


def trusting_browser(scratch: Path, key: str) -> Path:
    """Write a command that starts the browser of this machine with trust in a key, for every user."""
    program = find_browser()
    if program is None:
        raise FileNotFoundError(HOW_TO_GET_ONE)
    path = scratch / "browser"
    path.write_text(
        f'#!/bin/sh\nexec {shlex.quote(str(program))} --ignore-certificate-errors-spki-list={key} "$@"\n',
        encoding="utf-8",
    )
    scratch.chmod(0o711)
    path.chmod(0o755)
    return path


def analyze_rendered(
    urls: Sequence[str], served: Served, scratch: Path, network: str, *arguments: str
) -> dict[str, Any]:
    """URL -> report with what a browser saw, by the product's own command; ``None`` where there is no report."""
    environment = {
        **os.environ,
        "SSL_CERT_FILE": str(served.authority),
        "PAGEGRADE_DATA_DIR": str(scratch / "data"),
        "PAGEGRADE_BROWSER": str(trusting_browser(scratch, served.key)),
    }
    command = [str(ROOT / ".venv" / "bin" / "pagegrade"), "analyze", "-", "--render", "--allow-network", network]
    command += ["--concurrency", str(BROWSERS), "--pictures", str(scratch / "pictures"), "-f", "jsonl", "-q"]
    text = "\n".join(urls)
    found = subprocess.run(
        [*command, *arguments], input=text, text=True, capture_output=True, env=environment, cwd=scratch, check=False
    )
    if not found.stdout:
        raise RuntimeError(found.stderr[-2_000:])
    reports = {one["url"]: one for one in map(json.loads, found.stdout.splitlines())}
    return {url: reports.get(url) for url in urls}


def grade(shared: Path, *, render: bool = False, corpus: bool = True, only: str = "") -> Iterator[dict[str, Any]]:
    """Inside the namespace: analyze all pages whose id contains ``only`` with the product's own command."""
    server = server_of(shared)
    rounds = rounds_of(server, shared)[: None if corpus else 1]
    with tempfile.TemporaryDirectory() as folder, serving(server, rounds, Path(folder)) as served:
        for every, world in rounds:
            cases = [case for case in every if only in case.id]
            if not cases:
                continue
            served.show(world)
            urls = [case.url for case in cases]
            if render:
                found = analyze_rendered(urls, served, Path(folder), server.NETWORK)
            else:
                found = server.analyze(server.command_of(ROOT), urls, served.authority, Path(folder))
            for case in cases:
                about = {"id": case.id, "label": case.grade or None, "also": list(case.also), "url": case.url}
                yield {**about, "report": found[case.url]}


def mutated(shared: Path, *, only: str = "") -> Iterator[tuple[str, str, list[int | None]]]:
    """Inside the namespace: (page, fault, scores) of every labeled page that has a grade, and every fault.

    Pages are fetched once; a fault changes their HTML and nothing that was fetched for it.
    """
    server = server_of(shared)
    cases, world = rounds_of(server, shared)[0]
    with tempfile.TemporaryDirectory() as folder, serving(server, [(cases, world)], Path(folder)) as served:
        kept = Path(folder, "artifacts")
        kept.mkdir()
        command = [str(server.command_of(ROOT)), "analyze", "-", "--allow-network", server.NETWORK, "-f", "jsonl", "-q"]
        subprocess.run(
            [*command, "--save-artifacts", str(kept)],
            input="\n".join(case.url for case in cases if only in case.id),
            text=True,
            capture_output=True,
            check=False,
            env=os.environ | {"SSL_CERT_FILE": str(served.authority)},
        )
        with ProcessPoolExecutor() as processes:
            for rows in processes.map(mutate_page, sorted(kept.iterdir())):
                yield from rows


def mutate_page(file: Path) -> list[tuple[str, str, list[int | None]]]:
    """(page, fault, scores) of one page that was fetched; none where it has no grade."""
    artifacts = load_artifacts(file.read_bytes())
    page = artifacts.navigation.requested_url
    before = evaluate_artifacts(replace(artifacts, sibling_probe=_UNKNOWN)).score
    html = artifacts.navigation.response.body.decode("utf-8", "surrogateescape")

    def score(changed: str) -> int | None:
        response = replace(artifacts.navigation.response, body=changed.encode("utf-8", "surrogateescape"))
        navigation = replace(artifacts.navigation, response=response)
        # Its other host would answer with the fault as well, which is not to look like another page.
        return evaluate_artifacts(replace(artifacts, navigation=navigation, sibling_probe=_UNKNOWN)).score

    if before is None:
        return []
    return [
        *((page, fault, [before, *(score(add(html, count)) for count in NUMBERS)]) for fault, add in COUNTED.items()),
        *((page, fault, [before, score(change(html))]) for fault, change in WHOLE.items()),
    ]


if __name__ == "__main__":
    sys.exit(main())
