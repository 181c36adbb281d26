(* The theorems, and what they assume. `make proofs` checks that each is "Closed under the global context": nothing is
   assumed, and nothing is left unproved. *)
From Patience Require Import Stock Simulation Certificate Moves Checker Easier Swept Waiting Places WholeSuitsChecker Quotient
  Refuted SafeCards QuotientChecker Ahead Relaxed AheadChecker RowsAhead RowsChecker Circle Walks.

Print Assumptions closed_set.
Print Assumptions certificate_sound.
Print Assumptions easier.
Print Assumptions winnable_card_by_card.
Print Assumptions moves_sound.
Print Assumptions moves_complete.
Print Assumptions is_won_iff.
Print Assumptions check_loss_sound.
Print Assumptions swept_loss_sound.
Print Assumptions pair_lost.
Print Assumptions waits_step.
Print Assumptions waits_lost.
Print Assumptions places_step.
Print Assumptions places_lost.
Print Assumptions next_iff.
Print Assumptions check_pair_sound.
Print Assumptions check_set_sound.
Print Assumptions check_places_sound.
Print Assumptions check_table_sound.
Print Assumptions quotient_step.
Print Assumptions quotient.
Print Assumptions refuted_lost.
Print Assumptions ahead_wins.
Print Assumptions leads_safe.
Print Assumptions quotient_moves_complete.
Print Assumptions check_quotient_sound.
Print Assumptions Ahead.ahead_step.
Print Assumptions ahead_winnable.
Print Assumptions rise_ahead.
Print Assumptions relaxed_lost.
Print Assumptions check_ahead_sound.
Print Assumptions relaxed_rows_lost.
Print Assumptions ahead_row.
Print Assumptions ahead_rows_winnable.
Print Assumptions row_moves_iff.
Print Assumptions check_rows_sound.
Print Assumptions walk_found.
Print Assumptions ranked_step.
Print Assumptions winnable_walk.
Print Assumptions check_walks_sound.
