"""Simulates an installation with 1 to 10,000 analyses at the same time, to see what gets in the way first.

A simulation by events, always with the same random numbers: reports are asked for, stand in line where their site is
busy, are claimed, analyzed and stored. The database is a number of cores, a log that is flushed for several
commits at once, and one lock for each account. What one thing costs was measured on one machine
(``scaling_world.MEASURED``); how the world is, is assumed (``ASSUMED``). The table is for its order of events, not for
its last digit.

``python -m devtools.simulate_scaling`` prints the table; ``--check`` holds it against ``docs/explanation/scaling.md``.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from devtools.scaling_world import (
    ASSUMED,
    LEAST_REPORTS,
    LEAST_S,
    MEASURED,
    WARM,
    World,
    looking,
    looks_per_s,
    processes_for,
)

PAGE: Final = Path(__file__).resolve().parents[1] / "docs" / "explanation" / "scaling.md"
BEGIN: Final = "<!-- simulation: begin -->"
END: Final = "<!-- simulation: end -->"


SIZES: Final = (1, 4, 16, 64, 256, 1_000, 2_500, 5_000, 10_000)
SMALL: Final = 64
"""Up to here a test makes the rows anew."""
FULL: Final = 0.9
"""A thing that is used more than this is what is in the way."""
IN_LINE: Final = 0.08
"""So large a part of runs that have to wait for their site: politeness is in the way."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """Result for one size."""

    places: int
    asked: float
    done: float
    busy: float
    cores: float
    database: float
    log: float
    account: float
    looks: float
    in_line: float
    wait_s: float
    wait_all_s: float
    connections: int
    in_the_way: str


def simulate(places: int) -> Row:
    """One size; always the same outcome."""
    rate = ASSUMED.load * places / ASSUMED.analysis_s
    horizon_s = max(LEAST_S, LEAST_REPORTS / rate)
    world = World(places, horizon_s=horizon_s, seed=places)
    world.run()
    stretch_s = horizon_s * (1.0 - WARM)
    looks = looks_per_s(places, rate)
    row = Row(
        places=places,
        asked=rate,
        done=world.done / stretch_s,
        busy=world.places_s / stretch_s / places,
        cores=world.done / stretch_s * (MEASURED.report_cpu_ms + MEASURED.request_cpu_ms) / 1000,
        database=min(1.0, (world.core_s / stretch_s + looking(places, rate)) / ASSUMED.database_cores),
        log=min(1.0, world.flushes_s / stretch_s),
        account=min(1.0, max(world.account_s.values(), default=0.0) / stretch_s),
        looks=looks,
        in_line=world.in_line / max(1, world.accepted),
        wait_s=percentile(world.waits, 0.95),
        wait_all_s=percentile(world.all_waits, 0.95),
        connections=(processes_for(places) + 2) * ASSUMED.connections,
        in_the_way="",
    )
    return replace(row, in_the_way=evaluate(row))


def percentile(values: list[float], part: float) -> float:
    """0 where there are none."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * part))] if ordered else 0.0


def evaluate(row: Row) -> str:
    """Return the bottlenecks, the worst last."""
    found = [
        name
        for name, part in (
            ("places", row.busy),
            ("database cores", row.database),
            ("log", row.log),
            ("one account's lock", row.account),
        )
        if part >= FULL
    ]
    if row.in_line >= IN_LINE:
        found.insert(0, "politeness")
    return ", ".join(found) or "nothing"


def table(sizes: tuple[int, ...]) -> list[str]:
    """The lines of the table, in Markdown."""
    lines = [
        "| places | asked /s | done /s | places busy | cores for work | database | log | busiest account | looks /s | "
        "in line | wait p95 | with those in line | connections | in the way |",
        "|" + "---:|" * 13 + "---|",
    ]
    for places in sizes:
        row = simulate(places)
        lines.append(
            f"| {row.places} | {row.asked:.1f} | {row.done:.1f} | {row.busy:.0%} | {row.cores:.1f} | "
            f"{row.database:.0%} | {row.log:.0%} | {row.account:.0%} | {row.looks:.0f} | {row.in_line:.0%} | "
            f"{row.wait_s:.2f} s | {row.wait_all_s:.0f} s | {row.connections} | {row.in_the_way} |"
        )
    return lines


def written() -> list[str]:
    """The lines of the table that the page shows."""
    _, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    return [line for line in rest.partition(END)[0].splitlines() if line]


def main(arguments: list[str] | None = None) -> int:
    """Print the table; with ``--check`` 1 where the page shows another one."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="compare with the page")
    parser.add_argument("--write", action="store_true", help="put it into the page")
    options = parser.parse_args(arguments)
    lines = table(SIZES)
    print("\n".join(lines))
    if options.write:
        before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
        PAGE.write_text("\n".join([before + BEGIN, "", *lines, "", END]) + rest.partition(END)[2], encoding="utf-8")
    if options.check and written() != lines:
        print(f"{PAGE.name} shows another table; write it anew with --write.", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
