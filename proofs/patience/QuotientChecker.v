(* The checker of losses of games such as Klondike, without the arrangement of the cards that were moved.

   Claim ([check_quotient_sound]). If [check_quotient] says true, the game cannot be won from the start.

   The table has positions of the quotient. From each of them that is not refuted, every move leads, after safe cards
   have gone up, to a position of the table. Nothing is assumed of the table, of [key], which says where a position is
   in it, nor of [hint], which says why one is refuted: then [check_quotient] says false. *)
Require Import List Bool Arith Lia Permutation PArith FMapPositive.
Import ListNotations.
From Patience Require Import Game Cards Stock Simulation Moves Checker Quotient Refuted SafeCards.

Section Checker.
Variable R : rules.
Variable deck : list card.

(** * Moves *)

Section Moves.
Variable q : position.
Variables moved shown : list card.

Definition bare (x : card) : bool := was_bare R moved shown x.

Definition space : bool :=
  match spaces R with
  | LastRank => length (filter (is_king R) moved) <? length (filter is_vacant (columns q))
  | _ => false
  end.

Definition free (has_space : bool) (x : card) : bool :=
  (is_king R x && has_space) || existsb (fun y => fits R x y && bare y) shown.

Definition next_up (x : card) : bool := all_in (lower R x) (foundations q).

(* The dealt cards, each with the position without it. *)
Definition leaving : list (card * position) :=
  flat_map (fun '(before, c, after) =>
      match c with
      | x :: below => [(x, with_columns q (before ++ dealt R (face_down q) below :: after))]
      | [] => []
      end)
    (splits (columns q)).

Definition in_reserve : list (card * position) :=
  map (fun '(l, x, r) => (x, with_open_reserve q (l ++ r))) (splits (open_reserve q)).

Definition returning : list (card * position) :=
  flat_map (fun x =>
      if can_come_back R x && forallb (fun z => negb (member x (lower R z))) (foundations q)
      then [(x, with_foundations q (filter (fun z => negb (same_card x z)) (foundations q)))] else [])
    (foundations q).

Definition ups (from : list (card * position)) : list (card * position) :=
  map (fun '(x, r) => (x, up_in r x)) (filter (fun '(x, _) => next_up x) from).

Definition rising (from : list (card * position)) : list (card * position) :=
  ups (map (fun x => (x, q)) (filter bare moved) ++ filter (fun '(x, _) => bare x) leaving ++ from).

Definition moves_of : list position :=
  let has_space := space in
  let taken := in_reserve ++ offers R q in
  map snd (rising taken) ++
  map snd (filter (fun '(x, _) => free has_space x) (leaving ++ taken ++ returning)).
End Moves.

Definition quotient_moves (q : position) : list position := moves_of q (moved_cards deck q) (shown_cards deck q).

(** * Safe cards *)

(* The cards that fit x, those that fit these, and so on, with those before them in their suits. *)
Definition needs (x z : card) : bool :=
  if same_suit x z then height R z <=? height R x
  else if eqb (red x) (red z) then S (height R z) <? height R x
  else height R z <? height R x.

Definition is_safe (q : position) (x : card) : bool :=
  forallb (fun z => negb (needs x z) || member z (foundations q) || next_up q z) deck.

Definition offers_all : bool := (draw R =? 1) && unlimited R && negb (to_hole R).

Definition safe_ups (q : position) : list (card * position) :=
  let from := in_reserve q ++ if offers_all then offers R q else [] in
  filter (fun '(x, _) => is_safe q x) (rising q (moved_cards deck q) (shown_cards deck q) from).

Definition by_suits (l : list (card * position)) : list (card * position) :=
  flat_map (fun s => filter (fun '(x, _) => same_suit x (Card 0 s)) l) [Clubs; Hearts; Spades; Diamonds].

Fixpoint after_safe (fuel : nat) (q : position) : position :=
  match fuel with
  | 0 => q
  | S fuel => match by_suits (safe_ups q) with (_, r) :: _ => after_safe fuel r | [] => q end
  end.

(** * The table *)

Variables (table : PositiveMap.t position) (key : position -> positive).
Variable hint : position -> option (list card * list card * bool).

Fixpoint same_columns (l m : list (list card)) : bool :=
  match l, m with
  | [], [] => true
  | c :: l, d :: m => same_cards c d && same_columns l m
  | _, _ => false
  end.

(* The same position, perhaps with a better stock. *)
Definition is_as_good (r q : position) : bool :=
  same_columns (columns r) (columns q) && same_cards (face_down r) (face_down q) &&
  same_cards (open_reserve r) (open_reserve q) && all_in (foundations r) (foundations q) &&
  all_in (foundations q) (foundations r) && is_at_least R (turning r) (turning q).

Definition in_quotient (q : position) : bool :=
  let q := after_safe (length deck) q in
  match PositiveMap.find (key q) table with Some r => is_as_good r q | None => false end.

Definition is_known (q : position) : bool := distinct (placed q) && all_in (placed q) deck.

Definition is_lost (q : position) : bool :=
  is_known q &&
  match hint q with
  | Some (ever_up, came, space) => is_refuted R deck q (moved_cards deck q) (shown_cards deck q) ever_up came space
  | None => negb (all_in deck (foundations q)) && forallb in_quotient (quotient_moves q)
  end.

Definition check_quotient (start : position) : bool :=
  without_arrangement R && negb (draw R =? 0) && distinct deck && forallb (fun x => height R x <? ranks R) deck &&
  is_empty (cells start) && is_empty (reserve start) && match hole start with None => true | _ => false end &&
  distinct (cards start) && all_in (cards start) deck && all_in deck (cards start) &&
  in_quotient (quotient_of R start) && forallb (fun '(_, q) => is_lost q) (PositiveMap.elements table).

(** * Proof *)

Hypothesis rules_ok : without_arrangement R = true.
Hypothesis deck_once : NoDup deck.
Hypothesis deck_ranks : forall x, In x deck -> height R x < ranks R.
Hypothesis draws : draw R <> 0.

Notation known := (known deck).
Notation ahead := (ahead R deck).

(* What is behind q is behind r. *)
Definition leads (q r : position) : Prop :=
  (known q -> known r /\ incl (foundations q) (foundations r)) /\
  forall loose gone p, ahead loose gone p q -> exists loose' gone', ahead loose' gone' p r.

Lemma leads_trans q r s : leads q r -> leads r s -> leads q s.
Proof.
  intros (K & A) (K' & B). split.
  - intros Kq. destruct (K Kq) as (Kr & I). destruct (K' Kr) as (Ks & J). split; auto. intros z Z. auto.
  - intros l g p P. destruct (A l g p P) as (l1 & g1 & P1). eauto.
Qed.

Lemma leads_refl q : leads q q.
Proof. split; eauto. intros K. split; auto using incl_refl. Qed.

Lemma next_up_iff q x : next_up q x = true <-> is_next R q x.
Proof. apply all_in_iff. Qed.

Lemma was_bare_iff q x : was_bare R (moved_cards deck q) (shown_cards deck q) x = is_bare R deck q x.
Proof. unfold was_bare, is_bare, count, moved_cards, shown_cards. now rewrite !filter_filter. Qed.

Lemma free_iff q x : free (moved_cards deck q) (shown_cards deck q) (space q (moved_cards deck q)) x =
  is_free R deck q x.
Proof.
  unfold free, is_free. f_equal.
  - f_equal. unfold space, has_space, count, moved_cards. now rewrite filter_filter.
  - apply eq_true_iff_eq. rewrite !existsb_exists. unfold is_free_at, bare, shown_cards. split.
    + intros (y & I & F). apply filter_In in I. exists y. rewrite !andb_true_iff in *.
      rewrite was_bare_iff in F. tauto.
    + intros (y & I & F). rewrite !andb_true_iff in F. exists y. rewrite filter_In, andb_true_iff, was_bare_iff. tauto.
Qed.

Lemma in_leaving q x r : In (x, r) (leaving q) <-> leaves R q x r.
Proof.
  unfold leaving. rewrite in_flat_map. split.
  - intros (((l & c) & k) & I & J). apply splits_iff in I. destruct c as [|y b]; [easy|]. destruct J as [J|[]].
    inversion J; subst. now constructor.
  - intros [l b k E]. exists (l, x :: b, k). split; [now apply splits_iff|now left].
Qed.

Lemma in_ups q from x r : In (x, r) (ups q from) <-> exists r', r = up_in r' x /\ is_next R q x /\ In (x, r') from.
Proof.
  unfold ups. rewrite in_map_iff. split.
  - intros ((y & r') & E & I). inversion E; subst. apply filter_In in I. rewrite next_up_iff in I. exists r'. tauto.
  - intros (r' & -> & N & I). exists (x, r'). split; auto. apply filter_In. rewrite next_up_iff. tauto.
Qed.

Lemma in_rising q from x r : In (x, r) (rising q (moved_cards deck q) (shown_cards deck q) from) <->
  exists r', r = up_in r' x /\ is_next R q x /\
    ((r' = q /\ In x (moved_cards deck q) /\ is_bare R deck q x = true) \/
     (leaves R q x r' /\ is_bare R deck q x = true) \/ In (x, r') from).
Proof.
  unfold rising. rewrite in_ups. unfold bare.
  split; intros (r' & E & N & I); exists r'; (split; [exact E|split; [exact N|]]).
  - rewrite !in_app_iff, in_map_iff, filter_In, in_leaving, was_bare_iff in I.
    destruct I as [(y & F & I)|I]; [|tauto]. inversion F; subst. apply filter_In in I. rewrite was_bare_iff in I. tauto.
  - rewrite !in_app_iff, in_map_iff, filter_In, in_leaving, was_bare_iff.
    destruct I as [(-> & I & B)|I]; [|tauto]. left. exists x. split; auto. apply filter_In. now rewrite was_bare_iff.
Qed.

(* The same position with another stock. *)
Definition as_good (r q : position) : Prop :=
  columns r = columns q /\ face_down r = face_down q /\ open_reserve r = open_reserve q /\
  (forall z, In z (foundations r) <-> In z (foundations q)) /\ at_least R (turning r) (turning q).

Lemma as_good_leads q r : as_good r q -> (known q -> known r) -> leads q r.
Proof.
  intros (C & F & O & U & T) K. split.
  - intros Kq. split; auto. intros z. now apply U.
  - intros loose gone p A. exists loose, gone. pose proof (K (proj2 (ahead_known _ _ _ _ _ _ A))) as Kr.
    destruct A as [(Kp & Kq) Cl N G Up Ot Fa Co Re St Dr]. constructor; auto; try congruence.
    + intros z D L. rewrite U. destruct (N z D L) as [I|I]; auto. right. intros y Y. apply U. auto.
    + intros z. now rewrite U.
    + intros z Z. apply U. auto.
    + intros z. rewrite U. auto.
    + eapply at_least_trans; eauto.
Qed.

Lemma as_good_known q r : columns r = columns q -> open_reserve r = open_reserve q -> foundations r = foundations q ->
  all_cards (turning r) = all_cards (turning q) -> known q -> known r.
Proof. unfold Refuted.known, placed. now intros -> -> -> ->. Qed.

Lemma offers_good q x r : offered R q x r -> exists s, In (x, s) (offers R q) /\ offered R q x s /\ as_good s r /\
  foundations s = foundations r /\ all_cards (turning s) = all_cards (turning r).
Proof.
  intros O. destruct (offers_complete R draws q x r O) as (t & I & E & B). exists (with_turning q t).
  split; auto. split; [now apply offers_sound|]. rewrite E. repeat split; auto; simpl.
  symmetry. now apply (at_least_all_cards R).
Qed.

Lemma quotient_moves_complete q r : quotient_move R deck q r -> exists s, In s (quotient_moves q) /\ leads r s.
Proof.
  intros M. unfold quotient_moves, moves_of.
  assert (Up : forall x s, In (x, s) (rising q (moved_cards deck q) (shown_cards deck q) (in_reserve q ++ offers R q)) ->
    leads r s -> exists s, In s (map snd (rising q (moved_cards deck q) (shown_cards deck q) (in_reserve q ++ offers R q)) ++
      map snd (filter (fun '(x, _) => free (moved_cards deck q) (shown_cards deck q) (space q (moved_cards deck q)) x)
        (leaving q ++ (in_reserve q ++ offers R q) ++ returning q))) /\ leads r s).
  { intros x s I L. exists s. split; auto. apply in_or_app. left. apply in_map_iff. exists (x, s). auto. }
  assert (Down : forall x s, In (x, s) (leaving q ++ (in_reserve q ++ offers R q) ++ returning q) ->
    is_free R deck q x = true -> leads r s ->
    exists s, In s (map snd (rising q (moved_cards deck q) (shown_cards deck q) (in_reserve q ++ offers R q)) ++
      map snd (filter (fun '(x, _) => free (moved_cards deck q) (shown_cards deck q) (space q (moved_cards deck q)) x)
        (leaving q ++ (in_reserve q ++ offers R q) ++ returning q))) /\ leads r s).
  { intros x s I F L. exists s. split; auto. apply in_or_app. right. apply in_map_iff. exists (x, s). split; auto.
    apply filter_In. now rewrite free_iff. }
  assert (Rv : forall x l k, open_reserve q = l ++ x :: k -> In (x, with_open_reserve q (l ++ k)) (in_reserve q)).
  { intros x l k E. apply in_map_iff. exists (l, x, k). split; auto. now apply splits_iff. }
  destruct M as [x D Mo B N | x q1 L B N | x q1 T N | x q1 L F | x q1 T F | x q1 T F].
  - apply (Up x (up_in q x)); auto using leads_refl. apply in_rising. exists q. repeat split; auto. left.
    repeat split; auto. now apply filter_In.
  - apply (Up x (up_in q1 x)); auto using leads_refl. apply in_rising. exists q1. split; [|split]; auto.
  - destruct T as [l k E | q1 O].
    + apply (Up x (up_in (with_open_reserve q (l ++ k)) x)); auto using leads_refl. apply in_rising. eexists.
      repeat split; auto. right. right. apply in_or_app. auto.
    + destruct (offers_good q x q1 O) as (s & I & _ & (C & F & Re & U & T) & Ef & Et).
      apply (Up x (up_in s x)).
      * apply in_rising. exists s. repeat split; auto. right. right. apply in_or_app. auto.
      * apply as_good_leads; [repeat split; simpl; auto; rewrite ?Ef; auto|].
        apply as_good_known; simpl; auto; congruence.
  - apply (Down x q1); auto using leads_refl. apply in_or_app. left. now apply in_leaving.
  - destruct T as [l k E | q1 O].
    + apply (Down x (with_open_reserve q (l ++ k))); auto using leads_refl. rewrite !in_app_iff. auto.
    + destruct (offers_good q x q1 O) as (s & I & _ & G & Ef & Et).
      apply (Down x s); auto; [rewrite !in_app_iff; auto|]. destruct G as (C & Fa & Re & G).
      apply as_good_leads; [repeat split; auto; apply G|]. now apply as_good_known.
  - apply (Down x q1); auto using leads_refl. destruct T as [I B H]. rewrite !in_app_iff. right. right.
    unfold returning. apply in_flat_map. exists x. split; auto. apply can_come_back_iff in B. rewrite B.
    replace (forallb _ _) with true; [now left|]. symmetry. apply forallb_forall. intros z Z. apply not_member_iff. auto.
Qed.

Lemma needs_closed x z w : needs x z = true -> fits R w z = true \/ In w (lower R z) -> needs x w = true.
Proof.
  assert (Same : forall a b, same_suit a b = true <-> suit_of a = suit_of b).
  { intros [ra sa] [rb sb]. unfold same_suit. simpl. destruct sa, sb; split; easy. }
  assert (Red : forall a b, suit_of a = suit_of b -> red a = red b) by (intros a b E; unfold red; now rewrite E).
  unfold needs. intros N [F|I].
  - apply (fits_iff R rules_ok) in F. destruct F as (H & C).
    destruct (same_suit x z) eqn:S.
    + apply Same, Red in S. destruct (same_suit x w) eqn:S'; [apply Same, Red in S'; congruence|].
      apply Nat.leb_le in N. destruct (eqb (red x) (red w)) eqn:E; [apply eqb_prop in E; congruence|].
      apply Nat.ltb_lt. lia.
    + destruct (eqb (red x) (red z)) eqn:E.
      * apply eqb_prop in E. apply Nat.ltb_lt in N. destruct (same_suit x w) eqn:S'; [apply Same, Red in S'; congruence|].
        destruct (eqb (red x) (red w)) eqn:E'; [apply eqb_prop in E'; congruence|]. apply Nat.ltb_lt. lia.
      * apply eqb_false_iff in E. apply Nat.ltb_lt in N. destruct (same_suit x w); [apply Nat.leb_le; lia|].
        destruct (eqb (red x) (red w)); apply Nat.ltb_lt; lia.
  - unfold lower in I. apply filter_In in I. destruct I as (I & H). apply Nat.ltb_lt in H. apply in_map_iff in I.
    destruct I as (k & <- & _). unfold same_suit, red in *. cbn [suit_of] in *.
    destruct (suit_of x), (suit_of z); simpl in *; rewrite ?Nat.leb_le, ?Nat.ltb_lt in *; lia.
Qed.

Lemma leads_safe q x r : known q -> In (x, r) (safe_ups q) -> leads q r.
Proof.
  intros K I. unfold safe_ups in I. apply filter_In in I. destruct I as (I & S). apply in_rising in I.
  destruct I as (r' & -> & N & I).
  assert (Up : forall p, foundations p = foundations q -> incl (foundations q) (foundations (up_in p x))).
  { intros p E z Z. simpl. rewrite E. auto. }
  assert (A : forall loose gone p, ahead loose gone p q ->
    exists gone', ahead (fun z => loose z || needs x z) gone' p q).
  { intros loose gone p A. apply (ahead_merge R deck loose gone p q (needs x) A).
    - intros z w _ _. apply needs_closed.
    - intros z D L. unfold is_safe in S. rewrite forallb_forall in S. specialize (S z D). rewrite L in S. simpl in S.
      apply orb_true_iff in S. rewrite member_iff, next_up_iff in S. exact S. }
  assert (L : forall loose : card -> bool, loose x || needs x x = true).
  { intros loose. unfold needs. replace (same_suit x x) with true by (unfold same_suit; now destruct (suit_of x)).
    rewrite Nat.leb_refl. apply orb_true_r. }
  destruct I as [(-> & I & B)|[(Le & B)|I]].
  - apply filter_In in I. destruct I as (D & M). split.
    + intros _. split; auto. apply known_up; auto. now apply is_moved_iff.
    + intros loose gone p P. destruct (A _ _ _ P) as (g & P'). exists (fun z => loose z || needs x z), (x :: g).
      apply raise_moved; auto.
  - destruct (leaves_removed _ _ _ _ _ K Le) as (a & b & c & E & Er & Re). split.
    + intros _. split; [|apply Up; now rewrite Er].
      apply known_up; [exact (removed_known _ _ _ _ _ Re)| |exact (removed_not _ _ _ _ _ K Re)].
      apply K, in_tops. unfold tops. rewrite E. apply top_of_whole.
    + intros loose gone p P. destruct (A _ _ _ P) as (g & P'). exists (fun z => loose z || needs x z), (x :: g).
      apply (raise_dealt R deck _ _ _ q); auto.
  - apply in_app_or in I. destruct I as [I|I].
    + apply in_map_iff in I. destruct I as (((a & y) & b) & E & I). inversion E; subst. apply splits_iff in I.
      destruct (taken_removed _ _ _ _ _ K (taken_reserve R q x a b I)) as (Re & _). split.
      * intros _. split; [|now apply Up].
        apply known_up; [exact (removed_known _ _ _ _ _ Re)| |exact (removed_not _ _ _ _ _ K Re)].
        apply K, Refuted.in_reserve. rewrite I. apply in_or_app. right. now left.
      * intros loose gone p P. destruct (A _ _ _ P) as (g & P'). exists (fun z => loose z || needs x z), (x :: g).
        apply raise_reserve; auto.
    + unfold offers_all in I. destruct ((draw R =? 1) && unlimited R && negb (to_hole R)) eqn:O; [|easy].
      rewrite !andb_true_iff, Nat.eqb_eq, negb_true_iff in O. destruct O as ((O1 & O2) & O3).
      apply (offers_sound R draws) in I. pose proof (taken_stock R q x r' I) as T.
      destruct (taken_removed _ _ _ _ _ K T) as (Re & _ & Ef). split.
      * intros _. split; [|now apply Up].
        apply known_up; [exact (removed_known _ _ _ _ _ Re)| |exact (removed_not _ _ _ _ _ K Re)].
        apply K. rewrite (removed_placed _ _ _ _ _ Re). now left.
      * intros loose gone p P. destruct (A _ _ _ P) as (g & P'). exists (fun z => loose z || needs x z), (x :: g).
        apply (raise_stock R deck O1 O2 O3 _ _ _ q); auto.
Qed.

Lemma in_by_suits l x : In x (by_suits l) -> In x l.
Proof.
  unfold by_suits. rewrite in_flat_map. intros (s & _ & I). now apply filter_In in I.
Qed.

Lemma after_safe_leads fuel : forall q, known q -> leads q (after_safe fuel q).
Proof.
  induction fuel as [|fuel IH]; intros q K; simpl; [apply leads_refl|].
  destruct (by_suits (safe_ups q)) as [|(x & r) l] eqn:E; [apply leads_refl|].
  assert (I : In (x, r) (safe_ups q)) by (apply in_by_suits; rewrite E; now left).
  pose proof (leads_safe q x r K I) as L. apply (leads_trans _ r); auto. apply IH. now apply L.
Qed.

Lemma same_columns_iff l : forall m, same_columns l m = true -> l = m.
Proof.
  induction l as [|c l IH]; intros [|d m]; simpl; try easy. rewrite andb_true_iff, same_cards_iff.
  intros (-> & H). f_equal. auto.
Qed.

Definition in_table (q : position) : Prop := exists k, PositiveMap.find k table = Some q.

Hypothesis table_known : forall q, in_table q -> known q.

Lemma in_quotient_sound q : known q -> in_quotient q = true -> exists r, in_table r /\ leads q r.
Proof.
  intros K. unfold in_quotient. pose proof (after_safe_leads (length deck) q K) as L.
  destruct (PositiveMap.find _ table) as [r|] eqn:F; [|discriminate]. intros G. exists r.
  assert (T : in_table r) by (eexists; eauto). split; auto. apply (leads_trans _ _ _ L).
  unfold is_as_good in G. rewrite !andb_true_iff, !same_cards_iff, !all_in_iff in G.
  destruct G as (((((C & Fa) & Re) & U) & U') & St). apply same_columns_iff in C.
  apply is_at_least_sound in St; auto. apply as_good_leads; auto. repeat split; auto; apply U || apply U'.
Qed.

Hypothesis table_lost : forall q, in_table q -> is_lost q = true.

Lemma left_over_le q r : incl (foundations q) (foundations r) -> left_over deck r <= left_over deck q.
Proof.
  intros I. unfold left_over. clear deck_once deck_ranks table_known table_lost.
  induction deck as [|z l IH]; simpl; auto. destruct (negb (member z (foundations r))) eqn:E.
  - apply not_member_iff in E. rewrite (proj2 (not_member_iff z (foundations q))) by auto. simpl. lia.
  - destruct (negb (member z (foundations q))); simpl; lia.
Qed.

Lemma quotient_move_known q r : known q -> quotient_move R deck q r -> known r.
Proof.
  intros K M. assert (Up : forall x others q', removed deck q x others q' -> known (up_in q' x)).
  { intros x others q' Re. apply known_up; [exact (removed_known _ _ _ _ _ Re)| |exact (removed_not _ _ _ _ _ K Re)].
    apply K. rewrite (removed_placed _ _ _ _ _ Re). now left. }
  destruct M as [x D Mo B N | x q1 L B N | x q1 T N | x q1 L F | x q1 T F | x q1 T F].
  - apply known_up; auto. now apply is_moved_iff.
  - destruct (leaves_removed _ _ _ _ _ K L) as (a & b & c & _ & _ & Re). eauto.
  - destruct (taken_removed _ _ _ _ _ K T) as (Re & _). eauto.
  - destruct (leaves_removed _ _ _ _ _ K L) as (a & b & c & _ & _ & Re). exact (removed_known _ _ _ _ _ Re).
  - destruct (taken_removed _ _ _ _ _ K T) as (Re & _). exact (removed_known _ _ _ _ _ Re).
  - destruct (returns_removed _ _ _ _ _ K T) as (Re & _). exact (removed_known _ _ _ _ _ Re).
Qed.

Lemma table_wins n : forall q q' loose gone, wins R deck n q -> ahead loose gone q q' -> in_table q' -> False.
Proof.
  induction n as [|n IH]; intros q q' loose gone W A T.
  - pose proof (table_lost q' T) as G. unfold is_lost in G. apply andb_true_iff in G. destruct G as (_ & G).
    destruct (hint q') as [((u & c) & s)|].
    + destruct (ahead_wins R deck rules_ok deck_once deck_ranks 0 q q' loose gone W A) as (m & Wm).
      now apply (refuted_lost R deck rules_ok deck_once deck_ranks draws q' u c s (table_known q' T) G m).
    + apply andb_true_iff in G. destruct G as (G & _). apply negb_true_iff, not_true_iff_false in G. apply G, all_in_iff.
      inversion W; subst. intros z D. apply (ahead_up _ _ _ _ _ _ A). auto.
  - inversion W as [|? ? q1 M W1]; subst. clear W. revert loose gone A T. remember (left_over deck q') as k eqn:Ek.
    revert q' Ek. induction k as [k IHk] using lt_wf_ind. intros q' -> loose gone A T.
    pose proof (table_lost q' T) as G. unfold is_lost in G. apply andb_true_iff in G. destruct G as (_ & G).
    destruct (hint q') as [((u & c) & s)|].
    { destruct (ahead_wins R deck rules_ok deck_once deck_ranks (S n) q q' loose gone (wins_later _ _ _ _ _ M W1) A)
        as (m & Wm).
      now apply (refuted_lost R deck rules_ok deck_once deck_ranks draws q' u c s (table_known q' T) G m). }
    apply andb_true_iff in G. destruct G as (_ & G). rewrite forallb_forall in G.
    assert (Go : forall q2, quotient_move R deck q' q2 -> exists r, in_table r /\ leads q2 r).
    { intros q2 M2. destruct (quotient_moves_complete q' q2 M2) as (s & I & Ls).
      pose proof (quotient_move_known _ _ (table_known q' T) M2) as K2. pose proof (proj1 (proj1 Ls K2)) as Ks.
      destruct (in_quotient_sound s Ks (G s I)) as (r & Tr & Lr).
      exists r. split; auto. exact (leads_trans _ _ _ Ls Lr). }
    destruct (ahead_step R deck rules_ok deck_once deck_ranks _ _ _ _ _ A M)
      as [(g & A1)|[(g & q2 & M2 & A2)|(g & q2 & M2 & A2 & Lo)]].
    + exact (IH _ _ _ _ W1 A1 T).
    + destruct (Go q2 M2) as (r & Tr & Lr). destruct (proj2 Lr _ _ _ A2) as (l' & g' & A3).
      exact (IH _ _ _ _ W1 A3 Tr).
    + destruct (Go q2 M2) as (r & Tr & Lr). destruct (proj2 Lr _ _ _ A2) as (l' & g' & A3).
      pose proof (proj2 (proj1 Lr (proj2 (ahead_known _ _ _ _ _ _ A2)))) as U. apply left_over_le in U.
      apply (IHk (left_over deck r)) with (q' := r) (loose := l') (gone := g'); auto. lia.
Qed.

Lemma ahead_refl q : known q -> ahead (fun _ => false) [] q q.
Proof.
  intros K. constructor; auto; try easy.
  - induction (columns q); constructor; auto. constructor.
  - symmetry. apply live_nil.
  - unfold live_talon. rewrite !live_nil. destruct (turning q). apply at_least_refl.
  - right. intros z _ [].
Qed.
End Checker.

Theorem check_quotient_sound R deck table key hint start : check_quotient R deck table key hint start = true ->
  ~ winnable R start.
Proof.
  unfold check_quotient. rewrite !andb_true_iff, !forallb_forall, negb_true_iff, Nat.eqb_neq, !is_empty_iff, !all_in_iff.
  intros (((((((((((Ok & Dr) & Dd) & Ra) & Ce) & Rv) & Ho) & Cd) & C1) & C2) & Q) & L) W.
  apply distinct_sound in Dd, Cd. assert (Rk : forall x, In x deck -> height R x < ranks R).
  { intros x I. apply Nat.ltb_lt. auto. }
  assert (Lost : forall q, in_table table q -> is_lost R deck table key hint q = true).
  { intros q (k & F). exact (L _ (PositiveMap.elements_correct _ _ F)). }
  assert (Kn : forall q, in_table table q -> Refuted.known deck q).
  { intros q T. apply Lost in T. unfold is_lost, is_known in T. rewrite !andb_true_iff, all_in_iff in T.
    destruct T as ((D & I) & _). split; auto. now apply distinct_sound. }
  assert (S : startable deck start).
  { repeat split; auto; [now destruct (hole start)|]. apply NoDup_Permutation; auto. intros z. split; auto. }
  destruct (quotient R deck Ok Dd Rk start S W) as (n & Wn).
  destruct (start_like R deck start S) as (piles & Li).
  assert (Kq : Refuted.known deck (quotient_of R start)).
  { split.
    - pose proof (placed_moved R deck Dd piles [] start _ Li) as N. apply nodup_right in N. exact N.
    - intros z I. apply (in_deck R deck piles [] start _ Li). now right. }
  destruct (in_quotient_sound R deck table key hint Ok Dr Kn _ Kq Q) as (r & T & Le).
  destruct (proj2 Le _ _ _ (ahead_refl R deck _ Kq)) as (l & g & A).
  exact (table_wins R deck table key hint Ok Dd Rk Dr Kn Lost n _ _ _ _ Wn A T).
Qed.
