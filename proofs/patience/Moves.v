(* The moves, as lists that a program can compute.

   Claims. What the lists contain is a move ([moves_sound]), and they miss none ([moves_complete]), except that a card
   of the stock is only taken when it is offered for the first time: later, the same cards would be offered, in the
   same order, but after more passes. *)
Require Import List Bool Arith Lia Permutation.
Import ListNotations.
From Patience Require Import Game Cards Stock Simulation Certificate.

Definition is_empty {A} (l : list A) : bool := match l with [] => true | _ => false end.

(* All ways to write l as u ++ x :: v. *)
Fixpoint splits {A} (l : list A) : list (list A * A * list A) :=
  match l with
  | [] => []
  | x :: t => ([], x, t) :: map (fun '(u, y, v) => (x :: u, y, v)) (splits t)
  end.

Lemma splits_iff {A} (l : list A) u x v : In (u, x, v) (splits l) <-> l = u ++ x :: v.
Proof.
  revert u x v. induction l as [|y t IH]; simpl; intros u x v.
  - split; [tauto|]. destruct u; discriminate.
  - rewrite in_map_iff. split.
    + intros [E|(((w & z) & b) & E & I)]; inversion E; subst; auto. simpl. f_equal. now apply IH.
    + destruct u as [|c u]; simpl; intros E; inversion E; subst; auto.
      right. exists (u, x, v). split; auto. now apply IH.
Qed.

Lemma is_empty_iff {A} (l : list A) : is_empty l = true <-> l = [].
Proof. destruct l; simpl; split; congruence. Qed.

Fixpoint same_cards (l m : list card) : bool :=
  match l, m with
  | [], [] => true
  | x :: l, y :: m => same_card x y && same_cards l m
  | _, _ => false
  end.

Lemma same_cards_iff l : forall m, same_cards l m = true <-> l = m.
Proof.
  induction l as [|x l IH]; intros [|y m]; simpl; try easy.
  rewrite andb_true_iff, same_card_iff, IH. split; [intros (-> & ->); auto | intros E; inversion E; auto].
Qed.

Section Moves.
Variable R : rules.

(** * Lifting and putting down *)

Fixpoint is_group (g : list card) : bool :=
  match g with
  | x :: ((y :: _) as below) => moves_with R x y && is_group below
  | _ => true
  end.

Definition can_fill (p : position) (x : card) : bool :=
  match spaces R with
  | AnyCard => true
  | LastRank => S (height R x) =? ranks R
  | NoCard => false
  | FromReserve => is_empty (reserve p)
  end.

Definition can_come_back (x : card) : bool := removable R && (negb (first_stay R) || negb (height R x =? 0)).

Definition are_neighbours (r s : nat) : bool :=
  (r =? S s) || (s =? S r) || (wrap R && ((r + 1 =? s + ranks R) || (s + 1 =? r + ranks R))).

Definition up (p : position) (x : card) : bool := negb (member x (face_down p)).

Definition lifts (p : position) : list (list card * card * position) :=
  flat_map (fun '(before, c, after) =>
      flat_map (fun '(u, x, below) =>
          if is_group (u ++ [x]) && forallb (up p) (u ++ [x])
          then [(u, x, with_columns p (before ++ below :: after))] else [])
        (splits c))
    (splits (columns p))
  ++ map (fun '(l, x, r) => ([], x, with_cells p (l ++ r))) (splits (cells p))
  ++ map (fun '(l, x, r) => ([], x, with_open_reserve p (l ++ r))) (splits (open_reserve p))
  ++ match reserve p with x :: k => if up p x then [([], x, with_reserve p k)] else [] | [] => [] end
  ++ flat_map (fun '(l, x, r) =>
      if can_come_back x && forallb (fun z => negb (member x (lower R z))) (foundations p)
      then [([], x, with_foundations p (l ++ r))] else [])
    (splits (foundations p)).

Definition puts absent (p : position) (u : list card) (x : card) : list position :=
  flat_map (fun '(before, c, after) =>
      if match c with [] => can_fill p x | y :: _ => up p y && fits R x y end
      then [with_columns p (before ++ (u ++ x :: c) :: after)] else [])
    (splits (columns p))
  ++ if is_empty u then
      (if length (cells p) <? cell_count R then [with_cells p (x :: cells p)] else [])
      ++ match hole p with
         | None =>
             if forallb (fun y => member y (foundations p) || member y absent) (lower R x)
             then [with_foundations p (x :: foundations p)] else []
         | Some h => if are_neighbours (rank x) h then [with_hole p (Some (rank x))] else []
         end
    else [].

(** * The stock *)

(* What turning leads to until the stock is empty. *)
Fixpoint pass (fuel : nat) (t : talon) : list talon :=
  t :: match fuel, stock t with
       | S fuel, _ :: _ =>
           pass fuel (Talon (skipn (draw R) (stock t)) (rev (firstn (draw R) (stock t)) ++ waste t) (passes t))
       | _, _ => []
       end.

(* This pass, and the next one. *)
Definition turnings (t : talon) : list talon :=
  if to_hole R then [t] else
  let next n := pass (length (all_cards t)) (Talon (all_cards t) [] n) in
  pass (length (stock t)) t ++
  match unlimited R, passes t with
  | true, n | false, S n => next n
  | false, 0 => []
  end.

Definition same_but_passes (t u : talon) : bool :=
  same_cards (stock t) (stock u) && same_cards (waste t) (waste u).

Definition takes (ts : list talon) : list (card * talon) :=
  flat_map (fun t => match waste t with x :: wa => [(x, Talon (stock t) wa (passes t))] | [] => [] end) ts.

(* Without those that come later with fewer passes. *)
Fixpoint first_ones (seen todo : list (card * talon)) : list (card * talon) :=
  match todo with
  | [] => []
  | (x, t) :: todo =>
      if existsb (fun '(y, u) => same_card x y && same_but_passes t u && (passes t <=? passes u)) seen
      then first_ones seen todo
      else (x, t) :: first_ones ((x, t) :: seen) todo
  end.

Definition offers (p : position) : list (card * position) :=
  map (fun '(x, t) => (x, with_turning p t)) (first_ones [] (takes (turnings (turning p)))).

(** * Moves *)

Definition deals (p : position) : list position :=
  match to_hole R, stock (turning p), hole p with
  | true, x :: st, Some _ => [with_hole (with_turning p (Talon st (waste (turning p)) (passes (turning p)))) (Some
      (rank x))]
  | _, _, _ => []
  end.

Definition absent_ones_to_hole absent (p : position) : list position :=
  match hole p with
  | Some h => map (fun x => with_hole p (Some (rank x))) (filter (fun x => are_neighbours (rank x) h) absent)
  | None => []
  end.

Definition moves absent (p : position) : list position :=
  map (settled R)
    (flat_map (fun '(u, x, q) => puts absent q u x) (lifts p)
     ++ flat_map (fun '(x, q) => puts absent q [] x) (offers p)
     ++ deals p
     ++ absent_ones_to_hole absent p).

(** * Proof *)

Lemma is_group_iff g : is_group g = true <-> group R g.
Proof.
  induction g as [|x g IH]; simpl; [tauto|]. destruct g; [tauto|].
  rewrite andb_true_iff, IH. tauto.
Qed.

Lemma up_iff p x : up p x = true <-> ~ In x (face_down p).
Proof. apply not_member_iff. Qed.

Lemma all_up_iff p g : forallb (up p) g = true <-> forall z, In z g -> ~ In z (face_down p).
Proof.
  rewrite forallb_forall. split; intros H z I; specialize (H z I); now apply up_iff.
Qed.

Lemma can_fill_iff p x : can_fill p x = true <-> may_fill R p x.
Proof.
  unfold can_fill, may_fill. destruct (spaces R); try tauto; [apply Nat.eqb_eq | easy | apply is_empty_iff].
Qed.

Lemma can_come_back_iff x : can_come_back x = true <-> may_come_back R x.
Proof.
  unfold can_come_back, may_come_back. rewrite andb_true_iff, orb_true_iff, !negb_true_iff, Nat.eqb_neq.
  destruct (first_stay R); intuition discriminate.
Qed.

Lemma are_neighbours_iff r s : are_neighbours r s = true <-> neighbours R r s.
Proof.
  unfold are_neighbours, neighbours. rewrite !orb_true_iff, andb_true_iff, orb_true_iff, !Nat.eqb_eq. tauto.
Qed.

Lemma lifts_iff p u x q : In (u, x, q) (lifts p) <-> lift R p u x q.
Proof.
  unfold lifts. rewrite !in_app_iff, !in_map_iff, !in_flat_map. split.
  - intros [(((l & c) & r) & I & J)|[(((l & y) & r) & E & I)|[(((l & y) & r) & E & I)|[I|(((l & y) & r) & I & J)]]]].
    + apply in_flat_map in J. destruct J as (((v & y) & b) & J & K). destruct (_ && _) eqn:C; [|easy].
      destruct K as [K|[]]. inversion K; subst. apply andb_true_iff in C. destruct C as (G & U).
      apply splits_iff in I, J. subst c. apply from_column; auto; [now apply is_group_iff | now apply all_up_iff].
    + inversion E; subst. apply from_cell. now apply splits_iff.
    + inversion E; subst. apply from_open_reserve. now apply splits_iff.
    + destruct (reserve p) as [|y k] eqn:K; [easy|]. destruct (up p y) eqn:U; [|easy]. destruct I as [I|[]].
      inversion I; subst. apply from_reserve; auto. now apply up_iff.
    + destruct (_ && _) eqn:C; [|easy]. destruct J as [J|[]]. inversion J; subst.
      rewrite andb_true_iff, forallb_forall in C. destruct C as (B & F).
      apply from_foundation; [now apply splits_iff | now apply can_come_back_iff|].
      intros z Iz. apply not_member_iff. auto.
  - intros [l u' x' b r E G D | l x' r E | l x' r E | x' k E D | l x' r E B H].
    + left. exists (l, u' ++ x' :: b, r). split; [now apply splits_iff|]. apply in_flat_map.
      exists (u', x', b). split; [now apply splits_iff|]. apply is_group_iff in G. apply all_up_iff in D.
      rewrite G, D. now left.
    + right. left. exists (l, x', r). split; auto. now apply splits_iff.
    + right. right. left. exists (l, x', r). split; auto. now apply splits_iff.
    + right. right. right. left. rewrite E. apply up_iff in D. rewrite D. now left.
    + do 4 right. exists (l, x', r). split; [now apply splits_iff|]. apply can_come_back_iff in B. rewrite B.
      replace (forallb _ _) with true; [now left|]. symmetry. apply forallb_forall. intros z I.
      apply not_member_iff. auto.
Qed.

Lemma puts_iff absent p u x q : In q (puts absent p u x) <-> put R absent p u x q.
Proof.
  unfold puts. rewrite in_app_iff, in_flat_map. split.
  - intros [(((l & c) & r) & I & J)|I].
    + destruct (match c with [] => _ | _ => _ end) eqn:C; [|easy]. destruct J as [J|[]]. subst q.
      apply splits_iff in I. destruct c as [|y b].
      * apply to_space; auto. now apply can_fill_iff.
      * apply andb_true_iff in C. destruct C as (U & F). apply to_card; auto. now apply up_iff.
    + destruct u; simpl in I; [|easy]. apply in_app_or in I. destruct I as [I|I].
      * destruct (_ <? _) eqn:C; [|easy]. destruct I as [<-|[]]. apply to_cell. now apply Nat.ltb_lt.
      * destruct (hole p) as [h|] eqn:H.
        -- destruct (are_neighbours _ _) eqn:C; [|easy]. destruct I as [<-|[]]. apply (to_the_hole R absent p x h H).
           now apply are_neighbours_iff.
        -- destruct (forallb _ _) eqn:C; [|easy]. destruct I as [<-|[]]. apply to_foundation; auto.
           rewrite forallb_forall in C. intros y I. apply C, orb_true_iff in I. now rewrite !member_iff in I.
  - intros [l u' x' y b r E D F | l u' x' r E M | x' L | x' H L | x' h H N].
    + left. exists (l, y :: b, r). split; [now apply splits_iff|]. apply up_iff in D. rewrite D, F. now left.
    + left. exists (l, [], r). split; [now apply splits_iff|]. apply can_fill_iff in M. rewrite M. now left.
    + right. simpl. apply in_or_app. left. apply Nat.ltb_lt in L. rewrite L. now left.
    + right. simpl. apply in_or_app. right. rewrite H. replace (forallb _ _) with true; [now left|].
      symmetry. apply forallb_forall. intros y I. apply orb_true_iff. rewrite !member_iff. auto.
    + right. simpl. apply in_or_app. right. rewrite H. apply are_neighbours_iff in N. rewrite N. now left.
Qed.

Lemma pass_sound fuel : forall t u, to_hole R = false -> In u (pass fuel t) -> turns R t u.
Proof.
  induction fuel as [|fuel IH]; intros [st wa n] u H; simpl.
  - intros [<-|[]]. constructor.
  - intros [<-|I]; [constructor|]. destruct st as [|x st]; [easy|].
    econstructor; [|apply IH; eauto]. now apply turn_cards.
Qed.

Lemma pass_start fuel t : In t (pass fuel t).
Proof. destruct fuel; now left. Qed.

(* A pass goes on until the stock is empty. *)
Lemma pass_complete fuel : draw R <> 0 -> forall t u, length (stock t) <= fuel -> In u (pass fuel t) ->
  stock u <> [] ->
  In (Talon (skipn (draw R) (stock u)) (rev (firstn (draw R) (stock u)) ++ waste u) (passes u)) (pass fuel t).
Proof.
  intros D. induction fuel as [|fuel IH]; intros t u L I N.
  - destruct I as [<-|[]]. destruct (stock t); [tauto|simpl in L; lia].
  - cbn [pass] in *. destruct (stock t) as [|x st] eqn:E.
    + destruct I as [<-|[]]. congruence.
    + right. destruct I as [<-|I].
      * rewrite E. apply pass_start.
      * apply IH; auto. cbn [stock]. rewrite skipn_length. cbn [length] in *. lia.
Qed.

Lemma pass_passes fuel : forall t u, In u (pass fuel t) -> passes u = passes t /\ all_cards u = all_cards t.
Proof.
  induction fuel as [|fuel IH]; intros t u I; simpl in I.
  - destruct I as [<-|[]]. auto.
  - destruct I as [<-|I]; auto. destruct (stock t) as [|x st] eqn:E; [easy|]. apply IH in I. cbn [passes] in I.
    destruct I as (-> & ->). split; auto. unfold all_cards. cbn [stock waste].
    rewrite rev_app_distr, rev_involutive, <- app_assoc. rewrite firstn_skipn. now rewrite E.
Qed.

Hypothesis draws : draw R <> 0.

Lemma turns_to_the_end fuel : to_hole R = false -> forall t, length (stock t) <= fuel ->
  turns R t (Talon [] (rev (all_cards t)) (passes t)).
Proof.
  intros H. induction fuel as [|fuel IH]; intros [[|x st] wa n] L; simpl in L; try lia;
    try (unfold all_cards; simpl; rewrite app_nil_r, rev_involutive; constructor).
  pose proof (turn_cards R (x :: st) wa n H ltac:(discriminate)) as T. econstructor; [exact T|].
  rewrite <- (turn_all_cards _ _ _ T). apply (IH (Talon (skipn _ _) _ n)). cbn [stock]. rewrite skipn_length.
  cbn [length]. lia.
Qed.

Lemma turnings_sound t u : In u (turnings t) -> turns R t u.
Proof.
  unfold turnings. destruct (to_hole R) eqn:H; [intros [<-|[]]; constructor|].
  rewrite in_app_iff. intros [I|I]; [eapply pass_sound; eauto|].
  assert (E : exists n, (if unlimited R then n = passes t else passes t = S n) /\
    In u (pass (length (all_cards t)) (Talon (all_cards t) [] n))).
  { destruct (unlimited R); [|destruct (passes t); [easy|]]; eauto. }
  destruct E as (n & E & J). apply pass_sound in J; auto.
  eapply turns_trans; [now apply (turns_to_the_end (length (stock t)))|]. econstructor; [|exact J].
  rewrite <- (rev_involutive (all_cards t)) at 2. now apply turn_over.
Qed.

(* Whatever turning leads to is in the list, perhaps with more passes left. *)
Definition listed (ts : list talon) (u : talon) : Prop :=
  exists n, passes u <= n /\ In (Talon (stock u) (waste u) n) ts.

Lemma listed_turn t u v : listed (turnings t) u -> all_cards u = all_cards t -> passes u <= passes t ->
  turn R u v -> listed (turnings t) v /\ passes v <= passes t.
Proof.
  intros (n & L & I) A P T. unfold turnings in *. destruct T as [st wa k H N | wa k m H E]; rewrite H in *;
    simpl in *.
  - split; auto. exists n. simpl. split; auto. apply in_app_or in I. apply in_or_app. destruct I as [I|I].
    + left. apply (pass_complete _ draws t _ (le_n _)) in I; auto.
    + right. destruct (unlimited R); [|destruct (passes t); [easy|]];
        apply (pass_complete _ draws (Talon (all_cards t) [] _) _ (le_n _)) in I; auto.
  - assert (C : rev wa = all_cards t) by (rewrite <- A; unfold all_cards; simpl; now rewrite app_nil_r).
    destruct (unlimited R).
    + subst m. split; auto. exists (passes t). split; auto. apply in_or_app. right. cbn [stock waste]. rewrite C.
      apply pass_start.
    + subst k. split; [|simpl; lia]. destruct (passes t) as [|j]; [lia|]. exists j. split; [simpl; lia|].
      apply in_or_app. right. cbn [stock waste]. rewrite C. apply pass_start.
Qed.

Lemma turnings_complete t u : turns R t u -> listed (turnings t) u.
Proof.
  intros T. enough (G : forall v, turns R v u -> all_cards v = all_cards t -> listed (turnings t) v ->
    passes v <= passes t ->
    listed (turnings t) u).
  { apply (G t); auto. exists (passes t). split; auto. unfold turnings. destruct t as [st wa n]. simpl.
    destruct (to_hole R); [now left|]. apply in_or_app. left. apply pass_start. }
  clear T. induction 1 as [v | v w u T Ts IH]; auto. intros A L P.
  destruct (listed_turn t v w L A P T) as (L' & P'). apply IH; auto. rewrite <- A. eapply turn_all_cards; eauto.
Qed.

Lemma same_but_passes_iff t u : same_but_passes t u = true <-> stock t = stock u /\ waste t = waste u.
Proof. unfold same_but_passes. now rewrite andb_true_iff, !same_cards_iff. Qed.

Definition as_good (x : card) (t : talon) (y : card) (u : talon) : Prop :=
  x = y /\ stock t = stock u /\ waste t = waste u /\ passes t <= passes u.

Lemma first_ones_sound todo : forall seen x t, In (x, t) (first_ones seen todo) -> In (x, t) todo.
Proof.
  induction todo as [|(y, u) todo IH]; simpl; auto. intros seen x t. destruct (existsb _ seen); [eauto|].
  intros [E|I]; eauto.
Qed.

Lemma first_ones_complete todo : forall seen x t, In (x, t) todo ->
  exists u, as_good x t x u /\ (In (x, u) seen \/ In (x, u) (first_ones seen todo)).
Proof.
  induction todo as [|(y, u) todo IH]; simpl; [easy|]. intros seen x t [E|I].
  - inversion E; subst. destruct (existsb _ seen) eqn:X.
    + apply existsb_exists in X. destruct X as ((z & v) & I & X).
      rewrite !andb_true_iff, same_card_iff, same_but_passes_iff, Nat.leb_le in X. destruct X as ((-> & A & B) & C).
      exists v. split; [repeat split; auto|]. auto.
    + exists t. split; [repeat split; auto|]. right. now left.
  - destruct (existsb _ seen); [now apply IH|].
    destruct (IH ((y, u) :: seen) x t I) as (v & A & [J|J]); exists v; split; auto; simpl; auto.
    destruct J as [J|J]; auto.
Qed.

Lemma offers_sound p x q : In (x, q) (offers p) -> offered R p x q.
Proof.
  unfold offers. rewrite in_map_iff. intros ((y & t) & E & I). inversion E; subst. apply first_ones_sound in I.
  unfold takes in I. apply in_flat_map in I. destruct I as ([st [|y wa] n] & I & J); [easy|].
  destruct J as [J|[]]. inversion J; subst. apply offer. now apply turnings_sound.
Qed.

Lemma offers_complete p x q : offered R p x q ->
  exists t, In (x, with_turning p t) (offers p) /\ q = with_turning p (turning q) /\ at_least R t (turning q).
Proof.
  intros [st wa n T]. apply turnings_complete in T. destruct T as (m & L & I). simpl in *.
  assert (J : In (x, Talon st wa m) (takes (turnings (turning p)))).
  { unfold takes. apply in_flat_map. exists (Talon st (x :: wa) m). split; auto. now left. }
  destruct (first_ones_complete _ [] _ _ J) as ([st' wa' k] & (_ & E & F & K) & [[]|H]). simpl in *. subst.
  eexists. split; [unfold offers; apply in_map_iff; exists (x, Talon st' wa' k); eauto|]. split; auto.
  exists k. simpl. split; [lia|constructor].
Qed.

(* The same position, but for the stock of q, which is at least as good. *)
Definition better_stock (q p : position) : Prop := q = with_turning p (turning q) /\
  at_least R (turning q) (turning p).

Lemma put_better absent p u x r t : put R absent p u x r ->
  put R absent (with_turning p t) u x (with_turning r t) /\ turning r = turning p.
Proof.
  intros [l u' x' y b r' E D F | l u' x' r' E F | x' L | x' H L | x' h H N]; split; auto.
  - exact (to_card R absent (with_turning p t) l u' x' y b r' E D F).
  - exact (to_space R absent (with_turning p t) l u' x' r' E F).
  - exact (to_cell R absent (with_turning p t) x' L).
  - exact (to_foundation R absent (with_turning p t) x' H L).
  - exact (to_the_hole R absent (with_turning p t) x' h H N).
Qed.

Theorem moves_sound absent p q : In q (moves absent p) -> move R absent p q.
Proof.
  unfold moves. rewrite in_map_iff. intros (r & <- & I). rewrite !in_app_iff, !in_flat_map in I.
  destruct I as [(((u & x) & l) & I & J)|[((x & l) & I & J)|[I|I]]].
  - apply lifts_iff in I. apply puts_iff in J. eapply carry; eauto.
  - apply offers_sound in I. apply puts_iff in J. eapply play; eauto.
  - unfold deals in I. destruct (to_hole R) eqn:H; [|easy]. destruct (turning p) as [[|x st] wa n] eqn:T; [easy|].
    destruct (hole p) eqn:Ho; [|easy]. destruct I as [<-|[]]. eapply deal; eauto.
  - unfold absent_ones_to_hole in I. destruct (hole p) as [h|] eqn:Ho; [|easy]. apply in_map_iff in I.
    destruct I as (x & <- & I). apply filter_In in I. destruct I as (I & N). apply are_neighbours_iff in N.
    eapply absent_to_hole; eauto.
Qed.

Theorem moves_complete absent p q : move R absent p q -> exists r, In r (moves absent p) /\ better_stock r q.
Proof.
  intros M. unfold moves. destruct M as [u x l r L P | x l r O P | x st wa n h H T Ho | x h I Ho N].
  - apply lifts_iff in L. apply puts_iff in P. exists (settled R r). split.
    + apply in_map, in_or_app. left. apply in_flat_map. exists (u, x, l). auto.
    + split; [now destruct (settled R r)|apply at_least_refl].
  - destruct (offers_complete _ _ _ O) as (t & I & E & B).
    destruct (put_better _ _ _ _ _ t P) as (P' & Tr). apply puts_iff in P'.
    exists (settled R (with_turning r t)). split.
    + apply in_map, in_or_app. right. apply in_or_app. left. apply in_flat_map.
      exists (x, with_turning p t). split; auto. rewrite E in P'. exact P'.
    + rewrite settled_turning. split; auto. rewrite turning_settled, Tr. exact B.
  - exists (settled R (with_hole (with_turning p (Talon st wa n)) (Some (rank x)))). split.
    + apply in_map. do 2 (apply in_or_app; right). apply in_or_app. left. unfold deals. rewrite H, T, Ho. now left.
    + split; [now destruct (settled R _)|apply at_least_refl].
  - exists (settled R (with_hole p (Some (rank x)))). split.
    + apply in_map. do 3 (apply in_or_app; right). unfold absent_ones_to_hole. rewrite Ho. apply in_map_iff.
      exists x. split; auto. apply filter_In. split; auto. now apply are_neighbours_iff.
    + split; [now destruct (settled R _)|apply at_least_refl].
Qed.
End Moves.
