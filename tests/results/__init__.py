"""Tests of `pipeline/outputs` and what it reads."""
