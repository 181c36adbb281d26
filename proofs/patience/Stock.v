(* The stock.

   Claims. Without some of its cards, a stock that is turned card by card still offers all others, as early as before
   ([turns_live]); one that is turned by several cards does so if none of its cards is absent. More passes are never
   worse ([turns_more]). And a game can only become easier if its stock is turned card by card, as often as one likes
   ([winnable_card_by_card]): this is the stock of the easier game if cards are absent of one that is turned by
   several cards. *)
Require Import List Bool Arith Lia Permutation.
Import ListNotations.
From Patience Require Import Game Cards.

Definition all_cards (t : talon) : list card := rev (waste t) ++ stock t.

Definition live_talon absent (t : talon) : talon := Talon (live absent (stock t)) (live absent (waste t)) (passes t).

Section Stock.
Variable R : rules.

(* From e, turning leads to t, perhaps with more passes left. *)
Definition at_least (e t : talon) : Prop :=
  exists n, passes t <= n /\ turns R e (Talon (stock t) (waste t) n).

Lemma turns_trans t u v : turns R t u -> turns R u v -> turns R t v.
Proof. induction 1; auto. intros H'. econstructor; eauto. Qed.

Lemma turn_all_cards t u : turn R t u -> all_cards u = all_cards t.
Proof.
  destruct 1; unfold all_cards; simpl.
  - rewrite rev_app_distr, rev_involutive, <- app_assoc. now rewrite firstn_skipn.
  - now rewrite app_nil_r.
Qed.

Lemma turns_all_cards t u : turns R t u -> all_cards u = all_cards t.
Proof. induction 1; auto. rewrite IHturns. now apply turn_all_cards. Qed.

Lemma turns_more t u : turns R t u -> forall n, passes t <= n ->
  exists m, passes u <= m /\ turns R (Talon (stock t) (waste t) n) (Talon (stock u) (waste u) m).
Proof.
  induction 1 as [t | t u v T Ts IH]; intros n L.
  - exists n. split; auto. constructor.
  - destruct T as [st wa k H N | wa k m H E]; simpl in *.
    + destruct (IH n L) as (m & Lm & M). exists m. split; auto. econstructor; [|exact M]. now constructor.
    + assert (E' : exists j, m <= j /\ if unlimited R then j = n else n = S j).
      { destruct (unlimited R); [exists n; lia|]. exists (pred n). lia. }
      destruct E' as (j & Lj & E'). destruct (IH j Lj) as (i & Li & I). exists i. split; auto.
      econstructor; [|exact I]. now constructor.
Qed.

Lemma at_least_refl t : at_least t t.
Proof. exists (passes t). split; auto. destruct t. constructor. Qed.

Lemma at_least_turns e t u : at_least e t -> turns R t u -> at_least e u.
Proof.
  intros (n & L & E) T. destruct (turns_more _ _ T _ L) as (m & Lm & M). exists m. split; auto.
  eapply turns_trans; eauto.
Qed.

Lemma at_least_trans e t u : at_least e t -> at_least t u -> at_least e u.
Proof.
  intros E (n & L & T). destruct (at_least_turns _ _ _ E T) as (m & Lm & M). simpl in *. exists m. split; auto. lia.
Qed.

Lemma at_least_all_cards e t : at_least e t -> all_cards t = all_cards e.
Proof. intros (n & _ & T). apply turns_all_cards in T. exact T. Qed.

(* None of the cards of t is absent. *)
Definition untouched (absent : list card) (t : talon) : Prop := forall x, In x (all_cards t) -> ~ In x absent.

Lemma in_all_cards x t : In x (all_cards t) <-> In x (waste t) \/ In x (stock t).
Proof. unfold all_cards. rewrite in_app_iff, <- in_rev. tauto. Qed.

Lemma untouched_live absent t : untouched absent t -> live_talon absent t = t.
Proof.
  intros U. destruct t as [st wa n]. unfold live_talon. simpl. f_equal; apply live_all; intros x I;
    apply U, in_all_cards; auto.
Qed.

Lemma turn_live absent t u : draw R = 1 -> turn R t u -> turns R (live_talon absent t) (live_talon absent u).
Proof.
  intros D [st wa n H N | wa n m H E]; unfold live_talon; simpl.
  - rewrite D. destruct st as [|x st]; [tauto|]. simpl. destruct (is_live absent x).
    + econstructor; [|constructor]. pose proof (turn_cards R (x :: live absent st) (live absent wa) n) as T.
      rewrite D in T. simpl in T. now apply T.
    + constructor.
  - econstructor; [|constructor]. rewrite live_rev. now constructor.
Qed.

Lemma turns_live absent t u : (draw R = 1 \/ untouched absent t) -> turns R t u ->
  turns R (live_talon absent t) (live_talon absent u).
Proof.
  intros [D|U] T.
  - induction T as [t | t u v T Ts IH]; [constructor|]. eapply turns_trans; eauto using turn_live.
  - rewrite (untouched_live _ _ U). rewrite untouched_live; auto. intros x. rewrite (turns_all_cards _ _ T). apply U.
Qed.

Lemma at_least_live absent e t : (draw R = 1 \/ untouched absent e) -> at_least e t ->
  at_least (live_talon absent e) (live_talon absent t).
Proof.
  intros H (n & L & T). exists n. split; auto. now apply (turns_live absent) in T.
Qed.

Lemma settled_turning p t : settled R (with_turning p t) = with_turning (settled R p) t.
Proof.
  unfold settled, filled. destruct (spaces R); auto. simpl. now destruct (fill (columns p) (reserve p)).
Qed.

Lemma turning_settled p : turning (settled R p) = turning p.
Proof. unfold settled, filled. destruct (spaces R); auto. simpl. now destruct (fill (columns p) (reserve p)). Qed.

End Stock.

(** * Card by card, as often as one likes *)

Definition card_by_card (R : rules) : rules :=
  Rules (ranks R) (base R) (build R) (moving_on R) (spaces R) (removable R) (first_stay R) (cell_count R)
    1 true (to_hole R) (wrap R).

Section CardByCard.
Variable R : rules.
Hypothesis no_hole : to_hole R = false.
Notation R' := (card_by_card R).

Lemma turns_card_by_card st wa n : turns R' (Talon st wa n) (Talon [] (rev st ++ wa) n).
Proof.
  revert wa. induction st as [|x st IH]; intros wa; [constructor|].
  econstructor; [now apply turn_cards|]. simpl. rewrite <- app_assoc. apply IH.
Qed.

Lemma turns_some k : forall st wa n, turns R' (Talon st wa n) (Talon (skipn k st) (rev (firstn k st) ++ wa) n).
Proof.
  induction k as [|k IH]; intros st wa n; [constructor|]. destruct st as [|x st]; [constructor|].
  econstructor; [now apply turn_cards|]. simpl. rewrite <- app_assoc. apply IH.
Qed.

Definition easily (t : talon) (u : talon) : Prop := turns R' t (Talon (stock u) (waste u) (passes t)).

Lemma easily_turns t u v : easily t u -> turns R u v -> easily t v.
Proof.
  intros E T. revert E. induction T as [u | u v w T Ts IH]; auto. intros E. apply IH. unfold easily in *.
  eapply turns_trans; eauto. destruct T; simpl.
  - apply turns_some.
  - econstructor; [|constructor]. now constructor.
Qed.

(* The same position, but for the stock. *)
Definition easier_stock (p q : position) : Prop :=
  q = with_turning p (turning q) /\ easily (turning q) (turning p).

Lemma put_turning p u x r t : put R [] p u x r -> put R' [] (with_turning p t) u x (with_turning r t) /\
  turning r = turning p.
Proof.
  intros [l u' x' y b r' E D F | l u' x' r' E F | x' L | x' H L | x' h H N]; split; auto.
  - exact (to_card R' [] (with_turning p t) l u' x' y b r' E D F).
  - exact (to_space R' [] (with_turning p t) l u' x' r' E F).
  - exact (to_cell R' [] (with_turning p t) x' L).
  - exact (to_foundation R' [] (with_turning p t) x' H L).
  - exact (to_the_hole R' [] (with_turning p t) x' h H N).
Qed.

Lemma lift_turning p u x q t : lift R p u x q -> lift R' (with_turning p t) u x (with_turning q t) /\
  turning q = turning p.
Proof.
  intros [l u' x' b r E G D | l x' r E | l x' r E | x' k E D | l x' r E B H]; split; auto.
  - exact (from_column R' (with_turning p t) l u' x' b r E G D).
  - exact (from_cell R' (with_turning p t) l x' r E).
  - exact (from_open_reserve R' (with_turning p t) l x' r E).
  - exact (from_reserve R' (with_turning p t) x' k E D).
  - exact (from_foundation R' (with_turning p t) l x' r E B H).
Qed.

Lemma easier_stock_settled p t : easily t (turning p) -> easier_stock (settled R p) (settled R' (with_turning p t)).
Proof.
  intros E. change (settled R') with (settled R). rewrite settled_turning. split; auto.
  now rewrite turning_settled.
Qed.

Lemma move_card_by_card p q r : easier_stock p q -> move R [] p r -> exists s, move R' [] q s /\ easier_stock r s.
Proof.
  intros (E & T) M. set (t := turning q) in *. clearbody t. subst q.
  destruct M as [u x l r L P | x l r O P | x st wa n h H S Ho | x h []].
  - destruct (put_turning _ _ _ _ t P) as (P' & Tr), (lift_turning _ _ _ _ t L) as (L' & Tl).
    eexists. split; [eapply carry; eauto|]. apply easier_stock_settled. now rewrite Tr, Tl.
  - destruct O as [st wa n Ts]. pose proof (easily_turns _ _ _ T Ts) as E. unfold easily in E. simpl in E.
    destruct (put_turning _ _ _ _ (Talon st wa (passes t)) P) as (P' & Tr).
    eexists. split; [exact (play R' [] _ x _ _ (offer R' (with_turning p t) x st wa (passes t) E) P')|].
    apply easier_stock_settled. rewrite Tr. constructor.
  - congruence.
Qed.

Theorem winnable_card_by_card p : winnable R p -> winnable R' p.
Proof.
  intros (q & Re & W).
  enough (G : forall s, easier_stock p s -> winnable R' s).
  { apply G. split; [now destruct p|]. unfold easily. destruct (turning p). constructor. }
  induction Re as [p | p q r M Re IH]; intros s E.
  - exists s. split; [constructor|]. destruct E as (E & T). destruct W as (A & B & C & D & F & G).
    apply turns_all_cards in T. unfold all_cards in T. simpl in T. rewrite F, G in T. symmetry in T.
    apply app_eq_nil in T. destruct T as (T & T'). rewrite E. repeat split; auto. simpl.
    apply (f_equal (@rev card)) in T. now rewrite rev_involutive in T.
  - destruct (move_card_by_card _ _ _ E M) as (t & Mt & Et). destruct (IH W t Et) as (z & Z & Wz).
    exists z. split; auto. econstructor; eauto.
Qed.
End CardByCard.
