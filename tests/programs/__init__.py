"""Engines that are programs."""
