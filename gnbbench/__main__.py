"""``python -m gnbbench`` is the command ``gnbbench``."""

from gnbbench.cli import main

if __name__ == "__main__":
    main()
