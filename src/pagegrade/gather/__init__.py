"""From a URL to artifacts; the only package that opens connections."""
