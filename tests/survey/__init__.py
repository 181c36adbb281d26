"""Surveys: their arithmetic, what they keep, and that what they do not keep comes out again."""
