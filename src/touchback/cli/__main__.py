"""`python -m touchback.cli`: the command without an installed script."""

from touchback.cli.app import main

main()
