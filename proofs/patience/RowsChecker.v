(* The checker of counts where a stock goes to the columns, with safe cards that go up at once, and positions without
   moves that a relaxed game refutes; without both, too.

   Claim ([check_rows_sound]). If [check_rows] says true, the game cannot be won from the start, by the rules R.

   As in AheadChecker.v, nothing is assumed of what the table says, and how it was found. *)
Require Import List Bool Arith Lia Permutation PArith FMapPositive.
Import ListNotations.
From Patience Require Import Game Cards Stock Simulation Certificate Moves Checker Ahead Relaxed AheadChecker Rows
  RowsAhead.

Section Checker.
Variables (R : rules) (full_columns : bool).

(* The moves of a position. *)
Definition row_moves (p : position) : list position :=
  map (settled R) (flat_map (fun '(u, x, q) => puts R [] q u x) (lifts R p) ++
    if is_empty (stock (turning p)) || (full_columns && existsb is_empty (columns p)) then [] else [dealt p]).

Variables (sets : list (card * list card)) (table : PositiveMap.t position) (stages : position -> list card)
  (key : position -> positive) (refutation : position -> option relaxed).

(* The position after these safe cards have gone up. *)
Fixpoint rises (l : list card) (s : position) : option position :=
  match l with
  | [] => Some s
  | c :: l =>
      if is_safe_by_sets R sets [] s c then match rise R s c with Some t => rises l t | None => None end else None
  end.

(* Where an empty column may do harm, or a card takes others along that do not fit each other, none do. *)
Definition may_rise : bool :=
  negb full_columns && match spaces R with FromReserve => false | _ => true end && are_groups R.

Fixpoint same_columns (cs ds : list (list card)) : bool :=
  match cs, ds with
  | [], [] => true
  | c :: cs, d :: ds => same_cards c d && same_columns cs ds
  | _, _ => false
  end.

(* The same position. Columns may lie in another order if no cards will be dealt to them. *)
Definition same_in_rows (s r : position) : bool :=
  same_position R s r && same_but_passes (turning s) (turning r) && (passes (turning s) =? passes (turning r)) &&
  (is_empty (stock (turning s)) || same_columns (columns s) (columns r)).

Definition is_row_led (t : position) : bool :=
  (is_empty (stages t) || may_rise) &&
  match rises (stages t) t with
  | None => false
  | Some q => match PositiveMap.find (key q) table with Some r => same_in_rows q r | None => false end
  end.

Definition is_row_lost (s : position) : bool :=
  is_at_rest R s &&
  match refutation s with
  | Some ever => is_refuted R s ever && forallb (once_bare ever) (all_cards (turning s))
  | None => negb (is_won s) && forallb is_row_led (row_moves s)
  end.

Definition check_rows (start : position) : bool :=
  (draw R =? 1) && to_hole R && is_proper R start && is_empty (waste (turning start)) &&
  forallb (fun '(_, needed) => is_complete R needed) sets && is_row_led start &&
  forallb (fun '(_, s) => is_row_lost s) (PositiveMap.elements table).

(** * Proof *)

Lemma row_moves_iff p q : In q (row_moves p) <-> row_move R full_columns p q.
Proof.
  unfold row_moves. rewrite in_map_iff. split.
  - intros (r & <- & I). apply in_app_or in I. destruct I as [I|I].
    + apply in_flat_map in I. destruct I as (((u & x) & l) & I & J). apply lifts_iff in I. apply puts_iff in J.
      eapply carry_cards; eauto.
    + destruct (_ || _) eqn:E; [easy|]. destruct I as [<-|[]]. apply orb_false_iff in E. destruct E as (E & F).
      apply deal_row.
      * intros N. now rewrite N in E.
      * intros -> I. simpl in F. apply not_true_iff_false in F. apply F, existsb_exists. exists []. auto.
  - intros [u x l r L P|N F]; eexists; (split; [reflexivity|]); apply in_or_app; [left|right].
    + apply in_flat_map. exists (u, x, l). split; [now apply lifts_iff|now apply puts_iff].
    + destruct (_ || _) eqn:E; [|now left]. apply orb_true_iff in E. destruct E as [E|E].
      * apply is_empty_iff in E. congruence.
      * apply andb_true_iff in E. destruct E as (E & I). apply existsb_exists in I. destruct I as (c & I & C).
        apply is_empty_iff in C. rewrite C in I. destruct (F E I).
Qed.

Lemma same_columns_iff cs : forall ds, same_columns cs ds = true <-> cs = ds.
Proof.
  induction cs as [|c cs IH]; intros [|d ds]; simpl; try easy.
  rewrite andb_true_iff, same_cards_iff, IH. split; [intros (-> & ->); auto|intros E; inversion E; auto].
Qed.

Hypotheses (draws : draw R = 1) (rows : to_hole R = true)
  (complete : forall c S, In (c, S) sets -> is_complete R S = true).

Let draws' : draw R <> 0.
Proof. lia. Qed.

(* What is ahead stays so. *)
Definition row_leads (t r : position) : Prop :=
  proper R t -> proper R r /\ length (left_over r) <= length (left_over t) /\
  forall p S, ahead_in_rows R full_columns p t S -> exists S', ahead_in_rows R full_columns p r S'.

Lemma row_leads_trans s t r : row_leads s t -> row_leads t r -> row_leads s r.
Proof.
  intros A B W. destruct (A W) as (Wt & L & H). destruct (B Wt) as (Wr & L' & H').
  split; [auto|split; [lia|]]. intros p S C. destruct (H p S C) as (S' & C'). eauto.
Qed.

Lemma same_leads_row s r : same_in_rows s r = true -> row_leads s r.
Proof.
  unfold same_in_rows. rewrite !andb_true_iff, orb_true_iff, is_empty_iff, same_columns_iff, same_but_passes_iff,
    Nat.eqb_eq.
  intros (((Sa & Sw & Ww) & Pa) & Co) W.
  assert (T : turning r = turning s) by (destruct (turning r), (turning s); simpl in *; congruence).
  assert (Sh : shadow R [] s s).
  { apply nowhere_shadow; auto. apply (proper_once _ _ W). apply (proper_hole _ _ W). }
  pose proof (same_position_sound R draws' [] s s r Sh Sa) as Sr.
  pose proof (shadow_cards R draws' _ _ _ Sr) as C. pose proof (shadow_left_over R draws' _ _ _ Sr) as L.
  pose proof (shadow_foundations _ _ _ _ Sr) as F. rewrite live_nil in C, L, F.
  split; [|split].
  - apply (proper_same R s); auto. exact (shadow_hole _ _ _ _ Sr).
  - now rewrite (Permutation_length L).
  - intros p S [Ah Tu Wa Or Ri]. exists S. constructor; auto; try congruence.
    + apply (shadow_ahead R [] p s S [] r); auto using incl_refl.
    + intros N. specialize (Or N). unfold follows, in_order in *. destruct Co as [Co|Co]; [congruence|].
      rewrite <- Co, Or. apply map_ext. intros c. apply live_ext. intros x _. rewrite !app_nil_r, !in_early, F. tauto.
Qed.

(* A safe card goes up. *)
Lemma rise_leads_row s c t : may_rise = true -> is_safe_by_sets R sets [] s c = true -> rise R s c = Some t ->
  waste (turning s) = [] -> row_leads s t.
Proof.
  unfold may_rise. rewrite !andb_true_iff, negb_true_iff, are_groups_iff. intros ((Fu & Sp') & Gr) Sa Ri Wa W.
  assert (Sp : spaces R <> FromReserve) by (intros E; now rewrite E in Sp').
  destruct (safe_facts _ _ _ _ _ Sa) as (I & G & Re & _).
  assert (Nf : ~ In c (foundations s)) by (intros J; apply G; now left).
  unfold rise in Ri. destruct (find _ (lifts R s)) as [((u & x) & q)|] eqn:F.
  2: { destruct (find _ (offers R s)) as [(x & q)|] eqn:F'; [|discriminate]. exfalso. apply find_some in F'.
       destruct F' as (F' & _). apply offers_sound in F'; auto. destruct (no_offers R rows s x q F' Wa). }
  apply find_some in F. destruct F as (F & B). apply lifts_iff in F. rewrite andb_true_iff, is_empty_iff,
    same_card_iff in B. destruct B as (-> & <-). inversion Ri; subst t. clear Ri.
  destruct (lift_left_over _ _ _ _ _ F Nf) as (P & Fo). destruct (lift_cards _ _ _ _ _ F) as (_ & Ho).
  destruct (settled_parts R (with_foundations q (c :: foundations q))) as (P' & F' & H').
  assert (Lt : Permutation (left_over (risen R q c)) (left_over q)) by exact P'.
  assert (C : Permutation (cards_of (risen R q c)) (cards_of s)).
  { unfold cards_of. rewrite Lt, risen_found, Fo, P. simpl. symmetry. apply Permutation_middle. }
  split; [|split].
  - apply (proper_same R s); auto. unfold risen. rewrite H'. simpl. congruence.
  - rewrite (Permutation_length P), (Permutation_length Lt). simpl. lia.
  - intros p S [Ah Tu Wp Or Ris]. exists (S ++ set_of sets c).
    assert (Ii : In c (S ++ set_of sets c)) by (apply in_or_app; auto).
    assert (Is : incl S (S ++ set_of sets c)) by (intros x J; apply in_or_app; auto).
    constructor; auto.
    + apply (rise_ahead R [] p s S); auto.
      * apply needs_both; [apply (ahead_needs _ _ _ _ _ Ah)|apply set_complete; auto].
      * intros x J. apply in_app_or in J. destruct J as [J|J]; [now apply (ahead_ready _ _ _ _ _ Ah)|auto].
      * intros E IE O. split; [|now left].
        apply (lift_shadow R E s c); auto; [apply (proper_once _ _ W)|apply (proper_hole _ _ W)].
      * intros M. destruct (Gr M).
    + unfold risen. rewrite turning_settled. simpl. rewrite <- Tu. now destruct F.
    + intros N. apply (rise_follows R [] p s S _ c q); auto. intros E IE O. apply (lift_columns R E s c); auto.
      apply (proper_once _ _ W).
Qed.

Lemma rise_waste s c t : rise R s c = Some t -> waste (turning s) = [] -> waste (turning t) = [].
Proof.
  intros Ri Wa. unfold rise in Ri. destruct (find _ (lifts R s)) as [((u & x) & q)|] eqn:F.
  - apply find_some in F. destruct F as (F & _). apply lifts_iff in F. inversion Ri; subst t. unfold risen.
    rewrite turning_settled. simpl. now destruct F.
  - destruct (find _ (offers R s)) as [(x & q)|] eqn:F'; [|discriminate]. exfalso. apply find_some in F'.
    destruct F' as (F' & _). apply offers_sound in F'; auto. destruct (no_offers R rows s x q F' Wa).
Qed.

Lemma rises_lead l : forall s r, is_empty l || may_rise = true -> rises l s = Some r -> waste (turning s) = [] ->
  row_leads s r.
Proof.
  induction l as [|c l IH]; simpl; intros s r M F Wa.
  - inversion F; subst. intros W. split; auto. split; eauto.
  - destruct (is_safe_by_sets R sets [] s c) eqn:Sa; [|discriminate]. destruct (rise R s c) as [t|] eqn:Ri;
      [|discriminate].
    apply (row_leads_trans _ t); [now apply (rise_leads_row s c)|]. apply IH; auto.
    + rewrite M. apply orb_true_r.
    + now apply (rise_waste s c).
Qed.

Definition in_rows_table (s : position) : Prop := exists k, PositiveMap.find k table = Some s.

Lemma row_led t : is_row_led t = true -> waste (turning t) = [] -> exists r, in_rows_table r /\ row_leads t r.
Proof.
  unfold is_row_led. rewrite andb_true_iff. intros (M & L) Wa.
  destruct (rises _ _) as [q|] eqn:F; [|discriminate].
  destruct (PositiveMap.find _ table) as [r|] eqn:T; [|discriminate]. exists r. split; [eexists; eauto|].
  apply (row_leads_trans _ q); [now apply (rises_lead (stages t))|now apply same_leads_row].
Qed.

Hypothesis lost : forall s, in_rows_table s -> is_row_lost s = true.

Lemma row_table_lost p q : row_reach R full_columns p q -> won q -> forall s S, in_rows_table s -> proper R s ->
  ahead_in_rows R full_columns p s S -> False.
Proof.
  intros Re Wq. induction Re as [p | p r q M Re IH]; intros s S T W A.
  - pose proof (lost _ T) as L. unfold is_row_lost in L. apply andb_true_iff in L. destruct L as (_ & L).
    pose proof (ahead_won R [] p s S (rows_ahead _ _ _ _ _ A) Wq) as Ws.
    destruct (refutation s) as [ever|].
    + apply andb_true_iff in L. destruct L as (L & B). rewrite forallb_forall in B.
      apply (relaxed_rows_lost R full_columns s ever draws' W L B). exists s. split; [constructor|auto].
    + rewrite andb_true_iff, negb_true_iff in L. apply is_won_iff in Ws. destruct L. congruence.
  - remember (length (left_over s)) as n eqn:En. revert s S En T W A.
    induction n as [n IHn] using lt_wf_ind. intros s S -> T W A.
    pose proof (lost _ T) as L. unfold is_row_lost in L. apply andb_true_iff in L. destruct L as (Ar & L).
    apply is_at_rest_sound in Ar. destruct (refutation s) as [ever|].
    + apply andb_true_iff in L. destruct L as (L & B). rewrite forallb_forall in B.
      apply (relaxed_rows_lost R full_columns s ever draws' W L B).
      apply (ahead_rows_winnable R full_columns draws rows p s S A W Ar). exists q. split; auto.
      econstructor; eauto.
    + rewrite andb_true_iff, forallb_forall in L. destruct L as (_ & Ld).
      assert (Go : forall t u S', row_move R full_columns s t -> ahead_in_rows R full_columns u t S' ->
        exists v, in_rows_table v /\ row_leads t v /\ proper R t).
      { intros t u S' Mt A'. destruct (row_led t) as (v & Tv & Lv).
        - apply Ld. now apply row_moves_iff.
        - rewrite (rows_turning _ _ _ _ _ A'). exact (rows_waste _ _ _ _ _ A').
        - exists v. split; auto. split; auto. eapply row_proper; eauto. }
      destruct (ahead_row R full_columns draws rows p s S r A W Ar M) as [A'|[(t & Mt & A')|(t & Mt & A' & Lt)]].
      * exact (IH Wq _ _ T W A').
      * destruct (Go t r S Mt A') as (v & Tv & Lv & Wt). destruct (Lv Wt) as (Wv & _ & H).
        destruct (H _ _ A') as (S' & A''). exact (IH Wq _ _ Tv Wv A'').
      * destruct (Go t p S Mt A') as (v & Tv & Lv & Wt). destruct (Lv Wt) as (Wv & Ll & H).
        destruct (H _ _ A') as (S' & A''). refine (IHn (length (left_over v)) _ v S' eq_refl Tv Wv A''). lia.
Qed.
End Checker.

Theorem check_rows_sound R full_columns sets table stages key refutation start :
  check_rows R full_columns sets table stages key refutation start = true -> ~ row_winnable R full_columns start.
Proof.
  unfold check_rows. rewrite !andb_true_iff, !forallb_forall, is_empty_iff, Nat.eqb_eq.
  intros ((((((D & Ro) & P) & Wa) & C) & Q) & L) (q & Re & W).
  assert (Co : forall c S, In (c, S) sets -> is_complete R S = true) by (intros c S I; exact (C _ I)).
  assert (Lo : forall s, in_rows_table table s ->
    is_row_lost R full_columns sets table stages key refutation s = true).
  { intros s (k & F). exact (L _ (PositiveMap.elements_correct _ _ F)). }
  assert (Pr : proper R start).
  { unfold is_proper in P. rewrite !andb_true_iff, forallb_forall in P. destruct P as ((N & I) & H).
    constructor; [now apply distinct_sound|auto|now destruct (hole start)]. }
  destruct (row_led R full_columns sets table stages key refutation D Ro Co start Q Wa) as (r & T & Le).
  destruct (Le Pr) as (Wr & _ & H).
  destruct (H start [] (ahead_of_itself R full_columns start Pr Wa)) as (S & A).
  exact (row_table_lost R full_columns sets table stages key refutation D Ro Co Lo start q Re W _ _ T Wr A).
Qed.
