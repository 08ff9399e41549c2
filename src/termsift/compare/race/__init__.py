"""The race of candidates: tried run by run, dropped when they cannot win any more."""
