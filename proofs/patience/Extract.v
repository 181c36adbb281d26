(* The checker and the moves as a program in OCaml. It writes patience_proved.ml into the current folder. *)
From Coq Require Import FMapPositive Extraction ExtrOcamlBasic ExtrOcamlNatInt.
From Patience Require Import Game Stock Simulation Moves Checker Swept WholeSuits
  WholeSuitsChecker Quotient Refuted QuotientChecker Ahead Relaxed AheadChecker RowsChecker Circle Walks.
Extraction Blacklist List.
Extraction "patience_proved.ml" check_loss moves offers lifts fits_absent settled restricted is_won card_by_card
  PositiveMap.empty PositiveMap.add all_cards with_turning member same_card height can_be_swept fronts_of swept_loss
  fits turned_up pile_cards next is_cleared is_king is_one_place is_loose has_reason are_kings_waiting is_pair
  check_pair check_set is_mover are_columns_staying is_hindered check_table check_quotient quotient_moves quotient_of after_safe moved_cards shown_cards
  was_bare dealt_cards lower can_come_back is_king has_space kings_go red without_arrangement
  check_ahead is_safe_by_sets is_gone rise fills moves_with
  check_rows row_moves may_rise are_groups
  check_walks has_walks_only may_walk ranked_moves by_ranks places.
