"""``python -m tests.site --port 8765``: serve the test site until Ctrl-C."""

from __future__ import annotations

import argparse
import contextlib
import sys
import threading

from tests.site.serve import serve_site


def main() -> None:
    """Serve and say where."""
    parser = argparse.ArgumentParser(prog="python -m tests.site", description="Serve the test site.")
    parser.add_argument("--address", default="127.0.0.1", help="where to listen (default: %(default)s)")
    parser.add_argument("--port", type=int, default=8765, help="first of four ports (default: %(default)s)")
    chosen = parser.parse_args()
    with serve_site(chosen.address, chosen.port) as site:
        lines = [f"{name:9} {getattr(site, name)}/" for name in ("http", "https", "soft_404", "spa")]
        sys.stdout.write("\n".join([*lines, f"{'CA file':9} {site.ca_file}", "Stop with Ctrl-C.", ""]))
        sys.stdout.flush()
        with contextlib.suppress(KeyboardInterrupt):
            threading.Event().wait()


if __name__ == "__main__":
    main()
