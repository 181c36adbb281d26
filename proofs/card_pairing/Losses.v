(* A program that checks the proof of a loss, step by step, accepts no position that can be won.

   A table has, for each card, the cards that can be its mate; steps make these lists shorter. Lists of ranks and lemmas
   with hints, as docs/proofs/card-pairing.md explains them, are both written as such steps (elaboration.ml). How the
   steps have been found does not matter here. *)
Require Import List Arith Lia Bool.
Import ListNotations.
From CardPairing Require Import Game Schedule.

(** * Steps *)

(* Two cards leave together, or they do not. *)
Record literal := Literal { positive : bool; first : card; second : card }.

(* One of these is true. *)
Definition lemma := list literal.

(* Steps up to the next contradiction prove a lemma, or at last the loss. *)
Inductive step :=
| Suppose (l : lemma)        (* To prove this lemma, assume that all its literals are false. *)
| Mate (x y : card)          (* No other card than y can be the mate of x, so it is. *)
| Apply (n i : nat)          (* All literals of lemma n are false but number i, which is true. The latest lemma is 0. *)
| Alone (x : card)           (* No card can be the mate of x: a contradiction. *)
| Jam (upwards : bool) (barrier : list card).
  (* None of these cards can be the first of them to leave, or if [upwards], the last: a contradiction. *)

(** * The program *)

Definition member (x : card) (l : list card) : bool := existsb (same_card x) l.

Definition table := list (list (list card)).

Definition cards (p : position) : list card :=
  flat_map (fun s => map (pair s) (seq 0 (length (nth s p [])))) (seq 0 (length p)).

Definition of_rank (p : position) (rank : nat) : list card :=
  filter (fun x => match entry x p with Some r => r =? rank | None => false end) (cards p).

(* At the start, all cards of a rank can be mates of each other. *)
Definition initial (p : position) : table := map (map (of_rank p)) p.

(* The cards that can be the mate of x. *)
Definition possible (t : table) (x : card) : option (list card) :=
  let can_leave_with y :=
    negb (same_card y x) && match entry y t with Some others => member x others | None => false end in
  option_map (filter can_leave_with) (entry x t).

Fixpoint change {A} (f : A -> A) (n : nat) (l : list A) : list A :=
  match l, n with
  | [], _ => []
  | a :: l, 0 => f a :: l
  | a :: l, S n => a :: change f n l
  end.

Definition narrow (x : card) (keep : card -> bool) (t : table) : table :=
  change (change (filter keep) (snd x)) (fst x) t.

Definition assume (l : literal) (t : table) : table :=
  let keep y z := if positive l then same_card y z else negb (same_card y z) in
  narrow (first l) (keep (second l)) (narrow (second l) (keep (first l)) t).

Definition negated (l : literal) : literal := Literal (negb (positive l)) (first l) (second l).

Definition is_false (t : table) (l : literal) : bool :=
  match possible t (first l), positive l with
  | Some mates, true => negb (member (second l) mates)
  | Some [y], false => same_card (second l) y
  | _, _ => false
  end.

Definition jams (upwards : bool) (barrier : list card) (t : table) : bool :=
  let waits y := existsb (fun z => if upwards then above y z else above z y) barrier in
  let stays x := match possible t x with Some mates => forallb waits mates | None => false end in
  match barrier with [] => false | _ => forallb stays barrier end.

(* What is known: the possible mates, and the lemmas, the latest first. *)
Record knowledge := Knowledge { mates : table; lemmas : list lemma }.

Inductive conclusion := Contradiction | Known (t : table) | Nothing.

Definition conclude (s : step) (k : knowledge) : conclusion :=
  match s with
  | Suppose _ => Nothing
  | Mate x y =>
    match possible (mates k) x with
    | Some l => if forallb (same_card y) l then Known (assume (Literal true x y) (mates k)) else Nothing
    | None => Nothing
    end
  | Apply n i =>
    match nth_error (lemmas k) n with
    | Some l =>
      match firstn i l, skipn i l with
      | others, literal :: more =>
        if forallb (is_false (mates k)) (others ++ more) then Known (assume literal (mates k)) else Nothing
      | _, [] => Nothing
      end
    | None => Nothing
    end
  | Alone x => match possible (mates k) x with Some [] => Contradiction | _ => Nothing end
  | Jam upwards barrier => if jams upwards barrier (mates k) then Contradiction else Nothing
  end.

(* [outer] has what was known before each lemma that is being proved, the innermost first. *)
Fixpoint check (k : knowledge) (outer : list (knowledge * lemma)) (steps : list step) : bool :=
  match steps with
  | [] => false
  | Suppose l :: steps =>
    let t := fold_left (fun t literal => assume (negated literal) t) l (mates k) in
    check (Knowledge t (lemmas k)) ((k, l) :: outer) steps
  | step :: steps =>
    match conclude step k, outer with
    | Known t, _ => check (Knowledge t (lemmas k)) outer steps
    | Contradiction, [] => true
    | Contradiction, (before, l) :: outer => check (Knowledge (mates before) (l :: lemmas before)) outer steps
    | Nothing, _ => false
    end
  end.

Definition check_loss (p : position) (steps : list step) : bool := check (Knowledge (initial p) []) [] steps.

(** * Tables *)

Lemma member_iff x l : member x l = true <-> In x l.
Proof.
  unfold member. rewrite existsb_exists. split.
  - intros (y & I & E). apply same_card_iff in E. now subst.
  - intros I. exists x. split; auto. now apply same_card_iff.
Qed.

Lemma nth_error_change {A} (f : A -> A) l : forall n m,
  nth_error (change f n l) m = if m =? n then option_map f (nth_error l m) else nth_error l m.
Proof.
  induction l as [|a l IH]; intros n m.
  - simpl. destruct m; simpl; [now destruct n|]. now destruct n; simpl; [|destruct (m =? n)].
  - destruct n, m; simpl; auto.
Qed.

Lemma entry_narrow x keep t z :
  entry z (narrow x keep t) = if same_card z x then option_map (filter keep) (entry z t) else entry z t.
Proof.
  unfold entry, narrow, same_card. rewrite nth_error_change.
  destruct (fst z =? fst x); simpl; auto. destruct (nth_error t (fst z)); simpl.
  - now rewrite nth_error_change.
  - now destruct (snd z =? snd x).
Qed.

Lemma entry_map {A B} (f : A -> B) t x : entry x (map (map f) t) = option_map f (entry x t).
Proof.
  unfold entry. rewrite nth_error_map. destruct (nth_error t (fst x)); simpl; auto. apply nth_error_map.
Qed.

Lemma cards_complete p x : is_card p x -> In x (cards p).
Proof.
  destruct x as (s, h). unfold is_card, entry, cards. simpl. intros C.
  destruct (nth_error p s) as [stack|] eqn:E; [|congruence]. apply in_flat_map. exists s. split.
  - apply in_seq. assert (s < length p) by (apply nth_error_Some; congruence). lia.
  - apply in_map. rewrite (nth_error_nth _ _ _ E). apply in_seq. apply nth_error_Some in C. lia.
Qed.

(** * Plays *)

Section Schedule.
Variables (p : position) (mate : card -> card) (time : card -> nat).
Hypothesis S : schedule p mate time.

Definition paired (x y : card) : bool := same_card (mate x) y && same_card (mate y) x.

Definition holds (l : literal) : bool := Bool.eqb (positive l) (paired (first l) (second l)).

(* The play is one of those that the table allows. *)
Definition fits (t : table) : Prop :=
  forall x, match entry x t with Some mates => is_card p x /\ In (mate x) mates | None => ~ is_card p x end.

Definition agrees (k : knowledge) : Prop :=
  fits (mates k) /\ forall l, In l (lemmas k) -> existsb holds l = true.

Lemma fits_initial : fits (initial p).
Proof.
  intros x. unfold initial. rewrite entry_map. destruct (entry x p) as [rank|] eqn:E; simpl.
  - assert (C : is_card p x) by (unfold is_card; congruence). split; auto.
    pose proof (same_rank _ _ _ S x C) as R. apply filter_In. rewrite R, E. split; [|apply Nat.eqb_refl].
    apply cards_complete. unfold is_card. congruence.
  - unfold is_card. congruence.
Qed.

Lemma paired_iff x y : is_card p x -> paired x y = true <-> mate x = y.
Proof.
  intros C. unfold paired. rewrite andb_true_iff, !same_card_iff. split; [tauto|]. intros <-. split; auto.
  now apply (mutual _ _ _ S).
Qed.

Lemma paired_symmetric x y : paired x y = paired y x.
Proof. apply andb_comm. Qed.

Lemma possible_complete t x l : fits t -> possible t x = Some l -> is_card p x /\ In (mate x) l.
Proof.
  intros F H. unfold possible in H. pose proof (F x) as Fx. destruct (entry x t) as [ms|]; inversion H; clear H.
  destruct Fx as (C & I). split; auto. apply filter_In. split; auto. apply andb_true_iff. split.
  - apply negb_true_iff, not_true_iff_false. rewrite same_card_iff. now apply (not_itself _ _ _ S).
  - pose proof (F (mate x)) as Fm. destruct (entry (mate x) t).
    + apply member_iff. rewrite <- (mutual _ _ _ S x C) at 1. tauto.
    + exfalso. apply Fm. unfold is_card. now rewrite (same_rank _ _ _ S x C).
Qed.

Lemma fits_narrow x keep t : fits t -> (is_card p x -> keep (mate x) = true) -> fits (narrow x keep t).
Proof.
  intros F K z. rewrite entry_narrow. pose proof (F z) as Fz.
  destruct (same_card_spec z x) as [->|]; auto. destruct (entry x t); simpl; auto.
  destruct Fz. split; auto. apply filter_In. auto.
Qed.

Lemma fits_assume l t : holds l = true -> fits t -> fits (assume l t).
Proof.
  destruct l as [pos x y]. intros H F. apply eqb_prop in H. simpl in H.
  assert (K : forall a b, paired a b = pos -> is_card p a ->
    (if pos then same_card b (mate a) else negb (same_card b (mate a))) = true).
  { intros a b P C. pose proof (paired_iff a b C) as I. destruct pos.
    - apply same_card_iff. symmetry. tauto.
    - apply negb_true_iff, not_true_iff_false. rewrite same_card_iff.
      intros E. symmetry in E. apply I in E. congruence. }
  unfold assume. simpl. repeat apply fits_narrow; auto. intros C. apply K; auto. now rewrite paired_symmetric.
Qed.

Lemma is_false_sound t l : fits t -> is_false t l = true -> holds l = false.
Proof.
  unfold is_false, holds. intros F H. destruct (possible t (first l)) as [ms|] eqn:P; [|discriminate].
  apply possible_complete in P as (C & I); auto. pose proof (paired_iff _ (second l) C) as E.
  destruct (positive l).
  - assert (N : member (second l) ms = false) by (apply negb_true_iff; now destruct ms as [|? [|]]).
    rewrite <- not_true_iff_false, member_iff in N.
    destruct (paired _ _); auto. exfalso. apply N. now rewrite <- (proj1 E eq_refl).
  - destruct ms as [|y [|]]; try discriminate. apply same_card_iff in H. destruct I as [I|[]].
    rewrite (proj2 E); auto. congruence.
Qed.

(* One of the cards is the first to leave, and one is the last. *)
Lemma least (f : card -> nat) l : l <> [] -> exists x, In x l /\ forall y, In y l -> f x <= f y.
Proof.
  induction l as [|a l IH]; [congruence|]. intros _. destruct l as [|b l].
  - exists a. split; [now left|]. intros y [<-|[]]. auto.
  - destruct IH as (x & I & L); [easy|]. destruct (Nat.le_ge_cases (f a) (f x)) as [G|G].
    + exists a. split; [now left|]. intros y [<-|J]; auto. apply L in J. lia.
    + exists x. split; [now right|]. intros y [<-|J]; auto.
Qed.

Lemma most (f : card -> nat) l : l <> [] -> exists x, In x l /\ forall y, In y l -> f y <= f x.
Proof.
  induction l as [|a l IH]; [congruence|]. intros _. destruct l as [|b l].
  - exists a. split; [now left|]. intros y [<-|[]]. auto.
  - destruct IH as (x & I & L); [easy|]. destruct (Nat.le_ge_cases (f x) (f a)) as [G|G].
    + exists a. split; [now left|]. intros y [<-|J]; auto. apply L in J. lia.
    + exists x. split; [now right|]. intros y [<-|J]; auto.
Qed.

Lemma jams_sound upwards barrier t : jams upwards barrier t = true -> ~ fits t.
Proof.
  intros J F. unfold jams in J. destruct barrier as [|b bs] eqn:B; [discriminate|]. rewrite <- B in *.
  assert (N : barrier <> []) by congruence. clear B. rewrite forallb_forall in J.
  assert (W : forall x, In x barrier -> is_card p x /\
    exists z, In z barrier /\ (if upwards then above (mate x) z else above z (mate x)) = true).
  { intros x I. apply J in I. destruct (possible t x) as [ms|] eqn:P; [|discriminate].
    apply possible_complete in P as (C & M); auto. split; auto. rewrite forallb_forall in I. apply I in M.
    apply existsb_exists in M as (z & M & A). now exists z. }
  assert (M : forall x, is_card p x -> is_card p (mate x)).
  { intros x C. unfold is_card. now rewrite (same_rank _ _ _ S x C). }
  destruct upwards.
  - destruct (most time barrier N) as (x & I & L). destruct (W x I) as (C & z & Iz & A).
    apply L in Iz as Lz. destruct (W z Iz) as (Cz & _). apply (in_order _ _ _ S) in A; auto.
    rewrite (together _ _ _ S x C) in A. lia.
  - destruct (least time barrier N) as (x & I & L). destruct (W x I) as (C & z & Iz & A).
    apply L in Iz as Lz. destruct (W z Iz) as (Cz & _). apply (in_order _ _ _ S) in A; auto.
    rewrite (together _ _ _ S x C) in A. lia.
Qed.

Lemma conclude_sound s k : agrees k ->
  match conclude s k with Contradiction => False | Known t => fits t | Nothing => True end.
Proof.
  intros (F & L). destruct s as [l | x y | n i | x | upwards barrier]; simpl; auto.
  - destruct (possible (mates k) x) as [l|] eqn:P; auto. apply possible_complete in P as (C & I); auto.
    destruct (forallb (same_card y) l) eqn:A; auto. rewrite forallb_forall in A. apply A, same_card_iff in I.
    apply fits_assume; auto. unfold holds. simpl. now rewrite (proj2 (paired_iff x y C)).
  - destruct (nth_error (lemmas k) n) as [l|] eqn:E; auto. apply nth_error_In, L in E.
    rewrite <- (firstn_skipn i l), existsb_app in E. destruct (skipn i l) as [|literal more]; auto.
    destruct (forallb _ _) eqn:A; auto. rewrite forallb_forall in A. apply fits_assume; auto.
    assert (N : forall m, incl m (firstn i l ++ more) -> existsb holds m = false).
    { intros m I. apply not_true_iff_false. rewrite existsb_exists. intros (lit & J & H).
      apply I, A, is_false_sound in J; auto. congruence. }
    simpl in E. rewrite N, (N more), orb_false_r in E; auto; [apply incl_appr | apply incl_appl]; apply incl_refl.
  - destruct (possible (mates k) x) as [[|]|] eqn:P; auto. now apply possible_complete in P as (_ & []).
  - destruct (jams upwards barrier (mates k)) eqn:J; auto. now apply jams_sound in J.
Qed.

(* What is known agrees with the play, if what was known before each assumption does, and the assumptions do. *)
Fixpoint follows (k : knowledge) (outer : list (knowledge * lemma)) : Prop :=
  match outer with
  | [] => agrees k
  | (before, l) :: outer => follows before outer /\ (agrees before -> existsb holds l = false -> agrees k)
  end.

Lemma follows_more k k' outer : (agrees k -> agrees k') -> follows k outer -> follows k' outer.
Proof. destruct outer as [|(before, l) outer]; simpl; tauto. Qed.

Lemma agrees_suppose l : forall t ls, existsb holds l = false -> agrees (Knowledge t ls) ->
  agrees (Knowledge (fold_left (fun t literal => assume (negated literal) t) l t) ls).
Proof.
  induction l as [|lit l IH]; simpl; auto. intros t ls H A. apply orb_false_iff in H as (H & H').
  apply IH; auto. destruct A as (F & L). split; auto. simpl in *. apply fits_assume; auto.
  unfold holds in *. simpl. destruct (positive lit), (paired _ _); auto.
Qed.

Lemma check_refutes steps : forall k outer, check k outer steps = true -> ~ follows k outer.
Proof.
  induction steps as [|s steps IH]; intros k outer H V; [discriminate|].
  assert (G : match conclude s k, outer with
    | Known t, _ => check (Knowledge t (lemmas k)) outer steps
    | Contradiction, [] => true
    | Contradiction, (before, l) :: outer => check (Knowledge (mates before) (l :: lemmas before)) outer steps
    | Nothing, _ => false
    end = true -> False).
  { clear H. pose proof (conclude_sound s k) as C. destruct (conclude s k) as [|t|]; [| |discriminate].
    - destruct outer as [|(before, l) outer]; [auto|]. intros H. destruct V as (V & A).
      apply IH in H. apply H, (follows_more before); auto. intros B. destruct B as (F & L). split; auto. simpl.
      intros m [<-|I]; auto. destruct (existsb holds l) eqn:E; auto. exfalso. apply C, A; auto. now split.
    - intros H. apply IH in H. apply H, (follows_more k); auto. intros A. split; [auto|apply A]. }
  destruct s as [l| | | |]; auto. apply IH in H. apply H. split; auto.
  intros A E. now apply agrees_suppose.
Qed.
End Schedule.

Theorem check_loss_sound p steps : check_loss p steps = true -> ~ winnable p.
Proof.
  intros H W. apply winnable_schedule in W as (mate & time & S).
  apply (check_refutes p mate time S) in H. apply H. split; [now apply (fits_initial p mate time) | intros l []].
Qed.
