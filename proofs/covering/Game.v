(* The game: rules, positions and moves of all covering games, in the words of docs/covering.md.

   This file claims nothing. It is the file to read with care, because all theorems about these games are about it.

   To read this without knowing Coq: [x :: l] is the list l with x before it, and [l ++ m] is one list after another.
   So [places p = before ++ Some x :: after] says that a card of rank x lies at the place whose number is the length of
   the list before it. [/\] is and, [\/] is or, [->] is "if, then", and [In x l] says that x is in l. An Inductive lists
   all cases in which something holds, each with its conditions before the last arrow. *)
Require Import List Bool Arith.
Import ListNotations.

(* A card is its rank: 1 for an ace, 13 for a king. Nothing depends on suits. *)
Notation card := nat.
Notation king := 13.

(* How cards leave: into a hole, in which ace and king may be neighbours, or in pairs, where a card may leave with the
   only one that covers it. *)
Inductive leaving := IntoHole (wrap : bool) | InPairs (overlap : bool).

Record rules := Rules {
  moves_by : leaving;
  covers : list (list nat); (* the numbers of the places that cover each place; those of Dealmill come before it *)
  all_leave : bool;         (* goal = "all" *)
  unlimited : bool;         (* stock.passes = "unlimited" *)
  playable : bool }.        (* stock.playable: also the next card of the stock can leave *)

(* The first card of the stock is turned next; the first card of the waste is on top. *)
Record talon := Talon { stock : list card; waste : list card; passes : nat }.

Record position := Position {
  places : list (option card);  (* the arrangement, with its columns: None is a gap *)
  turning : talon;              (* stock, waste, and the further passes *)
  hole : card }.                (* the card on top of the hole, in games that have one *)

Section Game.
Variable R : rules.

Definition is_gap (l : list (option card)) (i : nat) : Prop := forall x, nth_error l i <> Some (Some x).

(* No card covers place i. *)
Definition free (l : list (option card)) (i : nat) : Prop := forall j, In j (nth i (covers R) []) -> is_gap l j.

(* No card but that of place k covers place i, which may be so if cards can leave with the only one that covers them. *)
Definition free_with (l : list (option card)) (i k : nat) : Prop :=
  moves_by R = InPairs true /\ forall j, In j (nth i (covers R) []) -> j = k \/ is_gap l j.

(* A card of rank r may go into the hole onto one of rank s. *)
Definition neighbours (r s : card) : Prop :=
  r = S s \/ s = S r \/ (moves_by R = IntoHole true /\ (r = 1 /\ s = king \/ r = king /\ s = 1)).

Definition pairs : Prop := exists overlap, moves_by R = InPairs overlap.

(* [lift p x q]: a card of rank x is free in the arrangement, which without it is as in q. *)
Inductive lift (p : position) (x : card) : position -> Prop :=
| lift_card before after :
    places p = before ++ Some x :: after -> free (places p) (length before) ->
    lift p x (Position (before ++ None :: after) (turning p) (hole p)).

(* [lift_two p x y q]: these two can leave together. *)
Inductive lift_two (p : position) (x y : card) : position -> Prop :=
| lift_cards before between after (i := length before) (j := S (length before + length between)) :
    places p = before ++ Some x :: between ++ Some y :: after ->
    (free (places p) i /\ free (places p) j) \/
      (free (places p) i /\ free_with (places p) j i) \/ (free (places p) j /\ free_with (places p) i j) ->
    lift_two p x y (Position (before ++ None :: between ++ None :: after) (turning p) (hole p)).

(* [draw t x u]: a card of rank x is free on the waste or the stock, which without it are as in u. *)
Inductive draw : talon -> card -> talon -> Prop :=
| draw_from_waste st x wa n : draw (Talon st (x :: wa) n) x (Talon st wa n)
| draw_from_stock x st wa n : playable R = true -> draw (Talon (x :: st) wa n) x (Talon st wa n).

(* Turning once. When the stock is empty, the waste is turned over, as often as the passes allow. *)
Inductive turn : talon -> talon -> Prop :=
| turn_card x st wa n : turn (Talon (x :: st) wa n) (Talon st (x :: wa) n)
| turn_over wa n m : (if unlimited R then m = n else n = S m) -> turn (Talon [] wa n) (Talon (rev wa) [] m).

Definition with_turning (p : position) (t : talon) : position := Position (places p) t (hole p).

(* In a pair, the ranks add up to that of a king, who leaves alone. *)
Inductive move (p : position) : position -> Prop :=
| into_hole x q :
    ~ pairs -> lift p x q -> neighbours x (hole p) -> move p (Position (places q) (turning q) x)
| turn_into_hole x st wa n :
    ~ pairs -> turning p = Talon (x :: st) wa n -> move p (Position (places p) (Talon st wa n) x)
| king_leaves q : pairs -> lift p king q -> move p q
| pair_leaves x y q : pairs -> lift_two p x y q -> x + y = king -> move p q
| pair_with_drawn x y q t :
    pairs -> lift p x q -> draw (turning p) y t -> x + y = king -> move p (with_turning q t)
| king_drawn t : pairs -> draw (turning p) king t -> move p (with_turning p t)
| pair_drawn x y st wa n :
    pairs -> turning p = Talon (x :: st) (y :: wa) n -> playable R = true -> x + y = king ->
    move p (with_turning p (Talon st wa n))
| turning_stock t : pairs -> turn (turning p) t -> move p (with_turning p t).

Definition won (p : position) : Prop :=
  Forall (eq None) (places p) /\ (all_leave R = true -> stock (turning p) = [] /\ waste (turning p) = []).

Inductive reach : position -> position -> Prop :=
| stay p : reach p p
| step p q r : move p q -> reach q r -> reach p r.

Definition winnable (p : position) : Prop := exists q, reach p q /\ won q.

End Game.
