"""What strangers bring, as matrices or in files, checked before anything follows it."""
