(* Safe cards that go up at once: theorem 2 of docs/proofs/cut.md, and the theorem of docs/proofs/safe.md.

   Claims. A position of a game with safe cards is ahead of a real one ([ahead]) if it is the easier position in which
   some cards are absent: those that are absent anyway, and those of a set S of cards that are on its foundations. S
   contains with each card those that go up before it and those that fit it, and all of them are gone or the next of
   their suits. After a real move, the position is still ahead; or one of its moves leads to one that is, or to one that
   is already ahead before the real move and has fewer cards left ([ahead_step]). When a card goes up whose set is such
   a one, the position stays ahead ([rise_ahead]). So a game that can be won can be won from each position that is ahead
   ([ahead_winnable]). *)
Require Import List Bool Arith Lia Permutation.
Import ListNotations.
From Patience Require Import Game Cards Stock Simulation Certificate Moves Checker.

(** * All cards of a position *)

Definition left_over (s : position) : list card :=
  concat (columns s) ++ cells s ++ open_reserve s ++ reserve s ++ all_cards (turning s).

Definition cards_of (s : position) : list card := left_over s ++ foundations s.

Ltac count_cards :=
  apply (Permutation_count_occ card_eq); intros ?c; unfold cards_of, left_over; simpl;
  repeat first [rewrite count_occ_app | rewrite concat_app | progress simpl];
  repeat match goal with |- context [card_eq ?a ?b] => destruct (card_eq a b) end; lia.

Section Ahead.
Variable R : rules.

Lemma lift_cards p u x q : lift R p u x q -> Permutation (cards_of p) (u ++ x :: cards_of q) /\ hole q = hole p.
Proof.
  intros [l u' x' b r E G D | l x' r E | l x' r E | x' k E D | l x' r E B H]; split; auto;
    unfold cards_of, left_over; rewrite E; count_cards.
Qed.

(* A card that is not on a foundation is lifted. *)
Lemma lift_left_over p u x q : lift R p u x q -> ~ In x (foundations p) ->
  Permutation (left_over p) (u ++ x :: left_over q) /\ foundations q = foundations p.
Proof.
  intros [l u' x' b r E G D | l x' r E | l x' r E | x' k E D | l x' r E B H] N; split; auto;
    try (unfold left_over; rewrite E; count_cards); exfalso; apply N; rewrite E; apply in_or_app; right; now left.
Qed.

Lemma offered_left_over p x q : offered R p x q ->
  Permutation (left_over p) (x :: left_over q) /\ foundations q = foundations p /\ hole q = hole p.
Proof.
  intros [st wa n T]. repeat split; auto. apply turns_all_cards in T. unfold left_over. rewrite <- T. unfold all_cards.
  count_cards.
Qed.

Lemma put_cards absent p u x r : put R absent p u x r -> hole p = None ->
  Permutation (cards_of r) (u ++ x :: cards_of p) /\ hole r = None.
Proof.
  intros [l u' x' y b r' E D F | l u' x' r' E M | x' L | x' H L | x' h H B] N; try congruence; split; auto;
    unfold cards_of, left_over; rewrite ?E; count_cards.
Qed.

Lemma settled_parts p : Permutation (left_over (settled R p)) (left_over p) /\
  foundations (settled R p) = foundations p /\ hole (settled R p) = hole p.
Proof.
  assert (F : Permutation (left_over (filled R p)) (left_over p) /\ foundations (filled R p) = foundations p /\
    hole (filled R p) = hole p).
  { apply (filled_preserves R (fun q => Permutation (left_over q) (left_over p) /\ foundations q = foundations p /\
      hole q = hole p)); auto.
    intros q a b x k _ (P & F & H) E K. repeat split; auto. rewrite <- P. unfold left_over. rewrite E, K. count_cards. }
  exact F.
Qed.

Lemma settled_cards p : Permutation (cards_of (settled R p)) (cards_of p).
Proof. destruct (settled_parts p) as (P & F & _). unfold cards_of. now rewrite P, F. Qed.

Definition in_deck (x : card) : bool := (1 <=? rank x) && (rank x <=? ranks R).

(* Each card once, all of the deck, and no hole. *)
Record proper (s : position) : Prop := {
  proper_once : NoDup (cards_of s);
  proper_deck : forall x, In x (cards_of s) -> in_deck x = true;
  proper_hole : hole s = None }.

Lemma proper_same s t : proper s -> Permutation (cards_of t) (cards_of s) -> hole t = hole s -> proper t.
Proof.
  intros [N D H] P E. constructor.
  - now rewrite P.
  - intros x I. apply D. now rewrite <- P.
  - congruence.
Qed.

Lemma offered_cards p x q : offered R p x q -> Permutation (cards_of p) (x :: cards_of q).
Proof. intros O. destruct (offered_left_over _ _ _ O) as (P & F & _). unfold cards_of. now rewrite P, F. Qed.

Lemma move_cards absent p q : move R absent p q -> hole p = None ->
  Permutation (cards_of q) (cards_of p) /\ hole q = None.
Proof.
  intros M N. destruct M as [u x l r L P | x l r O P | x st wa n h H E Ho | x h _ Ho _]; [| |congruence|congruence];
    destruct (settled_parts r) as (_ & _ & ->); rewrite settled_cards.
  - destruct (lift_cards _ _ _ _ L) as (C & H). rewrite N in H. destruct (put_cards _ _ _ _ _ P H) as (-> & ?).
    split; auto. now symmetry.
  - destruct (offered_left_over _ _ _ O) as (_ & _ & H). rewrite N in H. destruct (put_cards _ _ _ _ _ P H) as (-> & ?).
    split; auto. symmetry. now apply offered_cards.
Qed.

Lemma move_proper absent p q : move R absent p q -> proper p -> proper q.
Proof.
  intros M W. destruct (move_cards _ _ _ M (proper_hole _ W)) as (C & H).
  apply (proper_same p); auto. now rewrite H, (proper_hole _ W).
Qed.

(** * Positions that are ahead *)

Definition gone absent (s : position) (x : card) : Prop := In x (foundations s) \/ In x absent.

(* S contains with each card those that go up before it, and those that fit it. *)
Record needs (S : list card) : Prop := {
  needs_lower : forall x y, In x S -> In y (lower R x) -> In y S;
  needs_fitting : moving_on R <> AnyCards -> forall x y, In x S -> in_deck y = true -> fits R y x = true -> In y S }.

Definition ready S absent (s : position) : Prop :=
  forall x, In x S -> gone absent s x \/ (forall y, In y (lower R x) -> gone absent s y).

(* The cards of S that are up, and s without them. *)
Definition early (S : list card) (s : position) : list card := filter (fun x => member x S) (foundations s).
Definition without S (s : position) : position := with_foundations s (live S (foundations s)).

(* If any cards move with those on them, all of S are up, and so are the cards that fit them; those stay there. *)
Record fixed (S : list card) absent (s : position) : Prop := {
  fixed_gone : forall x, In x S -> gone absent s x;
  fixed_fitting : forall x y, In x S -> in_deck y = true -> fits R y x = true ->
    In y S \/ (removable R = false /\ gone absent s y) }.

Record ahead absent (p s : position) (S : list card) : Prop := {
  ahead_needs : needs S;
  ahead_ready : ready S absent s;
  ahead_fixed : moving_on R = AnyCards -> fixed S absent s;
  ahead_order : orderly R (early S s ++ absent) p;
  ahead_shadow : shadow R (early S s ++ absent) p (without S s) }.

Lemma fixed_more S absent more s t : fixed S absent s -> (forall x, In x S -> gone absent s x -> gone more t x) ->
  (removable R = false -> forall x, gone absent s x -> gone more t x) -> fixed S more t.
Proof.
  intros [F G] H K. split; auto. intros x y I D Fi. destruct (G x y I D Fi) as [J|(N & J)]; auto.
Qed.

Lemma in_early S s x : In x (early S s) <-> In x (foundations s) /\ In x S.
Proof. unfold early. rewrite filter_In, member_iff. tauto. Qed.

Lemma in_without S s x : In x (foundations (without S s)) <-> In x (foundations s) /\ ~ In x S.
Proof. unfold without. simpl. rewrite filter_In. now rewrite live_iff. Qed.

Lemma in_live absent (l : list card) x : In x (live absent l) <-> In x l /\ ~ In x absent.
Proof. rewrite filter_In. now rewrite live_iff. Qed.

Lemma live_ext absent more (l : list card) : (forall x, In x l -> (In x absent <-> In x more)) ->
  live absent l = live more l.
Proof.
  intros H. apply filter_ext_in. intros x I. apply H in I. apply eq_true_iff_eq. rewrite !live_iff. tauto.
Qed.

(* Only which cards are absent matters. *)
Lemma shadow_same absent more p s : (forall x, In x absent <-> In x more) -> shadow R absent p s -> shadow R more p s.
Proof.
  intros H [(k & o & P & Q & Rs & F) Sd Se So (Sa & Sr) Sf Sh Sg].
  assert (E : forall l, live more l = live absent l) by (intros; apply live_ext; intros; symmetry; apply H).
  constructor; try (rewrite E; auto); auto.
  - exists k, o. rewrite <- (map_ext _ _ E) in P. rewrite <- E in Rs. auto.
  - intros x L. apply Sd. now rewrite H.
  - split; [unfold live_talon in *; now rewrite !E|]. destruct Sr as [D|(N & U)]; auto. right. split; auto.
    intros x I J. apply (U x I). now apply H.
  - destruct Sg as [[->|Sg]|(B & U)]; [left; left|left; now right|right].
    + destruct more as [|x more]; auto. exfalso. apply (H x). now left.
    + split; auto. intros T x I J. apply (U T x I). now apply H.
Qed.

(* Absent cards are nowhere in a shadow. *)
Lemma shadow_live absent p s x : shadow R absent p s -> In x (cards_of s) -> ~ In x absent.
Proof.
  intros [(k & o & P & Q & Rs & F) Sd Se So (Sa & Sr) Sf Sh Sg] I.
  assert (Lk : forall z, In z (k ++ reserve s) -> ~ In z absent).
  { intros z J. rewrite <- Rs in J. apply in_live in J. tauto. }
  unfold cards_of, left_over in I. rewrite !in_app_iff in I. destruct I as [[I|[I|[I|[I|I]]]]|I].
  - apply in_concat in I. destruct I as (c & C & I). rewrite Q in C. apply in_app_or in C. destruct C as [C|C].
    + apply in_map_iff in C. destruct C as (z & <- & Z). destruct I as [<-|[]]. apply Lk. apply in_or_app. auto.
    + assert (C' : In c (map (live absent) (columns p))) by (rewrite P; apply in_or_app; auto).
      apply in_map_iff in C'. destruct C' as (d & <- & _). apply in_live in I. tauto.
  - rewrite Se in I. apply in_live in I. tauto.
  - rewrite So in I. apply in_live in I. tauto.
  - apply Lk. apply in_or_app. auto.
  - apply at_least_all_cards in Sa. rewrite <- Sa in I. apply in_all_cards in I. unfold live_talon in I. simpl in I.
    rewrite !in_live in I. tauto.
  - rewrite Sf in I. apply in_live in I. tauto.
Qed.

Lemma left_over_without S s : left_over (without S s) = left_over s.
Proof. reflexivity. Qed.

Lemma settled_foundations s l : settled R (with_foundations s l) = with_foundations (settled R s) l.
Proof. unfold settled, filled. destruct (spaces R); auto. simpl. now destruct (fill (columns s) (reserve s)). Qed.

Lemma settled_found s : foundations (settled R s) = foundations s.
Proof. apply settled_parts. Qed.

Lemma settled_without S s : settled R (without S s) = without S (settled R s).
Proof. unfold without. now rewrite settled_foundations, settled_found. Qed.

Lemma rest_without S s : at_rest R s -> at_rest R (without S s).
Proof. intros [F U]. constructor; auto. Qed.

(* The shadow of s, if no column, cell or card of the reserve changes but for absent cards. *)
Lemma shadow_parts absent s t :
  Permutation (map (live absent) (columns s)) (columns t) -> face_down t = face_down s ->
  cells t = live absent (cells s) -> open_reserve t = live absent (open_reserve s) ->
  reserve t = live absent (reserve s) -> same_stock R absent s t -> foundations t = live absent (foundations s) ->
  hole t = hole s -> in_scope absent s -> shadow R absent s t.
Proof.
  intros C D Ce O Re St F H Sc. constructor; rewrite ?D, ?Ce, ?O, ?F; auto.
  exists [], (columns t). simpl. auto.
Qed.

(* Absent cards of s, if they are none but those on foundations, and perhaps x. *)
Definition only_up absent (s : position) (l : list card) : Prop :=
  forall y, In y (cards_of s) -> In y absent -> In y l \/ In y (foundations s).

Lemma only_up_live absent s x q : Permutation (left_over s) (x :: left_over q) -> only_up absent s [x] ->
  NoDup (cards_of s) -> forall y, In y (left_over q) -> ~ In y absent.
Proof.
  intros P O N y I J. assert (Is : In y (left_over s)) by (rewrite P; now right).
  destruct (O y) as [[<-|[]]|If]; auto; [apply in_or_app; now left| |].
  - apply nodup_left in N. rewrite P in N. now apply NoDup_cons_iff in N.
  - unfold cards_of in N. apply in_split in Is. destruct Is as (a & b & E). rewrite E in N.
    rewrite <- app_assoc in N. simpl in N. apply NoDup_remove_2 in N. apply N. rewrite !in_app_iff. auto.
Qed.

Lemma live_columns absent cs : (forall y, In y (concat cs) -> ~ In y absent) -> map (live absent) cs = cs.
Proof.
  intros H. rewrite <- (map_id cs) at 2. apply map_ext_in. intros c I. apply live_all. intros y J. apply H.
  apply in_concat. eauto.
Qed.

(* A card leaves its place. In the shadow without it, nothing else changes. *)
Lemma lift_shadow absent s x q : lift R s [] x q -> ~ In x (foundations s) -> NoDup (cards_of s) -> hole s = None ->
  In x absent -> only_up absent s [x] ->
  shadow R absent s (with_foundations q (live absent (foundations s))).
Proof.
  intros L Nf N H A O. destruct (lift_left_over _ _ _ _ L Nf) as (P & F). simpl in P.
  pose proof (only_up_live _ _ _ _ P O N) as Of. apply absent_iff in A.
  assert (St : NoDup (all_cards (turning s))).
  { apply nodup_left in N. unfold left_over in N. do 4 apply nodup_right in N. exact N. }
  remember (@nil card) as u eqn:Eu in L.
  destruct L as [l u' x' b r E G D | l x' r E | l x' r E | x' k E D | l x' r E B Hi].
  5: { exfalso. apply Nf. rewrite E. apply in_or_app. right. now left. }
  all: try subst u'; unfold left_over in Of; simpl in Of;
    assert (Ot : forall y, In y (all_cards (turning s)) -> ~ In y absent)
      by (intros y I; apply Of; rewrite !in_app_iff; tauto);
    apply shadow_parts; simpl; try rewrite E; auto; try (symmetry; apply live_all; intros y I; apply Of;
      rewrite !in_app_iff; tauto); try (rewrite live_columns; auto; intros y I; apply Of; rewrite !in_app_iff; tauto);
    try (split; [rewrite (untouched_live _ _ Ot); apply at_least_refl|right; split; auto]); try (right; auto).
  - rewrite map_app. simpl. rewrite A. rewrite (live_columns absent l), (live_columns absent r), live_all; auto;
      intros y I; apply Of; rewrite !in_app_iff, concat_app, in_app_iff; simpl; rewrite in_app_iff; tauto.
  - rewrite filter_app. simpl. rewrite A. rewrite !live_all; auto; intros y I; apply Of; rewrite !in_app_iff; tauto.
  - rewrite filter_app. simpl. rewrite A. rewrite !live_all; auto; intros y I; apply Of; rewrite !in_app_iff; tauto.
  - simpl. rewrite A. symmetry. apply live_all. intros y I; apply Of; rewrite !in_app_iff; tauto.
Qed.

(* The columns that it leaves. *)
Lemma lift_columns absent s x q : lift R s [] x q -> ~ In x (foundations s) -> NoDup (cards_of s) -> In x absent ->
  only_up absent s [x] -> columns q = map (live absent) (columns s).
Proof.
  intros L Nf N A O. destruct (lift_left_over _ _ _ _ L Nf) as (P & _). simpl in P.
  pose proof (only_up_live _ _ _ _ P O N) as Of. apply absent_iff in A.
  assert (E : map (live absent) (columns q) = columns q).
  { apply live_columns. intros y I. apply Of. unfold left_over. rewrite in_app_iff. auto. }
  remember (@nil card) as u eqn:Eu in L. rewrite <- E.
  destruct L as [l u' x' b r F G D | l x' r F | l x' r F | x' k F D | l x' r F B Hi]; subst; auto.
  rewrite F. simpl. rewrite !map_app. simpl. now rewrite A.
Qed.

(* Absent cards lie on no others. *)
Lemma orderly_nowhere absent s : (forall y, In y (concat (columns s)) -> ~ In y absent) -> orderly R absent s.
Proof.
  intros H. right. right. intros c I. exists [], c. split; auto. split; [easy|]. intros z J. apply H. apply in_concat.
  eauto.
Qed.

Lemma orderly_same absent more s : (forall x, In x absent <-> In x more) -> orderly R absent s -> orderly R more s.
Proof.
  intros H [M|[->|O]]; [now left| |].
  - right. left. destruct more as [|x more]; auto. destruct (proj2 (H x)). now left.
  - right. right. intros c I. destruct (O c I) as (u & v & -> & A & L). exists u, v. split; auto.
    split; intros z J; [apply H, A, J|intros K; apply H in K; exact (L z J K)].
Qed.

Lemma lift_orderly absent s x q : lift R s [] x q -> ~ In x (foundations s) -> NoDup (cards_of s) ->
  only_up absent s [x] -> orderly R absent s.
Proof.
  intros L Nf N O. destruct (lift_left_over _ _ _ _ L Nf) as (P & _). simpl in P.
  pose proof (only_up_live _ _ _ _ P O N) as Of.
  assert (Oq : forall y, In y (concat (columns q)) -> ~ In y absent).
  { intros y I. apply Of. unfold left_over. rewrite in_app_iff. auto. }
  remember (@nil card) as u eqn:Eu in L.
  destruct L as [l u' x' b r F G D | l x' r F | l x' r F | x' k F D | l x' r F B Hi]; try (now apply orderly_nowhere).
  subst u'. simpl in *. right. right. rewrite F. intros c I. apply in_app_or in I.
  assert (Ot : forall d, In d (l ++ b :: r) -> forall z, In z d -> ~ In z absent).
  { intros d J z K. apply Oq. apply in_concat. eauto. }
  destruct I as [I|[<-|I]].
  - exists [], c. split; auto. split; [easy|]. apply Ot. apply in_or_app. auto.
  - assert (Lb : forall z, In z b -> ~ In z absent) by (apply Ot, in_or_app; right; now left).
    destruct (live_or_absent absent x') as [Lx|Ax].
    + exists [], (x' :: b). split; auto. split; [easy|]. intros z [<-|J]; auto.
    + exists [x'], b. split; auto. split; auto. intros z [<-|[]]. auto.
  - exists [], c. split; auto. split; [easy|]. apply Ot. apply in_or_app. right. now right.
Qed.

(* The same of a card that the stock offers, if it is turned card by card, as often as one likes. *)
Lemma offered_shadow absent s x q : offered R s x q -> NoDup (cards_of s) -> hole s = None ->
  In x absent -> only_up absent s [x] ->
  draw R = 1 -> at_least R (turning q) (live_talon [x] (turning s)) ->
  shadow R absent s (with_foundations q (live absent (foundations s))).
Proof.
  intros Of N H A O D T. destruct (offered_left_over _ _ _ Of) as (P & F & _).
  pose proof (only_up_live _ _ _ _ P O N) as L. destruct Of as [st wa n Ts].
  apply shadow_parts; simpl; auto; try (symmetry; apply live_all; intros y I; apply L; unfold left_over; simpl;
    rewrite !in_app_iff; tauto).
  - rewrite live_columns; auto. intros y I. apply L. unfold left_over. simpl. rewrite !in_app_iff. tauto.
  - split; [|now left]. simpl in *. apply turns_all_cards in Ts.
    replace (live_talon absent (turning s)) with (live_talon [x] (turning s)); auto. unfold live_talon.
    assert (K : forall y, In y (all_cards (turning s)) -> (In y [x] <-> In y absent)).
    { intros y I. split; [intros [<-|[]]; auto|]. intros J. rewrite <- Ts in I. apply in_all_cards in I. simpl in I.
      destruct (card_eq x y) as [->|Ne]; [now left|]. exfalso. apply (L y); auto. unfold left_over. simpl.
      rewrite !in_app_iff, in_all_cards. simpl. tauto. }
    f_equal; apply live_ext; intros y I; apply K, in_all_cards; auto.
  - right. auto.
Qed.

(* Cards that are on foundations, or nowhere, can be called absent. *)
Lemma up_shadow absent s : only_up absent s [] -> NoDup (cards_of s) -> hole s = None ->
  shadow R absent s (with_foundations s (live absent (foundations s))).
Proof.
  intros O N H. assert (L : forall y, In y (left_over s) -> ~ In y absent).
  { intros y I J. destruct (O y) as [[]|F]; auto; [apply in_or_app; auto|]. apply in_split in I.
    destruct I as (a & b & E). unfold cards_of in N. rewrite E in N. rewrite <- app_assoc in N. simpl in N.
    apply NoDup_remove_2 in N. apply N. rewrite !in_app_iff. auto. }
  assert (St : NoDup (all_cards (turning s))).
  { apply nodup_left in N. unfold left_over in N. do 4 apply nodup_right in N. exact N. }
  unfold left_over in L. apply shadow_parts; simpl; auto; try (symmetry; apply live_all; intros y I; apply L;
    rewrite !in_app_iff; tauto).
  - rewrite live_columns; auto. intros y I. apply L. rewrite !in_app_iff; tauto.
  - assert (Ot : untouched absent (turning s)) by (intros y I; apply L; rewrite !in_app_iff; tauto).
    split; [rewrite (untouched_live _ _ Ot); apply at_least_refl|right; split; auto].
  - right. auto.
Qed.

Lemma nowhere_shadow absent s : (forall y, In y (cards_of s) -> ~ In y absent) -> NoDup (cards_of s) ->
  hole s = None -> shadow R absent s s.
Proof.
  intros L N H. replace s with (with_foundations s (live absent (foundations s))) at 2.
  - apply up_shadow; auto. intros y I J. destruct (L y I J).
  - rewrite live_all; [now destruct s|]. intros y I. apply L, in_or_app. auto.
Qed.

(* Whether cards are absent on foundations of the real position does not matter. *)
Lemma shadow_other_foundations absent s l t : shadow R absent s t -> live absent l = live absent (foundations s) ->
  shadow R absent (with_foundations s l) t.
Proof. intros [Sc Sd Se So Ss Sf Sh Sg] E. constructor; simpl; auto. now rewrite E. Qed.

(** * A card goes up *)

Definition risen (q : position) (x : card) : position := settled R (with_foundations q (x :: foundations q)).

Lemma risen_found q x : foundations (risen q x) = x :: foundations q.
Proof. unfold risen. now rewrite settled_found. Qed.

Lemma not_twice s x : NoDup (cards_of s) -> In x (left_over s) -> ~ In x (foundations s).
Proof.
  intros N I F. apply in_split in I. destruct I as (a & b & E). unfold cards_of in N. rewrite E in N.
  rewrite <- app_assoc in N. simpl in N. apply NoDup_remove_2 in N. apply N. rewrite !in_app_iff. auto.
Qed.

Section Rules.
Hypothesis draws : draw R <> 0.

Lemma ahead_nowhere absent p s S y : ahead absent p s S -> In y (cards_of (without S s)) ->
  ~ In y (early S s ++ absent).
Proof. intros A. apply shadow_live with (1 := ahead_shadow _ _ _ _ A). Qed.

Lemma ahead_absent absent p s S y : ahead absent p s S -> In y (cards_of s) -> In y absent ->
  In y (foundations s) /\ In y S.
Proof.
  intros A I J. destruct (in_dec card_eq y (cards_of (without S s))) as [W|W].
  - exfalso. apply (ahead_nowhere _ _ _ _ _ A W). apply in_or_app. auto.
  - unfold cards_of in *. rewrite left_over_without, in_app_iff, in_without in W. rewrite in_app_iff in I.
    destruct (in_dec card_eq y S); tauto.
Qed.

Lemma rise_absent absent p s S S' x q : ahead absent p s S -> incl S S' -> In x S' -> foundations q = foundations s ->
  let E := early S' (risen q x) ++ absent in
  In x E /\ only_up E s [x] /\ incl (early S s ++ absent) E /\
  forall y, In y E <-> (x = y \/ In y (foundations s)) /\ In y S' \/ In y absent.
Proof.
  intros A I X F E.
  assert (Ex : forall y, In y E <-> (x = y \/ In y (foundations s)) /\ In y S' \/ In y absent).
  { intros y. unfold E. rewrite in_app_iff, in_early, risen_found, F. simpl. tauto. }
  split; [apply Ex; auto|]. split; [|split; auto].
  - intros y J K. apply Ex in K. destruct K as [([<-|K] & _)|K]; auto.
    + left. now left.
    + right. now apply (ahead_absent _ _ _ _ _ A J K).
  - intros y J. apply in_app_or in J. apply Ex. rewrite in_early in J. destruct J as [(J & K)|J]; auto.
Qed.

(* The columns of s lie in the order of the real ones. *)
Definition follows absent (p s : position) (S : list card) : Prop := in_order (early S s ++ absent) p s.

Lemma rise_follows absent p s S S' x q : ahead absent p s S -> incl S S' -> In x S' -> foundations q = foundations s ->
  spaces R <> FromReserve -> (forall E, In x E -> only_up E s [x] -> columns q = map (live E) (columns s)) ->
  follows absent p s S -> follows absent p (risen q x) S'.
Proof.
  intros A I X F Sp H O. destruct (rise_absent absent p s S S' x q A I X F) as (Ix & Ou & In' & _).
  unfold follows, in_order in *. unfold risen at 1, settled. simpl. rewrite filled_columns by auto. simpl.
  rewrite (H _ Ix Ou), O. now apply map_live_live.
Qed.

Lemma rise_ahead absent p s S S' x q : ahead absent p s S -> needs S' -> ready S' absent s -> incl S S' -> In x S' ->
  foundations q = foundations s ->
  (forall E, In x E -> only_up E s [x] ->
    shadow R E s (with_foundations q (live E (foundations s))) /\ orderly R E s) ->
  (moving_on R = AnyCards -> fixed S' absent (risen q x)) ->
  ahead absent p (risen q x) S'.
Proof.
  intros A N Re I X F H Fx. destruct (rise_absent absent p s S S' x q A I X F) as (Ix & Ou & In' & Ex).
  constructor; auto.
  - intros y J. unfold gone. rewrite risen_found, F. destruct (Re y J) as [G|G].
    + left. destruct G; [left; now right|now right].
    + right. intros z K. destruct (G z K); [left; now right|now right].
  - apply (orderly_trans R (early S s ++ absent) _ p (without S s)); auto.
    + apply (ahead_shadow _ _ _ _ A).
    + apply (ahead_order _ _ _ _ A).
    + exact (proj2 (H _ Ix Ou)).
  - set (E := early S' (risen q x) ++ absent) in *.
    apply (shadow_trans R (early S s ++ absent) E p (without S s)); auto.
    + apply (ahead_shadow _ _ _ _ A).
    + replace (without S' (risen q x)) with (settled R (with_foundations q (live E (foundations s)))).
      * apply shadow_settled. apply shadow_other_foundations.
        -- exact (proj1 (H _ Ix Ou)).
        -- assert (K : forall y, In y (foundations s) -> In y S -> In y E) by (intros; apply Ex; auto).
           clear - K. induction (foundations s) as [|y l IH]; simpl; auto.
           assert (K' : forall z, In z l -> In z S -> In z E) by (intros; apply K; simpl; auto).
           destruct (is_live S y) eqn:L; simpl; rewrite IH by auto; auto.
           apply absent_iff, K in L; [|now left]. apply absent_iff in L. now rewrite L.
      * unfold risen. rewrite <- settled_without. unfold without. simpl. apply absent_iff in X. rewrite X, F.
        apply absent_iff in X. replace (live S' (foundations s)) with (live E (foundations s)); auto.
        apply live_ext. intros y J. rewrite Ex. split; auto. intros [(_ & K)|K]; auto.
        apply I. now apply (ahead_absent _ _ _ _ _ A); [apply in_or_app; right|].
Qed.

Lemma live_early absent s S l : NoDup (cards_of s) -> incl l (left_over s) ->
  live (early S s ++ absent) l = live absent l.
Proof.
  intros N I. apply live_ext. intros x J. rewrite in_app_iff, in_early. split; auto. intros [(K & _)|K]; auto.
  exfalso. exact (not_twice _ _ N (I x J) K).
Qed.

(* If cards leave s, or change their places in the same columns, it stays ahead. *)
Lemma shadow_ahead absent p s S more r : proper s -> incl absent more -> shadow R more s r ->
  moving_on R <> AnyCards \/ more = absent -> ahead absent p s S -> ahead more p r S.
Proof.
  intros W I H Mo [Ne Re Fx Or Sh].
  assert (Fr : forall x, In x (foundations r) <-> In x (foundations s) /\ ~ In x more).
  { intros x. rewrite <- in_live. split; apply Permutation_in; [|symmetry]; apply (shadow_foundations _ _ _ _ H). }
  assert (G : forall y, gone absent s y -> gone more r y).
  { intros y [K|K]; [|right; auto]. destruct (in_dec card_eq y more); [now right|left]. apply Fr. auto. }
  constructor; auto.
  + intros x J. destruct (Re x J) as [K|K]; auto.
  + intros M. apply (fixed_more S absent more s r (Fx M)); auto.
  + destruct Mo as [Mo| ->]; [now left|]. apply (orderly_same (early S s ++ absent)); auto.
    intros x. rewrite !in_app_iff, !in_early, Fr. destruct (in_dec card_eq x absent); tauto.
  + apply (shadow_same (early S s ++ more)).
    { intros x. rewrite !in_app_iff, !in_early, Fr. destruct (in_dec card_eq x more); tauto. }
    apply (shadow_trans R (early S s ++ absent) _ _ (without S s)); auto.
    { intros x J. rewrite in_app_iff in *. destruct J; auto. }
    pose proof (proper_once _ W) as N. pose proof (proper_hole _ W) as Ho.
    destruct H as [(k & o & P & Q & Rs & F) Sd Se So (Sa & Sr) Sf Sh' Sg].
    assert (In' : forall l, incl l (left_over s) -> live (early S s ++ more) l = live more l).
    { intros. now apply live_early. }
    assert (Ia : incl (all_cards (turning s)) (left_over s)).
    { unfold left_over. intros x. rewrite !in_app_iff. tauto. }
    constructor; simpl; auto.
    * exists k, o. simpl. repeat split; auto.
      -- rewrite <- P. erewrite map_ext_in; [reflexivity|]. intros c J. apply In'. intros x K.
         unfold left_over. rewrite !in_app_iff, in_concat. eauto.
      -- rewrite In'; auto. unfold left_over. intros x. rewrite !in_app_iff. tauto.
    * intros x J. apply Sd. intros K. apply J, in_or_app. auto.
    * rewrite In'; auto. unfold left_over. intros x. rewrite !in_app_iff. tauto.
    * rewrite In'; auto. unfold left_over. intros x. rewrite !in_app_iff. tauto.
    * split.
      -- unfold live_talon in *. simpl. rewrite !In'; auto; intros x J; apply Ia, in_all_cards; auto.
      -- simpl. destruct Sr as [D|(Nt & U)]; auto. right. split; auto. intros x J K. apply in_app_or in K.
         destruct K as [K|K]; [|now apply (U x)]. apply in_early in K. apply (not_twice _ _ N (Ia x J)). tauto.
    * apply (Permutation_trans (live_permutation S _ _ Sf)). clear - Sf. set (E := early S s ++ more).
      replace (live S (live more (foundations s))) with (live E (live S (foundations s))); auto.
      assert (K : forall x, In x (foundations s) -> ~ In x S -> (In x E <-> In x more)).
      { intros x J O. unfold E. rewrite in_app_iff, in_early. tauto. }
      clear Sf. induction (foundations s) as [|x l IH]; simpl; auto.
      specialize (IH (fun y J => K y (or_intror J))). specialize (K x (or_introl eq_refl)).
      destruct (is_live S x) eqn:Ls; destruct (is_live more x) eqn:Lm; simpl; rewrite ?Ls; simpl; rewrite ?IH; auto.
      -- replace (is_live E x) with true; auto. symmetry. apply live_iff in Ls, Lm. apply live_iff. tauto.
      -- replace (is_live E x) with false; auto. symmetry. apply live_iff in Ls. apply absent_iff in Lm.
         apply absent_iff. tauto.
    * left. right. auto.
Qed.

(** * Moves of the position that is ahead *)

Lemma live_split absent (l : list card) : forall a x b, live absent l = a ++ x :: b ->
  exists c d, l = c ++ x :: d /\ live absent c = a /\ live absent d = b.
Proof.
  induction l as [|y l IH]; simpl; intros a x b E; [now destruct a|].
  destruct (is_live absent y) eqn:L.
  - destruct a as [|z a]; simpl in E; inversion E; subst.
    + now exists [], l.
    + destruct (IH _ _ _ H1) as (c & d & -> & <- & <-). exists (z :: c), d. simpl. now rewrite L.
  - destruct (IH _ _ _ E) as (c & d & -> & <- & <-). exists (y :: c), d. simpl. now rewrite L.
Qed.

Lemma lift_early s S u x t : needs S -> lift R (without S s) u x t ->
  exists q, lift R s u x q /\ t = without S q /\ early S q = early S s /\
    (In x (foundations (without S s)) \/ foundations q = foundations s).
Proof.
  intros N [l u' x' b r E G D | l x' r E | l x' r E | x' k E D | l x' r E B H].
  - eexists. split; [now apply (from_column R s l u' x' b r)|]. split; [reflexivity|]. split; [reflexivity|auto].
  - eexists. split; [now apply (from_cell R s l x' r)|]. split; [reflexivity|]. split; [reflexivity|auto].
  - eexists. split; [now apply (from_open_reserve R s l x' r)|]. split; [reflexivity|]. split; [reflexivity|auto].
  - eexists. split; [now apply (from_reserve R s x' k)|]. split; [reflexivity|]. split; [reflexivity|auto].
  - assert (Nx : ~ In x' S) by (apply (in_without S s); rewrite E; apply in_or_app; right; now left).
    simpl in E. destruct (live_split _ _ _ _ _ E) as (c & d & F & <- & <-).
    exists (with_foundations s (c ++ d)). split.
    + apply (from_foundation R s c x' d F B). intros z I K. destruct (in_dec card_eq z S) as [J|J].
      * apply Nx. now apply (needs_lower _ N z).
      * apply (H z); auto. now apply in_without.
    + split; [|split].
      * unfold without. simpl. now rewrite filter_app.
      * unfold early. simpl. rewrite F, !filter_app. simpl. destruct (member x' S) eqn:M; auto.
        now apply member_iff in M.
      * left. simpl. rewrite E. apply in_or_app. right. now left.
Qed.

Lemma put_early absent q S u x r : hole q = None -> put R (early S q ++ absent) (without S q) u x r ->
  exists t, put R absent q u x t /\ r = with_foundations t (foundations r) /\
    (foundations t = foundations q /\ foundations r = live S (foundations q) \/
     foundations t = x :: foundations q /\ foundations r = x :: live S (foundations q)).
Proof.
  intros Ho [l u' x' y b r' E D F | l u' x' r' E M | x' L | x' H L | x' h H B].
  - eexists. split; [now apply (to_card R absent q l u' x' y b r')|]. split; [reflexivity|auto].
  - eexists. split; [now apply (to_space R absent q l u' x' r')|]. split; [reflexivity|auto].
  - eexists. split; [now apply (to_cell R absent q x')|]. split; [reflexivity|auto].
  - eexists. split; [apply (to_foundation R absent q x')|]; auto. intros y I.
    apply L in I. rewrite in_app_iff, in_early, in_without in I. tauto.
  - simpl in H. congruence.
Qed.

Lemma proper_without S s : proper s -> proper (without S s).
Proof.
  intros [N D H]. constructor; auto.
  - unfold cards_of in *. rewrite left_over_without. unfold without. simpl.
    induction (left_over s) as [|x l IH]; simpl in *; [now apply NoDup_filter|].
    apply NoDup_cons_iff in N. destruct N as (O & N). apply NoDup_cons_iff. split; auto.
    intros I. apply O. rewrite in_app_iff in *. destruct I as [I|I]; auto. apply in_live in I. tauto.
  - intros x I. apply D. unfold cards_of in *. rewrite left_over_without in I. rewrite in_app_iff in *.
    rewrite in_without in I. tauto.
Qed.

Lemma move_early absent p s S t : ahead absent p s S -> proper s -> move R (early S s ++ absent) (without S s) t ->
  exists r, move R absent s r /\ shadow R (early S r ++ absent) t (without S r) /\
    incl (early S s ++ absent) (early S r ++ absent) /\
    (forall y, In y S -> gone absent s y -> gone absent r y) /\ columns r = columns t.
Proof.
  intros A W M. pose proof (move_proper _ _ _ M (proper_without S s W)) as Wt.
  assert (Ct : forall y, In y (cards_of t) -> ~ In y (early S s ++ absent)).
  { intros y I. apply (ahead_nowhere _ _ _ _ _ A).
    destruct (move_cards _ _ _ M (proper_hole _ (proper_without S s W))) as (P & _). now rewrite P in I. }
  assert (G : forall q x r v, early S q = early S s -> put R absent q v x r -> t = settled R (with_foundations r
    (foundations t)) ->
    (foundations r = foundations q /\ foundations t = live S (foundations q) \/
     foundations r = x :: foundations q /\ foundations t = x :: live S (foundations q)) ->
    shadow R (early S (settled R r) ++ absent) t (without S (settled R r)) /\
    incl (early S s ++ absent) (early S (settled R r) ++ absent) /\
    (forall y, In y S -> gone absent s y -> gone absent (settled R r) y) /\ columns (settled R r) = columns t).
  { intros q x r v Eq P Et Fo. set (E := early S (settled R r) ++ absent).
    assert (Ex : forall y, In y E <-> In y (foundations r) /\ In y S \/ In y absent).
    { intros y. unfold E. now rewrite in_app_iff, in_early, settled_found. }
    assert (Eq' : forall y, In y (foundations q) /\ In y S <-> In y (foundations s) /\ In y S).
    { intros y. rewrite <- !in_early. now rewrite Eq. }
    assert (Fr : forall y, In y (foundations q) -> In y (foundations r)).
    { intros y I. destruct Fo as [(-> & _)|(-> & _)]; auto. now right. }
    split; [|split; [|split]].
    - replace (without S (settled R r)) with (with_foundations t (live E (foundations t))).
      + apply up_shadow; auto using proper_once, proper_hole. intros y I J. right. apply Ex in J.
        destruct J as [(J & K)|J].
        * destruct Fo as [(Fr' & Ft)|(Fr' & Ft)]; rewrite Fr' in J.
          -- exfalso. apply (Ct y I). apply in_or_app. left. apply in_early. apply Eq'. auto.
          -- destruct J as [<-|J]; [rewrite Ft; now left|]. exfalso. apply (Ct y I). apply in_or_app. left.
             apply in_early. apply Eq'. auto.
        * exfalso. apply (Ct y I). apply in_or_app. auto.
      + rewrite Et at 1. rewrite settled_foundations. unfold without. rewrite settled_found.
        assert (K : live E (foundations t) = live S (foundations r)).
        { assert (K : forall y, In y (foundations t) -> ~ In y absent).
          { intros y I J. apply (Ct y); [apply in_or_app; auto|apply in_or_app; auto]. }
          assert (K' : forall l, incl l (foundations q) -> (forall y, In y (live S l) -> ~ In y absent) ->
            live E (live S l) = live S l).
          { intros l I L. apply live_all. intros y J Y. apply Ex in Y. destruct Y as [Y|Y]; [|now apply (L y)].
            apply in_live in J. tauto. }
          destruct Fo as [(-> & Ft)|(Fr' & Ft)]; rewrite Ft in K |- *.
          - apply K'; auto. apply incl_refl.
          - rewrite Fr'. simpl. rewrite K'; [|apply incl_refl|intros; apply K; now right].
            replace (is_live E x) with (is_live S x); auto. apply eq_true_iff_eq. rewrite !live_iff, Ex, Fr'.
            specialize (K x (or_introl eq_refl)). simpl. tauto. }
        rewrite K. now destruct (settled R r).
    - intros y I. apply Ex. apply in_app_or in I. rewrite in_early in I. destruct I as [I|I]; auto.
      apply Eq' in I. destruct I as (I & J). auto.
    - intros y I [J|J]; [left|now right]. rewrite settled_found. apply Fr. now apply Eq'.
    - rewrite Et. now rewrite settled_foundations. }
  pose proof (proper_hole _ W) as Hs.
  destruct M as [u x l r L P | x l r O P | x st wa n h H E Ho | x h _ Ho _];
    [| |simpl in Ho; congruence|simpl in Ho; congruence].
  - destruct (lift_early _ _ _ _ _ (ahead_needs _ _ _ _ A) L) as (q & Lq & -> & Eq & _). rewrite <- Eq in P.
    assert (Hq : hole q = None) by (destruct (lift_cards _ _ _ _ Lq) as (_ & ->); auto).
    destruct (put_early _ _ _ _ _ _ Hq P) as (v & Pv & Er & Fo).
    exists (settled R v). split; [eapply carry; eauto|]. apply (G q x v u); auto; rewrite settled_found; auto.
    now rewrite <- Er.
  - destruct O as [st wa n T].
    set (q := with_turning s (Talon st wa n)).
    change (with_turning (without S s) (Talon st wa n)) with (without S q) in P.
    assert (Oq : offered R s x q) by (now apply offer).
    destruct (put_early absent q S [] x r Hs P) as (v & Pv & Er & Fo).
    exists (settled R v). split; [eapply play; eauto|]. apply (G q x v []); auto; rewrite settled_found; auto.
    now rewrite <- Er.
Qed.

(** * One move of the real game *)

Lemma ready_more S absent s t : (forall y, In y S -> gone absent s y -> gone absent t y) -> needs S ->
  ready S absent s -> ready S absent t.
Proof.
  intros G N Re x I. destruct (Re x I) as [H|H]; [left; auto|right].
  intros y J. apply G; auto. now apply (needs_lower _ N x).
Qed.

Lemma top_of_group S u x : moving_on R <> AnyCards -> needs S -> group R (u ++ [x]) -> (forall z, In z (u ++ [x]) -> in_deck z = true) -> In x S ->
  forall z, In z (u ++ [x]) -> In z S.
Proof.
  intros Gr N. induction u as [|y u IH]; simpl; intros G D I z J.
  - destruct J as [<-|[]]; auto.
  - assert (K : forall w, In w (u ++ [x]) -> In w S).
    { apply IH; auto. destruct (u ++ [x]); simpl in *; tauto. }
    destruct J as [<-|J]; auto. destruct (u ++ [x]) as [|w v] eqn:E; [now destruct u|].
    simpl in G. destruct G as (G & _). apply (needs_fitting _ N Gr w); auto; [apply K; now left|].
    unfold moves_with in G. now destruct (moving_on R).
Qed.

Lemma top_lift s u x q : lift R s u x q -> exists z t, lift R s [] z t /\ In z (u ++ [x]) /\ group R (u ++ [x]).
Proof.
  intros L. destruct u as [|z u].
  - exists x, q. simpl. auto.
  - inversion L as [l u' x' b r E G D | | | | ]; subst. simpl in E.
    exists z, (with_columns s (l ++ (u ++ x :: b) :: r)). split; [|split; [now left|auto]].
    apply (from_column R s l [] z (u ++ x :: b) r E); simpl; auto. intros y [<-|[]]. apply D. now left.
Qed.

Lemma fits_absent_true absent x : fits_absent R absent x = true -> exists y, In y absent /\ fits R x y = true.
Proof. intros F. now apply existsb_exists in F. Qed.

Lemma lifts_closed_or absent s : lifts_closed R absent s \/
  exists u x q y, lift R s u x q /\ In y absent /\ fits R x y = true.
Proof.
  destruct (forallb (fun '(_, x, _) => negb (fits_absent R absent x)) (lifts R s)) eqn:F.
  - left. intros u x q y L I. rewrite forallb_forall in F. apply lifts_iff, F, negb_true_iff in L.
    eapply fits_absent_false; eauto.
  - right. rewrite <- not_true_iff_false, forallb_forall in F.
    destruct (existsb (fun '(_, x, _) => fits_absent R absent x) (lifts R s)) eqn:E.
    + apply existsb_exists in E. destruct E as (((u & x) & q) & I & E). apply fits_absent_true in E.
      destruct E as (y & J & E). exists u, x, q, y. apply lifts_iff in I. auto.
    + exfalso. apply F. intros ((u & x) & q) I. apply negb_true_iff, not_true_iff_false. intros T.
      apply not_true_iff_false in E. apply E, existsb_exists. exists (u, x, q). auto.
Qed.

(* A card that is left, and belongs to S, may go up. *)
Lemma may_rise absent p s S x : ahead absent p s S -> proper s -> In x (cards_of (without S s)) -> In x S ->
  In x (left_over s) /\ forall y, In y (lower R x) -> In y (foundations s) \/ In y absent.
Proof.
  intros A W I J. pose proof (ahead_nowhere _ _ _ _ _ A I) as N. unfold cards_of in I.
  rewrite left_over_without, in_app_iff, in_without in I. destruct I as [I|I]; [|tauto]. split; auto.
  destruct (ahead_ready _ _ _ _ A x J) as [[G|G]|G]; auto.
  - exfalso. now apply (not_twice _ _ (proper_once _ W) I).
  - exfalso. apply N, in_or_app. auto.
Qed.

Lemma lift_source s u x q : lift R s u x q -> In x (left_over s) \/ removable R = true.
Proof.
  intros [l u' x' b r E G D | l x' r E | l x' r E | x' k E D | l x' r E (B & _) H]; auto; left; unfold left_over;
    rewrite E; rewrite !in_app_iff; simpl; auto 6.
  left. rewrite concat_app. simpl. rewrite !in_app_iff. simpl. auto 6.
Qed.

(* If any cards move, none that fits a card of S can be moved. *)
Lemma nothing_fits absent p s S x y : ahead absent p s S -> proper s -> moving_on R = AnyCards -> In y S ->
  fits R x y = true -> In x (cards_of (without S s)) -> In x (left_over s) \/ removable R = true -> False.
Proof.
  intros A W M I F C L. pose proof (ahead_nowhere _ _ _ _ _ A C) as N.
  assert (D : in_deck x = true) by now apply (proper_deck _ (proper_without S s W)).
  destruct (ahead_fixed _ _ _ _ A M) as [G H]. destruct (H y x I D F) as [J|(Nr & [J|J])].
  - destruct (G x J) as [K|K]; apply N; apply in_or_app; auto. left. apply in_early. auto.
  - destruct L as [L|L]; [exact (not_twice _ _ (proper_once _ W) L J)|congruence].
  - apply N, in_or_app. auto.
Qed.

Definition moving_dec : {moving_on R = AnyCards} + {moving_on R <> AnyCards}.
Proof. decide equality. Defined.

Lemma move_gone absent s t : move R absent s t -> removable R = false -> forall x, gone absent s x -> gone absent t x.
Proof.
  intros M N x [I|I]; [left|now right]. destruct M as [u y l r L P | y l r O P | y st wa n h H E Ho | y h J Ho B];
    rewrite settled_found; auto.
  - assert (F : foundations l = foundations s).
    { destruct L as [| | | |? ? ? ? (B & _)]; auto. congruence. }
    destruct P; simpl; rewrite ?F; auto.
  - assert (F : foundations l = foundations s) by now destruct O. destruct P; simpl; rewrite ?F; auto.
Qed.

Lemma loosen absent p s S : ahead absent p s S -> proper s -> lifts_closed R absent s ->
  lifts_closed R (early S s ++ absent) (without S s) \/
  exists t, move R absent s t /\ ahead absent p t S /\ length (left_over t) < length (left_over s) /\
    S <> [] /\ (spaces R <> FromReserve -> follows absent p s S -> follows absent p t S).
Proof.
  intros A W C. pose proof (ahead_needs _ _ _ _ A) as Ne.
  destruct (lifts_closed_or (early S s ++ absent) (without S s)) as [H|(u & x & q & y & L & I & F)]; auto. right.
  assert (Cu : forall z, In z (u ++ [x]) -> In z (cards_of (without S s))).
  { destruct (lift_cards _ _ _ _ L) as (P & _). intros z K. rewrite P. rewrite in_app_iff in *. simpl in *. tauto. }
  assert (Du : forall z, In z (u ++ [x]) -> in_deck z = true).
  { intros z K. apply (proper_deck _ (proper_without S s W)). auto. }
  apply in_app_or in I. destruct I as [I|I].
  2: { destruct (lift_early _ _ _ _ _ Ne L) as (q' & L' & _). rewrite (C _ _ _ _ L' I) in F. discriminate. }
  apply in_early in I. destruct I as (_ & I).
  assert (Gr : moving_on R <> AnyCards).
  { intros M. apply (nothing_fits absent p s S x y); auto; [apply Cu, in_or_app; right; now left|].
    exact (lift_source _ _ _ _ L). }
  assert (Ix : In x S).
  { apply (needs_fitting _ Ne Gr y); auto. apply Du, in_or_app. right. now left. }
  destruct (top_lift _ _ _ _ L) as (z & t & Lz & Iz & G).
  pose proof (top_of_group S u x Gr Ne G Du Ix z Iz) as Sz.
  destruct (may_rise _ _ _ _ _ A W (Cu z Iz) Sz) as (Lo & Nx).
  destruct (lift_early _ _ _ _ _ Ne Lz) as (v & Lv & _ & _ & Fo).
  assert (Fv : foundations v = foundations s) by (destruct Fo as [Fo|Fo]; auto; apply in_without in Fo; tauto).
  pose proof (not_twice _ _ (proper_once _ W) Lo) as Nz.
  exists (risen v z). split; [|split; [|split; [|split]]].
  - apply (carry R absent s [] z v); auto. apply to_foundation.
    + destruct (lift_cards _ _ _ _ Lv) as (_ & ->). apply (proper_hole _ W).
    + now rewrite Fv.
  - apply (rise_ahead absent p s S S z v A); auto; [exact (ahead_ready _ _ _ _ A)|apply incl_refl| |intros M; now destruct Gr].
    intros E IE O. split; [apply (lift_shadow E s z); auto using proper_once, proper_hole|now left].
  - destruct (lift_left_over _ _ _ _ Lv Nz) as (P & _). unfold risen.
    destruct (settled_parts (with_foundations v (z :: foundations v))) as (P' & _).
    rewrite (Permutation_length P'), (Permutation_length P). simpl. unfold left_over. simpl. lia.
  - now intros ->.
  - intros Sp O. apply (rise_follows absent p s S S z v A); auto using incl_refl.
    intros E IE Oe. apply (lift_columns E s z); auto using proper_once.
Qed.

Lemma offered_early S s x t : offered R (without S s) x t -> exists q, offered R s x q /\ t = without S q.
Proof. intros [st wa n T]. exists (with_turning s (Talon st wa n)). split; auto. now apply offer. Qed.

(* s moves as its shadow does. *)
Lemma ahead_after absent p s S q t : ahead absent p s S -> proper s -> move R (early S s ++ absent) (without S s) t ->
  shadow R (early S s ++ absent) q t -> orderly R (early S s ++ absent) q ->
  exists r, move R absent s r /\ ahead absent q r S /\
    (in_order (early S s ++ absent) q t -> follows absent q r S).
Proof.
  intros A W M Sh O. destruct (move_early _ _ _ _ _ A W M) as (r & Mr & Sr & I & G & C). exists r. split; auto.
  pose proof (ahead_needs _ _ _ _ A) as Ne.
  assert (L : forall y, In y (concat (columns r)) -> ~ In y (early S r ++ absent)).
  { intros y J. apply (shadow_live _ _ _ y Sr). unfold cards_of, left_over. rewrite !in_app_iff. auto. }
  split.
  - constructor; auto.
    + exact (ready_more S absent s r G Ne (ahead_ready _ _ _ _ A)).
    + intros Mo. apply (fixed_more S absent absent s r); auto; [now apply (ahead_fixed _ _ _ _ A)|].
      now apply move_gone.
    + apply (orderly_trans R (early S s ++ absent) _ q t); auto. apply orderly_nowhere. rewrite <- C. exact L.
    + exact (shadow_trans R _ _ _ _ _ I Sh Sr).
  - unfold follows, in_order. intros F. rewrite <- (live_columns (early S r ++ absent) (columns r) L), C, F.
    now apply map_live_live.
Qed.

(* p makes a move. *)
Lemma ahead_step absent p s S q : ahead absent p s S -> proper s -> closed R absent s ->
  (forall x t, offered R s x t -> absent = [] \/ draw R = 1) -> at_rest R s -> move R [] p q ->
  ahead absent q s S \/ (exists t, move R absent s t /\ ahead absent q t S) \/
  (exists t, move R absent s t /\ ahead absent p t S /\ length (left_over t) < length (left_over s)).
Proof.
  intros A W C D Re M. destruct (loosen _ _ _ _ A W (closed_lift _ _ _ C)) as [H|(t & Mt & At & Lt & _)]; eauto 7.
  pose proof (ahead_needs _ _ _ _ A) as Ne.
  destruct (simulation_of_lifts R _ _ _ _ (ahead_shadow _ _ _ _ A) (ahead_order _ _ _ _ A) H (rest_without _ _ Re) M)
    as [(Sq & Oq)|[(t & Mt & St & Oq)|(x & y & t & O & I & F & K)]].
  - left. constructor; auto; [exact (ahead_ready _ _ _ _ A)|exact (ahead_fixed _ _ _ _ A)].
  - right. left. destruct (ahead_after _ _ _ _ _ _ A W Mt St Oq) as (r & Mr & Ar & _). eauto.
  - right. left. destruct (offered_early _ _ _ _ O) as (v & Ov & ->).
    assert (Cx : In x (cards_of (without S s))).
    { rewrite (offered_cards _ _ _ O). now left. }
    assert (Dx : in_deck x = true) by now apply (proper_deck _ (proper_without S s W)).
    apply in_app_or in I. destruct I as [I|I].
    2: { exfalso. destruct (D _ _ Ov) as [->|D']; [easy|].
      rewrite (closed_offered _ _ _ C _ _ _ D' Ov I) in F. discriminate. }
    apply in_early in I. destruct I as (_ & I).
    assert (Gm : moving_on R <> AnyCards).
    { intros Mo. apply (nothing_fits absent p s S x y); auto. left.
      destruct (offered_left_over _ _ _ Ov) as (Pv & _). rewrite Pv. now left. }
    assert (Sx : In x S) by now apply (needs_fitting _ Ne Gm y).
    destruct (may_rise _ _ _ _ _ A W Cx Sx) as (Lo & Nx).
    destruct (offered_left_over _ _ _ Ov) as (Pv & Fv & Hv).
    exists (risen v x). split.
    { apply (play R absent s x v); auto. apply to_foundation; rewrite ?Fv; auto. rewrite Hv. apply (proper_hole _ W). }
    assert (Gr : forall z, gone absent s z -> gone absent (risen v x) z).
    { intros z [G|G]; [left|now right]. rewrite risen_found, Fv. now right. }
    constructor; auto; [exact (ready_more S absent s _ (fun z _ => Gr z) Ne (ahead_ready _ _ _ _ A))|easy|now left|].
    apply K.
    + intros z J. rewrite in_app_iff, in_early, risen_found, Fv. simpl in J.
      rewrite in_app_iff, in_early in J. simpl. destruct J as [<-|[J|J]]; auto; tauto.
    + unfold risen. rewrite <- settled_without. unfold without at 2. simpl. assert (Sx' := Sx). apply absent_iff in Sx'.
      rewrite Sx'. change (with_foundations v (live S (foundations v))) with (without S v). apply shadow_settled.
      apply nowhere_shadow; auto.
      * intros z J. pose proof (offered_cards _ _ _ O) as P.
        pose proof (proper_once _ (proper_without S s W)) as N. rewrite P in N. apply NoDup_cons_iff in N.
        assert (Z : In z (cards_of (without S s))) by (rewrite P; now right).
        apply (ahead_nowhere _ _ _ _ _ A) in Z. intros Y. apply Z. rewrite in_app_iff, in_early in *.
        destruct Y as [(Y & Y')|Y]; auto. left. split; auto. change (foundations _) with (foundations (risen v x)) in Y.
        rewrite risen_found, Fv in Y. destruct Y as [<-|Y]; auto. exfalso. tauto.
      * pose proof (proper_once _ (proper_without S s W)) as N. rewrite (offered_cards _ _ _ O) in N.
        now apply NoDup_cons_iff in N.
      * simpl. rewrite Hv. apply (proper_hole _ W).
    + apply rest_without. apply settled_at_rest.
Qed.

(* p carries cards from one place to another; the same, with the order of the columns. *)
Definition keeps_following absent (p s q t : position) (S : list card) : Prop :=
  spaces R <> FromReserve \/ (absent = [] /\ S = []) -> follows absent p s S -> follows absent q t S.

Lemma ahead_carry absent p s S u x l r : ahead absent p s S -> proper s -> lifts_closed R absent s -> at_rest R s ->
  lift R p u x l -> put R [] l u x r ->
  (ahead absent (settled R r) s S /\ keeps_following absent p s (settled R r) s S) \/
  (exists t, move R absent s t /\ ahead absent (settled R r) t S /\ keeps_following absent p s (settled R r) t S) \/
  (exists t, move R absent s t /\ ahead absent p t S /\ length (left_over t) < length (left_over s) /\
    keeps_following absent p s p t S).
Proof.
  intros A W C Re L P.
  assert (Or : forall q t, spaces R <> FromReserve \/ (absent = [] /\ S = []) ->
    keeps_order R (early S s ++ absent) p (without S s) q t -> follows absent p s S ->
    in_order (early S s ++ absent) q t).
  { intros q t Sp H O. apply H; auto. destruct Sp as [Sp|(-> & ->)]; auto. right. unfold early.
    induction (foundations s); simpl; auto. }
  destruct (loosen _ _ _ _ A W C) as [H|(t & Mt & At & Lt & Ns & O)].
  2: { right. right. exists t. split; [auto|split; [auto|split; auto]]. intros [Sp|(_ & Sp)]; auto; congruence. }
  pose proof (orderly_carry R _ _ _ _ _ _ _ (ahead_shadow _ _ _ _ A) (ahead_order _ _ _ _ A) H L P) as Oq.
  destruct (simulation_of_carry R _ _ _ _ _ _ _ (ahead_shadow _ _ _ _ A) (ahead_order _ _ _ _ A) H L P
    (rest_without _ _ Re)) as [(Sq & O)|[(t & v & Lt & Pv & Sv & O)|(h & _ & Sl & Hh & _)]].
  - left. split; [constructor; auto; [exact (ahead_needs _ _ _ _ A)|exact (ahead_ready _ _ _ _ A)|
      exact (ahead_fixed _ _ _ _ A)]|]. intros Sp F. exact (Or _ _ Sp O F).
  - right. left. assert (Mt : move R (early S s ++ absent) (without S s) (settled R v)) by (eapply carry; eauto).
    destruct (ahead_after _ _ _ _ _ _ A W Mt Sv Oq) as (w & Mw & Aw & Fw). exists w. split; auto. split; auto.
    intros Sp F. apply Fw. exact (Or _ _ Sp O F).
  - rewrite <- (shadow_hole _ _ _ _ Sl) in Hh. simpl in Hh. rewrite (proper_hole _ W) in Hh. discriminate.
Qed.

(** * Wins *)

Lemma ahead_won absent p s S : ahead absent p s S -> won p -> won s.
Proof. intros A W. exact (shadow_won R _ _ _ (ahead_shadow _ _ _ _ A) W). Qed.

Lemma closed_nothing s : closed R [] s.
Proof. split; easy. Qed.

Theorem ahead_winnable p s S : ahead [] p s S -> proper s -> at_rest R s -> winnable R p -> winnable R s.
Proof.
  intros A W Re (q & P & Wq). revert s A W Re.
  induction P as [p | p r q M P IH]; intros s A W Re.
  - exists s. split; [constructor|]. now apply (ahead_won [] p s S).
  - remember (length (left_over s)) as n eqn:E. revert s E A W Re.
    induction n as [n IHn] using lt_wf_ind. intros s -> A W Re.
    destruct (ahead_step [] p s S r A W (closed_nothing s) (fun _ _ _ => or_introl eq_refl) Re M)
      as [A'|[(t & Mt & A')|(t & Mt & A' & Lt)]]; auto.
    + destruct (IH Wq t A') as (z & Z & Wz); eauto using move_proper.
      { destruct Mt; apply settled_at_rest. }
      exists z. split; auto. econstructor; eauto.
    + destruct (IHn _ Lt t eq_refl A') as (z & Z & Wz); eauto using move_proper.
      { destruct Mt; apply settled_at_rest. }
      exists z. split; auto. econstructor; eauto.
Qed.

Lemma early_nothing s : early [] s = [].
Proof. unfold early. induction (foundations s); simpl; auto. Qed.

Lemma ahead_itself s : proper s -> ahead [] s s [].
Proof.
  intros W. constructor.
  - split; [intros x y []|intros _ x y []].
  - intros x [].
  - intros _. split; intros x; [intros []|intros y []].
  - rewrite early_nothing. right. now left.
  - rewrite early_nothing. unfold without. simpl. rewrite live_nil.
    replace (with_foundations s (foundations s)) with s by now destruct s.
    apply nowhere_shadow; auto using proper_once, proper_hole.
Qed.
End Rules.
End Ahead.
