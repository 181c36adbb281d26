"""Classic deals of card pairing: up to 36 stacks of equal height, and four cards of each of up to 16 ranks."""
