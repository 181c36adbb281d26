(* Finite sets of positions that prove a loss.

   Claims. If a set of positions contains the start and is closed under moves, and none of them is won, the game
   cannot be won ([closed_set]). The set may also be one of positions of the easier game, in which some cards are
   absent, if the start has a shadow in it, and so has every position that a move of the easier game reaches, for the
   same or more absent cards ([certificate_sound]).

   Of rule R2 it only asks that it has nothing to do in each position ([closed]): in which order cards become absent
   does not matter, nor does who decides it. *)
Require Import List Bool Arith Lia Permutation.
Import ListNotations.
From Patience Require Import Game Cards Stock Simulation.

Section Certificate.
Variable R : rules.

Theorem closed_set (S : position -> Prop) start :
  S start -> (forall p q, S p -> move R [] p q -> S q) -> (forall p, S p -> ~ won p) -> ~ winnable R start.
Proof. intros St Mo Lo (q & Re & W). induction Re; eauto. exact (Lo _ St W). Qed.

(* S is a set of positions, each with its absent cards. *)
Record certificate (S : list card -> position -> Prop) (start : position) : Prop := {
  starts : exists absent s, S absent s /\ shadow R absent start s /\ orderly R absent start;
  all_closed : forall absent s, S absent s -> closed R absent s;
  all_at_rest : forall absent s, S absent s -> at_rest R s;
  none_won : forall absent s, S absent s -> ~ won s;
  covers_moves : forall absent s t, S absent s -> move R absent s t ->
    exists more r, S more r /\ incl absent more /\ shadow R more t r /\ orderly R more t;
  (* A card of a stock that is turned by several cards, which fits an absent card, may become absent. *)
  covers_discards : forall absent s x t y, S absent s -> draw R <> 1 -> offered R s x t -> In y absent ->
    fits R x y = true ->
    exists more r, S more r /\ incl (x :: absent) more /\ shadow R more t r /\ orderly R more t }.

Lemma live_nils absent cs : Forall (eq []) cs -> Forall (eq []) (map (live absent) cs).
Proof. induction 1; simpl; constructor; auto. now subst. Qed.

Lemma shadow_won absent p s : shadow R absent p s -> won p -> won s.
Proof.
  intros [(k & o & P & Q & Rs & _) _ Se So (Sa & _) _ _ _] (Wc & We & Wo & Wr & Ws & Ww).
  rewrite We in Se. rewrite Wo in So. rewrite Wr in Rs. simpl in *. symmetry in Rs. apply app_eq_nil in Rs.
  destruct Rs as (-> & Rs). simpl in *. apply at_least_all_cards in Sa. unfold all_cards in Sa. simpl in Sa.
  rewrite Ws, Ww in Sa. simpl in Sa. symmetry in Sa. apply app_eq_nil in Sa. destruct Sa as (Sa & Sb).
  apply (f_equal (@rev card)) in Sa. rewrite rev_involutive in Sa. repeat split; auto.
  - rewrite Forall_forall. intros c I. rewrite Q, <- P in I. apply (live_nils absent) in Wc.
    rewrite Forall_forall in Wc. auto.
  - now apply Permutation_sym, Permutation_nil in Se.
  - now apply Permutation_sym, Permutation_nil in So.
Qed.

Theorem certificate_sound S start : certificate S start -> ~ winnable R start.
Proof.
  intros [(absent & s & Ss & Sh & Or) Cl Ar Lo Mo Di] (q & Re & W).
  revert absent s Ss Sh Or. induction Re as [p | p q r M Re IH]; intros absent s Ss Sh Or.
  - apply (Lo absent s Ss). eapply shadow_won; eauto.
  - destruct (simulation R absent p s q Sh Or (Cl _ _ Ss) (Ar _ _ Ss) M)
      as [(Sq & Oq) | [(t & Mt & St & Oq) | (x & y & t & D & O & I & F & K)]].
    + exact (IH W absent s Ss Sq Oq).
    + destruct (Mo absent s t Ss Mt) as (more & v & Sv & In & Sh' & Ot).
      apply (IH W more v Sv); [eapply shadow_trans; eauto|]. eapply orderly_trans; eauto.
    + destruct (Di absent s x t y Ss D O I F) as (more & v & Sv & In & Sh' & Ot).
      destruct (K more v In Sh' (Ar _ _ Sv)) as (Sq & Oq). apply (IH W more v Sv); auto.
Qed.
End Certificate.
