(* The checkers of wins and losses as a program in OCaml. It writes camelot_proved.ml into the current folder. *)
From Coq Require Import Extraction ExtrOcamlBasic ExtrOcamlNatInt.
From Camelot Require Import Traces Losses.
Extraction Blacklist List.
Extraction "camelot_proved.ml" check_win check_loss.
