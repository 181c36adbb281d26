(* Safe cards and relaxed games where a stock goes to the columns: theorems 1 and 2 of docs/proofs/cut.md for the games
   in Rows.v.

   Claims. If the relaxed game does not let all cards go up, though all cards of the stock are bare, no play wins
   ([relaxed_rows_lost]). After a move of the real game, a position that is ahead of it is still ahead, or one of its
   moves leads to one that is ([ahead_row]), so a game that can be won can be won from each position that is ahead
   ([ahead_rows_winnable]).

   What is new is that the order of the columns matters as long as the stock has cards: columns of the position that is
   ahead lie where those of the real one do ([follows]), and so both deal the same cards to them. *)
Require Import List Bool Arith Lia Permutation.
Import ListNotations.
From Patience Require Import Game Cards Stock Simulation Certificate Moves Checker Ahead Relaxed Rows.

Section Rows.
Variables (R : rules) (full_columns : bool).

(** * What stays *)

Lemma with_row_cards cs : forall st, Permutation (concat (with_row cs st) ++ skipn (length cs) st) (concat cs ++ st).
Proof.
  induction cs as [|c cs IH]; intros [|x st]; simpl; auto.
  rewrite <- app_assoc. apply Permutation_cons_app. rewrite <- !app_assoc. now rewrite (IH st), app_assoc.
Qed.

Lemma in_row cs : forall st c, In c (with_row cs st) -> In c cs \/ exists x b, c = x :: b /\ In x st /\ In b cs.
Proof.
  induction cs as [|b cs IH]; intros [|x st] c I; simpl in *; auto.
  destruct I as [<-|I].
  - right. exists x, b. auto.
  - destruct (IH _ _ I) as [J|(y & d & -> & J & K)]; auto. right. exists y, d. auto.
Qed.

Lemma with_row_live absent cs : forall st, (forall x, In x st -> ~ In x absent) ->
  map (live absent) (with_row cs st) = with_row (map (live absent) cs) st.
Proof.
  induction cs as [|c cs IH]; intros [|x st] H; simpl; auto.
  assert (L : is_live absent x = true) by (apply live_iff, H; now left). rewrite L, IH; auto. intros y I. apply H.
  now right.
Qed.

Lemma dealt_left_over p : Permutation (left_over (dealt p)) (left_over p) /\
  foundations (dealt p) = foundations p /\ hole (dealt p) = hole p.
Proof.
  split; auto. unfold left_over, dealt, all_cards. simpl.
  pose proof (with_row_cards (columns p) (stock (turning p))) as P.
  apply (Permutation_count_occ card_eq). intros c. apply (Permutation_count_occ card_eq) with (x := c) in P.
  rewrite !count_occ_app in *. lia.
Qed.

Lemma row_cards p q : row_move R full_columns p q -> hole p = None ->
  Permutation (cards_of q) (cards_of p) /\ hole q = None.
Proof.
  intros [u x l r L P|N F] H.
  - apply (move_cards R [] p); auto. eapply carry; eauto.
  - destruct (settled_parts R (dealt p)) as (P & Fo & Ho). destruct (dealt_left_over p) as (P' & Fo' & Ho').
    split; [|congruence]. unfold cards_of. now rewrite P, P', Fo, Fo'.
Qed.

Lemma row_proper p q : row_move R full_columns p q -> proper R p -> proper R q.
Proof.
  intros M W. destruct (row_cards _ _ M (proper_hole _ _ W)) as (C & H). apply (proper_same R p); auto.
  now rewrite (proper_hole _ _ W).
Qed.

Lemma row_at_rest p q : row_move R full_columns p q -> at_rest R q.
Proof. intros [u x l r L P|N F]; apply settled_at_rest. Qed.

Lemma carry_turning absent p u x l r : lift R p u x l -> put R absent l u x r -> turning (settled R r) = turning p.
Proof.
  intros L P. rewrite turning_settled. transitivity (turning l); [now destruct P|now destruct L].
Qed.

(** * Refuted positions *)

Section Relaxed.
Variables (start : position) (ever : relaxed).
Hypotheses (draws : draw R <> 0) (once : proper R start) (closed : is_refuted R start ever = true)
  (bare : forall x, In x (all_cards (turning start)) -> once_bare ever x = true).

Notation kept := (kept start ever).

Lemma kept_dealt q : kept q -> kept (dealt q).
Proof.
  intros [T C Sp D Ce O Re St U]. destruct St as (St & _).
  assert (In' : forall x, In x (stock (turning q)) -> In x (all_cards (turning start))).
  { intros x I. apply St, in_all_cards. auto. }
  assert (Fr : forall x, In x (stock (turning q)) -> free start ever x).
  { intros x I. apply In' in I. apply (foreign R start ever once). rewrite !in_app_iff. tauto. }
  constructor; simpl; auto.
  - intros x I. apply tops_iff in I. destruct I as (c & I). simpl in I. destruct (in_row _ _ _ I) as
      [J|(y & b & E & J & _)].
    + apply T, tops_iff. eauto.
    + inversion E; subst. auto.
  - intros c I. destruct (in_row _ _ _ I) as [J|(x & b & -> & J & K)]; auto. destruct b as [|y b].
    + right. auto.
    + split; [|now apply C]. right. split; auto. apply T, tops_iff. eauto.
  - intros I. destruct (in_row _ _ _ I) as [J|(x & b & E & _)]; [auto|discriminate].
  - intros x I J. apply in_concat in I. destruct I as (c & I & K). destruct (in_row _ _ _ I) as
      [I'|(y & b & -> & Iy & Ib)].
    + apply D; auto. apply in_concat. eauto.
    + destruct K as [<-|K]; auto. apply D; auto. apply in_concat. eauto.
  - split; auto. intros x I. apply St. rewrite in_all_cards in *. simpl in I. destruct I as [I|I]; auto. right.
    rewrite <- (firstn_skipn (length (columns q)) (stock (turning q))). apply in_or_app. auto.
Qed.

Lemma kept_reach p q : row_reach R full_columns p q -> kept p -> hole p = None ->
  Permutation (cards_of p) (cards_of start) -> kept q /\ Permutation (cards_of q) (cards_of start).
Proof.
  intros Re. induction Re as [p | p q r M Re IH]; intros K H P; auto.
  destruct (row_cards p q M H) as (C & H'). apply IH; auto; [|now rewrite C].
  destruct M as [u x l v L Pu|N F].
  - apply (kept_move R start ever draws once closed p); auto; [|eapply carry; eauto]. intros x' I. now rewrite <- P.
  - apply (settled_kept R start ever draws once closed). now apply kept_dealt.
Qed.

Theorem relaxed_rows_lost : ~ row_winnable R full_columns start.
Proof.
  intros (q & Re & W). destruct (kept_reach start q Re (kept_start R start ever draws once closed)
    (proper_hole _ _ once)) as (K & P); auto.
  exact (not_all_up R start ever draws closed q K P W).
Qed.
End Relaxed.

(** * Positions that are ahead *)

Hypotheses (draws : draw R = 1) (rows : to_hole R = true).

(* A position that is ahead, with columns in the same order, if cards will be dealt to them. Cards go up early only where
   an empty column does no harm, and where no card takes others along that do not fit each other. *)
Record ahead_in_rows (p s : position) (S : list card) : Prop := {
  rows_ahead : ahead R [] p s S;
  rows_turning : turning s = turning p;
  rows_waste : waste (turning p) = [];
  rows_order : stock (turning p) <> [] -> follows [] p s S;
  rows_rise : S = [] \/ (full_columns = false /\ spaces R <> FromReserve /\ moving_on R <> AnyCards) }.

Let draws' : draw R <> 0.
Proof. lia. Qed.

(* The stock offers no card. *)
Lemma no_offers s x q : offered R s x q -> waste (turning s) = [] -> False.
Proof.
  intros [st wa n T] W. remember (turning s) as a eqn:Ea. remember (Talon st (x :: wa) n) as b eqn:Eb.
  destruct T as [a|a v b N _]; [rewrite Eb in W; discriminate|destruct N; congruence].
Qed.

(* A move by these rules carries cards, as long as no stock is dealt. *)
Lemma move_carries s t : move R [] s t -> waste (turning s) = [] -> hole s = None ->
  row_move R full_columns s t /\ turning t = turning s.
Proof.
  intros M W H. destruct M as [u x q r L P | x q r O P | x st wa n h _ E Ho | x h [] _ _]; [| |congruence].
  - split; [now apply (carry_cards R full_columns s u x q)|]. eapply carry_turning; eauto.
  - destruct (no_offers s x q O W).
Qed.

Lemma dealt_without S s : dealt (without S s) = without S (dealt s).
Proof. reflexivity. Qed.

(* Both deal a row. *)
Lemma ahead_dealt p s S : ahead_in_rows p s S -> proper R s -> stock (turning p) <> [] ->
  ahead_in_rows (settled R (dealt p)) (settled R (dealt s)) S.
Proof.
  intros [[Ne Re Fx Od Sh] Tu Wa Or Ri] W N. specialize (Or N). unfold follows in Or. rewrite app_nil_r in Or.
  rewrite app_nil_r in Sh. set (E := early S s) in *.
  assert (St : forall x, In x (stock (turning p)) -> ~ In x E).
  { intros x I J. apply (shadow_live R E p (without S s) x Sh); auto. unfold cards_of, left_over.
    rewrite !in_app_iff, in_all_cards. simpl. rewrite Tu. tauto. }
  assert (O : in_order E (dealt p) (without S (dealt s))).
  { unfold in_order in *. simpl. rewrite Tu, Or. now rewrite with_row_live. }
  assert (Sd : shadow R E (dealt p) (without S (dealt s))).
  { pose proof (in_order_reserve R _ _ _ (shadow_columns _ _ _ _ Sh) Or) as K.
    destruct Sh as [Sc Sd Se So (Sa & Sr) Sf Sh Sg]. constructor; auto.
    - now apply in_order_columns.
    - split; [|now left]. simpl. rewrite Tu, Or, map_length.
      assert (U : untouched E (Talon (skipn (length (columns p)) (stock (turning p))) (waste (turning p))
        (passes (turning p)))).
      { intros x I. rewrite in_all_cards in I. simpl in I. rewrite Wa in I. destruct I as [[]|I]. apply St.
        rewrite <- (firstn_skipn (length (columns p)) (stock (turning p))). apply in_or_app. auto. }
      rewrite (untouched_live _ _ U). apply at_least_refl.
    - destruct Sg as [[Sg|Sg]|Sg]; [left; now left|left; now right|left; right].
      change (hole p = None). rewrite <- Sh. apply (proper_hole _ _ W). }
  assert (Ee : early S (settled R (dealt s)) = E) by (unfold early; now rewrite settled_found).
  constructor.
  - constructor; auto.
    + intros x I. unfold gone. rewrite settled_found. exact (Re x I).
    + intros M. apply (fixed_more R S [] [] s); auto; unfold gone; now rewrite settled_found.
    + rewrite app_nil_r, Ee. destruct Ri as [->|(_ & _ & G)]; [|now left]. right. left. apply early_nothing.
    + rewrite app_nil_r, Ee, <- settled_without. apply real_settled; [apply settled_at_rest|].
      now apply shadow_settled.
  - rewrite !turning_settled. simpl. rewrite Tu, Or, map_length. reflexivity.
  - rewrite turning_settled. exact Wa.
  - intros _. unfold follows. rewrite app_nil_r, Ee.
    assert (F : in_order E (settled R (dealt p)) (settled R (without S (dealt s)))).
    { apply (settled_in_order R E _ _ Sd); auto. destruct Ri as [->|(_ & Sp & _)]; auto. right. apply early_nothing. }
    now rewrite settled_without in F.
  - auto.
Qed.

Lemma ahead_row p s S q : ahead_in_rows p s S -> proper R s -> at_rest R s -> row_move R full_columns p q ->
  ahead_in_rows q s S \/
  (exists t, row_move R full_columns s t /\ ahead_in_rows q t S) \/
  (exists t, row_move R full_columns s t /\ ahead_in_rows p t S /\ length (left_over t) < length (left_over s)).
Proof.
  intros A W Rs M. pose proof A as [Ah Tu Wa Or Ri]. destruct M as [u x l r L P|N F].
  - assert (Ws : waste (turning s) = []) by now rewrite Tu.
    assert (Sp : spaces R <> FromReserve \/ @nil card = [] /\ S = []) by (destruct Ri as [|(_ & ? & _)]; auto).
    pose proof (carry_turning _ _ _ _ _ _ L P) as Tq.
    destruct (ahead_carry R draws' [] p s S u x l r Ah W (closed_lift _ _ _ (closed_nothing R s)) Rs L P)
      as [(A' & O)|[(t & Mt & A' & O)|(t & Mt & A' & Lt & O)]].
    + left. constructor; auto; try congruence. rewrite Tq. auto.
    + destruct (move_carries _ _ Mt Ws (proper_hole _ _ W)) as (Rt & Tt). right. left. exists t. split; auto.
      constructor; auto; try congruence. rewrite Tq. auto.
    + destruct (move_carries _ _ Mt Ws (proper_hole _ _ W)) as (Rt & Tt). right. right. exists t. split; auto.
      split; auto. constructor; auto; congruence.
  - right. left. exists (settled R (dealt s)). split; [|now apply ahead_dealt]. apply deal_row; [now rewrite Tu|].
    intros Fu. destruct Ri as [->|(Nf & _)]; [|congruence].
    specialize (Or N). unfold follows, in_order in Or. rewrite early_nothing in Or. simpl in Or. rewrite Or.
    intros I. apply in_map_iff in I. destruct I as (c & E & I). rewrite live_nil in E. subst. now apply (F Fu).
Qed.

Theorem ahead_rows_winnable p s S : ahead_in_rows p s S -> proper R s -> at_rest R s ->
  row_winnable R full_columns p -> row_winnable R full_columns s.
Proof.
  intros A W Re (q & P & Wq). revert s A W Re.
  induction P as [p | p r q M P IH]; intros s A W Re.
  - exists s. split; [constructor|]. exact (ahead_won R [] p s S (rows_ahead _ _ _ A) Wq).
  - remember (length (left_over s)) as n eqn:E. revert s E A W Re.
    induction n as [n IHn] using lt_wf_ind. intros s -> A W Re.
    destruct (ahead_row p s S r A W Re M) as [A'|[(t & Mt & A')|(t & Mt & A' & Lt)]]; auto.
    + destruct (IH Wq t A') as (z & Z & Wz); eauto using row_proper, row_at_rest.
      exists z. split; auto. econstructor; eauto.
    + destruct (IHn _ Lt t eq_refl A') as (z & Z & Wz); eauto using row_proper, row_at_rest.
      exists z. split; auto. econstructor; eauto.
Qed.

Lemma ahead_of_itself s : proper R s -> waste (turning s) = [] -> ahead_in_rows s s [].
Proof.
  intros W Wa. constructor; auto.
  - now apply ahead_itself.
  - intros _. unfold follows, in_order. rewrite early_nothing. simpl. rewrite <- (map_id (columns s)) at 1.
    apply map_ext. intros c. symmetry. apply live_nil.
Qed.
End Rows.
