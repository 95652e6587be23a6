"""Parsers of files beside the page: robots.txt, sitemaps, manifests, images, scripts."""
