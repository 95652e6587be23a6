"""Use cases: analyse a page, evaluate artifacts; knows no settings."""
