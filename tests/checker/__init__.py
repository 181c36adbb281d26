"""Checkers: what they contain, what they prove, and that bare Python of every version runs them."""
