"""Health checks of the machine, the storage and the database."""
