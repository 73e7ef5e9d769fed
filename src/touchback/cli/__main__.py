"""`python -m touchback.cli`: the command without an installed script."""

from touchback.cli import main

main()
