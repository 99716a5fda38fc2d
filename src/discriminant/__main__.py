"""``python -m discriminant`` is the command ``discriminant``."""

from discriminant.cli import main

if __name__ == "__main__":
    main()
