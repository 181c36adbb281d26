(* A program that plays moves to their end accepts only positions that can be won. *)
Require Import List Arith Bool Lia.
Import ListNotations.
From CardPairing Require Import Game.

(* All cards of a stack but the top one, and its rank. *)
Definition split_top (stack : list nat) : option (list nat * nat) :=
  match rev stack with [] => None | rank :: below => Some (rev below, rank) end.

(* The stacks before number n, that stack, and those after it. *)
Definition split_at (n : nat) (p : position) : option (position * list nat * position) :=
  match skipn n p with [] => None | stack :: after => Some (firstn n p, stack, after) end.

(* The position without the top cards of the stacks m and n, if they have the same rank. *)
Definition remove (m n : nat) (p : position) : option position :=
  let (first, second) := if m <? n then (m, n) else (n, m) in
  match split_at first p with
  | None => None
  | Some (before, a, others) =>
    match split_at (second - first - 1) others, split_top a with
    | Some (middle, b, after), Some (a, rank) =>
      match split_top b with
      | Some (b, same) =>
        if (first <? second) && (rank =? same) then Some (before ++ a :: middle ++ b :: after) else None
      | None => None
      end
    | _, _ => None
    end
  end.

Fixpoint check_win (p : position) (moves : list (nat * nat)) : bool :=
  match moves with
  | [] => forallb (fun stack => match stack with [] => true | _ => false end) p
  | (m, n) :: moves => match remove m n p with Some q => check_win q moves | None => false end
  end.

Lemma split_top_spec stack below rank : split_top stack = Some (below, rank) -> stack = below ++ [rank].
Proof.
  unfold split_top. destruct (rev stack) as [|r l] eqn:E; intros H; inversion H; subst.
  rewrite <- (rev_involutive stack), E. reflexivity.
Qed.

Lemma split_at_spec n p before stack after : split_at n p = Some (before, stack, after) -> p = before ++ stack :: after.
Proof.
  unfold split_at. destruct (skipn n p) as [|s r] eqn:E; intros H; inversion H; subst.
  now rewrite <- E, firstn_skipn.
Qed.

Lemma remove_sound m n p q : remove m n p = Some q -> move p q.
Proof.
  unfold remove. destruct (if m <? n then (m, n) else (n, m)) as (first, second).
  destruct (split_at first p) as [((before, a), others)|] eqn:A; [|discriminate].
  destruct (split_at _ others) as [((middle, b), after)|] eqn:B; [|discriminate].
  destruct (split_top a) as [(a', rank)|] eqn:C; [|discriminate].
  destruct (split_top b) as [(b', same)|] eqn:D; [|discriminate].
  destruct ((first <? second) && (rank =? same)) eqn:E; intros H; inversion H; subst; clear H.
  apply andb_true_iff in E as (_ & E). apply Nat.eqb_eq in E. subst same.
  apply split_at_spec in A, B. apply split_top_spec in C, D. subst. constructor.
Qed.

Theorem check_win_sound moves : forall p, check_win p moves = true -> winnable p.
Proof.
  induction moves as [|(m, n) moves IH]; simpl; intros p H.
  - apply winnable_now. intros stack I. rewrite forallb_forall in H. apply H in I. now destruct stack.
  - destruct (remove m n p) as [q|] eqn:R; [|discriminate].
    apply (winnable_after _ q); auto. eapply remove_sound; eauto.
Qed.
