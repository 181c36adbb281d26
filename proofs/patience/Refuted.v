(* Positions of the quotient that are refuted: even if whatever could be done once could always be done, not all cards
   would go up.

   Claim ([refuted_lost]): such a position cannot be won in the quotient.

   What could be done is given: the cards that are ever up ([ups]), those that come to the columns ([came]), and whether
   a column may ever be empty for a king ([space]). [is_refuted] checks that nothing else can be done. How these were
   found does not matter. *)
Require Import List Bool Arith Lia Permutation.
Import ListNotations.
From Patience Require Import Game Cards Stock Moves Quotient.

Section Refuted.
Variable R : rules.
Variable deck : list card.

Definition moved_cards (q : position) : list card := filter (is_moved q) deck.
Definition shown_cards (q : position) : list card := filter (is_shown q) deck.

Definition all_in (cards among : list card) : bool := forallb (fun x => member x among) cards.

(* What there is at the start: the position, and which cards of it were moved, and are shown. *)
Section Check.
Variables (q : position) (moved shown ups came : list card) (space : bool).

Definition was_bare (y : card) : bool :=
  length (filter (fun z => fits R z y) moved) <? length (filter (fun z => alike R z y) shown).

(* Some card on a card like y could leave, or one like y came, or had nothing on it. *)
Definition ever_bare (y : card) : bool :=
  was_bare y || existsb (fun z => alike R z y) came || existsb (fun z => fits R z y && member z ups) moved.

Definition ever_shown (x : card) : bool := member x shown || member x came.

Definition ever_free (x : card) : bool :=
  (is_king R x && space) || existsb (fun y => fits R x y && ever_shown y && ever_bare y) deck.

Definition can_leave (x : card) : bool := member x ups || ever_free x.

Definition is_opened : bool := existsb (fun '(x, _) => can_leave x) (offers R q).

Definition ever_offered (opened : bool) (x : card) : bool :=
  member x (open_reserve q) ||
  if opened then member x (all_cards (turning q)) else existsb (fun '(y, _) => same_card x y) (offers R q).

Definition kings_go : bool := match spaces R with LastRank => true | _ => false end.

(* Cards that come when those on them leave came, and there is space when the last one leaves. *)
Fixpoint is_closed_column (fuel : nat) (c : list card) : bool :=
  match c with
  | [] => true
  | x :: below =>
      negb (can_leave x) ||
      match fuel with
      | 0 => false
      | S fuel =>
          let left := dealt R (face_down q) below in
          all_in (firstn (length below - length left) below ++ firstn 1 left) came &&
          (negb (is_vacant below) || negb kings_go || space) && is_closed_column fuel left
      end
  end.

Definition stays_down (opened : bool) (x : card) : bool :=
  member x ups || negb (all_in (lower R x) ups) || negb ((ever_shown x && ever_bare x) || ever_offered opened x).

Definition stays_up (x : card) : bool :=
  negb (can_come_back R x) || negb (ever_free x) || member x came ||
  existsb (fun y => member x (lower R y) && negb (member y came)) (foundations q).

Definition is_refuted : bool :=
  let opened := is_opened in
  negb (all_in deck ups) &&
  all_in (foundations q) ups &&
  forallb (stays_down opened) deck &&
  forallb (fun x => negb (ever_offered opened x) || negb (ever_free x) || member x came) deck &&
  forallb (fun c => is_closed_column (length c) c) (columns q) &&
  forallb stays_up (foundations q) &&
  (space || negb kings_go ||
    (negb (has_space R deck q) &&
     forallb (fun x => negb (is_king R x) || negb (member x ups) || member x (foundations q)) deck)).
End Check.

Hypothesis rules_ok : without_arrangement R = true.
Hypothesis deck_once : NoDup deck.
Hypothesis deck_ranks : forall x, In x deck -> height R x < ranks R.
Hypothesis draws : draw R <> 0.

(** * Taking cards away *)

Definition known (q : position) : Prop := NoDup (placed q) /\ incl (placed q) deck.

Lemma all_in_iff l m : all_in l m = true <-> incl l m.
Proof. unfold all_in. rewrite forallb_forall. split; intros H x I; apply member_iff; auto. Qed.

Lemma is_moved_iff q x : is_moved q x = true <-> ~ In x (placed q).
Proof. apply not_member_iff. Qed.

Lemma is_shown_iff q x : is_shown q x = true <-> In x (tops q) \/ ~ In x (placed q).
Proof. unfold is_shown. now rewrite orb_true_iff, member_iff, is_moved_iff. Qed.

(* x can be taken from q, which leaves q'; then the other cards count as moved, too. *)
Record removed (q : position) (x : card) (others : list card) (q' : position) : Prop := {
  removed_placed : Permutation (placed q) (x :: others ++ placed q');
  removed_face : face_down q' = face_down q;
  removed_known : known q' }.

Lemma known_part q q' l : known q -> Permutation (placed q) (l ++ placed q') -> known q'.
Proof.
  intros (N & I) P. split.
  - apply (Permutation_NoDup P) in N. now apply nodup_right in N.
  - intros z J. apply I. rewrite P. apply in_or_app. now right.
Qed.

Lemma dealt_suffix down c : exists l, c = l ++ dealt R down c.
Proof. destruct (dealt_split R down down c) as (m & E & _); eauto. Qed.

Definition taken_off down (below : list card) : list card :=
  firstn (length below - length (dealt R down below)) below.

Lemma taken_off_split down below : below = taken_off down below ++ dealt R down below.
Proof.
  clear draws. unfold taken_off. destruct (dealt_suffix down below) as (l & E). set (d := dealt R down below) in *. clearbody d.
  subst below. rewrite app_length. replace (length l + length d - length d) with (length l) by lia.
  rewrite firstn_app, Nat.sub_diag, firstn_all. simpl. now rewrite app_nil_r.
Qed.

Lemma leaves_removed q x q' : known q -> leaves R q x q' -> exists left below right,
  columns q = left ++ (x :: below) :: right /\
  q' = with_columns q (left ++ dealt R (face_down q) below :: right) /\
  removed q x (taken_off (face_down q) below) q'.
Proof.
  intros K [left below right E]. exists left, below, right. split; auto. split; auto.
  assert (P : Permutation (placed q) (x :: taken_off (face_down q) below ++
    placed (with_columns q (left ++ dealt R (face_down q) below :: right)))).
  { unfold placed. simpl. rewrite E. rewrite (taken_off_split (face_down q) below) at 1.
    rewrite app_comm_cons, concat_split. now rewrite <- !app_assoc. }
  split; auto. now apply (known_part q _ (x :: taken_off (face_down q) below)).
Qed.

Lemma taken_removed q x q' : known q -> taken R q x q' -> removed q x [] q' /\ columns q' = columns q /\
  foundations q' = foundations q.
Proof.
  intros K T.
  assert (P : Permutation (placed q) (x :: placed q') /\ face_down q' = face_down q /\ columns q' = columns q /\
    foundations q' = foundations q).
  { destruct T as [l r E | q' [st wa n T]]; repeat split; auto; unfold placed; simpl.
    - rewrite E, <- !app_assoc. simpl. now rewrite <- !Permutation_middle.
    - apply turns_all_cards in T. rewrite <- T. unfold all_cards. simpl. rewrite <- !app_assoc. simpl.
      now rewrite <- !Permutation_middle. }
  destruct P as (P & F & C & U). repeat split; auto; now apply (known_part q q' [x]).
Qed.

Lemma returns_removed q x q' : known q -> returns R q x q' -> removed q x [] q' /\ columns q' = columns q.
Proof.
  intros K [I B H]. split; auto.
  assert (P : Permutation (foundations q) (x :: filter (fun z => negb (same_card x z)) (foundations q))).
  { destruct K as (N & _). unfold placed in N. do 3 apply nodup_right in N. apply NoDup_Permutation; auto.
    - constructor; [|now apply NoDup_filter]. rewrite filter_In, negb_true_iff. intros (_ & S).
      assert (T : same_card x x = true) by now apply same_card_iff. congruence.
    - intros z. simpl. rewrite filter_In, negb_true_iff, <- not_true_iff_false, same_card_iff.
      destruct (card_eq x z) as [->|Ne]; intuition congruence. }
  assert (P' : Permutation (placed q)
    (x :: placed (with_foundations q (filter (fun z => negb (same_card x z)) (foundations q))))).
  { unfold placed. simpl. rewrite P at 1. now rewrite <- !Permutation_middle. }
  split; auto. now apply (known_part q _ [x]).
Qed.

Lemma nodup_apart {A} (l m : list A) x : NoDup (l ++ m) -> In x l -> In x m -> False.
Proof.
  intros N I J. apply in_split in I. destruct I as (a & b & ->). rewrite <- app_assoc in N. simpl in N.
  apply NoDup_remove_2 in N. apply N. rewrite !in_app_iff. auto.
Qed.

Lemma filter_permutation {A} (f : A -> bool) l m : Permutation l m -> Permutation (filter f l) (filter f m).
Proof.
  induction 1; simpl; auto.
  - destruct (f x); auto.
  - destruct (f x), (f y); auto. apply perm_swap.
  - eauto using Permutation_trans.
Qed.

Lemma nodup_join {A} (l m : list A) : NoDup l -> NoDup m -> (forall x, In x l -> ~ In x m) -> NoDup (l ++ m).
Proof.
  induction l as [|x l IH]; simpl; auto. intros N M H. apply NoDup_cons_iff in N. destruct N as (N & L).
  constructor; [|apply IH; auto]. rewrite in_app_iff. intros [I|I]; auto. now apply (H x (or_introl eq_refl)).
Qed.

Lemma in_moved q z : In z (moved_cards q) <-> In z deck /\ ~ In z (placed q).
Proof. unfold moved_cards. now rewrite filter_In, is_moved_iff. Qed.

Lemma moved_after q x others q' : known q -> removed q x others q' ->
  Permutation (moved_cards q') (x :: others ++ moved_cards q).
Proof.
  intros (N & I) [P _ _]. pose proof N as M. apply (Permutation_NoDup P) in M.
  assert (E : forall z, In z (placed q) <-> In z (x :: others) \/ In z (placed q')).
  { intros z. rewrite P, app_comm_cons, in_app_iff. tauto. }
  rewrite app_comm_cons in *. apply NoDup_Permutation.
  - now apply NoDup_filter.
  - apply nodup_join; [now apply nodup_left in M|now apply NoDup_filter|].
    intros z J. rewrite in_moved, E. tauto.
  - intros z. rewrite in_app_iff, !in_moved, E. split.
    + intros (D & H). destruct (in_dec card_eq z (x :: others)); tauto.
    + intros [J|J]; [|tauto]. split; [apply I, E; now left|]. intros K. now apply (nodup_apart _ _ z M).
Qed.

Lemma filter_filter {A} (f g : A -> bool) l : filter f (filter g l) = filter (fun z => g z && f z) l.
Proof.
  induction l as [|x l IH]; simpl; auto. destruct (g x); simpl; rewrite IH; auto.
Qed.

Lemma has_space_iff q : has_space R deck q = kings_go &&
  (length (filter (is_king R) (moved_cards q)) <? length (filter is_vacant (columns q))).
Proof. unfold has_space, kings_go, count, moved_cards. rewrite filter_filter. now destruct (spaces R). Qed.

Lemma count_less f g : (forall z, In z deck -> f z = true -> g z = true) -> count deck f <= count deck g.
Proof.
  unfold count. clear draws deck_once deck_ranks. induction deck as [|x l IH]; simpl; auto. intros H.
  assert (IH' : length (filter f l) <= length (filter g l)) by (apply IH; intros; apply H; auto).
  specialize (H x (or_introl eq_refl)). destruct (f x); [rewrite H by auto|]; simpl; [lia|].
  destruct (g x); simpl; lia.
Qed.

(** * What can be done *)

Section Inside.
Variables (start : position) (ups came : list card) (space : bool).
Notation moved := (moved_cards start).
Notation shown := (shown_cards start).
Notation Bare := (ever_bare moved shown ups came).
Notation Shown := (ever_shown shown came).
Notation Free := (ever_free moved shown ups came space).
Notation Leaves := (can_leave moved shown ups came space).
Notation Opened := (is_opened start moved shown ups came space).
Notation Offered := (ever_offered start Opened).
Notation Closed := (is_closed_column start moved shown ups came space).

Hypothesis start_known : known start.
Hypothesis refutes : is_refuted start moved shown ups came space = true.

Lemma refutes_parts : ~ incl deck ups /\ incl (foundations start) ups /\
  (forall x, In x deck -> incl (lower R x) ups -> (Shown x = true /\ Bare x = true) \/ Offered x = true -> In x ups) /\
  (forall x, In x deck -> Offered x = true -> Free x = true -> In x came) /\
  (forall c, In c (columns start) -> Closed (length c) c = true) /\
  (forall x, In x (foundations start) -> may_come_back R x -> Free x = true ->
    (forall y, In y (foundations start) -> In x (lower R y) -> In y came) -> In x came) /\
  (space = false -> kings_go = true -> has_space R deck start = false /\
    forall x, In x deck -> is_king R x = true -> In x ups -> In x (foundations start)).
Proof.
  pose proof refutes as H. unfold is_refuted in H. rewrite !andb_true_iff, negb_true_iff, !forallb_forall in H.
  destruct H as ((((((A & B) & C) & D) & E) & F) & G). repeat split; auto.
  - intros I. apply all_in_iff in I. congruence.
  - now apply all_in_iff.
  - intros x I L O. specialize (C x I). unfold stays_down in C.
    rewrite !orb_true_iff, !negb_true_iff, member_iff in C. apply all_in_iff in L. rewrite L in C.
    destruct C as [[C|C]|C]; auto; [discriminate|]. apply orb_false_iff in C. destruct C as (C1 & C2).
    apply andb_false_iff in C1. destruct O as [(O1 & O2)|O]; [destruct C1|]; congruence.
  - intros x I O Fr. specialize (D x I). rewrite O, Fr in D. simpl in D. now apply member_iff.
  - intros x I Ba Fr H. specialize (F x I). unfold stays_up in F. apply can_come_back_iff in Ba. rewrite Ba, Fr in F.
    simpl in F. apply orb_true_iff in F. rewrite member_iff, existsb_exists in F. destruct F as [F|(y & J & K)]; auto.
    apply andb_true_iff in K. rewrite member_iff, not_member_iff in K. destruct K as (K & N). exfalso. auto.
  - rewrite H, H0 in G. simpl in G. apply andb_true_iff in G. now apply negb_true_iff.
  - intros x I K U. rewrite H, H0 in G. simpl in G. apply andb_true_iff in G. destruct G as (_ & G).
    rewrite forallb_forall in G. specialize (G x I). rewrite K in G. apply member_iff in U. rewrite U in G.
    now apply member_iff.
Qed.

(* q is reached from the start, with these cards in hand. *)
Record inside (hand : list card) (q : position) : Prop := {
  inside_known : known q;
  inside_face : face_down q = face_down start;
  inside_ups : incl (foundations q) ups;
  inside_columns : Forall (fun c => exists n, Closed n c = true) (columns q);
  inside_stock : incl (all_cards (turning q)) (all_cards (turning start));
  inside_opened : Opened = false -> turning q = turning start;
  inside_reserve : incl (open_reserve q) (open_reserve start);
  inside_shown : forall z, ~ In z hand -> In z deck -> is_shown q z = true -> Shown z = true;
  inside_moved : forall z, is_moved start z = true -> In z (placed q) -> In z (foundations q);
  inside_down : forall z, ~ In z hand -> In z (foundations start) -> In z (foundations q) \/ In z came;
  inside_risen : forall z, In z (foundations q) -> In z (foundations start) \/ Shown z = true \/ Offered z = true;
  inside_space : space = false -> has_space R deck q = false;
  inside_kings : space = false -> kings_go = true -> forall z, ~ In z hand -> is_king R z = true ->
    In z (foundations start) -> In z (foundations q) }.

Lemma inside_start : inside [] start.
Proof.
  destruct refutes_parts as (_ & U & _ & _ & C & _ & S). constructor; auto; try easy.
  - apply Forall_forall. intros c I. exists (length c). auto.
  - intros z _ D H. unfold ever_shown. apply orb_true_iff. left. apply member_iff, filter_In. auto.
  - intros z M I. now apply is_moved_iff in M.
  - intros E. destruct kings_go eqn:K; [now apply S|]. now rewrite has_space_iff, K.
Qed.

Lemma bare_ever q y : inside [] q -> is_bare R deck q y = true -> Bare y = true.
Proof.
  intros I B. destruct (Bare y) eqn:E; auto. exfalso. unfold ever_bare in E. rewrite !orb_false_iff in E.
  destruct E as ((W & C) & M). unfold was_bare, moved_cards, shown_cards in W. rewrite !filter_filter in W.
  apply Nat.ltb_ge in W. unfold is_bare in B. apply Nat.ltb_lt in B.
  assert (S : count deck (fun z => is_shown q z && alike R z y) <= count deck (fun z => is_shown start z && alike R z y)).
  { apply count_less. intros z D. rewrite !andb_true_iff. intros (Z & A). split; auto.
    apply (inside_shown _ _ I) in Z; auto. apply orb_true_iff in Z. rewrite !member_iff in Z. destruct Z as [Z|Z].
    - now apply filter_In in Z.
    - exfalso. apply not_true_iff_false in C. apply C, existsb_exists. eauto. }
  assert (N : count deck (fun z => is_moved start z && fits R z y) <= count deck (fun z => is_moved q z && fits R z y)).
  { apply count_less. intros z D. rewrite !andb_true_iff. intros (Z & F). split; auto. apply is_moved_iff. intros P.
    apply (inside_moved _ _ I _ Z) in P. apply (inside_ups _ _ I) in P.
    apply not_true_iff_false in M. apply M, existsb_exists. exists z. split; [now apply filter_In|].
    now rewrite F, (proj2 (member_iff z ups) P). }
  unfold count in *. lia.
Qed.

Lemma free_ever q x : inside [] q -> is_free R deck q x = true -> Free x = true.
Proof.
  intros I F. unfold is_free in F. apply orb_true_iff in F. unfold ever_free. apply orb_true_iff. destruct F as [F|F].
  - left. apply andb_true_iff in F. destruct F as (-> & S). destruct space eqn:E; auto.
    rewrite (inside_space _ _ I E) in S. discriminate.
  - right. apply existsb_exists in F. destruct F as (y & D & F). apply existsb_exists. exists y. split; auto.
    unfold is_free_at in F. rewrite !andb_true_iff in *. destruct F as ((A & B) & C). repeat split; auto.
    + apply (inside_shown _ _ I); auto.
    + now apply (bare_ever q).
Qed.

Lemma king_not_free x : space = false -> is_king R x = true -> Free x = false.
Proof.
  intros S K. unfold ever_free. rewrite S, andb_false_r. simpl. apply not_true_iff_false. rewrite existsb_exists.
  intros (y & D & H). rewrite !andb_true_iff in H. destruct H as ((H & _) & _).
  rewrite (king_fits R deck rules_ok deck_ranks) in H; auto; discriminate.
Qed.

(** * Taking up, and putting down *)

Lemma removed_in q x others q' z : removed q x others q' -> In z (placed q) ->
  z = x \/ In z others \/ In z (placed q').
Proof. intros [P _ _] I. rewrite P in I. simpl in I. rewrite in_app_iff in I. intuition. Qed.

Lemma removed_not q x others q' : known q -> removed q x others q' -> ~ In x (placed q').
Proof.
  intros (N & _) [P _ _] I. apply (Permutation_NoDup P) in N. apply NoDup_cons_iff in N. destruct N as (N & _).
  apply N, in_or_app. now right.
Qed.

Lemma in_foundations q z : In z (foundations q) -> In z (placed q).
Proof. intros I. unfold placed. rewrite !in_app_iff. auto. Qed.

Lemma in_reserve q z : In z (open_reserve q) -> In z (placed q).
Proof. intros I. unfold placed. rewrite !in_app_iff. auto. Qed.

Lemma in_stock q z : In z (all_cards (turning q)) -> In z (placed q).
Proof. intros I. unfold placed. rewrite !in_app_iff. auto. Qed.

Lemma in_tops q z : In z (tops q) -> In z (placed q).
Proof. intros I. apply tops_in in I. unfold placed. rewrite in_app_iff. auto. Qed.

Lemma came_shown x : In x came -> Shown x = true.
Proof. intros I. apply member_iff in I. unfold ever_shown. now rewrite I, orb_true_r. Qed.

(* The parts that are alike for all sources. *)
Lemma inside_removed q x others q' : inside [] q -> removed q x others q' -> incl others came ->
  incl (foundations q') (foundations q) ->
  (forall z, z <> x -> In z (foundations q) -> In z (foundations q')) ->
  Forall (fun c => exists n, Closed n c = true) (columns q') ->
  (forall z, In z (tops q') -> In z (tops q) \/ In z came) ->
  incl (all_cards (turning q')) (all_cards (turning start)) ->
  (Opened = false -> turning q' = turning start) ->
  incl (open_reserve q') (open_reserve start) ->
  (space = false -> kings_go = true -> length (filter is_vacant (columns q')) <=
    length (filter (is_king R) others) + length (filter is_vacant (columns q))) ->
  inside [x] q'.
Proof.
  intros I Re Oc Fi Fo Cl To St Op Rv Va. pose proof (removed_not _ _ _ _ (inside_known _ _ I) Re) as Nx.
  constructor; auto.
  - exact (removed_known _ _ _ _ Re).
  - rewrite (removed_face _ _ _ _ Re). exact (inside_face _ _ I).
  - intros z J. apply (inside_ups _ _ I). auto.
  - intros z H D S. apply is_shown_iff in S. destruct S as [S|S].
    + destruct (To z S) as [T|T]; [|now apply came_shown]. apply (inside_shown _ _ I); auto.
      apply is_shown_iff. auto.
    + destruct (in_dec card_eq z (placed q)) as [P|P].
      * destruct (removed_in _ _ _ _ _ Re P) as [->|[O|O]]; [exfalso; apply H; now left| |tauto].
        apply came_shown, Oc, O.
      * apply (inside_shown _ _ I); auto. apply is_shown_iff. auto.
  - intros z M P. apply Fo; [intros ->; tauto|]. apply (inside_moved _ _ I _ M).
    rewrite (removed_placed _ _ _ _ Re). right. apply in_or_app. now right.
  - intros z H Z. destruct (inside_down _ _ I z (fun f => f) Z) as [J|J]; auto. left. apply Fo; auto.
    intros ->. apply H. now left.
  - intros z Z. apply (inside_risen _ _ I). auto.
  - intros S. pose proof (inside_space _ _ I S) as H. rewrite has_space_iff in *. destruct kings_go eqn:G; auto.
    simpl in *. apply Nat.ltb_ge. apply Nat.ltb_ge in H. specialize (Va S eq_refl).
    rewrite (Permutation_length (filter_permutation (is_king R) _ _ (moved_after _ _ _ _ (inside_known _ _ I) Re))).
    simpl. rewrite filter_app. destruct (is_king R x); simpl; rewrite app_length; lia.
  - intros S G z H K Z. apply Fo; [intros ->; apply H; now left|]. apply (inside_kings _ _ I); auto.
Qed.

Lemma leaves_inside q x q' : inside [] q -> leaves R q x q' -> Leaves x = true ->
  Shown x = true /\ inside [x] q' /\ foundations q' = foundations q /\ In x (placed q).
Proof.
  intros I L C. destruct (leaves_removed _ _ _ (inside_known _ _ I) L) as (left & below & right & E & -> & Re).
  assert (T : In x (tops q)) by (unfold tops; rewrite E; apply top_of_whole).
  assert (D : In x deck) by (apply (inside_known _ _ I); now apply in_tops).
  pose proof (inside_columns _ _ I) as Cl. rewrite E in Cl. apply Forall_middle in Cl. destruct Cl as (Cl & (n & Cx)).
  destruct n as [|n]; simpl in Cx; rewrite C in Cx; simpl in Cx; [discriminate|].
  rewrite !andb_true_iff in Cx. destruct Cx as ((Ca & Sp) & Cx). apply all_in_iff in Ca.
  rewrite <- (inside_face _ _ I) in Ca, Cx. split; [|split; [|split; auto]].
  - apply (inside_shown _ _ I); auto. apply is_shown_iff. auto.
  - eapply inside_removed; eauto; cbn [foundations with_columns columns turning open_reserve]; auto.
    + intros z J. apply Ca, in_or_app. auto.
    + apply incl_refl.
    + apply Forall_middle. split; eauto.
    + unfold tops. cbn [columns with_columns]. rewrite E. intros z. rewrite !flat_map_app, !in_app_iff.
      cbn [flat_map]. rewrite !in_app_iff. intros [J|[J|J]]; auto. right. apply Ca, in_or_app. auto.
    + apply (inside_stock _ _ I).
    + apply (inside_opened _ _ I).
    + apply (inside_reserve _ _ I).
    + intros S K. rewrite E, !filter_app. cbn [filter]. rewrite !app_length.
      destruct (is_vacant (dealt R (face_down q) below)) eqn:V; simpl; [|destruct (is_vacant _); simpl; lia].
      destruct (dealt R (face_down q) below) as [|? ?] eqn:Z; [|discriminate].
      rewrite S, K in Sp. simpl in Sp. destruct below as [|b below]; [discriminate|].
      destruct (dealt_split R (face_down q) (face_down q) (b :: below)) as (m & Em & [_ Ok _ _]); auto.
      rewrite Z, app_nil_r in Em. unfold on_king in Ok. cbn [fst snd] in Ok.
      pose proof (taken_off_split (face_down q) (b :: below)) as W. rewrite Z, app_nil_r in W. rewrite <- W.
      destruct (Ok Z) as [?|(a & k & M & Kk)]; [subst; discriminate|]. rewrite Em, M, filter_app. simpl.
      rewrite Kk, app_length. simpl. lia.
  - now apply in_tops.
Qed.

Lemma offered_ever q x q' : inside [] q -> offered R q x q' -> Offered x = true.
Proof.
  intros I O. assert (S : In x (all_cards (turning q))).
  { destruct O as [st wa n T]. apply turns_all_cards in T. rewrite <- T. apply in_all_cards. left. now left. }
  unfold ever_offered. apply orb_true_iff. right. destruct Opened eqn:Op.
  - apply member_iff, (inside_stock _ _ I), S.
  - destruct (offers_complete R draws _ _ _ O) as (t & J & _). unfold offers in *.
    rewrite (inside_opened _ _ I Op) in J. apply in_map_iff in J. destruct J as ((y & u) & Ey & J). inversion Ey; subst.
    apply existsb_exists. exists (x, with_turning start t). split; [|now apply same_card_iff].
    apply in_map_iff. exists (x, t). auto.
Qed.

Lemma taken_inside q x q' : inside [] q -> taken R q x q' ->
  Offered x = true /\ foundations q' = foundations q /\ In x (placed q) /\ (Leaves x = true -> inside [x] q').
Proof.
  intros I T. destruct (taken_removed _ _ _ (inside_known _ _ I) T) as (Re & Ec & Ef).
  assert (P : In x (placed q)) by (rewrite (removed_placed _ _ _ _ Re); now left).
  assert (O : Offered x = true).
  { destruct T as [l r E | q' O]; [|eapply offered_ever; eauto]. unfold ever_offered. apply orb_true_iff. left.
    apply member_iff, (inside_reserve _ _ I). rewrite E. apply in_or_app. right. now left. }
  split; [exact O|]. split; [exact Ef|]. split; [exact P|]. intros C.
  apply (inside_removed q x [] q'); auto; try rewrite Ef; auto using incl_refl, incl_nil_l.
  - rewrite Ec. apply (inside_columns _ _ I).
  - unfold tops. rewrite Ec. auto.
  - destruct T as [l r E | q' [st wa n T]]; [apply (inside_stock _ _ I)|]. intros z J. apply (inside_stock _ _ I).
    apply turns_all_cards in T. rewrite <- T. apply in_all_cards. apply in_all_cards in J. simpl in *. tauto.
  - destruct T as [l r E | q' O']; [apply (inside_opened _ _ I)|]. intros Op. exfalso.
    apply not_true_iff_false in Op. apply Op. pose proof (offered_ever _ _ _ I O') as Of. unfold ever_offered in Of.
    apply not_true_iff_false in Op. rewrite Op in Of.
    destruct (offers_complete R draws _ _ _ O') as (t & J & _). unfold offers in J.
    rewrite (inside_opened _ _ I Op) in J. apply in_map_iff in J. destruct J as ((y & u) & Ey & J). inversion Ey; subst.
    unfold is_opened. apply existsb_exists. exists (x, with_turning start t). split; auto.
    unfold offers. apply in_map_iff. exists (x, t). auto.
  - destruct T as [l r E | q' [st wa n T]]; [|apply (inside_reserve _ _ I)]. intros z J. apply (inside_reserve _ _ I).
    rewrite E. simpl in J. rewrite in_app_iff in *. simpl. tauto.
  - rewrite Ec. simpl. lia.
Qed.

Lemma returns_inside q x q' : inside [] q -> returns R q x q' -> inside [x] q'.
Proof.
  intros I T. destruct (returns_removed _ _ _ (inside_known _ _ I) T) as (Re & Ec).
  apply (inside_removed q x [] q'); auto using incl_nil_l.
  - destruct T. simpl. intros z J. now apply filter_In in J.
  - destruct T. simpl. intros z Ne J. apply filter_In. split; auto. apply negb_true_iff, not_true_iff_false.
    rewrite same_card_iff. congruence.
  - rewrite Ec. apply (inside_columns _ _ I).
  - unfold tops. rewrite Ec. auto.
  - destruct T. apply (inside_stock _ _ I).
  - destruct T. apply (inside_opened _ _ I).
  - destruct T. apply (inside_reserve _ _ I).
  - rewrite Ec. simpl. lia.
Qed.

Lemma put_down_inside q x : inside [x] q -> Shown x = true ->
  (In x (foundations start) -> In x came /\ (space = false -> is_king R x = true -> False)) -> inside [] q.
Proof.
  intros I S B. destruct I as [Ik If Iu Ic Is Io Ir Ish Im Id Iri Isp Iki]. constructor; auto.
  - intros z _ D H. destruct (card_eq z x) as [->|Ne]; auto. apply Ish; auto. intros [E|[]]; congruence.
  - intros z _ Z. destruct (card_eq z x) as [->|Ne]; [right; now apply B|]. apply Id; auto. intros [E|[]]; congruence.
  - intros S' G z _ K Z. destruct (card_eq z x) as [->|Ne]; [exfalso; now apply (proj2 (B Z))|].
    apply Iki; auto. intros [E|[]]; congruence.
Qed.

Lemma hold_inside q x : inside [] q -> inside [x] q.
Proof. intros [Ik If Iu Ic Is Io Ir Ish Im Id Iri Isp Iki]. constructor; auto. Qed.

Lemma put_up_inside q x : inside [x] q -> In x deck -> ~ In x (placed q) -> In x ups ->
  Shown x = true \/ Offered x = true -> (space = false -> kings_go = true -> is_king R x = false) ->
  inside [] (up_in q x).
Proof.
  intros I D N U S Nk. destruct I as [(Ik & Ii) If Iu Ic Is Io Ir Ish Im Id Iri Isp Iki].
  assert (P : Permutation (placed (up_in q x)) (x :: placed q)).
  { unfold placed. simpl. now rewrite <- !Permutation_middle. }
  assert (Kn : known (up_in q x)).
  { split.
    - apply (Permutation_NoDup (Permutation_sym P)). now constructor.
    - intros z J. rewrite P in J. destruct J as [<-|J]; auto. }
  assert (Hd : forall z, z <> x -> ~ In z [x]) by (intros z Ne [E|[]]; congruence).
  constructor; auto.
  - intros z [<-|J]; auto.
  - intros z _ Dz H. apply is_shown_iff in H. assert (Ne : z <> x).
    { intros ->. destruct H as [H|H]; [apply N, in_tops, H|]. apply H. rewrite P. now left. }
    apply Ish; auto. apply is_shown_iff. destruct H as [H|H]; auto. right. intros J. apply H. rewrite P. now right.
  - intros z M J. rewrite P in J. destruct J as [<-|J]; [now left|]. right. now apply Im.
  - intros z _ Z. destruct (card_eq z x) as [->|Ne]; [left; now left|]. destruct (Id z (Hd z Ne) Z); auto.
    left. now right.
  - intros z [<-|J]; auto.
  - intros Sp. specialize (Isp Sp). rewrite has_space_iff in *. destruct kings_go eqn:G; auto. simpl in *.
    apply Nat.ltb_ge. apply Nat.ltb_ge in Isp.
    assert (Re : removed (up_in q x) x [] q) by (split; auto; split; auto).
    pose proof (moved_after _ _ _ _ Kn Re) as Pm. apply (filter_permutation (is_king R)), Permutation_length in Pm.
    simpl in Pm. rewrite Nk in Pm by auto. lia.
  - intros Sp G z _ K Z. destruct (card_eq z x) as [->|Ne]; [now left|]. right. apply Iki; auto.
Qed.

(** * Moves *)

Lemma next_up q x : inside [] q -> is_next R q x -> incl (lower R x) ups.
Proof. intros I N y J. apply (inside_ups _ _ I). now apply N. Qed.

Lemma up_leaves x : In x ups -> Leaves x = true.
Proof. intros U. apply member_iff in U. unfold can_leave. now rewrite U. Qed.

Lemma free_leaves x : Free x = true -> Leaves x = true.
Proof. intros F. unfold can_leave. now rewrite F, orb_true_r. Qed.

Lemma not_up_twice q x : known q -> In x (foundations q) -> forall others q', removed q x others q' ->
  foundations q' = foundations q -> False.
Proof.
  intros K U others q' Re E. apply (removed_not _ _ _ _ K Re). apply in_foundations. now rewrite E.
Qed.

Lemma rising_king x : In x deck -> In x ups -> space = false -> kings_go = true -> is_king R x = true ->
  In x (foundations start).
Proof. intros D U S G K. destruct refutes_parts as (_ & _ & _ & _ & _ & _ & H). now apply H. Qed.

Lemma inside_step q q' : inside [] q -> quotient_move R deck q q' -> inside [] q'.
Proof.
  intros I M. destruct refutes_parts as (_ & _ & Ri & Of & _ & Rt & _). pose proof (inside_known _ _ I) as K.
  assert (Down : forall x others q1, removed q x others q1 -> foundations q1 = foundations q ->
    In x (foundations start) -> In x came /\ (space = false -> kings_go = true -> is_king R x = true -> False)).
  { intros x others q1 Re E F. split.
    - destruct (inside_down _ _ I x (fun f => f) F) as [U|]; auto. exfalso. now apply (not_up_twice q x K U others q1).
    - intros S G Kx. apply (not_up_twice q x K) with others q1; auto. apply (inside_kings _ _ I); auto. }
  destruct M as [x D Mo B N | x q1 L B N | x q1 T N | x q1 L F | x q1 T F | x q1 T F].
  - apply is_moved_iff in Mo. assert (S : Shown x = true).
    { apply (inside_shown _ _ I); auto. apply is_shown_iff. auto. }
    assert (U : In x ups) by (apply Ri; eauto using next_up, bare_ever).
    apply put_up_inside; auto using hold_inside. intros Sp G. apply not_true_iff_false. intros Kx.
    apply Mo, in_foundations, (inside_kings _ _ I); auto. now apply rising_king.
  - assert (D : In x deck).
    { apply K. destruct L as [l b r E]. apply in_tops. unfold tops. rewrite E. apply top_of_whole. }
    assert (S : Shown x = true).
    { apply (inside_shown _ _ I); auto. apply is_shown_iff. left. destruct L as [l b r E]. unfold tops. rewrite E.
      apply top_of_whole. }
    assert (U : In x ups) by (apply Ri; eauto using next_up, bare_ever).
    destruct (leaves_inside q x q1 I L (up_leaves _ U)) as (_ & I1 & Ef & _).
    destruct (leaves_removed _ _ _ K L) as (l & b & r & _ & _ & Re).
    apply put_up_inside; auto; [exact (removed_not _ _ _ _ K Re)|]. intros Sp G. apply not_true_iff_false. intros Kx.
    apply (Down x _ _ Re Ef); auto. now apply rising_king.
  - destruct (taken_inside q x q1 I T) as (O & Ef & P & I1). apply K in P.
    assert (U : In x ups) by (apply Ri; eauto using next_up).
    destruct (taken_removed _ _ _ K T) as (Re & _).
    apply put_up_inside; auto using up_leaves; [exact (removed_not _ _ _ _ K Re)|]. intros Sp G.
    apply not_true_iff_false. intros Kx. apply (Down x _ _ Re Ef); auto. now apply rising_king.
  - apply (free_ever q x I) in F. destruct (leaves_inside q x q1 I L (free_leaves _ F)) as (S & I1 & Ef & _).
    destruct (leaves_removed _ _ _ K L) as (l & b & r & _ & _ & Re).
    apply (put_down_inside q1 x); auto. intros U. split; [now apply (Down x _ _ Re Ef)|].
    intros Sp Kx. rewrite (king_not_free x Sp Kx) in F. discriminate.
  - apply (free_ever q x I) in F. destruct (taken_inside q x q1 I T) as (O & Ef & P & I1). apply K in P.
    assert (C : In x came) by auto. destruct (taken_removed _ _ _ K T) as (Re & _).
    apply (put_down_inside q1 x); auto using free_leaves, came_shown. intros U. split; auto.
    intros Sp Kx. rewrite (king_not_free x Sp Kx) in F. discriminate.
  - apply (free_ever q x I) in F. pose proof (returns_inside _ _ _ I T) as I1. destruct T as [X Ba H].
    assert (Dx : In x deck) by (apply K, in_foundations, X).
    assert (Down' : In x (foundations start) -> In x came).
    { intros Z. apply Rt; auto. intros y Y L. destruct (inside_down _ _ I y (fun f => f) Y) as [Y'|]; auto.
      exfalso. exact (H y Y' L). }
    apply (put_down_inside _ x); auto.
    + destruct (inside_risen _ _ I x X) as [Z|[Z|Z]]; auto using came_shown.
    + intros Z. split; auto. intros Sp Kx. rewrite (king_not_free x Sp Kx) in F. discriminate.
Qed.

Lemma inside_lost n : forall q, inside [] q -> ~ wins R deck n q.
Proof.
  destruct refutes_parts as (A & _). induction n as [|n IH]; intros q I W; inversion W; subst.
  - apply A. intros x D. apply (inside_ups _ _ I). auto.
  - apply (IH q'); eauto using inside_step.
Qed.

Theorem refuted_lost n : ~ wins R deck n start.
Proof. apply inside_lost, inside_start. Qed.
End Inside.
End Refuted.
