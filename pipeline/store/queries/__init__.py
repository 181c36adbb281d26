"""What is asked about stored results."""
