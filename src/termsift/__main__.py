"""Run the command line with `python -m termsift`."""

from termsift.cli import main

main()
