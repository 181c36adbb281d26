"""The search of positions without their arrangement, for Klondike and games like it; see docs/proofs/klondike.md."""
