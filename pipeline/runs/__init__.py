"""Planning runs: new ones, repetitions, and those in the place of retracted ones."""
