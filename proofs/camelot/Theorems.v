(* The theorems, and what they assume. `make proofs` checks that each is "Closed under the global context": nothing is
   assumed, and nothing is left unproved. *)
From Camelot Require Import Traces Losses ClosedForm.

Print Assumptions check_win_sound.
Print Assumptions fills_the_board.
Print Assumptions check_loss_sound.
Print Assumptions winnable_iff.
