(* Sweeps: all positions of a game whose cards go nowhere but into a hole, found as sets.

   Claims. [fill] adds all positions that can be reached by taking cards ([fill_extends], [fill_closed]). If [sweep]
   says [Some number], no play from there takes all cards, whenever cards of the stock are turned ([sweep_sound]).

   This file knows no game. It has cards in some order, each with its rank and those that cover it; these come before
   it. What is left is a list of yes and no, one for each card. A set of positions is a tree: it branches at each card,
   and its leaves have the ranks that can be on top of the hole. *)
Require Import List Bool Arith Lia.
Import ListNotations.

(* The cards that cover a card, by their distances: 0 is the card before it in the order, 1 the one before that. *)
Record spot := Spot { rank_at : nat; covered_by : list nat }.

Inductive tree := Empty | Tops (ranks : list nat) | Branch (present absent : tree).

Fixpoint has (t : tree) (marks : list bool) (h : nat) : Prop :=
  match t, marks with
  | Tops hs, [] => In h hs
  | Branch present absent, b :: marks => has (if b then present else absent) marks h
  | _, _ => False
  end.

Section Sweep.

(* A card of rank r may go into the hole onto one of rank h. *)
Variable goes_on : nat -> nat -> bool.

(** * The rules *)

(* What is left of the cards before this one begins with the nearest. *)
Definition is_free (x : spot) (before : list bool) : bool := forallb (fun d => negb (nth d before false)) (covered_by x).

(* [take cards before marks h marks' h']: a card of the list can be taken, if these marks are before them. *)
Inductive take : list spot -> list bool -> list bool -> nat -> list bool -> nat -> Prop :=
| take_this x cards before marks h :
    is_free x before = true -> goes_on (rank_at x) h = true ->
    take (x :: cards) before (true :: marks) h (false :: marks) (rank_at x)
| take_later x cards before b marks h marks' h' :
    take cards (b :: before) marks h marks' h' -> take (x :: cards) before (b :: marks) h (b :: marks') h'.

Inductive play (cards : list spot) : list bool -> list nat -> nat -> list bool -> list nat -> nat -> Prop :=
| play_nothing marks stock h : play cards marks stock h marks stock h
| play_card marks stock h marks' h' last rest top :
    take cards [] marks h marks' h' -> play cards marks' stock h' last rest top -> play cards marks stock h last rest top
| play_stock marks x stock h last rest top :
    play cards marks stock x last rest top -> play cards marks (x :: stock) h last rest top.

(** * The programs *)

Definition branch (present absent : tree) : tree :=
  match present, absent with Empty, Empty => Empty | _, _ => Branch present absent end.

(* Add to the second tree what is left after a card of rank r was taken in a position of the first one. *)
Fixpoint spread (r : nat) (from to : tree) : tree :=
  match from, to with
  | Empty, _ => to
  | Tops hs, Tops ts => if existsb (goes_on r) hs && negb (existsb (Nat.eqb r) ts) then Tops (r :: ts) else to
  | Tops hs, _ => if existsb (goes_on r) hs then Tops [r] else Empty
  | Branch p a, Branch p' a' => branch (spread r p p') (spread r a a')
  | Branch p a, _ => branch (spread r p Empty) (spread r a Empty)
  end.

Fixpoint fill (cards : list spot) (before : list bool) (t : tree) : tree :=
  match cards, t with
  | x :: cards, Branch present absent =>
      let all_present := fill cards (true :: before) present in
      let some_absent := if is_free x before then spread (rank_at x) all_present absent else absent in
      branch all_present (fill cards (false :: before) some_absent)
  | _, _ => t
  end.

Fixpoint just (marks : list bool) (h : nat) : tree :=
  match marks with
  | [] => Tops [h]
  | true :: marks => Branch (just marks h) Empty
  | false :: marks => Branch Empty (just marks h)
  end.

(* All positions after a card of rank r was turned. *)
Fixpoint turned (r : nat) (t : tree) : tree :=
  match t with
  | Empty => Empty
  | Tops _ => Tops [r]
  | Branch present absent => Branch (turned r present) (turned r absent)
  end.

Fixpoint has_cleared (t : tree) : bool :=
  match t with Empty => false | Tops _ => true | Branch _ absent => has_cleared absent end.

Fixpoint number_in (t : tree) : nat :=
  match t with
  | Empty => 0
  | Tops hs => length hs
  | Branch present absent => number_in present + number_in absent
  end.

(* The number of positions that can be reached; None if one of them has no cards left. *)
Fixpoint sweep (cards : list spot) (t : tree) (stock : list nat) (number : nat) : option nat :=
  let reached := fill cards [] t in
  let number := number + number_in reached in
  if has_cleared reached then None else
  match stock with
  | [] => Some number
  | x :: stock => sweep cards (turned x reached) stock number
  end.

(** * Proofs *)

(* The tree branches n times. *)
Fixpoint shaped (n : nat) (t : tree) {struct t} : Prop :=
  match t, n with
  | Empty, _ | Tops _, 0 => True
  | Branch present absent, S n => shaped n present /\ shaped n absent
  | _, _ => False
  end.

Lemma has_branch present absent (b : bool) marks h :
  has (if b then present else absent) marks h -> has (branch present absent) (b :: marks) h.
Proof. destruct b, present, absent; simpl; auto. Qed.

Lemma branch_has present absent marks h : has (branch present absent) marks h ->
  exists (b : bool) rest, marks = b :: rest /\ has (if b then present else absent) rest h.
Proof.
  destruct marks as [|b marks].
  - destruct present, absent; simpl; easy.
  - intros H. exists b, marks. split; auto. destruct b, present, absent; simpl in *; auto; easy.
Qed.

Lemma branch_shaped n present absent : shaped n present -> shaped n absent -> shaped (S n) (branch present absent).
Proof. destruct present, absent; simpl; auto. Qed.

Lemma spread_shaped r n from : forall to, shaped n from -> shaped n to -> shaped n (spread r from to).
Proof.
  revert n. induction from as [|hs|p IHp a IHa]; intros n to; auto.
  - destruct n; simpl; [|easy]. intros _ H. destruct to; simpl in *; try easy.
    + destruct (existsb _ _); simpl; auto.
    + destruct (_ && _); simpl; auto.
  - destruct n; simpl; [easy|]. intros (P & A) H.
    destruct to as [|ts|p' a']; simpl in *; try easy; apply branch_shaped; (apply IHp || apply IHa); simpl; tauto.
Qed.

Lemma spread_extends r from : forall n to marks h,
  shaped n from -> shaped n to -> has to marks h -> has (spread r from to) marks h.
Proof.
  induction from as [|hs|p IHp a IHa]; intros n to marks h; auto; destruct to as [|ts|p' a']; simpl; try easy.
  - destruct (_ && _); destruct marks; simpl; auto.
  - destruct n; simpl; easy.
  - destruct n; simpl; easy.
  - destruct n; simpl; [easy|]. intros (P & A) (P' & A') H. destruct marks as [|b marks]; [easy|].
    apply has_branch. destruct b; eauto.
Qed.

Lemma spread_takes r from : forall n to marks h, goes_on r h = true ->
  shaped n from -> shaped n to -> has from marks h -> has (spread r from to) marks r.
Proof.
  induction from as [|hs|p IHp a IHa]; intros n to marks h G; simpl; try easy.
  - destruct marks; [|easy]. intros F T I.
    assert (E : existsb (goes_on r) hs = true) by (apply existsb_exists; eauto).
    destruct to as [|ts|p' a']; rewrite E; simpl; auto.
    + destruct (existsb (Nat.eqb r) ts) eqn:M; simpl; auto.
      apply existsb_exists in M. destruct M as (t & It & Et). apply Nat.eqb_eq in Et. now subst.
  - destruct marks as [|b marks]; [easy|]. destruct n; [easy|]. intros (P & A) T H.
    destruct to as [|ts|p' a']; simpl in T; try easy; apply has_branch.
    + destruct b; [eapply IHp | eapply IHa]; eauto; now destruct n.
    + destruct b; [eapply IHp | eapply IHa]; eauto; tauto.
Qed.

Lemma fill_shaped cards : forall before t, shaped (length cards) t -> shaped (length cards) (fill cards before t).
Proof.
  induction cards as [|x cards IH]; intros before t S; auto. destruct t as [|hs|p a]; auto.
  destruct S as (P & A). simpl length. cbn [fill]. apply branch_shaped; apply IH; auto.
  destruct (is_free x before); auto using spread_shaped.
Qed.

Theorem fill_extends cards : forall before t marks h,
  shaped (length cards) t -> has t marks h -> has (fill cards before t) marks h.
Proof.
  induction cards as [|x cards IH]; intros before t marks h S H; auto. destruct t as [|hs|p a]; auto.
  destruct S as (P & A). destruct marks as [|b marks]; [easy|]. cbn [fill]. apply has_branch.
  destruct b; [now apply IH|]. simpl in H.
  apply IH; destruct (is_free x before); auto using spread_shaped, fill_shaped.
  eapply spread_extends; eauto using fill_shaped.
Qed.

Theorem fill_closed cards before marks h marks' h' : take cards before marks h marks' h' ->
  forall t, shaped (length cards) t -> has (fill cards before t) marks h -> has (fill cards before t) marks' h'.
Proof.
  induction 1 as [x cards before marks h F G | x cards before b marks h marks' h' T IH]; intros t S H.
  - destruct t as [|hs|p a]; try easy. destruct S as (P & A). cbn [fill] in *.
    apply branch_has in H. destruct H as (b & rest & E & H). injection E as <- <-.
    apply has_branch. rewrite F. apply fill_extends; auto using spread_shaped, fill_shaped.
    eapply spread_takes; eauto using fill_shaped.
  - destruct t as [|hs|p a]; try easy. destruct S as (P & A). cbn [fill] in *.
    apply branch_has in H. destruct H as (b' & rest & E & H). injection E as <- <-.
    apply has_branch. destruct b; apply IH; auto.
    destruct (is_free x before); auto using spread_shaped, fill_shaped.
Qed.

Lemma turned_shaped r t : forall n, shaped n t -> shaped n (turned r t).
Proof. induction t; destruct n; simpl; auto. intros (P & A). auto. Qed.

Lemma turned_has r t : forall marks h, has t marks h -> has (turned r t) marks r.
Proof.
  induction t as [|hs|p IHp a IHa]; intros [|b marks] h; simpl; try easy; auto. destruct b; eauto.
Qed.

Lemma just_has marks h : has (just marks h) marks h.
Proof. induction marks as [|[] marks IH]; simpl; auto. Qed.

Lemma just_shaped marks h : shaped (length marks) (just marks h).
Proof. induction marks as [|[] marks IH]; simpl; auto; split; auto; now destruct (length marks). Qed.

Lemma cleared t : forall marks h, Forall (eq false) marks -> has t marks h -> has_cleared t = true.
Proof.
  induction t as [|hs|p IHp a IHa]; intros marks h F H; simpl; try easy.
  destruct marks as [|b marks]; [easy|]. inversion F; subst. eauto.
Qed.

Theorem sweep_sound cards marks stock h last rest top :
  play cards marks stock h last rest top ->
  forall t number total, shaped (length cards) t -> has (fill cards [] t) marks h ->
  sweep cards t stock number = Some total -> ~ Forall (eq false) last.
Proof.
  induction 1 as [marks stock h | marks stock h marks' h' last rest top T _ IH | marks x stock h last rest top _ IH];
    intros t number total S H E.
  - intros F. destruct stock; cbn [sweep] in E; now rewrite (cleared _ _ _ F H) in E.
  - eapply IH; eauto. eapply fill_closed; eauto.
  - cbn [sweep] in E. destruct (has_cleared _); [easy|].
    assert (S' : shaped (length cards) (turned x (fill cards [] t))) by auto using turned_shaped, fill_shaped.
    refine (IH _ _ _ S' _ E). apply fill_extends; auto. exact (turned_has x _ _ _ H).
Qed.

Corollary sweep_from cards marks stock h total :
  length marks = length cards -> sweep cards (just marks h) stock 0 = Some total ->
  forall last rest top, play cards marks stock h last rest top -> ~ Forall (eq false) last.
Proof.
  intros L E last rest top P. assert (S : shaped (length cards) (just marks h)) by (rewrite <- L; apply just_shaped).
  eapply sweep_sound; eauto. apply fill_extends; auto using just_has.
Qed.

End Sweep.
