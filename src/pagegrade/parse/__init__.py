"""Text and bytes -> model: HTML, headers, policies, robots.txt, sitemaps, cookies; pure."""
