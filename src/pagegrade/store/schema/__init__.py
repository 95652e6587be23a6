"""Tables, migrations and their inspection."""
