(* A program that plays a trace to its end accepts only decks that can be won. *)
Require Import List Arith Bool.
Import ListNotations.
From Camelot Require Import Game.

(* The next card goes to a slot; the cards in two slots leave, or the ten in one. *)
Inductive action := Deal (slot : nat) | RemoveTwo (m n : nat) | RemoveTen (slot : nat).

(* The slots before number n, its card, and the slots after it. *)
Definition split_at (n : nat) (b : board) : option (board * option card * board) :=
  match skipn n b with [] => None | x :: after => Some (firstn n b, x, after) end.

Definition allows (x slot : nat) : bool :=
  let among := existsb (Nat.eqb slot) in
  match x with
  | 11 => among [4; 7; 8; 11]
  | 12 => among [1; 2; 13; 14]
  | 13 => among [0; 3; 12; 15]
  | _ => true
  end.

Definition is_full (b : board) : bool := forallb (fun slot => match slot with Some _ => true | None => false end) b.

(* The position in which an action happens: dealing has stopped as early as it can, and starts when a card is dealt. *)
Definition ready (a : action) (p : position) : position :=
  match a, now p, deck p with
  | Deal _, Removed, _ :: _ => Position Dealing (deck p) (slots p)
  | RemoveTwo _ _, Dealing, [] | RemoveTen _, Dealing, [] => Position Removing (deck p) (slots p)
  | RemoveTwo _ _, Dealing, _ | RemoveTen _, Dealing, _ =>
    if is_full (slots p) then Position Removing (deck p) (slots p) else p
  | _, _, _ => p
  end.

Definition act (a : action) (p : position) : option position :=
  match a, now p, deck p with
  | Deal slot, Dealing, x :: rest =>
    match split_at slot (slots p) with
    | Some (before, None, after) =>
      if allows x (length before) then Some (Position Dealing rest (before ++ Some x :: after)) else None
    | _ => None
    end
  | RemoveTwo m n, (Removing | Removed), rest =>
    let (first, second) := if m <? n then (m, n) else (n, m) in
    match split_at first (slots p) with
    | Some (before, Some x, others) =>
      match split_at (second - first - 1) others with
      | Some (middle, Some y, after) =>
        if (first <? second) && (x + y =? 10)
        then Some (Position Removed rest (before ++ None :: middle ++ None :: after)) else None
      | _ => None
      end
    | _ => None
    end
  | RemoveTen slot, (Removing | Removed), rest =>
    match split_at slot (slots p) with
    | Some (before, Some x, after) =>
      if x =? 10 then Some (Position Removed rest (before ++ None :: after)) else None
    | _ => None
    end
  | _, _, _ => None
  end.

Definition is_won (p : position) : bool :=
  match now p, deck p with
  | Removed, [] => forallb (fun slot => match slot with Some x => 10 <? x | None => true end) (slots p)
  | _, _ => false
  end.

Fixpoint wins (p : position) (actions : list action) : bool :=
  match actions with
  | [] => is_won p
  | a :: actions => match act a (ready a p) with Some q => wins q actions | None => false end
  end.

Definition check_win (deck : list card) (actions : list action) : bool :=
  wins (Position Dealing deck empty_board) actions.

Lemma split_at_spec n b before x after : split_at n b = Some (before, x, after) -> b = before ++ x :: after.
Proof.
  unfold split_at. destruct (skipn n b) as [|s r] eqn:E; intros H; inversion H; subst.
  now rewrite <- E, firstn_skipn.
Qed.

Lemma allows_sound x slot : allows x slot = true -> may_lie x slot.
Proof.
  unfold allows, may_lie. do 11 (destruct x as [|x]; [easy|]).
  do 3 (destruct x as [|x]; [intros H; apply existsb_exists in H as (s & I & E); apply Nat.eqb_eq in E; now subst|]).
  easy.
Qed.

Lemma ready_reached a p : ready a p = p \/ move p (ready a p).
Proof.
  destruct p as [ph rest b]. unfold ready. simpl.
  destruct a, ph, rest; auto; try (right; now constructor); try (right; constructor; now left);
    destruct (is_full b) eqn:F; auto; right; constructor; right; intros I; unfold is_full in F;
    rewrite forallb_forall in F; now apply F in I.
Qed.

Lemma act_sound a p q : act a p = Some q -> move p q.
Proof.
  destruct p as [ph rest b]. unfold act. simpl. destruct a as [slot | m n | slot].
  - destruct ph; try discriminate. destruct rest as [|x rest]; try discriminate.
    destruct (split_at slot b) as [((before, [y|]), after)|] eqn:A; try discriminate.
    destruct (allows x (length before)) eqn:L; intros H; inversion H; subst.
    apply split_at_spec in A. subst. apply deal. now apply allows_sound.
  - assert (G : (let (first, second) := if m <? n then (m, n) else (n, m) in
      match split_at first b with
      | Some (before, Some x, others) =>
        match split_at (second - first - 1) others with
        | Some (middle, Some y, after) =>
          if (first <? second) && (x + y =? 10)
          then Some (Position Removed rest (before ++ None :: middle ++ None :: after)) else None
        | _ => None
        end
      | _ => None
      end) = Some q -> ph <> Dealing -> move (Position ph rest b) q).
    { destruct (if m <? n then (m, n) else (n, m)) as (first, second).
      destruct (split_at first b) as [((before, [x|]), others)|] eqn:A; try discriminate.
      destruct (split_at (second - first - 1) others) as [((middle, [y|]), after)|] eqn:B; try discriminate.
      destruct ((first <? second) && (x + y =? 10)) eqn:E; intros H N; inversion H; subst.
      apply andb_true_iff in E as (_ & E). apply Nat.eqb_eq in E.
      apply split_at_spec in A, B. subst. now constructor. }
    intros H. destruct ph; try discriminate; now apply G.
  - assert (G : match split_at slot b with
      | Some (before, Some x, after) =>
        if x =? 10 then Some (Position Removed rest (before ++ None :: after)) else None
      | _ => None
      end = Some q -> ph <> Dealing -> move (Position ph rest b) q).
    { destruct (split_at slot b) as [((before, [x|]), after)|] eqn:A; try discriminate.
      destruct (x =? 10) eqn:E; intros H N; inversion H; subst. apply Nat.eqb_eq in E.
      apply split_at_spec in A. subst. now constructor. }
    intros H. destruct ph; try discriminate; now apply G.
Qed.

Lemma is_won_sound p : is_won p = true -> won p.
Proof.
  unfold is_won, won. destruct (now p), (deck p); try discriminate. intros H. repeat split; auto.
  intros x I. rewrite forallb_forall in H. apply H in I. now apply Nat.ltb_lt.
Qed.

Lemma wins_sound actions : forall p, wins p actions = true -> exists q, reaches p q /\ won q.
Proof.
  induction actions as [|a actions IH]; simpl; intros p H.
  - exists p. split; [constructor | now apply is_won_sound].
  - destruct (act a (ready a p)) as [q|] eqn:A; [|discriminate]. apply IH in H as (r & R & W). exists r. split; auto.
    apply act_sound in A. assert (reaches (ready a p) r) by (eapply reaches_after; eauto).
    destruct (ready_reached a p) as [E|M]; [now rewrite <- E | eapply reaches_after; eauto].
Qed.

Theorem check_win_sound deck actions : check_win deck actions = true -> winnable deck.
Proof. apply wins_sound. Qed.
