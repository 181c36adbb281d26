(* Judges losses of patiences by the proved checker. What this file reads is trusted; see docs/proofs/README.md. *)
open Patience_proved
open Rows
open Layouts

let max_positions = 100_000

(* Sweeps are limited by the numbers of cards that can be left in the fronts. *)
let max_tuples = 10_000_000

let in_order cards = List.sort_uniq (fun x y -> compare (x.suit_of, x.rank) (y.suit_of, y.rank)) cards

let read_cards rules text =
  let cards = cards_of_text text in
  if cards = [] || cards_text (in_order cards) <> text then
    fail "the cards %S are not in order: each once, by suits and ranks, in capitals" text;
  List.iter (fun card -> if card.rank > rules.ranks then fail "%s is not in the deck" (card_text card)) cards;
  cards

(* Where any cards move with those on them, cards that are absent at the start would take those along. Where there is a
   hole, none are absent at the start, and no card is put on another one. *)
let read_live game rules ~absent_at_once text =
  let cards = read_cards rules text in
  if (absent_at_once && (game.has_hole || rules.moving_on = AnyCards)) || (game.has_hole && rules.build <> NoBuilding)
  then not_covered "a list of cards by these rules";
  cards

let read_number text =
  match int_of_string_opt text with
  | Some number when number > 0 && string_of_int number = text -> number
  | _ -> fail "%S is not a number of positions" text

(* A number of positions that are checked one by one. *)
let read_size_of_table text =
  let number = read_number text in
  if number > max_positions then not_covered "more than %d positions" max_positions;
  number

(* The idle cards, whether they are absent at the start, and the number of positions. Cards that cannot come back from
   a foundation are not idle, nor are those of a stock that goes to a hole. *)
let read_evidence game rules position evidence =
  match String.split_on_char ' ' evidence with
  | [ cards; number ] ->
      let number = read_size_of_table number in
      let stays card =
        (member card position.foundations && ((not rules.removable) || (rules.first_stay && height rules card = 0)))
        || (rules.to_hole && member card position.turning.stock)
      in
      let absent_at_once = not (String.starts_with ~prefix:"*" cards) in
      let idle =
        if cards = "*" then []
        else
          let list = if absent_at_once then cards else String.sub cards 1 (String.length cards - 1) in
          let live = read_live game rules ~absent_at_once list in
          List.filter (fun card -> not (member card live || stays card)) (deck rules)
      in
      (idle, absent_at_once, number)
  | _ -> fail "%S is not the evidence of a loss" evidence

let is_swept rules position =
  let tuples = List.fold_left (fun product front -> product * (List.length front + 1)) 1 (fronts_of position) in
  position.hole <> None && can_be_swept rules position && tuples > 0 && tuples <= max_tuples

let judge_swept rules position claimed =
  match swept_loss rules position with
  | None -> Wrong "the game can be won"
  | Some number when number = claimed -> Loss_proved
  | Some number -> wrong_count number claimed

(* A loss of a game whose stock goes to the columns. *)
let judge_dealt game rules position evidence =
  let judge ~refutes number =
    Dealt_losses.judge rules ~full_columns:game.full_columns ~refutes position (read_size_of_table number)
  in
  match String.split_on_char ' ' evidence with
  | [ "*"; number ] -> judge ~refutes:false number
  | [ "cut"; "*"; number ] when rules.cell_count = 0 -> judge ~refutes:true number
  | _ -> not_covered "this evidence where the stock goes to the columns"

let judge game row =
  if row.verdict <> "unwinnable" then not_covered "the verdict %s" row.verdict;
  let rules, position = read_layout game row.layout in
  match String.split_on_char ' ' row.evidence with
  | _ when game.deals_rows -> judge_dealt game rules position row.evidence
  | [ "*"; number ] when is_swept rules position -> judge_swept rules position (read_number number)
  | [ "quotient"; "*"; number ] ->
      Quotient_losses.check_covered game rules;
      Quotient_losses.judge rules position (read_size_of_table number)
  | [ "cut"; "*"; number ] ->
      Safe_losses.check_covered game rules ~refutes:true;
      Safe_losses.judge rules [] ~refutes:true position (read_size_of_table number)
  | [ "walks"; "*"; number ] ->
      Walk_losses.check_covered rules;
      Walk_losses.judge rules position (read_size_of_table number)
  | [ "safe"; cards; number ] when String.starts_with ~prefix:"*" cards ->
      Safe_losses.check_covered game rules ~refutes:false;
      let idle, _, number = read_evidence game rules position (cards ^ " " ^ number) in
      Safe_losses.judge rules idle ~refutes:false position number
  | _ ->
      let idle, absent_at_once, number = read_evidence game rules position row.evidence in
      Exploring.judge rules idle ~absent_at_once position number
