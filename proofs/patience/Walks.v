(* Losses of games with a hole such as Black Hole, by positions in which suits do not matter and from which a walk is
   possible.

   Claims. To each move of the game there is one of positions by ranks, or none is needed ([ranked_step]). A position
   that can be won has a walk: all cards that are left can go into the hole one after the other, if none of them lies on
   another ([winnable_walk]). If [check_walks] says true, the game cannot be won from this position
   ([check_walks_sound]).

   Nothing is assumed of the table of positions and of [key], which says where in the table a position is. *)
Require Import List Bool Arith Lia Permutation PArith FMapPositive.
Import ListNotations.
From Patience Require Import Game Cards Stock Simulation Certificate Moves Checker Circle.

(* What is left of a position without suits. [singles]: cards in cells, and if cards may go to empty columns, those
   that are alone in columns. *)
Record ranked := Ranked { stacks : list (list nat); singles : list nat; top : nat }.

Section Walks.
Variable R : rules.

(** * The program *)

(* All cards are in columns and cells. They go into the hole one by one, and otherwise only to cells, or also to empty
   columns. *)
Definition has_walks_only : bool :=
  match build R, spaces R, moving_on R with
  | NoBuilding, NoCard, _ | NoBuilding, AnyCard, OneCard => true
  | _, _, _ => false
  end &&
  wrap R && (3 <=? ranks R) && negb (Nat.even (ranks R)).

Definition is_walked (p : position) : bool :=
  is_empty (open_reserve p) && is_empty (reserve p) && is_empty (stock (turning p)) && is_empty (waste (turning p)) &&
  is_empty (foundations p) && (length (cells p) <=? cell_count R).

Definition alone : nat := match spaces R with AnyCard => 1 | _ => 0 end.

Definition as_stack (c : list nat) : list (list nat) := if alone <? length c then [c] else [].
Definition as_singles (c : list nat) : list nat := if alone <? length c then [] else c.

Definition by_ranks (p : position) (h : nat) : ranked :=
  let columns := map (map rank) (columns p) in
  Ranked (flat_map as_stack columns) (map rank (cells p) ++ flat_map as_singles columns) h.

(* [places]: the number of cells, and if cards may go to empty columns, of columns. *)
Definition places (p : position) : nat := cell_count R + alone * length (columns p).

Definition has_place (places : nat) (s : ranked) : bool := length (singles s) + alone * length (stacks s) <? places.

Definition ranked_moves (places : nat) (s : ranked) : list ranked :=
  flat_map (fun '(l, c, r) =>
      match c with
      | x :: below =>
          let stacks := as_stack below ++ l ++ r in
          let singles := as_singles below ++ singles s in
          (if are_neighbours R x (top s) then [Ranked stacks singles x] else []) ++
          (if has_place places s then [Ranked stacks (x :: singles) (top s)] else [])
      | [] => []
      end)
    (splits (stacks s)) ++
  flat_map (fun '(l, x, r) => if are_neighbours R x (top s) then [Ranked (stacks s) (l ++ r) x] else [])
    (splits (singles s)).

Definition left_ranks (s : ranked) : list nat := concat (stacks s) ++ singles s.

Definition may_walk (s : ranked) : bool := has_walk_from (ranks R) (top s) (left_ranks s).

Fixpoint same_ranks (l m : list nat) : bool :=
  match l, m with [], [] => true | x :: l, y :: m => (x =? y) && same_ranks l m | _, _ => false end.

(* The same position, in another order. *)
Definition same_ranked (s r : ranked) : bool :=
  same_in_any_order same_ranks (stacks r) (stacks s) && same_in_any_order Nat.eqb (singles r) (singles s) &&
  (top r =? top s).

Section Check.
Variables (table : PositiveMap.t ranked) (key : ranked -> positive).

Definition in_the_table (s : ranked) : bool :=
  match PositiveMap.find (key s) table with Some r => same_ranked s r | None => false end.

Definition has_moves_inside (places : nat) (s : ranked) : bool :=
  negb (is_empty (stacks s) && is_empty (singles s)) &&
  (negb (may_walk s) || forallb (fun r => negb (may_walk r) || in_the_table r) (ranked_moves places s)).

Definition check_walks (p : position) : bool :=
  match hole p with
  | Some h => has_walks_only && is_walked p && in_the_table (by_ranks p h) &&
      forallb (fun '(_, s) => has_moves_inside (places p) s) (PositiveMap.elements table)
  | None => false
  end.
End Check.

(** * Positions by ranks *)

Hypothesis walks_only : has_walks_only = true.

Lemma no_building : build R = NoBuilding.
Proof. pose proof walks_only as W. unfold has_walks_only in W. now destruct (build R). Qed.

Lemma some_spaces : spaces R = NoCard \/ spaces R = AnyCard /\ moving_on R = OneCard.
Proof.
  pose proof walks_only as W. unfold has_walks_only in W. destruct (build R), (spaces R), (moving_on R); auto; easy.
Qed.

Lemma settled_columns p : settled R p = with_face_down p (filter (fun x => negb (member x (tops p))) (face_down p)).
Proof. unfold settled, filled. now destruct some_spaces as [->|(-> & _)]. Qed.

(* [s] is what is left of p, whose columns and cells are so many places. *)
Record stands (n : nat) (p : position) (s : ranked) : Prop := {
  of_stacks : Permutation (stacks s) (flat_map as_stack (map (map rank) (columns p)));
  of_singles : Permutation (singles s) (map rank (cells p) ++ flat_map as_singles (map (map rank) (columns p)));
  in_hole : hole p = Some (top s);
  of_places : places p = n;
  of_cells : length (cells p) <= cell_count R;
  nothing_else : open_reserve p = [] /\ reserve p = [] /\ foundations p = [] /\ stock (turning p) = [] /\
    waste (turning p) = [] }.

Lemma stands_settled n p s : stands n p s -> stands n (settled R p) s.
Proof. rewrite settled_columns. intros []. now constructor. Qed.

Lemma parts_length c : alone = 1 -> length (as_stack c) + length (as_singles c) <= 1 /\
  (c = [] -> length (as_stack c) + length (as_singles c) = 0).
Proof. intros A. unfold as_stack, as_singles. rewrite A. destruct c as [|x [|y c]]; simpl; split; auto; easy. Qed.

Lemma all_parts_length cs : alone = 1 ->
  length (flat_map as_stack cs) + length (flat_map as_singles cs) <= length cs /\
  (In [] cs -> length (flat_map as_stack cs) + length (flat_map as_singles cs) < length cs).
Proof.
  intros A. induction cs as [|c cs (L & IH)]; simpl; [split; [lia|easy]|].
  rewrite !app_length. destruct (parts_length c A) as (P & P0). split; [lia|].
  intros [E|I]; [specialize (P0 E)|specialize (IH I)]; lia.
Qed.

Lemma no_singles cs : alone = 0 -> flat_map as_singles cs = [].
Proof.
  intros A. induction cs as [|c cs IH]; auto. simpl. rewrite IH, app_nil_r. unfold as_singles. rewrite A.
  now destruct c.
Qed.

Lemma alone_cases : (alone = 0 /\ spaces R = NoCard) \/ (alone = 1 /\ spaces R = AnyCard).
Proof. unfold alone. destruct some_spaces as [->|(-> & _)]; auto. Qed.

(* There is room in a cell, or in an empty column that cards may go to. *)
Lemma has_place_iff n p s : stands n p s ->
  length (cells p) < cell_count R \/ spaces R = AnyCard /\ In [] (columns p) -> has_place n s = true.
Proof.
  intros [P L _ N C _] H. unfold has_place, places in *. apply Nat.ltb_lt. subst n.
  rewrite (Permutation_length L), (Permutation_length P), app_length, map_length.
  set (cs := map (map rank) (columns p)) in *.
  assert (E : length cs = length (columns p)) by apply map_length.
  destruct alone_cases as [(A & S)|(A & S)].
  - rewrite (no_singles _ A), A. simpl. destruct H as [H|(H & _)]; [lia|congruence].
  - destruct (all_parts_length cs A) as (B & B'). rewrite A. destruct H as [H|(_ & H)]; [lia|].
    assert (In [] cs) by (apply (in_map (map rank) _ _ H)). specialize (B' H0). lia.
Qed.

(** * Moves *)

Lemma put_walked q u x r h : hole q = Some h -> (u = [] \/ spaces R = NoCard) -> put R [] q u x r ->
  u = [] /\
  ((neighbours R (rank x) h /\ r = with_hole q (Some (rank x))) \/
   (length (cells q) < cell_count R /\ r = with_cells q (x :: cells q)) \/
   (spaces R = AnyCard /\ exists left right, columns q = left ++ [] :: right /\
      r = with_columns q (left ++ [x] :: right))).
Proof.
  intros H U P. inversion P as [l v y z b r' E D F | l v y r' E F | y L | y N _ | y k E N]; subst.
  - unfold fits in F. rewrite no_building in F. now rewrite andb_false_r in F.
  - unfold may_fill in F. destruct some_spaces as [S|(S & _)]; [now rewrite S in F|].
    destruct U as [->|U]; [|congruence]. split; auto. right. right. split; auto. now exists l, r'.
  - split; auto.
  - congruence.
  - split; auto. left. split; [|auto]. congruence.
Qed.

Lemma lift_alone p u x q : lift R p u x q -> u = [] \/ spaces R = NoCard.
Proof.
  intros L. destruct some_spaces as [S|(_ & M)]; auto. left. destruct L as [l u x b r _ G _| | | |]; auto.
  destruct u as [|y u]; auto. exfalso. cbn [app group] in G. destruct (u ++ [x]) eqn:E; [now destruct u|].
  unfold moves_with in G. rewrite M in G. now destruct G.
Qed.

(* A single card of rank x is taken: what is left stands for q. *)
Definition without_single (n : nat) (p q : position) (s : ranked) (x : nat) : Prop :=
  exists l r, singles s = l ++ x :: r /\
    Permutation (stacks s) (flat_map as_stack (map (map rank) (columns q))) /\
    Permutation (l ++ r) (map rank (cells q) ++ flat_map as_singles (map (map rank) (columns q))).

(* A stack with x on top is there. *)
Definition without_top (p q : position) (s : ranked) (x : nat) : Prop :=
  exists l below r, stacks s = l ++ (x :: below) :: r /\
    Permutation (as_stack below ++ l ++ r) (flat_map as_stack (map (map rank) (columns q))) /\
    Permutation (as_singles below ++ singles s)
      (map rank (cells q) ++ flat_map as_singles (map (map rank) (columns q))) /\
    (In [] (columns q) -> alone = 1 -> In [] (columns p)).

Lemma split_like {A} (l m : list A) x a b : Permutation l m -> Permutation m (x :: a ++ b) ->
  exists c d, l = c ++ x :: d /\ Permutation (c ++ d) (a ++ b).
Proof.
  intros P Q. destruct (permutation_split l x (a ++ b)) as (c & d & -> & E); [now rewrite P|]. exists c, d. auto.
Qed.

Lemma lift_walked n p u x q s : stands n p s -> lift R p u x q -> u = [] ->
  hole q = Some (top s) /\ places q = n /\ length (cells q) <= length (cells p) /\
  (open_reserve q = [] /\ reserve q = [] /\ foundations q = [] /\ stock (turning q) = [] /\ waste (turning q) = []) /\
  (without_single n p q s (rank x) \/ cells q = cells p /\ without_top p q s (rank x)).
Proof.
  intros [P L H N C E] Li ->.
  inversion Li as [l v y b r Ec _ _ | l y r Ec | l y r Eo | y k Er _ | l y r Ef _ _]; subst; simpl in *;
    destruct E as (O & Re & Fo & St & Wa).
  - repeat split; auto.
    + unfold places. simpl. rewrite Ec, !app_length. now simpl.
    + rewrite Ec, !map_app, !flat_map_app in P, L. simpl in P, L.
      destruct (alone <? S (length b)) eqn:T; unfold as_stack at 2 in P; unfold as_singles at 2 in L; simpl in P, L;
        rewrite map_length, T in P, L; simpl in P, L.
      * right. split; auto.
        destruct (split_like _ _ (rank x :: map rank b) (flat_map as_stack (map (map rank) l))
          (flat_map as_stack (map (map rank) r)) P) as (c & d & Ep & Q); [now rewrite <- Permutation_middle|].
        exists c, (map rank b), d. split; auto. simpl. rewrite !map_app, !flat_map_app. simpl. repeat split.
        -- rewrite Q. rewrite !app_assoc. apply Permutation_app_tail, Permutation_app_comm.
        -- rewrite L. rewrite !app_assoc. apply Permutation_app_tail. rewrite <- !app_assoc.
           rewrite Permutation_app_comm. rewrite <- !app_assoc. apply Permutation_app_head, Permutation_app_head.
           reflexivity.
        -- intros I A. rewrite Ec. apply in_app_iff. apply in_app_iff in I. destruct I as [I|[I|I]]; auto.
           ++ subst b. rewrite A in T. discriminate.
           ++ right. now right.
      * left. apply Nat.ltb_ge in T.
        destruct b as [|y b]; [|simpl in T; destruct alone_cases as [(A & _)|(A & _)]; lia].
        destruct (split_like _ _ (rank x) (map rank (cells p) ++ flat_map as_singles (map (map rank) l))
          (flat_map as_singles (map (map rank) r)) L) as (c & d & El & Q).
        { simpl. rewrite app_assoc. now rewrite <- Permutation_middle. }
        assert (Z : as_stack [] = [] /\ as_singles [] = []) by (unfold as_stack, as_singles; now destruct alone).
        destruct Z as (Zp & Zl). exists c, d. simpl columns. rewrite !map_app, !flat_map_app. cbn [map flat_map].
        rewrite Zp, Zl. cbn [app]. repeat split; auto. now rewrite Q, app_assoc.
  - repeat split; auto.
    + rewrite Ec, !app_length. simpl. lia.
    + left. rewrite Ec, map_app in L. simpl in L.
      destruct (split_like _ _ (rank x) (map rank l) (map rank r ++ flat_map as_singles (map (map rank) (columns p))) L)
        as (c & d & El & Q); [rewrite <- app_assoc; simpl; now rewrite <- Permutation_middle|].
      exists c, d. simpl. rewrite map_app, <- app_assoc. auto.
  - now rewrite O in Eo; destruct l.
  - congruence.
  - now rewrite Fo in Ef; destruct l.
Qed.

(* A card that is put into a cell, or alone into an empty column, is a single one. *)
Lemma put_single q x r : length (cells q) <= cell_count R ->
  (length (cells q) < cell_count R /\ r = with_cells q (x :: cells q)) \/
   (spaces R = AnyCard /\ exists left right, columns q = left ++ [] :: right /\
      r = with_columns q (left ++ [x] :: right)) ->
  Permutation (flat_map as_stack (map (map rank) (columns r))) (flat_map as_stack (map (map rank) (columns q))) /\
  Permutation (map rank (cells r) ++ flat_map as_singles (map (map rank) (columns r)))
    (rank x :: map rank (cells q) ++ flat_map as_singles (map (map rank) (columns q))) /\
  hole r = hole q /\ places r = places q /\ length (cells r) <= cell_count R /\ open_reserve r = open_reserve q /\
  reserve r = reserve q /\ foundations r = foundations q /\ turning r = turning q.
Proof.
  intros C [(L & ->)|(S & l & k & E & ->)]; simpl; [repeat split; auto|].
  assert (A : alone = 1) by (unfold alone; now rewrite S).
  rewrite E, !map_app, !flat_map_app. cbn [map flat_map].
  replace (as_stack [rank x]) with (as_stack []) by (unfold as_stack; now rewrite A).
  replace (as_singles [rank x]) with [rank x] by (unfold as_singles; now rewrite A).
  replace (as_singles []) with (@nil nat) by (unfold as_singles; now destruct (_ <? _)). cbn [app]. repeat split; auto.
  - rewrite app_assoc. rewrite <- Permutation_middle. now rewrite app_assoc.
  - unfold places. simpl. now rewrite E, !app_length.
Qed.

Theorem ranked_step n p q s : stands n p s -> move R [] p q ->
  stands n q s \/ exists t, In t (ranked_moves n s) /\ stands n q t.
Proof.
  intros S M. destruct M as [u x l r L P | x l r O P | x st wa k h _ T _ | x h []].
  - pose proof (lift_alone _ _ _ _ L) as U.
    assert (Hl : hole l = Some (top s)) by (pose proof (in_hole _ _ _ S) as H; now destruct L).
    destruct (put_walked _ _ _ _ _ Hl U P) as (-> & Pu).
    destruct (lift_walked _ _ _ _ _ _ S L eq_refl) as (_ & N & C & E & W). pose proof (of_cells _ _ _ S) as Cp.
    assert (Cl : length (cells l) <= cell_count R) by lia.
    destruct Pu as [(Ne & ->)|Pu]; [right|assert (Room := Pu); apply (put_single l x r) in Pu; auto].
    + apply are_neighbours_iff in Ne. destruct W as [(a & b & El & Pp & Pl)|(Ec & a & c & b & Ep & Pp & Pl & _)].
      * exists (Ranked (stacks s) (a ++ b) (rank x)). split.
        -- unfold ranked_moves. apply in_app_iff. right. apply in_flat_map. exists (a, rank x, b).
           split; [now apply splits_iff|]. rewrite Ne. now left.
        -- apply stands_settled. now constructor.
      * exists (Ranked (as_stack c ++ a ++ b) (as_singles c ++ singles s) (rank x)). split.
        -- unfold ranked_moves. apply in_app_iff. left. apply in_flat_map. exists (a, rank x :: c, b).
           split; [now apply splits_iff|]. rewrite Ne. now left.
        -- apply stands_settled. now constructor.
    + destruct Pu as (Qp & Ql & Qh & Qn & Qc & Qo & Qr & Qf & Qt).
      rewrite <- Qo, <- Qr, <- Qf, <- Qt in E.
      destruct W as [(a & b & El & Pp & Pl)|(Ec & a & c & b & Ep & Pp & Pl & Sp)].
      * left. apply stands_settled. constructor; auto; try congruence.
        -- now rewrite Qp.
        -- now rewrite Ql, El, <- Pl, <- Permutation_middle.
      * right. exists (Ranked (as_stack c ++ a ++ b) (rank x :: as_singles c ++ singles s) (top s)). split.
        -- unfold ranked_moves. apply in_app_iff. left. apply in_flat_map. exists (a, rank x :: c, b).
           split; [now apply splits_iff|]. replace (has_place n s) with true.
           ++ apply in_app_iff. right. now left.
           ++ symmetry. apply (has_place_iff n p s S). rewrite <- Ec.
              destruct Room as [(Lt & _)|(An & e & f & Ee & _)]; auto. right. split; auto. apply Sp.
              ** rewrite Ee. apply in_app_iff. right. now left.
              ** unfold alone. now rewrite An.
        -- apply stands_settled. constructor; simpl; auto; try congruence.
           ++ now rewrite Qp.
           ++ now rewrite Ql, Pl.
  - exfalso. destruct (nothing_else _ _ _ S) as (_ & _ & _ & St & Wa). destruct O as [st wa k O].
    assert (K : forall t u, turns R t u -> waste t = [] -> stock t = [] -> waste u = []).
    { clear. induction 1 as [t | t u v T _ IH]; auto. intros W St. destruct T as [st wa n E N | wa n m E _]; simpl in *.
      - congruence.
      - subst wa. apply IH; auto. }
    now specialize (K _ _ O Wa St).
  - exfalso. destruct (nothing_else _ _ _ S) as (_ & _ & _ & St & _). now rewrite T in St.
Qed.

(** * Walks *)

Lemma as_both c : Permutation (concat (as_stack c) ++ as_singles c) c.
Proof. unfold as_stack, as_singles. destruct (alone <? length c); simpl; now rewrite ?app_nil_r. Qed.

Lemma ranked_moves_left n s t : In t (ranked_moves n s) ->
  (top t = top s /\ Permutation (left_ranks t) (left_ranks s)) \/
  (neighbours R (top t) (top s) /\ Permutation (top t :: left_ranks t) (left_ranks s)).
Proof.
  unfold ranked_moves, left_ranks. rewrite in_app_iff, !in_flat_map.
  intros [(((l & c) & r) & I & J)|(((l & x) & r) & I & J)].
  - apply splits_iff in I. destruct c as [|x below]; [easy|].
    assert (K : Permutation (x :: concat (as_stack below ++ l ++ r) ++ as_singles below ++ singles s)
      (concat (stacks s) ++ singles s)).
    { rewrite I, !concat_app. cbn [concat].
      transitivity (x :: (concat (as_stack below) ++ as_singles below) ++ concat l ++ concat r ++ singles s).
      - constructor. rewrite <- !app_assoc. apply Permutation_app_head. rewrite (app_assoc (concat l)).
        rewrite (app_assoc (concat l) (concat r) (singles s)). apply Permutation_app_swap_app.
      - rewrite as_both, <- !app_assoc. cbn [app]. rewrite <- Permutation_middle. constructor.
        apply Permutation_app_swap_app. }
    apply in_app_iff in J. destruct J as [J|J].
    + destruct (are_neighbours _ _) eqn:N; [|easy]. destruct J as [<-|[]]. right. apply are_neighbours_iff in N. auto.
    + destruct (has_place _ _); [|easy]. destruct J as [<-|[]]. left. split; auto. cbn [stacks singles].
      rewrite <- K. now rewrite <- Permutation_middle.
  - apply splits_iff in I. destruct (are_neighbours _ _) eqn:N; [|easy]. destruct J as [<-|[]]. right.
    apply are_neighbours_iff in N. split; auto. cbn [stacks singles top]. rewrite I.
    rewrite !Permutation_middle. now rewrite <- !Permutation_middle.
Qed.

Lemma won_stands n p s : stands n p s -> won p -> stacks s = [] /\ singles s = [].
Proof.
  intros [P L _ _ _ _] (C & Ce & _). rewrite Ce in L. simpl in L.
  set (cs := map (map rank) (columns p)) in *.
  assert (E : flat_map as_stack cs = [] /\ flat_map as_singles cs = []).
  { subst cs. clear P L. induction C as [|c cs <- _ (IHp & IHl)]; auto. }
  destruct E as (Ep & El). rewrite Ep in P. rewrite El in L. split; now apply Permutation_nil, Permutation_sym.
Qed.

Lemma wraps : wrap R = true /\ 3 <= ranks R /\ Nat.even (ranks R) = false.
Proof.
  pose proof walks_only as W. unfold has_walks_only in W. rewrite !andb_true_iff, negb_true_iff, Nat.leb_le in W. tauto.
Qed.

Theorem winnable_walk n p q : reach R [] p q -> won q -> forall s, stands n p s ->
  exists l, follow (ranks R) (top s) l /\ Permutation l (left_ranks s).
Proof.
  induction 1 as [p | p q r M _ IH]; intros W s S.
  - destruct (won_stands _ _ _ S W) as (Ep & El). exists []. unfold left_ranks. rewrite Ep, El. simpl. auto.
  - destruct (ranked_step _ _ _ _ S M) as [S'|(t & I & S')]; destruct (IH W _ S') as (l & F & P); [now exists l|].
    destruct (ranked_moves_left _ _ _ I) as [(E & Q)|(N & Q)].
    + exists l. rewrite <- E, <- Q. auto.
    + exists (top t :: l). rewrite <- Q. split; auto. simpl. split; auto. unfold adjoin. unfold neighbours in N. tauto.
Qed.

Lemma may_walk_true n p s : winnable R p -> stands n p s -> may_walk s = true.
Proof.
  intros (q & Re & W) S. destruct (winnable_walk _ _ _ Re W _ S) as (l & F & P). destruct wraps as (_ & T & O).
  eapply walk_found; eauto.
Qed.

(** * The table *)

Lemma same_ranks_sound l : forall m, same_ranks l m = true -> l = m.
Proof.
  induction l as [|x l IH]; intros [|y m] E; try easy. simpl in E. rewrite andb_true_iff, Nat.eqb_eq in E.
  destruct E as (-> & E). now rewrite (IH _ E).
Qed.

Lemma same_ranked_sound n p s r : same_ranked s r = true -> stands n p s -> stands n p r.
Proof.
  unfold same_ranked. rewrite !andb_true_iff, Nat.eqb_eq. intros ((P & L) & T) [].
  apply same_in_any_order_sound in P; [|intros; now apply same_ranks_sound].
  apply same_in_any_order_sound in L; [|intros; now apply Nat.eqb_eq].
  constructor; auto; [now rewrite P | now rewrite L | now rewrite T].
Qed.

Lemma inside_lost table key n p q : forallb (fun '(_, s) => has_moves_inside table key n s) (PositiveMap.elements table)
  = true -> reach R [] p q -> won q -> forall k s, PositiveMap.find k table = Some s -> stands n p s -> False.
Proof.
  intros G. rewrite forallb_forall in G. induction 1 as [p | p q r M Re IH]; intros W k s F S;
    pose proof (G _ (PositiveMap.elements_correct _ _ F)) as I; cbn beta iota in I; unfold has_moves_inside in I;
    apply andb_true_iff in I; destruct I as (Nw & I).
  - destruct (won_stands _ _ _ S W) as (Ep & El). now rewrite Ep, El in Nw.
  - assert (Wq : winnable R q) by (now exists r).
    assert (Wp : winnable R p) by (exists r; split; auto; econstructor; eauto).
    rewrite (may_walk_true _ _ _ Wp S) in I. simpl in I. rewrite forallb_forall in I.
    destruct (ranked_step _ _ _ _ S M) as [S'|(t & J & S')]; [now apply (IH W k s)|].
    apply I in J. rewrite (may_walk_true _ _ _ Wq S') in J. simpl in J. unfold in_the_table in J.
    destruct (PositiveMap.find (key t) table) as [u|] eqn:Fu; [|easy].
    apply (IH W _ _ Fu). eapply same_ranked_sound; eauto.
Qed.

End Walks.

Theorem check_walks_sound R table key p : check_walks R table key p = true -> ~ winnable R p.
Proof.
  unfold check_walks. destruct (hole p) as [h|] eqn:H; [|easy]. rewrite !andb_true_iff.
  intros (((W & P) & T) & G) (q & Re & Wq).
  assert (S : stands R (places R p) p (by_ranks R p h)).
  { unfold is_walked in P. rewrite !andb_true_iff, !is_empty_iff, Nat.leb_le in P. constructor; auto; tauto. }
  unfold in_the_table in T. destruct (PositiveMap.find _ _) as [s|] eqn:F; [|easy].
  eapply (inside_lost R W table key); eauto. eapply same_ranked_sound; eauto.
Qed.
