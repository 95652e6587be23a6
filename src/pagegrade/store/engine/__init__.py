"""Database engines, connections, transactions and the data folder."""
