(* Positions that are refuted by a relaxed game: theorem 1 of docs/proofs/cut.md.

   Claim ([relaxed_lost]). In the relaxed game, whatever once holds stays true: that a card is bare, that it has left
   what it lay on, that it is up, that there is space. If [is_refuted] says that what it is given is closed under the
   rules of the relaxed game, and that some card is not up, the position cannot be won. How it was found does not
   matter.

   The reason is [kept]: what holds of all positions that can be reached. *)
Require Import List Bool Arith Lia Permutation.
Import ListNotations.
From Patience Require Import Game Cards Stock Simulation Certificate Moves Checker Ahead.

(* What is ever true of a card: it is bare, or up; it can be lifted, perhaps with those on it; it has left. And whether
   there is ever space. *)
Record relaxed := Ever {
  once_bare : card -> bool;
  once_up : card -> bool;
  once_lifted : card -> bool;
  once_left : card -> bool;
  once_space : bool }.

Section Relaxed.
Variables (R : rules) (start : position) (ever : relaxed).

Notation Bare := (once_bare ever).
Notation Up := (once_up ever).
Notation Lifted := (once_lifted ever).
Notation Left := (once_left ever).

(** * The program *)

(* A card that may go to an empty column. *)
Definition fills (x : card) : bool :=
  match spaces R with
  | AnyCard | FromReserve => true
  | LastRank => S (height R x) =? ranks R
  | NoCard => false
  end.

(* A card has somewhere to go. *)
Definition leaves (x : card) : bool :=
  Up x || existsb (fun y => fits R x y && Bare y) (cards_of start) || (once_space ever && fills x).

(* A column, from the top. *)
Fixpoint column_closed (c : list card) : bool :=
  match c with
  | [] => once_space ever
  | [x] => implb (Left x) (once_space ever)
  | z :: ((y :: _) as below) =>
      implb (Left z) (Bare y) &&
      implb (Lifted z && moves_with R z y && negb (member y (face_down start))) (Lifted y) && column_closed below
  end.

Definition from_reserve_too : bool := match spaces R with FromReserve => once_space ever | _ => false end.

(* A stacked reserve, from the top. *)
Fixpoint reserve_closed (k : list card) : bool :=
  match k with
  | x :: ((y :: _) as below) => implb (Bare x && (leaves x || from_reserve_too)) (Bare y) && reserve_closed below
  | _ => true
  end.

Definition is_refuted : bool :=
  (cell_count R =? 0) && is_empty (cells start) &&
  forallb Up (foundations start) && forallb Bare (foundations start) && forallb Bare (open_reserve start) &&
  forallb Bare (firstn 1 (reserve start)) && reserve_closed (reserve start) &&
  forallb (fun '(x, _) => Bare x) (offers R start) &&
  (forallb Bare (all_cards (turning start)) ||
    forallb (fun x => negb (Bare x && leaves x)) (all_cards (turning start))) &&
  forallb Bare (tops start) && forallb column_closed (columns start) &&
  forallb (fun x => implb (Bare x) (Lifted x) && implb (Lifted x && leaves x) (Left x)) (concat (columns start)) &&
  forallb (fun x => implb (Bare x && forallb Up (lower R x)) (Up x)) (cards_of start) &&
  existsb (fun x => negb (Up x)) (cards_of start).

(** * Proof *)

Hypotheses (draws : draw R <> 0) (once : proper R start) (closed : is_refuted = true).

(* z lies on y at the start, or x on nothing. *)
Definition on (z y : card) : Prop := exists c a b, In c (columns start) /\ c = a ++ z :: y :: b.
Definition lowest (x : card) : Prop := exists c a, In c (columns start) /\ c = a ++ [x].

Definition free (x : card) : Prop := In x (concat (columns start)) -> Left x = true.

Definition lies_on (z y : card) : Prop := on z y \/ (free z /\ Bare y = true).

(* Cards that lie on one another. *)
Fixpoint chain (g : list card) : Prop :=
  match g with
  | z :: ((y :: _) as below) => lies_on z y /\ chain below
  | _ => True
  end.

Fixpoint stacked (c : list card) : Prop :=
  match c with
  | [] => True
  | [x] => lowest x \/ (free x /\ once_space ever = true)
  | z :: ((y :: _) as below) => lies_on z y /\ stacked below
  end.

Record kept (q : position) : Prop := {
  kept_tops : forall x, In x (tops q) -> Bare x = true;
  kept_columns : forall c, In c (columns q) -> stacked c;
  kept_space : In [] (columns q) -> once_space ever = true;
  kept_down : forall x, In x (concat (columns q)) -> In x (face_down start) -> In x (face_down q) \/ Bare x = true;
  kept_cells : cells q = [];
  kept_open : incl (open_reserve q) (open_reserve start);
  kept_reserve : exists taken, reserve start = taken ++ reserve q /\
    forall x, In x (firstn 1 (reserve q)) -> Bare x = true;
  kept_stock : incl (all_cards (turning q)) (all_cards (turning start)) /\
    (turning q = turning start \/ forall x, In x (all_cards (turning start)) -> Bare x = true);
  kept_up : forall x, In x (foundations q) -> Up x = true /\ Bare x = true /\ free x }.

Lemma tops_iff q x : In x (tops q) <-> exists c, In (x :: c) (columns q).
Proof.
  unfold tops. rewrite in_flat_map. split.
  - intros ([|y c] & I & J); [destruct J|]. destruct J as [<-|[]]. eauto.
  - intros (c & I). exists (x :: c). split; auto. now left.
Qed.

Lemma implb_iff a b : implb a b = true <-> (a = true -> b = true).
Proof. destruct a, b; simpl; intuition. Qed.

Lemma parts : cell_count R = 0 /\ cells start = [] /\
  (forall x, In x (foundations start) -> Up x = true /\ Bare x = true) /\
  (forall x, In x (open_reserve start) -> Bare x = true) /\
  (forall x, In x (firstn 1 (reserve start)) -> Bare x = true) /\ reserve_closed (reserve start) = true /\
  (forall x q, offered R start x q -> Bare x = true) /\
  (forall x, In x (all_cards (turning start)) -> Bare x = true -> leaves x = true ->
    forall y, In y (all_cards (turning start)) -> Bare y = true) /\
  (forall x, In x (tops start) -> Bare x = true) /\ (forall c, In c (columns start) -> column_closed c = true) /\
  (forall x, In x (concat (columns start)) -> (Bare x = true -> Lifted x = true) /\
    (Lifted x = true -> leaves x = true -> Left x = true)) /\
  (forall x, In x (cards_of start) -> Bare x = true -> (forall y, In y (lower R x) -> Up y = true) -> Up x = true) /\
  exists x, In x (cards_of start) /\ Up x = false.
Proof.
  revert closed. unfold is_refuted. rewrite !andb_true_iff, Nat.eqb_eq, is_empty_iff, orb_true_iff, !forallb_forall,
    existsb_exists.
  intros (((((((((((((C & Ce) & U) & B) & O) & K) & Kc) & Of) & St) & T) & Co) & L) & Up') & (x & I & N)).
  repeat split; auto.
  - intros y q Oy. destruct (offers_complete R draws _ _ _ Oy) as (t & J & _). apply (Of _ J).
  - intros y Iy By Ly z Iz. destruct St as [St|St]; auto. apply St in Iy. rewrite By, Ly in Iy. discriminate.
  - apply L in H. apply andb_true_iff in H. destruct H as (H & _). now rewrite implb_iff in H.
  - apply L in H. apply andb_true_iff in H. destruct H as (_ & H). rewrite implb_iff, andb_true_iff in H. auto.
  - intros y J By A. specialize (Up' y J). rewrite implb_iff, andb_true_iff, forallb_forall in Up'. auto.
  - exists x. split; auto. now apply negb_true_iff.
Qed.

Lemma foreign x : In x (cells start ++ open_reserve start ++ reserve start ++ all_cards (turning start) ++
  foundations start) -> free x.
Proof.
  intros I J. exfalso. pose proof (proper_once _ _ once) as N. unfold cards_of, left_over in N.
  rewrite <- !app_assoc in N. apply in_split in J. destruct J as (a & b & E). rewrite E in N.
  rewrite <- app_assoc in N. simpl in N. apply NoDup_remove_2 in N. apply N. rewrite !in_app_iff in *. tauto.
Qed.

Lemma on_facts z y : on z y -> In z (concat (columns start)) /\ In y (concat (columns start)) /\
  (Left z = true -> Bare y = true) /\
  (Lifted z = true -> moves_with R z y = true -> ~ In y (face_down start) -> Lifted y = true).
Proof.
  intros (c & a & b & I & ->). split; [|split].
  - apply in_concat. exists (a ++ z :: y :: b). split; auto. apply in_or_app. right. now left.
  - apply in_concat. exists (a ++ z :: y :: b). split; auto. apply in_or_app. right. right. now left.
  - assert (Co : column_closed (a ++ z :: y :: b) = true) by now apply parts. clear I.
    assert (Cz : column_closed (z :: y :: b) = true).
    { revert Co. induction a as [|w a IH]; auto. intros Co. apply IH. simpl in Co.
      destruct (a ++ z :: y :: b) as [|v l] eqn:E; [now destruct a|].
      rewrite !andb_true_iff in Co. tauto. }
    cbn [column_closed] in Cz. rewrite !andb_true_iff, !implb_iff, !andb_true_iff, not_member_iff in Cz. tauto.
Qed.

Lemma lowest_facts x : lowest x -> Left x = true -> once_space ever = true.
Proof.
  intros (c & a & I & ->) G. assert (Co : column_closed (a ++ [x]) = true) by now apply parts. clear I. revert Co.
  induction a as [|w a IH]; simpl; intros Co; [now rewrite implb_iff in Co; apply Co|].
  apply IH. destruct (a ++ [x]) as [|v l] eqn:E; [now destruct a|]. rewrite !andb_true_iff in Co. tauto.
Qed.

Lemma lowest_in x : lowest x -> In x (concat (columns start)).
Proof. intros (c & a & I & ->). apply in_concat. exists (a ++ [x]). split; auto. apply in_or_app. right. now left. Qed.

Lemma start_stacked c : In c (columns start) -> stacked c.
Proof.
  intros I. assert (H : forall a b, c = a ++ b -> stacked b).
  { intros a b. revert a. induction b as [|z b IH]; intros a E; simpl; auto. destruct b as [|y b].
    - left. exists c, a. auto.
    - split; [left; exists c, a, b; auto|]. apply (IH (a ++ [z])). now rewrite <- app_assoc. }
  now apply (H []).
Qed.

Lemma kept_start : kept start.
Proof.
  destruct parts as (_ & Ce & Fo & Op & Re & _ & _ & _ & To & Co & _). constructor; auto using start_stacked.
  - intros I. now apply (Co []).
  - apply incl_refl.
  - now exists [].
  - split; [apply incl_refl|auto].
  - intros x I. destruct (Fo x I). repeat split; auto. apply foreign. rewrite !in_app_iff. tauto.
Qed.

(** * Lifting *)

Lemma stacked_below u b : stacked (u ++ b) -> stacked b.
Proof.
  induction u as [|x u IH]; auto. simpl. intros H. apply IH. destruct (u ++ b); [now simpl|tauto].
Qed.

Lemma stacked_chain u x b : stacked (u ++ x :: b) -> chain (u ++ [x]).
Proof.
  induction u as [|z u IH]; simpl; auto. intros H. destruct u as [|y u]; simpl in *; [tauto|].
  split; [tauto|]. apply IH. tauto.
Qed.

Lemma chain_stacked u x b : chain (u ++ [x]) -> stacked (x :: b) -> stacked (u ++ x :: b).
Proof.
  induction u as [|z u IH]; intros C S; [exact S|]. destruct u as [|y u]; [split; [apply C|exact S]|].
  destruct C as (L & C). split; [exact L|]. exact (IH C S).
Qed.

(* The lowest card of a group that moves can be lifted. *)
Lemma group_lifted u x : group R (u ++ [x]) -> chain (u ++ [x]) ->
  Bare (hd x u) = true -> (forall z, In z (u ++ [x]) -> In z (face_down start) -> Bare z = true) ->
  In x (concat (columns start)) -> Lifted x = true.
Proof.
  destruct parts as (_ & _ & _ & _ & _ & _ & _ & _ & _ & _ & Li & _).
  intros G C B D. enough (H : forall z, In z (u ++ [x]) -> In z (concat (columns start)) -> Lifted z = true).
  { intros I. apply H; auto. apply in_or_app. right. now left. }
  assert (T : In (hd x u) (concat (columns start)) -> Lifted (hd x u) = true) by (intros I; now apply Li).
  clear B. remember (u ++ [x]) as g eqn:E.
  assert (T' : forall z g', g = z :: g' -> In z (concat (columns start)) -> Lifted z = true).
  { intros z g' E'. rewrite E' in E. destruct u; simpl in *; inversion E; subst; auto. }
  clear T E u x. induction g as [|z g IH]; [easy|]. intros w [<-|I] J; [now apply (T' z g)|].
  destruct g as [|y g]; [easy|]. simpl in G, C. destruct G as (M & G), C as (L & C).
  apply IH; auto; [intros v K; apply D; now right|].
  intros v g' E K. inversion E; subst v g'. destruct L as [L|(_ & L)]; [|now apply Li].
  destruct (on_facts _ _ L) as (Iz & _ & _ & F). destruct (in_dec card_eq y (face_down start)) as [Dy|Dy].
  - apply Li; auto. apply D; auto. right. now left.
  - apply F; auto. now apply (T' z (y :: g)).
Qed.

Lemma middle_split {A} (l : list A) c r l' c' r' : l ++ c :: r = l' ++ c' :: r' ->
  (l' = l /\ c' = c /\ r' = r) \/ In c' (l ++ r).
Proof.
  revert l'. induction l as [|x l IH]; intros [|y l'] E; simpl in *; inversion E; subst; auto.
  - right. apply in_or_app. right. now left.
  - destruct (IH _ H1) as [(-> & -> & ->)|I]; auto.
Qed.

Lemma lift_bare q x q' : kept q -> lift R q [] x q' -> Bare x = true.
Proof.
  intros K L. destruct parts as (_ & _ & _ & Op & _). remember (@nil card) as u eqn:Eu in L.
  destruct L as [l u x b t E G D | l x t E | l x t E | x k E D | l x t E B H]; try subst u.
  - apply (kept_tops _ K), tops_iff. exists b. rewrite E. apply in_or_app. right. now left.
  - rewrite (kept_cells _ K) in E. now destruct l.
  - apply Op, (kept_open _ K). rewrite E. apply in_or_app. right. now left.
  - destruct (kept_reserve _ K) as (taken & _ & B). apply B. rewrite E. now left.
  - apply (kept_up _ K). rewrite E. apply in_or_app. right. now left.
Qed.

(* A card, with those on it, is lifted from one place and put on another one. *)
Lemma target q u x q' r : kept q -> incl (cards_of q) (cards_of start) -> hole q = None -> lift R q u x q' ->
  put R [] q' u x r -> r = q \/ leaves x = true.
Proof.
  intros K Cs Hq L P. destruct parts as (Cc & _ & _ & Op & _ & _ & _ & _ & _ & _ & _ & Nx & _).
  assert (Bx : u = [] -> Bare x = true) by (intros ->; exact (lift_bare q x q' K L)).
  assert (Ix : In x (cards_of start)).
  { apply Cs. destruct (lift_cards _ _ _ _ _ L) as (C & _). rewrite C. apply in_or_app. right. now left. }
  assert (Onto : forall y, In y (tops q) -> fits R x y = true -> leaves x = true).
  { intros y I F. unfold leaves. rewrite !orb_true_iff. left. right. apply existsb_exists. exists y. split.
    - apply Cs. unfold cards_of, left_over. rewrite !in_app_iff, in_concat. apply tops_iff in I.
      destruct I as (c & I). left. left. exists (y :: c). split; auto. now left.
    - rewrite F. now apply (kept_tops _ K). }
  assert (Into : In [] (columns q) -> may_fill R q' x -> leaves x = true).
  { intros I F. unfold leaves. rewrite !orb_true_iff, (kept_space _ K I). right. unfold fills, may_fill in *.
    destruct (spaces R); auto. now apply Nat.eqb_eq. }
  assert (Oth : forall l c t, columns q = l ++ c :: t -> forall d, In d (l ++ t) -> In d (columns q)).
  { intros l c t E d I. rewrite E. rewrite in_app_iff in *. simpl. tauto. }
  destruct P as [l u x y b t E D F | l u x t E M | x Le | x H Lo | x h H B].
  - destruct L as [l' u x b' t' E' G D' | l' x t' E' | l' x t' E' | x k E' D' | l' x t' E' B H]; simpl in E.
    2-5: right; apply (Onto y); auto; apply tops_iff; exists b; rewrite E; apply in_or_app; right; now left.
    destruct (middle_split _ _ _ _ _ _ E) as [(-> & Eb & ->)|I].
    + left. rewrite <- Eb in E'. unfold with_columns. simpl. rewrite <- E'. now destruct q.
    + right. apply (Onto y); auto. apply tops_iff. eauto.
  - destruct L as [l' u x b' t' E' G D' | l' x t' E' | l' x t' E' | x k E' D' | l' x t' E' B H]; simpl in E.
    2-5: right; apply Into; auto; rewrite E; apply in_or_app; right; now left.
    destruct (middle_split _ _ _ _ _ _ E) as [(-> & Eb & ->)|I].
    + left. rewrite <- Eb in E'. unfold with_columns. simpl. rewrite <- E'. now destruct q.
    + right. apply Into; auto. eauto.
  - lia.
  - right. unfold leaves. rewrite Nx; auto. intros y I. destruct (Lo y I) as [J|[]].
    apply (kept_up _ K). destruct L as [? ? ? ? ? ?|? ? ? ?|? ? ? ?|? ? ?|l z t E B' H']; simpl in J; auto.
    rewrite E. rewrite in_app_iff in *. simpl. tauto.
  - destruct (lift_cards _ _ _ _ _ L) as (_ & Hl). congruence.
Qed.

(* What is known of cards that are lifted, apart from whether there is a place for them. *)
Record held (u : list card) (x : card) : Prop := {
  held_chain : chain (u ++ [x]);
  held_top : Bare (hd x u) = true;
  held_down : forall z, In z (u ++ [x]) -> In z (face_down start) -> Bare z = true;
  held_free : free x }.

Lemma free_in_reserve q x k : kept q -> reserve q = x :: k -> free x.
Proof.
  intros K E. destruct (kept_reserve _ K) as (taken & F & _). apply foreign. rewrite !in_app_iff, F, E.
  right. right. left. apply in_or_app. right. now left.
Qed.

(* The next card of the reserve, if its top card leaves. *)
Lemma next_of_reserve q x k : kept q -> reserve q = x :: k -> leaves x = true \/ from_reserve_too = true ->
  (exists taken, reserve start = taken ++ k) /\ forall y, In y (firstn 1 k) -> Bare y = true.
Proof.
  intros K E H. destruct (kept_reserve _ K) as (taken & F & B). rewrite E in F. split.
  - exists (taken ++ [x]). now rewrite <- app_assoc.
  - destruct k as [|y k]; [easy|]. intros z [<-|[]].
    assert (C : reserve_closed (reserve start) = true) by apply parts. rewrite F in C.
    assert (C' : reserve_closed (x :: y :: k) = true).
    { revert C. clear. induction taken as [|w l IH]; auto. intros C. apply IH. simpl in C.
      destruct (l ++ x :: y :: k) as [|v m] eqn:E; [now destruct l|]. apply andb_true_iff in C. tauto. }
    assert (Bx : Bare x = true) by (apply B; rewrite E; now left).
    cbn [reserve_closed] in C'. rewrite !andb_true_iff, implb_iff, andb_true_iff, orb_true_iff in C'. tauto.
Qed.

Lemma columns_less q l d c d' t : kept q -> columns q = l ++ (d ++ c) :: t -> d' = c ->
  (forall y, In y (firstn 1 c) -> Bare y = true) -> (c = [] -> once_space ever = true) ->
  (forall x, In x (tops (with_columns q (l ++ d' :: t))) -> Bare x = true) /\
  (forall e, In e (l ++ d' :: t) -> stacked e) /\ (In [] (l ++ d' :: t) -> once_space ever = true) /\
  (forall x, In x (concat (l ++ d' :: t)) -> In x (face_down start) -> In x (face_down q) \/ Bare x = true).
Proof.
  intros K E -> B S. repeat split.
  - intros x I. apply tops_iff in I. destruct I as (e & I). simpl in I. apply in_app_or in I.
    destruct I as [I|[->|I]].
    + apply (kept_tops _ K), tops_iff. exists e. rewrite E. apply in_or_app. auto.
    + apply B. now left.
    + apply (kept_tops _ K), tops_iff. exists e. rewrite E. apply in_or_app. right. now right.
  - intros e I. apply in_app_or in I. destruct I as [I|[<-|I]].
    + apply (kept_columns _ K). rewrite E. apply in_or_app. auto.
    + apply (stacked_below d). apply (kept_columns _ K). rewrite E. apply in_or_app. right. now left.
    + apply (kept_columns _ K). rewrite E. apply in_or_app. right. now right.
  - intros I. apply in_app_or in I. destruct I as [I|[I|I]]; auto.
    + apply (kept_space _ K). rewrite E. apply in_or_app. auto.
    + apply (kept_space _ K). rewrite E. apply in_or_app. right. now right.
  - intros x I. apply (kept_down _ K). rewrite E. rewrite concat_app in *. simpl in *. rewrite !in_app_iff in *. tauto.
Qed.

Lemma lift_kept q u x q' : kept q -> lift R q u x q' -> leaves x = true -> kept q' /\ held u x.
Proof.
  intros K L Le. destruct parts as (_ & _ & _ & Op & _ & _ & _ & _ & _ & _ & Li & _ & _).
  assert (Bx : u = [] -> Bare x = true) by (intros ->; exact (lift_bare q x q' K L)).
  assert (Alone : u = [] -> free x -> held u x).
  { intros -> F. constructor; simpl; auto. intros z [<-|[]] _. auto. }
  destruct L as [l u x b t E G D | l x t E | l x t E | x k E D | l x t E B H].
  - assert (St : stacked (u ++ x :: b)) by (apply (kept_columns _ K); rewrite E; apply in_or_app; right; now left).
    assert (T : Bare (hd x u) = true).
    { apply (kept_tops _ K), tops_iff. destruct u as [|z u]; [exists b|exists (u ++ x :: b)]; rewrite E;
        apply in_or_app; right; now left. }
    assert (Dn : forall z, In z (u ++ [x]) -> In z (face_down start) -> Bare z = true).
    { intros z I J. destruct (kept_down _ K z) as [F|F]; auto.
      - rewrite E, concat_app. simpl. rewrite !in_app_iff in *. simpl in *. tauto.
      - destruct (D z I F). }
    pose proof (stacked_chain _ _ _ St) as Ch.
    assert (Fx : free x).
    { intros I. apply Li; auto. now apply (group_lifted u x). }
    split; [|now constructor].
    assert (Sx : stacked (x :: b)) by now apply (stacked_below u).
    destruct (columns_less q l (u ++ [x]) b b t K) as (A1 & A2 & A3 & A4); auto.
    { rewrite E. now rewrite <- app_assoc. }
    { destruct b as [|y b]; [easy|]. intros z [<-|[]]. destruct Sx as ([On|(_ & By)] & _); auto.
      destruct (on_facts _ _ On) as (Ix & _ & By & _). auto. }
    { intros ->. destruct Sx as [Lo|(_ & S)]; auto. apply (lowest_facts x Lo), Fx, lowest_in, Lo. }
    destruct K. now constructor.
  - rewrite (kept_cells _ K) in E. now destruct l.
  - split.
    + destruct K. constructor; simpl; auto. intros y I. apply kept_open0. rewrite E. rewrite in_app_iff in *.
      simpl. tauto.
    + apply Alone; auto. apply foreign. rewrite !in_app_iff. right. left. apply (kept_open _ K). rewrite E.
      apply in_or_app. right. now left.
  - split.
    + destruct (next_of_reserve q x k K E (or_introl Le)) as ((taken & F) & N). destruct K. constructor; simpl; auto.
      now exists taken.
    + apply Alone; auto. now apply (free_in_reserve q x k).
  - split.
    + destruct K. constructor; simpl; auto. intros y I. apply kept_up0. rewrite E. rewrite in_app_iff in *.
      simpl. tauto.
    + apply Alone; auto. apply (kept_up _ K). rewrite E. apply in_or_app. right. now left.
Qed.

(** * Putting down *)

Lemma columns_more q l c u x t : kept q -> columns q = l ++ c :: t -> held u x ->
  stacked (x :: c) -> kept (with_columns q (l ++ (u ++ x :: c) :: t)).
Proof.
  intros K E [Ch T D F] S. assert (K' := K). destruct K. constructor; simpl; auto.
  - intros y I. apply tops_iff in I. destruct I as (e & I). simpl in I. apply in_app_or in I.
    destruct I as [I|[I|I]].
    + apply kept_tops0, tops_iff. exists e. rewrite E. apply in_or_app. auto.
    + destruct u as [|z u]; simpl in I; inversion I; subst; auto.
    + apply kept_tops0, tops_iff. exists e. rewrite E. apply in_or_app. right. now right.
  - intros e I. apply in_app_or in I. destruct I as [I|[<-|I]].
    + apply kept_columns0. rewrite E. apply in_or_app. auto.
    + now apply chain_stacked.
    + apply kept_columns0. rewrite E. apply in_or_app. right. now right.
  - intros I. apply kept_space0. rewrite E. apply in_app_or in I. apply in_or_app. destruct I as [I|[I|I]]; auto.
    + now destruct u.
    + right. now right.
  - intros y I J. rewrite concat_app in I. simpl in I. rewrite !in_app_iff in I. simpl in I.
    assert (C : In y (concat (columns q)) \/ In y (u ++ [x])).
    { rewrite E, concat_app. simpl. rewrite !in_app_iff. simpl. tauto. }
    destruct C as [C|C]; auto.
Qed.

Lemma put_kept q u x r : kept q -> held u x -> In x (cards_of start) -> hole q = None -> put R [] q u x r -> kept r.
Proof.
  intros K He Ix Hq P. destruct parts as (Cc & _ & _ & _ & _ & _ & _ & _ & _ & _ & _ & Nx & _).
  destruct P as [l u x y b t E D F | l u x t E M | x Le | x H Lo | x h H B]; try congruence.
  - apply (columns_more q l (y :: b) u x t K E He). split.
    + right. split; [apply (held_free _ _ He)|]. apply (kept_tops _ K), tops_iff. exists b. rewrite E.
      apply in_or_app. right. now left.
    + apply (kept_columns _ K). rewrite E. apply in_or_app. right. now left.
  - apply (columns_more q l [] u x t K E He). right. split; [apply (held_free _ _ He)|]. apply (kept_space _ K).
    rewrite E. apply in_or_app. right. now left.
  - lia.
  - pose proof (held_top _ _ He) as T. pose proof (held_free _ _ He) as F. simpl in T.
    assert (U : Up x = true).
    { apply Nx; auto. intros y I. destruct (Lo y I) as [J|[]]. now apply (kept_up _ K). }
    destruct K. constructor; simpl; auto. intros y [<-|I]; auto.
Qed.

Lemma settled_kept q : kept q -> kept (settled R q).
Proof.
  intros K. assert (F : kept (filled R q)).
  { apply (filled_preserves R kept); auto. clear q K. intros q a b x k Sp K E F.
    assert (S : once_space ever = true) by (apply (kept_space _ K); rewrite E; apply in_or_app; right; now left).
    destruct (next_of_reserve q x k K F) as ((taken & G) & N); [right; unfold from_reserve_too; now rewrite Sp|].
    assert (Fx : free x) by now apply (free_in_reserve q x k).
    assert (Bx : Bare x = true).
    { destruct (kept_reserve _ K) as (? & _ & B). apply B. rewrite F. now left. }
    assert (H : held [] x).
    { constructor; simpl; auto. now intros z [<-|[]]. }
    assert (K' : kept (with_columns q (a ++ ([] ++ [x]) :: b))).
    { apply (columns_more q a [] [] x b K E H). right. auto. }
    destruct K'. constructor; simpl; auto. now exists taken. }
  unfold settled. pose proof F as F'. destruct F. constructor; simpl; auto.
  intros x I J. destruct (kept_down0 x I J) as [D|D]; auto. destruct (member x (tops (filled R q))) eqn:M.
  - right. apply kept_tops0. now apply member_iff.
  - left. apply filter_In. now rewrite M.
Qed.

(** * Moves *)

Lemma kept_move q r : kept q -> incl (cards_of q) (cards_of start) -> hole q = None -> move R [] q r -> kept r.
Proof.
  intros K Cs Hq M. destruct parts as (_ & _ & _ & _ & _ & _ & Of & St & _ & _ & _ & _ & _).
  destruct M as [u x l r L P | x l r O P | x st wa n h H E Ho | x h []]; [| |congruence]; apply settled_kept.
  - destruct (target q u x l r K Cs Hq L P) as [->|Le]; auto.
    destruct (lift_kept q u x l K L Le) as (K' & H). destruct (lift_cards _ _ _ _ _ L) as (C & Hl).
    apply (put_kept l u x r K' H); auto; [|congruence]. apply Cs. rewrite C. apply in_or_app. right. now left.
  - destruct (offered_left_over _ _ _ _ O) as (C & _ & Hl).
    assert (Ix : In x (cards_of start)) by (apply Cs; unfold cards_of; rewrite C; now left).
    assert (Is : In x (all_cards (turning start))).
    { destruct O as [sk wa n T]. apply (kept_stock _ K). rewrite <- (turns_all_cards _ _ _ T). apply in_all_cards.
      left. now left. }
    assert (Bx : Bare x = true).
    { destruct (kept_stock _ K) as (_ & [E|B]); auto. destruct O as [sk wa n T]. rewrite E in T.
      now apply (Of x _ (offer R start x sk wa n T)). }
    assert (H : held [] x).
    { constructor; simpl; auto; [intros z [<-|[]] _; auto|]. apply foreign. rewrite !in_app_iff. tauto. }
    assert (K' : leaves x = true -> kept l).
    { intros Le. pose proof (St x Is Bx Le) as B. destruct O as [sk wa n T]. destruct K. constructor; simpl; auto.
      split; auto. intros y I. apply kept_stock0. rewrite <- (turns_all_cards _ _ _ T). rewrite in_all_cards in *.
      simpl in *. tauto. }
    assert (Le : leaves x = true).
    { unfold leaves. rewrite !orb_true_iff.
      assert (Fo : foundations l = foundations q /\ columns l = columns q /\ hole l = None /\ cells l = cells q).
      { destruct O. auto. }
      destruct Fo as (Fo & Co & Hh & Ce).
      destruct P as [a u x y b t E D F | a u x t E M | x Lx | x H' Lo | x h H' B]; try congruence.
      - left. right. apply existsb_exists. exists y. rewrite Co in E. split.
        + apply Cs. unfold cards_of, left_over. rewrite !in_app_iff, in_concat. left. left. exists (y :: b).
          split; [rewrite E; apply in_or_app; right; now left|now left].
        + rewrite F. apply (kept_tops _ K), tops_iff. exists b. rewrite E. apply in_or_app. right. now left.
      - right. rewrite Co in E. rewrite (kept_space _ K) by (rewrite E; apply in_or_app; right; now left).
        unfold fills, may_fill in *. destruct (spaces R); auto. now apply Nat.eqb_eq.
      - destruct parts as (Cc & _). lia.
      - left. left. destruct parts as (_ & _ & _ & _ & _ & _ & _ & _ & _ & _ & _ & Nx & _). apply Nx; auto.
        intros y I. destruct (Lo y I) as [J|[]]. rewrite Fo in J. now apply (kept_up _ K). }
    apply (put_kept l [] x r (K' Le) H Ix); auto. congruence.
Qed.

Lemma reach_kept p q : reach R [] p q -> kept p -> hole p = None -> Permutation (cards_of p) (cards_of start) ->
  kept q /\ Permutation (cards_of q) (cards_of start).
Proof.
  intros Re. induction Re as [p | p q r M Re IH]; intros K H P; auto.
  destruct (move_cards R _ _ _ M H) as (C & H'). apply IH; auto; [|now rewrite C].
  apply (kept_move p q K); auto. intros x I. now rewrite <- P.
Qed.

(* A won position has all cards up. *)
Lemma not_all_up q : kept q -> Permutation (cards_of q) (cards_of start) -> won q -> False.
Proof.
  intros K P (Wc & We & Wo & Wr & Ws & Ww).
  destruct parts as (_ & _ & _ & _ & _ & _ & _ & _ & _ & _ & _ & _ & x & I & U).
  assert (J : In x (cards_of q)) by now rewrite P.
  unfold cards_of, left_over in J. rewrite We, Wo, Wr in J. rewrite !in_app_iff, in_all_cards, Ws, Ww in J. simpl in J.
  assert (E : ~ In x (concat (columns q))).
  { rewrite in_concat. intros (c & Ic & Ix). rewrite Forall_forall in Wc. now rewrite <- (Wc c Ic) in Ix. }
  destruct (kept_up _ K x) as (U' & _); [tauto|congruence].
Qed.

Theorem relaxed_lost : ~ winnable R start.
Proof.
  intros (q & Re & W). destruct (reach_kept start q Re kept_start (proper_hole _ _ once)) as (K & P); auto.
  exact (not_all_up q K P W).
Qed.
End Relaxed.
