"""Options that commands share: how files are read, how texts become terms."""
