(* The game of card pairing, as docs/games.md has it.

   This file claims nothing. It is the file to read with care, because all theorems about card pairing are about it.

   To read this without knowing Coq: [l ++ m] is one list after another, [x :: l] is the list l with x before it, and
   [x] between brackets is the list of x alone. An Inductive lists all cases in which something holds, each with its
   conditions before the last arrow. *)
Require Import List.
Import ListNotations.

(* The stacks, each with the ranks of its cards, from the bottom card to the top card. Ranks are numbered. *)
Definition position := list (list nat).

(* A move removes the top cards of two stacks if they have the same rank. *)
Inductive move : position -> position -> Prop :=
| remove_pair left a middle b right rank :
    move (left ++ (a ++ [rank]) :: middle ++ (b ++ [rank]) :: right) (left ++ a :: middle ++ b :: right).

(* A position is won if no card is left. *)
Definition won (p : position) : Prop := forall stack, In stack p -> stack = [].

Inductive winnable : position -> Prop :=
| winnable_now p : won p -> winnable p
| winnable_after p q : move p q -> winnable q -> winnable p.
