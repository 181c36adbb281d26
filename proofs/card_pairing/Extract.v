(* The checkers of wins and losses as a program in OCaml. It writes card_pairing_proved.ml into the current folder. *)
From Coq Require Import Extraction ExtrOcamlBasic ExtrOcamlNatInt.
From CardPairing Require Import Traces Losses.
Extraction Blacklist List.
Extraction "card_pairing_proved.ml" check_win check_loss.
