(* The game: cards, rules, positions and moves of all patiences that Dealmill plays, in the words of docs/patience.md,
   but for those whose stock goes to the columns, or with runs or foundations of another kind.

   This file claims nothing. It is the file to read with care, because all theorems are about it.

   A card moves in two steps: it is lifted, with the cards on it, and put down. Then empty columns are filled from the
   reserve, if the rules say so, and top cards are turned up. In the real game, no card is absent. In the easier game
   that proves a loss, some are ([absent]): they are missing in the position, nobody waits for them on the foundations,
   and they may go into a hole as often as one likes. These are the only differences in this file, in [to_foundation]
   and [absent_to_hole].

   To read this without knowing Coq: [x :: l] is the list l with x before it, [l ++ m] is one list after another, and
   [] is the empty list. So [columns p = left ++ (y :: below) :: right] says: some column of p has y on top. [/\] is
   and, [\/] is or, [~] is not, [->] is "if, then", and [In x l] says that x is in l. An Inductive lists all cases in
   which something holds, each with its conditions before the last arrow. *)
Require Import List Bool Arith.
Import ListNotations.

(** * Cards *)

Inductive suit := Clubs | Hearts | Spades | Diamonds.

(* The rank of an ace is 1, that of a king 13. *)
Record card := Card { rank : nat; suit_of : suit }.

Definition same_suit (x y : card) : bool :=
  match suit_of x, suit_of y with
  | Clubs, Clubs | Hearts, Hearts | Spades, Spades | Diamonds, Diamonds => true
  | _, _ => false
  end.

Definition red (x : card) : bool := match suit_of x with Hearts | Diamonds => true | _ => false end.

Definition same_card (x y : card) : bool := (rank x =? rank y) && same_suit x y.

Definition member (x : card) (l : list card) : bool := existsb (same_card x) l.

(** * Rules *)

Inductive building := AnySuit | RedBlack | SameSuit | SameColour | OtherSuit | NoBuilding.
Inductive moving := OneCard | BuiltRun | AnyCards.
Inductive filling := AnyCard | LastRank | NoCard | FromReserve.

Record rules := Rules {
  ranks : nat;              (* deck.ranks *)
  base : nat;               (* foundations.base: the rank of the first cards *)
  build : building;         (* tableau.build: on which card a card of the next lower rank may be put *)
  moving_on : moving;       (* tableau.move: what moves with a card: nothing, a run built so, or all on it *)
  spaces : filling;         (* tableau.spaces: what may go to an empty column *)
  removable : bool;         (* foundations.removable: cards may come back *)
  first_stay : bool;        (* foundations.initial = "all": but not the first ones *)
  cell_count : nat;         (* cells.count *)
  draw : nat;               (* stock.draw: the number of cards that are turned at a time *)
  unlimited : bool;         (* stock.passes = "unlimited" *)
  to_hole : bool;           (* stock.to = "hole" *)
  wrap : bool }.            (* hole.wrap: the first and the last rank are neighbours in the hole *)

(** * Positions *)

(* The first card of the stock is turned next; the first card of the waste is on top. *)
Record talon := Talon { stock : list card; waste : list card; passes : nat }.

(* The first card of a column, and of a stacked reserve, is on top. *)
Record position := Position {
  columns : list (list card);
  face_down : list card;        (* those cards of the columns that lie face down *)
  cells : list card;
  open_reserve : list card;     (* all of these can be lifted *)
  reserve : list card;          (* a stacked one *)
  turning : talon;              (* stock, waste, and the further passes *)
  hole : option nat;            (* the rank of the card on top of the hole, in games that have one *)
  foundations : list card }.    (* all cards that are up *)

Definition with_columns p new :=
  Position new (face_down p) (cells p) (open_reserve p) (reserve p) (turning p) (hole p) (foundations p).
Definition with_face_down p new :=
  Position (columns p) new (cells p) (open_reserve p) (reserve p) (turning p) (hole p) (foundations p).
Definition with_cells p new :=
  Position (columns p) (face_down p) new (open_reserve p) (reserve p) (turning p) (hole p) (foundations p).
Definition with_open_reserve p new :=
  Position (columns p) (face_down p) (cells p) new (reserve p) (turning p) (hole p) (foundations p).
Definition with_reserve p new :=
  Position (columns p) (face_down p) (cells p) (open_reserve p) new (turning p) (hole p) (foundations p).
Definition with_turning p new :=
  Position (columns p) (face_down p) (cells p) (open_reserve p) (reserve p) new (hole p) (foundations p).
Definition with_hole p new :=
  Position (columns p) (face_down p) (cells p) (open_reserve p) (reserve p) (turning p) new (foundations p).
Definition with_foundations p new :=
  Position (columns p) (face_down p) (cells p) (open_reserve p) (reserve p) (turning p) (hole p) new.

Section Game.
Variable R : rules.

(** * Which card goes where *)

(* The place of a card on its foundation: 0 for the first one. *)
Definition height (x : card) : nat := if base R <=? rank x then rank x - base R else rank x + ranks R - base R.

(* x may lie on y in a column. *)
Definition fits (x y : card) : bool :=
  (S (height x) =? height y) &&
  match build R with
  | AnySuit => true
  | RedBlack => negb (eqb (red x) (red y))
  | SameSuit => same_suit x y
  | SameColour => eqb (red x) (red y)
  | OtherSuit => negb (same_suit x y)
  | NoBuilding => false
  end.

(* The cards of its suit that go to the foundation before x. *)
Definition lower (x : card) : list card :=
  filter (fun y => height y <? height x) (map (fun r => Card r (suit_of x)) (seq 1 (ranks R))).

(* x moves along with the card y below it. *)
Definition moves_with (x y : card) : bool :=
  match moving_on R with OneCard => false | BuiltRun => fits x y | AnyCards => true end.

(* Cards that move together, the top card first. *)
Fixpoint group (g : list card) : Prop :=
  match g with
  | x :: ((y :: _) as below) => moves_with x y = true /\ group below
  | _ => True
  end.

(* x, with the cards on it, may go to an empty column. *)
Definition may_fill (p : position) (x : card) : Prop :=
  match spaces R with
  | AnyCard => True
  | LastRank => S (height x) = ranks R
  | NoCard => False
  | FromReserve => reserve p = []
  end.

(* x may leave its foundation, if it is on top. *)
Definition may_come_back (x : card) : Prop := removable R = true /\ (first_stay R = true -> height x <> 0).

(* A card of rank r may go into the hole onto one of rank s. *)
Definition neighbours (r s : nat) : Prop :=
  r = S s \/ s = S r \/ (wrap R = true /\ (r + 1 = s + ranks R \/ s + 1 = r + ranks R)).

(** * The stock *)

(* Turning once. When the stock is empty, the waste is turned over, as often as the passes allow. *)
Inductive turn : talon -> talon -> Prop :=
| turn_cards st wa n :
    to_hole R = false -> st <> [] ->
    turn (Talon st wa n) (Talon (skipn (draw R) st) (rev (firstn (draw R) st) ++ wa) n)
| turn_over wa n m :
    to_hole R = false -> (if unlimited R then m = n else n = S m) ->
    turn (Talon [] wa n) (Talon (rev wa) [] m).

Inductive turns : talon -> talon -> Prop :=
| turns_none t : turns t t
| turns_once t u v : turn t u -> turns u v -> turns t v.

(* After some turning, x is on top of the waste; q is the position without it. *)
Inductive offered (p : position) (x : card) : position -> Prop :=
| offer st wa n : turns (turning p) (Talon st (x :: wa) n) -> offered p x (with_turning p (Talon st wa n)).

(** * Moves *)

(* [lift p u x q]: in p, x can be lifted with the cards u on it, which leaves q. *)
Inductive lift (p : position) : list card -> card -> position -> Prop :=
| from_column left u x below right :
    columns p = left ++ (u ++ x :: below) :: right ->
    group (u ++ [x]) ->
    (forall z, In z (u ++ [x]) -> ~ In z (face_down p)) ->
    lift p u x (with_columns p (left ++ below :: right))
| from_cell l x r : cells p = l ++ x :: r -> lift p [] x (with_cells p (l ++ r))
| from_open_reserve l x r : open_reserve p = l ++ x :: r -> lift p [] x (with_open_reserve p (l ++ r))
| from_reserve x k : reserve p = x :: k -> ~ In x (face_down p) -> lift p [] x (with_reserve p k)
| from_foundation l x r :
    foundations p = l ++ x :: r ->
    may_come_back x ->
    (forall z, In z (foundations p) -> ~ In x (lower z)) ->
    lift p [] x (with_foundations p (l ++ r)).

(* [put absent p u x q]: x, with u on it, can be put down in p, which gives q. *)
Inductive put (absent : list card) (p : position) : list card -> card -> position -> Prop :=
| to_card left u x y below right :
    columns p = left ++ (y :: below) :: right ->
    ~ In y (face_down p) ->
    fits x y = true ->
    put absent p u x (with_columns p (left ++ (u ++ x :: y :: below) :: right))
| to_space left u x right :
    columns p = left ++ [] :: right ->
    may_fill p x ->
    put absent p u x (with_columns p (left ++ (u ++ [x]) :: right))
| to_cell x : length (cells p) < cell_count R -> put absent p [] x (with_cells p (x :: cells p))
| to_foundation x :
    hole p = None ->
    (forall y, In y (lower x) -> In y (foundations p) \/ In y absent) ->
    put absent p [] x (with_foundations p (x :: foundations p))
| to_the_hole x h : hole p = Some h -> neighbours (rank x) h -> put absent p [] x (with_hole p (Some (rank x))).

(* Empty columns are filled from the reserve, from left to right. *)
Fixpoint fill (cs : list (list card)) (k : list card) : list (list card) * list card :=
  match cs, k with
  | [] :: cs, x :: k => let (cs, k) := fill cs k in ([x] :: cs, k)
  | c :: cs, k => let (cs, k) := fill cs k in (c :: cs, k)
  | [], k => ([], k)
  end.

Definition filled (p : position) : position :=
  match spaces R with
  | FromReserve => let (cs, k) := fill (columns p) (reserve p) in with_reserve (with_columns p cs) k
  | _ => p
  end.

(* Top cards are turned up. *)
Definition tops (p : position) : list card := flat_map (firstn 1) (columns p).
Definition faced (p : position) : position :=
  with_face_down p (filter (fun x => negb (member x (tops p))) (face_down p)).

Definition settled (p : position) : position := faced (filled p).

Inductive move (absent : list card) (p : position) : position -> Prop :=
| carry u x q r : lift p u x q -> put absent q u x r -> move absent p (settled r)
| play x q r : offered p x q -> put absent q [] x r -> move absent p (settled r)
| deal x st wa n h :
    to_hole R = true -> turning p = Talon (x :: st) wa n -> hole p = Some h ->
    move absent p (settled (with_hole (with_turning p (Talon st wa n)) (Some (rank x))))
| absent_to_hole x h :
    In x absent -> hole p = Some h -> neighbours (rank x) h -> move absent p (settled (with_hole p (Some (rank x)))).

(* All cards are on the foundations, or in the hole. *)
Definition won (p : position) : Prop :=
  Forall (eq []) (columns p) /\ cells p = [] /\ open_reserve p = [] /\ reserve p = [] /\
  stock (turning p) = [] /\ waste (turning p) = [].

Inductive reach (absent : list card) : position -> position -> Prop :=
| stay p : reach absent p p
| step p q r : move absent p q -> reach absent q r -> reach absent p r.

(* The real game is the one without absent cards. *)
Definition winnable (p : position) : Prop := exists q, reach [] p q /\ won q.

End Game.
