(* Checkers of losses in games of whole suits.

   Claims. A list has all moves of a position, and nothing else ([next_iff]). What [check_pair] and [check_set] accept
   is lost, by cards that wait for one another ([check_pair_sound], [check_set_sound]), also by those that have several
   places ([check_places_sound]). A table of positions that
   [check_table] accepts proves a loss ([check_table_sound]): the first position is one of them, none is won, and each
   leads to others of the table only, unless cards wait there for one another. Nothing is assumed of who fills the table
   and says which cards wait. While the stock is empty, the order of columns does not count. *)
Require Import List Bool Arith Lia Permutation PArith FMapPositive.
Import ListNotations.
From Patience Require Import Game Cards Moves Checker WholeSuits Waiting Places.

Section Checker.
Variable R : rules.
Variable run : building.
Variable full_columns : bool.
Notation step := (step R run full_columns).
Notation steps := (steps R run full_columns).
Notation clearable := (clearable R run full_columns).

(** * Moves *)

Definition may_accept (t : pile) (x : card) : bool :=
  match shown t with
  | y :: _ => fits R x y
  | [] => is_empty (hidden t) &&
      match spaces R with AnyCard => true | LastRank => S (height R x) =? ranks R | _ => false end
  end.

(* What becomes of two columns if cards go from the first one to the second one. *)
Definition carries (s t : pile) : list (pile * pile) :=
  flat_map (fun '(u, x, below) =>
      if may_accept t x && is_group (rules_of_runs R run) (u ++ [x])
      then [(turned_up (Pile below (hidden s)), Pile (u ++ x :: shown t) (hidden t))] else [])
    (splits (shown s)).

Definition is_whole_suit (g : list card) : bool :=
  (if list_eq_dec Nat.eq_dec (map (height R) g) (seq 0 (ranks R)) then true else false) &&
  match g with [] => true | x :: _ => forallb (same_suit x) g end.

Definition rows (p : board) : list board :=
  if is_empty (to_deal p) || (full_columns && existsb (fun c => is_empty (pile_cards c)) (piles p)) then []
  else [Board (dealt (piles p) (to_deal p)) (skipn (length (piles p)) (to_deal p))].

Definition next (p : board) : list board :=
  flat_map (fun '(a, x, l) => flat_map (fun '(b, y, c) =>
      map (fun '(x', y') => Board (a ++ x' :: b ++ y' :: c) (to_deal p)) (carries x y) ++
      map (fun '(y', x') => Board (a ++ x' :: b ++ y' :: c) (to_deal p)) (carries y x))
    (splits l)) (splits (piles p)) ++
  flat_map (fun '(a, s, c) =>
      if is_whole_suit (firstn (ranks R) (shown s))
      then [Board (a ++ turned_up (Pile (skipn (ranks R) (shown s)) (hidden s)) :: c) (to_deal p)] else [])
    (splits (piles p)) ++
  rows p.

Lemma may_accept_iff t x : may_accept t x = true <-> accepts R t x.
Proof.
  unfold may_accept, accepts. destruct (shown t); [|tauto]. rewrite andb_true_iff, is_empty_iff.
  destruct (spaces R); rewrite ?Nat.eqb_eq; intuition discriminate.
Qed.

Lemma carries_iff s t s' t' : In (s', t') (carries s t) <-> carried R run s t s' t'.
Proof.
  unfold carries. rewrite in_flat_map. split.
  - intros (((u & x) & b) & I & J). apply splits_iff in I. destruct (_ && _) eqn:C; [|easy]. destruct J as [J|[]].
    inversion J; subst. apply andb_true_iff in C. destruct C as (A & G). apply may_accept_iff in A.
    apply is_group_iff in G. destruct s as [l d]. simpl in *. subst l. now constructor.
  - intros [u x b d t0 G A]. exists (u, x, b). split; [now apply splits_iff|]. apply may_accept_iff in A.
    apply is_group_iff in G. rewrite A, G. now left.
Qed.

Lemma is_whole_suit_iff g : is_whole_suit g = true <-> whole_suit R g.
Proof.
  unfold is_whole_suit, whole_suit. rewrite andb_true_iff. split.
  - intros (H & Su). destruct (list_eq_dec _ _ _) as [E|]; [|discriminate]. split; auto. intros x y X Y.
    destruct g as [|z g]; [easy|]. rewrite forallb_forall in Su. pose proof (Su x X) as A. pose proof (Su y Y) as B.
    rewrite same_suit_iff in *. congruence.
  - intros (H & Su). split; [destruct (list_eq_dec _ _ _); auto|]. destruct g as [|z g]; auto.
    apply forallb_forall. intros x X. apply Su; auto. now left.
Qed.

Lemma rows_iff p q : In q (rows p) <->
  to_deal p <> [] /\ (full_columns = true -> forall c, In c (piles p) -> pile_cards c <> []) /\
  q = Board (dealt (piles p) (to_deal p)) (skipn (length (piles p)) (to_deal p)).
Proof.
  unfold rows. destruct (is_empty (to_deal p)) eqn:E; simpl.
  { apply is_empty_iff in E. tauto. }
  assert (N : to_deal p <> []) by (intros H; rewrite H in E; discriminate).
  destruct full_columns; simpl; [|intuition (subst; auto; try discriminate)].
  destruct (existsb _ _) eqn:X; simpl.
  - apply existsb_exists in X. destruct X as (c & C & X). apply is_empty_iff in X. split; [tauto|].
    intros (_ & F & _). exact (F eq_refl c C X).
  - split; [|intuition]. intros [<-|[]]. repeat split; auto. intros _ c C H.
    apply not_true_iff_false in X. apply X, existsb_exists. exists c. split; auto. now apply is_empty_iff.
Qed.

Theorem next_iff p q : In q (next p) <-> step p q.
Proof.
  unfold next. rewrite !in_app_iff. split.
  - intros [I|[I|I]].
    + apply in_flat_map in I. destruct I as (((a & x) & l) & I & J). apply splits_iff in I.
      apply in_flat_map in J. destruct J as (((b & y) & c) & J & K). apply splits_iff in J. subst l.
      apply in_app_or in K. destruct K as [K|K]; apply in_map_iff in K; destruct K as ((x' & y') & <- & K);
        apply carries_iff in K; [eapply to_the_right | eapply to_the_left]; eauto.
    + apply in_flat_map in I. destruct I as (((a & s) & c) & I & J). apply splits_iff in I.
      destruct (is_whole_suit _) eqn:W; [|easy]. destruct J as [<-|[]]. apply is_whole_suit_iff in W.
      eapply suit_leaves; eauto. rewrite I. destruct s as [l d]. simpl. now rewrite firstn_skipn.
    + apply rows_iff in I. destruct I as (N & F & ->). now apply row.
  - intros [a s b t c s' t' E C | a t b s c s' t' E C | a g below d c E W | N F].
    + left. apply in_flat_map. exists (a, s, b ++ t :: c). split; [now apply splits_iff|].
      apply in_flat_map. exists (b, t, c). split; [now apply splits_iff|]. apply in_or_app. left.
      apply in_map_iff. exists (s', t'). split; auto. now apply carries_iff.
    + left. apply in_flat_map. exists (a, t, b ++ s :: c). split; [now apply splits_iff|].
      apply in_flat_map. exists (b, s, c). split; [now apply splits_iff|]. apply in_or_app. right.
      apply in_map_iff. exists (s', t'). split; auto. now apply carries_iff.
    + right. left. apply in_flat_map. exists (a, Pile (g ++ below) d, c). split; [now apply splits_iff|].
      assert (L : length g = ranks R).
      { destruct W as (H & _). apply (f_equal (@length nat)) in H. now rewrite map_length, seq_length in H. }
      simpl. rewrite <- L, firstn_app, firstn_all, Nat.sub_diag, skipn_app, skipn_all, Nat.sub_diag. simpl.
      rewrite app_nil_r. apply is_whole_suit_iff in W. rewrite W. now left.
    + right. right. apply rows_iff. auto.
Qed.

(** * Cards that wait *)

Definition is_king (x : card) : bool := S (height R x) =? ranks R.

Definition is_one_place : bool :=
  match build R with SameSuit => true | _ => false end &&
  match spaces R with LastRank | NoCard => true | _ => false end &&
  (1 <=? base R) && (base R <=? ranks R).

Definition is_proper (p : board) : bool :=
  distinct (all_of p) && forallb (fun x => (1 <=? rank x) && (rank x <=? ranks R)) (all_of p).

(* The cards on x in a list, the lowest one first, and those under it. *)
Fixpoint divide (x : card) (above l : list card) : option (list card * list card) :=
  match l with
  | [] => None
  | y :: t => if same_card x y then Some (above, t) else divide x (y :: above) t
  end.

(* The column of x, the cards on it, and those under it. *)
Fixpoint locate (x : card) (cs : list pile) : option (pile * list card * list card) :=
  match cs with
  | [] => None
  | c :: cs =>
      match divide x [] (pile_cards c) with Some (above, below) => Some (c, above, below) | None => locate x cs end
  end.

Section At.
Variable p : board.

Definition is_joined (x : card) : bool :=
  match locate x (piles p) with Some (_, _, y :: _) => fits R x y | _ => false end.

Definition is_loose (x : card) : bool :=
  match locate x (piles p) with
  | Some (_, _, y :: _) => negb (fits R x y)
  | Some (_, _, []) => true
  | None => false
  end.

(* x lies on its place, which lies face down. *)
Definition is_pair (x : card) : bool :=
  match locate x (piles p) with
  | Some (c, _, y :: below) => fits R x y && (length below <? length (hidden c))
  | _ => false
  end.

Section Set_.
Variable S : list card.

Definition is_staying (x : card) : bool := member x S || is_joined x.

Definition lowest_stays (c : pile) : bool :=
  match rev (pile_cards c) with z :: _ => is_king z || member z S | [] => false end.

Definition are_kings_waiting : bool :=
  forallb lowest_stays (piles p) &&
  forallb (fun x => existsb (fun z => negb (is_king z) && same_suit z x) S) (all_of p).

Definition is_place_taken (x : card) : bool :=
  let y := Card (if rank x =? ranks R then 1 else rank x + 1) (suit_of x) in
  fits R x y && match locate y (piles p) with Some (_, d :: _, _) => member d S | _ => false end.

(* Of the cards on x, one is its place, and all up to it stay. *)
Fixpoint is_place_above (x : card) (above : list card) : bool :=
  match above with
  | [] => false
  | y :: above => is_staying y && (fits R x y || is_place_above x above)
  end.

Definition has_reason (kings_are_waiting : bool) (x : card) : bool :=
  match locate x (piles p) with
  | None => false
  | Some (c, above, below) =>
      (length below <? length (hidden c)) && match above with d :: _ => is_staying d | [] => false end ||
      is_king x && negb (is_empty below) && kings_are_waiting ||
      is_place_taken x ||
      is_place_above x above
  end.

Definition is_waiting : bool :=
  existsb (fun z => negb (is_king z)) S &&
  (let kings_are_waiting := are_kings_waiting in
   forallb (fun x => is_loose x && has_reason kings_are_waiting x) S).
(** * Cards that wait and have several places *)

Definition is_covered (x : card) : bool :=
  match locate x (piles p) with Some (c, _, _ :: below) => length below <? length (hidden c) | _ => false end.

Definition is_on_top_of (y : card) : bool :=
  match locate y (piles p) with Some (_, d :: _, _) => member d S | _ => false end.

(* Of the cards on x, some of S lie on one that lies face down, or with which they do not move; under x lie so many. *)
Fixpoint is_under (face_down number : nat) (x : card) (above : list card) : bool :=
  match above with
  | [] => false
  | y :: above =>
      member y S &&
      (negb (moves_with (rules_of_runs R run) y x) || (number <? face_down) ||
       is_under face_down (Datatypes.S number) y above)
  end.

Definition may_go_to_spaces (x : card) : bool :=
  match spaces R with AnyCard => true | LastRank => is_king x | _ => false end.

Definition are_columns_staying : bool :=
  forallb (fun c => match rev (pile_cards c) with z :: _ => member z S | [] => false end) (piles p).

Definition is_hindered (columns_stay : bool) (x : card) : bool :=
  match locate x (piles p) with
  | None => false
  | Some (c, above, below) =>
      is_under (length (hidden c)) (length below) x above ||
      forallb (fun y => implb (fits R x y) (is_on_top_of y)) (all_of p) &&
      implb (may_go_to_spaces x) columns_stay
  end.
End Set_.

Definition check_pair (x : card) : bool := is_one_place && is_proper p && is_pair x.

Definition check_set (S : list card) : bool := is_one_place && is_proper p && is_waiting S.

(* By the rules in which each card fits the next higher one of its suit only. *)
Definition is_mover (x : card) : bool :=
  negb (is_king x) &&
  (is_covered x ||
   match locate x (piles p) with
   | Some (_, _, y :: _) => negb (fits (by_suit_only R) x y)
   | Some (_, _, []) => true
   | None => false
   end).

Definition is_waiting_for_places (S : list card) : bool :=
  negb (is_empty S) &&
  (let columns_stay := are_columns_staying S in
   let movers := filter is_mover S in
   forallb (fun x => existsb (fun h => same_suit h x) movers && is_hindered S columns_stay x) S).

Definition check_places (S : list card) : bool :=
  (1 <=? base R) && (base R <=? ranks R) && is_proper p && is_waiting_for_places S.
End At.

(** * Proof *)

Lemma is_one_place_sound : is_one_place = true -> one_place R.
Proof.
  unfold is_one_place. rewrite !andb_true_iff, !Nat.leb_le. intros (((B & S) & L) & U). split; auto.
  - now destruct (build R).
  - destruct (spaces R); auto; discriminate.
Qed.

Lemma is_proper_sound p : is_proper p = true -> proper R p.
Proof.
  unfold is_proper. rewrite andb_true_iff, forallb_forall. intros (D & I). split; [now apply distinct_sound|].
  intros x X. specialize (I x X). rewrite andb_true_iff, !Nat.leb_le in I. exact I.
Qed.

Lemma is_king_iff x : is_king x = true <-> king R x.
Proof. apply Nat.eqb_eq. Qed.

Lemma divide_sound x l : forall above u b, divide x above l = Some (u, b) -> rev above ++ l = rev u ++ x :: b.
Proof.
  induction l as [|y l IH]; simpl; intros above u b; [discriminate|]. destruct (same_card x y) eqn:E.
  - intros H. inversion H; subst. apply same_card_iff in E. now subst.
  - intros H. apply IH in H. simpl in H. now rewrite <- app_assoc in H.
Qed.

Lemma locate_sound x cs c u b : locate x cs = Some (c, u, b) -> In c cs /\ pile_cards c = rev u ++ x :: b.
Proof.
  induction cs as [|d cs IH]; simpl; [discriminate|]. destruct (divide x [] (pile_cards d)) as [(u' & b')|] eqn:D.
  - intros H. inversion H; subst. split; auto. now apply divide_sound in D.
  - intros H. destruct (IH H). auto.
Qed.

Lemma located_two p x c u y b : locate x (piles p) = Some (c, u, y :: b) -> segment p [x; y].
Proof. intros L. apply locate_sound in L. destruct L as (I & E). exists c, (rev u), b. auto. Qed.

Lemma is_joined_sound p x : is_joined p x = true -> joined R p x.
Proof.
  unfold is_joined. destruct (locate _ _) as [((c & u) & [|y b])|] eqn:L; try discriminate. intros F.
  exists y. split; auto. eapply located_two; eauto.
Qed.

Lemma is_loose_sound p x : is_loose p x = true -> loose R p x.
Proof.
  unfold is_loose. destruct (locate _ _) as [((c & u) & [|y b])|] eqn:L; try discriminate; intros F.
  - left. apply locate_sound in L. destruct L as (I & E). exists c. split; auto. exists (rev u). auto.
  - right. exists y. apply negb_true_iff in F. split; auto. eapply located_two; eauto.
Qed.

Lemma is_pair_sound p x : is_pair p x = true -> pair R p.
Proof.
  unfold is_pair. destruct (locate _ _) as [((c & u) & [|y b])|] eqn:L; try discriminate.
  rewrite andb_true_iff, Nat.ltb_lt. intros (F & H). apply locate_sound in L. destruct L as (I & E).
  exists x, y. split; auto. exists c, (rev u), b. auto.
Qed.

Lemma is_staying_sound p S x : is_staying p S x = true -> stays R S p x.
Proof.
  unfold is_staying. rewrite orb_true_iff, member_iff. intros [I|J]; [now left|right]. now apply is_joined_sound.
Qed.

Lemma are_kings_waiting_sound p S : are_kings_waiting p S = true -> kings_wait R S p.
Proof.
  unfold are_kings_waiting. rewrite andb_true_iff, !forallb_forall. intros (Lo & Su). split.
  - intros c C. specialize (Lo c C). unfold lowest_stays in Lo. destruct (rev (pile_cards c)) as [|z l] eqn:E; [easy|].
    rewrite orb_true_iff, is_king_iff, member_iff in Lo. exists z. split; auto. exists (rev l).
    apply (f_equal (@rev card)) in E. now rewrite rev_involutive in E.
  - intros x X. specialize (Su x X). apply existsb_exists in Su. destruct Su as (z & Z & Su).
    rewrite andb_true_iff, negb_true_iff in Su. destruct Su as (K & T). exists z. repeat split; auto.
    intros K'. apply is_king_iff in K'. congruence.
Qed.

Lemma is_place_above_sound p S x above : is_place_above p S x above = true ->
  exists t y rest, above = t ++ y :: rest /\ fits R x y = true /\ Forall (stays R S p) (y :: rev t).
Proof.
  induction above as [|y above IH]; simpl; [discriminate|]. rewrite andb_true_iff, orb_true_iff. intros (St & H).
  apply is_staying_sound in St. destruct H as [F|H].
  - exists [], y, above. split; auto. split; auto. constructor; auto. constructor.
  - destruct (IH H) as (t & y' & rest & -> & F & Fo). exists (y :: t), y', rest. repeat split; auto.
    inversion Fo; subst. constructor; auto. simpl. apply Forall_app. split; auto.
Qed.

Lemma has_reason_sound p S k x : (k = true -> kings_wait R S p) -> has_reason p S k x = true -> reason R S p x.
Proof.
  intros Kw. unfold has_reason. destruct (locate _ _) as [((c & u) & b)|] eqn:L; [|discriminate].
  apply locate_sound in L. destruct L as (I & E). rewrite !orb_true_iff. intros [[[H|H]|H]|H].
  - apply andb_true_iff in H. destruct H as (Le & St). destruct u as [|d u]; [discriminate|].
    apply is_staying_sound in St. apply Nat.ltb_lt in Le. apply (face_down_under R S p x d); auto.
    exists c, (rev u), b. repeat split; auto. rewrite E. simpl. now rewrite <- app_assoc.
  - rewrite !andb_true_iff, is_king_iff in H. destruct H as ((K & N) & W). destruct b as [|y b]; [discriminate|].
    apply (no_space R S p x y); auto. exists c, (rev u), b. auto.
  - unfold is_place_taken in H. set (y := Card _ _) in H. apply andb_true_iff in H. destruct H as (F & H).
    destruct (locate y (piles p)) as [((c' & [|d u']) & b')|] eqn:L; try discriminate. apply member_iff in H.
    apply locate_sound in L. destruct L as (I' & E'). apply (place_taken R S p x y d); auto.
    exists c', (rev u'), b'. split; auto. rewrite E'. simpl. now rewrite <- app_assoc.
  - apply is_place_above_sound in H. destruct H as (t & y & rest & -> & F & St).
    apply (place_above R S p x y (rev t)); auto. exists c, (rev rest), b. split; auto. rewrite E, rev_app_distr.
    simpl. repeat (rewrite <- app_assoc; simpl). reflexivity.
Qed.

Lemma is_waiting_sound p S : is_waiting p S = true -> waits R S p.
Proof.
  unfold is_waiting. rewrite andb_true_iff, existsb_exists, forallb_forall. intros ((z & Z & K) & H). split.
  - exists z. split; auto. intros Ki. apply is_king_iff in Ki. rewrite Ki in K. discriminate.
  - intros x X. specialize (H x X). rewrite andb_true_iff in H. destruct H as (Lo & Re).
    split; [now apply is_loose_sound|]. eapply has_reason_sound; eauto. apply are_kings_waiting_sound.
Qed.

Theorem check_pair_sound p x : check_pair p x = true -> ~ clearable p.
Proof.
  unfold check_pair. rewrite !andb_true_iff. intros ((O & P) & H).
  apply pair_lost; [now apply is_one_place_sound | now apply is_proper_sound | eapply is_pair_sound; eauto].
Qed.

Theorem check_set_sound p S : check_set p S = true -> ~ clearable p.
Proof.
  unfold check_set. rewrite !andb_true_iff. intros ((O & P) & H).
  apply (waits_lost R run full_columns) with (S := S);
    [now apply is_one_place_sound | now apply is_proper_sound | now apply is_waiting_sound].
Qed.

Lemma is_covered_sound p x : is_covered p x = true -> exists y, covered p x y.
Proof.
  unfold is_covered. destruct (locate _ _) as [((c & u) & [|y b])|] eqn:L; try discriminate. rewrite Nat.ltb_lt.
  intros H. apply locate_sound in L. destruct L as (I & E). exists y, c, (rev u), b. auto.
Qed.

Lemma is_mover_sound p x : is_mover p x = true -> has_to_move R p x.
Proof.
  unfold is_mover. rewrite andb_true_iff, orb_true_iff, negb_true_iff. intros (K & M). split.
  - intros H. apply is_king_iff in H. congruence.
  - destruct M as [M|M]; [right; now apply is_covered_sound|left].
    destruct (locate _ _) as [((c & u) & [|y b])|] eqn:L; try discriminate.
    + left. apply locate_sound in L. destruct L as (I & E). exists c. split; auto. exists (rev u). auto.
    + right. exists y. apply negb_true_iff in M. split; auto. eapply located_two; eauto.
Qed.

Lemma is_under_sound p S c above : forall x below, In c (piles p) -> pile_cards c = rev above ++ x :: below ->
  is_under S (length (hidden c)) (length below) x above = true ->
  exists t rest, above = t ++ rest /\ (forall z, In z t -> In z S) /\ apart R run p (rev t ++ [x]).
Proof.
  induction above as [|y above IH]; simpl; intros x below I E; [discriminate|].
  rewrite <- app_assoc in E. simpl in E. rewrite andb_true_iff, !orb_true_iff, member_iff, negb_true_iff, Nat.ltb_lt.
  intros (M & [[F|L]|H]).
  - exists [y], above. split; auto. split; [intros z [<-|[]]; auto|]. exists [], y, x, []. auto.
  - exists [y], above. split; auto. split; [intros z [<-|[]]; auto|]. exists [], y, x, []. split; auto. left.
    exists c, (rev above), below. auto.
  - destruct (IH y (x :: below) I E H) as (t & rest & -> & A & (a & z & w & b & Ew & D)).
    exists (y :: t), rest. split; auto. split; [intros v [<-|J]; auto|].
    exists a, z, w, (b ++ [x]). split; auto. simpl. rewrite Ew. now rewrite <- app_assoc.
Qed.

Lemma is_on_top_of_sound p S y : is_on_top_of p S y = true -> exists d, In d S /\ segment p [d; y].
Proof.
  unfold is_on_top_of. destruct (locate _ _) as [((c & [|d u]) & b)|] eqn:L; try discriminate. rewrite member_iff.
  intros D. apply locate_sound in L. destruct L as (I & E). exists d. split; auto. exists c, (rev u), b.
  split; auto. rewrite E. simpl. now rewrite <- app_assoc.
Qed.

Lemma are_columns_staying_sound p S : are_columns_staying p S = true ->
  forall c, In c (piles p) -> exists z, lowest c z /\ In z S.
Proof.
  unfold are_columns_staying. rewrite forallb_forall. intros H c I. specialize (H c I).
  destruct (rev (pile_cards c)) as [|z l] eqn:E; [discriminate|]. apply member_iff in H. exists z. split; auto.
  exists (rev l). apply (f_equal (@rev card)) in E. now rewrite rev_involutive in E.
Qed.

Lemma is_hindered_sound p S stay x : (stay = true -> are_columns_staying p S = true) ->
  is_hindered p S stay x = true -> segment p [x] /\ hindrance R run S p x.
Proof.
  intros St. unfold is_hindered. destruct (locate _ _) as [((c & u) & b)|] eqn:L; [|discriminate].
  apply locate_sound in L. destruct L as (I & E). intros H. split; [exists c, (rev u), b; auto|].
  apply orb_true_iff in H. destruct H as [H|H].
  - destruct (is_under_sound p S c u x b I E H) as (t & rest & -> & A & Ap).
    apply (under R run S p x (rev t)); auto.
    + exists c, (rev rest), b. split; auto. rewrite E, rev_app_distr. now rewrite <- !app_assoc.
    + intros z J. apply A. now apply in_rev.
  - rewrite andb_true_iff, forallb_forall in H. destruct H as (Pl & Sp). apply no_place.
    + intros y J F. specialize (Pl y J). rewrite F in Pl. now apply is_on_top_of_sound.
    + intros G. apply are_columns_staying_sound, St. unfold may_go in G. unfold may_go_to_spaces in Sp.
      destruct (spaces R); try easy. apply is_king_iff in G. now rewrite G in Sp.
Qed.

Theorem check_places_sound p S : check_places p S = true -> ~ clearable p.
Proof.
  unfold check_places. rewrite !andb_true_iff, !Nat.leb_le. intros (((Lo & Hi) & P) & W).
  apply (places_lost R run full_columns (conj Lo Hi) S); [now apply is_proper_sound|].
  unfold is_waiting_for_places in W. rewrite andb_true_iff, forallb_forall in W. destruct W as (N & W). split.
  - destruct S as [|x S]; [discriminate|]. exists x. now left.
  - intros x I. specialize (W x I). rewrite andb_true_iff, existsb_exists in W. destruct W as ((h & Ih & Su) & H).
    apply filter_In in Ih. destruct Ih as (Ih & M). apply is_mover_sound in M.
    destruct (is_hindered_sound p S _ x (fun e => e) H) as (Sx & Hi'). split; auto. split; eauto.
Qed.

(** * Positions that differ in the order of their columns *)

Definition same_pile_as (c d : pile) : bool := same_cards (shown c) (shown d) && same_cards (hidden c) (hidden d).

Fixpoint same_piles (cs ds : list pile) : bool :=
  match cs, ds with
  | [], [] => true
  | c :: cs, d :: ds => same_pile_as c d && same_piles cs ds
  | _, _ => false
  end.

Definition same_board (p q : board) : bool :=
  same_cards (to_deal p) (to_deal q) &&
  if is_empty (to_deal p) then same_in_any_order same_pile_as (piles p) (piles q) else same_piles (piles p) (piles q).

Definition similar (p q : board) : Prop :=
  p = q \/ (to_deal p = [] /\ to_deal q = [] /\ Permutation (piles p) (piles q)).

Lemma same_pile_as_sound c d : same_pile_as c d = true -> c = d.
Proof.
  unfold same_pile_as. rewrite andb_true_iff, !same_cards_iff. destruct c, d. simpl. intros (-> & ->). auto.
Qed.

Lemma same_piles_sound cs : forall ds, same_piles cs ds = true -> cs = ds.
Proof.
  induction cs as [|c cs IH]; intros [|d ds]; simpl; try easy. rewrite andb_true_iff. intros (C & H).
  apply same_pile_as_sound in C. apply IH in H. congruence.
Qed.

Lemma same_board_sound p q : same_board p q = true -> similar p q.
Proof.
  unfold same_board. rewrite andb_true_iff, same_cards_iff. intros (D & H). destruct (is_empty (to_deal p)) eqn:E.
  - apply is_empty_iff in E. right. split; auto. split; [congruence|].
    exact (same_in_any_order_sound _ same_pile_as_sound _ _ H).
  - left. apply same_piles_sound in H. destruct p, q. simpl in *. congruence.
Qed.

Lemma permutation_two {A} (cs : list A) s t r : Permutation cs (s :: t :: r) -> exists a b c,
  (cs = a ++ s :: b ++ t :: c \/ cs = a ++ t :: b ++ s :: c) /\ Permutation (a ++ b ++ c) r.
Proof.
  intros P. destruct (permutation_split _ _ _ P) as (l & m & -> & Q). apply Permutation_sym in Q.
  assert (I : In t (l ++ m)) by (apply (Permutation_in _ Q); now left). apply in_app_or in I. destruct I as [I|I].
  - apply in_split in I. destruct I as (a & b & ->). exists a, b, m. split; [right; now rewrite <- app_assoc|].
    rewrite <- app_assoc in Q. simpl in Q. rewrite <- Permutation_middle in Q.
    now apply Permutation_cons_inv, Permutation_sym in Q.
  - apply in_split in I. destruct I as (b & c & ->). exists l, b, c. split; auto.
    rewrite app_assoc, <- Permutation_middle, <- app_assoc in Q. now apply Permutation_cons_inv, Permutation_sym in Q.
Qed.

Lemma permutation_ends {A} (a b c r : list A) s t : Permutation (a ++ b ++ c) r ->
  Permutation (s :: t :: r) (a ++ s :: b ++ t :: c) /\ Permutation (s :: t :: r) (a ++ t :: b ++ s :: c).
Proof.
  intros P. rewrite !two_out. split; [|rewrite perm_swap]; repeat apply perm_skip; now apply Permutation_sym.
Qed.

Lemma similar_step p s q : similar p s -> step p q -> exists q', step s q' /\ similar q q'.
Proof.
  intros [<-|(Dp & Ds & P)] M; [exists q; split; [auto | now left]|].
  assert (Two : forall x y x' y' r, Permutation (piles p) (x :: y :: r) -> Permutation (piles q) (x' :: y' :: r) ->
    to_deal q = [] -> carried R run x y x' y' -> exists q', step s q' /\ similar q q').
  { intros x y x' y' r Px Qx D C. rewrite P in Px. destruct (permutation_two _ _ _ _ Px) as (a & b & c & E & Pr).
    destruct (permutation_ends a b c r x' y' Pr) as (F & G). destruct E as [E|E].
    - eexists. split; [eapply to_the_right; eauto|]. right. rewrite Qx, D, Ds. auto.
    - eexists. split; [eapply to_the_left; eauto|]. right. rewrite Qx, D, Ds. auto. }
  destruct M as [a x b y c x' y' E C | a y b x c x' y' E C | a g below d c E W | N F].
  - apply (Two x y x' y' (a ++ b ++ c)); auto; [rewrite E|]; apply two_out.
  - apply (Two x y x' y' (a ++ b ++ c)); auto; [rewrite E|]; simpl; rewrite two_out; apply perm_swap.
  - rewrite E in P. apply Permutation_sym in P. rewrite <- Permutation_middle in P.
    destruct (permutation_split _ _ _ P) as (l & m & El & Pr).
    exists (Board (l ++ turned_up (Pile below d) :: m) (to_deal s)).
    split; [eapply suit_leaves; eauto|]. right. simpl. rewrite <- !Permutation_middle. auto using Permutation_sym.
  - tauto.
Qed.

Lemma similar_sym p q : similar p q -> similar q p.
Proof. intros [<-|(P & Q & E)]; [now left | right; auto using Permutation_sym]. Qed.

Lemma similar_trans p q r : similar p q -> similar q r -> similar p r.
Proof.
  intros [<-|(P & Q & E)] [<-|(Q' & Z & F)]; [now left | right; auto | right; auto | right].
  eauto using Permutation_trans.
Qed.

Lemma similar_cleared p q : similar p q -> cleared p -> cleared q.
Proof. intros [<-|(P & Q & E)] (C & D); split; auto. now rewrite <- E. Qed.

Lemma similar_clearable p q : similar p q -> clearable p -> clearable q.
Proof.
  intros Si (z & Re & W). revert q Si. induction Re as [p | p v z M Re IH]; intros q Si.
  - exists q. split; [constructor | eauto using similar_cleared].
  - destruct (similar_step p q v Si M) as (v' & M' & Si'). destruct (IH W v' Si') as (z' & Re' & W').
    exists z'. split; auto. econstructor; eauto.
Qed.

(** * A table of positions *)

Inductive ending :=
  goes_on | ends_by_pair (x : card) | ends_by_set (cards : list card) | ends_by_places (cards : list card).

Variables (table : PositiveMap.t (board * ending)) (key : board -> positive).

Definition is_cleared (p : board) : bool :=
  forallb (fun c => is_empty (pile_cards c)) (piles p) && is_empty (to_deal p).

Definition is_listed (p : board) : bool :=
  match PositiveMap.find (key p) table with Some (q, _) => same_board p q | None => false end.

Definition is_justified (entry : board * ending) : bool :=
  let (p, e) := entry in
  match e with
  | goes_on => negb (is_cleared p) && forallb is_listed (next p)
  | ends_by_pair x => check_pair p x
  | ends_by_set cards => check_set p cards
  | ends_by_places cards => check_places p cards
  end.

Definition check_table (start : board) : bool :=
  is_listed start && forallb (fun '(_, entry) => is_justified entry) (PositiveMap.elements table).

Definition in_table (p : board) : Prop := exists k e, PositiveMap.find k table = Some (p, e).

Lemma is_cleared_iff p : is_cleared p = true <-> cleared p.
Proof.
  unfold is_cleared, cleared. rewrite andb_true_iff, is_empty_iff, forallb_forall, Forall_forall.
  split; intros (H & D); split; auto; intros c C; specialize (H c C); now apply is_empty_iff.
Qed.

Lemma is_listed_sound p : is_listed p = true -> exists q, in_table q /\ similar p q.
Proof.
  unfold is_listed. destruct (PositiveMap.find _ _) as [(q & e)|] eqn:F; [|discriminate]. intros H.
  exists q. split; [exists (key p), e; auto | now apply same_board_sound].
Qed.

Theorem check_table_sound start : check_table start = true -> ~ clearable start.
Proof.
  unfold check_table. rewrite andb_true_iff, forallb_forall. intros (L & J).
  assert (T : forall q, in_table q -> exists e, is_justified (q, e) = true).
  { intros q (k & e & F). exists e. exact (J _ (PositiveMap.elements_correct _ _ F)). }
  assert (Lost : forall p z, steps p z -> cleared z -> forall q, in_table q -> similar p q -> False).
  { induction 1 as [p | p v z M Re IH]; intros W q I Si.
    - destruct (T q I) as ([|x|l|l] & H); simpl in H.
      + rewrite andb_true_iff, negb_true_iff in H. destruct H as (H & _). apply (similar_cleared _ _ Si) in W.
        apply is_cleared_iff in W. congruence.
      + apply (check_pair_sound q x H). exists q. split; [constructor | eauto using similar_cleared].
      + apply (check_set_sound q l H). exists q. split; [constructor | eauto using similar_cleared].
      + apply (check_places_sound q l H). exists q. split; [constructor | eauto using similar_cleared].
    - assert (Cl : clearable q).
      { apply (similar_clearable p q Si). exists z. split; auto. econstructor; eauto. }
      destruct (T q I) as ([|x|l|l] & H); simpl in H;
        [|eapply check_pair_sound; eauto | eapply check_set_sound; eauto | eapply check_places_sound; eauto].
      rewrite andb_true_iff, forallb_forall in H. destruct H as (_ & H).
      destruct (similar_step p q v Si M) as (v' & M' & Si'). apply next_iff in M'. apply H in M'.
      destruct (is_listed_sound _ M') as (u & Iu & Su). apply (IH W u Iu). eapply similar_trans; eauto. }
  intros (z & Re & W). destruct (is_listed_sound _ L) as (q & I & Si). eapply Lost; eauto.
Qed.
End Checker.
