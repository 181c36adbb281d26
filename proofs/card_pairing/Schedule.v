(* A winning play gives each card a mate, with which it leaves, and a time. All that the proofs of losses need of the
   game is in [schedule]. *)
Require Import List Arith Lia Bool.
Import ListNotations.
From CardPairing Require Import Game.

(* A card of the layout: the number of its stack, and its height, both from 0. *)
Definition card := (nat * nat)%type.

Definition same_card (x y : card) : bool := (fst x =? fst y) && (snd x =? snd y).

Lemma same_card_iff x y : same_card x y = true <-> x = y.
Proof.
  unfold same_card. destruct x as (s, h), y as (t, i). simpl. rewrite andb_true_iff, !Nat.eqb_eq.
  split; [intros (-> & ->); auto | intros E; inversion E; auto].
Qed.

Lemma same_card_spec x y : reflect (x = y) (same_card x y).
Proof. apply iff_reflect. symmetry. apply same_card_iff. Qed.

(* What lies where a card is in a table with the shape of the layout. *)
Definition entry {A} (x : card) (table : list (list A)) : option A :=
  match nth_error table (fst x) with Some row => nth_error row (snd x) | None => None end.

Definition is_card (p : position) (x : card) : Prop := entry x p <> None.

Definition above (z x : card) : bool := (fst z =? fst x) && (snd x <? snd z).

Record schedule (p : position) (mate : card -> card) (time : card -> nat) : Prop := {
  same_rank x : is_card p x -> entry (mate x) p = entry x p;
  not_itself x : is_card p x -> mate x <> x;
  mutual x : is_card p x -> mate (mate x) = x;
  together x : is_card p x -> time (mate x) = time x;
  in_order z x : is_card p z -> is_card p x -> above z x = true -> time z < time x }.

(* A top card more. *)
Lemma entry_top {A} left (a : list A) rank right x :
  entry x (left ++ (a ++ [rank]) :: right) =
  if same_card x (length left, length a) then Some rank else entry x (left ++ a :: right).
Proof.
  unfold entry, same_card. destruct x as (s, h). simpl.
  destruct (Nat.lt_trichotomy s (length left)) as [L | [-> | L]].
  - rewrite !nth_error_app1 by lia. now destruct (Nat.eqb_spec s (length left)); [lia|].
  - rewrite !nth_error_app2, Nat.sub_diag, Nat.eqb_refl by lia. simpl.
    destruct (Nat.eqb_spec h (length a)) as [-> | N].
    + now rewrite nth_error_app2, Nat.sub_diag by lia.
    + destruct (Nat.lt_ge_cases h (length a)); [now rewrite nth_error_app1|].
      rewrite nth_error_app2 by lia. destruct (h - length a) eqn:E; [lia|].
      transitivity (@None A); [now apply nth_error_None; simpl; lia | symmetry; apply nth_error_None; lia].
  - rewrite !nth_error_app2 by lia. destruct (Nat.eqb_spec s (length left)); [lia|].
    destruct (s - length left) eqn:E; [lia|]. reflexivity.
Qed.

(* Where a stack ends, there is no card. *)
Lemma entry_end {A} left (a : list A) right h : length a <= h -> entry (length left, h) (left ++ a :: right) = None.
Proof.
  intros L. unfold entry. simpl. rewrite nth_error_app2, Nat.sub_diag by lia. simpl. now apply nth_error_None.
Qed.

Theorem winnable_schedule p : winnable p -> exists mate time, schedule p mate time.
Proof.
  induction 1 as [p W | p q M _ (mate & time & S)].
  - assert (N : forall x, ~ is_card p x).
    { intros (s, h) C. apply C. unfold entry. simpl. destruct (nth_error p s) as [stack|] eqn:E; auto.
      apply nth_error_In, W in E. subst. now destruct h. }
    exists (fun x => x), (fun _ => 0). split; firstorder.
  - destruct M as [left a middle b right rank].
    set (u := (length left, length a)). set (v := (length (left ++ a :: middle), length b)).
    set (p := left ++ (a ++ [rank]) :: middle ++ (b ++ [rank]) :: right) in *.
    set (q := left ++ a :: middle ++ b :: right) in *.
    assert (Eq : q = (left ++ a :: middle) ++ b :: right) by (unfold q; now rewrite <- app_assoc).
    assert (E : forall x,
      entry x p = if same_card x u then Some rank else if same_card x v then Some rank else entry x q).
    { intros x. unfold p. rewrite entry_top. fold u. destruct (same_card x u); auto.
      rewrite app_comm_cons, app_assoc, entry_top, Eq. reflexivity. }
    assert (Qu : forall h, length a <= h -> entry (length left, h) q = None) by (intros; now apply entry_end).
    assert (Qv : forall h, length b <= h -> entry (length (left ++ a :: middle), h) q = None).
    { intros. rewrite Eq. now apply entry_end. }
    assert (D : fst u <> fst v) by (unfold u, v; simpl; rewrite app_length; simpl; lia).
    assert (uv : u <> v) by (intros K; apply D; now rewrite K).
    assert (Cu : is_card p u) by (unfold is_card; rewrite E; destruct (same_card_spec u u); congruence).
    assert (Cv : is_card p v).
    { unfold is_card. rewrite E. destruct (same_card_spec v u); [congruence|].
      destruct (same_card_spec v v); congruence. }
    assert (In_q : forall x, x <> u -> x <> v -> entry x p = entry x q).
    { intros x Nu Nv. rewrite E. destruct (same_card_spec x u), (same_card_spec x v); congruence. }
    assert (Out : forall x, is_card q x -> x <> u /\ x <> v).
    { intros x C. split; intros ->; apply C; [apply Qu | apply Qv]; unfold u, v; simpl; lia. }
    assert (Top : forall z x, is_card p z -> above z x = true -> x <> u /\ x <> v).
    { intros z x C A. unfold above in A. apply andb_true_iff in A as (A & B).
      apply Nat.eqb_eq in A. apply Nat.ltb_lt in B.
      destruct z as (s, h). simpl in A, B. subst s. split; intros ->; apply C.
      - rewrite In_q; [apply Qu; simpl in B; lia | | intros K; apply D; now rewrite <- K].
        intros K. apply (f_equal snd) in K. simpl in K, B. lia.
      - rewrite In_q; [apply Qv; simpl in B; lia | intros K; apply D; now rewrite <- K |].
        intros K. apply (f_equal snd) in K. simpl in K, B. lia. }
    assert (Old : forall x, is_card p x -> x <> u -> x <> v -> is_card q x).
    { unfold is_card. intros x C Nu Nv. now rewrite <- In_q. }
    assert (Mate : forall x, is_card q x -> is_card q (mate x)).
    { intros x C. unfold is_card. rewrite (same_rank _ _ _ S); auto. }
    exists (fun x => if same_card x u then v else if same_card x v then u else mate x),
      (fun x => if same_card x u || same_card x v then 0 else Datatypes.S (time x)).
    split.
    + intros x C. destruct (same_card_spec x u) as [->|Nu].
      * rewrite !E. destruct (same_card_spec v u), (same_card_spec v v), (same_card_spec u u); congruence.
      * destruct (same_card_spec x v) as [->|Nv].
        -- rewrite !E. destruct (same_card_spec v u), (same_card_spec v v), (same_card_spec u u); congruence.
        -- assert (C' := Old x C Nu Nv). destruct (Out _ (Mate _ C')). rewrite !In_q by auto.
           now apply (same_rank _ _ _ S).
    + intros x C. destruct (same_card_spec x u) as [->|Nu]; [auto|]. destruct (same_card_spec x v) as [->|Nv]; [auto|].
      apply (not_itself _ _ _ S). auto.
    + intros x C. destruct (same_card_spec x u) as [->|Nu].
      { destruct (same_card_spec v u), (same_card_spec v v); congruence. }
      destruct (same_card_spec x v) as [->|Nv]; [destruct (same_card_spec u u); congruence|].
      assert (C' := Old x C Nu Nv). destruct (Out _ (Mate _ C')).
      destruct (same_card_spec (mate x) u), (same_card_spec (mate x) v); try congruence. now apply (mutual _ _ _ S).
    + intros x C. destruct (same_card_spec x u) as [->|Nu].
      { destruct (same_card_spec v u), (same_card_spec v v); simpl; congruence. }
      destruct (same_card_spec x v) as [->|Nv]; [destruct (same_card_spec u u); simpl; congruence|]. simpl.
      assert (C' := Old x C Nu Nv). destruct (Out _ (Mate _ C')).
      destruct (same_card_spec (mate x) u), (same_card_spec (mate x) v); try congruence. simpl. f_equal.
      now apply (together _ _ _ S).
    + intros z x Cz Cx A. destruct (Top z x Cz A) as (Nu & Nv).
      destruct (same_card_spec x u), (same_card_spec x v); try congruence. simpl.
      destruct (same_card_spec z u), (same_card_spec z v); simpl; try lia.
      assert (time z < time x) by (apply (in_order _ _ _ S); auto). lia.
Qed.
