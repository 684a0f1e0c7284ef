"""``python -m femlie`` does what the command ``femlie`` does."""

import sys

from .cli import main

if __name__ == "__main__":
    sys.exit(main())
