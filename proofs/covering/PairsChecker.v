(* The checker of losses by the pairs of ranks that matter.

   Claim ([pairs_loss_sound]). If [pairs_loss] says true, the game cannot be won from this position.

   It is given a table of positions of the easier game, and [key], which says for each position that must be covered,
   under which number there is one in the table that covers it. Nothing is assumed of the table and of [key]. *)
Require Import List Bool Arith Lia Permutation BinNums FMapPositive.
Import ListNotations.
From Covering Require Import Game Moves Pairs.

Section Checker.
Variable R : rules.
Variable ranks : list card.
Variable is_open : bool.
Variable fuel : nat.  (* the most turns of the stock that are followed *)

Fixpoint same_list (l m : list card) : bool :=
  match l, m with [], [] => true | x :: l, y :: m => (x =? y) && same_list l m | _, _ => false end.

Definition same_talon (t u : talon) : bool :=
  (passes t =? passes u) && same_list (waste t) (waste u) && same_list (stock t) (stock u).

(** * Which position covers which *)

Definition can_stand_for (x y : option card) : bool :=
  match x, y with
  | Some a, Some b => a =? b
  | None, Some b => negb (matters ranks b)
  | None, None => true
  | Some _, None => false
  end.

Fixpoint all_can_stand_for (l m : list (option card)) : bool :=
  match l, m with
  | [], [] => true
  | x :: l, y :: m => can_stand_for x y && all_can_stand_for l m
  | _, _ => false
  end.

Fixpoint comes_to (n : nat) (t u : talon) : bool :=
  same_talon t u ||
  match n with
  | 0 => false
  | S n => match next_turn R t with Some v => comes_to n v u | None => false end
  end.

Definition is_covered (table : PositiveMap.t position) (key : position -> positive) (s : position) : bool :=
  match PositiveMap.find (key s) table with
  | Some w =>
      all_can_stand_for (places w) (places s) &&
      if is_open then same_list (stock (turning w)) (stock (turning s)) else comes_to fuel (turning w) (turning s)
  | None => false
  end.

(** * Moves of the easier game *)

(* All talons to which turning leads from u, until it stops or comes to t; None if that takes more turns. *)
Fixpoint turnings (n : nat) (t u : talon) : option (list talon) :=
  match next_turn R u with
  | None => Some [u]
  | Some v =>
      if same_talon v t then Some [u] else
      match n with
      | 0 => None
      | S n => match turnings n t v with Some l => Some (u :: l) | None => None end
      end
  end.

Definition takings (turned : list talon) (t : talon) (x : card) : list talon :=
  if is_open then if existsb (Nat.eqb x) (stock t) then [Talon (without_first x (stock t)) [] 0] else []
  else flat_map (fun u => match waste u with
    | y :: wa => if x =? y then [Talon (stock u) wa (passes u)] else []
    | [] => []
    end) turned.

Definition takings_of_two (turned : list talon) : list talon :=
  if negb is_open && playable R then
    flat_map (fun u => match u with
      | Talon (x :: st) (y :: wa) n => if x + y =? king then [Talon st wa n] else []
      | _ => []
      end) turned
  else [].

Definition easier_moves (turned : list talon) (s : position) : list position :=
  lifts_of_two R s ++
  flat_map (fun '(x, q) => map (with_turning q) (takings turned (turning s) (king - x))) (lifts R s) ++
  map (with_turning s) (takings_of_two turned).

(** * The check *)

Definition is_at_rest (s : position) : bool := forallb (fun '(x, _) => matters ranks x) (lifts R s).

Definition is_easier_won (s : position) : bool :=
  forallb (fun x => match x with Some _ => false | None => true end) (places s) &&
  (is_open || negb (all_leave R) || match turning s with Talon [] [] _ => true | _ => false end).

Definition is_closed (table : PositiveMap.t position) (key : position -> positive) (s : position) : bool :=
  is_at_rest s && negb (is_easier_won s) &&
  match (if is_open then Some [] else turnings fuel (turning s) (turning s)) with
  | Some turned => forallb (is_covered table key) (easier_moves turned s)
  | None => false
  end.

Definition start_of (p : position) : position :=
  let t := turning p in
  let easier := if is_open then Talon (filter (matters ranks) (stock t ++ waste t)) [] 0 else only ranks t in
  with_turning p easier.

Definition pairs_loss (table : PositiveMap.t position) (key : position -> positive) (p : position) : bool :=
  match moves_by R with
  | InPairs _ =>
      negb (matters ranks king) && is_covered table key (start_of p) &&
      forallb (fun '(_, s) => is_closed table key s) (PositiveMap.elements table)
  | IntoHole _ => false
  end.

(** * Proofs *)

Lemma same_list_eq l : forall m, same_list l m = true -> l = m.
Proof.
  induction l as [|x l IH]; intros [|y m] E; simpl in E; try easy. apply andb_true_iff in E. destruct E as (X & L).
  apply Nat.eqb_eq in X. subst. now rewrite (IH m L).
Qed.

Lemma same_talon_eq t u : same_talon t u = true -> t = u.
Proof.
  unfold same_talon. rewrite !andb_true_iff, Nat.eqb_eq. intros ((P & W) & S).
  apply same_list_eq in W, S. destruct t, u. simpl in *. congruence.
Qed.

Lemma all_can_stand_for_sound l : forall m, all_can_stand_for l m = true -> Forall2 (stands_for ranks) l m.
Proof.
  induction l as [|x l IH]; intros [|y m] E; simpl in E; try easy. apply andb_true_iff in E. destruct E as (X & L).
  constructor; auto. unfold stands_for. destruct x as [x|], y as [y|]; simpl in X; try easy; auto.
  - apply Nat.eqb_eq in X. subst. auto.
  - right. split; auto. intros r Er. injection Er as <-. now apply negb_true_iff in X.
Qed.

Lemma comes_to_sound n : forall t u, comes_to n t u = true -> turns R t u.
Proof.
  induction n as [|n IH]; intros t u E; simpl in E; apply orb_true_iff in E; destruct E as [E|E]; try easy;
    try (apply same_talon_eq in E; subst; constructor).
  destruct (next_turn R t) as [v|] eqn:N; [|easy]. apply next_turn_iff in N. econstructor; eauto.
Qed.

Lemma is_covered_sound table key s : is_covered table key s = true ->
  exists w k, PositiveMap.find k table = Some w /\ covers_state R ranks is_open w s.
Proof.
  unfold is_covered. destruct (PositiveMap.find (key s) table) as [w|] eqn:F; [|easy].
  rewrite andb_true_iff. intros (P & T). exists w, (key s). split; auto. split; [now apply all_can_stand_for_sound|].
  intros u. unfold ahead. destruct is_open.
  - apply same_list_eq in T. now rewrite T.
  - apply comes_to_sound in T. intros A. eapply turns_trans; eauto.
Qed.

Lemma turnings_complete n t : forall u l, turnings n t u = Some l ->
  In u l /\ forall v w, In v l -> next_turn R v = Some w -> w = t \/ In w l.
Proof.
  induction n as [|n IH]; intros u l E; simpl in E; destruct (next_turn R u) as [v|] eqn:N.
  - destruct (same_talon v t) eqn:Sm; [|easy]. injection E as <-. split; [now left|]. intros x w [<-|[]] Nx.
    apply same_talon_eq in Sm. left. congruence.
  - injection E as <-. split; [now left|]. intros x w [<-|[]] Nx. congruence.
  - destruct (same_talon v t) eqn:Sm.
    + injection E as <-. split; [now left|]. intros x w [<-|[]] Nx. apply same_talon_eq in Sm. left. congruence.
    + destruct (turnings n t v) as [m|] eqn:T; [|easy]. injection E as <-. destruct (IH _ _ T) as (I & C).
      split; [now left|]. intros x w [<-|Ix] Nx.
      * right. right. congruence.
      * destruct (C _ _ Ix Nx); auto. right. now right.
  - injection E as <-. split; [now left|]. intros x w [<-|[]] Nx. congruence.
Qed.

Lemma turnings_turns n t l u : turnings n t t = Some l -> turns R t u -> In u l.
Proof.
  intros E T. destruct (turnings_complete _ _ _ _ E) as (I & C).
  assert (K : forall v w, turns R v w -> In v l -> In w l).
  { clear T. induction 1 as [v | v x w U _ IH]; auto. intros Iv. apply next_turn_iff in U.
    destruct (C _ _ Iv U) as [->|]; auto. }
  now apply (K t).
Qed.

Lemma easier_moves_complete turned s s' :
  (if is_open then Some [] else turnings fuel (turning s) (turning s)) = Some turned ->
  easier_move R is_open s s' -> In s' (easier_moves turned s).
Proof.
  intros T M. unfold easier_moves. rewrite !in_app_iff. destruct M as [x y q L E | x y q t L K E | t K].
  - left. apply lifts_of_two_iff. eauto.
  - right; left. apply in_flat_map. exists (x, q). rewrite lifts_iff. split; auto. apply in_map.
    replace (king - x) with y by lia. unfold taking in K. unfold takings. destruct is_open.
    + destruct K as (I & ->). replace (existsb (Nat.eqb y) (stock (turning s))) with true; [now left|].
      symmetry. apply existsb_exists. exists y. split; auto. apply Nat.eqb_refl.
    + destruct K as (u & wa & Tu & W & ->). apply in_flat_map. exists u. split; [eapply turnings_turns; eauto|].
      rewrite W, Nat.eqb_refl. now left.
  - right; right. apply in_map. unfold takings_of_two. destruct K as (O & Pl & x & y & st & wa & n & Tu & E & ->).
    rewrite O in *. rewrite Pl. simpl. apply in_flat_map. eexists. split; [eapply turnings_turns; eauto|].
    simpl. apply Nat.eqb_eq in E. simpl in E. rewrite E. now left.
Qed.

Lemma is_at_rest_sound s : is_at_rest s = true -> at_rest R ranks s.
Proof.
  unfold is_at_rest. rewrite forallb_forall. intros A i x E M Fr.
  apply nth_error_split in E. destruct E as (b & a & E & <-). rewrite E in Fr.
  assert (L : lift R s x (Position (b ++ None :: a) (turning s) (hole s))) by (apply lift_card; auto; now rewrite E).
  apply lifts_iff in L. specialize (A _ L). simpl in A. congruence.
Qed.

Lemma easier_won_iff s : easier_won R is_open s -> is_easier_won s = true.
Proof.
  intros (F & T). unfold is_easier_won. apply andb_true_iff. split.
  - apply forallb_forall. rewrite Forall_forall in F. intros x I. now rewrite <- (F x I).
  - destruct is_open; auto. destruct (all_leave R); auto. destruct (T eq_refl eq_refl) as (S & W).
    destruct (turning s) as [st wa n]. simpl in *. now subst.
Qed.

Theorem pairs_loss_sound table key p : pairs_loss table key p = true -> ~ winnable R p.
Proof.
  unfold pairs_loss. destruct (moves_by R) as [|overlap] eqn:B; [easy|]. rewrite !andb_true_iff, negb_true_iff.
  intros ((K & St) & Cl). rewrite forallb_forall in Cl.
  assert (C : forall k s, PositiveMap.find k table = Some s -> is_closed table key s = true).
  { intros k s F. apply PositiveMap.elements_correct in F. exact (Cl _ F). }
  apply (closed_set R ranks is_open ltac:(eexists; eauto) K (fun s => exists k, PositiveMap.find k table = Some s)
    p (start_of p)).
  - split; simpl.
    + clear. induction (places p); constructor; auto. now left.
    + unfold ahead. destruct is_open; [now exists [] | constructor].
  - destruct (is_covered_sound _ _ _ St) as (w & k & F & Cv). eauto.
  - intros s (k & F). apply C in F. unfold is_closed in F. rewrite !andb_true_iff in F. now apply is_at_rest_sound.
  - intros s (k & F) W. apply C in F. unfold is_closed in F. rewrite !andb_true_iff, negb_true_iff in F.
    apply easier_won_iff in W. destruct F as ((_ & F) & _). congruence.
  - intros s s' (k & F) M. apply C in F. unfold is_closed in F. apply andb_true_iff in F. destruct F as (_ & F).
    destruct (if is_open then _ else _) as [turned|] eqn:T; [|easy]. rewrite forallb_forall in F.
    destruct (is_covered_sound _ _ _ (F _ (easier_moves_complete _ _ _ T M))) as (w & k' & Fw & Cv). eauto.
Qed.

End Checker.
