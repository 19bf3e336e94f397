"""Let ``python -m gnbbench`` run the command ``gnbbench``."""

from gnbbench.cli import main

if __name__ == "__main__":
    main()
