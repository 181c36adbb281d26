(* The checker: a program that decides whether a table of positions proves a loss.

   Claim ([check_sound]). If [check] says true, the game cannot be won from the start, by the rules R.

   The table has positions of the easier game, each with its absent cards. For each position that must be covered,
   [key] says under which number a position of the table covers it. Nothing is assumed of the table and of [key]:
   whoever fills the table may be wrong, and then [check] says false. *)
Require Import List Bool Arith Lia Permutation PArith FMapPositive.
Import ListNotations.
From Patience Require Import Game Cards Stock Simulation Certificate Moves.

Section Same.
Context {A : Type} (same : A -> A -> bool).

Fixpoint remove_first (x : A) (l : list A) : option (list A) :=
  match l with
  | [] => None
  | y :: t => if same x y then Some t else option_map (cons y) (remove_first x t)
  end.

Fixpoint same_in_any_order (l m : list A) : bool :=
  match l with
  | [] => is_empty m
  | x :: t => match remove_first x m with Some r => same_in_any_order t r | None => false end
  end.

Lemma same_in_any_order_sound (E : forall x y, same x y = true -> x = y) l :
  forall m, same_in_any_order l m = true -> Permutation l m.
Proof.
  assert (W : forall x m r, remove_first x m = Some r -> Permutation m (x :: r)).
  { induction m as [|y t IH]; simpl; intros r; [discriminate|]. destruct (same x y) eqn:F.
    - intros H. inversion H; subst. apply E in F. now subst.
    - destruct (remove_first x t); [|discriminate]. intros H. inversion H; subst.
      rewrite (IH _ eq_refl). apply perm_swap. }
  induction l as [|x l IH]; simpl; intros m H.
  - apply is_empty_iff in H. now subst.
  - destruct (remove_first x m) eqn:F; [|discriminate]. rewrite (W _ _ _ F). auto.
Qed.
End Same.

Definition state : Type := list card * position.

Section Checker.
Variable R : rules.

(** * What is checked of each position of the table *)

Definition fits_absent absent (x : card) : bool := existsb (fits R x) absent.

Definition is_closed absent (s : position) : bool :=
  forallb (fun '(_, x, _) => negb (fits_absent absent x)) (lifts R s) &&
  (negb (draw R =? 1) || forallb (fun '(x, _) => negb (fits_absent absent x)) (offers R s)).

Definition is_at_rest (s : position) : bool :=
  match spaces R with FromReserve => is_empty (reserve s) || negb (existsb is_empty (columns s)) | _ => true end &&
  forallb (up s) (tops s).

Definition is_won (s : position) : bool :=
  forallb is_empty (columns s) && is_empty (cells s) && is_empty (open_reserve s) && is_empty (reserve s) &&
  is_empty (stock (turning s)) && is_empty (waste (turning s)).

(** * What covers what *)

Definition is_at_least (e t : talon) : bool :=
  existsb (fun u => same_but_passes t u && (passes t <=? passes u)) (turnings R e).

(* The same position, in another order of columns and cells; r may have more cards face up, and a better stock. *)
Definition same_position (s r : position) : bool :=
  same_in_any_order same_cards (columns r) (columns s) &&
  forallb (fun x => member x (face_down s)) (face_down r) &&
  same_in_any_order same_card (cells r) (cells s) &&
  same_in_any_order same_card (open_reserve r) (open_reserve s) &&
  same_cards (reserve r) (reserve s) &&
  is_at_least (turning r) (turning s) &&
  same_in_any_order same_card (foundations r) (foundations s) &&
  match hole r, hole s with None, None => true | Some a, Some b => a =? b | _, _ => false end.

Fixpoint distinct (l : list card) : bool :=
  match l with [] => true | x :: t => negb (member x t) && distinct t end.

(* These cards may be absent: neither the stock nor a hole forbids it. *)
Definition may_be_absent more (p : position) : bool :=
  ((draw R =? 1) ||
    (distinct (all_cards (turning p)) && forallb (fun x => negb (member x more)) (all_cards (turning p)))) &&
  (is_empty more ||
    match hole p with
    | None => true
    | Some _ =>
        match build R with NoBuilding => true | _ => false end &&
        (negb (to_hole R) || forallb (fun x => negb (member x more)) (all_cards (turning p)))
    end).

(* On absent cards lie only absent ones. *)
Fixpoint is_layered more (c : list card) : bool :=
  match c with
  | [] => true
  | x :: below => if member x more then is_layered more below else forallb (fun y => negb (member y more)) below
  end.

(* Nor is it forbidden that any cards move with the one below. *)
Definition is_orderly more (p : position) : bool :=
  match moving_on R with
  | AnyCards => is_empty more || forallb (is_layered more) (columns p)
  | _ => true
  end.

Definition covers absent (q : position) (entry : state) : bool :=
  let (more, r) := entry in
  forallb (fun x => member x more) absent && may_be_absent more q && is_orderly more q &&
  same_position (settled R (restricted more q)) r.

Variables (table : PositiveMap.t state) (key : list card -> position -> positive).

Definition covered absent (q : position) : bool :=
  match PositiveMap.find (key absent q) table with Some entry => covers absent q entry | None => false end.

Definition good (entry : state) : bool :=
  let (absent, s) := entry in
  is_closed absent s && is_at_rest s && negb (is_won s) &&
  forallb (covered absent) (moves R absent s) &&
  ((draw R =? 1) || forallb (fun '(x, t) => negb (fits_absent absent x) || covered (x :: absent) t) (offers R s)).

Definition check (start : position) : bool :=
  negb (draw R =? 0) && covered [] start && forallb (fun '(_, entry) => good entry) (PositiveMap.elements table).

(** * Proof *)

Lemma fits_absent_false absent x y : fits_absent absent x = false -> In y absent -> fits R x y = false.
Proof.
  intros F I. apply not_true_iff_false. intros T. apply not_true_iff_false in F. apply F. apply existsb_exists. eauto.
Qed.

Lemma is_closed_sound (draws : draw R <> 0) absent s : is_closed absent s = true -> closed R absent s.
Proof.
  unfold is_closed. rewrite andb_true_iff, forallb_forall. intros (L & O). split.
  - intros u x q y T I. apply lifts_iff, L, negb_true_iff in T. eapply fits_absent_false; eauto.
  - intros x q y D T I. rewrite D in O. simpl in O. rewrite forallb_forall in O.
    destruct (offers_complete R draws _ _ _ T) as (t & J & _). apply O, negb_true_iff in J.
    eapply fits_absent_false; eauto.
Qed.

Lemma is_at_rest_sound s : is_at_rest s = true -> at_rest R s.
Proof.
  unfold is_at_rest. rewrite andb_true_iff. intros (F & U). rewrite forallb_forall in U. split.
  - intros Sp I. rewrite Sp in F. apply orb_true_iff in F. destruct F as [F|F]; [now apply is_empty_iff|].
    apply negb_true_iff, not_true_iff_false in F. exfalso. apply F, existsb_exists. now exists [].
  - intros x b I. apply up_iff, U. unfold tops. apply in_flat_map. exists (x :: b). split; auto. now left.
Qed.

Lemma all_empty_iff (cs : list (list card)) : forallb is_empty cs = true <-> Forall (eq []) cs.
Proof.
  rewrite forallb_forall, Forall_forall. split; intros H c I; specialize (H c I).
  - symmetry. now apply is_empty_iff.
  - now apply is_empty_iff.
Qed.

Lemma is_won_iff s : is_won s = true <-> won s.
Proof. unfold is_won, won. rewrite !andb_true_iff, all_empty_iff, !is_empty_iff. tauto. Qed.

Lemma is_at_least_sound (draws : draw R <> 0) e t : is_at_least e t = true -> at_least R e t.
Proof.
  unfold is_at_least. rewrite existsb_exists. intros (u & I & C). apply andb_true_iff in C. destruct C as (C & L).
  apply same_but_passes_iff in C. destruct C as (A & B). exists (passes u). rewrite A, B. split.
  - now apply Nat.leb_le.
  - apply turnings_sound in I; auto. now destruct u.
Qed.

Lemma distinct_sound l : distinct l = true -> NoDup l.
Proof.
  induction l as [|x l IH]; simpl; constructor; apply andb_true_iff in H; destruct H as (M & D); auto.
  now apply not_member_iff.
Qed.

Lemma same_position_sound (draws : draw R <> 0) absent p s r :
  shadow R absent p s -> same_position s r = true -> shadow R absent p r.
Proof.
  intros [(k & o & P & Q & Rs & F) Sd Se So (Sa & Sr) Sf Sh Sg]. unfold same_position.
  rewrite !andb_true_iff, forallb_forall.
  intros (((((((C & D) & E) & O) & K) & T) & Fo) & H).
  assert (EC : forall l m, same_cards l m = true -> l = m) by (intros; now apply same_cards_iff).
  assert (ES : forall x y, same_card x y = true -> x = y) by (intros; now apply same_card_iff).
  apply (same_in_any_order_sound _ EC) in C. apply (same_in_any_order_sound _ ES) in E, O, Fo. apply EC in K.
  constructor; eauto using Permutation_trans.
  - exists k, o. rewrite K. repeat split; auto. now rewrite C.
  - intros x L I. apply Sd; auto. apply member_iff. auto.
  - split; auto. apply is_at_least_sound in T; auto. eapply at_least_trans; eauto.
  - rewrite <- Sh in *. destruct (hole r), (hole s); try easy. apply Nat.eqb_eq in H. congruence.
Qed.

Lemma shadow_restricted more p : may_be_absent more p = true -> shadow R more p (restricted more p).
Proof.
  unfold may_be_absent. rewrite andb_true_iff. intros (S & H). constructor; simpl; auto.
  - exists [], (map (live more) (columns p)). simpl. auto.
  - intros x _ I. apply filter_In in I. tauto.
  - split; [apply at_least_refl|]. apply orb_true_iff in S. destruct S as [S|S]; [left; now apply Nat.eqb_eq|right].
    apply andb_true_iff in S. destruct S as (D & U). split; [now apply distinct_sound|].
    rewrite forallb_forall in U. intros x I. apply not_member_iff. auto.
  - apply orb_true_iff in H. destruct H as [H|H]; [left; left; now apply is_empty_iff|].
    destruct (hole p) as [h|] eqn:E; [right|left; now right]. apply andb_true_iff in H. destruct H as (B & U).
    split; [now destruct (build R)|]. intros T. rewrite T in U. simpl in U. rewrite forallb_forall in U.
    intros x I. apply not_member_iff. auto.
Qed.

Lemma is_layered_sound more c : is_layered more c = true -> layered more c.
Proof.
  induction c as [|x c IH]; simpl.
  - exists [], []. repeat split; easy.
  - destruct (member x more) eqn:M; intros H.
    + apply member_iff in M. apply (layered_absent more [x]); auto. intros z [<-|[]]. auto.
    + rewrite forallb_forall in H. exists [], (x :: c). split; auto. split; [easy|]. intros z [<-|I] J.
      * apply member_iff in J. congruence.
      * apply H, not_member_iff in I. auto.
Qed.

Lemma is_orderly_sound more p : is_orderly more p = true -> orderly R more p.
Proof.
  unfold is_orderly. destruct (moving_on R) eqn:M; intros H; [left; congruence|left; congruence|right].
  apply orb_true_iff in H. destruct H as [H|H]; [left; now apply is_empty_iff|right].
  rewrite forallb_forall in H. intros c I. apply is_layered_sound. auto.
Qed.

Lemma covers_sound (draws : draw R <> 0) absent q more r :
  covers absent q (more, r) = true -> incl absent more /\ shadow R more q r /\ orderly R more q.
Proof.
  unfold covers. rewrite !andb_true_iff, forallb_forall. intros (((I & M) & Or) & S). split; [|split].
  - intros x J. apply member_iff. auto.
  - eapply same_position_sound; eauto. apply shadow_settled. now apply shadow_restricted.
  - now apply is_orderly_sound.
Qed.

Definition in_table absent (s : position) : Prop := exists k, PositiveMap.find k table = Some (absent, s).

Lemma covered_sound (draws : draw R <> 0) absent q : covered absent q = true ->
  exists more r, in_table more r /\ incl absent more /\ shadow R more q r /\ orderly R more q.
Proof.
  unfold covered. destruct (PositiveMap.find _ _) as [(more & r)|] eqn:F; [|discriminate]. intros C.
  apply covers_sound in C; auto. exists more, r. split; auto. eexists. eauto.
Qed.

(* Positions that differ in a better stock have the same shadows. *)
Lemma better_stock_shadow more p q s : better_stock R p q -> shadow R more p s -> shadow R more q s.
Proof.
  intros (E & B) S. rewrite E in S. destruct S as [Sc Sd Se So (Sa & Sr) Sf Sh Sg]. simpl in *.
  pose proof (at_least_all_cards _ _ _ B) as A.
  constructor; auto; [split|].
  - eapply at_least_trans; eauto. apply at_least_live; auto. tauto.
  - destruct Sr as [D|(N & U)]; auto. right. unfold untouched. rewrite A. auto.
  - destruct Sg as [Sg|(Bu & U)]; [now left|right]. split; auto. unfold untouched. rewrite A. auto.
Qed.

Theorem check_sound start : check start = true -> ~ winnable R start.
Proof.
  unfold check. rewrite !andb_true_iff, forallb_forall, negb_true_iff, Nat.eqb_neq. intros ((draws & C) & G).
  assert (T : forall absent s, in_table absent s -> good (absent, s) = true).
  { intros absent s (k & F). exact (G _ (PositiveMap.elements_correct _ _ F)). }
  clear G. apply (certificate_sound R in_table). split.
  - destruct (covered_sound draws _ _ C) as (more & r & I & _ & S & Or). eauto.
  - intros absent s I. apply T in I. unfold good in I. rewrite !andb_true_iff in I. now apply is_closed_sound.
  - intros absent s I. apply T in I. unfold good in I. rewrite !andb_true_iff in I. now apply is_at_rest_sound.
  - intros absent s I W. apply T in I. unfold good in I. rewrite !andb_true_iff in I. apply is_won_iff in W.
    rewrite W in I. simpl in I. intuition discriminate.
  - intros absent s t I M. apply T in I. unfold good in I. rewrite !andb_true_iff, forallb_forall in I.
    destruct I as ((_ & I) & _). destruct (moves_complete R draws _ _ _ M) as (q & Q & B).
    destruct (covered_sound draws _ _ (I q Q)) as (more & r & J & In & S & Or). exists more, r. split; auto.
    split; auto. split; [apply (better_stock_shadow _ q t); auto|].
    destruct B as (E & _). rewrite E in Or. exact Or.
  - intros absent s x t y I D O Y F. apply T in I. unfold good in I. rewrite !andb_true_iff in I.
    destruct I as (_ & I). apply Nat.eqb_neq in D. rewrite D in I. simpl in I. rewrite forallb_forall in I.
    destruct (offers_complete R draws _ _ _ O) as (u & J & E & B). apply I in J.
    assert (A : fits_absent absent x = true) by (apply existsb_exists; eauto).
    rewrite A in J. simpl in J. destruct (covered_sound draws _ _ J) as (more & r & K & In & S & Or).
    exists more, r. split; auto. split; auto. split; [|rewrite E; exact Or].
    apply (better_stock_shadow _ (with_turning s u) t); auto. rewrite E. split; auto.
Qed.
End Checker.

(* A loss by the rules R, also of lists in which cards of a stock are absent that is turned by several cards: then it
   is turned card by card in the easier game. *)
Definition check_loss (R : rules) (by_card : bool) table key (start : position) : bool :=
  if by_card then negb (to_hole R) && check (card_by_card R) table key start else check R table key start.

Theorem check_loss_sound R by_card table key start : check_loss R by_card table key start = true ->
  ~ winnable R start.
Proof.
  unfold check_loss. destruct by_card; [|apply check_sound].
  rewrite andb_true_iff, negb_true_iff. intros (H & C) W. apply check_sound in C. apply C.
  now apply winnable_card_by_card.
Qed.
