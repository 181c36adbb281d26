(* The easier game E(A), and why it is easier.

   Claim ([easier]): if the real game can be won from a position, then E(A) can be won from it, for every set A of
   live cards; here [absent] are all others, from the start. It is the theorem of docs/proofs/patience.md for the older
   form of evidence: if no position of E(A) that can be reached is won, the real game is lost. For the newer form, in
   which cards become absent when they can be lifted, see Checker.v: each position of a table has absent cards of its
   own.

   Conditions: no card occurs twice; in a game with a hole, or if any cards move with the one below them, no card is
   absent; nor is one of the stock, if it is turned by several cards (then the claim holds of [card_by_card R], see
   Stock.v). *)
Require Import List Bool Arith Lia Permutation Relations Wf_nat.
Import ListNotations.
From Patience Require Import Game Cards Stock Simulation Certificate Moves Checker.

Section Easier.
Variable R : rules.
Hypothesis draws : draw R <> 0.

(** * The game E(A) *)

Definition without absent (s : position) : state := (absent, settled R (restricted absent s)).

(* R2: a card that fits an absent card becomes absent, with the cards on it. *)
Inductive absorb : state -> state -> Prop :=
| absorb_lift absent s u x q y :
    lift R s u x q -> In y absent -> fits R x y = true -> absorb (absent, s) (without (u ++ x :: absent) s)
| absorb_offered absent s x q y :
    draw R = 1 -> offered R s x q -> In y absent -> fits R x y = true -> absorb (absent, s) (without (x :: absent) s).

(* Cards become absent, in any order, until no other can. *)
Definition settles (s t : state) : Prop := clos_refl_trans_1n _ absorb s t /\ forall r, ~ absorb t r.

Inductive easier_move : state -> state -> Prop :=
| easier_carry absent s q t : move R absent s q -> settles (absent, q) t -> easier_move (absent, s) t
(* R4: a card leaves a stock that is turned by several cards, and becomes absent. *)
| easier_discard absent s x q y t :
    draw R <> 1 -> offered R s x q -> In y absent -> fits R x y = true -> settles (without (x :: absent) q) t ->
    easier_move (absent, s) t.

(* However the cards become absent. *)
Definition easier_winnable absent (p : position) : Prop :=
  forall s, settles (without absent p) s -> exists t, clos_refl_trans_1n _ easier_move s t /\ won (snd t).

(** * No card occurs twice *)

Definition cards_of (p : position) : list card :=
  concat (columns p) ++ cells p ++ open_reserve p ++ reserve p ++ all_cards (turning p) ++ foundations p.

(* Permutations of sums of lists, by counting. *)
Lemma by_counting (l m : list card) :
  (forall x, count_occ card_eq l x = count_occ card_eq m x) -> Permutation l m.
Proof. apply Permutation_count_occ. Qed.

Ltac count := unfold cards_of, all_cards; simpl;
  apply by_counting; intros ?z;
  repeat (rewrite ?concat_app, ?count_occ_app; simpl); rewrite ?count_occ_app; simpl;
  repeat match goal with |- context [card_eq ?a ?b] => destruct (card_eq a b) end; try lia.

Lemma lift_cards p u x q : lift R p u x q -> Permutation (cards_of p) (u ++ x :: cards_of q) /\ turning q = turning p.
Proof.
  intros [l u' x' b r E G D | l x' r E | l x' r E | x' k E D | l x' r E B H]; split; auto; unfold cards_of;
    rewrite ?E; count.
Qed.

Lemma offered_cards p x q : offered R p x q -> Permutation (cards_of p) (x :: cards_of q).
Proof.
  intros [st wa n T]. apply turns_all_cards in T. unfold cards_of. simpl. rewrite <- T. count.
Qed.

Lemma put_cards absent p u x q : put R absent p u x q -> NoDup (u ++ x :: cards_of p) -> NoDup (cards_of q).
Proof.
  intros P N. assert (G : Permutation (cards_of q) (u ++ x :: cards_of p) \/ cards_of q = cards_of p).
  { destruct P as [l u x y b r E D F | l u x r E M | x L | x H L | x h H B]; auto; left; unfold cards_of;
    rewrite ?E; count. }
  destruct G as [G|G]; [now rewrite G|]. rewrite G. now apply nodup_right, NoDup_cons_iff in N.
Qed.

Lemma fill_cards cs : forall k, Permutation (concat (fst (fill cs k)) ++ snd (fill cs k)) (concat cs ++ k).
Proof.
  induction cs as [|c cs IH]; intros k; [reflexivity|].
  destruct k as [|x k]; [now rewrite fill_nothing|].
  destruct c as [|y c]; simpl; [specialize (IH k)|specialize (IH (x :: k))]; destruct (fill cs _); simpl in *.
  - rewrite IH. apply Permutation_middle.
  - rewrite <- !app_assoc. now rewrite IH.
Qed.

Lemma settled_cards p : Permutation (cards_of (settled R p)) (cards_of p).
Proof.
  unfold settled. change (cards_of (faced (filled R p))) with (cards_of (filled R p)). unfold filled.
  destruct (spaces R); auto. pose proof (fill_cards (columns p) (reserve p)) as F.
  destruct (fill (columns p) (reserve p)) as (cs & k). simpl in F. unfold cards_of. simpl.
  rewrite !app_assoc. do 2 apply Permutation_app_tail.
  transitivity ((concat cs ++ k) ++ cells p ++ open_reserve p); [|rewrite F]; count.
Qed.

Lemma move_distinct absent p q : move R absent p q -> NoDup (cards_of p) -> NoDup (cards_of q).
Proof.
  intros M N. destruct M as [u x l r L P | x l r O P | x st wa n h H E Ho | x h I Ho B]; rewrite settled_cards.
  - destruct (lift_cards _ _ _ _ L) as (C & _). rewrite C in N. eapply put_cards; eauto.
  - rewrite (offered_cards _ _ _ O) in N. exact (put_cards absent l [] x r P N).
  - assert (G : Permutation (cards_of p) (x :: cards_of (with_hole (with_turning p (Talon st wa n)) (Some (rank
      x))))).
    { unfold cards_of. rewrite E. count. }
    rewrite G in N. now apply NoDup_cons_iff in N.
  - exact N.
Qed.

Lemma restricted_cards absent p : cards_of (restricted absent p) = live absent (cards_of p).
Proof.
  unfold cards_of, all_cards. simpl. now rewrite !filter_app, live_rev, !concat_filter_map.
Qed.

(** * Proof *)

Definition proper (s : state) : Prop :=
  NoDup (cards_of (snd s)) /\ at_rest R (snd s) /\
  (draw R = 1 \/ untouched (fst s) (turning (snd s))) /\ in_scope (fst s) (snd s).

Lemma nodup_talon p : NoDup (cards_of p) -> NoDup (all_cards (turning p)).
Proof.
  unfold cards_of. intros N. do 4 apply nodup_right in N. now apply nodup_left in N.
Qed.

Lemma without_shadow absent p : NoDup (cards_of p) -> (draw R = 1 \/ untouched absent (turning p)) ->
  in_scope absent p -> shadow R absent p (snd (without absent p)).
Proof.
  intros N U H. simpl. apply shadow_settled. constructor; simpl; auto.
  - exists [], (map (live absent) (columns p)). simpl. auto.
  - intros x _ I. apply filter_In in I. tauto.
  - split; [apply at_least_refl|]. destruct U; auto. right. split; auto. now apply nodup_talon.
Qed.

Lemma hole_settled p : hole (settled R p) = hole p.
Proof. unfold settled, filled. destruct (spaces R); auto. simpl. now destruct (fill (columns p) (reserve p)). Qed.

Lemma move_no_hole absent p q : move R absent p q -> hole p = None -> hole q = None.
Proof.
  intros M N. destruct M as [u x l r L P | x l r O P | x st wa n h H E Ho | x h I Ho B]; rewrite hole_settled;
    try congruence.
  - assert (hole l = None) by now destruct L. destruct P; simpl; congruence.
  - assert (hole l = None) by now destruct O. destruct P; simpl; congruence.
Qed.

Lemma without_proper absent p : NoDup (cards_of p) -> (draw R = 1 \/ untouched absent (turning p)) ->
  in_scope absent p -> proper (without absent p).
Proof.
  intros N U H. unfold without. split; [|split; [|split]]; cbn [fst snd].
  - rewrite settled_cards, restricted_cards. now apply NoDup_filter.
  - apply settled_at_rest.
  - rewrite turning_settled. destruct U as [D|U]; auto. right. simpl. now rewrite untouched_live.
  - unfold in_scope. now rewrite hole_settled.
Qed.

(* What becomes absent is not in the stock. *)
Lemma lifted_untouched absent s u x q : lift R s u x q -> NoDup (cards_of s) ->
  untouched absent (turning s) -> untouched (u ++ x :: absent) (turning s).
Proof.
  intros L N U z I J. destruct (lift_cards _ _ _ _ L) as (C & T). rewrite <- T in I.
  assert (In z (cards_of q)) by (unfold cards_of; rewrite !in_app_iff; tauto).
  assert (Z : In z (u ++ [x]) \/ In z absent) by (rewrite in_app_iff in *; simpl in *; tauto).
  destruct Z as [Z|Z]; [|apply (U z); auto; now rewrite <- T].
  rewrite C in N. replace (u ++ x :: cards_of q) with ((u ++ [x]) ++ cards_of q) in N by now rewrite <- app_assoc.
  clear -Z H N. induction (u ++ [x]) as [|v w IH]; [easy|]. simpl in N. apply NoDup_cons_iff in N.
  destruct N as (M & N), Z as [->|Z]; auto. apply M, in_or_app. auto.
Qed.

Lemma absorb_shadow p s t : absorb s t -> proper s -> shadow R (fst s) p (snd s) ->
  proper t /\ shadow R (fst t) p (snd t).
Proof.
  intros A (N & Re & U & H) S.
  assert (G : forall more, incl (fst s) more -> in_scope more (snd s) ->
    (draw R = 1 \/ untouched more (turning (snd s))) -> t = without more (snd s) ->
    proper t /\ shadow R (fst t) p (snd t)).
  { intros more I Hm Um ->. split; [now apply without_proper|]. cbn [fst without].
    apply (shadow_trans R (fst s) more p (snd s)); auto. now apply without_shadow. }
  destruct A as [absent s u x q y L I F | absent s x q y D O I F]; cbn [fst snd] in *.
  - apply (G (u ++ x :: absent)); auto.
    + intros z J. apply in_or_app. right. now right.
    + destruct H as [->|H]; [easy|now right].
    + destruct U; auto. right. eapply lifted_untouched; eauto.
  - apply (G (x :: absent)); auto.
    + intros z J. now right.
    + destruct H as [->|H]; [easy|now right].
Qed.

Lemma settles_shadow p s t : settles s t -> proper s -> shadow R (fst s) p (snd s) ->
  proper t /\ shadow R (fst t) p (snd t).
Proof.
  intros (C & _). induction C as [s | s r t A _ IH]; auto. intros P S.
  destruct (absorb_shadow p s r A P S). auto.
Qed.

Lemma settles_closed s t : settles s t -> closed R (fst t) (snd t).
Proof.
  intros (_ & N). destruct t as (absent & t). split; cbn [fst snd].
  - intros u x q y L I. apply not_true_iff_false. intros F. exact (N _ (absorb_lift absent t u x q y L I F)).
  - intros x q y D O I. apply not_true_iff_false. intros F. exact (N _ (absorb_offered absent t x q y D O I F)).
Qed.

(* Settling ends: each time, a card is gone. *)
Definition size (s : state) : nat := length (cards_of (snd s)).

Lemma filter_shorter absent (x : card) l : In x l -> In x absent -> length (live absent l) < length l.
Proof.
  intros I A. apply in_split in I. destruct I as (a & b & ->). rewrite filter_app, !app_length. simpl.
  apply absent_iff in A. rewrite A. pose proof (live_length absent a). pose proof (live_length absent b). lia.
Qed.

Lemma absorb_size s t : absorb s t -> size t < size s.
Proof.
  assert (G : forall more p x, In x (cards_of p) -> In x more -> size (without more p) < length (cards_of p)).
  { intros more p x I J. unfold size, without. cbn [snd].
  rewrite (Permutation_length (settled_cards _)), restricted_cards.
    eapply filter_shorter; eauto. }
  intros [absent p u x q y L I F | absent p x q y D O I F]; apply (G _ p x).
  - destruct (lift_cards _ _ _ _ L) as (C & _). rewrite C. apply in_or_app. right. now left.
  - apply in_or_app. right. now left.
  - rewrite (offered_cards _ _ _ O). now left.
  - now left.
Qed.

Lemma absorb_or_not s : (exists t, absorb s t) \/ forall t, ~ absorb s t.
Proof.
  destruct s as (absent & p). destruct (is_closed R absent p) eqn:C.
  - right. apply is_closed_sound in C; auto. intros t A. inversion A; subst.
    + erewrite (closed_lift R _ _ C) in H4; eauto. discriminate.
    + erewrite (closed_offered R _ _ C) in H5; eauto. discriminate.
  - left. unfold is_closed in C. apply andb_false_iff in C. destruct C as [C|C].
    + assert (E : exists t, In t (lifts R p) /\ fits_absent R absent (snd (fst t)) = true).
      { revert C. induction (lifts R p) as [|((u & x) & q) l IH]; simpl; [discriminate|]. rewrite andb_false_iff.
        intros [C|C]; [exists (u, x, q); split; auto; now apply negb_false_iff|]. destruct (IH C) as (t & I & F).
        eauto. }
      destruct E as (((u & x) & q) & I & F). apply lifts_iff in I. apply existsb_exists in F.
      destruct F as (y & J & F).
      eexists. eapply absorb_lift; eauto.
    + apply orb_false_iff in C. destruct C as (D & C). apply negb_false_iff, Nat.eqb_eq in D.
      assert (E : exists t, In t (offers R p) /\ fits_absent R absent (fst t) = true).
      { revert C. induction (offers R p) as [|(x & q) l IH]; simpl; [discriminate|]. rewrite andb_false_iff.
        intros [C|C]; [exists (x, q); split; auto; now apply negb_false_iff|]. destruct (IH C) as (t & I & F).
        eauto. }
      destruct E as ((x & q) & I & F). apply offers_sound in I; auto. apply existsb_exists in F.
      destruct F as (y & J & F).
      eexists. eapply absorb_offered; eauto.
Qed.

Lemma settles_exists s : exists t, settles s t.
Proof.
  induction s as [s IH] using (induction_ltof1 _ size). destruct (absorb_or_not s) as [(r & A)|N].
  - destruct (IH r (absorb_size _ _ A)) as (t & T & N). exists t. split; auto. econstructor; eauto.
  - exists s. split; auto. constructor.
Qed.

Theorem easier start absent : moving_on R <> AnyCards ->
  NoDup (cards_of start) -> (draw R = 1 \/ untouched absent (turning start)) -> in_scope absent start ->
  winnable R start -> easier_winnable absent start.
Proof.
  intros Gr N U H (q & Re & W) s Ss.
  destruct (settles_shadow start _ _ Ss (without_proper _ _ N U H) (without_shadow _ _ N U H)) as (P & Sh).
  apply settles_closed in Ss. revert P Sh Ss. clear N U H absent. revert s.
  induction Re as [p | p q r M Re IH]; intros (absent & s) P Sh C; cbn [fst snd] in *.
  - exists (absent, s). split; [constructor|]. eapply shadow_won; eauto.
  - assert (Ar : at_rest R s) by apply P.
    destruct (simulation R absent p s q Sh (or_introl Gr) C Ar M)
      as [(Sq & _) | [(t & Mt & St & _) | (x & y & t & D & O & I & F & K)]].
    + exact (IH W (absent, s) P Sq C).
    + destruct (settles_exists (absent, t)) as (v & V).
      assert (Pt : proper (absent, t)).
      { split; [|split; [|split]]; cbn [fst snd].
        - apply (move_distinct _ _ _ Mt), P.
        - destruct Mt; apply settled_at_rest.
        - destruct St as [_ _ _ _ (Sa & Sr) _ _ _]. destruct Sr as [D|(_ & Ut)]; auto. right. intros z J.
          apply Ut. apply at_least_all_cards in Sa. rewrite (untouched_live absent) in Sa by auto. now rewrite Sa.
        - destruct P as (_ & _ & _ & [H|H]); [now left|right]. exact (move_no_hole _ _ _ Mt H). }
      destruct (settles_shadow q _ _ V Pt St) as (Pv & Sv). apply settles_closed in V as Cv.
      destruct (IH W v Pv Sv Cv) as (z & Z & Wz). exists z. split; auto. econstructor; eauto. econstructor; eauto.
    + destruct (settles_exists (without (x :: absent) t)) as (v & V).
      destruct P as (N & _ & U & H). cbn [fst snd] in *.
      pose proof (offered_cards _ _ _ O) as Ct. assert (N' := N). rewrite Ct in N'. apply NoDup_cons_iff in N'.
      destruct N' as (Nx & Nt).
      assert (Ut : draw R = 1 \/ untouched (x :: absent) (turning t)).
      { right. destruct U as [U|U]; [tauto|]. intros z J [<-|L].
        - apply Nx. unfold cards_of. rewrite !in_app_iff. tauto.
        - apply (U z); auto. destruct O as [st wa n T]. rewrite <- (turns_all_cards _ _ _ T).
          now apply in_all_cards_without. }
      assert (Ht : in_scope (x :: absent) t) by (destruct O; destruct H as [->|H]; [easy|now right]).
      assert (Sv : shadow R (fst v) q (snd v) /\ proper v).
      { assert (Sh' := without_shadow _ _ Nt Ut Ht).
        destruct (settles_shadow t _ _ V (without_proper _ _ Nt Ut Ht) Sh') as (Pv & Sv). split; auto.
        apply K; auto; [|apply Pv]. clear -V. destruct V as (V & _).
        change (x :: absent) with (fst (without (x :: absent) t)).
        induction V as [s | s r v A _ IH]; [apply incl_refl|]. intros z J. apply IH. destruct A; simpl in *.
        - apply in_or_app. right. now right.
        - now right. }
      destruct Sv as (Sv & Pv). apply settles_closed in V as Cv.
      destruct (IH W v Pv Sv Cv) as (z & Z & Wz). exists z. split; auto. econstructor; eauto. eapply easier_discard;
        eauto.
Qed.
End Easier.
