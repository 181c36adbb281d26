(* The theorems, and what they assume. `make proofs` checks that each is "Closed under the global context": nothing is
   assumed, and nothing is left unproved. *)
From Covering Require Import Moves Sweep Hole Pairs PairsChecker.

Print Assumptions moves_iff.
Print Assumptions fill_extends.
Print Assumptions fill_closed.
Print Assumptions sweep_sound.
Print Assumptions hole_loss_sound.
Print Assumptions simulation.
Print Assumptions closed_set.
Print Assumptions pairs_loss_sound.
