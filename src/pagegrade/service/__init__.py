"""Use cases: analyse a page, judge artifacts; knows no settings."""
