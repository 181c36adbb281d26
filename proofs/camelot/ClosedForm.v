(* A deck can be won exactly if no prefix of it fills the board: lemmas 3 to 6 of docs/proofs/camelot.md. *)
Require Import List Arith ZArith Permutation Lia.
Import ListNotations.
From Camelot Require Import Game Losses.

(** * Cards that can leave (lemma 4) *)

Definition is_card (x : card) : Prop := 1 <= x <= 13.

Lemma signs l : let t := tally_of l in
  (~ In 9 l -> (0 <= aces t)%Z) /\ (~ In 1 l -> (aces t <= 0)%Z) /\
  (~ In 8 l -> (0 <= twos t)%Z) /\ (~ In 2 l -> (twos t <= 0)%Z) /\
  (~ In 7 l -> (0 <= threes t)%Z) /\ (~ In 3 l -> (threes t <= 0)%Z) /\
  (~ In 6 l -> (0 <= fours t)%Z) /\ (~ In 4 l -> (fours t <= 0)%Z) /\ (~ In 5 l -> odd_fives t = false).
Proof.
  induction l as [|x l IH]; simpl in *; [repeat split; auto; lia|].
  destruct (tally_of l) as [c a b d e f]. simpl in IH. destruct IH as (A & B & C & D & E & F & G & H & I).
  do 11 (destruct x as [|x]; [simpl; repeat split; intros N; try lia; try (apply I; tauto);
    match goal with
    | |- (0 <= a + _)%Z => assert (0 <= a)%Z by (apply A; tauto); lia
    | |- (a - _ <= 0)%Z => assert (a <= 0)%Z by (apply B; tauto); lia
    | |- (0 <= b + _)%Z => assert (0 <= b)%Z by (apply C; tauto); lia
    | |- (b - _ <= 0)%Z => assert (b <= 0)%Z by (apply D; tauto); lia
    | |- (0 <= d + _)%Z => assert (0 <= d)%Z by (apply E; tauto); lia
    | |- (d - _ <= 0)%Z => assert (d <= 0)%Z by (apply F; tauto); lia
    | |- (0 <= e + _)%Z => assert (0 <= e)%Z by (apply G; tauto); lia
    | |- (e - _ <= 0)%Z => assert (e <= 0)%Z by (apply H; tauto); lia
    | _ => first [apply A; tauto | apply B; tauto | apply C; tauto | apply D; tauto | apply E; tauto | apply F; tauto
      | apply G; tauto | apply H; tauto | exfalso; tauto]
    end|]).
  simpl. repeat split; intros N; first [apply A; tauto | apply B; tauto | apply C; tauto | apply D; tauto
    | apply E; tauto | apply F; tauto | apply G; tauto | apply H; tauto | apply I; tauto].
Qed.

Lemma partner_missing x l : 1 <= x <= 9 -> ~ In (10 - x) l -> (stay (x :: l) = stay l + 1)%Z.
Proof.
  intros L N. pose proof (signs l) as S. unfold stay. simpl in *. destruct (tally_of l) as [c a b d e f]. simpl in S.
  destruct S as (A & B & C & D & E & F & G & H & I).
  do 10 (destruct x as [|x]; [simpl in *; try lia; try (rewrite (I N); simpl; lia);
    first [specialize (A N) | specialize (B N) | specialize (C N) | specialize (D N) | specialize (E N)
      | specialize (F N) | specialize (G N) | specialize (H N)]; lia|]); lia.
Qed.

(* Two cards that add up to ten, or a ten, can be taken from these cards. *)
Inductive taken : list card -> list card -> Prop :=
| taken_two l x y m : x + y = 10 -> Permutation l (x :: y :: m) -> taken l m
| taken_ten l m : Permutation l (10 :: m) -> taken l m.

Lemma can_take l : Forall is_card l -> (stay l < Z.of_nat (length l))%Z -> exists m, taken l m.
Proof.
  induction 1 as [|x l C F IH]; [easy|]. intros S.
  destruct (Z_lt_dec (stay l) (Z.of_nat (length l))) as [L|L].
  - destruct (IH L) as (m & T). exists (x :: m). inversion T as [? y z ? E P | ? ? P]; subst.
    + apply (taken_two _ y z); auto. rewrite P. rewrite perm_swap. constructor. apply perm_swap.
    + apply taken_ten. rewrite P. apply perm_swap.
  - pose proof (stay_length l) as M. simpl length in S.
    assert (X : (stay (x :: l) <= stay l)%Z) by lia. clear S L.
    destruct (Nat.eq_dec x 10) as [->|N]; [exists l; now apply taken_ten|].
    destruct (le_lt_dec x 9) as [L|L].
    + destruct (in_dec Nat.eq_dec (10 - x) l) as [I|I].
      * apply in_split in I as (a & b & ->). exists (a ++ b).
        apply (taken_two _ x (10 - x)); [unfold is_card in C; lia|].
        constructor. symmetry. apply Permutation_middle.
      * apply partner_missing in I; [lia|unfold is_card in C; lia].
    + exfalso. unfold stay in X. simpl in X. destruct (tally_of l) as [c a b d e f].
      do 11 (destruct x as [|x]; [lia|]). simpl in X. lia.
Qed.

(** * Play without names of slots (lemmas 5 and 6) *)

(* The game in which every card may lie in every slot. *)
Inductive free_move : position -> position -> Prop :=
| free_deal x rest left right :
    free_move (Position Dealing (x :: rest) (left ++ None :: right)) (Position Dealing rest (left ++ Some x :: right))
| free_stop rest full :
    rest = [] \/ ~ In None full ->
    free_move (Position Dealing rest full) (Position Removing rest full)
| free_two before rest left x middle y right :
    before <> Dealing -> x + y = 10 ->
    free_move (Position before rest (left ++ Some x :: middle ++ Some y :: right))
              (Position Removed rest (left ++ None :: middle ++ None :: right))
| free_ten before rest left right :
    before <> Dealing ->
    free_move (Position before rest (left ++ Some 10 :: right)) (Position Removed rest (left ++ None :: right))
| free_again rest left :
    rest <> [] ->
    free_move (Position Removed rest left) (Position Dealing rest left).

Inductive free_reaches : position -> position -> Prop :=
| free_itself p : free_reaches p p
| free_after p q r : free_move p q -> free_reaches q r -> free_reaches p r.

Lemma in_on_board x b : In x (on_board b) <-> In (Some x) b.
Proof.
  unfold on_board. rewrite in_flat_map. split.
  - intros ([y|] & I & J); simpl in J; [|tauto]. destruct J as [<-|[]]. auto.
  - intros I. exists (Some x). simpl. auto.
Qed.

Lemma take_board before rest b m : before <> Dealing -> taken (on_board b) m -> exists b',
  free_move (Position before rest b) (Position Removed rest b') /\ Permutation (on_board b') m /\ length b' = length b.
Proof.
  intros N T. inversion T as [? x y ? E P | ? ? P]; subst; clear T.
  - assert (I : In (Some x) b) by (apply in_on_board; rewrite P; now left).
    apply in_split in I as (l & r & ->). rewrite on_board_slot in P. apply Permutation_cons_inv in P.
    assert (J : In (Some y) (l ++ None :: r)) by (apply in_on_board; rewrite P; now left).
    apply in_app_or in J. destruct J as [J|[J|J]]; [|discriminate|]; apply in_split in J as (l' & r' & ->).
    + exists (l' ++ None :: r' ++ None :: r). rewrite <- app_assoc in *. simpl in *. repeat split.
      * apply free_two; auto. lia.
      * rewrite on_board_slot in P. now apply Permutation_cons_inv in P.
      * rewrite !app_length. simpl. now rewrite !app_length.
    + exists (l ++ None :: l' ++ None :: r'). repeat split.
      * now apply free_two.
      * change (l ++ None :: l' ++ Some y :: r') with (l ++ (None :: l') ++ Some y :: r') in P.
        rewrite app_assoc, on_board_slot, <- app_assoc in P. now apply Permutation_cons_inv in P.
      * rewrite !app_length. simpl. now rewrite !app_length.
  - assert (I : In (Some 10) b) by (apply in_on_board; rewrite P; now left).
    apply in_split in I as (l & r & ->). rewrite on_board_slot in P. apply Permutation_cons_inv in P.
    exists (l ++ None :: r). repeat split; auto; [now apply free_ten | now rewrite !app_length].
Qed.

Lemma taken_tally l m : taken l m -> tally_of l = tally_of m /\ length m < length l.
Proof.
  intros T. inversion T as [? x y ? E P | ? ? P]; subst; rewrite (tally_permutation _ _ P);
    apply Permutation_length in P; simpl in P; split; try lia; [now apply tally_pair | apply tally_ten].
Qed.

Lemma taken_length l m : taken l m -> length l <= length m + 2.
Proof. intros T. inversion T as [? x y ? E P | ? ? P]; subst; apply Permutation_length in P; simpl in P; lia. Qed.

Lemma taken_cards l m : taken l m -> Forall is_card l -> Forall is_card m.
Proof.
  rewrite !Forall_forall. intros T F x I. apply F. inversion T as [? ? ? ? ? P | ? ? P]; subst; rewrite P; simpl; auto.
Qed.

Lemma full_board b : ~ In None b -> length (on_board b) = length b.
Proof. induction b as [|[x|] b IH]; simpl; intros N; [auto | f_equal; apply IH; tauto | tauto]. Qed.

(* All cards that there is room for can be dealt. *)
Lemma deal_all rest : forall b, exists dealt rest' b', rest = dealt ++ rest' /\
  free_reaches (Position Dealing rest b) (Position Removing rest' b') /\
  Permutation (on_board b') (dealt ++ on_board b) /\ length b' = length b /\
  (rest' = [] \/ length (on_board b') = length b).
Proof.
  assert (D : forall b : board, {In None b} + {~ In None b}).
  { intros b. apply in_dec. decide equality. apply Nat.eq_dec. }
  induction rest as [|x rest IH]; intros b.
  - exists [], [], b. repeat split; auto. eapply free_after; [apply free_stop; now left | constructor].
  - destruct (D b) as [I|N].
    + apply in_split in I as (l & r & ->).
      destruct (IH (l ++ Some x :: r)) as (dealt & rest' & b' & -> & R & P & L & E).
      exists (x :: dealt), rest', b'. rewrite !app_length in *. simpl in *. repeat split; auto.
      * eapply free_after; [apply free_deal | exact R].
      * rewrite P, on_board_slot. symmetry. apply Permutation_middle.
    + exists [], (x :: rest), b. repeat split; auto.
      * eapply free_after; [apply free_stop; now right | constructor].
      * right. now apply full_board.
Qed.

Lemma free_reaches_trans p q r : free_reaches p q -> free_reaches q r -> free_reaches p r.
Proof. induction 1; auto. intros. eapply free_after; eauto. Qed.

(* When the deck is empty, all number cards leave. *)
Lemma clear_all n : forall before b, before <> Dealing -> length (on_board b) <= n -> Forall is_card (on_board b) ->
  tally_of (on_board b) = Tally 12 0 0 0 0 false -> before = Removed \/ 12 < length (on_board b) ->
  exists b', free_reaches (Position before [] b) (Position Removed [] b') /\ length b' = length b /\
    tally_of (on_board b') = Tally 12 0 0 0 0 false /\ length (on_board b') = 12 /\ Forall is_card (on_board b').
Proof.
  induction n as [|n IH]; intros before b N L F T W;
    pose proof (stay_length (on_board b)) as S; unfold stay in S; rewrite T in S; simpl in S; [lia|].
  destruct (Nat.eq_dec (length (on_board b)) 12) as [E|E].
  - destruct W as [->|W]; [|lia]. exists b. repeat split; auto. constructor.
  - destruct (can_take (on_board b)) as (m & M); auto.
    { unfold stay. rewrite T. simpl. lia. }
    destruct (take_board before [] b m N M) as (b' & R & P & L').
    destruct (taken_tally _ _ M) as (T' & L''). pose proof (Permutation_length P) as LP.
    destruct (IH Removed b') as (c & R' & ? & ? & ? & ?); auto; try discriminate.
    + lia.
    + apply (Permutation_Forall (Permutation_sym P)). now apply (taken_cards (on_board b)).
    + rewrite (tally_permutation _ _ P). congruence.
    + exists c. repeat split; auto; [|congruence]. eapply free_after; eauto.
Qed.

Section Deck.
Variable whole : list card.
Hypothesis Cards : Forall is_card whole.
Hypothesis Balanced : tally_of whole = Tally 12 0 0 0 0 false.
Hypothesis Room : forall number, number < length whole -> (stay (firstn number whole) < 16)%Z.

Lemma tally_app l m k : tally_of m = tally_of k -> tally_of (l ++ m) = tally_of (l ++ k).
Proof. unfold tally_of. rewrite !fold_right_app. now intros ->. Qed.

(* In each phase but the last, one card or two are removed, and as many dealt. *)
Lemma play_all n : forall rest dealt b, length rest <= n -> whole = dealt ++ rest ->
  tally_of (on_board b) = tally_of dealt -> length b = 16 -> Forall is_card (on_board b) ->
  (rest = [] -> 12 < length (on_board b)) -> (rest <> [] -> length (on_board b) = 16) ->
  exists b', free_reaches (Position Removing rest b) (Position Removed [] b') /\ length b' = 16 /\
    tally_of (on_board b') = Tally 12 0 0 0 0 false /\ length (on_board b') = 12.
Proof.
  induction n as [|n IH]; intros rest dealt b L W T B F E G; destruct rest as [|x rest]; try (simpl in L; lia).
  1,2: rewrite app_nil_r in W; subst dealt;
    destruct (clear_all (length (on_board b)) Removing b) as (b' & R & ? & ? & ? & ?); auto; try discriminate;
    [congruence | exists b'; repeat split; auto; congruence].
  assert (S : (stay (on_board b) < 16)%Z).
  { replace (stay (on_board b)) with (stay dealt) by (unfold stay; now rewrite T).
    replace dealt with (firstn (length dealt) whole).
    - apply Room. rewrite W, app_length. simpl. lia.
    - rewrite W, firstn_app, firstn_all, Nat.sub_diag. simpl. apply app_nil_r. }
  assert (full := G ltac:(discriminate)). clear E G.
  destruct (can_take (on_board b)) as (m & M); auto; [lia|].
  destruct (take_board Removing (x :: rest) b m) as (b1 & R1 & P1 & L1); auto; [discriminate|].
  destruct (taken_tally _ _ M) as (T1 & Lm). pose proof (taken_length _ _ M) as Lm'.
  pose proof (Permutation_length P1) as N1.
  destruct (deal_all (x :: rest) b1) as (dealt2 & rest2 & b2 & W2 & R2 & P2 & L2 & E2).
  pose proof (Permutation_length P2) as N2. rewrite app_length in N2.
  assert (D2 : 1 <= length dealt2).
  { destruct dealt2; simpl in *; [|lia]. subst rest2. destruct E2 as [E2|E2]; [discriminate | lia]. }
  assert (C2 : Forall is_card dealt2).
  { rewrite W, W2 in Cards. apply Forall_app in Cards as (_ & C). now apply Forall_app in C. }
  destruct (IH rest2 (dealt ++ dealt2) b2) as (b' & R' & ? & ? & ?); auto.
  - apply (f_equal (@length card)) in W2. rewrite app_length in W2. simpl in W2, L. lia.
  - rewrite <- app_assoc, <- W2. exact W.
  - rewrite (tally_permutation _ _ P2), (tally_permutation _ _ (Permutation_app_comm dealt dealt2)).
    apply tally_app. rewrite (tally_permutation _ _ P1). congruence.
  - congruence.
  - apply (Permutation_Forall (Permutation_sym P2)), Forall_app. split; auto.
    apply (Permutation_Forall (Permutation_sym P1)). now apply (taken_cards (on_board b)).
  - intros _. lia.
  - intros N. destruct E2; [congruence | lia].
  - exists b'. repeat split; auto.
    eapply free_after; [exact R1|]. eapply free_after; [apply free_again; discriminate|].
    eapply free_reaches_trans; eauto.
Qed.

Lemma free_win : length whole >= 16 -> exists b,
  free_reaches (Position Dealing whole empty_board) (Position Removed [] b) /\ length b = 16 /\
  length (on_board b) = 12 /\ courts (tally_of (on_board b)) = 12%Z.
Proof.
  intros L. destruct (deal_all whole empty_board) as (dealt & rest & b & W & R & P & Lb & E).
  change (on_board empty_board) with (@nil card) in P. rewrite app_nil_r in P. pose proof (Permutation_length P) as N.
  change (length empty_board) with 16 in *.
  destruct (play_all (length rest) rest dealt b) as (b' & R' & ? & T & ?); auto.
  - now apply tally_permutation.
  - apply (Permutation_Forall (Permutation_sym P)). rewrite W in Cards. now apply Forall_app in Cards.
  - intros ->. rewrite app_nil_r in W. subst. lia.
  - intros Nr. destruct E; congruence.
  - exists b'. repeat split; auto; [eapply free_reaches_trans; eauto | now rewrite T].
Qed.
End Deck.

(** * Names of slots (lemma 3) *)

(* The board whose slot number j is slot number (nth j names 0) of b. *)
Definition named (names : list nat) (b : board) : board := map (fun i => nth i b None) names.

Lemma nth_slot (left right : board) s i :
  nth i (left ++ s :: right) None = if i =? length left then s else nth i (left ++ None :: right) None.
Proof.
  destruct (Nat.eqb_spec i (length left)) as [->|N]; [now rewrite nth_middle|].
  destruct (Nat.lt_ge_cases i (length left)); [now rewrite !app_nth1|].
  rewrite !app_nth2 by lia. now destruct (i - length left) eqn:E; [lia|].
Qed.

Section Names.
Variable names : list nat.
Hypothesis Each : Permutation names (seq 0 16).

Lemma named_slot left right : length (left ++ None :: right) = 16 -> exists left' right',
  nth (length left') names 0 = length left /\ length left' < 16 /\
  forall s, named names (left ++ s :: right) = left' ++ s :: right'.
Proof.
  intros L. rewrite app_length in L. simpl in L.
  assert (I : In (length left) names) by (rewrite Each; apply in_seq; lia).
  assert (N : NoDup names) by (apply (Permutation_NoDup (Permutation_sym Each)), seq_NoDup).
  pose proof (Permutation_length Each) as Ln. rewrite seq_length in Ln.
  apply in_split in I as (l & r & E). rewrite E in *. apply NoDup_remove_2 in N. rewrite app_length in Ln. simpl in Ln.
  assert (K : forall s m, incl m (l ++ r) ->
    map (fun i => nth i (left ++ s :: right) None) m = map (fun i => nth i (left ++ None :: right) None) m).
  { intros s m J. apply map_ext_in. intros i M. rewrite nth_slot.
    destruct (Nat.eqb_spec i (length left)) as [->|]; auto. exfalso. now apply N, J. }
  exists (map (fun i => nth i (left ++ None :: right) None) l), (map (fun i => nth i (left ++ None :: right) None) r).
  rewrite map_length, nth_middle. repeat split; auto; [lia|]. intros s. unfold named. rewrite map_app. simpl.
  rewrite nth_middle, (K s l), (K s r); auto; [apply incl_appr | apply incl_appl]; apply incl_refl.
Qed.

Lemma two_places {A} (l : list A) : forall l' a b r r', a <> b -> l ++ a :: r = l' ++ b :: r' ->
  (exists m, l' = l ++ a :: m /\ r = m ++ b :: r') \/ (exists m, l = l' ++ b :: m /\ r' = m ++ a :: r).
Proof.
  induction l as [|c l IH]; intros [|c' l'] a b r r' N E; simpl in E; inversion E; subst; try congruence.
  - left. now exists l'.
  - right. now exists l.
  - destruct (IH l' a b r r' N H1) as [(m & -> & ->)|(m & -> & ->)]; [left|right]; now exists m.
Qed.

(* Where court cards lie at the end, they may lie by these names. *)
Definition legal (b : board) : Prop := forall j x, j < 16 -> nth (nth j names 0) b None = Some x -> may_lie x j.

Lemma court_stays p q i x : free_move p q -> 10 < x -> nth i (slots p) None = Some x -> nth i (slots q) None = Some x.
Proof.
  intros M C. destruct M; simpl; auto.
  - rewrite !nth_slot with (s := Some _). rewrite nth_slot. destruct (i =? length left); congruence.
  - rewrite (nth_slot left _ (Some x0)), (nth_slot left _ None).
    destruct (i =? length left); [intros K; inversion K; lia|].
    change (left ++ None :: middle ++ Some y :: right) with (left ++ (None :: middle) ++ Some y :: right).
    change (left ++ None :: middle ++ None :: right) with (left ++ (None :: middle) ++ None :: right).
    rewrite !app_assoc, (nth_slot _ _ (Some y)). destruct (i =? _); [intros K; inversion K; lia | auto].
  - rewrite (nth_slot left _ (Some 10)). destruct (i =? length left); [intros K; inversion K; lia | auto].
Qed.

Lemma courts_stay p r : free_reaches p r -> forall i x, 10 < x -> nth i (slots p) None = Some x ->
  nth i (slots r) None = Some x.
Proof. induction 1; auto. intros i x C E. eapply IHfree_reaches; auto. eapply court_stays; eauto. Qed.

Definition renamed (p : position) : position := Position (now p) (deck p) (named names (slots p)).

Lemma named_move p q : length (slots p) = 16 -> free_move p q ->
  (forall j x, j < 16 -> 10 < x -> nth (nth j names 0) (slots q) None = Some x -> may_lie x j) ->
  move (renamed p) (renamed q).
Proof.
  intros L M Legal. destruct M as [x rest left right | rest full D | before rest left x middle y right N E
    | before rest left right N | rest left D]; unfold renamed; simpl in L, Legal |- *.
  - destruct (named_slot left right) as (l & r & K & J & Nd); auto. rewrite !Nd. apply deal.
    destruct (le_lt_dec x 10).
    + do 11 (destruct x as [|x]; [exact I|]). lia.
    + apply Legal; auto. rewrite K. apply nth_middle.
  - apply stop_dealing. destruct D as [D|D]; auto. right. intros I. apply D. unfold named in I.
    apply in_map_iff in I as (i & I & J). rewrite Each in J. apply in_seq in J. rewrite <- I. apply nth_In. lia.
  - destruct (named_slot left (middle ++ Some y :: right)) as (l & r & _ & _ & A).
    { rewrite <- L, !app_length. reflexivity. }
    destruct (named_slot (left ++ None :: middle) right) as (l' & r' & _ & _ & B).
    { rewrite <- L, <- app_assoc. simpl. rewrite !app_length. simpl. now rewrite !app_length. }
    rewrite A. pose proof (B None) as Bn. rewrite <- app_assoc in Bn. simpl in Bn. rewrite Bn.
    pose proof (B (Some y)) as By. rewrite <- app_assoc in By. simpl in By. rewrite A in By.
    apply two_places in By as [(m & -> & ->)|(m & -> & ->)]; [| |discriminate]; rewrite <- app_assoc; simpl.
    + now apply remove_two.
    + apply remove_two; auto. lia.
  - destruct (named_slot left right) as (l & r & _ & _ & A).
    { rewrite <- L, !app_length. reflexivity. }
    rewrite !A. now apply remove_ten.
  - now apply deal_again.
Qed.

Lemma free_length p q : free_move p q -> length (slots q) = length (slots p).
Proof. destruct 1; simpl; auto; rewrite !app_length; simpl; auto. now rewrite !app_length. Qed.

Lemma named_reaches p r : free_reaches p r -> length (slots p) = 16 -> legal (slots r) ->
  reaches (renamed p) (renamed r).
Proof.
  induction 1 as [p | p q r M R IH]; intros L G; [constructor|].
  pose proof (free_length _ _ M) as Lq. eapply reaches_after; [|apply IH; auto; congruence].
  apply named_move; auto. intros j x J C E. apply G; auto. eapply courts_stay; eauto.
Qed.
End Names.

(** * The court cards at the end *)

Definition is_court (x : card) : bool := 10 <? x.
Notation court_cards := (filter is_court).

Lemma filter_permutation {A} (f : A -> bool) l m : Permutation l m -> Permutation (filter f l) (filter f m).
Proof.
  induction 1; simpl; auto.
  - destruct (f x); auto.
  - destruct (f x), (f y); auto. apply perm_swap.
  - eapply Permutation_trans; eauto.
Qed.

Lemma same_courts p r : free_reaches p r ->
  Permutation (court_cards (on_board (slots p) ++ deck p)) (court_cards (on_board (slots r) ++ deck r)).
Proof.
  induction 1 as [p | p q r M R IH]; auto. rewrite <- IH. clear IH R.
  destruct M as [x rest left right | | before rest left x middle y right N E | | ]; simpl; auto.
  - apply filter_permutation. rewrite on_board_slot. symmetry. simpl. apply Permutation_middle.
  - rewrite (filter_permutation _ _ _ (Permutation_app_tail rest (on_board_slots left x middle y right))). simpl.
    replace (is_court x) with false by (symmetry; apply Nat.ltb_ge; lia).
    replace (is_court y) with false by (symmetry; apply Nat.ltb_ge; lia). auto.
  - now rewrite (filter_permutation _ _ _ (Permutation_app_tail rest (on_board_slot left 10 right))).
Qed.

Lemma courts_filter l : courts (tally_of l) = Z.of_nat (length (court_cards l)).
Proof.
  induction l as [|x l IH]; [reflexivity|]. simpl. revert IH. destruct (tally_of l) as [c a b d e f]. simpl. intros IH.
  do 11 (destruct x as [|x]; [exact IH|]). simpl. lia.
Qed.

Lemma all_courts l : length (court_cards l) = length l -> court_cards l = l.
Proof.
  assert (L : forall m, length (court_cards m) <= length m).
  { induction m as [|x m IH]; simpl; auto. destruct (is_court x); simpl; lia. }
  induction l as [|x l IH]; simpl; auto. intros E. specialize (L l).
  destruct (is_court x); simpl in *; [f_equal; apply IH|]; lia.
Qed.

Lemma board_cards b : Permutation b (map Some (on_board b) ++ repeat None (length b - length (on_board b))).
Proof.
  assert (L : forall c, length (on_board c) <= length c) by (induction c as [|[x|] c IH]; simpl; lia).
  induction b as [|[x|] b IH]; auto; simpl on_board; simpl length.
  - simpl. now constructor.
  - rewrite Nat.sub_succ_l by auto. simpl. rewrite IH at 1. apply Permutation_middle.
Qed.

Definition full_deck : list card := concat (repeat (seq 1 13) 4).

Definition final_board : board :=
  [Some 13; Some 12; Some 12; Some 13; Some 11; None; None; Some 11;
   Some 11; None; None; Some 11; Some 13; Some 12; Some 12; Some 13].

(* Finds the first card of one list in the other. *)
Ltac pair_off :=
  match goal with
  | |- Permutation (?a :: _) ?m =>
    let rec search before rest :=
      match rest with
      | a :: ?after => change m with (before ++ a :: after); apply Permutation_cons_app; cbn [app]
      | ?c :: ?after => let next := eval cbn in (before ++ [c]) in search next after
      end
    in search (@nil (option card)) m
  end.

Lemma final_permutation : Permutation (map Some (court_cards full_deck) ++ repeat None 4) final_board.
Proof.
  let l := eval vm_compute in (map Some (court_cards full_deck) ++ repeat None 4) in
  change (map Some (court_cards full_deck) ++ repeat None 4) with l.
  unfold final_board. repeat pair_off. constructor.
Qed.

Lemma nodup_map (f : nat -> nat) l : NoDup l -> (forall x y, In x l -> In y l -> f x = f y -> x = y) ->
  NoDup (map f l).
Proof.
  induction 1 as [|x l N _ IH]; simpl; intros I; constructor.
  - intros J. apply in_map_iff in J as (y & E & J). apply N. now rewrite (I x y) by auto.
  - apply IH. auto.
Qed.

Lemma names_exist (b : board) : Permutation b final_board -> exists names,
  Permutation names (seq 0 16) /\ legal names b /\ named names empty_board = empty_board.
Proof.
  intros P. apply (Permutation_nth _ _ None) in P as (L & f & B & I & F). change (length final_board) with 16 in L.
  rewrite <- L in *. exists (map f (seq 0 16)). split; [|split].
  - apply NoDup_Permutation_bis.
    + apply nodup_map; [apply seq_NoDup|]. intros x y X Y. apply in_seq in X, Y. apply I; lia.
    + now rewrite map_length.
    + intros y Y. apply in_map_iff in Y as (x & <- & X). apply in_seq in X. apply in_seq. specialize (B x). lia.
  - intros j x J E. rewrite (nth_indep _ 0 (f 0)), map_nth, seq_nth in E by (rewrite ?map_length, ?seq_length; auto).
    simpl plus in E. rewrite <- F in E by auto.
    do 16 (destruct j as [|j]; [simpl in E; inversion E; simpl; tauto|]). lia.
  - unfold named, empty_board. rewrite map_map.
    assert (N : forall i, nth i (repeat (@None card) 16) None = None).
    { intros i. do 16 (destruct i as [|i]; [reflexivity|]). now destruct i. }
    rewrite (map_ext _ (fun _ => None) (fun i => N (f i))). reflexivity.
Qed.

(** * The closed form *)

Theorem winnable_iff deck : Permutation deck full_deck ->
  (winnable deck <-> forall number, 16 <= number < 52 -> (stay (firstn number deck) < 16)%Z).
Proof.
  intros P. pose proof (Permutation_length P) as L. change (length full_deck) with 52 in L. split.
  - intros W number N. destruct (Z_lt_ge_dec (stay (firstn number deck)) 16) as [|G]; auto.
    exfalso. apply (fills_the_board deck number); auto; lia.
  - intros R.
    assert (C : Forall is_card deck).
    { apply (Permutation_Forall (Permutation_sym P)). rewrite Forall_forall. unfold full_deck. intros x I.
      apply in_concat in I as (l & I & J). apply repeat_spec in I. subst. apply in_seq in J. unfold is_card. lia. }
    destruct (free_win deck) as (b & F & Lb & Nb & Cb); auto.
    + rewrite (tally_permutation _ _ P). reflexivity.
    + intros number N. destruct (le_lt_dec 16 number); [apply R; lia|].
      pose proof (stay_length (firstn number deck)) as S. rewrite firstn_length in S. lia.
    + lia.
    + pose proof (same_courts _ _ F) as K. simpl in K. rewrite app_nil_r, (filter_permutation _ _ _ P) in K.
      rewrite courts_filter in Cb. assert (A : court_cards (on_board b) = on_board b) by (apply all_courts; lia).
      rewrite A in K.
      assert (B : Permutation b final_board).
      { rewrite <- final_permutation, (board_cards b), Lb, Nb.
        apply Permutation_app; auto. apply Permutation_map. now symmetry. }
      destruct (names_exist b B) as (names & E & G & Z).
      apply (named_reaches names E) in F; auto. unfold renamed in F. simpl in F. rewrite Z in F.
      exists (Position Removed [] (named names b)). split; auto. repeat split. simpl. intros x I.
      unfold named in I. apply in_map_iff in I as (i & I & _).
      assert (J : In (Some x) b) by (rewrite <- I; apply nth_In; destruct (Nat.lt_ge_cases i (length b)); auto;
        rewrite nth_overflow in I; [discriminate | auto]).
      apply in_on_board in J. rewrite <- A in J. apply filter_In in J as (_ & J). now apply Nat.ltb_lt.
Qed.
