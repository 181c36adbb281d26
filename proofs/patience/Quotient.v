(* Games such as Klondike without the arrangement of the cards that were moved.

   Claims. A play of the game is a play of the quotient ([quotient_step]), so a game that can be won can be won there,
   too ([quotient]). This file also says what the quotient is, in the words of docs/proofs/klondike.md, for the rules
   that [without_arrangement] asks for.

   A position of the quotient is one of the game in whose columns only those cards lie that have not moved since they
   could be. All cards that are nowhere in it were moved: they lie on others somewhere. *)
Require Import List Bool Arith Lia Permutation.
Import ListNotations.
From Patience Require Import Game Cards Stock.

Section Quotient.
Variable R : rules.
Variable deck : list card.

(* Runs move, which are built in alternating colours, and only kings go to empty columns, or nothing does. *)
Definition without_arrangement : bool :=
  match build R, moving_on R, spaces R with
  | RedBlack, BuiltRun, LastRank | RedBlack, BuiltRun, NoCard => cell_count R =? 0
  | _, _, _ => false
  end.

(** * Positions *)

Definition count (f : card -> bool) : nat := length (filter f deck).

(* Where cards lie that were not moved. *)
Definition placed (q : position) : list card :=
  concat (columns q) ++ open_reserve q ++ all_cards (turning q) ++ foundations q.

Definition is_moved (q : position) (x : card) : bool := negb (member x (placed q)).

(* x was moved, or is a dealt card: the top one of those that are left in a column. *)
Definition is_shown (q : position) (x : card) : bool := member x (tops q) || is_moved q x.

(* Of the same rank and colour. *)
Definition alike (x y : card) : bool := (height R x =? height R y) && eqb (red x) (red y).

Definition is_king (x : card) : bool := S (height R x) =? ranks R.

Definition is_vacant (c : list card) : bool := match c with [] => true | _ => false end.

(* x, or a card like it, has nothing on it. *)
Definition is_bare (q : position) (x : card) : bool :=
  count (fun z => is_moved q z && fits R z x) <? count (fun z => is_shown q z && alike z x).

(* A column is empty, or can be emptied. *)
Definition has_space (q : position) : bool :=
  match spaces R with
  | LastRank => count (fun z => is_moved q z && is_king z) <? length (filter is_vacant (columns q))
  | _ => false
  end.

Definition is_free_at (q : position) (x y : card) : bool := fits R x y && is_shown q y && is_bare q y.

(* There is a free place for x. *)
Definition is_free (q : position) (x : card) : bool :=
  (is_king x && has_space q) || existsb (is_free_at q x) deck.

(* The dealt cards of a column: upper cards of a run, and kings with nothing under them, count as moved. *)
Fixpoint dealt_cards (down c : list card) : list card :=
  match c with
  | [] => []
  | x :: below =>
      match below with
      | [] => if is_king x then [] else c
      | y :: _ => if fits R x y && negb (member y down) then dealt_cards down below else c
      end
  end.

Definition quotient_of (p : position) : position := with_columns p (map (dealt_cards (face_down p)) (columns p)).

(** * Moves *)

Definition is_next (q : position) (x : card) : Prop := forall y, In y (lower R x) -> In y (foundations q).

Definition up_in (q : position) (x : card) : position := with_foundations q (x :: foundations q).

(* A dealt card can leave, and q' is the position without it. *)
Inductive leaves (q : position) (x : card) : position -> Prop :=
| leave left below right :
    columns q = left ++ (x :: below) :: right ->
    leaves q x (with_columns q (left ++ dealt_cards (face_down q) below :: right)).

Inductive taken (q : position) (x : card) : position -> Prop :=
| taken_reserve l r : open_reserve q = l ++ x :: r -> taken q x (with_open_reserve q (l ++ r))
| taken_stock q' : offered R q x q' -> taken q x q'.

Inductive returns (q : position) (x : card) : position -> Prop :=
| return_up : In x (foundations q) -> may_come_back R x -> (forall z, In z (foundations q) -> ~ In x (lower R z)) ->
    returns q x (with_foundations q (filter (fun z => negb (same_card x z)) (foundations q))).

(* A card that goes to a free place is not in the position after it: so it was moved. *)
Inductive quotient_move (q : position) : position -> Prop :=
| rise_moved x : In x deck -> is_moved q x = true -> is_bare q x = true -> is_next q x -> quotient_move q (up_in q x)
| rise_dealt x q' : leaves q x q' -> is_bare q x = true -> is_next q x -> quotient_move q (up_in q' x)
| rise_taken x q' : taken q x q' -> is_next q x -> quotient_move q (up_in q' x)
| move_dealt x q' : leaves q x q' -> is_free q x = true -> quotient_move q q'
| move_taken x q' : taken q x q' -> is_free q x = true -> quotient_move q q'
| move_returned x q' : returns q x q' -> is_free q x = true -> quotient_move q q'.

Definition all_up (q : position) : Prop := incl deck (foundations q).

(* q can be won with n moves. *)
Inductive wins : nat -> position -> Prop :=
| wins_now q : all_up q -> wins 0 q
| wins_later n q q' : quotient_move q q' -> wins n q' -> wins (S n) q.

(** * Positions of the game and of the quotient *)

Definition cards (p : position) : list card :=
  concat (columns p) ++ open_reserve p ++ all_cards (turning p) ++ foundations p.

(* A column: the cards that were moved, from the top, and the others. *)
Definition pile : Type := list card * list card.
Definition whole (c : pile) : list card := fst c ++ snd c.
Definition seen (c : pile) : list card := fst c ++ firstn 1 (snd c).

Fixpoint run (l : list card) : Prop :=
  match l with x :: ((y :: _) as below) => fits R x y = true /\ run below | _ => True end.

Definition is_dealt (down d : list card) : Prop :=
  match d with
  | [] => True
  | [x] => is_king x = false
  | x :: y :: _ => In y down \/ fits R x y = false
  end.

Definition on_king (c : pile) : Prop :=
  snd c = [] -> fst c = [] \/ exists m k, fst c = m ++ [k] /\ is_king k = true.

(* Of the cards that lay face down at the start, those under others still do. *)
Record pile_ok (at_start now : list card) (c : pile) : Prop := {
  ok_run : run (seen c);
  ok_king : on_king c;
  ok_dealt : is_dealt at_start (snd c);
  ok_down : forall z, In z (tl (snd c)) -> In z at_start -> In z now }.

(* q is what is known of p in the quotient, while the cards of a group are lifted: these count as moved. *)
Record like (piles : list pile) (group : list card) (p q : position) : Prop := {
  like_columns : columns p = map whole piles;
  like_dealt : columns q = map snd piles;
  like_ok : Forall (pile_ok (face_down q) (face_down p)) piles;
  like_reserve : open_reserve q = open_reserve p;
  like_turning : at_least R (turning q) (turning p);
  like_foundations : forall z, In z (foundations q) <-> In z (foundations p);
  like_nothing : cells p = [] /\ reserve p = [] /\ hole p = None;
  like_cards : Permutation (group ++ cards p) deck }.

Definition quotient_like (p q : position) : Prop := exists piles, like piles [] p q.

Hypothesis rules_ok : without_arrangement = true.
Hypothesis deck_once : NoDup deck.
Hypothesis deck_ranks : forall x, In x deck -> height R x < ranks R.

Lemma rules_are : build R = RedBlack /\ moving_on R = BuiltRun /\ (spaces R = LastRank \/ spaces R = NoCard) /\
  cell_count R = 0.
Proof.
  unfold without_arrangement in rules_ok. destruct (build R), (moving_on R), (spaces R); try discriminate;
    apply Nat.eqb_eq in rules_ok; auto.
Qed.

(** * Cards that fit *)

Lemma fits_iff x y : fits R x y = true <-> S (height R x) = height R y /\ red x <> red y.
Proof.
  unfold fits. destruct rules_are as (-> & _). rewrite andb_true_iff, Nat.eqb_eq, negb_true_iff.
  rewrite eqb_false_iff. tauto.
Qed.

Lemma alike_iff x y : alike x y = true <-> height R x = height R y /\ red x = red y.
Proof. unfold alike. rewrite andb_true_iff, Nat.eqb_eq, eqb_true_iff. tauto. Qed.

Lemma alike_refl x : alike x x = true.
Proof. now apply alike_iff. Qed.

(* Below a card that fits y lies a card like y. *)
Lemma fits_alike x y z : fits R x y = true -> fits R x z = alike y z.
Proof.
  intros F. apply fits_iff in F. destruct F as (H & C). apply eq_true_iff_eq. rewrite fits_iff, alike_iff.
  destruct (red x), (red y), (red z); split; intros (A & B); split; congruence.
Qed.

Lemma king_fits x y : In y deck -> is_king x = true -> fits R x y = false.
Proof.
  intros I K. apply not_true_iff_false. rewrite fits_iff. apply Nat.eqb_eq in K. apply deck_ranks in I. lia.
Qed.

(** * Counting *)

Definition number (f : card -> bool) (l : list card) : nat := length (filter f l).

Lemma number_app f l m : number f (l ++ m) = number f l + number f m.
Proof. unfold number. now rewrite filter_app, app_length. Qed.

Lemma number_cons f x l : number f (x :: l) = (if f x then 1 else 0) + number f l.
Proof. unfold number. simpl. now destruct (f x). Qed.

Lemma count_of (g f : card -> bool) l : NoDup l -> incl l deck -> (forall z, In z deck -> (g z = true <-> In z l)) ->
  count (fun z => g z && f z) = number f l.
Proof.
  intros N I E. unfold count, number. apply Permutation_length, NoDup_Permutation; try now apply NoDup_filter.
  intros z. rewrite !filter_In, andb_true_iff. split.
  - intros (D & G & F). split; auto. now apply E.
  - intros (L & F). repeat split; auto. apply E; auto.
Qed.

(* On each card like y, but for top cards, lies one that fits y; and each of those that were moved lies on such a
   card. *)
Lemma number_in_run f_king y m b : run (m ++ b) ->
  (b = [] -> m = [] \/ exists n k, m = n ++ [k] /\ fits R k y = false /\ f_king k = true) ->
  length b <= 1 ->
  number (fun z => alike z y) (m ++ b) =
  number (fun z => fits R z y) m + number (fun z => alike z y) (firstn 1 (m ++ b)).
Proof.
  intros C K L. induction m as [|x m IH].
  - simpl. destruct b as [|z [|]]; simpl in *; auto; lia.
  - assert (C' : run (m ++ b)) by (simpl in C; destruct (m ++ b); tauto).
    change (firstn 1 ((x :: m) ++ b)) with [x]. rewrite <- app_comm_cons, !number_cons.
    destruct (m ++ b) as [|z rest] eqn:E.
    + apply app_eq_nil in E. destruct E as (-> & ->). destruct (K eq_refl) as [?|(n & k & N & F & _)]; [easy|].
      destruct n as [|? [|]]; inversion N; subst. rewrite F. unfold number. simpl. lia.
    + simpl in C. rewrite E in C. destruct C as (F & _). rewrite IH; auto.
      * simpl firstn. rewrite (fits_alike _ _ y F). rewrite !number_cons. unfold number. simpl. lia.
      * intros B. destruct (K B) as [?|(n & k & N & M)]; [easy|]. destruct n as [|a n]; inversion N; subst; auto.
        right. eauto.
Qed.

Lemma number_concat f (l : list (list card)) : number f (concat l) = list_sum (map (number f) l).
Proof. induction l as [|c l IH]; simpl; auto. now rewrite number_app, IH. Qed.

Lemma list_sum_add {A} (f g h : A -> nat) l : (forall x, In x l -> f x = g x + h x) ->
  list_sum (map f l) = list_sum (map g l) + list_sum (map h l).
Proof.
  induction l as [|x l IH]; simpl; auto. intros H. rewrite H by auto. rewrite IH by auto. lia.
Qed.

(** * What is known of moved cards *)

Section Like.
Variables (piles : list pile) (group : list card) (p q : position).
Hypothesis L : like piles group p q.

Let moved_in : list card := concat (map fst piles).

Lemma whole_split (l : list pile) : Permutation (concat (map whole l)) (concat (map fst l) ++ concat (map snd l)).
Proof.
  induction l as [|(m & d) l IH]; simpl; auto. unfold whole at 1. simpl. rewrite IH.
  rewrite <- !app_assoc. apply Permutation_app_head. rewrite !app_assoc. apply Permutation_app_tail,
    Permutation_app_comm.
Qed.

Lemma placed_of : Permutation (group ++ cards p) ((group ++ moved_in) ++ concat (columns q) ++ open_reserve q ++
  all_cards (turning q) ++ foundations p).
Proof.
  destruct L as [Lc Ld _ Lr Lt _ _ _]. unfold cards. rewrite Lc, whole_split, Ld, Lr.
  rewrite (at_least_all_cards _ _ _ Lt). now rewrite <- !app_assoc.
Qed.

Lemma placed_moved : NoDup ((group ++ moved_in) ++ concat (columns q) ++ open_reserve q ++ all_cards (turning q) ++
  foundations p).
Proof.
  apply (Permutation_NoDup placed_of). apply (Permutation_NoDup (Permutation_sym (like_cards _ _ _ _ L))), deck_once.
Qed.

Lemma in_deck z : In z deck <-> In z (group ++ moved_in) \/ In z (placed q).
Proof.
  rewrite <- (Permutation_in' eq_refl (like_cards _ _ _ _ L)), (Permutation_in' eq_refl placed_of).
  unfold placed. rewrite !in_app_iff, (like_foundations _ _ _ _ L z). tauto.
Qed.

Lemma not_both z : In z (group ++ moved_in) -> In z (placed q) -> False.
Proof.
  intros I J. pose proof placed_moved as N. apply in_split in I. destruct I as (a & b & E). rewrite E in N.
  rewrite <- !app_assoc in N. simpl in N. apply NoDup_remove_2 in N. apply N. unfold placed in J.
  rewrite !in_app_iff in *. rewrite (like_foundations _ _ _ _ L z) in J. tauto.
Qed.

Lemma moved_iff z : In z deck -> (is_moved q z = true <-> In z (group ++ moved_in)).
Proof.
  intros D. unfold is_moved. rewrite not_member_iff. split.
  - intros N. apply in_deck in D. tauto.
  - intros I J. now apply (not_both z).
Qed.

Lemma in_whole_deck z : In z (concat (columns p)) -> In z deck.
Proof.
  intros I. apply (Permutation_in' eq_refl (like_cards _ _ _ _ L)). unfold cards. rewrite !in_app_iff. tauto.
Qed.
End Like.

Lemma seen_tops (l : list pile) :
  Permutation (concat (map seen l)) (concat (map fst l) ++ flat_map (firstn 1) (map snd l)).
Proof.
  induction l as [|(m & d) l IH]; simpl; auto. unfold seen at 1. simpl. rewrite IH.
  rewrite <- !app_assoc. apply Permutation_app_head. rewrite !app_assoc. apply Permutation_app_tail,
    Permutation_app_comm.
Qed.

Lemma tops_in (cs : list (list card)) z : In z (flat_map (firstn 1) cs) -> In z (concat cs).
Proof.
  rewrite in_flat_map, in_concat. intros (c & I & J). exists c. split; auto. destruct c; simpl in *; tauto.
Qed.

Lemma nodup_tops (cs : list (list card)) m : NoDup (m ++ concat cs) -> NoDup (m ++ flat_map (firstn 1) cs).
Proof.
  revert m. induction cs as [|c cs IH]; auto. intros m N.
  destruct c as [|x c]; [exact (IH m N)|]. cbn [flat_map firstn app concat] in *.
  change (NoDup (m ++ [x] ++ flat_map (firstn 1) cs)). rewrite app_assoc.
  apply IH. rewrite <- app_assoc. simpl.
  apply (Permutation_NoDup (Permutation_sym (Permutation_middle _ _ _))) in N.
  apply NoDup_cons_iff in N. destruct N as (N & M). rewrite <- Permutation_middle. constructor.
  - rewrite !in_app_iff in *. tauto.
  - apply (Permutation_NoDup (l' := c ++ m ++ concat cs)) in M; [now apply nodup_right in M|].
    rewrite !(app_assoc _ _ (concat cs)). apply Permutation_app_tail, Permutation_app_comm.
Qed.

Section Tops.
Variables (piles : list pile) (p q : position).
Hypothesis L : like piles [] p q.

Lemma number_moved f : count (fun z => is_moved q z && f z) = number f (concat (map fst piles)).
Proof.
  pose proof (placed_moved _ _ _ _ L) as N. simpl in N. apply count_of.
  - now apply nodup_left in N.
  - intros z I. apply (in_deck _ _ _ _ L). now left.
  - intros z D. exact (moved_iff _ _ _ _ L z D).
Qed.

Lemma shown_iff z : In z deck -> (is_shown q z = true <-> In z (concat (map seen piles))).
Proof.
  intros D. unfold is_shown, tops. rewrite orb_true_iff, member_iff, (moved_iff _ _ _ _ L z D). simpl.
  rewrite (Permutation_in' eq_refl (seen_tops piles)), in_app_iff, (like_dealt _ _ _ _ L). tauto.
Qed.

Lemma number_shown f : count (fun z => is_shown q z && f z) = number f (concat (map seen piles)).
Proof.
  pose proof (placed_moved _ _ _ _ L) as N. simpl in N. rewrite app_assoc in N. apply nodup_left in N.
  rewrite (like_dealt _ _ _ _ L) in N. apply count_of.
  - apply (Permutation_NoDup (Permutation_sym (seen_tops piles))). now apply nodup_tops.
  - intros z. rewrite (Permutation_in' eq_refl (seen_tops piles)), in_app_iff. intros I.
    apply (in_deck _ _ _ _ L). simpl. unfold placed. rewrite in_app_iff, (like_dealt _ _ _ _ L).
    destruct I as [I|I]; auto. apply tops_in in I. auto.
  - intros z D. now apply shown_iff.
Qed.

Lemma seen_whole c : firstn 1 (seen c) = firstn 1 (whole c).
Proof. destruct c as ([|x m] & [|y d]); auto. Qed.

(* A card on top of a column is bare. *)
Lemma top_bare y : In y (tops p) -> is_bare q y = true /\ is_shown q y = true.
Proof.
  intros I. assert (D : In y deck).
  { apply (in_whole_deck _ _ _ _ L). now apply tops_in. }
  unfold tops in I. rewrite (like_columns _ _ _ _ L) in I.
  assert (E : flat_map (firstn 1) (map whole piles) = concat (map (fun c => firstn 1 (seen c)) piles)).
  { clear. induction piles as [|c l IH]; auto. cbn [map flat_map concat]. now rewrite <- IH, seen_whole. }
  rewrite E in I. split.
  - unfold is_bare. apply Nat.ltb_lt. rewrite number_moved, number_shown.
    assert (S : number (fun z => alike z y) (concat (map seen piles)) =
      number (fun z => fits R z y) (concat (map fst piles)) +
      number (fun z => alike z y) (concat (map (fun c => firstn 1 (seen c)) piles))).
    { rewrite !number_concat, !map_map. apply list_sum_add. intros c J.
      pose proof (like_ok _ _ _ _ L) as O. rewrite Forall_forall in O. destruct (O c J) as [C K _ _].
      unfold seen in *. apply (number_in_run is_king); auto.
      - intros B. destruct (K ltac:(now destruct (snd c))) as [M|(m & k & M & Kk)]; auto. right.
        exists m, k. repeat split; auto. now apply king_fits.
      - destruct (snd c) as [|? [|]]; simpl; lia. }
    rewrite S. apply in_split in I. destruct I as (a & b & ->). rewrite number_app, number_cons, alike_refl. lia.
  - apply shown_iff; auto. rewrite in_concat in *. destruct I as (c & I & J). apply in_map_iff in I.
    destruct I as (c' & <- & I). exists (seen c'). split; [now apply in_map|].
    now destruct (seen c'); simpl in *; [|left; tauto].
Qed.

Lemma run_tail x l : run (x :: l) -> run l.
Proof. destruct l; simpl; tauto. Qed.

Lemma no_kings m b : run (m ++ b) -> b <> [] -> incl (m ++ b) deck -> number is_king m = 0.
Proof.
  induction m as [|x m IH]; auto. intros C B I. rewrite number_cons, IH; eauto using run_tail.
  2: { intros z J. apply I. now right. }
  destruct (is_king x) eqn:K; auto. exfalso. simpl in C, I. destruct (m ++ b) as [|z rest] eqn:E.
  - apply app_eq_nil in E. tauto.
  - destruct C as (F & _). rewrite king_fits in F; auto; [discriminate|]. apply I. right. now left.
Qed.

Lemma kings_of_pile c : In c piles -> (if is_vacant (snd c) then 1 else 0) =
  number is_king (fst c) + (if is_vacant (whole c) then 1 else 0).
Proof.
  intros J. pose proof (like_ok _ _ _ _ L) as O. rewrite Forall_forall in O. destruct (O c J) as [C K _ _].
  assert (D : incl (seen c) deck).
  { intros z I. apply (in_whole_deck _ _ _ _ L). rewrite (like_columns _ _ _ _ L), in_concat. exists (whole c).
    split; [now apply in_map|]. unfold seen, whole in *. rewrite in_app_iff in *. destruct I as [I|I]; auto.
    right. destruct (snd c); simpl in *; tauto. }
  destruct c as (m & d). unfold seen, whole, on_king in *. simpl in *. destruct d as [|x d]; simpl.
  - rewrite app_nil_r in *. destruct (K eq_refl) as [->|(n & k & -> & Kk)]; [reflexivity|].
    rewrite number_app, number_cons, Kk, (no_kings n [k]); auto; [|discriminate].
    destruct n; reflexivity.
  - simpl in *. rewrite (no_kings m [x]); auto; [|discriminate]. now destruct m.
Qed.

Lemma empty_space : In [] (columns p) -> spaces R = LastRank -> has_space q = true.
Proof.
  intros I S. unfold has_space. rewrite S. apply Nat.ltb_lt. rewrite number_moved, (like_dealt _ _ _ _ L).
  assert (E : forall l : list (list card), length (filter is_vacant l) =
    list_sum (map (fun c => if is_vacant c then 1 else 0) l)).
  { induction l as [|c l IH]; simpl; auto. destruct (is_vacant c); simpl; lia. }
  rewrite E, number_concat, !map_map.
  rewrite (list_sum_add (fun c => if is_vacant (snd c) then 1 else 0) (fun c => number is_king (fst c))
    (fun c => if is_vacant (whole c) then 1 else 0)).
  2: { intros c J. now apply kings_of_pile. }
  rewrite (like_columns _ _ _ _ L) in I. apply in_map_iff in I. destruct I as (c & W & I).
  apply in_split in I. destruct I as (a & b & ->). rewrite !map_app, !list_sum_app. simpl.
  unfold whole in *. rewrite W. simpl. lia.
Qed.

Lemma free_at_card x y : In y (tops p) -> fits R x y = true -> is_free q x = true.
Proof.
  intros I F. destruct (top_bare y I) as (B & S). unfold is_free. apply orb_true_iff. right.
  apply existsb_exists. exists y. split; [apply (in_whole_deck _ _ _ _ L); now apply tops_in|].
  unfold is_free_at. now rewrite F, B, S.
Qed.

Lemma free_at_space x : In [] (columns p) -> may_fill R p x -> is_free q x = true.
Proof.
  intros I M. unfold is_free. apply orb_true_iff. left. unfold may_fill in M.
  destruct rules_are as (_ & _ & [S|S] & _); rewrite S in M; [|easy].
  rewrite empty_space; auto. apply andb_true_iff. split; auto. now apply Nat.eqb_eq.
Qed.
End Tops.

(** * Columns *)

Lemma dealt_split down now c : (forall z, In z c -> In z down -> In z now) ->
  exists m, c = m ++ dealt_cards down c /\ pile_ok down now (m, dealt_cards down c).
Proof.
  induction c as [|x c IH]; intros F.
  - exists []. split; auto. split; simpl; auto; try easy. now left.
  - destruct c as [|y c].
    + simpl. destruct (is_king x) eqn:Kx.
      * exists [x]. split; auto. split; simpl; auto; try easy. intros _. right. exists [], x. auto.
      * exists []. split; auto. split; simpl; auto; easy.
    + change (dealt_cards down (x :: y :: c)) with
        (if fits R x y && negb (member y down) then dealt_cards down (y :: c) else x :: y :: c).
      destruct (fits R x y && negb (member y down)) eqn:B.
      * destruct IH as (m & E & [O K D N]); [intros z I; apply F; now right|].
        exists (x :: m). split; [cbn [app]; now rewrite <- E|]. apply andb_true_iff in B. destruct B as (B & _).
        split; auto.
        -- unfold seen in *. cbn [fst snd] in *.
           assert (T' : firstn 1 (m ++ firstn 1 (dealt_cards down (y :: c))) = [y]).
           { transitivity (firstn 1 (m ++ dealt_cards down (y :: c))); [|now rewrite <- E].
             destruct m; auto. cbn [app]. now destruct (dealt_cards down (y :: c)). }
           change (run ([x] ++ (m ++ firstn 1 (dealt_cards down (y :: c))))).
           destruct (m ++ firstn 1 (dealt_cards down (y :: c))) as [|z rest]; simpl in *; auto.
           inversion T'; subst. auto.
        -- intros Z. cbn [fst snd] in *. rewrite Z, app_nil_r in E.
           destruct (K Z) as [M|(n & k & M & Kk)]; cbn [fst] in *.
           ++ subst m. discriminate.
           ++ right. exists (x :: n), k. rewrite M. auto.
      * exists []. split; auto. split; simpl; auto; try easy.
        -- apply andb_false_iff in B. rewrite negb_false_iff, member_iff in B. tauto.
        -- intros z I. apply F. now right.
Qed.

Lemma app_split {A} (m : list A) : forall d u x b, m ++ d = u ++ x :: b ->
  (exists n, m = u ++ x :: n /\ b = n ++ d) \/ (exists n, u = m ++ n /\ d = n ++ x :: b).
Proof.
  induction m as [|y m IH]; simpl; intros d u x b E; [right; now exists u|].
  destruct u as [|z u]; inversion E; subst.
  - left. now exists m.
  - destruct (IH _ _ _ _ H1) as [(n & -> & ->)|(n & -> & ->)]; [left|right]; now exists n.
Qed.

Lemma map_split {A B} (f : A -> B) l : forall a y b, map f l = a ++ y :: b ->
  exists k z r, l = k ++ z :: r /\ map f k = a /\ f z = y /\ map f r = b.
Proof.
  induction l as [|w l IH]; intros a y b E; [destruct a; discriminate|].
  destruct a as [|v a]; inversion E; subst.
  - exists [], w, l. auto.
  - destruct (IH _ _ _ H1) as (k & z & r & -> & <- & <- & <-). exists (w :: k), z, r. auto.
Qed.

Lemma run_right l m : run (l ++ m) -> run m.
Proof. induction l as [|x l IH]; auto. intros C. apply IH. now apply run_tail in C. Qed.

Lemma concat_split {A} (left : list (list A)) a b right :
  Permutation (concat (left ++ (a ++ b) :: right)) (a ++ concat (left ++ b :: right)).
Proof.
  rewrite !concat_app. simpl. rewrite !app_assoc. apply Permutation_app_tail, Permutation_app_tail,
    Permutation_app_comm.
Qed.

Lemma group_run g : group R g -> run g.
Proof.
  induction g as [|x g IH]; simpl; auto. destruct g as [|y g]; auto. unfold moves_with.
  destruct rules_are as (_ & -> & _). tauto.
Qed.

Lemma Forall_middle {A} (P : A -> Prop) l x m : Forall P (l ++ x :: m) <-> Forall P (l ++ m) /\ P x.
Proof. rewrite !Forall_app, Forall_cons_iff. tauto. Qed.

(** * Lifting *)

(* What is lifted of a column: cards that were moved before, or a dealt card with all on it. *)
Inductive lifted_of (p q : position) (u : list card) (x : card) (p' : position) : position -> Prop :=
| lifted_moved : In x deck -> is_moved q x = true -> (u = [] -> In x (tops p)) -> lifted_of p q u x p' q
| lifted_dealt q' : leaves q x q' -> (u = [] -> In x (tops p)) ->
    (forall y, In y (tops p') -> ~ In y (face_down p') -> fits R x y = true -> In y (tops p)) ->
    (In [] (columns p') -> In [] (columns p) \/ is_king x = false) -> lifted_of p q u x p' q'
| lifted_taken q' : u = [] -> taken q x q' -> columns p' = columns p -> lifted_of p q u x p' q'
| lifted_back q' : u = [] -> returns q x q' -> columns p' = columns p -> lifted_of p q u x p' q'.

Definition lifted (p q : position) u x (p' : position) : Prop :=
  exists piles q', like piles (u ++ [x]) p' q' /\ run (u ++ [x]) /\ lifted_of p q u x p' q'.

Lemma top_of_whole (left : list (list card)) x c right : In x (flat_map (firstn 1) (left ++ (x :: c) :: right)).
Proof. rewrite flat_map_app, in_app_iff. right. now left. Qed.

Lemma lift_column piles p q left u x below right :
  like piles [] p q -> columns p = left ++ (u ++ x :: below) :: right -> group R (u ++ [x]) ->
  (forall z, In z (u ++ [x]) -> ~ In z (face_down p)) -> lifted p q u x (with_columns p (left ++ below :: right)).
Proof.
  intros L E G U. apply group_run in G. pose proof L as [Lc Ld Lo Lr Lt Lfo Ln Lca].
  rewrite E in Lc. symmetry in Lc. apply map_split in Lc. destruct Lc as (k & (m & d) & r & -> & Ek & Ec & Er).
  unfold whole in Ec. cbn [fst snd] in Ec. apply Forall_middle in Lo. destruct Lo as (Lo & [O K D N]).
  unfold seen, on_king in *. cbn [fst snd] in *. rewrite map_app in Ld. cbn [map snd] in Ld.
  assert (P : Permutation ((u ++ [x]) ++ cards (with_columns p (left ++ below :: right))) deck).
  { simpl in Lca. rewrite <- Lca. unfold cards. simpl. rewrite E.
    replace (u ++ x :: below) with ((u ++ [x]) ++ below) by now rewrite <- app_assoc.
    rewrite concat_split. now rewrite <- !app_assoc. }
  assert (T : u = [] -> In x (tops p)).
  { intros ->. unfold tops. rewrite E. apply top_of_whole. }
  apply app_split in Ec. destruct Ec as [(n & -> & ->)|(n & -> & ->)].
  - exists (k ++ (n, d) :: r), q. split; [|split; [exact G|]].
    + constructor; auto.
      * cbn [columns with_columns]. rewrite map_app. cbn [map]. unfold whole at 2. cbn [fst snd]. now rewrite Ek, Er.
      * now rewrite map_app.
      * apply Forall_middle. split; auto. split; auto; unfold seen, on_king; cbn [fst snd].
        -- rewrite <- app_assoc in O. apply run_right in O. now apply run_tail in O.
        -- intros Z. destruct (K Z) as [M|(a & b & M & Kb)]; [now destruct u|].
           destruct n as [|z n _] using rev_ind; auto. right. exists n, z. split; auto.
           rewrite app_comm_cons, app_assoc in M. apply app_inj_tail in M. now destruct M as (_ & ->).
    + assert (J : In x (concat (map fst (k ++ (u ++ x :: n, d) :: r)))).
      { rewrite in_concat. exists (u ++ x :: n). split; [|apply in_or_app; right; now left].
        rewrite map_app. apply in_or_app. right. now left. }
      assert (Dx : In x deck) by (apply (in_deck _ _ _ _ L); now left).
      apply lifted_moved; auto. now apply (moved_iff _ _ _ _ L).
  - destruct n as [|t n].
    + rewrite app_nil_r in *. cbn [app] in *.
      destruct (dealt_split (face_down q) (face_down p) below) as (m' & Eb & Ok); [intros z I; apply N; exact I|].
      exists (k ++ (m', dealt_cards (face_down q) below) :: r).
      exists (with_columns q (map snd k ++ dealt_cards (face_down q) below :: map snd r)). split; [|split; [exact G|]].
      * constructor; auto.
        -- cbn [columns with_columns]. rewrite map_app. cbn [map]. unfold whole at 2. cbn [fst snd].
           now rewrite <- Eb, Ek, Er.
        -- cbn [columns with_columns]. now rewrite map_app.
        -- apply Forall_middle. split; auto.
      * apply lifted_dealt; auto; [now constructor| |].
        -- intros y I F Fy. unfold tops in *. cbn [columns with_columns face_down] in *. rewrite E.
           rewrite flat_map_app, in_app_iff in *. cbn [flat_map] in *. rewrite in_app_iff in *.
           destruct I as [I|[I|I]]; auto. destruct below as [|z below]; [easy|]. destruct I as [<-|[]].
           simpl in D. destruct D as [D|D]; [|congruence]. exfalso. apply F, N; auto. now left.
        -- cbn [columns with_columns]. rewrite E, !in_app_iff. intros [I|[I|I]]; auto; [|left; right; now right].
           subst below. auto.
    + exfalso. cbn [app] in *. rewrite <- app_assoc in G. apply run_right in G.
      assert (Hd : exists z, In z (tl (t :: n ++ x :: below)) /\ In z ((m ++ t :: n) ++ [x]) /\ fits R t z = true /\
        (In z (face_down q) \/ fits R t z = false)).
      { rewrite <- app_assoc. destruct n as [|z n].
        - exists x. cbn [app tl] in *. simpl in G, D. repeat split; try tauto; [now left|].
          apply in_or_app. right. right. now left.
        - exists z. cbn [app tl] in *. simpl in G, D. repeat split; try tauto; [now left|].
          apply in_or_app. right. right. now left. }
      destruct Hd as (z & I & J & F & [Dz|Dz]); [|congruence]. exact (U z J (N z I Dz)).
Qed.

Lemma offers_like piles p q x p' : like piles [] p q -> offered R p x p' -> lifted p q [] x p'.
Proof.
  intros [Lc Ld Lo Lr Lt Lf Ln Lca] [st wa n T].
  destruct (at_least_turns _ _ _ _ Lt T) as (k & Lk & Tq). simpl in Lk, Tq.
  exists piles, (with_turning q (Talon st wa k)). split; [|split; [simpl; auto|]].
  - constructor; auto.
    + exists k. simpl. split; auto. constructor.
    + rewrite <- Lca. simpl. apply turns_all_cards in T. unfold cards. simpl. rewrite <- T. unfold all_cards. simpl.
      rewrite <- !app_assoc. simpl. now rewrite <- !Permutation_middle.
  - apply lifted_taken; auto. now apply taken_stock, offer.
Qed.

Lemma like_once piles g p q : like piles g p q -> NoDup (cards p).
Proof.
  intros L. apply (nodup_right g). apply (Permutation_NoDup (Permutation_sym (like_cards _ _ _ _ L))), deck_once.
Qed.

Lemma lift_like piles p q u x p' : like piles [] p q -> lift R p u x p' -> lifted p q u x p'.
Proof.
  intros L T. pose proof L as [Lc Ld Lo Lr Lt Lf (Nc & Nr & Nh) Lca].
  destruct T as [l u x b r E G D | l x r E | l x r E | x k E D | l x r E B H]; try congruence.
  - eapply lift_column; eauto.
  - rewrite Nc in E. now destruct l.
  - exists piles, (with_open_reserve q (l ++ r)). split; [|split; [simpl; auto|]].
    + constructor; auto. rewrite <- Lca. unfold cards. simpl. rewrite E. rewrite <- !app_assoc. simpl.
      now rewrite <- !Permutation_middle.
    + apply lifted_taken; auto. apply taken_reserve. congruence.
  - assert (X : In x (foundations q)) by (apply Lf; rewrite E; apply in_or_app; right; now left).
    exists piles, (with_foundations q (filter (fun z => negb (same_card x z)) (foundations q))).
    split; [|split; [simpl; auto|]].
    + constructor; auto.
      * intros z. simpl. rewrite filter_In, negb_true_iff, <- not_true_iff_false, same_card_iff, Lf, E.
        pose proof (like_once _ _ _ _ L) as N. unfold cards in N. rewrite E in N. do 3 apply nodup_right in N.
        apply NoDup_remove_2 in N. rewrite !in_app_iff in *. simpl. intuition congruence.
      * rewrite <- Lca. unfold cards. simpl. rewrite E. rewrite !app_assoc. apply Permutation_middle.
    + apply lifted_back; auto. constructor; auto. intros z. rewrite Lf. apply H.
Qed.

(** * Putting down *)

Lemma run_on u x y l : run (u ++ [x]) -> fits R x y = true -> run (y :: l) -> run (u ++ x :: y :: l).
Proof.
  intros G F L. induction u as [|z u IH]; [now split|].
  specialize (IH (run_tail _ _ G)). change (run ([z] ++ (u ++ x :: y :: l))). destruct u; simpl in *; tauto.
Qed.

Lemma put_on_pile piles p q u x cs left right c : like piles (u ++ [x]) p q -> run (u ++ [x]) ->
  columns p = left ++ c :: right -> cs = left ++ (u ++ x :: c) :: right ->
  match c with [] => is_king x = true | y :: _ => fits R x y = true end ->
  exists piles', like piles' [] (with_columns p cs) q.
Proof.
  intros [Lc Ld Lo Lr Lt Lf Ln Lca] G E -> F. rewrite E in Lc. symmetry in Lc. apply map_split in Lc.
  destruct Lc as (k & (m & d) & r & -> & Ek & Ec & Er). unfold whole in Ec. cbn [fst snd] in Ec.
  exists (k ++ (u ++ x :: m, d) :: r). constructor; auto.
  - cbn [columns with_columns]. rewrite map_app. cbn [map]. unfold whole at 2. cbn [fst snd].
    now rewrite <- app_assoc, <- app_comm_cons, Ec, Ek, Er.
  - rewrite Ld, !map_app. reflexivity.
  - apply Forall_middle in Lo. destruct Lo as (Lo & [O K D N]). apply Forall_middle. split; auto.
    unfold seen, on_king in *. cbn [fst snd] in *. split; auto; unfold seen, on_king; cbn [fst snd].
    + rewrite <- app_assoc, <- app_comm_cons. destruct (m ++ firstn 1 d) as [|y l] eqn:S; auto.
      apply run_on; auto. destruct m as [|z m]; simpl in *.
      * destruct d; inversion S; subst. exact F.
      * inversion S; subst. exact F.
    + intros Z. subst d. rewrite app_nil_r in Ec. right. destruct (K eq_refl) as [->|(n & b & -> & Kb)].
      * exists u, x. subst c. auto.
      * exists (u ++ x :: n), b. now rewrite <- app_assoc.
  - rewrite <- Lca. unfold cards. simpl. rewrite E.
    replace (u ++ x :: c) with ((u ++ [x]) ++ c) by now rewrite <- app_assoc.
    now rewrite concat_split, <- !app_assoc.
Qed.

Inductive put_like (p q : position) (u : list card) (x : card) (p' : position) : position -> Prop :=
| put_card y piles : In y (tops p) -> ~ In y (face_down p) -> fits R x y = true -> like piles [] p' q ->
    put_like p q u x p' q
| put_space piles : In [] (columns p) -> is_king x = true -> spaces R = LastRank -> like piles [] p' q ->
    put_like p q u x p' q
| put_up piles : u = [] -> is_next q x -> like piles [] p' (up_in q x) -> put_like p q u x p' (up_in q x).

Lemma put_is_like piles p q u x p' : like piles (u ++ [x]) p q -> run (u ++ [x]) -> put R [] p u x p' ->
  exists q', put_like p q u x p' q'.
Proof.
  intros L G P. destruct P as [l u x y b r E D F | l u x r E M | x C | x H C | x h H N].
  - edestruct put_on_pile as (piles' & L'); [exact L|exact G|exact E|reflexivity|exact F|].
    exists q. eapply put_card; eauto. unfold tops. rewrite E. apply top_of_whole.
  - unfold may_fill in M. destruct rules_are as (_ & _ & [S|S] & _); rewrite S in M; [|easy].
    apply Nat.eqb_eq in M.
    edestruct put_on_pile as (piles' & L'); [exact L|exact G|exact E|reflexivity|exact M|].
    exists q. eapply put_space; eauto. rewrite E. apply in_or_app. right. now left.
  - destruct rules_are as (_ & _ & _ & Z). rewrite Z in C. lia.
  - exists (up_in q x). destruct L as [Lc Ld Lo Lr Lt Lf Ln Lca]. apply (put_up _ _ _ _ _ piles); auto.
    + intros y I. apply Lf. destruct (C y I) as [J|[]]. exact J.
    + constructor; auto.
      * intros z. simpl. rewrite Lf. tauto.
      * rewrite <- Lca. unfold cards. simpl. rewrite !app_assoc. symmetry. apply Permutation_middle.
  - destruct L as [_ _ _ _ _ _ (_ & _ & Z) _]. congruence.
Qed.

Lemma settled_like piles p q : like piles [] p q -> like piles [] (settled R p) q.
Proof.
  intros L. pose proof (like_once _ _ _ _ L) as N. destruct L as [Lc Ld Lo Lr Lt Lf Ln Lca].
  unfold settled, filled. destruct rules_are as (_ & _ & S & _).
  replace (match spaces R with FromReserve => _ | _ => p end) with p by now destruct S as [-> | ->].
  constructor; auto. cbn [face_down faced with_face_down]. rewrite Forall_forall in *. intros c I.
  destruct (Lo c I) as [O K D F]. split; auto. intros z J Z. apply filter_In. split; [now apply F|].
  apply not_member_iff. intros T. unfold tops in T. unfold cards in N. apply nodup_left in N. rewrite Lc in *.
  apply in_split in I. destruct I as (a & b & ->). rewrite map_app in *. cbn [map] in *.
  destruct c as (m & d). unfold whole in N at 2. unfold whole in T at 2. cbn [fst snd] in *.
  destruct d as [|x d]; [easy|]. simpl in J.
  rewrite concat_app in N. cbn [concat] in N. rewrite flat_map_app, in_app_iff in T. cbn [flat_map] in T.
  rewrite in_app_iff in T. apply in_split in J. destruct J as (d1 & d2 & ->).
  apply (Permutation_NoDup (l' := z :: (concat (map whole a) ++ m ++ x :: d1 ++ d2 ++ concat (map whole b)))) in N.
  2: { rewrite <- !app_assoc. simpl. rewrite <- !app_assoc. simpl.
       rewrite (app_assoc _ m), (app_comm_cons _ _ x), (app_assoc _ (x :: d1)).
       rewrite <- Permutation_middle. now rewrite <- !app_assoc. }
  apply NoDup_cons_iff in N. destruct N as (N & _). apply N. rewrite !in_app_iff. simpl. rewrite !in_app_iff.
  destruct T as [T|[T|T]]; [left; now apply tops_in| |do 5 right; now apply tops_in].
  destruct m as [|y m]; simpl in T; destruct T as [<-|[]]; [tauto|]. right. left. now left.
Qed.

(** * Plays *)

Lemma like_up piles p q q' f : like piles [] p q' -> q = with_foundations q' f ->
  (forall z, In z f <-> In z (foundations q')) -> like piles [] p q.
Proof. intros [Lc Ld Lo Lr Lt Lf Ln Lca] -> F. constructor; auto. intros z. simpl. now rewrite F. Qed.

Lemma lifted_put p q u x l r : quotient_like p q -> lifted p q u x l -> put R [] l u x r ->
  quotient_like (settled R r) q \/ exists q', quotient_move q q' /\ quotient_like (settled R r) q'.
Proof.
  intros (piles & L) (piles1 & q1 & L1 & G & Lf) P. destruct (put_is_like _ _ _ _ _ _ L1 G P) as (q2 & Q).
  assert (Fr : forall y, fits R x y = true -> In y (tops p) -> is_free q x = true).
  { intros y F I. eapply free_at_card; eauto. }
  assert (Sp : In [] (columns p) -> is_king x = true -> spaces R = LastRank -> is_free q x = true).
  { intros I K S. eapply free_at_space; eauto. unfold may_fill. rewrite S. now apply Nat.eqb_eq. }
  destruct Lf as [D M T | q1 Le T Ty Tn | q1 -> Ta C | q1 -> Re C].
  - destruct Q as [y piles2 _ _ _ Lq | piles2 _ _ _ Lq | piles2 U N Lq].
    + left. exists piles2. now apply settled_like.
    + left. exists piles2. now apply settled_like.
    + right. exists (up_in q x). split; [|exists piles2; now apply settled_like].
      apply rise_moved; auto. now apply (top_bare piles p q L x), T.
  - destruct Q as [y piles2 Y Fd F Lq | piles2 I K S Lq | piles2 U N Lq]; right.
    + exists q1. split; [|exists piles2; now apply settled_like]. apply (move_dealt _ x); auto. apply (Fr y); auto.
    + exists q1. split; [|exists piles2; now apply settled_like]. apply (move_dealt _ x); auto. apply Sp; auto.
      destruct (Tn I); auto. congruence.
    + exists (up_in q1 x). split; [|exists piles2; now apply settled_like]. apply rise_dealt; auto.
      * now apply (top_bare piles p q L x), T.
      * destruct Le. exact N.
  - assert (E : columns l = columns p) by exact C. unfold tops in *. rewrite E in *.
    destruct Q as [y piles2 Y Fd F Lq | piles2 I K S Lq | piles2 U N Lq]; right.
    + exists q1. split; [|exists piles2; now apply settled_like]. apply (move_taken _ x); auto.
      apply (Fr y); auto. unfold tops in Y. now rewrite E in Y.
    + exists q1. split; [|exists piles2; now apply settled_like]. apply (move_taken _ x); auto.
      apply Sp; auto. now rewrite E in I.
    + exists (up_in q1 x). split; [|exists piles2; now apply settled_like]. apply rise_taken; auto.
      destruct Ta as [|q1 O]; [exact N|destruct O; exact N].
  - destruct Q as [y piles2 Y Fd F Lq | piles2 I K S Lq | piles2 U N Lq].
    + right. exists q1. split; [|exists piles2; now apply settled_like]. apply (move_returned _ x); auto.
      apply (Fr y); auto. unfold tops in *. now rewrite C in Y.
    + right. exists q1. split; [|exists piles2; now apply settled_like]. apply (move_returned _ x); auto.
      apply Sp; auto. now rewrite C in I.
    + left. exists piles2. apply settled_like. destruct Re as [X B H].
      apply (like_up _ _ q _ (foundations q) Lq); [now destruct q|]. intros z. simpl.
      rewrite filter_In, negb_true_iff, <- not_true_iff_false, same_card_iff.
      destruct (card_eq x z) as [->|Ne]; tauto.
Qed.

Theorem quotient_step p q p' : quotient_like p q -> move R [] p p' ->
  quotient_like p' q \/ exists q', quotient_move q q' /\ quotient_like p' q'.
Proof.
  intros Q M. destruct M as [u x l r L P | x l r O P | x st wa n h H T Ho | x h []].
  - destruct Q as (piles & Q). eapply (lifted_put p); [now exists piles|eapply lift_like; eauto|exact P].
  - destruct Q as (piles & Q). eapply (lifted_put p); [now exists piles|eapply offers_like; eauto|exact P].
  - destruct Q as (piles & [_ _ _ _ _ _ (_ & _ & Z) _]). congruence.
Qed.

Lemma won_all_up p q : quotient_like p q -> won p -> all_up q.
Proof.
  intros (piles & [Lc Ld Lo Lr Lt Lf Ln Lca]) (Wc & We & Wo & Wr & Ws & Ww) x I. apply Lf.
  rewrite <- Lca in I. simpl in I. unfold cards, all_cards in I. rewrite Wo, Ws, Ww in I. simpl in I.
  rewrite in_app_iff, in_concat in I. destruct I as [(c & J & K)|I]; auto.
  rewrite Forall_forall in Wc. now rewrite <- (Wc c J) in K.
Qed.

Definition startable (p : position) : Prop :=
  cells p = [] /\ reserve p = [] /\ hole p = None /\ Permutation (cards p) deck.

Lemma start_like p : startable p -> quotient_like p (quotient_of p).
Proof.
  intros (C & Re & H & P).
  assert (E : exists piles, columns p = map whole piles /\
    map (dealt_cards (face_down p)) (columns p) = map snd piles /\
    Forall (pile_ok (face_down p) (face_down p)) piles).
  { induction (columns p) as [|c cs (piles & E & F & O)]; [exists []; auto|].
    destruct (dealt_split (face_down p) (face_down p) c) as (m & S & Ok); auto.
    exists ((m, dealt_cards (face_down p) c) :: piles). cbn [map snd]. rewrite F, <- E. repeat split; auto.
    unfold whole. cbn [fst snd]. now rewrite <- S. }
  destruct E as (piles & E & F & O). exists piles. constructor; auto; try easy. apply at_least_refl.
Qed.

Theorem quotient p : startable p -> winnable R p -> exists n, wins n (quotient_of p).
Proof.
  intros S (p' & Re & W). apply start_like in S. revert S. generalize (quotient_of p).
  induction Re as [p | p p' r M Re IH]; intros q Q.
  - exists 0. constructor. eapply won_all_up; eauto.
  - destruct (quotient_step _ _ _ Q M) as [Q'|(q' & Mq & Q')]; [now apply IH|].
    destruct (IH W q' Q') as (n & Wn). exists (S n). econstructor; eauto.
Qed.
End Quotient.
