(* Judges losses of games whose stock goes to the columns, such as East Haven: by all positions, as * 1357, and by those
   that a relaxed game leaves when safe cards have gone up, as cut * 1357. It finds the positions, and what happens
   before each of them, and has the proved checker check both. Nothing in this file is trusted: if it is wrong, the
   checker refuses. It counts as Dealmill's other referees do. *)
open Patience_proved
open Rows

(* One of all positions that differ in the order of cells, and in that of columns if nothing will be dealt to them. *)
let normal rules position =
  let absent, sorted = Exploring.normal rules ([], position) in
  (absent, if position.turning.stock = [] then sorted else { sorted with columns = position.columns })

(* Judge the claim that a position is lost: so many positions can be reached, and none is won. If the relaxed game
   refutes positions, safe cards go up at once, too, where that is sound. *)
let judge rules ~full_columns ~refutes position claimed =
  let deck = Layouts.deck rules in
  let sets = Safe_losses.sets_of rules deck and suits = Safe_losses.suits_of rules deck in
  let rises = refutes && may_rise rules full_columns in
  let settled_to position =
    if rises then Safe_losses.settled_state rules suits sets [] ([], position) else ([], ([], position))
  in
  let settled (_, position) = normal rules (snd (snd (settled_to position))) in
  let after (_, position) = List.map (fun next -> ([], next)) (row_moves rules full_columns position) in
  let refutation position = if refutes then Safe_losses.relaxed_game rules position else None in
  let check numbers =
    let card = function Rise card -> card | Leave _ -> fail "cards leave" in
    let stages position = List.map card (fst (settled_to position)) in
    let key position = Safe_losses.key_of numbers (normal rules position) in
    check_rows rules full_columns sets (Safe_losses.table_of numbers snd) stages key refutation position
  in
  Safe_losses.judge_count ~idle:[] ~normal:settled ~after ~refutation ~check ([], position) claimed
