(* The checker of counts with safe cards that go up at once, and positions without moves that a relaxed game refutes.

   Claim ([check_ahead_sound]). If [check_ahead] says true, the game cannot be won from the start, by the rules R.

   The table has positions of the easier game, each with its absent cards. [stages] says what happens after a move until
   a position of the table is reached: cards become absent, or a safe card goes up; [key] is the number of that
   position; and [refutation] says why a position has no moves. Nothing is assumed of them, nor of the sets of cards
   that show which cards are safe: if they are wrong, the checker says false. *)
Require Import List Bool Arith Lia Permutation PArith FMapPositive.
Import ListNotations.
From Patience Require Import Game Cards Stock Simulation Certificate Moves Checker Ahead Relaxed.

Inductive stage := Leave (more : list card) | Rise (c : card).

Section Checker.
Variable R : rules.

Definition deck_of : list card :=
  flat_map (fun r => map (Card r) [Clubs; Hearts; Spades; Diamonds]) (seq 1 (ranks R)).

Lemma in_deck_of x : in_deck R x = true -> In x deck_of.
Proof.
  unfold in_deck. rewrite andb_true_iff, !Nat.leb_le. intros (A & B). unfold deck_of. apply in_flat_map.
  exists (rank x). split; [apply in_seq; lia|]. destruct x as [r s]. simpl. destruct s; auto.
Qed.

(* A card takes only those along that fit each other. *)
Definition are_groups : bool := match moving_on R with AnyCards => false | _ => true end.

Lemma are_groups_iff : are_groups = true <-> moving_on R <> AnyCards.
Proof. unfold are_groups. destruct (moving_on R); split; intros; congruence. Qed.

(** * Which cards are safe *)

(* Each card with one set that contains it, those that go up before, and those that fit it, and so on; these only if
   cards move in groups. *)
Variable sets : list (card * list card).

Definition is_complete (S : list card) : bool :=
  forallb (fun x => forallb (fun y => member y S) (lower R x) &&
    forallb (fun y => implb (are_groups && fits R y x) (member y S)) deck_of) S.

Definition set_of (c : card) : list card :=
  match find (fun '(x, _) => same_card c x) sets with Some (_, needed) => needed | None => [] end.

Definition is_gone absent (s : position) (x : card) : bool := member x (foundations s) || member x absent.

(* If any cards move, all of the set but c are up, and so are those that fit them, and they stay there. *)
Definition is_fixed absent (s : position) (needed : list card) (c : card) : bool :=
  forallb (fun x => (same_card c x || is_gone absent s x) &&
    forallb (fun y => implb (fits R y x) (member y needed || (negb (removable R) && is_gone absent s y))) deck_of) needed.

Definition is_safe_by_sets absent (s : position) (c : card) : bool :=
  let needed := set_of c in
  member c needed && negb (is_gone absent s c) && forallb (fun x => forallb (is_gone absent s) (lower R x)) needed &&
  (are_groups || is_fixed absent s needed c).

(* The position after a safe card has gone up, if it can be moved. *)
Definition rise (s : position) (c : card) : option position :=
  match find (fun '(u, x, _) => is_empty u && same_card c x) (lifts R s) with
  | Some (_, _, q) => Some (risen R q c)
  | None =>
      match find (fun '(x, q) => same_card c x && (draw R =? 1) &&
          is_at_least R (turning q) (live_talon [c] (turning s))) (offers R s) with
      | Some (_, q) => Some (risen R q c)
      | None => None
      end
  end.

(** * The table *)

Fixpoint follow (l : list stage) (entry : state) : option state :=
  match l with
  | [] => Some entry
  | Leave more :: l =>
      let (absent, s) := entry in
      if are_groups && forallb (fun x => member x more) absent && may_be_absent R more s
      then follow l (more, settled R (restricted more s)) else None
  | Rise c :: l =>
      let (absent, s) := entry in
      if is_safe_by_sets absent s c
      then match rise s c with Some t => follow l (absent, t) | None => None end else None
  end.

Variables (table : PositiveMap.t state) (stages : list card -> position -> list stage)
  (key : list card -> position -> positive) (refutation : list card -> position -> option relaxed).

Definition is_led absent (t : position) : bool :=
  match follow (stages absent t) (absent, t) with
  | None => false
  | Some (more, q) =>
      match PositiveMap.find (key more q) table with
      | None => false
      | Some (m, r) => same_cards m more && same_position R q r
      end
  end.

Definition is_lost (entry : state) : bool :=
  let (absent, s) := entry in
  is_at_rest R s &&
  match refutation absent s with
  | Some ever => is_empty absent && is_refuted R s ever
  | None =>
      is_closed R absent s && negb (is_won s) &&
      (is_empty absent || (draw R =? 1) || is_empty (all_cards (turning s))) &&
      forallb (is_led absent) (moves R absent s)
  end.

Definition is_proper (s : position) : bool :=
  distinct (cards_of s) && forallb (in_deck R) (cards_of s) && match hole s with None => true | _ => false end.

Definition check_ahead (start : position) : bool :=
  negb (draw R =? 0) && is_proper start && forallb (fun '(_, needed) => is_complete needed) sets &&
  is_led [] start && forallb (fun '(_, entry) => is_lost entry) (PositiveMap.elements table).

(** * Proof *)

Hypotheses (draws : draw R <> 0)
  (complete : forall c S, In (c, S) sets -> is_complete S = true).

Lemma set_complete c : needs R (set_of c).
Proof.
  unfold set_of. destruct (find _ sets) as [(x & needed)|] eqn:F; [|split; [intros ? ? []|intros _ ? ? []]].
  apply find_some in F. destruct F as (F & _). apply complete in F. unfold is_complete in F.
  rewrite forallb_forall in F. split; [|intros Gr]; intros y z I; specialize (F y I);
    rewrite andb_true_iff, !forallb_forall in F; destruct F as (A & B).
  - intros J. apply member_iff. auto.
  - intros D T. apply in_deck_of, B in D. apply are_groups_iff in Gr. rewrite T, Gr in D. now apply member_iff.
Qed.

Lemma needs_both S S' : needs R S -> needs R S' -> needs R (S ++ S').
Proof.
  intros [A B] [C D]. split; [|intros Gr]; intros x y I; apply in_app_or in I.
  - intros J. apply in_or_app. destruct I; eauto.
  - intros J K. apply in_or_app. destruct I; eauto.
Qed.

Lemma is_gone_iff absent s x : is_gone absent s x = true <-> Ahead.gone absent s x.
Proof. unfold is_gone, Ahead.gone. now rewrite orb_true_iff, !member_iff. Qed.

(* No card is absent, and each is there once. *)
Definition sound absent (s : position) : Prop := proper R s /\ forall x, In x (cards_of s) -> ~ In x absent.

(* What is ahead of p stays so, and has no more cards left. *)
Definition leads absent (t : position) more (r : position) : Prop :=
  sound absent t -> sound more r /\ length (left_over r) <= length (left_over t) /\
  forall p S, ahead R absent p t S -> exists S', ahead R more p r S'.

Lemma leads_trans absent s more t most r : leads absent s more t -> leads more t most r -> leads absent s most r.
Proof.
  intros A B W. destruct (A W) as (Wt & L & H). destruct (B Wt) as (Wr & L' & H').
  split; [auto|split; [lia|]]. intros p S C. destruct (H p S C) as (S' & C'). eauto.
Qed.

(** * Shadows *)

Lemma live_concat absent cs : live absent (concat cs) = concat (map (live absent) cs).
Proof. induction cs as [|c cs IH]; simpl; auto. now rewrite filter_app, IH. Qed.

Lemma concat_permutation {A} (l m : list (list A)) : Permutation l m -> Permutation (concat l) (concat m).
Proof.
  induction 1; simpl; eauto using Permutation_trans.
  - now apply Permutation_app_head.
  - rewrite !app_assoc. apply Permutation_app_tail, Permutation_app_comm.
Qed.

Lemma shadow_left_over absent s t : shadow R absent s t -> Permutation (left_over t) (live absent (left_over s)).
Proof.
  intros [(k & o & P & Q & Rs & F) Sd Se So (Sa & Sr) Sf Sh Sg]. unfold left_over.
  rewrite !filter_app, live_concat, Rs, Se, So. apply concat_permutation in P, Q. rewrite P, Q.
  apply at_least_all_cards in Sa. rewrite <- Sa.
  replace (all_cards (live_talon absent (turning s))) with (live absent (all_cards (turning s))).
  2: { unfold live_talon, all_cards. simpl. now rewrite filter_app, live_rev. }
  rewrite !concat_app. replace (concat (map (fun x => [x]) k)) with k.
  2: { clear. induction k as [|x k IH]; simpl; congruence. }
  replace (concat (repeat [] (length k))) with (@nil card).
  2: { clear. induction k; simpl; auto. }
  apply (Permutation_count_occ card_eq). intros c. rewrite !count_occ_app. simpl. lia.
Qed.

Lemma shadow_cards absent s t : shadow R absent s t -> Permutation (cards_of t) (live absent (cards_of s)).
Proof.
  intros H. unfold cards_of. rewrite filter_app. rewrite (shadow_left_over _ _ _ H).
  apply Permutation_app_head, (shadow_foundations _ _ _ _ H).
Qed.

Lemma shadow_leads absent s more r : incl absent more -> shadow R more s r ->
  moving_on R <> AnyCards \/ more = absent -> leads absent s more r.
Proof.
  intros I H Mo (W & Ap). pose proof (shadow_cards _ _ _ H) as C. pose proof (shadow_left_over _ _ _ H) as L.
  assert (Fr : forall x, In x (foundations r) <-> In x (foundations s) /\ ~ In x more).
  { intros x. rewrite <- in_live. split; apply Permutation_in; [|symmetry]; apply (shadow_foundations _ _ _ _ H). }
  split; [|split].
  - split.
    + pose proof W as [N D Ho]. constructor.
      * rewrite C. now apply NoDup_filter.
      * intros x J. rewrite C in J. apply in_live in J. now apply D.
      * now rewrite (shadow_hole _ _ _ _ H).
    + intros x J. rewrite C in J. apply in_live in J. tauto.
  - rewrite (Permutation_length L). apply live_length.
  - intros p S A. exists S. now apply (shadow_ahead R absent p s S).
Qed.

Lemma same_leads absent s r : same_position R s r = true -> leads absent s absent r.
Proof.
  intros H W. assert (Sh : shadow R absent s s).
  { destruct W as (W & Ap). apply nowhere_shadow; auto. apply (proper_once _ _ W). apply (proper_hole _ _ W). }
  apply (shadow_leads absent s absent r); auto using incl_refl. now apply (same_position_sound R draws absent s s).
Qed.

Lemma leave_leads absent s more : moving_on R <> AnyCards -> incl absent more -> may_be_absent R more s = true ->
  leads absent s more (settled R (restricted more s)).
Proof. intros Gr I M. apply shadow_leads; auto. apply shadow_settled. now apply shadow_restricted. Qed.

(* The same position, with a stock that is at least as good. *)
Lemma better_leads absent s r : better_stock R r s -> leads absent s absent r.
Proof.
  intros (E & B) W. set (t := turning r) in *. clearbody t. subst r. pose proof (at_least_all_cards _ _ _ B) as T.
  assert (L : left_over (with_turning s t) = left_over s) by (unfold left_over; simpl; now rewrite T).
  assert (C : cards_of (with_turning s t) = cards_of s) by (unfold cards_of; now rewrite L).
  destruct W as ([N D Ho] & Ap). split; [|split].
  - split; [constructor; auto; now rewrite C|now rewrite C].
  - now rewrite L.
  - intros p S [Ne Re Fx Or [Sc Sd Se So (Sa & Sr) Sf Sh Sg]]. exists S. constructor; auto.
    + intros M. destruct (Fx M). now split.
    + constructor; auto. split; auto. exact (at_least_trans R _ _ _ B Sa).
Qed.

(** * Safe cards *)

Lemma safe_facts absent s c : is_safe_by_sets absent s c = true ->
  In c (set_of c) /\ ~ Ahead.gone absent s c /\ ready R (set_of c) absent s /\
  (moving_on R = AnyCards -> forall x, In x (set_of c) -> (x = c \/ Ahead.gone absent s x) /\
    forall y, in_deck R y = true -> fits R y x = true ->
      In y (set_of c) \/ (removable R = false /\ Ahead.gone absent s y)).
Proof.
  unfold is_safe_by_sets. rewrite !andb_true_iff, forallb_forall, negb_true_iff, member_iff.
  intros (((I & G) & F) & Fx). split; [auto|split; [|split]].
  - intros H. apply is_gone_iff in H. congruence.
  - intros x J. right. intros y K. apply F in J. rewrite forallb_forall in J. apply is_gone_iff. auto.
  - intros Mo x J. apply orb_true_iff in Fx. destruct Fx as [Fx|Fx]; [apply are_groups_iff in Fx; destruct (Fx Mo)|].
    unfold is_fixed in Fx. rewrite forallb_forall in Fx. apply Fx in J. rewrite andb_true_iff, orb_true_iff,
      same_card_iff, is_gone_iff, forallb_forall in J. destruct J as (J & K). split; [destruct J; auto|].
    intros y D T. apply in_deck_of, K in D. rewrite T in D. simpl in D. rewrite orb_true_iff, andb_true_iff,
      negb_true_iff, member_iff, is_gone_iff in D. exact D.
Qed.

(* The set of a safe card, after it has gone up. *)
Lemma rise_fixed absent s S c q : is_safe_by_sets absent s c = true -> foundations q = foundations s ->
  moving_on R = AnyCards -> fixed R S absent s -> fixed R (S ++ set_of c) absent (risen R q c).
Proof.
  intros Sa Fo Mo [G F]. destruct (safe_facts _ _ _ Sa) as (_ & _ & _ & Fx). specialize (Fx Mo).
  assert (Up : forall x, Ahead.gone absent s x -> Ahead.gone absent (risen R q c) x).
  { intros x [I|I]; [left|now right]. rewrite risen_found, Fo. now right. }
  split.
  - intros x I. apply in_app_or in I. destruct I as [I|I]; auto. destruct (Fx x I) as ([->|J] & _); auto.
    left. rewrite risen_found. now left.
  - intros x y I D T. apply in_app_or in I. destruct I as [I|I].
    + destruct (F x y I D T) as [J|(N & J)]; auto. left. apply in_or_app. auto.
    + destruct (Fx x I) as (_ & K). destruct (K y D T) as [J|(N & J)]; auto. left. apply in_or_app. auto.
Qed.

Lemma rise_leads absent s c t : is_safe_by_sets absent s c = true -> rise s c = Some t -> leads absent s absent t.
Proof.
  intros Sa Ri (W & Ap). destruct (safe_facts _ _ _ Sa) as (I & G & Re & _).
  assert (Nf : ~ In c (foundations s)) by (intros J; apply G; now left).
  assert (H : exists q, t = risen R q c /\ foundations q = foundations s /\ hole q = hole s /\
    Permutation (left_over s) (c :: left_over q) /\
    forall E, In c E -> only_up E s [c] ->
      shadow R E s (with_foundations q (live E (foundations s))) /\ orderly R E s).
  { unfold rise in Ri. destruct (find _ (lifts R s)) as [((u & x) & q)|] eqn:F.
    - apply find_some in F. destruct F as (F & B). apply lifts_iff in F. rewrite andb_true_iff, is_empty_iff,
        same_card_iff in B. destruct B as (-> & <-). inversion Ri; subst. exists q. split; auto.
      destruct (lift_left_over _ _ _ _ _ F Nf) as (P & Fo). destruct (lift_cards _ _ _ _ _ F) as (_ & Ho).
      split; auto. split; auto. split; auto. intros E IE O.
      pose proof (proper_once _ _ W). pose proof (proper_hole _ _ W).
      split; [now apply (lift_shadow R E s c q)|now apply (lift_orderly R E s c q)].
    - destruct (find _ (offers R s)) as [(x & q)|] eqn:F'; [|discriminate].
      apply find_some in F'. destruct F' as (F' & B). apply offers_sound in F'; auto.
      rewrite !andb_true_iff, same_card_iff, Nat.eqb_eq in B. destruct B as ((<- & D) & L).
      apply is_at_least_sound in L; auto. inversion Ri; subst. exists q. split; auto.
      destruct (offered_left_over _ _ _ _ F') as (P & Fo & Ho). split; auto. split; auto. split; auto. intros E IE O.
      pose proof (proper_once _ _ W) as N. split; [apply (offered_shadow R E s c); auto; apply (proper_hole _ _ W)|].
      apply orderly_nowhere. intros y J. apply (only_up_live E s c q P O N). unfold left_over.
      replace (columns q) with (columns s) by now destruct F'. rewrite in_app_iff. auto. }
  destruct H as (q & -> & Fo & Ho & P & Sh).
  destruct (settled_parts R (with_foundations q (c :: foundations q))) as (P' & F' & H').
  assert (Lt : Permutation (left_over (risen R q c)) (left_over q)) by exact P'.
  assert (C : Permutation (cards_of (risen R q c)) (cards_of s)).
  { unfold cards_of. rewrite Lt, risen_found, Fo, P. simpl. symmetry. apply Permutation_middle. }
  split; [split|split].
  - apply (proper_same R s); auto. unfold risen. rewrite H'. simpl. congruence.
  - intros x J. rewrite C in J. auto.
  - rewrite (Permutation_length P), (Permutation_length Lt). simpl. lia.
  - intros p S A. exists (S ++ set_of c). apply (rise_ahead R absent p s S); auto.
    + apply needs_both; [apply (ahead_needs _ _ _ _ _ A)|apply set_complete].
    + intros x J. apply in_app_or in J. destruct J as [J|J]; [now apply (ahead_ready _ _ _ _ _ A)|auto].
    + intros x J. apply in_or_app. auto.
    + apply in_or_app. auto.
    + intros Mo. apply (rise_fixed absent s); auto. apply (ahead_fixed _ _ _ _ _ A Mo).
Qed.

(** * The table is one of positions that are lost *)

Definition in_table absent (s : position) : Prop := exists k, PositiveMap.find k table = Some (absent, s).

Lemma follow_leads l : forall absent s more r, follow l (absent, s) = Some (more, r) -> leads absent s more r.
Proof.
  induction l as [|[more'|c] l IH]; simpl; intros absent s more r F.
  - inversion F; subst. intros W. split; auto. split; auto. eauto.
  - destruct (_ && _) eqn:B; [|discriminate]. rewrite !andb_true_iff, forallb_forall, are_groups_iff in B.
    destruct B as ((Gr & I) & M).
    apply (leads_trans _ _ more' (settled R (restricted more' s))); auto. apply leave_leads; auto.
    intros x J. apply member_iff. auto.
  - destruct (is_safe_by_sets absent s c) eqn:Sa; [|discriminate]. destruct (rise s c) as [t|] eqn:Ri; [|discriminate].
    apply (leads_trans _ _ absent t); auto. now apply (rise_leads absent s c).
Qed.

Lemma led absent t : is_led absent t = true -> exists more r, in_table more r /\ leads absent t more r.
Proof.
  unfold is_led. destruct (follow _ _) as [(more & q)|] eqn:F; [|discriminate].
  destruct (PositiveMap.find _ table) as [(m & r)|] eqn:T; [|discriminate].
  rewrite andb_true_iff, same_cards_iff. intros (-> & S). exists more, r. split; [eexists; eauto|].
  apply (leads_trans _ _ more q); [now apply (follow_leads (stages absent t))|now apply same_leads].
Qed.

Hypothesis lost : forall absent s, in_table absent s -> is_lost (absent, s) = true.

Lemma table_lost p q : reach R [] p q -> won q -> forall absent s S, in_table absent s -> sound absent s ->
  ahead R absent p s S -> False.
Proof.
  intros Re Wq. induction Re as [p | p r q M Re IH]; intros absent s S T W A.
  - pose proof (lost _ _ T) as L. unfold is_lost in L. apply andb_true_iff in L. destruct L as (Ar & L).
    destruct (refutation absent s) as [ever|].
    + apply andb_true_iff in L. destruct L as (E & L). apply is_empty_iff in E. subst.
      apply (relaxed_lost R s ever draws (proj1 W) L). exists s. split; [constructor|].
      now apply (ahead_won R [] p s S).
    + rewrite !andb_true_iff, negb_true_iff in L. destruct L as (((_ & N) & _) & _).
      apply (ahead_won R absent p s S A), is_won_iff in Wq. congruence.
  - remember (length (left_over s)) as n eqn:En. revert absent s S En T W A.
    induction n as [n IHn] using lt_wf_ind. intros absent s S -> T W A.
    pose proof (lost _ _ T) as L. unfold is_lost in L. apply andb_true_iff in L. destruct L as (Ar & L).
    apply is_at_rest_sound in Ar. destruct (refutation absent s) as [ever|].
    + apply andb_true_iff in L. destruct L as (E & L). apply is_empty_iff in E. subst.
      apply (relaxed_lost R s ever draws (proj1 W) L).
      apply (ahead_winnable R draws p s S A (proj1 W) Ar). exists q. split; auto. econstructor; eauto.
    + rewrite !andb_true_iff, forallb_forall, !orb_true_iff, Nat.eqb_eq, !is_empty_iff in L.
      destruct L as (((C & N) & D') & Ld).
      assert (D : forall x t, offered R s x t -> absent = [] \/ draw R = 1).
      { intros x t [st wa k Ts]. destruct D' as [D'|D']; auto. apply turns_all_cards in Ts. rewrite D' in Ts.
        unfold all_cards in Ts. simpl in Ts. destruct (rev wa); discriminate. } apply is_closed_sound in C; auto.
      assert (Go : forall t, move R absent s t -> exists more v, in_table more v /\ leads absent t more v).
      { intros t Mt. destruct (moves_complete R draws _ _ _ Mt) as (v & I & B).
        destruct (led _ _ (Ld v I)) as (more & w & Tw & Lw). exists more, w. split; auto.
        apply (leads_trans _ _ absent v); auto. now apply better_leads. }
      assert (Wt : forall t, move R absent s t -> sound absent t).
      { intros t Mt. destruct W as (W & Ap). split; [now apply (move_proper R absent s)|].
        destruct (move_cards R _ _ _ Mt (proper_hole _ _ W)) as (P & _). intros x I. rewrite P in I. auto. }
      destruct (ahead_step R draws absent p s S r A (proj1 W) C D Ar M)
        as [A'|[(t & Mt & A')|(t & Mt & A' & Lt)]].
      * exact (IH Wq _ _ _ T W A').
      * destruct (Go t Mt) as (more & v & Tv & Lv). destruct (Lv (Wt t Mt)) as (Wv & _ & H).
        destruct (H _ _ A') as (S' & A''). exact (IH Wq _ _ _ Tv Wv A'').
      * destruct (Go t Mt) as (more & v & Tv & Lv). destruct (Lv (Wt t Mt)) as (Wv & Ll & H).
        destruct (H _ _ A') as (S' & A''). refine (IHn (length (left_over v)) _ more v S' eq_refl Tv Wv A''). lia.
Qed.
End Checker.

Theorem check_ahead_sound R sets table stages key refutation start :
  check_ahead R sets table stages key refutation start = true -> ~ winnable R start.
Proof.
  unfold check_ahead. rewrite !andb_true_iff, !forallb_forall, negb_true_iff, Nat.eqb_neq.
  intros ((((D & P) & C) & Q) & L) (q & Re & W).
  assert (Co : forall c S, In (c, S) sets -> is_complete R S = true) by (intros c S I; exact (C _ I)).
  assert (Lo : forall absent s, in_table table absent s ->
    is_lost R sets table stages key refutation (absent, s) = true).
  { intros absent s (k & F). exact (L _ (PositiveMap.elements_correct _ _ F)). }
  assert (Pr : proper R start).
  { unfold is_proper in P. rewrite !andb_true_iff, forallb_forall in P. destruct P as ((N & I) & H).
    constructor; [now apply distinct_sound|auto|now destruct (hole start)]. }
  destruct (led R sets table stages key refutation D Co _ _ Q) as (more & r & T & Le).
  destruct (Le (conj Pr (fun _ _ => @in_nil card _))) as (Wr & _ & H).
  destruct (H start [] (ahead_itself R start Pr)) as (S & A).
  exact (table_lost R sets table stages key refutation D Co Lo start q Re W _ _ _ T Wr A).
Qed.
