(* Walks around a circle of ranks.

   Claim ([walk_found]). If cards can go into a hole one after the other, each onto a neighbour, then [has_walk_from]
   says so, if there is an odd number of ranks, at least three, around a circle.

   Ranks are counted from that on top of the hole, which is 0. A walk takes each card once. The number of its steps
   between a rank and the next one follows from the numbers of cards and from the rank of the last card; see
   docs/proofs/holes.md. That these numbers are enough for a walk is proved there only: no loss rests on it. *)
Require Import List Bool Arith Lia Permutation.
Import ListNotations.

(** * The program *)

(* How often a walk that ends at t enters and leaves each rank, of which there are so many cards, from rank i on. *)
Fixpoint ends (t i : nat) (counts : list nat) : list nat :=
  match counts with
  | [] => []
  | c :: counts => (2 * c + (if i =? 0 then 1 else 0) - (if i =? t then 1 else 0)) :: ends t (S i) counts
  end.

(* The sum of the first, third, ... number, and that of the others. *)
Fixpoint alternating (l : list nat) : nat * nat :=
  match l with [] => (0, 0) | x :: l => let (a, b) := alternating l in (x + b, a) end.

(* The steps between each rank and the next one, if there are so many before the first. *)
Fixpoint steps_from (before : nat) (l : list nat) : option (list nat) :=
  match l with
  | [] => Some []
  | x :: l => if before <=? x then option_map (cons (x - before)) (steps_from (x - before) l) else None
  end.

(* A rank with cards lies between two pairs of ranks without steps. [zero]: there was such a pair; [cards]: there were
   cards after it. *)
Fixpoint is_cut (zero cards : bool) (counts steps : list nat) : bool :=
  match counts, steps with
  | c :: counts, e :: steps =>
      let cards := cards || zero && (0 <? c) in
      if e =? 0 then cards || is_cut true false counts steps else is_cut zero cards counts steps
  | _, _ => false
  end.

Definition can_end (counts : list nat) (t : nat) : bool :=
  let l := ends t 0 counts in
  let (a, b) := alternating l in
  let before := (a - b) / 2 in
  match steps_from before l with
  | Some steps => (last steps before =? before) && negb (is_cut false false counts steps)
  | None => false
  end.

Definition has_walk (counts : list nat) : bool :=
  existsb (fun t => ((t =? 0) || (0 <? nth t counts 0)) && can_end counts t) (seq 0 (length counts)).

Lemma last_cons (l : list nat) : forall x h, last (x :: l) h = last l x.
Proof. induction l as [|y l IH]; intros x h; auto. change (last (y :: l) h = last (y :: l) x). now rewrite !IH. Qed.

Lemma last_seq (f : nat -> nat) m : forall k d, last (map f (seq k (S m))) d = f (k + m).
Proof.
  induction m as [|m IH]; intros k d; [now rewrite Nat.add_0_r|]. change (map f (seq k (S (S m)))) with
    (f k :: map f (seq (S k) (S m))). rewrite last_cons, IH. f_equal. lia.
Qed.

Section Circle.
Variable n : nat.  (* the number of ranks *)

(* The place of rank r around the circle if that of h is 0. *)
Definition place (h r : nat) : nat := if h <=? r then r - h else r + n - h.

Fixpoint increased (i : nat) (counts : list nat) : list nat :=
  match counts, i with
  | [], _ => []
  | c :: counts, 0 => S c :: counts
  | c :: counts, S i => c :: increased i counts
  end.

Definition counts_of (h : nat) (cards : list nat) : list nat :=
  fold_left (fun counts r => increased (place h r) counts) cards (repeat 0 n).

Definition is_rank (r : nat) : bool := (1 <=? r) && (r <=? n).

(* Whether cards of these ranks have a walk from rank h. *)
Definition has_walk_from (h : nat) (cards : list nat) : bool :=
  negb (is_rank h && forallb is_rank cards) || has_walk (counts_of h cards).

(** * Walks *)

Definition after (i : nat) : nat := if S i =? n then 0 else S i.
Definition before (i : nat) : nat := if i =? 0 then n - 1 else i - 1.
Definition beside (i j : nat) : Prop := j = after i \/ i = after j.

Fixpoint walk (h : nat) (l : list nat) : Prop :=
  match l with [] => True | x :: l => (x < n /\ beside h x) /\ walk x l end.

(* The first one of two ranks that are beside each other, and the number of steps of a walk from rank i to the next
   one and back. *)
Definition pair (h x : nat) : nat := if x =? after h then h else x.

Fixpoint steps (h : nat) (l : list nat) (i : nat) : nat :=
  match l with [] => 0 | x :: l => (if pair h x =? i then 1 else 0) + steps x l i end.

Definition count (i : nat) (l : list nat) : nat := count_occ Nat.eq_dec l i.

Definition one (i j : nat) : nat := if i =? j then 1 else 0.

Ltac cases := repeat match goal with
  | |- context [?a =? ?b] => destruct (Nat.eqb_spec a b)
  | H : context [?a =? ?b] |- _ => destruct (Nat.eqb_spec a b)
  | |- context [?a <=? ?b] => destruct (Nat.leb_spec a b)
  | H : context [?a <=? ?b] |- _ => destruct (Nat.leb_spec a b) end.

Hypothesis three : 3 <= n.

Lemma pair_ends h x i : h < n -> x < n -> i < n -> beside h x ->
  one (pair h x) (before i) + one (pair h x) i = one i h + one i x.
Proof. unfold one, pair, before, beside, after. intros. cases; lia. Qed.

Lemma last_in l : forall h, h < n -> walk h l -> last l h < n.
Proof.
  induction l as [|x l IH]; intros h H W; auto. destruct W as ((X & _) & W). specialize (IH x X W).
  now rewrite last_cons.
Qed.

Lemma steps_ends l : forall h i, h < n -> i < n -> walk h l ->
  steps h l (before i) + steps h l i + one i (last l h) = 2 * count i l + one i h.
Proof.
  induction l as [|x l IH]; intros h i H I W; [cbn; lia|]. destruct W as ((X & B) & W).
  specialize (IH x i X I W). pose proof (pair_ends h x i H X I B) as P. rewrite last_cons.
  cbn [steps]. fold (one (pair h x) (before i)) (one (pair h x) i).
  assert (C : count i (x :: l) = one i x + count i l).
  { unfold count, one. cbn. destruct (Nat.eq_dec x i), (Nat.eqb_spec i x); subst; simpl; congruence. }
  rewrite C. lia.
Qed.

Lemma walk_stays a b l : a <= b -> b < n -> forall h, h < n -> walk h l -> ~ a < h <= b ->
  steps h l a = 0 -> steps h l b = 0 -> forall x, In x l -> ~ a < x <= b.
Proof.
  intros A B. induction l as [|y l IH]; intros h H W N Sa Sb x I; [easy|]. cbn [steps] in *.
  destruct W as ((Y & E) & W).
  assert (Ny : ~ a < y <= b).
  { assert (Pa : pair h y <> a) by (intros P; rewrite P, Nat.eqb_refl in Sa; lia).
    assert (Pb : pair h y <> b) by (intros P; rewrite P, Nat.eqb_refl in Sb; lia).
    unfold pair, beside, after in *. cases; lia. }
  destruct I as [<-|I]; auto. apply (IH y); auto; lia.
Qed.

(** * What the program says of a walk *)

Lemma ends_map t f m : forall k,
  ends t k (map f (seq k m)) = map (fun i => 2 * f i + one i 0 - one i t) (seq k m).
Proof. induction m as [|m IH]; intros k; cbn [seq map ends]; auto. now rewrite IH. Qed.

Section Steps.
Variables (F e : nat -> nat).

Definition sums (g k m : nat) : Prop :=
  forall i, k <= i < k + m -> F i = (if i =? k then g else e (i - 1)) + e i.

Lemma sums_later g k m : sums g k (S m) -> F k = g + e k /\ sums (e k) (S k) m.
Proof.
  intros E. split.
  - rewrite (E k) by lia. now rewrite Nat.eqb_refl.
  - intros i I. rewrite (E i) by lia. cases; subst; try lia. now replace (S k - 1) with k by lia.
Qed.

Lemma steps_from_sums m : forall g k, sums g k m ->
  steps_from g (map F (seq k m)) = Some (map e (seq k m)).
Proof.
  induction m as [|m IH]; intros g k E; auto. apply sums_later in E. destruct E as (E & L). cbn [seq map steps_from].
  replace (g <=? F k) with true by (symmetry; apply Nat.leb_le; lia).
  replace (F k - g) with (e k) by lia. now rewrite (IH _ _ L).
Qed.

Lemma alternating_sums m : forall g k, sums g k m ->
  let (a, b) := alternating (map F (seq k m)) in
  let l := match m with 0 => g | S m => e (k + m) end in
  if Nat.even m then a + l = b + g else a = b + g + l.
Proof.
  induction m as [|m IH]; intros g k E; [simpl; lia|]. cbn [seq map alternating].
  apply sums_later in E. destruct E as (E & L). specialize (IH _ _ L). destruct (alternating _) as (a & b).
  rewrite Nat.even_succ, <- Nat.negb_even. destruct m as [|m]; [cbn in *; rewrite Nat.add_0_r; lia|].
  replace (S k + m) with (k + S m) in IH by lia. destruct (Nat.even (S m)); cbn [negb] in *; lia.
Qed.

Lemma is_cut_sound f m : forall k zero cards, is_cut zero cards (map f (seq k m)) (map e (seq k m)) = true ->
  (cards = true /\ exists b, k <= b < k + m /\ e b = 0) \/
  (zero = true /\ exists i b, k <= i <= b /\ b < k + m /\ 0 < f i /\ e b = 0) \/
  (exists a i b, k <= a < i /\ i <= b < k + m /\ e a = 0 /\ 0 < f i /\ e b = 0).
Proof.
  induction m as [|m IH]; intros k zero cards C; [easy|]. cbn [seq map is_cut] in C. destruct (Nat.eqb_spec (e k) 0).
  - rewrite !orb_true_iff, andb_true_iff, Nat.ltb_lt in C. destruct C as [[C|(C & F0)]|C].
    + left. split; auto. exists k. split; auto. lia.
    + right. left. split; auto. exists k, k. repeat split; auto; lia.
    + apply IH in C. destruct C as [(C & _)|[(_ & i & b & C)|(a & i & b & C)]]; [easy| |].
      * right. right. exists k, i, b. repeat split; try tauto; lia.
      * right. right. exists a, i, b. repeat split; try tauto; lia.
  - apply IH in C. rewrite orb_true_iff, andb_true_iff, Nat.ltb_lt in C.
    destruct C as [([C|(C & F0)] & b & B)|[(C & i & b & B)|(a & i & b & B)]].
    + left. split; auto. exists b. split; [lia|tauto].
    + right. left. split; auto. exists k, b. repeat split; try tauto; lia.
    + right. left. split; auto. exists i, b. repeat split; try tauto; lia.
    + right. right. exists a, i, b. repeat split; try tauto; lia.
Qed.
End Steps.

Hypothesis odd : Nat.even n = false.

Lemma walk_has l : walk 0 l -> has_walk (map (fun i => count i l) (seq 0 n)) = true.
Proof.
  intros W. set (t := last l 0). set (e := steps 0 l). set (f := fun i => count i l).
  assert (Z : 0 < n) by lia.
  assert (T : t < n) by (apply last_in; auto).
  assert (E : forall i, i < n -> e (before i) + e i + one i t = 2 * f i + one i 0).
  { intros i I. unfold e, f, t. apply steps_ends; auto. }
  unfold has_walk. rewrite map_length, seq_length. apply existsb_exists. exists t. split; [apply in_seq; lia|].
  apply andb_true_iff. split.
  { apply orb_true_iff. destruct (Nat.eqb_spec t 0); auto. right. apply Nat.ltb_lt.
    rewrite nth_indep with (d' := f 0) by (now rewrite map_length, seq_length).
    rewrite map_nth, seq_nth by auto. specialize (E t T). unfold one in E. cases; try lia. rewrite Nat.add_0_l. lia. }
  unfold can_end. rewrite ends_map. set (F := fun i => _).
  assert (Su : sums F e (e (n - 1)) 0 n).
  { intros i I. unfold F. specialize (E i ltac:(lia)). unfold before in E. destruct (i =? 0); lia. }
  pose proof (alternating_sums F e n _ _ Su) as A. rewrite odd in A. destruct (alternating _) as (a & b).
  assert (G : (a - b) / 2 = e (n - 1)).
  { destruct n as [|m]; [lia|]. cbn [plus] in A. replace (S m - 1) with m in * by lia.
    replace (a - b) with (e m * 2) by lia. now apply Nat.div_mul. }
  rewrite G, (steps_from_sums F e _ _ _ Su). apply andb_true_iff. split.
  - apply Nat.eqb_eq. destruct n as [|m]; [lia|]. rewrite last_seq. f_equal. lia.
  - apply negb_true_iff, not_true_iff_false. intros C. apply (is_cut_sound F) in C.
    destruct C as [(C & _)|[(C & _)|(c & i & d & I & J & Ec & Fi & Ed)]]; try easy.
    assert (In i l) as Il by (apply (count_occ_In Nat.eq_dec); exact Fi).
    apply (walk_stays c d l ltac:(lia) ltac:(lia) 0 Z W ltac:(lia) Ec Ed i Il). lia.
Qed.

(** * Ranks *)

Lemma increased_map f m : forall i k, increased i (map f (seq k m)) = map (fun j => one j (i + k) + f j) (seq k m).
Proof.
  induction m as [|m IH]; intros i k; [now destruct i|]. cbn [seq map]. destruct i as [|i]; cbn [increased].
  - f_equal; [unfold one; simpl; now rewrite Nat.eqb_refl|]. apply map_ext_in. intros j J. apply in_seq in J.
    unfold one. simpl. cases; lia.
  - rewrite IH. f_equal; [unfold one; cases; simpl; auto; lia|]. apply map_ext. intros j.
    now rewrite plus_Sn_m, plus_n_Sm.
Qed.

Lemma counts_of_map h cards : counts_of h cards = map (fun i => count i (map (place h) cards)) (seq 0 n).
Proof.
  unfold counts_of. enough (G : forall f, fold_left (fun c r => increased (place h r) c) cards (map f (seq 0 n)) =
    map (fun i => count i (map (place h) cards) + f i) (seq 0 n)).
  { replace (repeat 0 n) with (map (fun _ => 0) (seq 0 n)).
    { rewrite G. apply map_ext. intros. now rewrite Nat.add_0_r. }
    clear. generalize 0 at 2 as k. induction n; simpl; intros; auto. now rewrite IHn0. }
  induction cards as [|r cards IH]; intros f; simpl; auto. rewrite increased_map, IH. apply map_ext. intros i.
  rewrite Nat.add_0_r. unfold count, one. simpl. destruct (Nat.eq_dec (place h r) i), (Nat.eqb_spec i (place h r));
    subst; try easy; lia.
Qed.

Lemma is_rank_iff r : is_rank r = true <-> 1 <= r <= n.
Proof. unfold is_rank. now rewrite andb_true_iff, !Nat.leb_le. Qed.

(* A rank beside another one, around the circle. *)
Definition adjoin (r s : nat) : Prop := r = S s \/ s = S r \/ r + 1 = s + n \/ s + 1 = r + n.

Fixpoint follow (h : nat) (l : list nat) : Prop := match l with [] => True | r :: l => adjoin r h /\ follow r l end.

Lemma follow_walk h l : 1 <= h <= n -> Forall (fun r => 1 <= r <= n) l ->
  forall s, 1 <= s <= n -> follow s l -> walk (place h s) (map (place h) l).
Proof.
  intros H F. induction F as [|r l Rr F IH]; intros s Rs A; simpl; auto. destruct A as (A & L). split; auto.
  unfold adjoin, beside, after, place in *. split; cases; lia.
Qed.

Theorem walk_found h l cards : follow h l -> Permutation l cards -> has_walk_from h cards = true.
Proof.
  intros L P. unfold has_walk_from. destruct (is_rank h && forallb is_rank cards) eqn:B; auto. simpl.
  apply andb_true_iff in B. rewrite is_rank_iff, forallb_forall in B. destruct B as (H & C).
  assert (F : Forall (fun r => 1 <= r <= n) l).
  { apply Forall_forall. intros r I. apply is_rank_iff, C. eapply Permutation_in; eauto. }
  pose proof (follow_walk h l H F h H L) as W. unfold place in W at 1. rewrite Nat.leb_refl, Nat.sub_diag in W.
  apply walk_has in W. rewrite counts_of_map. erewrite map_ext; [exact W|]. intros i. simpl. unfold count.
  apply Permutation_count_occ. apply Permutation_map. now apply Permutation_sym.
Qed.
End Circle.
