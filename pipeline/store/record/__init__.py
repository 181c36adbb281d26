"""The record of what runs have said: as rows, or packed."""
