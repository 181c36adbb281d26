(* A program that lists all moves.

   Claim ([moves_iff]). [moves] lists exactly the positions after a move. *)
Require Import List Bool Arith Lia.
Import ListNotations.
From Covering Require Import Game.

Section Moves.
Variable R : rules.

(** * Conditions *)

Definition gap (l : list (option card)) (i : nat) : bool :=
  match nth_error l i with Some (Some _) => false | _ => true end.

Definition is_uncovered (l : list (option card)) (i : nat) : bool := forallb (gap l) (nth i (covers R) []).

Definition is_free_with (l : list (option card)) (i k : nat) : bool :=
  match moves_by R with
  | InPairs true => forallb (fun j => (j =? k) || gap l j) (nth i (covers R) [])
  | _ => false
  end.

Definition are_free (l : list (option card)) (i j : nat) : bool :=
  if is_uncovered l i then is_uncovered l j || is_free_with l j i else is_uncovered l j && is_free_with l i j.

Definition goes_on (r s : card) : bool :=
  (r =? S s) || (s =? S r) ||
  match moves_by R with IntoHole true => (r =? 1) && (s =? king) || (r =? king) && (s =? 1) | _ => false end.

Lemma gap_iff l i : gap l i = true <-> is_gap l i.
Proof.
  unfold gap, is_gap. destruct (nth_error l i) as [[x|]|]; split; try easy. intros H. now destruct (H x).
Qed.

Lemma is_uncovered_iff l i : is_uncovered l i = true <-> free R l i.
Proof. unfold is_uncovered, free. rewrite forallb_forall. split; intros H j I; apply gap_iff; auto. Qed.

Lemma is_free_with_iff l i k : is_free_with l i k = true <-> free_with R l i k.
Proof.
  unfold is_free_with, free_with. destruct (moves_by R) as [|[]]; try (split; [easy | now intros (E & _)]).
  rewrite forallb_forall. split; [intros H; split; auto; intros j I | intros (_ & H) j I]; specialize (H j I).
  - apply orb_true_iff in H. rewrite Nat.eqb_eq, gap_iff in H. auto.
  - apply orb_true_iff. rewrite Nat.eqb_eq, gap_iff. auto.
Qed.

Lemma are_free_iff l i j : are_free l i j = true <->
  (free R l i /\ free R l j) \/ (free R l i /\ free_with R l j i) \/ (free R l j /\ free_with R l i j).
Proof.
  unfold are_free. rewrite <- !is_uncovered_iff, <- !is_free_with_iff.
  destruct (is_uncovered l i), (is_uncovered l j), (is_free_with l j i), (is_free_with l i j); simpl; intuition easy.
Qed.

Lemma goes_on_iff r s : goes_on r s = true <-> neighbours R r s.
Proof.
  unfold goes_on, neighbours. rewrite !orb_true_iff, !Nat.eqb_eq.
  destruct (moves_by R) as [[]|]; rewrite ?orb_true_iff, ?andb_true_iff, ?Nat.eqb_eq; intuition easy.
Qed.

(** * Moves *)

(* All cards, each with what is before it and after it. *)
Fixpoint splits (l : list (option card)) : list (list (option card) * card * list (option card)) :=
  match l with
  | [] => []
  | y :: l =>
      let later := map (fun '(before, x, after) => (y :: before, x, after)) (splits l) in
      match y with Some x => ([], x, l) :: later | None => later end
  end.

Definition with_places (p : position) (l : list (option card)) : position := Position l (turning p) (hole p).

Definition lifts (p : position) : list (card * position) :=
  flat_map (fun '(before, x, after) =>
    if is_uncovered (places p) (length before) then [(x, with_places p (before ++ None :: after))] else [])
  (splits (places p)).

Definition lifts_of_two (p : position) : list position :=
  flat_map (fun '(before, x, rest) =>
    flat_map (fun '(between, y, after) =>
      if (x + y =? king) && are_free (places p) (length before) (S (length before + length between))
      then [with_places p (before ++ None :: between ++ None :: after)] else [])
    (splits rest))
  (splits (places p)).

Definition draws (t : talon) : list (card * talon) :=
  match waste t with x :: wa => [(x, Talon (stock t) wa (passes t))] | [] => [] end ++
  match stock t with x :: st => if playable R then [(x, Talon st (waste t) (passes t))] else [] | [] => [] end.

Definition next_turn (t : talon) : option talon :=
  match stock t with
  | x :: st => Some (Talon st (x :: waste t) (passes t))
  | [] =>
      if unlimited R then Some (Talon (rev (waste t)) [] (passes t))
      else match passes t with S n => Some (Talon (rev (waste t)) [] n) | 0 => None end
  end.

Definition moves_into_hole (p : position) : list position :=
  flat_map (fun '(x, q) => if goes_on x (hole p) then [Position (places q) (turning q) x] else []) (lifts p) ++
  match turning p with
  | Talon (x :: st) wa n => [Position (places p) (Talon st wa n) x]
  | _ => []
  end.

Definition moves_in_pairs (p : position) : list position :=
  flat_map (fun '(x, q) => if x =? king then [q] else []) (lifts p) ++
  lifts_of_two p ++
  flat_map (fun '(x, q) =>
    flat_map (fun '(y, t) => if x + y =? king then [with_turning q t] else []) (draws (turning p))) (lifts p) ++
  flat_map (fun '(x, t) => if x =? king then [with_turning p t] else []) (draws (turning p)) ++
  match turning p with
  | Talon (x :: st) (y :: wa) n => if playable R && (x + y =? king) then [with_turning p (Talon st wa n)] else []
  | _ => []
  end ++
  match next_turn (turning p) with Some t => [with_turning p t] | None => [] end.

Definition moves (p : position) : list position :=
  match moves_by R with IntoHole _ => moves_into_hole p | InPairs _ => moves_in_pairs p end.

Lemma splits_iff l : forall before x after, In (before, x, after) (splits l) <-> l = before ++ Some x :: after.
Proof.
  induction l as [|y l IH]; intros before x after; simpl.
  - split; [easy | now destruct before].
  - assert (H : In (before, x, after) (map (fun '(before, x, after) => (y :: before, x, after)) (splits l)) <->
      exists b, before = y :: b /\ l = b ++ Some x :: after).
    { rewrite in_map_iff. split.
      - intros (((b & z) & a) & E & I). injection E as <- <- <-. exists b. split; auto. now apply IH.
      - intros (b & -> & E). exists (b, x, after). split; auto. now apply IH. }
    destruct y as [y|]; simpl; rewrite H; split.
    + intros [E | (b & -> & ->)]; auto. injection E as <- <- <-. auto.
    + destruct before as [|z b]; intros E; injection E as E1 E2; subst; eauto.
    + intros (b & -> & ->); auto.
    + destruct before as [|z b]; intros E; injection E as E1 E2; subst; eauto. easy.
Qed.

Lemma lifts_iff p x q : In (x, q) (lifts p) <-> lift R p x q.
Proof.
  unfold lifts. rewrite in_flat_map. split.
  - intros (((b & y) & a) & I & H). apply splits_iff in I.
    destruct (is_uncovered _ _) eqn:F; [|easy]. destruct H as [E|[]]. injection E as <- <-.
    apply lift_card; auto. now apply is_uncovered_iff.
  - intros L. inversion L as [b a E F]; subst. exists (b, x, a). rewrite splits_iff. split; auto.
    apply is_uncovered_iff in F. rewrite F. now left.
Qed.

Lemma lifts_of_two_iff p q : In q (lifts_of_two p) <-> exists x y, x + y = king /\ lift_two R p x y q.
Proof.
  unfold lifts_of_two. rewrite in_flat_map. split.
  - intros (((b & x) & rest) & I & H). apply in_flat_map in H. destruct H as (((m & y) & a) & J & H).
    apply splits_iff in I, J. subst rest. destruct (_ && _) eqn:E; [|easy]. destruct H as [<-|[]].
    apply andb_true_iff in E. destruct E as (E & F). apply Nat.eqb_eq in E. apply are_free_iff in F.
    exists x, y. split; auto. now apply lift_cards.
  - intros (x & y & E & L). inversion L as [b m a i j Ep F]; subst. exists (b, x, m ++ Some y :: a).
    rewrite splits_iff. split; auto. apply in_flat_map. exists (m, y, a). rewrite splits_iff. split; auto.
    apply are_free_iff in F. unfold i, j in F. rewrite F. apply Nat.eqb_eq in E. rewrite E. now left.
Qed.

Lemma draws_iff t x u : In (x, u) (draws t) <-> draw R t x u.
Proof.
  destruct t as [st wa n]. unfold draws. simpl. rewrite in_app_iff. split.
  - intros [H|H].
    + destruct wa; [easy|]. destruct H as [E|[]]. injection E as <- <-. constructor.
    + destruct st; [easy|]. destruct (playable R) eqn:P; [|easy]. destruct H as [E|[]]. injection E as <- <-.
      now constructor.
  - intros D. inversion D as [|? ? ? ? P]; subst; simpl; auto. right. rewrite P. now left.
Qed.

Lemma next_turn_iff t u : next_turn t = Some u <-> turn R t u.
Proof.
  destruct t as [st wa n]. unfold next_turn. simpl. split.
  - destruct st as [|x st].
    + destruct (unlimited R) eqn:U; [|destruct n; [easy|]]; intros E; injection E as <-; constructor; now rewrite U.
    + intros E. injection E as <-. constructor.
  - intros T. inversion T; subst; auto. destruct (unlimited R); now subst.
Qed.

Lemma singleton_iff {A} (b : bool) (x y : A) : In x (if b then [y] else []) <-> b = true /\ x = y.
Proof. destruct b; simpl; intuition easy. Qed.

Lemma moves_into_hole_iff p q : (exists wrap, moves_by R = IntoHole wrap) -> In q (moves_into_hole p) <-> move R p q.
Proof.
  intros (wrap & B). assert (N : ~ pairs R) by (intros (o & E); congruence).
  unfold moves_into_hole. rewrite in_app_iff, in_flat_map. split.
  - intros [((x & r) & I & H) | H].
    + apply singleton_iff in H. destruct H as (G & ->). apply lifts_iff in I. apply goes_on_iff in G. econstructor; eauto.
    + destruct (turning p) as [[|x st] wa n] eqn:E; [easy|]. destruct H as [<-|[]]. now constructor.
  - intros M. destruct M; try easy.
    + left. exists (x, q). rewrite lifts_iff, singleton_iff, goes_on_iff. auto.
    + right. rewrite H0. now left.
Qed.

Lemma moves_in_pairs_iff p q : pairs R -> In q (moves_in_pairs p) <-> move R p q.
Proof.
  intros P. unfold moves_in_pairs. rewrite !in_app_iff, !in_flat_map. split.
  - intros [((x & r) & I & H) | [H | [((x & r) & I & H) | [((x & t) & I & H) | [H | H]]]]].
    + apply singleton_iff in H. rewrite Nat.eqb_eq in H. destruct H as (-> & ->). apply lifts_iff in I. now constructor.
    + apply lifts_of_two_iff in H. destruct H as (x & y & E & L). now apply (pair_leaves _ _ x y).
    + apply in_flat_map in H. destruct H as ((y & t) & J & H). apply singleton_iff in H. rewrite Nat.eqb_eq in H.
      destruct H as (E & ->). apply lifts_iff in I. apply draws_iff in J. now apply (pair_with_drawn _ _ x y).
    + apply singleton_iff in H. rewrite Nat.eqb_eq in H. destruct H as (-> & ->). apply draws_iff in I. now constructor.
    + destruct (turning p) as [[|x st] [|y wa] n] eqn:E; try easy. apply singleton_iff in H. destruct H as (H & ->).
      apply andb_true_iff in H. rewrite Nat.eqb_eq in H. destruct H. now apply (pair_drawn _ _ x y).
    + destruct (next_turn (turning p)) as [t|] eqn:E; [|easy]. destruct H as [<-|[]]. apply next_turn_iff in E.
      now constructor.
  - intros M. destruct M; try easy.
    + left. exists (king, q). rewrite lifts_iff, singleton_iff, Nat.eqb_eq. auto.
    + right; left. apply lifts_of_two_iff. eauto.
    + right; right; left. exists (x, q). rewrite lifts_iff. split; auto. apply in_flat_map. exists (y, t).
      rewrite draws_iff, singleton_iff, Nat.eqb_eq. auto.
    + right; right; right; left. exists (king, t). rewrite draws_iff, singleton_iff, Nat.eqb_eq. auto.
    + do 4 right; left. rewrite H0. apply singleton_iff. rewrite andb_true_iff, Nat.eqb_eq. auto.
    + do 5 right. apply next_turn_iff in H0. rewrite H0. now left.
Qed.

Theorem moves_iff p q : In q (moves p) <-> move R p q.
Proof.
  unfold moves. destruct (moves_by R) as [wrap|overlap] eqn:B.
  - apply moves_into_hole_iff. eauto.
  - apply moves_in_pairs_iff. exists overlap. auto.
Qed.

End Moves.
