(* Cards that may go up at once in the quotient.

   Claims. One position is ahead of another one if some cards are up there that nobody needs, see [ahead]. If the other
   can be won, so can it ([ahead_wins]). A position after a safe card has gone up is ahead of the one before
   ([safe_ahead]). *)
Require Import List Bool Arith Lia Permutation.
Import ListNotations.
From Patience Require Import Game Cards Stock Moves Quotient Refuted.

Section Safe.
Variable R : rules.
Variable deck : list card.
Hypothesis rules_ok : without_arrangement R = true.
Hypothesis deck_once : NoDup deck.
Hypothesis deck_ranks : forall x, In x deck -> height R x < ranks R.

Notation fits := (fits R).
Notation alike := (alike R).
Notation dealt := (dealt R).
Notation known := (known deck).

(** * Positions that are ahead *)

(* The columns of a position that is ahead: dealt cards are gone, and those below were turned earlier. *)
Inductive earlier (down gone : list card) : list card -> list card -> Prop :=
| earlier_same c : earlier down gone c c
| earlier_on x below c : In x gone -> earlier down gone (dealt down below) c -> earlier down gone (x :: below) c.

(* No card outside of [loose] needs one of these. Those that are not up are next on their foundations. *)
Record ahead (loose : card -> bool) (gone : list card) (q q' : position) : Prop := {
  ahead_known : known q /\ known q';
  ahead_closed : forall z w, In z deck -> In w deck -> loose z = true -> fits w z = true \/ In w (lower R z) ->
    loose w = true;
  ahead_next : forall z, In z deck -> loose z = true -> In z (foundations q') \/ is_next R q' z;
  ahead_gone : forall z, In z gone <-> loose z = true /\ In z (foundations q');
  ahead_up : incl (foundations q) (foundations q');
  ahead_others : forall z, In z (foundations q') -> loose z = false -> In z (foundations q);
  ahead_face : face_down q' = face_down q;
  ahead_columns : Forall2 (earlier (face_down q) gone) (columns q) (columns q');
  ahead_reserve : open_reserve q' = live gone (open_reserve q);
  ahead_stock : at_least R (turning q') (live_talon gone (turning q));
  ahead_draw : draw R = 1 \/ untouched gone (turning q) }.

(** * What lies where *)

Lemma live_all_cards gone t : all_cards (live_talon gone t) = live gone (all_cards t).
Proof. unfold all_cards. simpl. now rewrite filter_app, live_rev. Qed.

Lemma earlier_part down gone c c' : earlier down gone c c' -> exists l, c = l ++ c'.
Proof.
  induction 1 as [c|x below c I E (l & F)]; [now exists []|].
  destruct (dealt_suffix R down below) as (m & M). exists (x :: m ++ l). simpl. now rewrite <- app_assoc, <- F, <- M.
Qed.

Lemma earlier_more down gone more c c' : incl gone more -> earlier down gone c c' -> earlier down more c c'.
Proof. intros I. induction 1; constructor; auto. Qed.

Lemma earlier_next down gone c x below : earlier down gone c (x :: below) -> In x gone ->
  earlier down gone c (dealt down below).
Proof.
  intros E I. remember (x :: below) as d eqn:D. induction E; subst.
  - apply earlier_on; auto. constructor.
  - apply earlier_on; auto.
Qed.

Section Ahead.
Variables (loose : card -> bool) (gone : list card) (q q' : position).
Hypothesis A : ahead loose gone q q'.

Lemma later_columns : incl (concat (columns q')) (concat (columns q)).
Proof.
  induction (ahead_columns _ _ _ _ A) as [|c c' cs cs' E F IH]; simpl; [easy|].
  destruct (earlier_part _ _ _ _ E) as (l & ->). intros z. rewrite !in_app_iff. intros [I|I]; auto.
Qed.

Lemma stock_ahead : all_cards (turning q') = live gone (all_cards (turning q)).
Proof. rewrite <- live_all_cards. symmetry. exact (at_least_all_cards _ _ _ (ahead_stock _ _ _ _ A)). Qed.

(* What is not up in a position that is ahead lies there where it lies in the other one, or was moved. *)
Lemma placed_ahead z : In z (placed q') -> In z (foundations q') \/ In z (placed q).
Proof.
  unfold placed. rewrite !in_app_iff, stock_ahead, (ahead_reserve _ _ _ _ A), !filter_In.
  intros [I|[I|[I|I]]]; auto; try tauto. apply later_columns in I. tauto.
Qed.

Lemma loose_shown z : is_shown q z = true -> In z deck -> loose z = false -> is_shown q' z = true.
Proof.
  rewrite !is_shown_iff. intros S D L. destruct (ahead_known _ _ _ _ A) as ((N & _) & _).
  assert (U : In z (foundations q') -> In z (foundations q)) by (intros; apply (ahead_others _ _ _ _ A); auto).
  destruct S as [S|S].
  - left. unfold tops in *. revert S. induction (ahead_columns _ _ _ _ A) as [|c c' cs cs' E F IH]; auto.
    cbn [flat_map]. rewrite !in_app_iff. intros [I|I]; auto. left. destruct E as [c|x b c I' E]; auto.
    destruct I as [<-|[]]. apply (ahead_gone _ _ _ _ A) in I'. destruct I'. congruence.
  - right. intros P. apply S. destruct (placed_ahead z P) as [I|I]; auto. apply in_foundations. auto.
Qed.

(** * Counting *)

(* Of cards that are not gone, columns count only. *)
Definition rest (p : position) : list card := open_reserve p ++ all_cards (turning p) ++ foundations p.

Lemma number_live f l : number (fun z => is_live gone z && f z) l = number f (live gone l).
Proof. unfold number. now rewrite filter_filter. Qed.

Lemma number_all_live f l : (forall z, In z l -> f z = true -> ~ In z gone) -> number f l = number f (live gone l).
Proof.
  intros H. rewrite <- number_live. unfold number. f_equal. apply filter_ext_in. intros z I.
  destruct (f z) eqn:E; [|now rewrite andb_false_r]. rewrite andb_true_r. symmetry. apply live_iff. auto.
Qed.

Lemma known_parts p : known p -> NoDup (rest p) /\ NoDup (foundations p) /\ incl (rest p) deck /\
  incl (concat (columns p)) deck.
Proof.
  intros (N & I). unfold placed in *. fold (rest p) in *. repeat split.
  - now apply nodup_right in N.
  - unfold rest in N. now do 3 apply nodup_right in N.
  - intros z J. apply I, in_or_app. auto.
  - intros z J. apply I, in_or_app. auto.
Qed.

Lemma rest_ahead : Permutation (live gone (rest q')) (live gone (rest q)).
Proof.
  unfold rest. rewrite !filter_app, stock_ahead, (ahead_reserve _ _ _ _ A), !live_live by apply incl_refl.
  do 2 apply Permutation_app_head. destruct (ahead_known _ _ _ _ A) as (K & K').
  apply NoDup_Permutation; try (apply NoDup_filter; now apply known_parts). intros z.
  rewrite !filter_In, !live_iff, (ahead_gone _ _ _ _ A). destruct (loose z) eqn:L.
  - split; intros (F & G); exfalso; apply G; split; auto. now apply (ahead_up _ _ _ _ A).
  - split; intros (F & G); split; auto; [now apply (ahead_others _ _ _ _ A)|now apply (ahead_up _ _ _ _ A)].
Qed.

Lemma placed_count f : number f (placed q) + number (fun z => is_live gone z && f z) (concat (columns q')) <=
  number f (placed q') + number (fun z => is_live gone z && f z) (concat (columns q)).
Proof.
  assert (S : forall l, number f l = number (fun z => negb (is_live gone z) && f z) l + number f (live gone l)).
  { intros l. rewrite <- number_live. induction l as [|x l IH]; auto. rewrite !number_cons, IH.
    destruct (is_live gone x), (f x); simpl; lia. }
  assert (G : number (fun z => negb (is_live gone z) && f z) (placed q) <=
    number (fun z => negb (is_live gone z) && f z) (placed q')).
  { destruct (ahead_known _ _ _ _ A) as ((N & _) & _). apply NoDup_incl_length; [now apply NoDup_filter|].
    intros z. rewrite !filter_In, !andb_true_iff, negb_true_iff. intros (I & L & F). repeat split; auto.
    apply absent_iff, (ahead_gone _ _ _ _ A) in L. apply in_foundations. tauto. }
  rewrite !number_live, (S (placed q)), (S (placed q')). unfold placed in *. fold (rest q) (rest q') in *.
  rewrite !filter_app in *. rewrite !number_app. pose proof (Permutation_length (filter_permutation f _ _ rest_ahead)).
  unfold number in *. rewrite !filter_app, !app_length in *. lia.
Qed.

Lemma placed_all_live f : (forall z, In z deck -> f z = true -> loose z = false) ->
  number f (placed q') + number f (concat (columns q)) = number f (placed q) + number f (concat (columns q')).
Proof.
  intros H. destruct (ahead_known _ _ _ _ A) as (K & K'). unfold placed. fold (rest q) (rest q'). rewrite !number_app.
  assert (E : number f (rest q') = number f (rest q)).
  { rewrite (number_all_live f (rest q')), (number_all_live f (rest q)).
    - exact (Permutation_length (filter_permutation f _ _ rest_ahead)).
    - intros z I F G. apply (ahead_gone _ _ _ _ A) in G. destruct (known_parts q K) as (_ & _ & D & _).
      rewrite (H z (D z I) F) in G. now destruct G.
    - intros z I F G. apply (ahead_gone _ _ _ _ A) in G. destruct (known_parts q' K') as (_ & _ & D & _).
      rewrite (H z (D z I) F) in G. now destruct G. }
  lia.
Qed.

Lemma count_placed p f : known p -> count deck (fun z => is_moved p z && f z) + number f (placed p) = number f deck.
Proof.
  intros (N & I). unfold count. rewrite <- filter_filter. fold (number f (filter (is_moved p) deck)).
  rewrite <- number_app. apply Permutation_length, filter_permutation, NoDup_Permutation; auto.
  - apply nodup_join; auto using NoDup_filter. intros z J. apply filter_In in J. now apply is_moved_iff.
  - intros z. rewrite in_app_iff, filter_In, is_moved_iff. split; [intros [J|J]; [tauto|auto]|].
    intros D. destruct (in_dec card_eq z (placed p)); auto.
Qed.

Lemma count_shown p f : known p ->
  count deck (fun z => is_shown p z && f z) = count deck (fun z => is_moved p z && f z) + number f (tops p).
Proof.
  intros (N & I). unfold count. rewrite <- !filter_filter. fold (number f (filter (is_moved p) deck)).
  rewrite <- number_app. apply Permutation_length, filter_permutation, NoDup_Permutation.
  - now apply NoDup_filter.
  - apply nodup_join; auto using NoDup_filter.
    + unfold placed in N. apply nodup_left in N. exact (nodup_tops _ [] N).
    + intros z J T. apply filter_In in J. destruct J as (_ & J). apply is_moved_iff in J. now apply J, in_tops.
  - intros z. rewrite in_app_iff, !filter_In, is_shown_iff, is_moved_iff. split; [tauto|].
    intros [J|J]; [tauto|]. split; auto. now apply I, in_tops.
Qed.

Lemma number_both f g l : number (fun z => g z && f z) l <= number f l.
Proof.
  induction l as [|x l IH]; auto. rewrite !number_cons. destruct (g x), (f x); simpl; lia.
Qed.

Lemma column_fits down y c c' : earlier down gone c c' -> In y deck -> (forall z, In z gone -> alike z y = false) ->
  number (fun z => is_live gone z && fits z y) c + number (fun z => alike z y) (firstn 1 c) +
    number (fun z => alike z y) c' <=
  number (fun z => is_live gone z && fits z y) c' + number (fun z => alike z y) (firstn 1 c') +
    number (fun z => alike z y) c.
Proof.
  intros E D H. induction E as [c|x below c I E IH]; [lia|].
  destruct (dealt_split R down down below) as (m & Em & [Ru Ki _ _]); auto.
  set (d := dealt down below) in *. unfold seen, on_king in *. cbn [fst snd] in *. rewrite Em.
  assert (Nu : number (fun z => alike z y) (m ++ firstn 1 d) = number (fun z => fits z y) m +
    number (fun z => alike z y) (firstn 1 (m ++ firstn 1 d))).
  { apply (number_in_run R rules_ok (is_king R)); auto.
    - intros B. destruct Ki as [M|(n & k & M & K)]; [now destruct d|auto|]. right. exists n, k. repeat split; auto.
      now apply (king_fits R deck rules_ok deck_ranks).
    - destruct d as [|? [|]]; simpl; lia. }
  pose proof (number_both (fun z => fits z y) (is_live gone) m) as B.
  assert (Lx : is_live gone x = false) by now apply absent_iff.
  change (firstn 1 (x :: m ++ d)) with [x]. rewrite !number_cons, !number_app, (H x I), Lx in *.
  cbn [andb]. change (number (fun z => alike z y) []) with 0. cbv beta in B. lia.
Qed.

Lemma columns_fit y : In y deck -> (forall z, In z gone -> alike z y = false) ->
  number (fun z => is_live gone z && fits z y) (concat (columns q)) + number (fun z => alike z y) (tops q) +
    number (fun z => alike z y) (concat (columns q')) <=
  number (fun z => is_live gone z && fits z y) (concat (columns q')) + number (fun z => alike z y) (tops q') +
    number (fun z => alike z y) (concat (columns q)).
Proof.
  intros D H. unfold tops. induction (ahead_columns _ _ _ _ A) as [|c c' cs cs' E F IH]; [simpl; lia|].
  pose proof (column_fits _ _ _ _ E D H). cbn [concat flat_map]. rewrite !number_app. lia.
Qed.

Lemma kings_run m b : run R (m ++ b) -> b <> [] -> incl (m ++ b) deck -> number (is_king R) m = 0.
Proof.
  induction m as [|x m IH]; auto. intros C B I. rewrite number_cons, IH; eauto using run_tail.
  2: { intros z J. apply I. now right. }
  destruct (is_king R x) eqn:K; auto. exfalso. simpl in C, I. destruct (m ++ b) as [|z l] eqn:E.
  - apply app_eq_nil in E. tauto.
  - destruct C as (F & _). rewrite (king_fits R deck rules_ok deck_ranks) in F; auto; [discriminate|].
    apply I. right. now left.
Qed.

Lemma column_kings down c c' : earlier down gone c c' -> incl c deck ->
  number (fun z => is_live gone z && is_king R z) c + (if is_vacant c then 1 else 0) <=
  number (fun z => is_live gone z && is_king R z) c' + (if is_vacant c' then 1 else 0).
Proof.
  intros E. induction E as [c|x below c I E IH]; [lia|]. intros D.
  destruct (dealt_split R down down below) as (m & Em & [Ru Ki _ _]); auto.
  set (d := dealt down below) in *. unfold seen, on_king in *. cbn [fst snd] in *.
  assert (Ib : incl (m ++ d) deck) by (intros z J; apply D; right; now rewrite Em).
  assert (B : number (is_king R) m <= (if is_vacant d then 1 else 0)).
  { destruct d as [|z d].
    - destruct (Ki eq_refl) as [->|(n & k & -> & K)]; [simpl; unfold number; simpl; lia|].
      rewrite number_app, number_cons, K. rewrite (kings_run n [k]); [simpl; unfold number; simpl; lia| |easy|].
      + now rewrite app_nil_r in Ru.
      + now rewrite app_nil_r in Ib.
    - rewrite (kings_run m [z]); simpl; auto; [easy|]. intros w J. apply Ib. rewrite in_app_iff in *. simpl in *.
      tauto. }
  assert (Id : incl d deck) by (intros z J; apply Ib, in_or_app; auto). specialize (IH Id).
  pose proof (number_both (is_king R) (is_live gone) m).
  assert (Lx : is_live gone x = false) by now apply absent_iff.
  rewrite Em, number_cons, number_app, Lx. simpl. lia.
Qed.

Lemma columns_kings :
  number (fun z => is_live gone z && is_king R z) (concat (columns q)) + length (filter is_vacant (columns q)) <=
  number (fun z => is_live gone z && is_king R z) (concat (columns q')) + length (filter is_vacant (columns q')).
Proof.
  destruct (ahead_known _ _ _ _ A) as (K & _). destruct (known_parts q K) as (_ & _ & _ & I). revert I.
  induction (ahead_columns _ _ _ _ A) as [|c c' cs cs' E F IH]; [simpl; lia|]. cbn [concat]. intros I.
  assert (I1 : incl c deck) by (intros z J; apply I, in_or_app; auto).
  assert (I2 : incl (concat cs) deck) by (intros z J; apply I, in_or_app; auto).
  pose proof (column_kings _ _ _ E I1). specialize (IH I2). rewrite !number_app. cbn [filter].
  destruct (is_vacant c), (is_vacant c'); cbn [length] in *; lia.
Qed.

(** * What can be done *)

Lemma space_ahead : has_space R deck q = true -> has_space R deck q' = true.
Proof.
  destruct (ahead_known _ _ _ _ A) as (K & K'). unfold has_space. destruct (spaces R); auto. rewrite !Nat.ltb_lt.
  pose proof (count_placed q (is_king R) K). pose proof (count_placed q' (is_king R) K').
  pose proof (placed_count (is_king R)). pose proof columns_kings. lia.
Qed.

Hypothesis none_shown : forall z, In z deck -> loose z = true -> is_shown q' z = false.

Lemma bare_ahead y : In y deck -> loose y = false -> is_shown q y = true -> is_bare R deck q y = true ->
  is_bare R deck q' y = true.
Proof.
  intros D L S B. destruct (ahead_known _ _ _ _ A) as (K & K'). unfold is_bare in *. rewrite Nat.ltb_lt in *.
  destruct (existsb (fun z => alike z y && loose z) deck) eqn:E.
  - apply existsb_exists in E. destruct E as (z & Dz & E). apply andb_true_iff in E. destruct E as (E & Lz).
    assert (N : count deck (fun w => is_moved q' w && fits w y) <= count deck (fun _ => false)).
    { apply count_less; auto. intros w Dw H. apply andb_true_iff in H. destruct H as (M & F). exfalso.
      assert (Lw : loose w = true).
      { apply (ahead_closed _ _ _ _ A z w); auto. left. rewrite (fits_alike R rules_ok w y z F).
        apply (alike_iff R). apply (alike_iff R) in E. intuition. }
      pose proof (none_shown w Dw Lw) as N. unfold is_shown in N. rewrite M, orb_true_r in N. discriminate. }
    assert (Z : count deck (fun _ => false) = 0).
    { unfold count. clear. induction deck; auto. }
    assert (V : 1 <= count deck (fun z => is_shown q' z && alike z y)).
    { assert (I : In y (filter (fun z => is_shown q' z && alike z y) deck)).
      { apply filter_In. split; auto. now rewrite (loose_shown y), (alike_refl R). }
      unfold count. destruct (filter _ deck); [easy|simpl; lia]. }
    lia.
  - assert (H : forall z, In z deck -> alike z y = true -> loose z = false).
    { intros z Dz Az. apply not_true_iff_false. intros Lz. apply not_true_iff_false in E. apply E, existsb_exists.
      exists z. now rewrite Az, Lz. }
    rewrite count_shown in B |- * by auto.
    pose proof (count_placed q (fun z => fits z y) K). pose proof (count_placed q' (fun z => fits z y) K').
    pose proof (count_placed q (fun z => alike z y) K). pose proof (count_placed q' (fun z => alike z y) K').
    pose proof (placed_count (fun z => fits z y)). pose proof (placed_all_live (fun z => alike z y) H).
    assert (G : forall z, In z gone -> alike z y = false).
    { intros z I. apply (ahead_gone _ _ _ _ A) in I. destruct I as (Lz & I). apply not_true_iff_false. intros Az.
      rewrite (H z) in Lz; auto; [discriminate|]. apply K', in_foundations, I. }
    pose proof (columns_fit y D G). cbv beta in *. lia.
Qed.

Lemma free_ahead x : In x deck -> loose x = false -> is_free R deck q x = true -> is_free R deck q' x = true.
Proof.
  intros D L F. unfold is_free in *. apply orb_true_iff in F. apply orb_true_iff. destruct F as [F|F].
  - left. apply andb_true_iff in F. destruct F as (-> & F). now apply space_ahead.
  - right. apply existsb_exists in F. destruct F as (y & Dy & F). apply existsb_exists. exists y. split; auto.
    unfold is_free_at in *. rewrite !andb_true_iff in *. destruct F as ((F & S) & B).
    assert (Ly : loose y = false).
    { apply not_true_iff_false. intros Ly. apply not_true_iff_false in L. apply L.
      apply (ahead_closed _ _ _ _ A y x); auto. }
    repeat split; auto using loose_shown, bare_ahead.
Qed.
End Ahead.

(** * Moves *)

Lemma up_placed q x : Permutation (placed (up_in q x)) (x :: placed q).
Proof. unfold placed. simpl. now rewrite <- !Permutation_middle. Qed.

Lemma known_up q x : known q -> In x deck -> ~ In x (placed q) -> known (up_in q x).
Proof.
  intros (N & I) D P. split.
  - apply (Permutation_NoDup (Permutation_sym (up_placed q x))). now constructor.
  - intros z J. rewrite up_placed in J. destruct J as [<-|J]; auto.
Qed.

Lemma next_more q q' x : incl (foundations q) (foundations q') -> is_next R q x -> is_next R q' x.
Proof. intros I N y J. auto. Qed.

(* x goes up in both, or it was up in the one that is ahead. *)
Lemma ahead_up_both loose gone q q' x : ahead loose gone q q' -> loose x = false -> known (up_in q x) ->
  known (up_in q' x) -> ahead loose gone (up_in q x) (up_in q' x).
Proof.
  intros [K C N G U O F Co Re St Dr] L K1 K2. constructor; auto; simpl.
  - intros z D Lz. destruct (N z D Lz) as [I|I]; auto. right. apply (next_more q'); auto. simpl. intros w; simpl; auto.
  - intros z. rewrite G. split; [tauto|]. intros (Lz & [->|I]); [congruence|tauto].
  - intros z [->|I]; [now left|]. right. now apply U.
  - intros z [->|I] Lz; auto.
Qed.

Lemma ahead_up_one loose gone q q' x : ahead loose gone q q' -> In x (foundations q') -> known (up_in q x) ->
  ahead loose gone (up_in q x) q'.
Proof.
  intros [K C N G U O F Co Re St Dr] I K1. constructor; auto; simpl.
  - tauto.
  - intros z [->|J]; auto.
  - intros z J Lz. right. now apply O.
Qed.

Lemma live_cons x gone l : live (x :: gone) l = live [x] (live gone l).
Proof.
  rewrite filter_filter. apply filter_ext. intros z. apply eq_true_iff_eq. rewrite andb_true_iff, !live_iff. simpl. tauto.
Qed.

Lemma live_one x l : ~ In x l -> live [x] l = l.
Proof. intros N. apply live_all. intros y I [->|[]]. auto. Qed.

Lemma live_remove x l r : NoDup (l ++ x :: r) -> live [x] (l ++ x :: r) = l ++ r.
Proof.
  intros N. apply NoDup_remove_2 in N. rewrite filter_app. simpl.
  replace (is_live [x] x) with false by (symmetry; apply absent_iff; now left).
  rewrite !live_one; auto; intros I; apply N, in_or_app; auto.
Qed.

Lemma raise_ahead loose gone q q' q1 x : ahead loose gone q q' -> loose x = true ->
  foundations q1 = foundations q' -> face_down q1 = face_down q' -> known (up_in q1 x) ->
  Forall2 (earlier (face_down q) (x :: gone)) (columns q) (columns q1) ->
  open_reserve q1 = live [x] (live gone (open_reserve q)) ->
  at_least R (turning q1) (live_talon (x :: gone) (turning q)) ->
  (draw R = 1 \/ untouched (x :: gone) (turning q)) -> ahead loose (x :: gone) q (up_in q1 x).
Proof.
  intros [(K & K') C N G U O F Co Re St Dr] L E Ef K1 Co1 Re1 St1 Dr1. constructor; auto; simpl.
  - intros z D Lz. rewrite E. destruct (N z D Lz) as [I|I]; auto. right. apply (next_more q'); auto.
    simpl. rewrite E. intros w; simpl; auto.
  - intros z. rewrite E, G. split; [intros [<-|]; tauto|]. tauto.
  - intros z I. rewrite E. right. now apply U.
  - intros z. rewrite E. intros [<-|I] Lz; [congruence|auto].
  - congruence.
  - now rewrite live_cons.
Qed.

(* Cards that are up in the one ahead, and not in the other one, and cards that are nowhere. *)
Lemma not_in_rest loose gone q q' x : ahead loose gone q q' -> ~ In x (foundations q') -> ~ In x (open_reserve q') ->
  ~ In x (all_cards (turning q')) -> ~ In x (open_reserve q) /\ ~ In x (all_cards (turning q)).
Proof.
  intros A U Rv S. rewrite (stock_ahead _ _ _ _ A), (ahead_reserve _ _ _ _ A) in *. rewrite !filter_In, !live_iff in *.
  rewrite (ahead_gone _ _ _ _ A) in *. tauto.
Qed.

Lemma live_talon_cons x gone t : ~ In x (all_cards t) -> live_talon (x :: gone) t = live_talon gone t.
Proof.
  intros N. rewrite in_all_cards in N. unfold live_talon.
  rewrite (live_cons x gone (stock t)), (live_cons x gone (waste t)), !live_one; auto; rewrite filter_In; tauto.
Qed.

Lemma untouched_cons x gone t : ~ In x (all_cards t) -> untouched gone t -> untouched (x :: gone) t.
Proof. intros N U z I [->|J]; [auto|]. now apply (U z). Qed.

Lemma raise_moved loose gone q q' x : ahead loose gone q q' -> loose x = true -> In x deck -> is_moved q' x = true ->
  ahead loose (x :: gone) q (up_in q' x).
Proof.
  intros A L D M. apply is_moved_iff in M.
  assert (P : ~ In x (open_reserve q) /\ ~ In x (all_cards (turning q))).
  { apply (not_in_rest loose gone q q'); auto; intros I; apply M; [now apply in_foundations|now apply in_reserve|].
    now apply in_stock. }
  destruct P as (P & Q). apply (raise_ahead loose gone q q'); auto.
  - apply known_up; auto. apply (ahead_known _ _ _ _ A).
  - pose proof (ahead_columns _ _ _ _ A) as C. induction C; constructor; auto. eapply earlier_more; [|eauto].
    intros z; simpl; auto.
  - rewrite live_one; [apply (ahead_reserve _ _ _ _ A)|]. rewrite filter_In. tauto.
  - rewrite live_talon_cons; auto. apply (ahead_stock _ _ _ _ A).
  - destruct (ahead_draw _ _ _ _ A); auto using untouched_cons.
Qed.

Lemma raise_dealt loose gone q q' x q1 : ahead loose gone q q' -> loose x = true -> leaves R q' x q1 ->
  ahead loose (x :: gone) q (up_in q1 x).
Proof.
  intros A L Le. destruct (ahead_known _ _ _ _ A) as (K & K').
  destruct (leaves_removed _ _ _ _ _ K' Le) as (left & below & right & E & -> & Re).
  assert (Px : In x (concat (columns q'))).
  { rewrite E, in_concat. exists (x :: below). split; [apply in_or_app; right; now left|now left]. }
  assert (Nx : ~ In x (rest q')).
  { intros I. destruct K' as (N & _). unfold placed in N. fold (rest q') in N.
    now apply (nodup_apart _ _ x N). }
  unfold rest in Nx. rewrite !in_app_iff in Nx.
  destruct (not_in_rest loose gone q q' x A) as (P & Q); try tauto.
  apply (raise_ahead loose gone q q'); auto.
  - apply known_up; [exact (removed_known _ _ _ _ _ Re)| |exact (removed_not _ _ _ _ _ K' Re)].
    destruct K' as (_ & I). apply I. unfold placed. apply in_or_app. auto.
  - pose proof (ahead_columns _ _ _ _ A) as C. rewrite E in C. apply Forall2_app_inv_r in C.
    destruct C as (l & r & Cl & Cr & ->). inversion Cr as [|c c' cs cs' Ec Cr']; subst.
    assert (More : forall a b, Forall2 (earlier (face_down q) gone) a b -> Forall2 (earlier (face_down q) (x :: gone)) a b).
    { intros a b H. induction H; constructor; auto. eapply earlier_more; [|eauto]. intros z; simpl; auto. }
    cbn [columns with_columns]. apply Forall2_app; auto. constructor; auto.
    rewrite (ahead_face _ _ _ _ A). apply earlier_next with x; [|now left].
    eapply earlier_more; [|eauto]. intros z; simpl; auto.
  - cbn [open_reserve with_columns]. rewrite live_one; [apply (ahead_reserve _ _ _ _ A)|]. rewrite filter_In. tauto.
  - cbn [turning with_columns]. rewrite live_talon_cons; auto. apply (ahead_stock _ _ _ _ A).
  - destruct (ahead_draw _ _ _ _ A); auto using untouched_cons.
Qed.

(* A card leaves: it is up in the position that is ahead, or it leaves there, too. *)
Lemma ahead_leaves loose gone q q' x q1 : ahead loose gone q q' -> leaves R q x q1 ->
  (In x gone /\ ahead loose gone q1 q') \/
  (~ In x gone /\ exists q2, leaves R q' x q2 /\ ahead loose gone q1 q2).
Proof.
  intros A Le. destruct (ahead_known _ _ _ _ A) as (K & K').
  destruct (leaves_removed _ _ _ _ _ K Le) as (left & below & right & E & -> & Re).
  pose proof (ahead_columns _ _ _ _ A) as C. rewrite E in C. apply Forall2_app_inv_l in C.
  destruct C as (l & r & Cl & Cr & E'). inversion Cr as [|c c' cs cs' Ec Cr']; subst.
  pose proof (removed_known _ _ _ _ _ Re) as K1.
  inversion Ec as [d|x' b d I Ed]; subst.
  - right. assert (N : ~ In x gone).
    { intros I. apply (ahead_gone _ _ _ _ A) in I. destruct I as (_ & I). destruct K' as (N & _).
      unfold placed in N. apply (nodup_apart _ _ x N); [|rewrite !in_app_iff; auto].
      rewrite E', in_concat. exists (x :: below). split; [apply in_or_app; right; now left|now left]. }
    split; auto. eexists. split; [eapply leave; exact E'|].
    pose proof (leaves_removed _ _ _ _ _ K' (leave R q' x l below cs' E')) as (? & ? & ? & _ & _ & Re').
    pose proof (removed_known _ _ _ _ _ Re') as K2. destruct A. constructor; auto. cbn [columns with_columns face_down].
    apply Forall2_app; auto. constructor; auto. rewrite ahead_face0. constructor.
  - left. split; auto. destruct A. constructor; auto. cbn [columns with_columns face_down]. rewrite E'.
    apply Forall2_app; auto.
Qed.

Lemma live_middle gone l x r : In x gone -> live gone (l ++ x :: r) = live gone (l ++ r).
Proof. intros I. rewrite !filter_app. simpl. now rewrite (proj2 (absent_iff gone x) I). Qed.

Lemma live_middle_not gone l x r : ~ In x gone -> live gone (l ++ x :: r) = live gone l ++ x :: live gone r.
Proof. intros I. rewrite !filter_app. simpl. now rewrite (proj2 (live_iff gone x) I). Qed.

Lemma ahead_taken loose gone q q' x q1 : ahead loose gone q q' -> taken R q x q1 ->
  (In x gone /\ ahead loose gone q1 q') \/
  (~ In x gone /\ exists q2, taken R q' x q2 /\ ahead loose gone q1 q2).
Proof.
  intros A T. destruct (ahead_known _ _ _ _ A) as (K & K'). pose proof (ahead_stock _ _ _ _ A) as St.
  pose proof (ahead_draw _ _ _ _ A) as Dr. pose proof (ahead_reserve _ _ _ _ A) as Rv.
  destruct (taken_removed _ _ _ _ _ K T) as (Re & _). pose proof (removed_known _ _ _ _ _ Re) as K1.
  destruct T as [l r E | q1 [st wa n T]].
  - rewrite E in Rv. destruct (in_dec card_eq x gone) as [I|N].
    + left. split; auto. destruct A. constructor; auto. simpl. now rewrite <- (live_middle gone l x r I).
    + right. split; auto. rewrite live_middle_not in Rv by auto.
      assert (T : taken R q' x (with_open_reserve q' (live gone l ++ live gone r))) by now constructor.
      eexists. split; [exact T|]. destruct (taken_removed _ _ _ _ _ K' T) as (Re' & _).
      pose proof (removed_known _ _ _ _ _ Re') as K2. destruct A. constructor; auto. simpl. now rewrite filter_app.
  - assert (Tl : at_least R (turning q') (live_talon gone (Talon st (x :: wa) n))).
    { eapply at_least_turns; eauto. now apply turns_live. }
    assert (Dr1 : draw R = 1 \/ untouched gone (Talon st wa n)).
    { destruct Dr as [Dr|U]; auto. right. intros z I. apply U. rewrite <- (turns_all_cards _ _ _ T).
      apply in_all_cards. apply in_all_cards in I. simpl in *. tauto. }
    destruct (in_dec card_eq x gone) as [I|N].
    + left. split; auto. destruct A. constructor; auto.
      unfold live_talon in *. simpl in *. now rewrite (proj2 (absent_iff gone x) I) in Tl.
    + right. split; auto. unfold live_talon in Tl. simpl in Tl. rewrite (proj2 (live_iff gone x) N) in Tl.
      destruct Tl as (m & Lm & Tm). simpl in Lm, Tm.
      assert (Ta : taken R q' x (with_turning q' (Talon (live gone st) (live gone wa) m))).
      { apply taken_stock. now constructor. }
      eexists. split; [exact Ta|]. destruct (taken_removed _ _ _ _ _ K' Ta) as (Re' & _).
      pose proof (removed_known _ _ _ _ _ Re') as K2. destruct A. constructor; auto. simpl.
      exists m. simpl. split; auto. constructor.
Qed.

Lemma ahead_returns loose gone q q' x q1 : ahead loose gone q q' -> returns R q x q1 ->
  (In x gone /\ ahead loose gone q1 q') \/
  (loose x = false /\ exists q2, returns R q' x q2 /\ ahead loose gone q1 q2).
Proof.
  intros A T. destruct (ahead_known _ _ _ _ A) as (K & K').
  destruct (returns_removed _ _ _ _ _ K T) as (Re & _). pose proof (removed_known _ _ _ _ _ Re) as K1.
  destruct T as [I B H].
  assert (Other : forall z, negb (same_card x z) = true <-> z <> x).
  { intros z. rewrite negb_true_iff, <- not_true_iff_false, same_card_iff. split; congruence. }
  destruct (loose x) eqn:L.
  - left. pose proof (ahead_up _ _ _ _ A x I) as U. split; [now apply (ahead_gone _ _ _ _ A)|].
    destruct A. constructor; auto; simpl.
    + intros z J. apply filter_In in J. now apply ahead_up0.
    + intros z J Lz. apply filter_In. split; auto. apply Other. congruence.
  - right. split; auto.
    assert (T : returns R q' x (with_foundations q' (filter (fun z => negb (same_card x z)) (foundations q')))).
    { constructor; auto; [now apply (ahead_up _ _ _ _ A)|]. intros z J F. destruct (loose z) eqn:Lz.
      - rewrite (ahead_closed _ _ _ _ A z x) in L; auto; [discriminate| |].
        + apply K', in_foundations, J.
        + apply K, in_foundations, I.
      - apply (H z); auto. now apply (ahead_others _ _ _ _ A). }
    eexists. split; [exact T|]. destruct (returns_removed _ _ _ _ _ K' T) as (Re' & _).
    pose proof (removed_known _ _ _ _ _ Re') as K2. destruct A. constructor; auto; simpl.
    + intros z D Lz. rewrite filter_In, Other. destruct (ahead_next0 z D Lz) as [J|J].
      * left. split; auto. congruence.
      * right. intros w W. simpl. apply filter_In. split; auto. apply Other. intros ->.
        rewrite (ahead_closed0 z x) in L; auto; [discriminate|]. apply K, in_foundations, I.
    + intros z. rewrite filter_In, Other, ahead_gone0. split; [|tauto]. intros (Lz & J). repeat split; auto. congruence.
    + intros z. rewrite !filter_In, !Other. intros (J & Ne). split; auto.
    + intros z. rewrite !filter_In, !Other. intros (J & Ne) Lz. split; auto.
Qed.

(** * Cards that are safe *)

Lemma live_same gone more l : (forall z, In z l -> In z more -> In z gone) -> incl gone more ->
  live more l = live gone l.
Proof.
  intros H I. apply filter_ext_in. intros z Z. apply eq_true_iff_eq. rewrite !live_iff. split; auto.
Qed.

(* More cards are loose. *)
Lemma ahead_merge loose gone q q' more : ahead loose gone q q' ->
  (forall z w, In z deck -> In w deck -> more z = true -> fits w z = true \/ In w (lower R z) -> more w = true) ->
  (forall z, In z deck -> more z = true -> In z (foundations q') \/ is_next R q' z) ->
  exists gone', ahead (fun z => loose z || more z) gone' q q'.
Proof.
  intros [(K & K') Cl N G U O F Co Re St Dr] Cm Nm. exists (gone ++ filter more (foundations q')).
  set (gone' := gone ++ filter more (foundations q')).
  assert (In' : forall z, In z gone' <-> (loose z || more z) = true /\ In z (foundations q')).
  { intros z. unfold gone'. rewrite in_app_iff, G, filter_In, orb_true_iff. tauto. }
  assert (Only : forall z, In z (open_reserve q) \/ In z (all_cards (turning q)) -> In z gone' -> In z gone).
  { intros z P I. apply In' in I. destruct I as (L & I). apply G. split; auto. destruct (loose z) eqn:E; auto.
    exfalso. apply (O z I) in E. destruct K as (Nq & _). unfold placed in Nq. apply nodup_right in Nq.
    rewrite app_assoc in Nq. apply (nodup_apart _ _ z Nq); auto. apply in_or_app. tauto. }
  assert (Inc : incl gone gone') by (intros z I; apply in_or_app; auto).
  constructor; auto.
  - intros z w Dz Dw. rewrite !orb_true_iff. intros [L|L] H; [left|right]; eauto.
  - intros z D L. apply orb_true_iff in L. destruct L; auto.
  - intros z I L. apply orb_false_iff in L. destruct L. auto.
  - clear - Co Inc. induction Co; constructor; auto. eapply earlier_more; eauto.
  - rewrite Re. symmetry. apply live_same; auto.
  - replace (live_talon gone' (turning q)) with (live_talon gone (turning q)); auto. unfold live_talon.
    f_equal; symmetry; apply live_same; auto; intros z I; apply Only; rewrite in_all_cards; auto.
  - destruct Dr as [Dr|Dr]; auto. right. intros z I J. apply (Dr z I). auto.
Qed.

Lemma raise_reserve loose gone q q' x l r : ahead loose gone q q' -> loose x = true ->
  open_reserve q' = l ++ x :: r -> ahead loose (x :: gone) q (up_in (with_open_reserve q' (l ++ r)) x).
Proof.
  intros A L E. destruct (ahead_known _ _ _ _ A) as (K & K').
  destruct (taken_removed _ _ _ _ _ K' (taken_reserve R q' x l r E)) as (Re & _).
  assert (Px : In x (open_reserve q')) by (rewrite E; apply in_or_app; right; now left).
  assert (Qx : In x (open_reserve q)).
  { rewrite (ahead_reserve _ _ _ _ A) in Px. now apply filter_In in Px. }
  assert (Sx : ~ In x (all_cards (turning q))).
  { intros I. destruct (known_parts q K) as (N & _). unfold rest in N. apply (nodup_apart _ _ x N Qx).
    apply in_or_app. auto. }
  apply (raise_ahead loose gone q q'); auto.
  - apply known_up; [exact (removed_known _ _ _ _ _ Re)| |exact (removed_not _ _ _ _ _ K' Re)].
    destruct K' as (_ & I). apply I. now apply in_reserve.
  - pose proof (ahead_columns _ _ _ _ A) as C. cbn [columns with_open_reserve]. clear - C.
    induction C; constructor; auto. eapply earlier_more; [|eauto]. intros z; simpl; auto.
  - cbn [open_reserve with_open_reserve]. rewrite <- (ahead_reserve _ _ _ _ A), E, live_remove; auto.
    rewrite <- E. destruct (known_parts q' K') as (N & _). unfold rest in N. now apply nodup_left in N.
  - cbn [turning with_open_reserve]. rewrite live_talon_cons; auto. apply (ahead_stock _ _ _ _ A).
  - destruct (ahead_draw _ _ _ _ A); auto using untouched_cons.
Qed.

(* A stock that is turned card by card, as often as one likes, can be turned to any place. *)
Section AnyPlace.
Hypothesis one : draw R = 1.
Hypothesis endless : unlimited R = true.
Hypothesis no_hole : to_hole R = false.

Lemma turn_on l : forall st wa n, turns R (Talon (l ++ st) wa n) (Talon st (rev l ++ wa) n).
Proof.
  induction l as [|x l IH]; intros st wa n; simpl; [constructor|].
  econstructor; [apply turn_cards; [exact no_hole|discriminate]|]. rewrite one. simpl. rewrite <- app_assoc. apply IH.
Qed.

Lemma turn_anywhere e t : all_cards e = all_cards t -> turns R e (Talon (stock t) (waste t) (passes e)).
Proof.
  destruct e as [st wa n], t as [st' wa' n']. unfold all_cards. simpl. intros E.
  apply (turns_trans R _ (Talon [] (rev st ++ wa) n)).
  - pose proof (turn_on st [] wa n) as T. now rewrite app_nil_r in T.
  - econstructor; [apply turn_over; [exact no_hole|now rewrite endless]|].
    rewrite rev_app_distr, rev_involutive, E. pose proof (turn_on (rev wa') st' [] n) as T.
    now rewrite rev_involutive, app_nil_r in T.
Qed.

Lemma turns_passes t u : turns R t u -> passes u = passes t.
Proof.
  induction 1 as [t|t u v T Ts IH]; auto. rewrite IH. destruct T as [|wa n m H E]; auto. now rewrite endless in E.
Qed.

Lemma raise_stock loose gone q q' x q1 : ahead loose gone q q' -> loose x = true -> offered R q' x q1 ->
  ahead loose (x :: gone) q (up_in q1 x).
Proof.
  intros A L Of. destruct (ahead_known _ _ _ _ A) as (K & K').
  destruct (taken_removed _ _ _ _ _ K' (taken_stock R q' x q1 Of)) as (Re & Ec & Ef).
  destruct Of as [st wa n T]. pose proof (turns_passes _ _ T) as Pn. apply turns_all_cards in T. simpl in Pn.
  pose proof (stock_ahead _ _ _ _ A) as Sa.
  assert (Px : In x (all_cards (turning q'))) by (rewrite <- T; apply in_all_cards; left; now left).
  assert (Qx : In x (all_cards (turning q))) by (rewrite Sa in Px; now apply filter_In in Px).
  assert (Rx : ~ In x (open_reserve q)).
  { intros I. destruct (known_parts q K) as (N & _). unfold rest in N. apply (nodup_apart _ _ x N I).
    apply in_or_app. auto. }
  apply (raise_ahead loose gone q q'); auto.
  - apply known_up; [exact (removed_known _ _ _ _ _ Re)| |exact (removed_not _ _ _ _ _ K' Re)].
    destruct K' as (_ & I). apply I. now apply in_stock.
  - pose proof (ahead_columns _ _ _ _ A) as C. cbn [columns with_turning]. clear - C.
    induction C; constructor; auto. eapply earlier_more; [|eauto]. intros z; simpl; auto.
  - cbn [open_reserve with_turning]. rewrite live_one; [apply (ahead_reserve _ _ _ _ A)|]. rewrite filter_In. tauto.
  - cbn [turning with_turning].
    destruct (ahead_stock _ _ _ _ A) as (m & Lm & Tm). pose proof (turns_passes _ _ Tm) as Pm. simpl in Lm, Pm.
    exists n. split; [simpl; lia|].
    apply (turn_anywhere (Talon st wa n) (live_talon (x :: gone) (turning q))).
    rewrite live_all_cards, live_cons, <- Sa, <- T. unfold all_cards. simpl. rewrite <- app_assoc. simpl.
    rewrite live_remove; auto. destruct (known_parts q' K') as (N & _). unfold rest in N. apply nodup_right in N.
    apply nodup_left in N. rewrite <- T in N. unfold all_cards in N. simpl in N. now rewrite <- app_assoc in N.
Qed.
End AnyPlace.

Definition left_over (q : position) : nat := length (filter (fun z => negb (member z (foundations q))) deck).

Lemma left_over_less q x f : In x deck -> ~ In x (foundations q) -> In x f -> incl (foundations q) f ->
  length (filter (fun z => negb (member z f)) deck) < left_over q.
Proof.
  intros D N I S. unfold left_over. apply (in_split x) in D. destruct D as (a & b & ->). rewrite !filter_app, !app_length.
  simpl. rewrite (proj2 (not_member_iff x (foundations q)) N).
  assert (M : negb (member x f) = false) by (apply negb_false_iff, member_iff; auto). rewrite M. simpl.
  assert (Le : forall l, length (filter (fun z => negb (member z f)) l) <=
    length (filter (fun z => negb (member z (foundations q))) l)).
  { induction l as [|z l IH]; simpl; auto. destruct (negb (member z f)) eqn:E.
    - apply not_member_iff in E. rewrite (proj2 (not_member_iff z (foundations q))) by auto. simpl. lia.
    - destruct (negb (member z (foundations q))); simpl; lia. }
  pose proof (Le a). pose proof (Le b). lia.
Qed.

(* A card that is loose and shown in the one that is ahead can go up. *)
Lemma shown_rises loose gone q q' : ahead loose gone q q' ->
  (forall z, In z deck -> loose z = true -> is_shown q' z = false) \/
  exists x q2, quotient_move R deck q' q2 /\ ahead loose (x :: gone) q q2 /\ left_over q2 < left_over q'.
Proof.
  intros A. destruct (ahead_known _ _ _ _ A) as (K & K').
  set (S := fun n => forall z, In z deck -> loose z = true -> is_shown q' z = true -> n <= height R z).
  assert (Low : (forall z, In z deck -> loose z = true -> is_shown q' z = false) \/
    exists x, In x deck /\ loose x = true /\ is_shown q' x = true /\ S (height R x)).
  { assert (H : forall n, S n \/ exists x, In x deck /\ loose x = true /\ is_shown q' x = true /\ S (height R x)).
    { induction n as [|n [IH|IH]]; auto; [left; intros ? ? ? ?; lia|].
      destruct (existsb (fun x => loose x && is_shown q' x && (height R x =? n)) deck) eqn:E.
      - right. apply existsb_exists in E. destruct E as (x & D & E). rewrite !andb_true_iff, Nat.eqb_eq in E.
        destruct E as ((L & Sh) & <-). exists x. auto.
      - left. intros z D L Sh. specialize (IH z D L Sh). destruct (Nat.eq_dec (height R z) n) as [H|H]; [|lia].
        exfalso. apply not_true_iff_false in E. apply E, existsb_exists. exists z. rewrite L, Sh.
        split; auto. now apply Nat.eqb_eq. }
    destruct (H (ranks R)) as [N|X]; auto. left. intros z D L. apply not_true_iff_false. intros Sh.
    specialize (N z D L Sh). pose proof (deck_ranks z D). lia. }
  destruct Low as [N|(x & D & L & Sh & Lo)]; auto. right. exists x.
  assert (Nu : ~ In x (foundations q')).
  { intros I. apply is_shown_iff in Sh. destruct Sh as [T|T]; [|now apply T, in_foundations].
    destruct K' as (N & _). unfold placed in N. apply tops_in in T.
    apply (nodup_apart _ _ x N); auto. rewrite !in_app_iff. auto. }
  assert (Ne : is_next R q' x).
  { destruct (ahead_next _ _ _ _ A x D L); tauto. }
  assert (B : is_bare R deck q' x = true).
  { unfold is_bare. apply Nat.ltb_lt.
    assert (Z : count deck (fun w => is_moved q' w && fits w x) <= count deck (fun _ => false)).
    { apply (count_less deck). intros w Dw H. apply andb_true_iff in H. destruct H as (M & F). exfalso.
      assert (Lw : loose w = true) by (apply (ahead_closed _ _ _ _ A x w); auto).
      assert (H := Lo w Dw Lw). unfold is_shown in H. rewrite M, orb_true_r in H. specialize (H eq_refl).
      apply (fits_iff R rules_ok) in F. lia. }
    assert (Z' : count deck (fun _ => false) = 0) by (unfold count; clear; induction deck; auto).
    assert (I : In x (filter (fun z => is_shown q' z && alike z x) deck)).
    { apply filter_In. split; auto. now rewrite Sh, (alike_refl R). }
    unfold count at 2. destruct (filter (fun z => is_shown q' z && alike z x) deck); [easy|simpl; lia]. }
  destruct (is_moved q' x) eqn:M.
  - exists (up_in q' x). split; [now apply rise_moved|]. split; [now apply (raise_moved loose gone q q')|].
    apply (left_over_less q' x); auto; simpl; auto. intros z; simpl; auto.
  - unfold is_shown in Sh. rewrite M, orb_false_r, member_iff in Sh. unfold tops in Sh.
    apply in_flat_map in Sh. destruct Sh as ([|y below] & I & J); [easy|]. destruct J as [->|[]].
    apply in_split in I. destruct I as (left & right & E). pose proof (leave R q' x left below right E) as Le.
    exists (up_in (with_columns q' (left ++ dealt (face_down q') below :: right)) x).
    split; [now apply rise_dealt|]. split; [now apply (raise_dealt loose gone q q')|].
    apply (left_over_less q' x); auto; simpl; auto. intros z; simpl; auto.
Qed.

(* A move of q is a move of the one that is ahead, or none is needed, or that one goes further ahead. *)
Lemma ahead_step loose gone q q' q1 : ahead loose gone q q' -> quotient_move R deck q q1 ->
  (exists gone1, ahead loose gone1 q1 q') \/
  (exists gone1 q2, quotient_move R deck q' q2 /\ ahead loose gone1 q1 q2) \/
  (exists gone1 q2, quotient_move R deck q' q2 /\ ahead loose gone1 q q2 /\ left_over q2 < left_over q').
Proof.
  intros A M. destruct (shown_rises loose gone q q' A) as [N|(x & q2 & Mv & A2 & Lo)].
  2: { right. right. exists (x :: gone), q2. auto. }
  destruct (ahead_known _ _ _ _ A) as (K & K').
  assert (Free : forall x, In x deck -> ~ In x gone -> In x (placed q) -> is_free R deck q x = true ->
    loose x = false -> is_free R deck q' x = true) by (intros; apply (free_ahead loose gone q q'); auto).
  assert (Dk : forall x, In x (placed q) -> In x deck) by (intros x; apply K).
  assert (LeIn : forall x q0, leaves R q x q0 -> In x (placed q) /\ is_shown q x = true /\ In x (tops q)).
  { intros x q0 [l b r E]. assert (T : In x (tops q)) by (unfold tops; rewrite E; apply top_of_whole).
    repeat split; auto; [now apply in_tops|]. apply is_shown_iff. auto. }
  assert (TaIn : forall x q0, taken R q x q0 -> In x (placed q) /\ foundations q0 = foundations q).
  { intros x q0 T. destruct (taken_removed _ _ _ _ _ K T) as (Re & _ & Ef). split; auto.
    rewrite (removed_placed _ _ _ _ _ Re). now left. }
  destruct M as [x D Mo B Nx | x q1 L B Nx | x q1 T Nx | x q1 L F | x q1 T F | x q1 T F].
  - apply is_moved_iff in Mo. assert (Ku : known (up_in q x)) by now apply known_up.
    destruct (in_dec card_eq x (foundations q')) as [U|U].
    { left. exists gone. now apply ahead_up_one. }
    assert (Mo' : ~ In x (placed q')).
    { intros P. destruct (placed_ahead _ _ _ _ A x P); auto. }
    destruct (loose x) eqn:Lx.
    + exfalso. specialize (N x D Lx). apply not_true_iff_false in N. apply N, is_shown_iff. auto.
    + right. left. exists gone, (up_in q' x). split.
      * apply rise_moved; auto; [now apply is_moved_iff| |apply (next_more q); auto; apply (ahead_up _ _ _ _ A)].
        apply (bare_ahead loose gone q q'); auto. apply is_shown_iff. auto.
      * apply ahead_up_both; auto. now apply known_up.
  - destruct (LeIn x q1 L) as (P & Sh & _). pose proof (Dk x P) as D.
    destruct (leaves_removed _ _ _ _ _ K L) as (l & b & r & _ & E1 & Re).
    assert (Ku : known (up_in q1 x)).
    { apply known_up; auto; [exact (removed_known _ _ _ _ _ Re)|exact (removed_not _ _ _ _ _ K Re)]. }
    destruct (ahead_leaves loose gone q q' x q1 A L) as [(G & A1)|(G & q2 & L2 & A2)].
    + left. exists gone. apply ahead_up_one; auto. now apply (ahead_gone _ _ _ _ A).
    + destruct (leaves_removed _ _ _ _ _ K' L2) as (l' & b' & r' & E2 & _ & Re').
      assert (Lx : loose x = false).
      { apply not_true_iff_false. intros Lx. specialize (N x D Lx). apply not_true_iff_false in N.
        apply N, is_shown_iff. left. unfold tops. rewrite E2. apply top_of_whole. }
      right. left. exists gone, (up_in q2 x). split.
      * apply rise_dealt; auto; [|apply (next_more q); auto; apply (ahead_up _ _ _ _ A)].
        apply (bare_ahead loose gone q q'); auto.
      * apply ahead_up_both; auto. apply known_up; auto;
          [exact (removed_known _ _ _ _ _ Re')|exact (removed_not _ _ _ _ _ K' Re')].
  - destruct (TaIn x q1 T) as (P & Ef). pose proof (Dk x P) as D.
    destruct (taken_removed _ _ _ _ _ K T) as (Re & _).
    pose proof (removed_not _ _ _ _ _ K Re) as Nq1.
    assert (Ku : known (up_in q1 x)) by (apply known_up; auto; exact (removed_known _ _ _ _ _ Re)).
    destruct (ahead_taken loose gone q q' x q1 A T) as [(G & A1)|(G & q2 & T2 & A2)].
    + left. exists gone. apply ahead_up_one; auto. now apply (ahead_gone _ _ _ _ A).
    + destruct (taken_removed _ _ _ _ _ K' T2) as (Re' & _ & Ef').
      pose proof (removed_not _ _ _ _ _ K' Re') as Nq2.
      assert (Nx' : is_next R q' x) by (apply (next_more q); auto; apply (ahead_up _ _ _ _ A)).
      right. left. destruct (loose x) eqn:Lx.
      * exists (x :: gone), (up_in q2 x). split; [now apply rise_taken|].
        apply ahead_up_one; auto; [|now left]. apply raise_moved; auto. now apply is_moved_iff.
      * exists gone, (up_in q2 x). split; [now apply rise_taken|]. apply ahead_up_both; auto. apply known_up; auto.
        exact (removed_known _ _ _ _ _ Re').
  - destruct (LeIn x q1 L) as (P & Sh & _). pose proof (Dk x P) as D.
    destruct (ahead_leaves loose gone q q' x q1 A L) as [(G & A1)|(G & q2 & L2 & A2)]; [left; now exists gone|].
    destruct (leaves_removed _ _ _ _ _ K' L2) as (l' & b' & r' & E2 & _ & _).
    assert (Lx : loose x = false).
    { apply not_true_iff_false. intros Lx. specialize (N x D Lx). apply not_true_iff_false in N.
      apply N, is_shown_iff. left. unfold tops. rewrite E2. apply top_of_whole. }
    right. left. exists gone, q2. split; auto. apply (move_dealt R deck q' x); auto.
  - destruct (TaIn x q1 T) as (P & Ef). pose proof (Dk x P) as D.
    destruct (ahead_taken loose gone q q' x q1 A T) as [(G & A1)|(G & q2 & T2 & A2)]; [left; now exists gone|].
    right. left. destruct (taken_removed _ _ _ _ _ K' T2) as (Re' & _ & Ef').
    pose proof (removed_not _ _ _ _ _ K' Re') as Nq2. destruct (loose x) eqn:Lx.
    + exists (x :: gone), (up_in q2 x). split.
      * apply rise_taken; auto. destruct (ahead_next _ _ _ _ A x D Lx) as [I|I]; auto.
        exfalso. apply G. now apply (ahead_gone _ _ _ _ A).
      * apply raise_moved; auto. now apply is_moved_iff.
    + exists gone, q2. split; auto. apply (move_taken R deck q' x); auto.
  - assert (P : In x (placed q)) by (apply in_foundations; now destruct T). pose proof (Dk x P) as D.
    destruct (ahead_returns loose gone q q' x q1 A T) as [(G & A1)|(Lx & q2 & T2 & A2)]; [left; now exists gone|].
    right. left. exists gone, q2. split; auto. apply (move_returned R deck q' x); auto.
    apply (free_ahead loose gone q q'); auto.
Qed.

Theorem ahead_wins n : forall q q' loose gone, wins R deck n q -> ahead loose gone q q' ->
  exists m, wins R deck m q'.
Proof.
  induction n as [|n IH]; intros q q' loose gone W A.
  - inversion W; subst. exists 0. constructor. intros z D. apply (ahead_up _ _ _ _ A). auto.
  - inversion W as [|? ? q1 M W1]; subst. clear W. revert gone A. remember (left_over q') as k eqn:Ek.
    revert q' Ek. induction k as [k IHk] using lt_wf_ind. intros q' -> gone A.
    destruct (ahead_step _ _ _ _ _ A M) as [(g & A1)|[(g & q2 & M2 & A2)|(g & q2 & M2 & A2 & Lo)]].
    + exact (IH _ _ _ _ W1 A1).
    + destruct (IH _ _ _ _ W1 A2) as (m & Wm). exists (S m). econstructor; eauto.
    + destruct (IHk _ Lo q2 eq_refl g A2) as (m & Wm). exists (S m). econstructor; eauto.
Qed.
End Safe.
