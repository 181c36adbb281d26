(* Losses by cards that wait for one another and have several places, as in Simple Simon and Spiderette: theorem 3 of
   docs/proofs/waiting.md.

   Claim ([places_lost]). If there is a set of cards of which none can be the first to move by itself, the game is lost:
   such a set still waits after every move ([places_step]). It needs the fact that no suit of the set can leave: the set
   has a card of each of its suits that has to move by itself before, since it does not lie on the next higher card of
   its suit, or that lies face down. *)
Require Import List Bool Arith Lia Permutation.
Import ListNotations.
From Patience Require Import Game Cards WholeSuits Waiting.

Section Places.
Variable R : rules.
Variable run : building.
Variable full_columns : bool.
Notation step := (step R run full_columns).
Notation clearable := (clearable R run full_columns).

(* The rules by which each card fits the next higher one of its suit only. *)
Definition by_suit_only : rules :=
  Rules (ranks R) (base R) SameSuit (moving_on R) NoCard (removable R) (first_stay R) (cell_count R) (draw R)
    (unlimited R) (to_hole R) (wrap R).

(** * Cards that wait *)

(* A card is no king, and does not lie face up on the next higher card of its suit, which lies face up, too. *)
Definition has_to_move (p : board) (h : card) : Prop :=
  ~ king R h /\ (loose by_suit_only p h \/ exists y, covered p h y).

(* x may go to an empty column. *)
Definition may_go (x : card) : Prop :=
  match spaces R with AnyCard => True | LastRank => king R x | _ => False end.

(* Of these cards, one lies on a card that lies face down, or with which it does not move. *)
Definition apart (p : board) (w : list card) : Prop :=
  exists a z y b, w = a ++ z :: y :: b /\ (covered p z y \/ moves_with (rules_of_runs R run) z y = false).

Section Set_.
Variable S : list card.

Inductive hindrance (p : board) (x : card) : Prop :=
| under w :
    segment p (w ++ [x]) -> (forall z, In z w -> In z S) -> apart p (w ++ [x]) -> hindrance p x
| no_place :
    (forall y, In y (all_of p) -> fits R x y = true -> exists d, In d S /\ segment p [d; y]) ->
    (may_go x -> forall c, In c (piles p) -> exists z, lowest c z /\ In z S) -> hindrance p x.

Definition waits_for_places (p : board) : Prop :=
  (exists x, In x S) /\
  forall x, In x S ->
    segment p [x] /\ (exists h, In h S /\ same_suit h x = true /\ has_to_move p h) /\ hindrance p x.
End Set_.

(** * Proof *)

Hypothesis base_fits : 1 <= base R <= ranks R.

Lemma by_suit_one_place : one_place by_suit_only.
Proof. split; auto. Qed.

Lemma segment_parts p a w b : segment p (a ++ w ++ b) -> segment p w.
Proof.
  intros (c & l & m & C & E). exists c, (l ++ a), (b ++ m). split; auto. rewrite E. now rewrite <- !app_assoc.
Qed.

(* No card of a set that waits leaves with its suit. *)
Lemma places_not_left S p g b d r : proper R p -> waits_for_places S p ->
  Permutation (piles p) (Pile (g ++ b) d :: r) -> whole_suit R g -> forall z, In z S -> ~ In z g.
Proof.
  intros P (_ & W) Pp Wh z I G. destruct (W z I) as (_ & (h & Ih & Su & K & Mo) & _).
  destruct (W h Ih) as (Sh & _ & _).
  assert (Hg : In h g).
  { apply (whole_suit_has by_suit_only by_suit_one_place g z h Wh G).
    - intros y Y. exact (suit_range R p P g b d r Pp y Y).
    - apply (range_of R p P), (segment_in p _ h Sh). now left.
    - exact Su. }
  pose proof (left_joined by_suit_only by_suit_one_place p g b d r Pp Wh h Hg K) as J.
  destruct Mo as [L|(y & C)].
  - exact (loose_not_joined by_suit_only p h P L J).
  - destruct J as (y' & Sy & F). assert (y = y') by (eapply segment_below; eauto using covered_segment). subst y'.
    exact (left_not_under by_suit_only by_suit_one_place p P g b d r Pp Wh h y C F Hg).
Qed.

Lemma group_apart g a z y b : group (rules_of_runs R run) g -> g = a ++ z :: y :: b ->
  moves_with (rules_of_runs R run) z y = true.
Proof.
  revert g. induction a as [|w a IH]; intros g G ->; simpl in G; [tauto|].
  apply (IH (a ++ z :: y :: b)); auto. destruct (a ++ z :: y :: b) eqn:E; [now destruct a|tauto].
Qed.

(* Nor does one move by itself. *)
Lemma places_not_carried S p u x b d t r : proper R p -> waits_for_places S p ->
  Permutation (piles p) (Pile (u ++ x :: b) d :: t :: r) -> accepts R t x ->
  group (rules_of_runs R run) (u ++ [x]) -> ~ In x S.
Proof.
  intros P (_ & W) Pp A G I. set (s := Pile (u ++ x :: b) d) in *.
  pose proof (source_in p u x b d t r Pp) as Is. pose proof (target_in p u x b d t r Pp) as It.
  destruct (W x I) as (_ & _ & [w (c & a & m & C & E) _ (a' & z & y & b' & Ew & D)|Pl Sp]).
  - assert (c = s).
    { apply (same_pile R p c s x P C Is); [|exact (x_in_source u x b d)]. rewrite E, !in_app_iff. simpl. tauto. }
    subst c. pose proof (nodup_pile R p s P Is) as N. rewrite E in N.
    assert (Es : pile_cards s = u ++ x :: b ++ d) by (unfold pile_cards, s; simpl; now rewrite <- app_assoc).
    rewrite Es in E. replace (a ++ (w ++ [x]) ++ m) with ((a ++ w) ++ x :: m) in E, N by now rewrite <- !app_assoc.
    destruct (split_unique _ _ _ _ _ N (eq_sym E)) as (Eu & Em).
    assert (Eg : u ++ [x] = (a ++ a') ++ z :: y :: b').
    { rewrite <- Eu, <- !app_assoc. f_equal. exact Ew. }
    destruct D as [(c & l & k & C' & E' & Lk)|D].
    + assert (Iz : In z (pile_cards s)).
      { rewrite Es. replace (u ++ x :: b ++ d) with ((u ++ [x]) ++ b ++ d) by now rewrite <- app_assoc.
        rewrite Eg, !in_app_iff. simpl. tauto. }
      assert (c = s).
      { apply (same_pile R p c s z P C' Is); auto. rewrite E', in_app_iff. simpl. auto. }
      subst c. pose proof (nodup_pile R p s P Is) as N'.
      assert (Ez : pile_cards s = (a ++ a') ++ z :: y :: b' ++ b ++ d).
      { rewrite Es. replace (u ++ x :: b ++ d) with ((u ++ [x]) ++ b ++ d) by now rewrite <- app_assoc.
        rewrite Eg. now rewrite <- !app_assoc. }
      rewrite Ez in N', E'. destruct (split_unique _ _ _ _ _ N' E') as (_ & H). inversion H; subst k.
      simpl in Lk. rewrite !app_length in Lk. lia.
    + pose proof (group_apart _ _ _ _ _ G Eg). congruence.
  - unfold accepts in A. destruct (shown t) as [|y l] eqn:Et.
    + destruct A as (H & A). destruct (Sp A t It) as (z & (a & Z) & _). unfold pile_cards in Z. rewrite Et, H in Z.
      destruct a; discriminate.
    + assert (Ty : pile_cards t = y :: l ++ hidden t) by (unfold pile_cards; now rewrite Et).
      assert (Iy : In y (pile_cards t)) by (rewrite Ty; now left).
      destruct (Pl y (in_pile_in_all p t y It Iy) A) as (e & _ & (c & a & m & C & E)).
      assert (c = t). { apply (same_pile R p c t y P C It); auto. rewrite E, in_app_iff. simpl. auto. }
      subst c. pose proof (nodup_pile R p t P It) as N. rewrite Ty in N, E.
      change (a ++ [e; y] ++ m) with (a ++ [e] ++ y :: m) in E. rewrite app_assoc in E.
      destruct (split_unique y [] (l ++ hidden t) (a ++ [e]) m N E) as (H & _). destruct a; discriminate.
Qed.

(* What is not released still waits. *)
Lemma places_kept S p q released : keeps released p q -> waits_for_places S p ->
  (forall z, In z S -> ~ released z) -> (forall y, In y (all_of q) -> In y (all_of p)) ->
  ((forall c, In c (piles p) -> exists z, lowest c z /\ In z S) ->
    forall c, In c (piles q) -> exists z, lowest c z /\ In z S) ->
  waits_for_places S q.
Proof.
  intros K (Some & W) N All Sp. split; auto. intros x I. destruct (W x I) as (Sx & (h & Ih & Su & Ki & Mo) & H).
  split; [|split].
  - apply (keeps_segment _ _ _ K); auto. intros z [<-|[]]. auto.
  - exists h. split; [auto|split; [auto|split; [auto|]]].
    destruct Mo as [[L|(y & Sy & F)]|(y & C)].
    + left. left. apply (keeps_lowest _ _ _ K); auto.
    + left. right. exists y. split; auto. apply (keeps_two _ _ _ K); auto.
    + right. exists y. apply (keeps_covered _ _ _ K); auto.
  - destruct H as [w Sw Iw (a & z & y & b & E & D)|Pl Em].
    + apply (under S q x w); auto.
      * apply (keeps_segment _ _ _ K); auto. intros v J. apply in_app_or in J. destruct J as [J|[<-|[]]]; auto.
      * exists a, z, y, b. split; auto. destruct D as [D|D]; auto. left. apply (keeps_covered _ _ _ K); auto.
        apply N. assert (Iz : In z (w ++ [x])) by (rewrite E, in_app_iff; simpl; auto).
        apply in_app_or in Iz. destruct Iz as [Iz|[<-|[]]]; auto.
    + apply (no_place S q x); auto.
      intros y J F. destruct (Pl y (All y J) F) as (d & Id & Sd). exists d. split; auto.
      apply (keeps_two _ _ _ K); auto.
Qed.

Lemma lowest_app (a l : list card) z : l <> [] -> (exists m, a ++ l = m ++ [z]) -> exists m, l = m ++ [z].
Proof.
  intros N (m & E). destruct (exists_last N) as (k & y & ->). rewrite app_assoc in E. apply app_inj_tail in E.
  destruct E as (_ & ->). eauto.
Qed.

Theorem places_step S p q : proper R p -> waits_for_places S p -> step p q -> waits_for_places S q.
Proof.
  intros P W M. assert (All : forall y, In y (all_of q) -> In y (all_of p)) by (intros; eapply all_of_step; eauto).
  destruct (step_cases R run full_columns p q M) as [(u & x & b & d & t & r & Pp & Pq & A & _ & G)|
    [(r & g & b & d & Pp & Pq & Wh & _)|E]].
  - pose proof (places_not_carried S p u x b d t r P W Pp A G) as N.
    apply (places_kept S p q (eq x) (keeps_carried R p q u x b d t r P Pp Pq) W); auto.
    { intros z I <-. auto. }
    intros Lo c C. apply (Permutation_in _ Pq) in C. destruct C as [<-|[<-|C]].
    + destruct (Lo (Pile (u ++ x :: b) d)) as (z & (a & Z) & Iz); [apply (in_permuted _ _ _ Pp); now left|].
      exists z. split; auto. unfold lowest. rewrite pile_cards_turned. unfold pile_cards in *. simpl in *.
      rewrite <- app_assoc in Z. simpl in Z. destruct (b ++ d) as [|e l] eqn:Eb.
      * exfalso. apply app_inj_tail in Z. destruct Z as (_ & <-). auto.
      * apply (lowest_app (u ++ [x])); [discriminate|]. exists a. rewrite <- app_assoc. exact Z.
    + destruct (Lo t) as (z & (a & Z) & Iz); [apply (in_permuted _ _ _ Pp); simpl; auto|].
      exists z. split; auto. exists (u ++ x :: a). unfold pile_cards in *. simpl. rewrite <- !app_assoc. simpl.
      now rewrite Z.
    + apply Lo, (in_permuted _ _ _ Pp). simpl. auto.
  - pose proof (places_not_left S p g b d r P W Pp Wh) as N.
    apply (places_kept S p q _ (keeps_left p q g b d r Pp Pq) W); auto.
    intros Lo c C. apply (Permutation_in _ Pq) in C. destruct C as [<-|C].
    + destruct (Lo (Pile (g ++ b) d)) as (z & (a & Z) & Iz); [apply (in_permuted _ _ _ Pp); now left|].
      exists z. split; auto. unfold lowest. rewrite pile_cards_turned. unfold pile_cards in *. simpl in *.
      rewrite <- app_assoc in Z. destruct (b ++ d) as [|e l] eqn:Eb.
      * exfalso. apply (N z Iz). rewrite app_nil_r in Z. rewrite Z. apply in_elt.
      * apply (lowest_app g); [discriminate|]. eauto.
    + apply Lo, (in_permuted _ _ _ Pp). simpl. auto.
  - subst q. apply (places_kept S p _ _ (keeps_dealt p) W); auto.
    intros Lo c C. apply dealt_origin in C. destruct C as (e & u & I & Ec). destruct (Lo e I) as (z & (a & Z) & Iz).
    exists z. split; auto. exists (u ++ a). now rewrite Ec, Z, app_assoc.
Qed.

Theorem places_lost S p : proper R p -> waits_for_places S p -> ~ clearable p.
Proof.
  apply (never_cleared R run full_columns (waits_for_places S)); [apply places_step|].
  intros p' ((x & I) & W). exists x. now apply W.
Qed.
End Places.
