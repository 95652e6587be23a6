"""The commands, one module each: what a command does after ``cli.app`` has read its arguments."""
