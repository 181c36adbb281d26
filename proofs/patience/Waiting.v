(* Losses by cards that wait for one another, in Scorpion and games like it; see docs/proofs/waiting.md.

   Claims. By rules in which each card has at most one place to go, a card that lies on it, while it lies face down,
   never leaves it, so the game is lost ([pair_lost], theorem 1 of that page). And of a set of cards that wait none ever
   moves by itself or leaves, so the game is lost ([waits_lost], theorem 2): such a set waits after every move, too
   ([waits_step]). *)
Require Import List Bool Arith Lia Permutation.
Import ListNotations.
From Patience Require Import Game Cards WholeSuits.
Arguments turned_up : simpl never.

Section Waiting.
Variable R : rules.
Variable run : building.
Variable full_columns : bool.
Notation step := (step R run full_columns).
Notation steps := (steps R run full_columns).
Notation clearable := (clearable R run full_columns).
Notation fits := (fits R).
Notation height := (height R).

(** * Rules and positions *)

Record one_place : Prop := {
  by_suit : build R = SameSuit;
  kings_only : spaces R = LastRank \/ spaces R = NoCard;
  base_in_range : 1 <= base R <= ranks R }.

Definition in_range (x : card) : Prop := 1 <= rank x <= ranks R.

Definition all_of (p : board) : list card := flat_map pile_cards (piles p) ++ to_deal p.

(* Each card exists at most once. *)
Definition proper (p : board) : Prop := NoDup (all_of p) /\ forall x, In x (all_of p) -> in_range x.

(** * Cards that wait *)

Definition king (x : card) : Prop := S (height x) = ranks R.

(* These cards lie on each other in some column, the first one on top. *)
Definition segment (p : board) (w : list card) : Prop :=
  exists c a b, In c (piles p) /\ pile_cards c = a ++ w ++ b.

(* x lies face down under d. *)
Definition covered (p : board) (d x : card) : Prop :=
  exists c a b, In c (piles p) /\ pile_cards c = a ++ d :: x :: b /\ length b < length (hidden c).

Definition lowest (c : pile) (z : card) : Prop := exists a, pile_cards c = a ++ [z].

(* z lies on its place. *)
Definition joined (p : board) (z : card) : Prop := exists y, segment p [z; y] /\ fits z y = true.

(* z lies at the bottom of a column, or on a card that is not its place. *)
Definition loose (p : board) (z : card) : Prop :=
  (exists c, In c (piles p) /\ lowest c z) \/ exists y, segment p [z; y] /\ fits z y = false.

Section Set_.
Variable S : list card.

Definition stays (p : board) (z : card) : Prop := In z S \/ joined p z.

(* No king can go to an empty column before a card of S moves. *)
Definition kings_wait (p : board) : Prop :=
  (forall c, In c (piles p) -> exists z, lowest c z /\ (king z \/ In z S)) /\
  (forall x, In x (all_of p) -> exists z, In z S /\ ~ king z /\ same_suit z x = true).

Inductive reason (p : board) (x : card) : Prop :=
| face_down_under d : covered p d x -> stays p d -> reason p x
| no_space y : king x -> segment p [x; y] -> kings_wait p -> reason p x
| place_taken y d : fits x y = true -> segment p [d; y] -> In d S -> reason p x
| place_above y t : fits x y = true -> segment p (y :: t ++ [x]) -> Forall (stays p) (y :: t) -> reason p x.

Definition waits (p : board) : Prop :=
  (exists z, In z S /\ ~ king z) /\ forall x, In x S -> loose p x /\ reason p x.
End Set_.

(** * Where a card is *)

Hypothesis rules_fit : one_place.

Lemma fits_iff x y : fits x y = true <-> Datatypes.S (height x) = height y /\ same_suit x y = true.
Proof. unfold Game.fits. rewrite (by_suit rules_fit), andb_true_iff, Nat.eqb_eq. tauto. Qed.

Lemma height_injective x y : in_range x -> in_range y -> height x = height y -> rank x = rank y.
Proof.
  unfold in_range, Game.height. pose proof (base_in_range rules_fit). intros X Y.
  destruct (Nat.leb_spec (base R) (rank x)), (Nat.leb_spec (base R) (rank y)); lia.
Qed.

Lemma height_bound x : in_range x -> height x < ranks R.
Proof.
  unfold in_range, Game.height. pose proof (base_in_range rules_fit). intros X.
  destruct (Nat.leb_spec (base R) (rank x)); lia.
Qed.

Lemma same_suit_iff x y : same_suit x y = true <-> suit_of x = suit_of y.
Proof. unfold same_suit. destruct (suit_of x), (suit_of y); split; easy. Qed.

Lemma same_height x y : in_range x -> in_range y -> height x = height y -> same_suit x y = true -> x = y.
Proof.
  intros X Y H S. apply height_injective in H; auto. apply same_suit_iff in S. destruct x, y. simpl in *. congruence.
Qed.

Lemma fits_unique x y z : in_range y -> in_range z -> fits x y = true -> fits x z = true -> y = z.
Proof.
  rewrite !fits_iff, !same_suit_iff. intros Y Z (A & B) (C & D).
  apply same_height; auto; [congruence|]. apply same_suit_iff. congruence.
Qed.

Lemma king_fits_none x y : king x -> in_range y -> fits x y = true -> False.
Proof. unfold king. intros K Y F. apply fits_iff in F. apply height_bound in Y. lia. Qed.

Lemma in_pile_in_all p c x : In c (piles p) -> In x (pile_cards c) -> In x (all_of p).
Proof. intros C X. unfold all_of. apply in_or_app. left. apply in_flat_map. eauto. Qed.

Lemma segment_in p w x : segment p w -> In x w -> In x (all_of p).
Proof.
  intros (c & a & b & C & E) X. apply (in_pile_in_all p c); auto. rewrite E, !in_app_iff. auto.
Qed.

Lemma nodup_in_two {A} (a b : list A) x : NoDup (a ++ b) -> In x a -> In x b -> False.
Proof.
  intros N I J. apply in_split in I. destruct I as (l & m & ->). rewrite <- app_assoc in N. simpl in N.
  apply NoDup_remove_2 in N. apply N. rewrite !in_app_iff. auto.
Qed.

Lemma split_unique {A} (x : A) a b c d : NoDup (a ++ x :: b) -> a ++ x :: b = c ++ x :: d -> a = c /\ b = d.
Proof.
  revert c. induction a as [|y a IH]; simpl; intros c N E.
  - destruct c as [|z c]; simpl in E; inversion E; subst; auto. apply NoDup_cons_iff in N. destruct N as (N & _).
    exfalso. apply N, in_elt.
  - destruct c as [|z c]; simpl in E; inversion E; subst.
    + apply NoDup_cons_iff in N. destruct N as (N & _). exfalso. apply N, in_elt.
    + apply NoDup_cons_iff in N. destruct N as (_ & N). destruct (IH c N H1). subst. auto.
Qed.

Lemma nodup_pile p c : proper p -> In c (piles p) -> NoDup (pile_cards c).
Proof.
  intros (N & _) C. apply nodup_left in N. apply in_split in C. destruct C as (l & m & E). rewrite E in N.
  rewrite flat_map_app in N. simpl in N. apply nodup_right in N. now apply nodup_left in N.
Qed.

Lemma same_pile p c d x : proper p -> In c (piles p) -> In d (piles p) -> In x (pile_cards c) -> In x (pile_cards d) ->
  c = d.
Proof.
  intros (N & _) C D X Y. apply nodup_left in N. apply in_split in C. destruct C as (l & m & E). rewrite E in *.
  rewrite flat_map_app in N. simpl in N. apply in_app_or in D. destruct D as [D|[D|D]]; auto; exfalso.
  - apply (nodup_in_two _ _ x N); [apply in_flat_map; eauto|]. apply in_or_app. auto.
  - apply nodup_right in N. apply (nodup_in_two _ _ x N); auto. apply in_flat_map. eauto.
Qed.

Lemma segment_below p d y z : proper p -> segment p [d; y] -> segment p [d; z] -> y = z.
Proof.
  intros P (c & a & b & C & E) (c' & a' & b' & C' & E').
  assert (c = c'). { apply (same_pile p c c' d P C C'); [rewrite E | rewrite E']; apply in_elt. }
  subst c'. pose proof (nodup_pile p c P C) as N. rewrite E in N, E'. simpl in *.
  destruct (split_unique _ _ _ _ _ N E') as (_ & H). congruence.
Qed.

Lemma loose_not_joined p z : proper p -> loose p z -> joined p z -> False.
Proof.
  intros P [(c & C & (a & E))|(y & G & F)] (y' & G' & F').
  - destruct G' as (c' & a' & b' & C' & E').
    assert (c = c'). { apply (same_pile p c c' z P C C'); [rewrite E | rewrite E']; apply in_elt. }
    subst c'. pose proof (nodup_pile p c P C) as N. rewrite E in N, E'. simpl in *.
    destruct (split_unique _ _ _ _ _ N E') as (_ & H). discriminate.
  - assert (y = y') by eauto using segment_below. congruence.
Qed.

Lemma covered_segment p d x : covered p d x -> segment p [d; x].
Proof. intros (c & a & b & C & E & _). exists c, a, b. auto. Qed.

(** * What a move changes *)

Lemma pile_cards_turned c : pile_cards (turned_up c) = pile_cards c.
Proof. destruct c as [[|y u] [|x d]]; auto. Qed.

Lemma two_out {A} (a b c : list A) s t : Permutation (a ++ s :: b ++ t :: c) (s :: t :: a ++ b ++ c).
Proof.
  rewrite <- Permutation_middle. apply perm_skip. rewrite app_assoc, <- Permutation_middle, <- app_assoc. auto.
Qed.

(* A move is one of these three, if the order of the columns does not count. *)
Lemma step_cases p q : step p q ->
  (exists u x b d t r, Permutation (piles p) (Pile (u ++ x :: b) d :: t :: r) /\
    Permutation (piles q) (turned_up (Pile b d) :: Pile (u ++ x :: shown t) (hidden t) :: r) /\
    accepts R t x /\ to_deal q = to_deal p /\ group (rules_of_runs R run) (u ++ [x])) \/
  (exists r g below d, Permutation (piles p) (Pile (g ++ below) d :: r) /\
    Permutation (piles q) (turned_up (Pile below d) :: r) /\ whole_suit R g /\ to_deal q = to_deal p) \/
  (q = Board (dealt (piles p) (to_deal p)) (skipn (length (piles p)) (to_deal p))).
Proof.
  intros [a s b t c s' t' E C | a t b s c s' t' E C | a g below d c E W | N F].
  - destruct C as [u x l d t G A]. left. exists u, x, l, d, t, (a ++ b ++ c).
    rewrite E. simpl. repeat split; auto; apply two_out.
  - destruct C as [u x l d t G A]. left. exists u, x, l, d, t, (a ++ b ++ c). rewrite E. simpl.
    repeat split; auto; rewrite two_out; apply perm_swap.
  - right. left. exists (a ++ c), g, below, d. rewrite E. simpl. repeat split; auto using Permutation_sym,
      Permutation_middle; apply W.
  - auto.
Qed.

Lemma all_of_permutation p cs st : Permutation (piles p) cs -> to_deal p = st ->
  Permutation (all_of p) (flat_map pile_cards cs ++ st).
Proof. intros P E. unfold all_of. rewrite E. apply Permutation_app_tail. now apply Permutation_flat_map. Qed.

Lemma dealt_cards cs : forall st,
  Permutation (flat_map pile_cards cs ++ st) (flat_map pile_cards (dealt cs st) ++ skipn (length cs) st).
Proof.
  induction cs as [|c cs IH]; intros [|x st]; cbn [dealt flat_map length skipn app]; auto.
  change (pile_cards (Pile (x :: shown c) (hidden c))) with (x :: pile_cards c). cbn [app].
  rewrite <- Permutation_middle. apply perm_skip. rewrite <- !app_assoc. now apply Permutation_app_head.
Qed.

(* No card is new. *)
Lemma step_all_of p q : step p q -> exists gone, Permutation (all_of p) (gone ++ all_of q).
Proof.
  intros M. destruct (step_cases p q M) as [(u & x & b & d & t & r & P & Q & A & D & _)|
    [(r & g & b & d & P & Q & W & D)|E]].
  - exists []. simpl. rewrite (all_of_permutation p _ _ P eq_refl), (all_of_permutation q _ _ Q D).
    apply Permutation_app_tail. cbn [flat_map]. rewrite pile_cards_turned.
    pose proof (Permutation_app_swap_app (u ++ [x]) (b ++ d) (pile_cards t ++ flat_map pile_cards r)) as H.
    unfold pile_cards in *. simpl. rewrite <- !app_assoc in *. exact H.
  - exists g. rewrite (all_of_permutation p _ _ P eq_refl), (all_of_permutation q _ _ Q D). simpl.
    rewrite pile_cards_turned. unfold pile_cards. simpl. now rewrite <- !app_assoc.
  - exists []. subst q. apply dealt_cards.
Qed.

Lemma proper_step p q : proper p -> step p q -> proper q.
Proof.
  intros (N & I) M. destruct (step_all_of p q M) as (gone & E). split.
  - rewrite E in N. now apply nodup_right in N.
  - intros x X. apply I. rewrite E. apply in_or_app. auto.
Qed.

(* What a card lies on changes only if it is released. *)
Record keeps (released : card -> Prop) (p q : board) : Prop := {
  keeps_segment : forall w, segment p w -> (forall z, In z w -> ~ released z) -> segment q w;
  keeps_two : forall d y, segment p [d; y] -> ~ released d -> segment q [d; y];
  keeps_covered : forall d x, covered p d x -> ~ released d -> covered q d x;
  keeps_lowest : forall z, (exists c, In c (piles p) /\ lowest c z) -> ~ released z ->
    exists c, In c (piles q) /\ lowest c z }.

Lemma in_permuted (p : board) cs c : Permutation (piles p) cs -> In c cs -> In c (piles p).
Proof. intros P. apply Permutation_in. now apply Permutation_sym. Qed.

(* Of l ++ m, a segment without a card x between its first cards, which is the first one of m, lies in one of both. *)
Lemma segment_split {A} (a w b l m : list A) x : l ++ x :: m = a ++ w ++ b -> ~ In x w -> w <> [] ->
  (exists e, l = a ++ w ++ e /\ b = e ++ x :: m) \/ (exists e, m = e ++ w ++ b /\ a = l ++ x :: e).
Proof.
  revert a. induction l as [|y l IH]; simpl; intros a E X W.
  - destruct a as [|z a]; simpl in E.
    + destruct w; [tauto|]. simpl in E. inversion E; subst. exfalso. apply X. now left.
    + inversion E; subst. right. exists a. auto.
  - destruct a as [|z a]; simpl in E.
    + left. clear IH. revert l y E X. induction w as [|z w IHw]; [tauto|]. intros l y E X. simpl in E.
      inversion E; subst. destruct w as [|z' w].
      * exists l. auto.
      * destruct l as [|y' l]; [simpl in H1; inversion H1; subst; exfalso; apply X; simpl; auto|].
        destruct (IHw ltac:(discriminate) l y' H1 ltac:(intros I; apply X; now right)) as (e & F & G).
        exists e. simpl in *. rewrite F. auto.
    + inversion E; subst. destruct (IH a H1 X W) as [(e & F & G)|(e & F & G)]; [left|right]; exists e; subst; auto.
Qed.

Lemma prefix_split {A} (g m a w b : list A) : g ++ m = a ++ w ++ b -> w <> [] -> (forall z, In z w -> ~ In z g) ->
  exists e, m = e ++ w ++ b.
Proof.
  revert a. induction g as [|y g IH]; intros a E W D; [exists a; auto|].
  destruct a as [|z a]; simpl in E.
  - destruct w as [|z w]; [tauto|]. inversion E; subst. exfalso. apply (D z); now left.
  - inversion E. apply (IH a); auto. intros z' I J. apply (D z' I). now right.
Qed.

Lemma covered_turned c a d x b : pile_cards c = a ++ d :: x :: b -> length b < length (hidden c) ->
  pile_cards (turned_up c) = a ++ d :: x :: b /\ length b < length (hidden (turned_up c)).
Proof.
  rewrite pile_cards_turned. intros E L. split; auto. destruct c as [[|y u] [|z h]]; auto.
  unfold turned_up. unfold pile_cards in E. simpl in *. destruct a as [|y a]; inversion E; subst; simpl in *.
  - lia.
  - rewrite app_length in L |- *. simpl in *. lia.
Qed.

(* A column of q has the cards of c, perhaps with others on them. *)
Definition under_others (q : board) (c : pile) : Prop :=
  exists e u, In e (piles q) /\ pile_cards e = u ++ pile_cards c /\ hidden e = hidden c.

Lemma under_segment q c a w b : under_others q c -> pile_cards c = a ++ w ++ b -> segment q w.
Proof. intros (e & u & I & E & _) F. exists e, (u ++ a), b. now rewrite E, F, app_assoc. Qed.

Lemma under_covered q c a d x b : under_others q c -> pile_cards c = a ++ d :: x :: b -> length b < length (hidden c) ->
  covered q d x.
Proof. intros (e & u & I & E & H) F L. exists e, (u ++ a), b. now rewrite E, F, H, app_assoc. Qed.

Lemma under_lowest q c z : under_others q c -> lowest c z -> exists e, In e (piles q) /\ lowest e z.
Proof. intros (e & u & I & E & _) (a & F). exists e. split; auto. exists (u ++ a). now rewrite E, F, app_assoc. Qed.

Lemma keeps_carried p q u x b d t r :
  proper p ->
  Permutation (piles p) (Pile (u ++ x :: b) d :: t :: r) ->
  Permutation (piles q) (turned_up (Pile b d) :: Pile (u ++ x :: shown t) (hidden t) :: r) ->
  keeps (eq x) p q.
Proof.
  intros Pr P Q. set (s := Pile (u ++ x :: b) d) in *.
  assert (Es : pile_cards s = u ++ x :: b ++ d) by (unfold pile_cards, s; simpl; now rewrite <- app_assoc).
  set (s' := turned_up (Pile b d)) in *. set (t' := Pile (u ++ x :: shown t) (hidden t)) in *.
  assert (Es' : pile_cards s' = b ++ d) by (unfold s'; now rewrite pile_cards_turned).
  assert (Et : pile_cards t' = (u ++ [x]) ++ pile_cards t).
  { unfold pile_cards, t'. simpl. now rewrite <- !app_assoc. }
  assert (Is : In s' (piles q)) by (apply (in_permuted _ _ _ Q); simpl; auto).
  assert (It : In t' (piles q)) by (apply (in_permuted _ _ _ Q); simpl; auto).
  assert (C : forall c, In c (piles p) -> c = s \/ under_others q c).
  { intros c I. apply (Permutation_in _ P) in I. destruct I as [<-|[<-|I]]; auto; right.
    - exists t', (u ++ [x]). auto.
    - exists c, []. split; auto. apply (in_permuted _ _ _ Q). simpl. auto. }
  assert (W : forall a w m, pile_cards s = a ++ w ++ m -> ~ In x w -> segment q w).
  { intros a w m E N. destruct w as [|z w]; [exists s', [], (pile_cards s'); auto|]. rewrite Es in E.
    destruct (segment_split _ _ _ _ _ _ E N ltac:(discriminate)) as [(e & F & _)|(e & F & _)].
    - exists t', a, (e ++ x :: pile_cards t). split; auto. rewrite Et, F. now rewrite <- !app_assoc.
    - exists s', e, m. split; auto. rewrite Es'. exact F. }
  split.
  - intros w (c & a & m & I & E) N. destruct (C c I) as [->|U].
    + apply (W a w m E). intros X. exact (N x X eq_refl).
    + eapply under_segment; eauto.
  - intros z y (c & a & m & I & E) N. destruct (C c I) as [->|U]; [|eapply under_segment; eauto].
    destruct (card_eq x y) as [<-|D].
    + pose proof (nodup_pile p s Pr I) as ND. rewrite Es in ND, E.
      change (a ++ [z; x] ++ m) with (a ++ [z] ++ x :: m) in E. rewrite app_assoc in E.
      destruct (split_unique _ _ _ _ _ ND E) as (F & _). exists t', a, (pile_cards t). split; auto. rewrite Et, F.
      now rewrite <- !app_assoc.
    + apply (W a [z; y] m E). intros [X|[X|[]]]; subst; tauto.
  - intros z y (c & a & m & I & E & L) N. destruct (C c I) as [->|U]; [|eapply under_covered; eauto].
    rewrite Es in E. assert (X : ~ In x [z]) by (intros [X|[]]; subst; tauto).
    destruct (segment_split a [z] (y :: m) _ _ _ E X ltac:(discriminate)) as [(e & _ & F)|(e & F & _)].
    + exfalso. unfold s in L. simpl in L. apply (f_equal (@length card)) in F. rewrite app_length in F. simpl in F.
      rewrite app_length in F. lia.
    + destruct (covered_turned (Pile b d) e z y m F L) as (G & H). exists s', e, m. auto.
  - intros z (c & I & (a & E)) N. destruct (C c I) as [->|U]; [|eapply under_lowest; eauto; eexists; eauto].
    rewrite Es in E. assert (X : ~ In x [z]) by (intros [X|[]]; subst; tauto).
    destruct (segment_split a [z] [] _ _ _ E X ltac:(discriminate)) as [(e & _ & F)|(e & F & _)].
    + destruct e; discriminate.
    + exists s'. split; auto. exists e. rewrite Es'. exact F.
Qed.

Lemma keeps_left p q g b d r :
  Permutation (piles p) (Pile (g ++ b) d :: r) ->
  Permutation (piles q) (turned_up (Pile b d) :: r) ->
  keeps (fun z => In z g) p q.
Proof.
  intros P Q. set (s := Pile (g ++ b) d) in *.
  assert (Es : pile_cards s = g ++ b ++ d) by (unfold pile_cards, s; simpl; now rewrite <- app_assoc).
  set (s' := turned_up (Pile b d)) in *.
  assert (Es' : pile_cards s' = b ++ d) by (unfold s'; now rewrite pile_cards_turned).
  assert (Is : In s' (piles q)) by (apply (in_permuted _ _ _ Q); simpl; auto).
  assert (C : forall c, In c (piles p) -> c = s \/ under_others q c).
  { intros c I. apply (Permutation_in _ P) in I. destruct I as [<-|I]; auto; right.
    exists c, []. split; auto. apply (in_permuted _ _ _ Q). simpl. auto. }
  assert (W : forall a w m, pile_cards s = a ++ w ++ m -> w <> [] -> (forall z, In z w -> ~ In z g) ->
    exists e, pile_cards s' = e ++ w ++ m).
  { intros a w m E N D. rewrite Es in E. destruct (prefix_split _ _ _ _ _ E N D) as (e & F). exists e. congruence. }
  split.
  - intros [|z w] (c & a & m & I & E) N; [exists s', [], (pile_cards s'); auto|].
    destruct (C c I) as [->|U]; [|eapply under_segment; eauto].
    destruct (W a (z :: w) m E ltac:(discriminate) N) as (e & F). exists s', e, m. auto.
  - intros z y (c & a & m & I & E) N. destruct (C c I) as [->|U]; [|eapply under_segment; eauto].
    destruct (W a [z] (y :: m) E ltac:(discriminate)) as (e & F); [intros v [<-|[]]; auto|]. exists s', e, m. auto.
  - intros z y (c & a & m & I & E & L) N. destruct (C c I) as [->|U]; [|eapply under_covered; eauto].
    destruct (W a [z] (y :: m) E ltac:(discriminate)) as (e & F); [intros v [<-|[]]; auto|].
    rewrite Es' in F. destruct (covered_turned (Pile b d) e z y m F L) as (G & H). exists s', e, m. auto.
  - intros z (c & I & (a & E)) N. destruct (C c I) as [->|U]; [|eapply under_lowest; eauto; eexists; eauto].
    destruct (W a [z] [] E ltac:(discriminate)) as (e & F); [intros v [<-|[]]; auto|]. exists s'. split; auto.
    exists e. auto.
Qed.

Lemma in_dealt cs : forall st c, In c cs ->
  exists e u, In e (dealt cs st) /\ pile_cards e = u ++ pile_cards c /\ hidden e = hidden c.
Proof.
  induction cs as [|d cs IH]; intros [|x st] c I; [easy | easy | exists c, []; auto |].
  destruct I as [<-|I].
  - exists (Pile (x :: shown d) (hidden d)), [x]. simpl. auto.
  - destruct (IH st c I) as (e & u & J & E & H). exists e, u. simpl. auto.
Qed.

Lemma dealt_origin cs : forall st c, In c (dealt cs st) -> exists e u, In e cs /\ pile_cards c = u ++ pile_cards e.
Proof.
  induction cs as [|d cs IH]; intros [|x st] c I; [easy | easy | exists c, []; auto |].
  destruct I as [<-|I].
  - exists d, [x]. simpl. auto.
  - destruct (IH st c I) as (e & u & J & E). exists e, u. simpl. auto.
Qed.

Lemma keeps_dealt p :
  keeps (fun _ => False) p (Board (dealt (piles p) (to_deal p)) (skipn (length (piles p)) (to_deal p))).
Proof.
  assert (C : forall c, In c (piles p) ->
    under_others (Board (dealt (piles p) (to_deal p)) (skipn (length (piles p)) (to_deal p))) c).
  { intros c I. now apply in_dealt. }
  split.
  - intros w (c & a & m & I & E) _. eapply under_segment; eauto.
  - intros z y (c & a & m & I & E) _. eapply under_segment; eauto.
  - intros z y (c & a & m & I & E & L) _. eapply under_covered; eauto.
  - intros z (c & I & L) _. eapply under_lowest; eauto.
Qed.

(** * Whole suits *)

Lemma seq_place {A} (f : A -> nat) g : forall k n, map f g = seq k n -> forall l z m, g = l ++ z :: m ->
  f z = k + length l /\ n = length l + S (length m).
Proof.
  induction g as [|y g IH]; intros k n E l z m G; [destruct l; discriminate|].
  destruct n as [|n]; [discriminate|]. simpl in E. injection E as K T. destruct l as [|y' l]; inversion G; subst.
  - simpl. split; [lia|]. apply (f_equal (@length nat)) in T. rewrite map_length, seq_length in T. lia.
  - destruct (IH _ n T l z m eq_refl). simpl. lia.
Qed.

Lemma last_is_king g l z : whole_suit R g -> g = l ++ [z] -> king z.
Proof. intros (H & _) E. destruct (seq_place _ _ _ _ H l z [] E). unfold king. simpl in *. lia. Qed.

Lemma next_fits g l z y m : whole_suit R g -> g = l ++ z :: y :: m -> fits z y = true.
Proof.
  intros (H & Su) E. destruct (seq_place _ _ _ _ H l z (y :: m) E) as (Hz & _).
  destruct (seq_place _ _ _ _ H (l ++ [z]) y m) as (Hy & _); [now rewrite <- app_assoc|].
  rewrite app_length in Hy. simpl in Hy. apply fits_iff. split; [lia|]. apply Su; rewrite E, in_app_iff; simpl; auto.
Qed.

Lemma whole_suit_has g x z : whole_suit R g -> In x g -> (forall y, In y g -> in_range y) -> in_range z ->
  same_suit z x = true -> In z g.
Proof.
  intros (H & Su) X Ra Z E. assert (I : In (height z) (map height g)).
  { rewrite H. apply in_seq. pose proof (height_bound z Z). lia. }
  apply in_map_iff in I. destruct I as (y & Ey & Y). rewrite same_suit_iff in E.
  replace z with y; auto. apply same_height; auto. apply same_suit_iff.
  specialize (Su y x Y X). apply same_suit_iff in Su. congruence.
Qed.

Lemma whole_suit_some g : whole_suit R g -> exists l k, g = l ++ [k].
Proof.
  intros (H & _). pose proof (base_in_range rules_fit). destruct g as [|x g].
  - simpl in H. destruct (ranks R); [lia|discriminate].
  - destruct (@exists_last _ (x :: g) ltac:(discriminate)) as (l & k & E). eauto.
Qed.

(** * A card that lies on its place, and cards that wait, are not released *)

Section Released.
Variables p q : board.
Hypothesis P : proper p.

Lemma range_of x : In x (all_of p) -> in_range x.
Proof. apply P. Qed.

Section Carried.
Variables (u : list card) (x : card) (b d : list card) (t : pile) (r : list pile).
Let s := Pile (u ++ x :: b) d.
Hypothesis before : Permutation (piles p) (s :: t :: r).
Hypothesis accepted : accepts R t x.

Lemma source_in : In s (piles p).
Proof. apply (in_permuted _ _ _ before). now left. Qed.

Lemma target_in : In t (piles p).
Proof. apply (in_permuted _ _ _ before). simpl. auto. Qed.

Lemma x_in_source : In x (pile_cards s).
Proof. unfold pile_cards, s. simpl. rewrite <- app_assoc. apply in_elt. Qed.

Lemma not_in_both z : In z (pile_cards s) -> In z (pile_cards t) -> False.
Proof.
  destruct P as (N & _). apply nodup_left in N. rewrite (Permutation_flat_map pile_cards before) in N. simpl in N.
  rewrite app_assoc in N. apply nodup_left in N. intros I J. eapply nodup_in_two; eauto.
Qed.

(* The place of x is on top of the column that it goes to. *)
Lemma place_on_top y : In y (all_of p) -> fits x y = true -> exists l, pile_cards t = y :: l.
Proof.
  intros Y F. pose proof accepted as A. unfold accepts in A. unfold pile_cards. destruct (shown t) as [|y' l] eqn:E.
  - exfalso. destruct A as (_ & A). destruct (kings_only rules_fit) as [K|K]; rewrite K in A; [|easy].
    apply (king_fits_none x y A (range_of y Y) F).
  - exists (l ++ hidden t). simpl. f_equal. apply (fits_unique x); auto using range_of.
    apply range_of, (in_pile_in_all p t); [apply target_in|]. unfold pile_cards. rewrite E. now left.
Qed.

Lemma place_elsewhere y : In y (pile_cards s) -> fits x y = true -> False.
Proof.
  intros I F. destruct (place_on_top y) as (l & E); auto; [apply (in_pile_in_all p s); auto using source_in|].
  apply (not_in_both y I). rewrite E. now left.
Qed.

Lemma carried_not_joined : ~ joined p x.
Proof.
  intros (y & (c & a & m & C & E) & F). assert (c = s).
  { apply (same_pile p c s x P C source_in); [|exact x_in_source]. rewrite E. apply in_elt. }
  subst c. apply (place_elsewhere y); auto. rewrite E, in_app_iff. simpl. auto.
Qed.

Lemma carried_not_waiting S : waits S p -> ~ In x S.
Proof.
  intros (_ & W) I. destruct (W x I) as (_ & [e (c & a & m & C & E & L) _ | y K _ (Lo & _) | y e F G _ | y w F G _]).
  - assert (c = s).
    { apply (same_pile p c s x P C source_in); [|exact x_in_source]. rewrite E, in_app_iff. simpl. auto. }
    subst c. pose proof (nodup_pile p s P source_in) as N. rewrite E in N.
    unfold pile_cards in E. simpl in E. rewrite <- app_assoc in E. simpl in E.
    replace (a ++ e :: x :: m) with ((a ++ [e]) ++ x :: m) in E, N by now rewrite <- app_assoc.
    destruct (split_unique _ _ _ _ _ N (eq_sym E)) as (_ & ->).
    rewrite app_length in L. simpl in L. lia.
  - pose proof accepted as A. unfold accepts in A. destruct (shown t) as [|y' l] eqn:E.
    + destruct (Lo t target_in) as (z & (a & Z) & _). unfold pile_cards in Z. destruct A as (A & _).
      rewrite E, A in Z. destruct a; discriminate.
    + apply (king_fits_none x y' K); auto. apply range_of, (in_pile_in_all p t); [apply target_in|].
      unfold pile_cards. rewrite E. now left.
  - destruct (place_on_top y) as (l & T); auto; [apply (segment_in p _ y G); simpl; auto|].
    destruct G as (c & a & m & C & E).
    assert (c = t).
    { apply (same_pile p c t y P C target_in); [|rewrite T; now left]. rewrite E, in_app_iff. simpl. auto. }
    subst c. pose proof (nodup_pile p t P target_in) as N. rewrite T in N, E.
    change (a ++ [e; y] ++ m) with (a ++ [e] ++ y :: m) in E. rewrite app_assoc in E.
    destruct (split_unique y [] l (a ++ [e]) m N E) as (H & _). destruct a; discriminate.
  - destruct G as (c & a & m & C & E). assert (c = s).
    { apply (same_pile p c s x P C source_in); [|exact x_in_source]. rewrite E, !in_app_iff. simpl.
      rewrite in_app_iff. simpl. tauto. }
    subst c. apply (place_elsewhere y); auto. rewrite E, in_app_iff. simpl. auto.
Qed.
End Carried.

Section Left.
Variables (g b d : list card) (r : list pile).
Let s := Pile (g ++ b) d.
Hypothesis before : Permutation (piles p) (s :: r).
Hypothesis whole : whole_suit R g.

Lemma suit_in : In s (piles p).
Proof. apply (in_permuted _ _ _ before). now left. Qed.

Lemma pile_cards_of_suit : pile_cards s = g ++ b ++ d.
Proof. unfold pile_cards, s. simpl. now rewrite <- app_assoc. Qed.

Lemma in_suit z : In z g -> In z (pile_cards s).
Proof. rewrite pile_cards_of_suit, in_app_iff. auto. Qed.

Lemma suit_range z : In z g -> in_range z.
Proof. intros I. apply range_of, (in_pile_in_all p s); auto using suit_in, in_suit. Qed.

Lemma left_joined z : In z g -> ~ king z -> joined p z.
Proof.
  intros I K. apply in_split in I. destruct I as (l & [|y m] & E).
  - destruct K. eapply last_is_king; eauto.
  - exists y. split; [|eapply next_fits; eauto]. exists s, l, (m ++ b ++ d). split; [apply suit_in|].
    rewrite pile_cards_of_suit, E. rewrite <- !app_assoc. reflexivity.
Qed.

Lemma left_not_under e x : covered p e x -> fits e x = true -> ~ In e g.
Proof.
  intros (c & a & m & C & E & L) F I. assert (c = s).
  { apply (same_pile p c s e P C suit_in); [|auto using in_suit]. rewrite E. apply in_elt. }
  subst c. pose proof (nodup_pile p s P suit_in) as N. rewrite E in N. rewrite pile_cards_of_suit in E.
  apply in_split in I. destruct I as (l & m' & G). rewrite G, <- app_assoc in E. simpl in E.
  destruct (split_unique _ _ _ _ _ N (eq_sym E)) as (_ & H). destruct m' as [|y m'].
  - apply (king_fits_none e x); auto; [eapply last_is_king; eauto|].
    apply range_of, (in_pile_in_all p s); [apply suit_in|]. simpl in H.
    rewrite pile_cards_of_suit, in_app_iff, <- H. simpl. auto.
  - inversion H; subst. rewrite !app_length in L. simpl in L. lia.
Qed.

Lemma waiting_in S z : waits S p -> In z S -> In z (all_of p).
Proof.
  intros (_ & W) I. destruct (W z I) as ([(c & C & (a & E))|(y & G & _)] & _).
  - apply (in_pile_in_all p c); auto. rewrite E. apply in_elt.
  - apply (segment_in p _ z G). now left.
Qed.

Lemma left_not_waiting S : waits S p -> forall z, In z S -> ~ In z g.
Proof.
  intros W z I G. pose proof W as (_ & A). assert (K : king z).
  { destruct (Nat.eq_dec (Datatypes.S (height z)) (ranks R)) as [E|E]; auto.
    destruct (A z I) as (Lo & _). exfalso. eauto using loose_not_joined, left_joined. }
  destruct (A z I) as (_ & [e (c & a & m & C & E & L) _ | y _ _ (_ & Su) | y e F H _ | y w F H _]).
  - assert (c = s).
    { apply (same_pile p c s z P C suit_in); [|auto using in_suit]. rewrite E, in_app_iff. simpl. auto. }
    subst c. pose proof (nodup_pile p s P suit_in) as N. rewrite E in N. rewrite pile_cards_of_suit in E.
    apply in_split in G. destruct G as (l & m' & G). rewrite G, <- app_assoc in E. simpl in E.
    replace (a ++ e :: z :: m) with ((a ++ [e]) ++ z :: m) in E, N by now rewrite <- app_assoc.
    destruct (split_unique _ _ _ _ _ N (eq_sym E)) as (_ & ->). rewrite !app_length in L. simpl in L. lia.
  - destruct (Su z) as (z' & I' & K' & S'); [eauto using waiting_in|].
    assert (In z' g) by (eapply whole_suit_has; eauto using suit_range, range_of, waiting_in).
    destruct (A z' I') as (Lo & _). eauto using loose_not_joined, left_joined.
  - apply (king_fits_none z y K); auto. apply range_of, (segment_in p _ y H). simpl. auto.
  - apply (king_fits_none z y K); auto. apply range_of, (segment_in p _ y H). simpl. auto.
Qed.

(* No suit leaves if an empty column is waited for. *)
Lemma left_not_kings_wait S : waits S p -> ~ kings_wait S p.
Proof.
  intros W (_ & Su). destruct (whole_suit_some g whole) as (l & k & E).
  assert (G : In k g) by (rewrite E; apply in_elt).
  destruct (Su k) as (z & I & K & T); [apply (in_pile_in_all p s); auto using suit_in, in_suit|].
  apply (left_not_waiting S W z I). eapply whole_suit_has; eauto using suit_range, range_of, waiting_in.
Qed.

(* Between a card that waits and its place above it, no card leaves. *)
Lemma left_not_between S t x : waits S p -> In x S -> segment p (t ++ [x]) -> Forall (stays S p) t ->
  forall z, In z t -> ~ In z g.
Proof.
  intros W I (c & a & m & C & E) St z Z G. rewrite Forall_forall in St.
  assert (c = s).
  { apply (same_pile p c s z P C suit_in); [|auto using in_suit]. rewrite E, !in_app_iff. auto. }
  subst c. pose proof (nodup_pile p s P suit_in) as N. rewrite pile_cards_of_suit in E, N.
  apply in_split in G, Z. destruct G as (l & g' & G), Z as (t1 & t2 & T).
  assert (E' : l ++ z :: g' ++ b ++ d = (a ++ t1) ++ z :: t2 ++ x :: m).
  { rewrite G, T in E. repeat (rewrite <- !app_assoc in E; simpl in E). rewrite <- app_assoc. exact E. }
  rewrite G, <- app_assoc in N. simpl in N. destruct (split_unique _ _ _ _ _ N E') as (_ & H).
  assert (X : ~ In x g') by (intros X; apply (left_not_waiting S W x I); rewrite G, in_app_iff; simpl; auto).
  assert (Pre : exists e, t2 = g' ++ e).
  { clear - H X. revert t2 H. induction g' as [|y g' IH]; intros t2 H; [exists t2; auto|].
    destruct t2 as [|y' t2]; simpl in H; inversion H; subst; [destruct X; now left|].
    destruct (IH ltac:(intros J; apply X; now right) t2 H2) as (e & ->). exists e. auto. }
  destruct Pre as (e & ->). destruct (@exists_last _ (z :: g') ltac:(discriminate)) as (l' & k & K).
  assert (Ki : king k) by (apply (last_is_king g (l ++ l')); auto; now rewrite G, K, app_assoc).
  assert (Kt : In k t).
  { rewrite T. apply in_or_app. right. change (z :: g' ++ e) with ((z :: g') ++ e). rewrite K.
    apply in_or_app. left. apply in_elt. }
  destruct (St k Kt) as [Ks|(y & Gy & F)].
  - apply (left_not_waiting S W k Ks). rewrite G, K, in_app_iff, in_app_iff. simpl. auto.
  - apply (king_fits_none k y Ki); auto. apply range_of, (segment_in p _ y Gy). simpl. auto.
Qed.
End Left.

(** * What waits still waits after a move *)

Variable released : card -> Prop.
Hypothesis kept : keeps released p q.

Lemma stays_kept S z : stays S p z -> ~ released z -> stays S q z.
Proof. intros [I|(y & G & F)] N; [now left|right]. exists y. split; auto. now apply (keeps_two _ _ _ kept). Qed.

Lemma waits_kept S : waits S p ->
  (forall z, In z S -> ~ released z) ->
  (forall d x, In x S -> covered p d x -> stays S p d -> ~ released d) ->
  (forall t x, In x S -> segment p (t ++ [x]) -> Forall (stays S p) t -> forall z, In z t -> ~ released z) ->
  (kings_wait S p -> kings_wait S q) ->
  waits S q.
Proof.
  intros (Some & W) Ns Nc Nt Nk. split; auto. intros x I. destruct (W x I) as (Lo & Re). split.
  - destruct Lo as [L|(y & G & F)]; [left|right; exists y; split; auto].
    + apply (keeps_lowest _ _ _ kept); auto.
    + apply (keeps_two _ _ _ kept); auto.
  - destruct Re as [d C St | y K G Kw | y d F G Sd | y t F G St].
    + apply (face_down_under S q x d); [apply (keeps_covered _ _ _ kept) | apply stays_kept]; eauto.
    + apply (no_space S q x y); auto. apply (keeps_two _ _ _ kept); auto.
    + apply (place_taken S q x y d); auto. apply (keeps_two _ _ _ kept); auto.
    + pose proof (Nt (y :: t) x I G St) as N. apply (place_above S q x y t); auto.
      * apply (keeps_segment _ _ _ kept); auto. intros z [<-|Z]; [apply N; now left|].
        apply in_app_or in Z. destruct Z as [Z|[<-|[]]]; auto. apply N. now right.
      * rewrite Forall_forall in *. intros z Z. apply stays_kept; auto.
Qed.
End Released.

Definition pair (p : board) : Prop := exists d x, covered p d x /\ fits d x = true.

Lemma all_of_step p q x : step p q -> In x (all_of q) -> In x (all_of p).
Proof. intros M I. destruct (step_all_of p q M) as (gone & E). rewrite E. apply in_or_app. auto. Qed.

Theorem pair_step p q : proper p -> pair p -> step p q -> pair q.
Proof.
  intros P (d & x & C & F) M. exists d, x. split; auto.
  destruct (step_cases p q M) as [(u & y & b & h & t0 & r & Pp & Pq & A & D & _)|
    [(r & g & b & h & Pp & Pq & W & D)|E]].
  - apply (keeps_covered _ _ _ (keeps_carried p q u y b h t0 r P Pp Pq)); auto. intros <-.
    apply (carried_not_joined p P u y b h t0 r Pp A). exists x. split; auto. now apply covered_segment.
  - apply (keeps_covered _ _ _ (keeps_left p q g b h r Pp Pq)); auto. eapply left_not_under; eauto.
  - subst q. apply (keeps_covered _ _ _ (keeps_dealt p)); auto.
Qed.

Theorem waits_step S p q : proper p -> waits S p -> step p q -> waits S q.
Proof.
  intros P W M. destruct (step_cases p q M) as [(u & y & b & h & t0 & r & Pp & Pq & A & D & _)|
    [(r & g & b & h & Pp & Pq & Wh & D)|E]].
  - assert (Ns : ~ stays S p y).
    { intros [I|J]; [eapply carried_not_waiting | eapply carried_not_joined]; eauto. }
    apply (waits_kept p q (eq y) (keeps_carried p q u y b h t0 r P Pp Pq)); auto.
    + intros z I <-. apply Ns. now left.
    + intros d x _ _ St <-. auto.
    + intros v x _ _ St z Z <-. rewrite Forall_forall in St. auto.
    + intros (Lo & Su). split; [|intros x X; apply Su; eauto using all_of_step].
      assert (It : In t0 (piles p)) by (apply (in_permuted _ _ _ Pp); simpl; auto).
      destruct (Lo t0 It) as (z & (a & Z) & Kz).
      intros c C. apply (Permutation_in _ Pq) in C. destruct C as [<-|[<-|C]].
      * destruct (Lo (Pile (u ++ y :: b) h)) as (z' & (a' & Z') & Kz').
        { apply (in_permuted _ _ _ Pp). now left. }
        unfold lowest. rewrite pile_cards_turned. unfold pile_cards in Z'. simpl in Z'. rewrite <- app_assoc in Z'.
        change (u ++ (y :: b) ++ h) with (u ++ [y] ++ (b ++ h)) in Z'. unfold pile_cards. simpl.
        destruct (b ++ h) as [|e l] eqn:Eb.
        -- exfalso. rewrite app_nil_r in Z'. apply app_inj_tail in Z'. destruct Z' as (_ & <-).
           destruct Kz' as [K|I]; [|apply Ns; now left]. unfold accepts in A. destruct (shown t0) as [|y' l] eqn:Es.
           ++ unfold pile_cards in Z. destruct A as (A & _). rewrite Es, A in Z. destruct a; discriminate.
           ++ apply (king_fits_none y y' K); auto. apply (range_of p P), (in_pile_in_all p t0 _ It).
              unfold pile_cards. rewrite Es. now left.
        -- destruct (@exists_last _ (e :: l) ltac:(discriminate)) as (l' & k & K). rewrite K in *.
           exists k. split; [eauto|]. rewrite !app_assoc in Z'. apply app_inj_tail in Z'. destruct Z' as (_ & ->). auto.
      * exists z. split; auto. exists (u ++ y :: a). unfold pile_cards in *. simpl. rewrite <- !app_assoc. simpl.
        now rewrite Z.
      * apply Lo, (in_permuted _ _ _ Pp). simpl. auto.
  - apply (waits_kept p q _ (keeps_left p q g b h r Pp Pq)); auto.
    + eapply left_not_waiting; eauto.
    + intros d x I C [J|(y & Gy & F)]; [eapply left_not_waiting; eauto|].
      assert (y = x) by (eapply segment_below; eauto using covered_segment). subst y. eapply left_not_under; eauto.
    + intros v x I Sg St. eapply left_not_between; eauto.
    + intros K. exfalso. eapply left_not_kings_wait; eauto.
  - subst q. apply (waits_kept p _ _ (keeps_dealt p)); auto.
    intros (Lo & Su). split; [|intros x X; apply Su; eauto using all_of_step].
    intros c C. apply dealt_origin in C. destruct C as (e & u & I & Ec). destruct (Lo e I) as (z & (a & Z) & K).
    exists z. split; auto. exists (u ++ a). now rewrite Ec, Z, app_assoc.
Qed.

(** * What waits is lost *)

Lemma never_cleared (lost : board -> Prop) :
  (forall p q, proper p -> lost p -> step p q -> lost q) -> (forall p, lost p -> exists x, segment p [x]) ->
  forall p, proper p -> lost p -> ~ clearable p.
Proof.
  intros St So p P L (q & Re & (Em & _)). induction Re as [p | p q r M Re IH]; [|eauto using proper_step].
  destruct (So p L) as (x & (c & a & b & I & E)). rewrite Forall_forall in Em. rewrite (Em c I) in E.
  destruct a; discriminate.
Qed.

Theorem pair_lost p : proper p -> pair p -> ~ clearable p.
Proof.
  apply never_cleared; [apply pair_step|]. intros p' (d & x & (c & a & b & I & E & _) & _).
  exists d, c, a, (x :: b). auto.
Qed.

Theorem waits_lost S p : proper p -> waits S p -> ~ clearable p.
Proof.
  apply (never_cleared (waits S)); [apply waits_step|]. intros p' ((z & I & _) & W).
  destruct (W z I) as ([(c & C & (a & E))|(y & (c & a & b & C & E) & _)] & _); exists z, c, a.
  - exists []. auto.
  - exists (y :: b). auto.
Qed.
End Waiting.
