(* Games whose stock goes to the columns, row by row, such as East Haven: their moves, in the words of docs/patience.md.

   This file claims nothing. As Game.v, which has the positions and all other moves, it is one to read with care. Such a
   game has no hole, and no waste: the stock is the list of cards that are still to be dealt. *)
Require Import List.
Import ListNotations.
From Patience Require Import Game.

Section Game.
Variable R : rules.
Variable full_columns : bool.   (* stock.full-columns: no row is dealt while a column is empty *)

(* A row: one card to each column, as long as there are cards. *)
Fixpoint with_row (cs : list (list card)) (st : list card) : list (list card) :=
  match cs, st with
  | c :: cs, x :: st => (x :: c) :: with_row cs st
  | _, _ => cs
  end.

Definition dealt (p : position) : position :=
  let st := stock (turning p) in
  with_turning (with_columns p (with_row (columns p) st))
    (Talon (skipn (length (columns p)) st) (waste (turning p)) (passes (turning p))).

Inductive row_move (p : position) : position -> Prop :=
| carry_cards u x q r : lift R p u x q -> put R [] q u x r -> row_move p (settled R r)
| deal_row :
    stock (turning p) <> [] -> (full_columns = true -> ~ In [] (columns p)) -> row_move p (settled R (dealt p)).

Inductive row_reach : position -> position -> Prop :=
| no_row_move p : row_reach p p
| one_row_move p q r : row_move p q -> row_reach q r -> row_reach p r.

Definition row_winnable (p : position) : Prop := exists q, row_reach p q /\ won q.

End Game.
