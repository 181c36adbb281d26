"""Tests of `pipeline/results` and what it reads."""
