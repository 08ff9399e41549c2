"""What the machine gives: loops compiled for it, and the memory that is free."""
