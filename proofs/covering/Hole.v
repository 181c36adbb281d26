(* Losses of games with a hole, such as TriPeaks.

   Claim ([hole_loss_sound]). If [hole_loss] says [Some number], the game cannot be won from this position. *)
Require Import List Bool Arith Lia.
Import ListNotations.
From Covering Require Import Game Moves Sweep.

Definition is_card (x : option card) : bool := match x with Some _ => true | None => false end.

(* The cards of an arrangement with their ranks, and the distances to those that cover them. *)
Fixpoint spots (i : nat) (l : list (option card)) (covers : list (list nat)) : list spot :=
  match l with
  | [] => []
  | x :: l =>
      Spot (match x with Some r => r | None => 0 end) (map (fun j => i - S j) (hd [] covers)) ::
        spots (S i) l (tl covers)
  end.

(* Each place is covered by places before it. *)
Fixpoint ordered (i : nat) (covers : list (list nat)) : bool :=
  match covers with [] => true | js :: covers => forallb (fun j => j <? i) js && ordered (S i) covers end.

Definition hole_loss (R : rules) (p : position) : option nat :=
  match moves_by R with
  | IntoHole _ =>
      if ordered 0 (covers R) then
        sweep (goes_on R) (spots 0 (places p) (covers R)) (just (map is_card (places p)) (hole p)) (stock (turning p)) 0
      else None
  | InPairs _ => None
  end.

Section Hole.
Variable R : rules.
Hypothesis no_pairs : ~ pairs R.
Hypothesis in_order : ordered 0 (covers R) = true.

(* Places as they were at the start, [l], and as they are now, [m]: some of their cards are gone. *)
Definition fewer (x y : option card) : Prop := y = None \/ y = x.

Lemma spots_length l : forall i cs, length (spots i l cs) = length l.
Proof. induction l; simpl; auto. Qed.

Lemma ordered_nth cs : forall i k j, ordered i cs = true -> In j (nth k cs []) -> j < i + k.
Proof.
  induction cs as [|js cs IH]; intros i k j O I; [now destruct k|].
  simpl in O. apply andb_true_iff in O. destruct O as (F & O). destruct k as [|k]; simpl in I.
  - rewrite forallb_forall in F. apply F, Nat.ltb_lt in I. lia.
  - specialize (IH _ _ _ O I). lia.
Qed.

Lemma nth_tl (cs : list (list nat)) k : nth k (tl cs) [] = nth (S k) cs [].
Proof. destruct cs; auto. now destruct k. Qed.

(* A card after others: [before] are the places before it, in order. *)
Lemma take_at l : forall i cs before x after h,
  Forall2 fewer l (before ++ Some x :: after) -> goes_on R x h = true ->
  forall marks, length marks = i ->
  is_free (Spot x (map (fun j => i + length before - S j) (nth (length before) cs [])))
    (rev (map is_card before) ++ marks) = true ->
  take (goes_on R) (spots i l cs) marks
    (map is_card (before ++ Some x :: after)) h (map is_card (before ++ None :: after)) x.
Proof.
  induction l as [|y l IH]; intros i cs before x after h F G marks L Fr; [inversion F; now destruct before|].
  destruct before as [|z before]; inversion F as [|? ? ? ? [E|E] F']; subst; simpl in *.
  - easy.
  - apply (take_this _ (Spot x _)); auto. simpl in *. rewrite Nat.add_0_r in Fr. now destruct cs.
  - apply take_later. apply IH; auto. rewrite <- app_assoc in Fr. now rewrite nth_tl, plus_Sn_m, plus_n_Sm.
  - apply take_later. apply IH; auto. rewrite <- app_assoc in Fr. now rewrite nth_tl, plus_Sn_m, plus_n_Sm.
Qed.

Lemma take_free l before x after h :
  Forall2 fewer l (before ++ Some x :: after) -> free R (before ++ Some x :: after) (length before) ->
  goes_on R x h = true ->
  take (goes_on R) (spots 0 l (covers R)) [] (map is_card (before ++ Some x :: after)) h
    (map is_card (before ++ None :: after)) x.
Proof.
  intros F Fr G. apply take_at; auto. unfold is_free. apply forallb_forall. simpl. rewrite app_nil_r.
  intros d I. apply in_map_iff in I. destruct I as (j & <- & I).
  assert (J := ordered_nth _ _ _ _ in_order I). simpl in J. specialize (Fr j I).
  rewrite rev_nth by (rewrite map_length; lia). rewrite map_length.
  replace (length before - S (length before - S j)) with j by lia.
  change false with (is_card None). rewrite map_nth. destruct (nth j before None) as [y|] eqn:E; auto.
  exfalso. apply (Fr y). rewrite nth_error_app1 by lia. now rewrite (nth_error_nth' _ None), E by lia.
Qed.

Lemma fewer_gap l before x after : Forall2 fewer l (before ++ x :: after) -> Forall2 fewer l (before ++ None :: after).
Proof.
  revert before. induction l as [|y l IH]; intros before F; [inversion F; now destruct before|].
  destruct before as [|z before]; inversion F; subst; constructor; auto. now left.
Qed.

Lemma reach_play l p q : reach R p q -> Forall2 fewer l (places p) ->
  exists rest, play (goes_on R) (spots 0 l (covers R))
    (map is_card (places p)) (stock (turning p)) (hole p) (map is_card (places q)) rest (hole q).
Proof.
  intros Re. induction Re as [p | p q r M Re IH]; intros F.
  - exists (stock (turning p)). constructor.
  - destruct M; try (now destruct no_pairs).
    + inversion H0; subst; simpl in *. rewrite H2 in *. assert (F' := fewer_gap _ _ _ _ F).
      destruct (IH F') as (rest & P). exists rest. eapply play_card; eauto.
      apply take_free; auto. now apply goes_on_iff.
    + rewrite H0. simpl in *. destruct (IH F) as (rest & P). exists rest. now apply play_stock.
Qed.

Lemma won_cleared p : won R p -> Forall (eq false) (map is_card (places p)).
Proof. intros (W & _). induction W; simpl; constructor; auto. now subst. Qed.

Lemma fewer_itself l : Forall2 fewer l l.
Proof. induction l; constructor; auto. now right. Qed.

End Hole.

Theorem hole_loss_sound R p number : hole_loss R p = Some number -> ~ winnable R p.
Proof.
  unfold hole_loss. destruct (moves_by R) eqn:B; [|easy]. destruct (ordered 0 (covers R)) eqn:O; [|easy].
  assert (N : ~ pairs R) by (intros (overlap & E); congruence).
  intros S (q & Re & W). destruct (reach_play R N O _ _ _ Re (fewer_itself _)) as (rest & P).
  assert (L : length (map is_card (places p)) = length (spots 0 (places p) (covers R)))
    by now rewrite spots_length, map_length.
  exact (sweep_from _ _ _ _ _ _ L S _ _ _ P (won_cleared _ _ W)).
Qed.
