"""``python -m vecsim`` is the command ``vecsim``."""

from vecsim.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
