(* Lists of cards: which are live, and what remains of a list without the absent ones. Nothing here is particular
   to patiences. *)
Require Import List Bool Arith Lia Permutation.
Import ListNotations.
From Patience Require Import Game.

Lemma same_card_iff x y : same_card x y = true <-> x = y.
Proof.
  unfold same_card, same_suit. destruct x as [r s], y as [r' s']. simpl. rewrite andb_true_iff, Nat.eqb_eq.
  split; [intros (-> & H)|intros H; inversion H; split; auto]; destruct s, s'; easy.
Qed.

Definition card_eq (x y : card) : {x = y} + {x <> y}.
Proof. repeat decide equality. Defined.

Lemma member_iff x l : member x l = true <-> In x l.
Proof.
  unfold member. rewrite existsb_exists. split.
  - intros (y & I & E). apply same_card_iff in E. now subst.
  - intros I. exists x. split; auto. now apply same_card_iff.
Qed.

Lemma not_member_iff x l : negb (member x l) = true <-> ~ In x l.
Proof. now rewrite negb_true_iff, <- not_true_iff_false, member_iff. Qed.

Definition is_live (absent : list card) (x : card) : bool := negb (member x absent).
Notation live absent := (filter (is_live absent)).

Lemma live_iff absent x : is_live absent x = true <-> ~ In x absent.
Proof. apply not_member_iff. Qed.

Lemma absent_iff absent x : is_live absent x = false <-> In x absent.
Proof. unfold is_live. now rewrite negb_false_iff, member_iff. Qed.

Lemma live_or_absent absent (x : card) : ~ In x absent \/ In x absent.
Proof. destruct (is_live absent x) eqn:E; [left; now apply live_iff | right; now apply absent_iff]. Qed.

Lemma live_all absent (l : list card) : (forall x, In x l -> ~ In x absent) -> live absent l = l.
Proof.
  induction l as [|x l IH]; simpl; auto. intros H. rewrite IH by auto.
  replace (is_live absent x) with true; auto. symmetry. apply live_iff. auto.
Qed.

Lemma live_nil l : live [] l = l.
Proof. apply live_all. auto. Qed.

Lemma live_rev absent l : live absent (rev l) = rev (live absent l).
Proof.
  induction l as [|x l IH]; simpl; auto. rewrite filter_app, IH. simpl.
  destruct (is_live absent x); simpl; auto. now rewrite app_nil_r.
Qed.

Lemma live_live absent more (l : list card) : incl absent more -> live more (live absent l) = live more l.
Proof.
  intros H. induction l as [|x l IH]; simpl; auto.
  destruct (is_live absent x) eqn:E; simpl; rewrite IH; auto.
  apply absent_iff, H, absent_iff in E. now rewrite E.
Qed.

Lemma live_length absent l : length (live absent l) <= length l.
Proof. induction l; simpl; auto. destruct (is_live absent a); simpl; lia. Qed.

Lemma live_permutation absent l m : Permutation l m -> Permutation (live absent l) (live absent m).
Proof.
  induction 1; simpl; auto.
  - destruct (is_live absent x); auto.
  - destruct (is_live absent x), (is_live absent y); auto. apply perm_swap.
  - eauto using Permutation_trans.
Qed.

Lemma map_live_live absent more cs : incl absent more -> map (live more) (map (live absent) cs) = map (live more) cs.
Proof. intros H. rewrite map_map. apply map_ext. intros l. now apply live_live. Qed.

(* Permutations, when the place in a list counts on one side. *)
Lemma permutation_split {A} (l : list A) x m : Permutation l (x :: m) -> exists a b, l = a ++ x :: b /\
  Permutation (a ++ b) m.
Proof.
  intros P. assert (I : In x l) by (rewrite P; now left). apply in_split in I. destruct I as (a & b & ->).
  exists a, b. split; auto. rewrite <- Permutation_middle in P. now apply Permutation_cons_inv in P.
Qed.

Lemma nodup_right {A} (l m : list A) : NoDup (l ++ m) -> NoDup m.
Proof. induction l; simpl; auto. intros N. apply NoDup_cons_iff in N. tauto. Qed.

Lemma nodup_left {A} (l m : list A) : NoDup (l ++ m) -> NoDup l.
Proof. intros N. apply (Permutation_NoDup (Permutation_app_comm l m)) in N. now apply nodup_right in N. Qed.
