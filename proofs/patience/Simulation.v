(* The easier game beside the real one.

   Claim ([simulation]): let s be a position of the easier game that is the shadow of a real position: each live card
   lies in s where it lies in the real game. After a real move, s is still a shadow of the real position; or a move of
   the easier game leads to a shadow of it; or the card that moved came from a stock that is turned by several cards,
   and went onto an absent card: then it becomes absent in the easier game, which gives a shadow, too.

   This needs s to be closed: no card that can be lifted in s fits an absent one (rule R2 of
   docs/proofs/patience.md). The reason is the lemma [block]: if a group of cards moves in the real game, its live
   cards are its lower part. *)
Require Import List Bool Arith Lia Permutation.
Import ListNotations.
From Patience Require Import Game Cards Stock.

Section Simulation.
Variable R : rules.

(** * The shadow *)

(* The columns and the stacked reserve. If empty columns are filled from the reserve, the easier game may do it before
   the real one does, since its columns empty earlier: then some columns hold [parked] cards, which in the real game
   are the topmost live ones of the reserve. *)
Definition same_columns absent (p s : position) : Prop :=
  exists parked others,
    Permutation (map (live absent) (columns p)) (repeat [] (length parked) ++ others) /\
    Permutation (columns s) (map (fun x => [x]) parked ++ others) /\
    live absent (reserve p) = parked ++ reserve s /\
    (spaces R <> FromReserve -> parked = []).

(* The stock: s offers all live cards that p offers. If several cards are turned at a time, none may be absent. *)
Definition same_stock absent (p s : position) : Prop :=
  at_least R (turning s) (live_talon absent (turning p)) /\
  (draw R = 1 \/ (NoDup (all_cards (turning p)) /\ untouched absent (turning p))).

(* Cards may be absent, unless there is a hole. *)
Definition in_scope (absent : list card) (p : position) : Prop := absent = [] \/ hole p = None.

(* If there is a hole, they may be absent if no card is put on another one, but not those of a stock that goes there. *)
Definition in_hole_scope (absent : list card) (p : position) : Prop :=
  build R = NoBuilding /\ (to_hole R = true -> untouched absent (turning p)).

(* If any cards move with the one below them, on an absent card lie only absent ones. *)
Definition layered (absent : list card) (c : list card) : Prop :=
  exists u v, c = u ++ v /\ (forall z, In z u -> In z absent) /\ (forall z, In z v -> ~ In z absent).

Definition orderly (absent : list card) (p : position) : Prop :=
  moving_on R <> AnyCards \/ absent = [] \/ forall c, In c (columns p) -> layered absent c.

Record shadow absent (p s : position) : Prop := {
  shadow_columns : same_columns absent p s;
  shadow_face_down : forall x, ~ In x absent -> In x (face_down s) -> In x (face_down p);
  shadow_cells : Permutation (cells s) (live absent (cells p));
  shadow_open_reserve : Permutation (open_reserve s) (live absent (open_reserve p));
  shadow_stock : same_stock absent p s;
  shadow_foundations : Permutation (foundations s) (live absent (foundations p));
  shadow_hole : hole s = hole p;
  shadow_scope : in_scope absent p \/ in_hole_scope absent p }.

(* No card fits an absent one that can be lifted in s, with those on it. *)
Definition lifts_closed absent (s : position) : Prop :=
  forall u x q y, lift R s u x q -> In y absent -> fits R x y = false.

(* Rule R2 has nothing to do. It does not ask for cards of a stock that is turned by several cards. *)
Record closed absent (s : position) : Prop := {
  closed_lift : lifts_closed absent s;
  closed_offered : forall x q y, draw R = 1 -> offered R s x q -> In y absent -> fits R x y = false }.

(* There is nothing to fill and to turn up. *)
Record at_rest (s : position) : Prop := {
  rest_filled : spaces R = FromReserve -> In [] (columns s) -> reserve s = [];
  rest_faced : forall x below, In (x :: below) (columns s) -> ~ In x (face_down s) }.

(** * Groups of cards *)

Lemma group_suffix u v : group R (u ++ v) -> group R v.
Proof.
  induction u as [|x u IH]; simpl; auto. intros H. apply IH. destruct (u ++ v); simpl; tauto.
Qed.

Lemma group_prefix u v : group R (u ++ v) -> group R u.
Proof.
  induction u as [|x u IH]; simpl; auto. destruct u as [|y u]; simpl in *; tauto.
Qed.

Lemma group_neighbours u x y v : moving_on R <> AnyCards -> group R (u ++ x :: y :: v) -> fits R x y = true.
Proof.
  intros N H. apply group_suffix in H. destruct H as (H & _). unfold moves_with in H. now destruct (moving_on R).
Qed.

Section Block.
Variables (absent : list card) (s : position) (below : list card).
Hypothesis C : lifts_closed absent s.
Hypothesis scope : moving_on R <> AnyCards.

(* If w is live and the cards below it belong to its group, they are live, too: otherwise w could go onto the first
   absent one of them. *)
Lemma live_below g : forall w, w <> [] ->
  In (live absent ((w ++ g) ++ below)) (columns s) ->
  group R (w ++ g) -> (forall z, In z (w ++ g) -> ~ In z absent -> ~ In z (face_down s)) ->
  (forall z, In z w -> ~ In z absent) -> forall z, In z g -> ~ In z absent.
Proof.
  induction g as [|z g IH]; intros w N I G U L; [easy|].
  destruct (live_or_absent absent z) as [E|E].
  - assert (A : forall v, In v (w ++ [z]) -> ~ In v absent).
    { intros v J. apply in_app_or in J. destruct J as [J|[<-|[]]]; auto. }
    replace (w ++ z :: g) with ((w ++ [z]) ++ g) in * by now rewrite <- app_assoc.
    intros v [<-|J]; auto. apply (IH (w ++ [z])); auto. now destruct w.
  - exfalso. destruct (exists_last N) as (u & x & ->).
    apply in_split in I. destruct I as (l & r & I).
    assert (T : lift R s u x (with_columns s (l ++ live absent (g ++ below) :: r))).
    { apply from_column.
      - rewrite I. f_equal. f_equal. rewrite <- !app_assoc, app_assoc, filter_app.
        rewrite (live_all _ (u ++ [x])) by auto. rewrite <- app_assoc. simpl.
        apply absent_iff in E. now rewrite E.
      - now apply group_prefix in G.
      - intros v J. apply U; auto. apply in_or_app. auto. }
    rewrite <- app_assoc in G. apply (group_neighbours _ _ _ _ scope) in G.
    rewrite (C _ _ _ _ T E) in G. discriminate.
Qed.

Lemma block g :
  live absent (g ++ below) = [] \/ In (live absent (g ++ below)) (columns s) ->
  group R g -> (forall z, In z g -> ~ In z absent -> ~ In z (face_down s)) ->
  exists u, g = u ++ live absent g /\ live absent u = [].
Proof.
  induction g as [|c g IH]; intros P G U.
  - now exists [].
  - destruct (live_or_absent absent c) as [E|E].
    + exists []. split; auto. symmetry. apply live_all. intros z [<-|I]; auto.
      destruct P as [P|P].
      { simpl in P. apply live_iff in E. now rewrite E in P. }
      apply (live_below g [c]); auto; [discriminate|]. intros v [<-|[]]. auto.
    + simpl in *. apply absent_iff in E. rewrite E in *. destruct IH as (u & Eg & O); auto.
      * now apply (group_suffix [c] g).
      * exists (c :: u). simpl. rewrite E, <- Eg. auto.
Qed.
End Block.

Lemma live_none absent (l : list card) : (forall z, In z l -> In z absent) -> live absent l = [].
Proof.
  induction l as [|z l IH]; simpl; auto. intros H. rewrite IH by auto.
  replace (is_live absent z) with false; auto. symmetry. apply absent_iff. auto.
Qed.

Lemma layered_nothing c : layered [] c.
Proof. exists [], c. simpl. repeat split; auto. Qed.

Lemma layered_right absent l c : layered absent (l ++ c) -> layered absent c.
Proof.
  induction l as [|x l IH]; auto. intros (u & v & E & A & L). apply IH. destruct u as [|y u]; simpl in E.
  - exists [], (l ++ c). split; auto. split; [easy|]. intros z I. apply L. rewrite <- E. now right.
  - inversion E; subst y. exists u, v. split; auto. split; auto. intros z I. apply A. now right.
Qed.

Lemma layered_left absent g c : layered absent (g ++ c) -> layered absent g.
Proof.
  induction g as [|x g IH]; intros (u & v & E & A & L).
  - exists [], []. repeat split; easy.
  - destruct u as [|y u]; simpl in E.
    + exists [], (x :: g). split; auto. split; [easy|]. intros z I. apply L. rewrite <- E.
      destruct I as [<-|I]; [now left|right; apply in_or_app; auto].
    + inversion E; subst y. destruct IH as (u' & v' & -> & A' & L').
      { exists u, v. split; auto. split; auto. intros z I. apply A. now right. }
      exists (x :: u'), v'. split; auto. split; auto. intros z [<-|I]; auto. apply A. now left.
Qed.

Lemma block_layered absent g : layered absent g -> exists u, g = u ++ live absent g /\ live absent u = [].
Proof.
  intros (u & v & -> & A & L). exists u. rewrite filter_app, (live_none absent u), (live_all absent v) by auto. auto.
Qed.

(* The live cards of a group that moves are its lower part. *)
Lemma block_of absent p s l g below r : lifts_closed absent s -> orderly absent p ->
  (live absent (g ++ below) = [] \/ In (live absent (g ++ below)) (columns s)) ->
  columns p = l ++ (g ++ below) :: r ->
  group R g -> (forall z, In z g -> ~ In z absent -> ~ In z (face_down s)) ->
  exists u, g = u ++ live absent g /\ live absent u = [].
Proof.
  intros C [M|O] P E G U; [now apply (block absent s below C M g)|].
  apply block_layered. destruct O as [->|O]; [apply layered_nothing|].
  apply (layered_left absent g below), O. rewrite E. apply in_or_app. right. now left.
Qed.

(* The live cards of a group that is lifted with x: those on x, if x is live, else none. *)
Lemma block_of_live absent u x v : u ++ [x] = v ++ live absent (u ++ [x]) -> live absent v = [] ->
  ~ In x absent -> group R (u ++ [x]) -> group R (live absent u ++ [x]).
Proof.
  intros E _ L G. rewrite E in G. apply group_suffix in G. rewrite filter_app in G. simpl in G.
  apply live_iff in L. now rewrite L in G.
Qed.

Lemma block_of_absent absent u x v : u ++ [x] = v ++ live absent (u ++ [x]) -> In x absent -> live absent u = [].
Proof.
  intros E A. assert (A' := A). apply absent_iff in A'. rewrite filter_app in E. simpl in E.
  rewrite A', app_nil_r in E.
  destruct (live absent u) as [|z t] eqn:F; auto. exfalso.
  destruct (exists_last (l := z :: t)) as (w & y & W); [discriminate|]. rewrite W, app_assoc in E.
  apply app_inj_tail in E. destruct E as (_ & ->).
  assert (I : In y (live absent u)) by (rewrite F, W; apply in_or_app; right; now left).
  apply filter_In in I. destruct I as (_ & I). apply live_iff in I. tauto.
Qed.

(** * Columns *)

Lemma column_of_shadow absent p s c l r :
  same_columns absent p s -> columns p = l ++ c :: r ->
  live absent c = [] \/ In (live absent c) (columns s).
Proof.
  intros (k & o & P & Q & _) E. destruct (live absent c) as [|x t] eqn:F; auto. right.
  assert (I : In (x :: t) (map (live absent) (columns p))).
  { rewrite E, map_app. apply in_or_app. right. left. exact F. }
  rewrite P in I. apply in_app_or in I. destruct I as [I|I].
  - apply repeat_spec in I. discriminate.
  - rewrite Q. apply in_or_app. auto.
Qed.

(* The columns of the easier game lie in the order of the real ones. It matters where cards are dealt to them. *)
Definition in_order absent (p s : position) : Prop := columns s = map (live absent) (columns p).

(* Then no card is parked. *)
Lemma in_order_reserve absent p s : same_columns absent p s -> in_order absent p s ->
  live absent (reserve p) = reserve s.
Proof.
  intros (k & o & P & Q & -> & _) E. rewrite E, P in Q. apply Permutation_app_inv_r in Q.
  destruct k as [|x k]; auto. exfalso. assert (I : In [x] (repeat [] (length (x :: k)))) by (rewrite Q; now left).
  apply repeat_spec in I. discriminate.
Qed.

Lemma in_order_columns absent p s : in_order absent p s -> live absent (reserve p) = reserve s ->
  same_columns absent p s.
Proof. intros E K. exists [], (columns s). simpl. rewrite E. auto. Qed.

Definition in_order_dec absent p s : {in_order absent p s} + {~ in_order absent p s} :=
  list_eq_dec (list_eq_dec card_eq) (columns s) (map (live absent) (columns p)).

(* Three ways to change a column of the real game, from c to d. If c has live cards, its shadow changes, too. *)
Lemma change_column absent p s c d l r :
  same_columns absent p s -> columns p = l ++ c :: r -> live absent c <> [] ->
  exists a b, columns s = a ++ live absent c :: b /\
    same_columns absent (with_columns p (l ++ d :: r)) (with_columns s (a ++ live absent d :: b)) /\
    (in_order absent p s ->
      in_order absent (with_columns p (l ++ d :: r)) (with_columns s (a ++ live absent d :: b))).
Proof.
  intros Sc E N. destruct (in_order_dec absent p s) as [O|O].
  { pose proof (in_order_reserve _ _ _ Sc O) as K. exists (map (live absent) l), (map (live absent) r).
    assert (O' : in_order absent (with_columns p (l ++ d :: r))
      (with_columns s (map (live absent) l ++ live absent d :: map (live absent) r))).
    { unfold in_order. simpl. now rewrite map_app. }
    split; [now rewrite O, E, map_app|split; auto]. now apply in_order_columns. }
  destruct Sc as (k & o & P & Q & Rs & F).
  rewrite E, map_app in P. simpl in P. rewrite <- Permutation_middle in P.
  assert (I : In (live absent c) o).
  { assert (I : In (live absent c) (repeat [] (length k) ++ o)) by (rewrite <- P; now left).
    apply in_app_or in I. destruct I as [I|I]; auto. apply repeat_spec in I. tauto. }
  apply in_split in I. destruct I as (o1 & o2 & ->).
  rewrite app_assoc, <- Permutation_middle in P. apply Permutation_cons_inv in P.
  rewrite app_assoc, <- Permutation_middle in Q. destruct (permutation_split _ _ _ Q) as (a & b & Ea & Qa).
  exists a, b. split; auto. split; [|easy]. exists k, (o1 ++ live absent d :: o2). simpl. repeat split; auto.
  - rewrite map_app. simpl. rewrite <- Permutation_middle, P, app_assoc, <- Permutation_middle.
    now rewrite <- app_assoc.
  - rewrite app_assoc, <- !Permutation_middle, Qa. reflexivity.
Qed.

(* If the live cards stay the same, so does the shadow. *)
Lemma keep_column absent p s c d l r :
  same_columns absent p s -> columns p = l ++ c :: r -> live absent c = live absent d ->
  same_columns absent (with_columns p (l ++ d :: r)) s /\
  (in_order absent p s -> in_order absent (with_columns p (l ++ d :: r)) s).
Proof.
  intros (k & o & P & H) E N. split.
  - exists k, o. split; auto. simpl. rewrite E in P. rewrite map_app in *. simpl in *. now rewrite <- N.
  - unfold in_order. simpl. intros ->. rewrite E, !map_app. simpl. now rewrite N.
Qed.

(* If the column was a space, no card is parked, and there is a space in the shadow. *)
Lemma use_space absent p s d l r :
  same_columns absent p s -> columns p = l ++ [] :: r -> (spaces R = FromReserve -> reserve p = []) ->
  exists a b, columns s = a ++ [] :: b /\ (spaces R = FromReserve -> reserve s = []) /\
    same_columns absent (with_columns p (l ++ d :: r)) (with_columns s (a ++ live absent d :: b)) /\
    (in_order absent p s ->
      in_order absent (with_columns p (l ++ d :: r)) (with_columns s (a ++ live absent d :: b))).
Proof.
  intros Sc E N. destruct (in_order_dec absent p s) as [O|O].
  { pose proof (in_order_reserve _ _ _ Sc O) as K. exists (map (live absent) l), (map (live absent) r).
    assert (O' : in_order absent (with_columns p (l ++ d :: r))
      (with_columns s (map (live absent) l ++ live absent d :: map (live absent) r))).
    { unfold in_order. simpl. now rewrite map_app. }
    split; [now rewrite O, E, map_app|split; [|split; auto; now apply in_order_columns]].
    intros Sp. rewrite <- K, (N Sp). reflexivity. }
  destruct Sc as (k & o & P & Q & Rs & F).
  assert (K : k = [] /\ (spaces R = FromReserve -> reserve s = [])).
  { destruct (spaces R) eqn:Sp; try (split; [now apply F|discriminate]).
    rewrite N in Rs by auto. symmetry in Rs. apply app_eq_nil in Rs. tauto. }
  destruct K as (-> & K). simpl in *. rewrite <- Q in P. rewrite E, map_app in P. simpl in P.
  rewrite <- Permutation_middle in P. symmetry in P. destruct (permutation_split _ _ _ P) as (a & b & Ea & Pa).
  exists a, b. repeat split; auto; [|easy]. exists [], (a ++ live absent d :: b). simpl. repeat split; auto.
  rewrite map_app. simpl. now rewrite <- !Permutation_middle, Pa.
Qed.

(** * Lifting *)

Lemma untouched_offered absent p x q : offered R p x q -> untouched absent (turning p) -> untouched absent (turning q).
Proof.
  intros [st wa n T] U z I. apply U. rewrite <- (turns_all_cards _ _ _ T). rewrite in_all_cards in *. simpl in *. tauto.
Qed.

Lemma scope_offered absent p x q : offered R p x q -> in_scope absent p \/ in_hole_scope absent p ->
  in_scope absent q \/ in_hole_scope absent q.
Proof.
  intros O [S|(B & U)]; [left; now destruct O|right]. split; auto. intros H. eapply untouched_offered; eauto.
Qed.

(* A live card is lifted: the easier game can lift it, too, with the live ones of the cards on it. *)
Lemma lift_live absent p s u x q :
  shadow absent p s -> orderly absent p -> lifts_closed absent s -> lift R p u x q -> ~ In x absent ->
  exists t, lift R s (live absent u) x t /\ shadow absent q t /\ (in_order absent p s -> in_order absent q t).
Proof.
  intros [Sc Sd Se So Ss Sf Sh Sg] Or C L A. assert (A' := A). apply live_iff in A'.
  destruct L as [l u x b r E G D | l x r E | l x r E | x k E D | l x r E B H].
  - assert (E' : columns p = l ++ ((u ++ [x]) ++ b) :: r) by now rewrite <- app_assoc.
    destruct (block_of absent p s l (u ++ [x]) b r C Or) as (v & Ev & Nv); auto.
    { eapply column_of_shadow; eauto. }
    { intros z I J K. apply (D z I). auto. }
    destruct (change_column absent p s (u ++ x :: b) b l r Sc E) as (a & c & Ec & Sc' & O').
    { rewrite filter_app. simpl. rewrite A'. now destruct (live absent u). }
    rewrite filter_app in Ec. simpl in Ec. rewrite A' in Ec.
    eexists. split.
    + apply (from_column R s _ _ _ _ _ Ec); [eapply block_of_live; eauto|].
      intros z I J. assert (Z : In z (u ++ [x]) /\ ~ In z absent).
      { apply in_app_or in I. destruct I as [I|[<-|[]]].
        - apply filter_In in I. destruct I as (I & Lz). split; [apply in_or_app; auto | now apply live_iff].
        - split; auto. apply in_or_app. right. now left. }
      destruct Z as (Z & Lz). apply (D z Z). auto.
    + split; [|exact O']. constructor; simpl; auto.
  - rewrite E, filter_app in Se. simpl in Se. rewrite A' in Se. rewrite <- Permutation_middle in Se.
    destruct (permutation_split _ _ _ Se) as (a & c & Ec & P). eexists. split; [apply (from_cell R s _ _ _ Ec)|].
    split; auto. constructor; simpl; auto. now rewrite filter_app.
  - rewrite E, filter_app in So. simpl in So. rewrite A' in So. rewrite <- Permutation_middle in So.
    destruct (permutation_split _ _ _ So) as (a & c & Ec & P). eexists. split;
      [apply (from_open_reserve R s _ _ _ Ec)|].
    split; auto. constructor; simpl; auto. now rewrite filter_app.
  - pose proof (in_order_reserve _ _ _ Sc) as K. destruct Sc as (k' & o & P & Q & Rs & F). rewrite E in Rs. simpl in Rs. rewrite A' in Rs.
    destruct k' as [|x' k']; simpl in *.
    + eexists. split.
      * apply (from_reserve R s x _ (eq_sym Rs)). auto.
      * split; auto. constructor; simpl; auto. exists [], o. simpl. repeat split; auto.
    + inversion Rs; subst x'. destruct (permutation_split _ _ _ Q) as (a & c & Ec & Q').
      eexists. split.
      * apply (from_column R s a [] x [] c Ec); simpl; auto. intros z [<-|[]]. auto.
      * split.
        2: { intros O. apply K in O. rewrite E in O. simpl in O. rewrite A' in O. apply (f_equal (@length card)) in O.
             rewrite Rs in O. simpl in O. rewrite app_length in O. lia. }
        constructor; simpl; auto. exists k', ([] :: o). simpl. repeat split; auto.
        -- now rewrite P, <- Permutation_middle.
        -- now rewrite <- !Permutation_middle, Q'.
        -- intros N. apply F in N. discriminate.
  - rewrite E, filter_app in Sf. simpl in Sf. rewrite A' in Sf. rewrite <- Permutation_middle in Sf.
    destruct (permutation_split _ _ _ Sf) as (a & c & Ec & P). eexists. split;
      [apply (from_foundation R s _ _ _ Ec B)|].
    + intros z I. apply H. rewrite E. rewrite Sf in I. destruct I as [<-|I]; [apply in_or_app; right; now left|].
      rewrite <- filter_app in I. apply filter_In in I. destruct I as (I & _). apply in_app_or in I.
      apply in_or_app. simpl. tauto.
    + split; auto. constructor; simpl; auto. now rewrite filter_app.
Qed.

(* An absent card is lifted: no card on it is live, and nothing happens in the easier game. *)
Lemma lift_absent absent p s u x q :
  shadow absent p s -> orderly absent p -> lifts_closed absent s -> lift R p u x q -> In x absent ->
  live absent u = [] /\ shadow absent q s /\ (in_order absent p s -> in_order absent q s).
Proof.
  intros [Sc Sd Se So Ss Sf Sh Sg] Or C L A. assert (A' := A). apply absent_iff in A'.
  destruct L as [l u x b r E G D | l x r E | l x r E | x k E D | l x r E B H].
  - assert (E' : columns p = l ++ ((u ++ [x]) ++ b) :: r) by now rewrite <- app_assoc.
    destruct (block_of absent p s l (u ++ [x]) b r C Or) as (v & Ev & Nv); auto.
    { eapply column_of_shadow; eauto. }
    { intros z I J K. apply (D z I). auto. }
    assert (N : live absent u = []) by (eapply block_of_absent; eauto).
    clear E'. split; auto. destruct (keep_column absent p s (u ++ x :: b) b l r Sc E) as (Sc' & O').
    { rewrite filter_app. simpl. now rewrite N, A'. }
    split; [|exact O']. constructor; simpl; auto.
  - split; auto. split; auto. rewrite E, filter_app in Se. simpl in Se. rewrite A' in Se. constructor; simpl; auto.
    now rewrite filter_app.
  - split; auto. split; auto. rewrite E, filter_app in So. simpl in So. rewrite A' in So. constructor; simpl; auto.
    now rewrite filter_app.
  - split; auto. split; auto. destruct Sc as (k' & o & P & Q & Rs & F). rewrite E in Rs. simpl in Rs. rewrite A' in Rs.
    constructor; simpl; auto. exists k', o. simpl. auto.
  - split; auto. split; auto. rewrite E, filter_app in Sf. simpl in Sf. rewrite A' in Sf. constructor; simpl; auto.
    now rewrite filter_app.
Qed.

Lemma in_all_cards_without z st x wa n :
  In z (all_cards (Talon st wa n)) -> In z (all_cards (Talon st (x :: wa) n)).
Proof. rewrite !in_all_cards. simpl. tauto. Qed.

Lemma stock_rule absent t st x wa n :
  turns R t (Talon st (x :: wa) n) ->
  (draw R = 1 \/ (NoDup (all_cards t) /\ untouched absent t)) ->
  draw R = 1 \/ (NoDup (all_cards (Talon st wa n)) /\ untouched absent (Talon st wa n)).
Proof.
  intros T [H|(N & U)]; auto. right. apply turns_all_cards in T. rewrite <- T in N. split.
  - unfold all_cards in *. simpl in N. rewrite <- app_assoc in N. simpl in N. now apply NoDup_remove_1 in N.
  - intros z I. apply U. rewrite <- T. now apply in_all_cards_without.
Qed.

(* The stock offers a live card: it does so in the easier game. *)
Lemma offered_live absent p s x q :
  shadow absent p s -> offered R p x q -> ~ In x absent ->
  exists t, offered R s x t /\ shadow absent q t.
Proof.
  intros [Sc Sd Se So (Sa & Sr) Sf Sh Sg] [st wa n T] A. apply live_iff in A.
  assert (Tl : turns R (live_talon absent (turning p)) (live_talon absent (Talon st (x :: wa) n))).
  { apply turns_live; tauto. }
  destruct (at_least_turns _ _ _ _ Sa Tl) as (m & Lm & M). unfold live_talon in *. simpl in *. rewrite A in M.
  eexists. split; [apply (offer R s x _ _ m M)|].
  constructor; simpl; auto; [split; simpl|exact (scope_offered _ _ _ _ (offer R p x st wa n T) Sg)].
  - exists m. split; auto. constructor.
  - eapply stock_rule; eauto.
Qed.

(* Only a stock that is turned card by card has absent cards. *)
Lemma offered_absent absent p s x q :
  shadow absent p s -> offered R p x q -> In x absent -> draw R = 1 /\ shadow absent q s.
Proof.
  intros [Sc Sd Se So (Sa & Sr) Sf Sh Sg] [st wa n T] A.
  assert (D : draw R = 1).
  { destruct Sr as [D|(_ & U)]; auto. exfalso. apply (U x); auto. rewrite <- (turns_all_cards _ _ _ T).
    apply in_all_cards. left. now left. }
  split; auto. apply absent_iff in A.
  assert (Tl : turns R (live_talon absent (turning p)) (live_talon absent (Talon st (x :: wa) n))).
  { apply turns_live; tauto. }
  unfold live_talon in Tl. simpl in Tl. rewrite A in Tl.
  constructor; simpl; auto; [split; auto; eapply at_least_turns; eauto|].
  exact (scope_offered _ _ _ _ (offer R p x st wa n T) Sg).
Qed.

(** * Putting down *)

(* A live card that fits no absent one is put down. *)
Lemma put_live absent p s u x q :
  shadow absent p s -> put R [] p u x q -> ~ In x absent ->
  (forall y, In y absent -> fits R x y = false) ->
  exists t, put R absent s (live absent u) x t /\ shadow absent q t /\ (in_order absent p s -> in_order absent q t).
Proof.
  intros [Sc Sd Se So Ss Sf Sh Sg] P A N. assert (A' := A). apply live_iff in A'.
  destruct P as [l u x y b r E D F | l u x r E M | x L | x H L | x h H B].
  - assert (Ly : ~ In y absent) by (intros I; rewrite (N y I) in F; discriminate).
    assert (Ly' := Ly). apply live_iff in Ly'.
    destruct (change_column absent p s (y :: b) (u ++ x :: y :: b) l r Sc E) as (a & c & Ec & Sc' & O').
    { simpl. now rewrite Ly'. }
    simpl in Ec. rewrite Ly' in Ec. rewrite filter_app in Sc', O'. simpl in Sc', O'. rewrite A', Ly' in Sc', O'.
    eexists. split; [apply (to_card R absent s a (live absent u) x y (live absent b) c Ec); auto|].
    split; [|exact O']. constructor; simpl; auto.
  - destruct (use_space absent p s (u ++ [x]) l r Sc E) as (a & c & Ec & K & Sc' & O').
    { unfold may_fill in M. intros Sp. now rewrite Sp in M. }
    rewrite filter_app in Sc', O'. simpl in Sc', O'. rewrite A' in Sc', O'.
    eexists. split; [apply (to_space R absent s a (live absent u) x c Ec)|].
    + unfold may_fill in *. destruct (spaces R); auto.
    + split; [|exact O']. constructor; simpl; auto.
  - eexists. split; [apply to_cell|].
    + rewrite (Permutation_length Se). pose proof (live_length absent (cells p)). lia.
    + split; auto. constructor; simpl; auto. rewrite A'. auto.
  - eexists. split; [apply to_foundation|].
    + now rewrite Sh.
    + intros y I. destruct (live_or_absent absent y) as [Ly|Ly]; auto. left. destruct (L y I) as [J|[]].
      rewrite Sf. apply filter_In. split; auto. now apply live_iff.
    + split; auto. constructor; simpl; auto. rewrite A'. auto.
  - eexists. split; [apply (to_the_hole R absent s x h); [now rewrite Sh|auto]|].
    split; auto. constructor; simpl; auto. destruct Sg as [[Sg|Sg]|Sg]; [left; now left|congruence|now right].
Qed.

(* An absent card is put down, with no live one on it, but not into a hole. *)
Lemma put_absent absent p s u x q :
  shadow absent p s -> put R [] p u x q -> In x absent -> live absent u = [] ->
  (shadow absent q s /\ (in_order absent p s -> in_order absent q s)) \/
  exists h, hole p = Some h /\ neighbours R (rank x) h /\ q = with_hole p (Some (rank x)).
Proof.
  intros [Sc Sd Se So Ss Sf Sh Sg] P A N. assert (A' := A). apply absent_iff in A'.
  destruct P as [l u x y b r E D F | l u x r E M | x L | x H L | x h H B]; [left|left|left|left|right; eauto].
  - destruct (keep_column absent p s (y :: b) (u ++ x :: y :: b) l r Sc E) as (Sc' & O').
    { rewrite filter_app, N. simpl. now rewrite A'. }
    split; [|exact O']. constructor; simpl; auto.
  - destruct (keep_column absent p s [] (u ++ [x]) l r Sc E) as (Sc' & O').
    { rewrite filter_app, N. simpl. now rewrite A'. }
    split; [|exact O']. constructor; simpl; auto.
  - split; auto. constructor; simpl; auto; rewrite A'; auto.
  - split; auto. constructor; simpl; auto; rewrite A'; auto.
Qed.

(** * Filling and turning up *)

(* The easier game fills a space. *)
Lemma fill_shadow absent p s a b x k :
  spaces R = FromReserve -> shadow absent p s -> columns s = a ++ [] :: b -> reserve s = x :: k ->
  shadow absent p (with_reserve (with_columns s (a ++ [x] :: b)) k).
Proof.
  intros Sp [(k' & o & P & Q & Rs & F) Sd Se So Ss Sf Sh Sg] E K. constructor; simpl; auto.
  assert (I : In [] o).
  { assert (I : In [] (map (fun x => [x]) k' ++ o)).
    { rewrite <- Q, E. apply in_or_app. right. now left. }
    apply in_app_or in I. destruct I as [I|I]; auto. apply in_map_iff in I. destruct I as (z & I & _). discriminate. }
  apply in_split in I. destruct I as (o1 & o2 & ->). exists (k' ++ [x]), (o1 ++ o2). simpl. repeat split.
  - rewrite P, app_length, Nat.add_comm. simpl. rewrite <- Permutation_middle. symmetry. apply Permutation_middle.
  - rewrite E, app_assoc in Q. apply Permutation_app_inv in Q. rewrite <- app_assoc in Q.
    rewrite map_app, <- app_assoc. simpl. rewrite <- !Permutation_middle. now constructor.
  - rewrite Rs, K. now rewrite <- app_assoc.
  - tauto.
Qed.

(* The real game fills a space. If a live card is not parked, the easier one had an empty column and something in the
   reserve. *)
Lemma real_fill_shadow absent p s a b x k :
  spaces R = FromReserve -> at_rest s -> shadow absent p s -> columns p = a ++ [] :: b -> reserve p = x :: k ->
  shadow absent (with_reserve (with_columns p (a ++ [x] :: b)) k) s.
Proof.
  intros Sp [Rf Ra] [(k' & o & P & Q & Rs & F) Sd Se So Ss Sf Sh Sg] E K. constructor; simpl; auto.
  rewrite E, map_app in P. simpl in P. rewrite K in Rs. simpl in Rs.
  destruct (is_live absent x) eqn:A.
  - destruct k' as [|x' k']; simpl in *.
    + exfalso. assert (I : In [] (columns s)).
      { rewrite Q, <- P. apply in_or_app. right. now left. }
      apply (Rf Sp) in I. rewrite I in Rs. discriminate.
    + inversion Rs; subst x'. exists k', ([x] :: o). simpl. repeat split; auto.
      * rewrite map_app. simpl. rewrite A. rewrite <- Permutation_middle in P. apply Permutation_cons_inv in P.
        now rewrite <- !Permutation_middle, P.
      * now rewrite Q, <- Permutation_middle.
      * tauto.
  - exists k', o. simpl. rewrite map_app. simpl. rewrite A. auto.
Qed.

(* What holds before each single fill, and after it, holds after all of them. *)
Lemma filled_preserves (P : position -> Prop) p :
  (forall q a b x k, spaces R = FromReserve -> P q -> columns q = a ++ [] :: b -> reserve q = x :: k ->
    P (with_reserve (with_columns q (a ++ [x] :: b)) k)) ->
  P p -> P (filled R p).
Proof.
  intros H. unfold filled. destruct (spaces R) eqn:Sp; auto.
  enough (G : forall cs k left q, P q -> columns q = left ++ cs -> reserve q = k ->
    P (let (cs', k') := fill cs k in with_reserve (with_columns q (left ++ cs')) k')).
  { intros I. exact (G (columns p) (reserve p) [] p I eq_refl eq_refl). }
  induction cs as [|c cs IH]; intros k left q I E K; simpl.
  - rewrite <- E, <- K. now destruct q.
  - assert (Keep : P (let (cs', k') := fill cs k in with_reserve (with_columns q (left ++ c :: cs')) k')).
    { specialize (IH k (left ++ [c]) q I). rewrite <- app_assoc in IH. specialize (IH E K).
      destruct (fill cs k). now rewrite <- app_assoc in IH. }
    destruct c as [|y c]; [destruct k as [|x k]|]; try (revert Keep; now destruct (fill cs _)).
    specialize (IH k (left ++ [[x]]) (with_reserve (with_columns q (left ++ [x] :: cs)) k)). simpl in IH.
    rewrite <- app_assoc in IH. specialize (IH (H q left cs x k eq_refl I E K) eq_refl eq_refl).
    destruct (fill cs k). now rewrite <- app_assoc in IH.
Qed.

Lemma fill_nothing cs : fill cs [] = (cs, []).
Proof. induction cs as [|[|y c] cs IH]; simpl; auto; now rewrite IH. Qed.

Lemma fill_full cs k : In [] (fst (fill cs k)) -> snd (fill cs k) = [].
Proof.
  revert k. induction cs as [|c cs IH]; intros k; [easy|].
  destruct k as [|x k]; [now rewrite fill_nothing|].
  destruct c as [|y c]; simpl; [specialize (IH k)|specialize (IH (x :: k))]; destruct (fill cs _); simpl in *;
    intros [I|I]; now try apply IH.
Qed.

Lemma settled_at_rest p : at_rest (settled R p).
Proof.
  unfold settled. split.
  - intros Sp. unfold filled. rewrite Sp. pose proof (fill_full (columns p) (reserve p)) as F.
    destruct (fill _ _). auto.
  - intros x b I J. simpl in *. apply filter_In in J. destruct J as (_ & J). apply not_member_iff in J. apply J.
    unfold tops. apply in_flat_map. exists (x :: b). split; [exact I|now left].
Qed.

Lemma shadow_settled absent p s : shadow absent p s -> shadow absent p (settled R s).
Proof.
  intros S. assert (F : shadow absent p (filled R s)).
  { apply (filled_preserves (shadow absent p)); auto. intros. now apply fill_shadow. }
  destruct F. constructor; simpl; auto. intros x L I. apply filter_In in I. destruct I. auto.
Qed.

Lemma real_settled absent p s : at_rest s -> shadow absent p s -> shadow absent (settled R p) s.
Proof.
  intros A S. assert (F : shadow absent (filled R p) s).
  { apply (filled_preserves (fun q => shadow absent q s)); auto. intros. now apply real_fill_shadow. }
  destruct F as [Sc Sd Se So Ss Sf Sh Sg]. constructor; simpl; auto.
  intros x L I. apply filter_In. split; auto. apply not_member_iff. intros J.
  unfold tops in J. apply in_flat_map in J. destruct J as ([|z b] & J & K); [easy|]. destruct K as [<-|[]].
  apply in_split in J. destruct J as (l & r & E).
  destruct (column_of_shadow _ _ _ _ _ _ Sc E) as [N|N]; simpl in N; apply live_iff in L; rewrite L in N;
    [discriminate|].
  now apply (rest_faced _ A) in N.
Qed.

(** * Shadows of shadows *)

Notation single := (fun x : card => [x]).

(* Columns that are not empty are found among the others, when both sides have the same columns. *)
Lemma nonempty_split (a : list (list card)) : forall b c n, Forall (fun l => l <> []) a ->
  Permutation (a ++ b) (repeat [] n ++ c) -> exists o, Permutation c (a ++ o) /\ Permutation b (repeat [] n ++ o).
Proof.
  induction a as [|l a IH]; intros b c n F P; simpl in *; [now exists c|].
  inversion F as [|? ? N F']; subst.
  assert (I : In l (repeat [] n ++ c)) by (rewrite <- P; now left).
  apply in_app_or in I. destruct I as [I|I]; [apply repeat_spec in I; tauto|].
  apply in_split in I. destruct I as (c1 & c2 & ->).
  rewrite app_assoc, <- Permutation_middle in P. apply Permutation_cons_inv in P. rewrite <- app_assoc in P.
  destruct (IH _ _ _ F' P) as (o & Po & Pb). exists o. split; auto. now rewrite <- Permutation_middle, Po.
Qed.

Lemma map_live_nils more n : map (live more) (repeat [] n) = repeat [] n.
Proof. induction n; simpl; congruence. Qed.

Lemma live_singles more k : exists n, length k = length (live more k) + n /\
  Permutation (map (live more) (map single k)) (map single (live more k) ++ repeat [] n).
Proof.
  induction k as [|x k (n & L & P)]; [now exists 0|]. simpl. destruct (is_live more x); simpl.
  - exists n. split; [lia|]. now constructor.
  - exists (S n). split; [lia|]. simpl. rewrite <- Permutation_middle. now constructor.
Qed.

Lemma same_columns_trans absent more p q r :
  incl absent more -> same_columns absent p q -> same_columns more q r -> same_columns more p r.
Proof.
  intros In (k1 & o1 & P1 & Q1 & R1 & F1) (k2 & o2 & P2 & Q2 & R2 & F2).
  apply (Permutation_map (live more)) in P1, Q1. rewrite map_live_live in P1 by auto.
  rewrite map_app in P1, Q1. rewrite map_live_nils in P1.
  destruct (live_singles more k1) as (n & L & S). rewrite S, P2 in Q1. clear S P2.
  rewrite <- app_assoc in Q1. symmetry in Q1. apply nonempty_split in Q1.
  2: { apply Forall_forall. intros c I. apply in_map_iff in I. destruct I as (x & <- & _). discriminate. }
  destruct Q1 as (o & Po & Pb). exists (live more k1 ++ k2), o. repeat split.
  - rewrite P1, L, app_length, !repeat_app, <- !app_assoc. now rewrite Pb.
  - rewrite Q2, Po, map_app, !app_assoc. apply Permutation_app_tail, Permutation_app_comm.
  - rewrite <- (live_live absent more) by auto. now rewrite R1, filter_app, R2, app_assoc.
  - intros N. now rewrite (F1 N), (F2 N).
Qed.

(* If more cards become absent, the shadow of a shadow is a shadow. *)
Lemma shadow_trans absent more p q r :
  incl absent more -> shadow absent p q -> shadow more q r -> shadow more p r.
Proof.
  intros I [Ac Ad Ae Ao (Aa & Ar) Af Ah Ag] [Bc Bd Be Bo (Ba & Br) Bf Bh Bg].
  apply (live_permutation more) in Ae, Ao, Af. rewrite live_live in Ae, Ao, Af by auto.
  assert (U : draw R = 1 \/ (NoDup (all_cards (turning p)) /\ untouched more (turning p))).
  { destruct Ar as [D|(N & U)]; auto. destruct Br as [D|(_ & V)]; auto. right. split; auto.
    apply at_least_all_cards in Aa. rewrite (untouched_live absent) in Aa by auto. intros x J. apply V.
    now rewrite <- Aa. }
  constructor; eauto using Permutation_trans.
  - eapply same_columns_trans; eauto.
  - intros x L J. apply Ad; auto.
  - split; auto. apply (at_least_trans _ _ _ _ Ba).
    replace (live_talon more (turning p)) with (live_talon more (live_talon absent (turning p))).
    + apply at_least_live; auto. destruct Br as [D|(_ & V)]; auto.
    + unfold live_talon. simpl. now rewrite !live_live by auto.
  - now rewrite Bh.
  - destruct Bg as [[Bg|Bg]|(B & V)]; [left; now left|left; right; now rewrite <- Ah|].
    assert (Op : hole p = None \/ (to_hole R = true -> untouched absent (turning p))).
    { destruct Ag as [[->|Ag]|(_ & Ag)]; auto. right. intros _ x _ []. }
    destruct Op as [Op|Op]; [left; now right|right]. split; auto. intros H x J K. apply (V H x); auto.
    apply at_least_all_cards in Aa. rewrite (untouched_live absent) in Aa by auto. now rewrite <- Aa.
Qed.

(** * Order *)

Lemma layered_absent absent u c : (forall z, In z u -> In z absent) -> layered absent c -> layered absent (u ++ c).
Proof.
  intros A (u' & v & -> & A' & L). exists (u ++ u'), v. rewrite app_assoc. repeat split; auto.
  intros z I. apply in_app_or in I. destruct I; auto.
Qed.

(* Cards u with x below them are put onto c. *)
Lemma layered_on absent u x c : layered absent (u ++ [x]) -> layered absent c ->
  (~ In x absent -> forall z, In z c -> ~ In z absent) -> layered absent (u ++ x :: c).
Proof.
  intros (u' & v & E & A & L) C H. destruct (live_or_absent absent x) as [Lx|Ax].
  - destruct (exists_last (l := v)) as (w & y & ->).
    { intros ->. rewrite app_nil_r in E. apply Lx, A. rewrite <- E. apply in_or_app. right. now left. }
    rewrite app_assoc in E. apply app_inj_tail in E. destruct E as (-> & <-).
    exists u', (w ++ x :: c). rewrite <- app_assoc. repeat split; auto. intros z I. apply in_app_or in I.
    destruct I as [I|[<-|I]]; auto. apply L, in_or_app. auto.
  - replace (u ++ x :: c) with ((u ++ [x]) ++ c) by now rewrite <- app_assoc. apply layered_absent; auto.
    rewrite E. assert (v = []) as ->; [|rewrite app_nil_r; auto].
    destruct (exists_last (l := u ++ [x])) as (w & y & W); [now destruct u|].
    destruct v as [|z v]; auto. exfalso. destruct (exists_last (l := z :: v)) as (w' & y' & W'); [discriminate|].
    rewrite W', app_assoc in E. apply app_inj_tail in E. destruct E as (_ & E). subst y'.
    apply (L x); auto. rewrite W'. apply in_or_app. right. now left.
Qed.

Lemma layered_single absent x : layered absent [x].
Proof.
  destruct (live_or_absent absent x) as [L|A].
  - exists [], [x]. split; auto. split; [easy|]. intros z [<-|[]]. auto.
  - exists [x], []. split; auto. split; [|easy]. intros z [<-|[]]. auto.
Qed.

Lemma layered_settled absent p : (forall c, In c (columns p) -> layered absent c) ->
  forall c, In c (columns (settled R p)) -> layered absent c.
Proof.
  intros H. apply (filled_preserves (fun q => forall c, In c (columns q) -> layered absent c)); auto.
  intros q a b x k _ O E _ c I. simpl in I. apply in_app_or in I. destruct I as [I|[<-|I]].
  - apply O. rewrite E. apply in_or_app. auto.
  - apply layered_single.
  - apply O. rewrite E. apply in_or_app. right. now right.
Qed.

Lemma layered_live absent y c : layered absent (y :: c) -> ~ In y absent -> forall z, In z (y :: c) -> ~ In z absent.
Proof.
  intros (u & v & E & A & L) N. destruct u as [|w u]; simpl in E; [rewrite E; auto|]. inversion E; subst w.
  exfalso. apply N, A. now left.
Qed.

Lemma layered_lift absent p u x q : (forall c, In c (columns p) -> layered absent c) -> lift R p u x q ->
  (forall c, In c (columns q) -> layered absent c) /\ layered absent (u ++ [x]).
Proof.
  intros O [l u' x' b r E G D | l x' r E | l x' r E | x' k E D | l x' r E B H]; simpl; auto using layered_single.
  assert (C : layered absent ((u' ++ [x']) ++ b)).
  { rewrite <- app_assoc. apply O. rewrite E. apply in_or_app. right. now left. }
  split; [|now apply layered_left in C]. intros c I. apply in_app_or in I. destruct I as [I|[<-|I]].
  - apply O. rewrite E. apply in_or_app. auto.
  - now apply layered_right in C.
  - apply O. rewrite E. apply in_or_app. right. now right.
Qed.

Lemma layered_put absent p u x q : (forall c, In c (columns p) -> layered absent c) -> layered absent (u ++ [x]) ->
  (~ In x absent -> forall y, In y absent -> fits R x y = false) -> put R [] p u x q ->
  forall c, In c (columns q) -> layered absent c.
Proof.
  intros O G F P. destruct P as [l u x y b r E D Fi | l u x r E M | x Le | x H Lo | x h H B]; simpl; auto;
    intros c I; apply in_app_or in I; destruct I as [I|[<-|I]]; try (apply O; rewrite E; apply in_or_app; simpl; tauto).
  - apply layered_on; auto; [apply O; rewrite E; apply in_or_app; right; now left|].
    intros Lx. apply layered_live; [apply O; rewrite E; apply in_or_app; right; now left|].
    intros A. rewrite (F Lx y A) in Fi. discriminate.
  - apply layered_on; auto. exists [], []. repeat split; easy.
Qed.

(* A real move keeps the order. *)
Lemma orderly_settled absent p : orderly absent p -> orderly absent (settled R p).
Proof. intros [M|[->|O]]; [now left|right; now left|right; right; now apply layered_settled]. Qed.

Lemma orderly_carry absent p s u x l r : shadow absent p s -> orderly absent p -> lifts_closed absent s ->
  lift R p u x l -> put R [] l u x r -> orderly absent (settled R r).
Proof.
  intros S Or C L P. apply orderly_settled. destruct Or as [M|[->|O]]; [now left|right; now left|].
  assert (Or : orderly absent p) by (right; now right). right. right.
  destruct (layered_lift _ _ _ _ _ O L) as (O' & G). apply (layered_put absent l u x r O' G); auto.
  intros Lx y A. destruct (lift_live _ _ _ _ _ _ S Or C L Lx) as (t & Lt & _). exact (C _ _ _ _ Lt A).
Qed.

Lemma orderly_single absent l x r : orderly absent l -> put R [] l [] x r ->
  (~ In x absent -> forall y, In y absent -> fits R x y = false) -> orderly absent (settled R r).
Proof.
  intros Or P F. apply orderly_settled. destruct Or as [M|[->|O]]; [now left|right; now left|].
  right. right. exact (layered_put absent l [] x r O (layered_single _ _) F P).
Qed.

Lemma orderly_offered absent p x l : offered R p x l -> orderly absent p -> orderly absent l.
Proof. intros [st wa n T] Or. exact Or. Qed.

(* If more cards become absent, from the top of columns of a shadow, the order is kept, too. *)
Lemma orderly_trans absent more p s :
  incl absent more -> shadow absent p s -> orderly absent p -> orderly more s -> orderly more p.
Proof.
  intros I S [M|Op] [M'|[->|O]]; auto; try (left; auto; fail); [right; now left|].
  right. right. assert (Op' : forall c, In c (columns p) -> layered absent c).
  { destruct Op as [->|Op]; auto using layered_nothing. }
  intros c Ic. destruct (Op' c Ic) as (u & v & E & A & L).
  assert (Lv : layered more v).
  { apply in_split in Ic. destruct Ic as (l & r & Ep).
    destruct (column_of_shadow _ _ _ _ _ _ (shadow_columns _ _ _ S) Ep) as [F|F]; rewrite E, filter_app,
      (live_none absent u), (live_all absent v) in F by auto; simpl in F; auto.
    rewrite F. exists [], []. repeat split; easy. }
  rewrite E. apply layered_absent; auto.
Qed.

(** * The simulation *)

Definition restricted absent (p : position) : position :=
  Position (map (live absent) (columns p)) (live absent (face_down p)) (live absent (cells p)) (live absent
    (open_reserve p))
    (live absent (reserve p)) (live_talon absent (turning p)) (hole p) (live absent (foundations p)).

(* An absent card goes into the hole: it does so in the easier game. *)
Lemma absent_to_hole_shadow absent p s x h : shadow absent p s -> In x absent -> hole p = Some h ->
  neighbours R (rank x) h ->
  exists t, move R absent s t /\ shadow absent (settled R (with_hole p (Some (rank x)))) t.
Proof.
  intros [Sc Sd Se So Ss Sf Sh Sg] A H N. eexists. split; [apply (absent_to_hole R absent s x h); auto; congruence|].
  apply real_settled; [apply settled_at_rest|]. apply shadow_settled. constructor; simpl; auto.
  destruct Sg as [[->|Sg]|Sg]; [easy|congruence|now right].
Qed.

(* The columns stay in order, where none is filled from the reserve, or no card is absent. *)
Definition keeps_order absent (p s q t : position) : Prop :=
  spaces R <> FromReserve \/ absent = [] -> in_order absent p s -> in_order absent q t.

Lemma filled_columns p : spaces R <> FromReserve -> columns (filled R p) = columns p.
Proof. unfold filled. now destruct (spaces R). Qed.

Lemma settled_in_order absent p s : shadow absent p s -> keeps_order absent p s (settled R p) (settled R s).
Proof.
  intros S [Sp| ->] O; unfold in_order, settled in *; simpl.
  - now rewrite !filled_columns.
  - pose proof (in_order_reserve _ _ _ (shadow_columns _ _ _ S) O) as K. rewrite live_nil in K.
    assert (E : forall cs : list (list card), map (live []) cs = cs).
    { intros cs. rewrite <- (map_id cs) at 2. apply map_ext, live_nil. }
    rewrite E in *. unfold filled. destruct (spaces R); auto. rewrite O, K. now destruct (fill _ _).
Qed.

(* A card of p is carried to another place: nothing happens, or the easier game does so, too. *)
Lemma simulation_of_carry absent p s u x l r :
  shadow absent p s -> orderly absent p -> lifts_closed absent s -> lift R p u x l -> put R [] l u x r -> at_rest s ->
  (shadow absent (settled R r) s /\ keeps_order absent p s (settled R r) s) \/
  (exists t v, lift R s (live absent u) x t /\ put R absent t (live absent u) x v /\
    shadow absent (settled R r) (settled R v) /\ keeps_order absent p s (settled R r) (settled R v)) \/
  (exists h, In x absent /\ shadow absent l s /\ hole l = Some h /\ neighbours R (rank x) h /\
    r = with_hole l (Some (rank x))).
Proof.
  intros S Or C L P A. destruct (live_or_absent absent x) as [Lx|Ax].
  - right. left. destruct (lift_live _ _ _ _ _ _ S Or C L Lx) as (t & Lt & St & Ot).
    destruct (put_live _ _ _ _ _ _ St P Lx) as (v & Pv & Sv & Ov).
    { intros y I. exact (C _ _ _ _ Lt I). }
    exists t, v. split; auto. split; auto. split.
    + apply real_settled; [apply settled_at_rest|]. now apply shadow_settled.
    + intros Sp O. apply settled_in_order; auto.
  - destruct (lift_absent _ _ _ _ _ _ S Or C L Ax) as (N & Sq & Oq).
    destruct (put_absent _ _ _ _ _ _ Sq P Ax N) as [(Sr & Or')|(h & H & Ne & ->)].
    + left. split; [now apply real_settled|]. intros [Sp| ->] O; [|easy]. unfold in_order, settled. simpl.
      rewrite filled_columns by auto. now apply Or', Oq.
    + right. right. exists h. auto.
Qed.

(* The last case: x leaves the stock for an absent card. *)
Lemma simulation_of_lifts absent p s q :
  shadow absent p s -> orderly absent p -> lifts_closed absent s -> at_rest s -> move R [] p q ->
  shadow absent q s /\ orderly absent q \/
  (exists t, move R absent s t /\ shadow absent q t /\ orderly absent q) \/
  (exists x y t, offered R s x t /\ In y absent /\ fits R x y = true /\
    forall more r, incl (x :: absent) more -> shadow more t r -> at_rest r ->
      shadow more q r /\ (orderly more t -> orderly more q)).
Proof.
  intros S Or C A M. destruct M as [u x l r L P | x l r O P | x st wa n h H E Ho | x h []].
  - pose proof (orderly_carry _ _ _ _ _ _ _ S Or C L P) as Oq.
    destruct (simulation_of_carry _ _ _ _ _ _ _ S Or C L P A)
      as [(Sr & _)|[(t & v & Lt & Pv & Sv & _)|(h & Ax & Sl & H & Ne & ->)]]; auto.
    + right. left. exists (settled R v). split; auto. now apply (carry R absent s (live absent u) x t).
    + right. left. destruct (absent_to_hole_shadow _ _ _ _ _ Sl Ax H Ne) as (t & T). exists t. tauto.
  - pose proof (orderly_offered _ _ _ _ O Or) as Ol. destruct (live_or_absent absent x) as [Lx|Ax].
    + destruct (offered_live _ _ _ _ _ S O Lx) as (t & Ot & St).
      destruct (existsb (fits R x) absent) eqn:F.
      * apply existsb_exists in F. destruct F as (y & I & F). right. right. exists x, y, t.
        split; [auto|split; [auto|split; [auto|]]].
        intros more v I' Sv Av. assert (Ix : In x more) by (apply I'; now left).
        assert (Im : incl absent more) by (intros z J; apply I'; now right). split.
        2: { intros Ot'. apply (orderly_single more l x r); auto; [|easy]. exact (orderly_trans _ _ _ _ Im St Ol Ot'). }
        apply real_settled; auto.
        assert (Sl : shadow more l v) by (apply (shadow_trans absent more l t v); auto).
        destruct (put_absent more l v [] x r Sl P) as [(Sr & _)|(h & Ho & _)]; auto. exfalso.
        destruct (shadow_scope _ _ _ St) as [[E|E]|(B & _)]; [now subst absent|congruence|].
        unfold fits in F. rewrite B in F. now rewrite andb_false_r in F.
      * assert (Fx : forall y, In y absent -> fits R x y = false).
        { intros y I. apply not_true_iff_false. intros T. apply not_true_iff_false in F. apply F, existsb_exists.
          eauto. }
        right. left. destruct (put_live _ _ _ _ _ _ St P Lx Fx) as (v & Pv & Sv & _).
        exists (settled R v). split; [now apply (play R absent s x t)|]. split; [|now apply (orderly_single _ l x)].
        apply real_settled; [apply settled_at_rest|]. now apply shadow_settled.
    + destruct (offered_absent _ _ _ _ _ S O Ax) as (_ & Sq).
      assert (Oq : orderly absent (settled R r)) by now apply (orderly_single _ l x).
      destruct (put_absent absent l s [] x r Sq P Ax eq_refl) as [(Sr & _)|(h & H & Ne & ->)].
      * left. split; auto. now apply real_settled.
      * right. left. destruct (absent_to_hole_shadow _ _ _ _ _ Sq Ax H Ne) as (t & T). exists t. tauto.
  - right. left. destruct S as [Sc Sd Se So (Sa & Sr) Sf Sh Sg].
    assert (V : untouched absent (Talon (x :: st) wa n)).
    { rewrite <- E. destruct Sg as [[->|Sg]|(_ & Sg)]; [intros z _ []|congruence|auto]. }
    assert (V' : untouched absent (Talon st wa n)).
    { intros z I. apply V. rewrite in_all_cards in *. simpl in *. tauto. }
    destruct Sa as (m & Lm & T). rewrite E in T, Lm. rewrite (untouched_live _ _ V) in T, Lm. simpl in T, Lm.
    assert (Es : turning s = Talon (x :: st) wa m) by (inversion T as [|? ? ? U]; [auto|destruct U; congruence]).
    eexists. split; [eapply deal; [exact H|exact Es|rewrite Sh; exact Ho]|split; [|now apply orderly_settled]].
    apply real_settled; [apply settled_at_rest|]. apply shadow_settled. constructor; simpl; auto; [split|].
    + change (at_least R (Talon st wa m) (live_talon absent (Talon st wa n))). rewrite (untouched_live _ _ V').
      exists m. split; [exact Lm|constructor].
    + destruct Sr as [D|(N & _)]; auto. right. simpl. rewrite E in N. split; auto. unfold all_cards in *. simpl in *.
      now apply NoDup_remove_1 in N.
    + destruct Sg as [[Sg|Sg]|(B & _)]; [left; now left|congruence|right]. split; auto.
Qed.

(* In the last case, x becomes absent in the easier game, too. *)
Lemma simulation absent p s q :
  shadow absent p s -> orderly absent p -> closed absent s -> at_rest s -> move R [] p q ->
  shadow absent q s /\ orderly absent q \/
  (exists t, move R absent s t /\ shadow absent q t /\ orderly absent q) \/
  (exists x y t, draw R <> 1 /\ offered R s x t /\ In y absent /\ fits R x y = true /\
    forall more r, incl (x :: absent) more -> shadow more t r -> at_rest r ->
      shadow more q r /\ (orderly more t -> orderly more q)).
Proof.
  intros S Or C A M. destruct (simulation_of_lifts absent p s q S Or (closed_lift _ _ C) A M)
    as [Sq|[T|(x & y & t & O & I & F & K)]]; auto.
  do 2 right. exists x, y, t. split; [|auto]. intros D. now rewrite (closed_offered _ _ C _ _ _ D O I) in F.
Qed.

End Simulation.
