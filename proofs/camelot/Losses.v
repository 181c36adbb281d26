(* If the cards that must stay on the board fill it before the deck is empty, no play wins: lemmas 1 and 2 of
   docs/proofs/camelot.md. A program that checks this accepts no deck that can be won. *)
Require Import List Arith ZArith Permutation Lia.
Import ListNotations.
From Camelot Require Import Game.
Local Open Scope Z_scope.

(** * The cards that must stay *)

(* What no removal changes: the number of court cards, the differences of the numbers of aces and nines, twos and
   eights, threes and sevens, fours and sixes, and whether the number of fives is odd. *)
Record tally := Tally { courts : Z; aces : Z; twos : Z; threes : Z; fours : Z; odd_fives : bool }.

Definition add (x : card) (t : tally) : tally :=
  let 'Tally c a b d e f := t in
  match x with
  | 1%nat => Tally c (a + 1) b d e f
  | 2%nat => Tally c a (b + 1) d e f
  | 3%nat => Tally c a b (d + 1) e f
  | 4%nat => Tally c a b d (e + 1) f
  | 5%nat => Tally c a b d e (negb f)
  | 6%nat => Tally c a b d (e - 1) f
  | 7%nat => Tally c a b (d - 1) e f
  | 8%nat => Tally c a (b - 1) d e f
  | 9%nat => Tally c (a - 1) b d e f
  | 0%nat | 10%nat => t
  | _ => Tally (c + 1) a b d e f
  end.

Definition tally_of (l : list card) : tally := fold_right add (Tally 0 0 0 0 0 false) l.

Definition stay (l : list card) : Z :=
  let 'Tally c a b d e f := tally_of l in c + Z.abs a + Z.abs b + Z.abs d + Z.abs e + (if f then 1 else 0).

(* The first cards of the deck, so many, fill the board. *)
Definition check_loss (deck : list card) (number : nat) : bool :=
  ((number <? length deck)%nat && (16 <=? stay (firstn number deck)))%bool.

Lemma add_add x y t : add x (add y t) = add y (add x t).
Proof.
  destruct t as [c a b d e f].
  do 11 (destruct x as [|x]; [do 11 (destruct y as [|y]; [simpl; f_equal; lia|]); simpl; f_equal; lia|]).
  do 11 (destruct y as [|y]; [simpl; f_equal; lia|]). reflexivity.
Qed.

Lemma tally_permutation l m : Permutation l m -> tally_of l = tally_of m.
Proof. induction 1; simpl; try congruence. apply add_add. Qed.

Lemma tally_pair x y l : (x + y = 10)%nat -> tally_of (x :: y :: l) = tally_of l.
Proof.
  intros E. simpl. destruct (tally_of l) as [c a b d e f]. replace y with (10 - x)%nat by lia.
  do 11 (destruct x as [|x]; [simpl; f_equal; try lia; now destruct f|]). lia.
Qed.

Lemma tally_ten l : tally_of (10%nat :: l) = tally_of l.
Proof. simpl. now destruct (tally_of l). Qed.

Lemma stay_add x l : stay (x :: l) <= stay l + 1.
Proof.
  unfold stay. simpl. destruct (tally_of l) as [c a b d e f].
  do 11 (destruct x as [|x]; [simpl; try lia; destruct f; simpl; lia|]). simpl. lia.
Qed.

Lemma stay_length l : stay l <= Z.of_nat (length l).
Proof. induction l as [|x l IH]; [reflexivity|]. pose proof (stay_add x l). simpl length. lia. Qed.

(** * Plays *)

Definition on_board (b : board) : list card := flat_map (fun slot => match slot with Some x => [x] | None => [] end) b.

Lemma on_board_app b c : on_board (b ++ c) = on_board b ++ on_board c.
Proof. apply flat_map_app. Qed.

Lemma on_board_slot left x right :
  Permutation (on_board (left ++ Some x :: right)) (x :: on_board (left ++ None :: right)).
Proof. rewrite !on_board_app. simpl. symmetry. apply Permutation_middle. Qed.

Lemma on_board_slots left x middle y right :
  Permutation (on_board (left ++ Some x :: middle ++ Some y :: right))
    (x :: y :: on_board (left ++ None :: middle ++ None :: right)).
Proof.
  rewrite on_board_slot. constructor.
  change (left ++ None :: middle ++ Some y :: right) with (left ++ (None :: middle) ++ Some y :: right).
  rewrite app_assoc, on_board_slot, <- app_assoc. reflexivity.
Qed.

Lemma on_board_room left right : (length (on_board (left ++ None :: right)) < length (left ++ None :: right))%nat.
Proof.
  assert (L : forall b, (length (on_board b) <= length b)%nat).
  { induction b as [|[x|] b IH]; simpl; lia. }
  rewrite on_board_app, !app_length. simpl. pose proof (L left). pose proof (L right). lia.
Qed.

(* These cards have been dealt, and the cards on the board have their tally. *)
Definition accounts (dealt : list card) (p : position) : Prop :=
  tally_of (on_board (slots p)) = tally_of dealt /\ length (slots p) = 16%nat.

Lemma accounts_move whole dealt p q : whole = dealt ++ deck p -> accounts dealt p -> move p q ->
  exists more, whole = (dealt ++ more) ++ deck q /\ accounts (dealt ++ more) q /\
    (more = [] \/ length more = 1%nat /\ stay dealt < 16).
Proof.
  intros W (T & L) M. destruct M; simpl in *.
  - exists [x]. rewrite <- app_assoc. repeat split; auto; simpl.
    + rewrite (tally_permutation _ _ (on_board_slot left x right)), (tally_permutation (dealt ++ [x]) (x :: dealt)).
      * simpl. now rewrite T.
      * symmetry. apply Permutation_cons_append.
    + rewrite <- L, !app_length. reflexivity.
    + right. split; auto. pose proof (on_board_room left right) as R. rewrite L in R.
      pose proof (stay_length (on_board (left ++ None :: right))) as S. unfold stay in *. rewrite T in S. lia.
  - exists []. rewrite app_nil_r. repeat split; auto.
  - exists []. rewrite app_nil_r. repeat split; auto; simpl.
    + rewrite <- T, (tally_permutation _ _ (on_board_slots left x middle y right)). symmetry. now apply tally_pair.
    + rewrite <- L, !app_length. simpl. now rewrite !app_length.
  - exists []. rewrite app_nil_r. repeat split; auto; simpl.
    + rewrite <- T, (tally_permutation _ _ (on_board_slot left 10%nat right)). symmetry. apply tally_ten.
    + rewrite <- L, !app_length. reflexivity.
  - exists []. rewrite app_nil_r. repeat split; auto.
Qed.

(* If the first cards fill the board, no more cards than these are ever dealt. *)
Lemma no_more_dealt whole number p q : 16 <= stay (firstn number whole) -> reaches p q ->
  forall dealt, whole = dealt ++ deck p -> accounts dealt p -> (length dealt <= number)%nat ->
  exists all, whole = all ++ deck q /\ (length all <= number)%nat.
Proof.
  intros F. induction 1 as [p | p q r M _ IH]; intros dealt W A L; [now exists dealt|].
  destruct (accounts_move whole dealt p q W A M) as (more & W' & A' & D). apply (IH (dealt ++ more)); auto.
  rewrite app_length. destruct D as [-> | (E & S)]; [simpl; lia|]. rewrite E.
  destruct (Nat.eq_dec (length dealt) number) as [N|]; [|lia]. exfalso. subst number.
  rewrite W, firstn_app, firstn_all, Nat.sub_diag in F. simpl in F. rewrite app_nil_r in F. lia.
Qed.

Theorem fills_the_board deck number : (number < length deck)%nat -> 16 <= stay (firstn number deck) -> ~ winnable deck.
Proof.
  intros L F (p & R & _ & E & _).
  destruct (no_more_dealt deck number _ p F R []) as (all & W & N); simpl; auto; [|lia|].
  - split; reflexivity.
  - rewrite E, app_nil_r in W. subst. lia.
Qed.

Theorem check_loss_sound deck number : check_loss deck number = true -> ~ winnable deck.
Proof.
  unfold check_loss. rewrite Bool.andb_true_iff, Nat.ltb_lt, Z.leb_le. intros (L & F).
  now apply (fills_the_board deck number).
Qed.
