"""URLs of a site as a crawl takes them: which are the same, which are in scope, which have one shape."""
