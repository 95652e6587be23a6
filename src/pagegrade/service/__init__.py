"""Use cases: analyze a page, evaluate artifacts; knows no settings."""
