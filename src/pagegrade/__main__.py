"""``python -m pagegrade`` is the command line."""

from pagegrade.cli import main

if __name__ == "__main__":
    main()
