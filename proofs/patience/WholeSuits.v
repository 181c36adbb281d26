(* Games of whole suits, such as Scorpion and Spider: positions and moves, in the words of docs/patience.md. Only whole
   suits leave the columns, and a stock, if there is one, goes to the columns row by row. There are no cells and no
   reserve.

   This file claims nothing. As Game.v, which has the cards and the rules, it is one to read with care. Cards may exist
   more than once. Where cards that left lie is no part of a position: nothing depends on it. *)
Require Import List Bool Arith.
Import ListNotations.
From Patience Require Import Game.

(** * Positions *)

(* A column: its cards that lie face up, the first one on top, and those face down, the first one next to be turned. *)
Record pile := Pile { shown : list card; hidden : list card }.

Definition pile_cards (c : pile) : list card := shown c ++ hidden c.

(* The first card of the stock is dealt next, to the first column. *)
Record board := Board { piles : list pile; to_deal : list card }.

Section Game.
Variable R : rules.             (* of these count: ranks, base, build, moving_on, spaces *)
Variable run : building.        (* tableau.run, or tableau.build if it is "build": how runs that move are built *)
Variable full_columns : bool.   (* stock.full-columns *)

(** * Moves *)

Definition rules_of_runs : rules :=
  Rules (ranks R) (base R) run (moving_on R) (spaces R) (removable R) (first_stay R) (cell_count R) (draw R)
    (unlimited R) (to_hole R) (wrap R).

(* The top card is turned up. *)
Definition turned_up (c : pile) : pile := match c with Pile [] (x :: d) => Pile [x] d | _ => c end.

(* A card, with those on it, may go to a column. *)
Definition accepts (t : pile) (x : card) : Prop :=
  match shown t with
  | y :: _ => fits R x y = true
  | [] => hidden t = [] /\ match spaces R with AnyCard => True | LastRank => S (height R x) = ranks R | _ => False end
  end.

(* [carried s t s' t']: a card goes from column s to column t, with the cards u on it. *)
Inductive carried : pile -> pile -> pile -> pile -> Prop :=
| carry_cards u x below d t :
    group rules_of_runs (u ++ [x]) ->
    accepts t x ->
    carried (Pile (u ++ x :: below) d) t (turned_up (Pile below d)) (Pile (u ++ x :: shown t) (hidden t)).

(* All cards of a suit, each on the next higher one. *)
Definition whole_suit (g : list card) : Prop :=
  map (height R) g = seq 0 (ranks R) /\ forall x y, In x g -> In y g -> same_suit x y = true.

(* A row: one card to each column, as long as there are cards. *)
Fixpoint dealt (cs : list pile) (st : list card) : list pile :=
  match cs, st with
  | c :: cs, x :: st => Pile (x :: shown c) (hidden c) :: dealt cs st
  | _, _ => cs
  end.

Inductive step (p : board) : board -> Prop :=
| to_the_right a s b t c s' t' :
    piles p = a ++ s :: b ++ t :: c -> carried s t s' t' -> step p (Board (a ++ s' :: b ++ t' :: c) (to_deal p))
| to_the_left a t b s c s' t' :
    piles p = a ++ t :: b ++ s :: c -> carried s t s' t' -> step p (Board (a ++ t' :: b ++ s' :: c) (to_deal p))
| suit_leaves a g below d c :
    piles p = a ++ Pile (g ++ below) d :: c -> whole_suit g ->
    step p (Board (a ++ turned_up (Pile below d) :: c) (to_deal p))
| row :
    to_deal p <> [] ->
    (full_columns = true -> forall c, In c (piles p) -> pile_cards c <> []) ->
    step p (Board (dealt (piles p) (to_deal p)) (skipn (length (piles p)) (to_deal p))).

(* All suits have left. *)
Definition cleared (p : board) : Prop := Forall (fun c => pile_cards c = []) (piles p) /\ to_deal p = [].

Inductive steps : board -> board -> Prop :=
| no_step p : steps p p
| one_step p q r : step p q -> steps q r -> steps p r.

Definition clearable (p : board) : Prop := exists q, steps p q /\ cleared q.

End Game.
