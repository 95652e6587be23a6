"""Serve a sample page with typical faults on this machine and analyze it: ``make sample``, without the Internet."""

from __future__ import annotations

import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Final

FILES: Final = {
    "/": (
        "text/html; charset=utf-8",
        """<!doctype html>
<html lang="en">
<head>
<title>Home</title>
<link rel="stylesheet" href="/style.css">
<script src="/slow.js"></script>
</head>
<body>
<h1>Cat hotel</h1>
<h3>Stays</h3>
<p>Every cat has a suite with a window and a garden. Cats are fed twice a day and groomed on request.</p>
<img src="/cat.svg" width="320" height="240">
<p><a href="/missing">Click here</a> to book a stay, or write to info@cats.example.</p>
<form action="/book"><input name="email" type="email"><button></button></form>
</body>
</html>
""",
    ),
    "/style.css": ("text/css", "body { font-family: sans-serif; color: #999; background: #fff }\n"),
    "/slow.js": ("text/javascript", 'document.write("<p>Welcome!</p>");\n'),
    "/cat.svg": (
        "image/svg+xml",
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 4 3"><path d="M0 3 2 0l2 3"/></svg>\n',
    ),
    "/robots.txt": ("text/plain", "User-agent: *\nDisallow:\n"),
}
"""Path -> media type and content of the files of the sample site."""


class Handler(BaseHTTPRequestHandler):
    """Answers requests for ``FILES``; everything else is 404."""

    def do_GET(self) -> None:
        """Send a file."""
        media_type, text = FILES.get(self.path, ("text/plain", "Not found\n"))
        body = text.encode()
        self.send_response(200 if self.path in FILES else 404)
        self.send_header("Content-Type", media_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_HEAD = do_GET  # noqa: N815 - the name is prescribed

    def log_message(self, *_arguments: object) -> None:
        """Log nothing: the report is the output."""


def main(arguments: list[str]) -> int:
    """Serve the sample site during one analysis; ``arguments`` go to ``pagegrade analyze``. Returns its exit status."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}/"
        command = [sys.executable, "-m", "pagegrade", "analyze", *arguments, "--", url]
        status = subprocess.run(command, check=False).returncode
        server.shutdown()
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
