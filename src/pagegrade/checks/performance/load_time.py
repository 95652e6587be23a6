from typing import Final

from pagegrade.checks._check import State, Verdict, check, meter_loss
from pagegrade.model.artifacts import Response
from pagegrade.model.outcome import Detail, Evidence, NotRun, Outcome, Severity

GOOD_MS: Final = 2_000
BAD_MS: Final = 5_000
ROUND_MS: Final = 100


@check(
    id="load-time",
    title="Load time of the HTML",
    severity=Severity.MEDIUM,
    since="0.1.0",
    cause="response-time",
    states=(
        State("fast", "The HTML arrives quickly."),
        State(
            "slow",
            "The HTML takes long to arrive.",
            loss=0.2,
            loss_max=0.8,
            title="Reduce the load time of the HTML",
            why="Nothing can be shown or requested before the HTML arrives, and visitors leave while they wait.",
            fix=(
                "Look at the phases: for a long `first byte`, cache rendered pages and speed up the "
                "application; for a long `download`, shrink and compress the HTML; for a long `connect` or "
                "`TLS`, use a CDN."
            ),
        ),
        State(
            "very_slow",
            "The HTML takes very long to arrive.",
            loss=1.0,
            title="Reduce the load time of the HTML",
            why="Nothing can be shown or requested before the HTML arrives, and visitors leave while they wait.",
            fix=(
                "Look at the phases: for a long `first byte`, cache rendered pages and speed up the "
                "application; for a long `download`, shrink and compress the HTML; for a long `connect` or "
                "`TLS`, use a CDN."
            ),
        ),
    ),
    sources=("https://www.w3.org/TR/navigation-timing-2/",),
)
def load_time(load_samples_ms: tuple[float, ...], response: Response) -> Verdict:
    """The page stays blank until the HTML has arrived.

    ## What it checks

    The time to receive the whole HTML: looking up the name, connecting, TLS, waiting and download, without redirects
    and without images, scripts or rendering. It is fetched up to three times; the median counts, rounded up to a tenth
    of a second. Up to 2 seconds is fine, up to 5 seconds costs in four steps, more costs everything. No standard names
    these numbers: 2 seconds is the customary limit of tools like this one. The time is measured from where the
    analysis runs, so compare only reports from the same place.

    ## Fails on

    ```json load_samples_ms
    [3100.0, 3240.5, 2987.0]
    ```

    ## Passes on

    ```json load_samples_ms
    [310.0, 420.5, 298.7]
    ```
    """
    if not load_samples_ms:
        return NotRun("not_measured", "The saved page does not include its timings.")
    median = sorted(load_samples_ms)[(len(load_samples_ms) - 1) // 2]
    value = int(-(-median // ROUND_MS)) * ROUND_MS
    loss = 1.0 if value > BAD_MS else 0.8 * meter_loss(value, GOOD_MS, BAD_MS, steps=4)
    timings = response.timings
    phases = (
        ("DNS", timings.dns_ms),
        ("connect", timings.connect_ms),
        ("TLS", timings.tls_ms),
        ("first byte", timings.first_byte_ms),
        ("download", timings.download_ms),
    )
    samples = ", ".join(f"{sample:,.0f} ms" for sample in load_samples_ms[:10])
    return Outcome(
        "fast" if loss == 0 else "slow" if loss < 1 else "very_slow",
        value=f"{value:,} ms",
        evidence=(
            Evidence(value=samples, reason="total time of each fetch"),
            *(Evidence(value=f"{ms:,.0f} ms", reason=name) for name, ms in phases if ms is not None),
        ),
        details=(Detail(code="load_time_ms", actual=value, limit=GOOD_MS),),
        loss=loss,
        message=f"The HTML takes {value / 1000:.1f} seconds to arrive, measured from where the analysis ran.",
    )
