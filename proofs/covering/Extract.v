(* The checkers, and the list of moves, as a program in OCaml. It writes covering_proved.ml into the current folder. *)
From Coq Require Import FMapPositive Extraction ExtrOcamlBasic ExtrOcamlNatInt.
From Covering Require Import Moves Hole Pairs PairsChecker.
Extraction Blacklist List.
Extraction "covering_proved.ml" moves hole_loss pairs_loss matters
  PositiveMap.empty PositiveMap.add.
