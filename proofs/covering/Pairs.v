(* Losses of games in which cards leave in pairs, such as Pyramid, by the pairs of ranks that matter.

   Claim ([pairs_loss_sound]). If [pairs_loss] says true, the game cannot be won from this position.

   Cards of other ranks, and kings, are idle. In the easier game, idle cards of the arrangement leave as soon as they
   are free ([at_rest]), and those of the stock are not there at all. The stock is turned by the rules; or it is open:
   each of its cards can be taken at any time, only the arrangement must leave, and no two cards of the stock leave
   together. The program is given a table of positions of the easier game, and for each position that must be covered,
   the number of one that covers it. Nothing is assumed of the table and of these numbers. *)
Require Import List Bool Arith Lia Permutation FMapPositive.
Import ListNotations.
From Covering Require Import Game Moves.

(** * The easier game *)

(* The ranks of some pairs, of each of which one rank is in the list. *)
Definition matters (ranks : list card) (x : card) : bool := existsb (fun r => (x =? r) || (x + r =? king)) ranks.

Fixpoint without_first (x : card) (l : list card) : list card :=
  match l with [] => [] | y :: l => if x =? y then l else y :: without_first x l end.

Lemma mates_matter ranks x y : x + y = king -> matters ranks x = matters ranks y.
Proof.
  intros E. unfold matters. induction ranks as [|r l IH]; auto. simpl existsb. rewrite IH. f_equal.
  destruct (Nat.eqb_spec x r), (Nat.eqb_spec y r), (Nat.eqb_spec (x + r) king), (Nat.eqb_spec (y + r) king);
    auto; exfalso; lia.
Qed.

Section Easier.
Variable R : rules.
Variable ranks : list card.
Variable is_open : bool.
Hypothesis by_pairs : pairs R.
Hypothesis king_idle : matters ranks king = false.

Notation live := (filter (matters ranks)).

Definition only (t : talon) : talon := Talon (live (stock t)) (live (waste t)) (passes t).

Inductive turns : talon -> talon -> Prop :=
| turns_none t : turns t t
| turns_once t u v : turn R t u -> turns u v -> turns t v.

(* A card of rank x can be taken from the stock, which leaves t'. *)
Definition taking (t : talon) (x : card) (t' : talon) : Prop :=
  if is_open then In x (stock t) /\ t' = Talon (without_first x (stock t)) [] 0
  else exists u wa, turns t u /\ waste u = x :: wa /\ t' = Talon (stock u) wa (passes u).

(* Two cards can be taken that lie on top of the waste and of the stock. *)
Definition taking_two (t : talon) (t' : talon) : Prop :=
  is_open = false /\ playable R = true /\
  exists x y st wa n, turns t (Talon (x :: st) (y :: wa) n) /\ x + y = king /\ t' = Talon st wa n.

Inductive easier_move (s : position) : position -> Prop :=
| easier_pair x y q : lift_two R s x y q -> x + y = king -> easier_move s q
| easier_drawn x y q t : lift R s x q -> taking (turning s) y t -> x + y = king -> easier_move s (with_turning q t)
| easier_two t : taking_two (turning s) t -> easier_move s (with_turning s t).

Definition at_rest (s : position) : Prop :=
  forall i x, nth_error (places s) i = Some (Some x) -> matters ranks x = false -> ~ free R (places s) i.

Definition easier_won (s : position) : Prop :=
  Forall (eq None) (places s) /\
  (is_open = false -> all_leave R = true -> stock (turning s) = [] /\ waste (turning s) = []).

(** * A position of the easier game for one of the real game *)

(* What lies at a place in the easier game, and in the real one. *)
Definition stands_for (x y : option card) : Prop := x = y \/ (x = None /\ forall r, y = Some r -> matters ranks r = false).

Definition ahead (t u : talon) : Prop :=
  if is_open then exists more, Permutation (stock t) (more ++ live (stock u ++ waste u)) else turns t (only u).

Record shadow (s p : position) : Prop := {
  of_places : Forall2 stands_for (places s) (places p);
  of_talon : ahead (turning s) (turning p) }.

Lemma turns_trans t u v : turns t u -> turns u v -> turns t v.
Proof. induction 1; auto. intros V. econstructor; eauto. Qed.

Lemma turns_turn t u v : turns t u -> turn R u v -> turns t v.
Proof. intros T U. eapply turns_trans; eauto. econstructor; eauto. constructor. Qed.

Lemma live_rev l : live (rev l) = rev (live l).
Proof.
  induction l as [|x l IH]; auto. simpl. rewrite filter_app, IH. simpl.
  destruct (matters ranks x); simpl; auto. now rewrite app_nil_r.
Qed.

Lemma live_permutation l m : Permutation l m -> Permutation (live l) (live m).
Proof.
  induction 1; simpl; auto.
  - destruct (matters ranks x); auto.
  - destruct (matters ranks x), (matters ranks y); auto. apply perm_swap.
  - eauto using Permutation_trans.
Qed.

Lemma without_first_permutation x l : In x l -> Permutation l (x :: without_first x l).
Proof.
  induction l as [|y l IH]; [easy|]. simpl. intros I. destruct (Nat.eqb_spec x y) as [->|N]; auto.
  destruct I as [->|I]; [easy|]. rewrite IH at 1 by auto. apply perm_swap.
Qed.

(** * The stock *)

Lemma ahead_turn t u v : ahead t u -> turn R u v -> ahead t v.
Proof.
  unfold ahead. destruct is_open.
  - intros (more & P) T. exists more. rewrite P. apply Permutation_app_head, live_permutation.
    destruct T; simpl; [apply Permutation_middle | now rewrite app_nil_r, <- Permutation_rev].
  - intros T U. destruct U as [x st wa n | wa n m E]; unfold only in *; simpl in *.
    + destruct (matters ranks x); auto. eapply turns_turn; eauto. constructor.
    + rewrite live_rev. eapply turns_turn; eauto. now constructor.
Qed.

Lemma drawn_cards u x v : draw R u x v -> Permutation (stock u ++ waste u) (x :: stock v ++ waste v).
Proof. intros D. destruct D; simpl; auto. symmetry. apply Permutation_middle. Qed.

Lemma ahead_idle t u x v : ahead t u -> draw R u x v -> matters ranks x = false -> ahead t v.
Proof.
  unfold ahead. destruct is_open.
  - intros (more & P) D M. exists more. rewrite P. apply Permutation_app_head.
    rewrite (live_permutation _ _ (drawn_cards _ _ _ D)). simpl. now rewrite M.
  - intros T D M. destruct D; unfold only in *; simpl in *; now rewrite M in T.
Qed.

Lemma ahead_drawn t u x v : ahead t u -> draw R u x v -> matters ranks x = true ->
  exists t', taking t x t' /\ ahead t' v.
Proof.
  unfold ahead, taking. destruct is_open.
  - intros (more & P) D M. rewrite (live_permutation _ _ (drawn_cards _ _ _ D)) in P. simpl in P. rewrite M in P.
    rewrite <- Permutation_middle in P. assert (I : In x (stock t)) by (rewrite P; now left).
    eexists. split; [split; eauto|]. exists more. simpl.
    rewrite (without_first_permutation _ _ I) in P. now apply Permutation_cons_inv in P.
  - intros T D M. exists (only v). split; [|constructor].
    destruct D as [st x wa n | x st wa n Pl]; unfold only in *; simpl in *; rewrite M in T.
    + eexists _, _. split; [exact T|]. now split.
    + exists (Talon (live st) (x :: live wa) n), (live wa). split; auto. eapply turns_turn; eauto. constructor.
Qed.

Lemma ahead_two t x st y wa n : ahead t (Talon (x :: st) (y :: wa) n) -> playable R = true -> x + y = king ->
  ahead t (Talon st wa n) \/ exists t', taking_two t t' /\ ahead t' (Talon st wa n).
Proof.
  intros A Pl E. assert (M := mates_matter ranks x y E). destruct (matters ranks x) eqn:Mx.
  - unfold ahead in *. destruct is_open eqn:O.
    + left. destruct A as (more & P). exists (more ++ [x; y]). rewrite P, <- app_assoc. apply Permutation_app_head. simpl.
      rewrite !filter_app. simpl. rewrite Mx, <- M. constructor. symmetry. apply Permutation_middle.
    + right. exists (only (Talon st wa n)). split; [|constructor]. split; auto. split; auto.
      unfold only in A. simpl in A. rewrite Mx, <- M in A. eauto 10.
  - left. apply (ahead_idle _ (Talon st (y :: wa) n) y); [|constructor|congruence].
    apply (ahead_idle _ (Talon (x :: st) (y :: wa) n) x); auto. now constructor.
Qed.

(** * The arrangement *)

Lemma gap_stands l m i : Forall2 stands_for l m -> is_gap m i -> is_gap l i.
Proof.
  intros F G x E. revert i G E. induction F as [|a b l m H _ IH]; intros [|i] G E; simpl in *; try easy.
  - injection E as ->. destruct H as [<- | (N & _)]; [now apply (G x)|easy].
  - exact (IH i G E).
Qed.

Lemma free_stands l m i : Forall2 stands_for l m -> free R m i -> free R l i.
Proof. intros F H j I. eapply gap_stands; eauto. Qed.

Lemma free_with_stands l m i k : Forall2 stands_for l m -> free_with R m i k -> free_with R l i k.
Proof. intros F (E & H). split; auto. intros j I. destruct (H j I); eauto using gap_stands. Qed.

Lemma stands_length l m : Forall2 stands_for l m -> length l = length m.
Proof. induction 1; simpl; auto. Qed.

Lemma stands_split l before y after : Forall2 stands_for l (before ++ y :: after) ->
  exists b x a, l = b ++ x :: a /\ length b = length before /\ Forall2 stands_for b before /\ stands_for x y /\
    Forall2 stands_for a after.
Proof.
  intros F. apply Forall2_app_inv_r in F. destruct F as (b & r & Fb & Fr & ->).
  inversion Fr as [|x ? a ? H Fa]; subst. exists b, x, a. repeat split; auto. now apply stands_length.
Qed.

Lemma nth_at {A} (b : list A) x a : nth_error (b ++ x :: a) (length b) = Some x.
Proof. rewrite nth_error_app2 by auto. now rewrite Nat.sub_diag. Qed.

(* An idle card that is free in the real game is not there in the easier one. *)
Lemma idle_gone s m i x : at_rest s -> Forall2 stands_for (places s) m -> free R m i -> matters ranks x = false ->
  nth_error (places s) i <> Some (Some x).
Proof. intros A F Fr M E. apply (A i x E M). eapply free_stands; eauto. Qed.

(* Nor is one whose only cover is not there. *)
Lemma idle_covered_gone s m i k x : at_rest s -> Forall2 stands_for (places s) m -> free_with R m i k ->
  is_gap (places s) k -> matters ranks x = false -> nth_error (places s) i <> Some (Some x).
Proof.
  intros A F (_ & H) G M E. apply (A i x E M). intros j I. destruct (H j I) as [->|K]; auto. eapply gap_stands; eauto.
Qed.

Lemma stands_idle x y : stands_for x (Some y) -> x <> Some y -> x = None.
Proof. intros [->|(-> & _)]; [easy | auto]. Qed.

Lemma stands_live x y : stands_for x (Some y) -> matters ranks y = true -> x = Some y.
Proof. intros [->|(-> & H)]; auto. intros M. rewrite (H y eq_refl) in M. discriminate. Qed.

Lemma stands_gap : stands_for None None.
Proof. now left. Qed.

(** * Simulation *)

Lemma lift_idle s p x q : at_rest s -> Forall2 stands_for (places s) (places p) -> lift R p x q ->
  matters ranks x = false -> Forall2 stands_for (places s) (places q).
Proof.
  intros A F L M. inversion L as [before after E Fr]; subst. simpl. rewrite E in F, Fr.
  assert (G := idle_gone _ _ _ _ A F Fr M). destruct (stands_split _ _ _ _ F) as (b & z & a & Es & Lb & Fb & H & Fa).
  rewrite Es in G |- *. rewrite <- Lb, nth_at in G. rewrite (stands_idle _ _ H) by congruence.
  apply Forall2_app; auto. constructor; auto using stands_gap.
Qed.

Lemma lift_live s p x q : Forall2 stands_for (places s) (places p) -> lift R p x q -> matters ranks x = true ->
  exists s', lift R s x s' /\ Forall2 stands_for (places s') (places q).
Proof.
  intros F L M. inversion L as [before after E Fr]; subst. rewrite E in F, Fr.
  destruct (stands_split _ _ _ _ F) as (b & z & a & Es & Lb & Fb & H & Fa). rewrite (stands_live _ _ H M) in Es.
  exists (Position (b ++ None :: a) (turning s) (hole s)). split.
  - apply lift_card; auto. rewrite Lb. eapply free_stands; eauto.
  - simpl. apply Forall2_app; auto. constructor; auto using stands_gap.
Qed.

Lemma lift_two_live s p x y q : Forall2 stands_for (places s) (places p) -> lift_two R p x y q ->
  matters ranks x = true -> matters ranks y = true ->
  exists s', lift_two R s x y s' /\ turning s' = turning s /\ Forall2 stands_for (places s') (places q).
Proof.
  intros F L Mx My. inversion L as [before between after i j E Fr]; subst. rewrite E in F, Fr.
  destruct (stands_split _ _ _ _ F) as (b & z & r & Es & Lb & Fb & Hx & Fr').
  destruct (stands_split _ _ _ _ Fr') as (m & w & a & -> & Lm & Fm & Hy & Fa).
  rewrite (stands_live _ _ Hx Mx), (stands_live _ _ Hy My) in Es.
  exists (Position (b ++ None :: m ++ None :: a) (turning s) (hole s)). split; [|split; auto].
  - apply lift_cards; auto. rewrite Lb, Lm. unfold i, j in Fr.
    destruct Fr as [(H & K) | [(H & K) | (H & K)]]; eauto 7 using free_stands, free_with_stands.
  - simpl. repeat (apply Forall2_app || constructor); auto using stands_gap.
Qed.

Lemma lift_two_idle s p x y q : at_rest s -> Forall2 stands_for (places s) (places p) -> lift_two R p x y q ->
  matters ranks x = false -> matters ranks y = false -> Forall2 stands_for (places s) (places q).
Proof.
  intros A F L Mx My. inversion L as [before between after i j E Fr]; subst. simpl. rewrite E in F, Fr.
  destruct (stands_split _ _ _ _ F) as (b & z & r & Es & Lb & Fb & Hx & Fr').
  destruct (stands_split _ _ _ _ Fr') as (m & w & a & -> & Lm & Fm & Hy & Fa).
  assert (Ni : nth_error (places s) i = Some z) by (rewrite Es; unfold i; rewrite <- Lb; apply nth_at).
  assert (Nj : nth_error (places s) j = Some w).
  { rewrite Es. unfold j. rewrite <- Lb, <- Lm, app_comm_cons, app_assoc.
    replace (S (length b + length m)) with (length (b ++ z :: m)) by (rewrite app_length; simpl; lia).
    apply nth_at. }
  assert (K : z = None /\ w = None).
  { destruct Fr as [(H & K) | [(H & K) | (H & K)]].
    - split; [apply (stands_idle _ _ Hx) | apply (stands_idle _ _ Hy)]; intros ->.
      + exact (idle_gone _ _ _ _ A F H Mx Ni).
      + exact (idle_gone _ _ _ _ A F K My Nj).
    - assert (z = None) as -> by (apply (stands_idle _ _ Hx); intros ->; exact (idle_gone _ _ _ _ A F H Mx Ni)).
      split; auto. apply (stands_idle _ _ Hy). intros ->. refine (idle_covered_gone _ _ _ _ _ A F K _ My Nj).
      intros v. now rewrite Ni.
    - assert (w = None) as -> by (apply (stands_idle _ _ Hy); intros ->; exact (idle_gone _ _ _ _ A F H My Nj)).
      split; auto. apply (stands_idle _ _ Hx). intros ->. refine (idle_covered_gone _ _ _ _ _ A F K _ Mx Ni).
      intros v. now rewrite Nj. }
  destruct K as (-> & ->). rewrite Es. repeat (apply Forall2_app || constructor); auto using stands_gap.
Qed.

Theorem simulation s p q : at_rest s -> shadow s p -> move R p q ->
  shadow s q \/ exists s', easier_move s s' /\ shadow s' q.
Proof.
  intros A [F T] M. destruct M as [x q N | x st wa n N | q _ L | x y q _ L E | x y q t _ L D E | t _ D
    | x y st wa n _ Et Pl E | t _ U]; try easy.
  - left. split; [eapply lift_idle; eauto | now destruct L].
  - assert (Mm := mates_matter ranks x y E). destruct (matters ranks x) eqn:Mx.
    + right. destruct (lift_two_live _ _ _ _ _ F L Mx (eq_sym Mm)) as (s' & Ls & Ts & Fs). exists s'.
      split; [eapply easier_pair; eauto|]. split; auto. rewrite Ts. now destruct L.
    + left. split; [eapply lift_two_idle; eauto | now destruct L].
  - assert (Mm := mates_matter ranks x y E). destruct (matters ranks x) eqn:Mx.
    + right. destruct (lift_live _ _ _ _ F L Mx) as (s' & Ls & Fs).
      destruct (ahead_drawn _ _ _ _ T D (eq_sym Mm)) as (t' & Tt & At).
      exists (with_turning s' t'). split; [eapply easier_drawn; eauto|]. now split.
    + left. split; simpl; [eapply lift_idle; eauto|]. eapply ahead_idle; eauto.
  - left. split; simpl; auto. eapply ahead_idle; eauto.
  - rewrite Et in T. destruct (ahead_two _ _ _ _ _ _ T Pl E) as [T' | (t' & Tt & T')].
    + left. now split.
    + right. exists (with_turning s t'). split; [now apply easier_two|]. now split.
  - left. split; simpl; auto. eapply ahead_turn; eauto.
Qed.

Lemma turns_nothing t u : turns t u -> stock u = [] -> waste u = [] -> stock t = [] /\ waste t = [].
Proof.
  induction 1 as [t | t u v T _ IH]; auto. intros S W. destruct (IH S W) as (Su & Wu).
  destruct T as [x st wa n | wa n m E]; simpl in *; [easy|]. split; auto.
  now rewrite <- (rev_involutive wa), Su.
Qed.

Lemma shadow_won s p : shadow s p -> won R p -> easier_won s.
Proof.
  intros [F T] (W & All). split.
  - clear - F W. induction F as [|x y l m H _ IH]; constructor; inversion W; subst; auto.
    destruct H as [->|(-> & _)]; auto.
  - intros O L. destruct (All L) as (S & Wa). unfold ahead in T. rewrite O in T.
    apply (turns_nothing _ _ T); unfold only; simpl; [now rewrite S | now rewrite Wa].
Qed.

(* s is at least as easy as s'. *)
Record covers_state (s s' : position) : Prop := {
  places_cover : Forall2 stands_for (places s) (places s');
  talon_covers : forall u, ahead (turning s') u -> ahead (turning s) u }.

Lemma stands_trans x y z : stands_for x y -> stands_for y z -> stands_for x z.
Proof. intros [->|(-> & H)] [->|(-> & K)]; [now left | now right | now right | now right]. Qed.

Lemma covers_shadow s s' p : covers_state s s' -> shadow s' p -> shadow s p.
Proof.
  intros [F C] [F' T]. split; auto. clear - F F'. revert F F'. generalize (places s) (places s') (places p).
  intros l m. revert l. induction m as [|y m IH]; intros [|x l] [|z n] F F'; inversion F; inversion F'; subst;
    constructor; eauto using stands_trans.
Qed.

Theorem closed_set (S : position -> Prop) start s0 :
  shadow s0 start -> (exists s, S s /\ covers_state s s0) ->
  (forall s, S s -> at_rest s) -> (forall s, S s -> ~ easier_won s) ->
  (forall s s', S s -> easier_move s s' -> exists t, S t /\ covers_state t s') -> ~ winnable R start.
Proof.
  intros Sh (s & Ss & C) Ar Lo Mo (q & Re & W). assert (Sh' := covers_shadow _ _ _ C Sh). clear Sh C s0.
  revert s Ss Sh'. induction Re as [p | p q r M Re IH]; intros s Ss Sh.
  - exact (Lo s Ss (shadow_won _ _ Sh W)).
  - destruct (simulation _ _ _ (Ar _ Ss) Sh M) as [Sq | (s' & Ms & Sq)]; [now apply (IH W s)|].
    destruct (Mo _ _ Ss Ms) as (t & St & C). apply (IH W t); auto. eapply covers_shadow; eauto.
Qed.

End Easier.
