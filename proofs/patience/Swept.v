(* Losses of games with a hole whose cards go nowhere else, such as Golf, by a sweep.

   Claim ([swept_loss_sound]). If [swept_loss] says [Some number], the game cannot be won from this position.

   The rules must be so that the top cards of columns and of a stacked reserve, and all of an open reserve, can only go
   into the hole, and those of the stock, in their order ([can_be_swept]). Columns, the stacked reserve, and each card
   of an open one are *fronts*: cards of which only the first can be taken. *)
Require Import List Bool Arith Lia.
Import ListNotations.
From Covering Require Sweep.
From Patience Require Import Game Moves.

Definition front := list card.

(* The first card of a front is free, and each other one is covered by the card before it. *)
Definition spots (f : front) : list Sweep.spot :=
  match f with
  | [] => []
  | x :: f => Sweep.Spot (rank x) [] :: map (fun y => Sweep.Spot (rank y) [0]) f
  end.

(* What is left of fronts. *)
Fixpoint marks (fronts lefts : list front) : list bool :=
  match fronts, lefts with
  | f :: fronts, l :: lefts =>
      repeat false (length f - length l) ++ repeat true (length l) ++ marks fronts lefts
  | _, _ => []
  end.

Definition fronts_of (p : position) : list front := columns p ++ reserve p :: map (fun x => [x]) (open_reserve p).

Definition is_empty {A} (l : list A) : bool := match l with [] => true | _ => false end.

Definition can_be_swept (R : rules) (p : position) : bool :=
  match build R, spaces R with NoBuilding, NoCard => true | _, _ => false end &&
  (cell_count R =? 0) && is_empty (cells p) && is_empty (foundations p) && is_empty (waste (turning p)) &&
  (to_hole R || is_empty (stock (turning p))).

(* The number of positions that can be reached; None if one is won, or if this does not decide such games. *)
Definition swept_loss (R : rules) (p : position) : option nat :=
  match hole p with
  | Some h =>
      if can_be_swept R p then
        let fronts := fronts_of p in
        Sweep.sweep (are_neighbours R) (flat_map spots fronts) (Sweep.just (marks fronts fronts) h)
          (map rank (stock (turning p))) 0
      else None
  | None => None
  end.

(** * Taking a card of a front *)

Definition suffix (f l : front) : Prop := exists taken, f = taken ++ l.

Section Take.
Variable goes_on : nat -> nat -> bool.

Lemma take_skip cards more : forall skipped before old h new r, length skipped = length more ->
  (forall before, Sweep.take goes_on cards before old h new r) ->
  Sweep.take goes_on (more ++ cards) before (skipped ++ old) h (skipped ++ new) r.
Proof.
  induction more as [|x more IH]; intros [|b skipped] before old h new r L T; try easy; simpl; auto.
  apply Sweep.take_later. apply IH; auto.
Qed.

Lemma take_covered x more h below : goes_on (rank x) h = true -> forall taken before rest,
  Sweep.take goes_on (map (fun y => Sweep.Spot (rank y) [0]) (taken ++ x :: below) ++ more) (false :: before)
    (repeat false (length taken) ++ true :: rest) h (repeat false (length taken) ++ false :: rest) (rank x).
Proof.
  intros G. induction taken as [|y taken IH]; intros before rest; simpl.
  - now apply (Sweep.take_this goes_on (Sweep.Spot (rank x) [0])).
  - apply Sweep.take_later. apply IH.
Qed.

Lemma take_top taken x below more before rest h : goes_on (rank x) h = true ->
  Sweep.take goes_on (spots (taken ++ x :: below) ++ more) before
    (repeat false (length taken) ++ true :: rest) h (repeat false (length taken) ++ false :: rest) (rank x).
Proof.
  intros G. destruct taken as [|y taken]; simpl.
  - now apply (Sweep.take_this goes_on (Sweep.Spot (rank x) [])).
  - apply Sweep.take_later. now apply take_covered.
Qed.

Lemma spots_length f : length (spots f) = length f.
Proof. destruct f; simpl; auto. now rewrite map_length. Qed.

Lemma take_front x h below after : goes_on (rank x) h = true -> forall fronts lefts before,
  Forall2 suffix fronts (lefts ++ (x :: below) :: after) ->
  Sweep.take goes_on (flat_map spots fronts) before
    (marks fronts (lefts ++ (x :: below) :: after)) h (marks fronts (lefts ++ below :: after)) (rank x).
Proof.
  intros G. induction fronts as [|f fronts IH]; intros lefts before F; [inversion F; now destruct lefts|].
  destruct lefts as [|l lefts]; inversion F as [|? ? ? ? (taken & ->) F']; subst; simpl.
  - rewrite !app_length. simpl. replace (length taken + S (length below) - S (length below)) with (length taken) by lia.
    replace (length taken + S (length below) - length below) with (length taken + 1) by lia.
    rewrite repeat_app, <- app_assoc. now apply take_top.
  - rewrite app_assoc, (app_assoc (repeat _ _)). apply take_skip; [|intros; now apply IH].
    rewrite app_length, !repeat_length, spots_length, app_length. lia.
Qed.
End Take.

Lemma marks_length fronts : length (marks fronts fronts) = length (flat_map spots fronts).
Proof.
  induction fronts as [|f fronts IH]; auto. simpl. rewrite !app_length, !repeat_length, spots_length, IH. lia.
Qed.

Lemma marks_nothing fronts : forall lefts, Forall (eq []) lefts -> Forall (eq false) (marks fronts lefts).
Proof.
  induction fronts as [|f fronts IH]; intros lefts F; simpl; auto. destruct F as [|l lefts <- F]; auto.
  simpl. apply Forall_app. split; auto. apply Forall_forall. intros b I. now apply repeat_spec in I.
Qed.

(** * Positions of the game *)

Section Swept.
Variable R : rules.
Hypothesis no_building : build R = NoBuilding.
Hypothesis no_filling : spaces R = NoCard.
Hypothesis no_cells : cell_count R = 0.
Variable fronts : list front.

(* In p, this is left of the fronts, and h is in the hole. *)
Record stands (p : position) (lefts : list front) (h : nat) : Prop := {
  of_fronts : Forall2 suffix fronts lefts;
  parts : exists single, lefts = columns p ++ reserve p :: single /\ open_reserve p = concat single /\
    Forall (fun l => length l <= 1) single;
  in_hole : hole p = Some h;
  nothing_else : cells p = [] /\ foundations p = [] /\ waste (turning p) = [];
  stock_to_hole : stock (turning p) = [] \/ to_hole R = true }.

Lemma suffix_left l x below r : Forall2 suffix fronts (l ++ (x :: below) :: r) -> Forall2 suffix fronts (l ++ below :: r).
Proof.
  revert l. induction fronts as [|f fs IH]; intros l F; [inversion F; now destruct l|].
  destruct l as [|y l]; inversion F as [|? ? ? ? (taken & E)]; subst; constructor; eauto.
  - exists (taken ++ [x]). now rewrite <- app_assoc.
  - now exists taken.
Qed.

Lemma single_split single : forall l (x : card) r,
  concat single = l ++ x :: r -> Forall (fun o => length o <= 1) single ->
  exists a b, single = a ++ [x] :: b /\ l ++ r = concat (a ++ [] :: b).
Proof.
  induction single as [|o single IH]; intros l x r E F; [now destruct l|]. inversion F as [|? ? L F']; subst.
  destruct o as [|y [|z o]]; simpl in *; [| |lia].
  - destruct (IH _ _ _ E F') as (a & b & -> & H). now exists ([] :: a), b.
  - destruct l as [|y' l]; injection E as -> E.
    + exists [], single. simpl. auto.
    + destruct (IH _ _ _ E F') as (a & b & -> & H). exists ([y'] :: a), b. simpl. now rewrite H.
Qed.

Lemma settled_swept p : settled R p = with_face_down p (filter (fun x => negb (member x (tops p))) (face_down p)).
Proof. unfold settled, filled. now rewrite no_filling. Qed.

Lemma stands_settled p lefts h : stands p lefts h -> stands (settled R p) lefts h.
Proof. rewrite settled_swept. intros []. now constructor. Qed.

Lemma put_swept q u x r h : hole q = Some h -> put R [] q u x r ->
  u = [] /\ neighbours R (rank x) h /\ r = with_hole q (Some (rank x)).
Proof.
  intros H P. inversion P; subst.
  - unfold fits in H2. rewrite no_building in H2. now rewrite andb_false_r in H2.
  - unfold may_fill in H1. now rewrite no_filling in H1.
  - rewrite no_cells in H0. lia.
  - congruence.
  - repeat split; auto. congruence.
Qed.

Lemma lift_swept p x q lefts h : stands p lefts h -> lift R p [] x q ->
  exists l below r, lefts = l ++ (x :: below) :: r /\ turning q = turning p /\ hole q = Some h /\
    forall k, stands (with_hole q (Some k)) (l ++ below :: r) k.
Proof.
  intros [F (single & -> & O & S) H (C & Fo & W) St] L.
  inversion L as [l u z below r E G D | l z r E | l z r E | z k E D | l z r E M N]; subst; simpl in *.
  - rewrite E in *. exists l, below, (r ++ reserve p :: single). rewrite <- app_assoc in F.
    split; [now rewrite <- app_assoc|]. repeat split; auto; simpl.
    + now apply suffix_left in F.
    + exists single. now rewrite <- app_assoc.
  - now rewrite C in E; destruct l.
  - rewrite O in E. destruct (single_split _ _ _ _ E S) as (a & b & -> & E').
    exists (columns p ++ reserve p :: a), [], b. split; [now rewrite <- app_assoc|]. repeat split; auto; simpl.
    + apply (suffix_left _ x). now rewrite <- app_assoc.
    + exists (a ++ [] :: b). rewrite <- app_assoc. repeat split; auto.
      apply Forall_app in S. destruct S as (Sa & Sb). apply Forall_app. inversion Sb. auto.
  - rewrite E in *. exists (columns p), k, single. repeat split; auto; simpl.
    + now apply suffix_left in F.
    + now exists single.
  - now rewrite Fo in E; destruct l.
Qed.

Lemma move_swept p q lefts h : stands p lefts h -> move R [] p q ->
  (exists l x below r, lefts = l ++ (x :: below) :: r /\ neighbours R (rank x) h /\
    stock (turning q) = stock (turning p) /\ stands q (l ++ below :: r) (rank x)) \/
  (exists x, stock (turning p) = x :: stock (turning q) /\ stands q lefts (rank x)).
Proof.
  intros S M. destruct M as [u x q r L P | x q r O P | x st wa n k T E H | x k []].
  - left. assert (Hq : hole q = Some h) by (destruct (in_hole _ _ _ S); now destruct L).
    destruct (put_swept _ _ _ _ _ Hq P) as (-> & N & ->).
    destruct (lift_swept _ _ _ _ _ S L) as (l & below & r & -> & T & _ & S').
    exists l, x, below, r. split; auto. split; auto. split; [|now apply stands_settled].
    rewrite settled_swept. simpl. now rewrite T.
  - exfalso. destruct S as [_ _ _ (_ & _ & W) St]. destruct O as [st wa n O].
    assert (K : forall t u, turns R t u -> waste t = [] -> stock t = [] \/ to_hole R = true -> waste u = []).
    { clear. induction 1 as [t | t u v T _ IH]; auto. intros W St. destruct T as [st wa n E N | wa n m E _]; simpl in *.
      - destruct St; congruence.
      - subst wa. apply IH; simpl; auto. }
    now specialize (K _ _ O W St).
  - right. exists x. rewrite E. split; [now rewrite settled_swept|]. apply stands_settled.
    destruct S as [F Pa _ (C & Fo & W) _]. rewrite E in W. simpl in W. constructor; simpl; auto.
Qed.

Lemma reach_swept p q : reach R [] p q -> forall lefts h, stands p lefts h -> exists lefts' h' rest,
  stands q lefts' h' /\ Sweep.play (are_neighbours R) (flat_map spots fronts)
    (marks fronts lefts) (map rank (stock (turning p))) h (marks fronts lefts') rest h'.
Proof.
  induction 1 as [p | p q r M _ IH]; intros lefts h S.
  - exists lefts, h, (map rank (stock (turning p))). split; auto. constructor.
  - destruct (move_swept _ _ _ _ S M) as [(l & x & below & a & -> & N & E & S') | (x & E & S')];
      destruct (IH _ _ S') as (lefts' & h' & rest & Sr & P); exists lefts', h', rest; split; auto.
    + rewrite E in P. eapply Sweep.play_card; eauto. apply take_front; [now apply are_neighbours_iff|].
      exact (of_fronts _ _ _ S).
    + rewrite E. now apply Sweep.play_stock.
Qed.

Lemma won_swept p lefts h : stands p lefts h -> won p -> Forall (eq false) (marks fronts lefts).
Proof.
  intros [_ (single & -> & O & _) _ _ _] (C & _ & Wo & Wr & _). apply marks_nothing. apply Forall_app. split; auto.
  constructor; auto. rewrite Wo in O. clear - O. induction single as [|o single IH]; constructor.
  - destruct o; [auto | easy].
  - apply IH. now destruct o.
Qed.
End Swept.

Lemma is_empty_iff {A} (l : list A) : is_empty l = true <-> l = [].
Proof. destruct l; simpl; split; easy. Qed.

Theorem swept_loss_sound R p number : swept_loss R p = Some number -> ~ winnable R p.
Proof.
  unfold swept_loss. destruct (hole p) as [h|] eqn:H; [|easy]. destruct (can_be_swept R p) eqn:C; [|easy].
  unfold can_be_swept in C. rewrite !andb_true_iff, orb_true_iff, !is_empty_iff, Nat.eqb_eq in C.
  destruct C as (((((B & N) & Ce) & Fo) & W) & T).
  assert (Bu : build R = NoBuilding) by now destruct (build R).
  assert (Sp : spaces R = NoCard) by (rewrite Bu in B; now destruct (spaces R)).
  intros S (q & Re & Wo).
  assert (St : stands R (fronts_of p) p (fronts_of p) h).
  { constructor; auto; [| |tauto].
    - clear. induction (fronts_of p); constructor; auto. now exists [].
    - exists (map (fun x => [x]) (open_reserve p)). split; auto. split.
      + clear. induction (open_reserve p); simpl; congruence.
      + apply Forall_forall. intros l I. apply in_map_iff in I. now destruct I as (x & <- & _). }
  destruct (reach_swept R Bu Sp N _ _ _ Re _ _ St) as (lefts & h' & rest & Sq & P).
  exact (Sweep.sweep_from _ _ _ _ _ _ (marks_length _) S _ _ _ P (won_swept _ _ _ _ _ Sq Wo)).
Qed.
