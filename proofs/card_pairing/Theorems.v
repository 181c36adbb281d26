(* The theorems, and what they assume. `make proofs` checks that each is "Closed under the global context": nothing is
   assumed, and nothing is left unproved. *)
From CardPairing Require Import Traces Schedule Losses.

Print Assumptions check_win_sound.
Print Assumptions winnable_schedule.
Print Assumptions check_loss_sound.
