"""The pages of a crawl as relations that can be asked together: the only package that knows DuckDB.

DuckDB is the extra ``pagegrade[audit]`` and is imported when a database is opened.
"""
