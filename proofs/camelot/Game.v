(* The game of Camelot, as docs/games.md and its problem statement have it.

   This file claims nothing. It is the file to read with care, because all theorems about Camelot are about it.

   To read this without knowing Coq: [x :: l] is the list l with x before it, and [l ++ m] is one list after another.
   So [left ++ None :: right] is a board with an empty slot. [\/] is or, [~] is not, and [In x l] says that x is in l.
   An Inductive lists all cases in which something holds, each with its conditions before the last arrow. *)
Require Import List.
Import ListNotations.

(* A card is its value: 1 for an ace, 2 to 10, and 11, 12 and 13 for jack, queen and king. *)
Notation card := nat.

(* The slots a to p, row by row, are numbered from 0. Each is empty, or has a card. *)
Definition board := list (option card).

Definition empty_board : board := repeat None 16.

(* Where a card may lie: jacks in e, h, i and l, queens in b, c, n and o, kings in the corners a, d, m and p. *)
Definition may_lie (x : card) (slot : nat) : Prop :=
  match x with
  | 11 => In slot [4; 7; 8; 11]
  | 12 => In slot [1; 2; 13; 14]
  | 13 => In slot [0; 3; 12; 15]
  | _ => True
  end.

(* Cards are dealt until no slot is empty, or no card is left in the deck. Then cards are removed, at least one card in
   each phase. *)
Inductive phase := Dealing | Removing | Removed.

(* The first card of the deck is dealt next. *)
Record position := Position { now : phase; deck : list card; slots : board }.

Inductive move : position -> position -> Prop :=
| deal x rest left right :
    may_lie x (length left) ->
    move (Position Dealing (x :: rest) (left ++ None :: right)) (Position Dealing rest (left ++ Some x :: right))
| stop_dealing rest full :
    rest = [] \/ ~ In None full ->
    move (Position Dealing rest full) (Position Removing rest full)
| remove_two before rest left x middle y right :
    before <> Dealing -> x + y = 10 ->
    move (Position before rest (left ++ Some x :: middle ++ Some y :: right))
         (Position Removed rest (left ++ None :: middle ++ None :: right))
| remove_ten before rest left right :
    before <> Dealing ->
    move (Position before rest (left ++ Some 10 :: right)) (Position Removed rest (left ++ None :: right))
| deal_again rest left :
    rest <> [] ->
    move (Position Removed rest left) (Position Dealing rest left).

(* The deck is empty, and only jacks, queens and kings are left. *)
Definition won (p : position) : Prop :=
  now p = Removed /\ deck p = [] /\ forall x, In (Some x) (slots p) -> 10 < x.

Inductive reaches : position -> position -> Prop :=
| reaches_itself p : reaches p p
| reaches_after p q r : move p q -> reaches q r -> reaches p r.

Definition winnable (deck : list card) : Prop := exists p, reaches (Position Dealing deck empty_board) p /\ won p.
