(* Reads rules, layouts and losses of games in which only whole suits leave the columns, such as Scorpion and Spider,
   and has the proved checkers judge them. What is trusted is the reading, up to [read_layout]; see
   docs/proofs/README.md. *)
open Patience_proved
open Rows
open Rules_files
open Layouts

(* Rules *)

type game = {
  single : Layouts.game;  (* the rules and the shape of the columns *)
  run : building;
  suits : (suit * char) list;
  copies : int;  (* how often each card exists *)
}

let has_whole_suits keys = Hashtbl.find_opt keys.values "foundations.complete-runs" = Some "true"

let read_game keys =
  List.iter (ignore_key keys) keys_of_deals;
  let value = value keys and meaning key = meaning keys key and number = number keys in
  let only key text = meaning key [ (text, ()) ] in
  only "hole.base" "\"none\"";
  only "foundations.initial" "\"none\"";
  only "foundations.removable" "false";
  only "foundations.complete-runs" "true";
  only "cells.count" "0";
  only "reserve.size" "0";
  let stock_size = number "stock.size" in
  if stock_size > 0 then only "stock.to" "\"tableau\"";
  if value "stock.to" <> "\"tableau\"" then only "stock.passes" "\"unlimited\"";
  let without_meaning = [ "stock.to"; "stock.draw"; "stock.passes"; "reserve.stacked"; "hole.wrap" ] in
  List.iter (ignore_key keys) without_meaning;
  let build = meaning "tableau.build" (("\"none\"", NoBuilding) :: builds) in
  let rules =
    {
      ranks = number "deck.ranks";
      base = meaning "foundations.base" ranks_by_text;
      build;
      moving_on = meaning "tableau.move" movings;
      spaces = meaning "tableau.spaces" fillings;
      removable = false;
      first_stay = false;
      cell_count = 0;
      draw = 1;
      unlimited = true;
      to_hole = false;
      wrap = false;
    }
  in
  let with_default key default values = if has_key keys key then meaning key values else default in
  let run = with_default "tableau.run" build (("\"build\"", build) :: builds) in
  let full_columns = has_key keys "stock.full-columns" && yes_or_no keys "stock.full-columns" in
  let decks = with_default "deck.decks" 1 [ ("1", 1); ("2", 2) ] in
  let two = [ (Hearts, 'H'); (Spades, 'S') ] and spades = [ (Spades, 'S') ] in
  let suits = with_default "deck.suits" suits [ ("4", suits); ("2", two); ("1", spades) ] in
  let has_face_down = value "tableau.face-down" <> "\"none\"" in
  let column_count = List.length (String.split_on_char ',' (value "tableau.sizes")) in
  check_used keys;
  let single =
    {
      name = name_of_game keys;
      rules;
      column_count;
      has_face_down;
      base_is_dealt = false;
      has_hole = false;
      stacked = false;
      reserve_size = 0;
      stock_size;
      deals_rows = stock_size > 0;
      full_columns;
      counts_passes = false;
      most_passes = 0;
    }
  in
  { single; run; suits; copies = decks * 4 / List.length suits }

(* Layouts. A whole suit on a foundation is named by its top card. *)

let check_cards game cards =
  let rules = game.single.rules in
  let deck = List.filter (fun card -> List.mem_assoc card.suit_of game.suits) (deck rules) in
  let check card =
    let count = List.length (List.filter (same_card card) cards) in
    if count <> game.copies then fail "%s occurs %d times" (card_text card) count
  in
  List.iter check deck;
  List.iter (fun card -> if not (List.mem card deck) then fail "%s is not in the deck" (card_text card)) cards

let pile_of_text text =
  let is_hidden index _ = text.[(2 * index) + 1] >= 'a' in
  let cards = cards_of_text text in
  let hidden = List.filteri is_hidden cards in
  let shown = List.filteri (fun index card -> not (is_hidden index card)) cards in
  turned_up { shown = List.rev shown; hidden = List.rev hidden }

let pile_text pile =
  match List.rev_map (fun card -> card_text ~face_down:true card) pile.hidden @ List.rev_map card_text pile.shown with
  | [] -> "-"
  | texts -> String.concat "" texts

(* The suits that have left, in the order of the deck: those that are missing. *)
let suits_gone game board =
  let cards = List.concat_map pile_cards board.piles @ board.to_deal in
  let gone (suit, _) =
    let left = List.filter (fun card -> card.suit_of = suit && is_king game.single.rules card) cards in
    List.init (max 0 (game.copies - List.length left)) (fun _ -> suit)
  in
  List.concat_map gone game.suits

let layout_text game board =
  let rules = game.single.rules in
  let top suit = List.find (fun card -> card.suit_of = suit && is_king rules card) (deck rules) in
  let parts =
    [ ("foundations", cards_text (List.map top (suits_gone game board))); ("stock", cards_text board.to_deal) ]
  in
  let words = List.filter_map (fun (part, text) -> if text = "" then None else Some (part ^ ":" ^ text)) parts in
  String.concat " " (game.single.name :: String.concat "/" (List.map pile_text board.piles) :: words)

let read_layout game text =
  match String.split_on_char ' ' text with
  | name :: columns :: words ->
      if name <> game.single.name then
        fail "the layout is one of %s, but the rules are those of %s" name game.single.name;
      let parts = read_parts words in
      let cards part = cards_of_text (Option.value (List.assoc_opt part parts) ~default:"") in
      let columns = List.map (fun text -> if text = "-" then "" else text) (String.split_on_char '/' columns) in
      check_columns game.single columns;
      let board = { piles = List.map pile_of_text columns; to_deal = cards "stock" } in
      let on_foundations = List.concat_map (cards_below game.single.rules) (cards "foundations") in
      check_cards game (List.concat_map pile_cards board.piles @ board.to_deal @ on_foundations);
      if List.length board.to_deal > game.single.stock_size then fail "%d cards are in the stock" (List.length board.to_deal);
      if layout_text game board <> text then fail "%S is not the canonical text of its position" text;
      board
  | _ -> fail "%S is not a layout" text

(* From here on, nothing is trusted: the proved checkers refuse what is wrong. *)

(* The largest set of cards that wait for one another; empty if it would only have kings. *)
let largest_set rules board =
  let rec reduced cards =
    let kings_wait = are_kings_waiting rules board cards in
    let kept = List.filter (has_reason rules board cards kings_wait) cards in
    if List.compare_lengths kept cards = 0 then cards else reduced kept
  in
  let cards = reduced (List.filter (is_loose rules board) (List.concat_map pile_cards board.piles)) in
  if List.for_all (is_king rules) cards then [] else cards

(* The same for cards with several places, each of whose suits has a card that has to move. *)
let largest_set_of_places game board =
  let rules = game.single.rules in
  let rec reduced cards =
    let columns_stay = are_columns_staying board cards in
    let movers = List.filter (is_mover rules board) cards in
    let waits card =
      List.exists (fun mover -> same_suit mover card) movers
      && is_hindered rules game.run board cards columns_stay card
    in
    let kept = List.filter waits cards in
    if List.compare_lengths kept cards = 0 then cards else reduced kept
  in
  reduced (List.concat_map pile_cards board.piles)

let ending_by_places game board =
  match largest_set_of_places game board with [] -> Goes_on | cards -> Ends_by_places cards

(* Why no move is made in a position, if cards wait for one another. *)
let ending rules board =
  match List.find_opt (is_pair rules board) (List.concat_map pile_cards board.piles) with
  | Some card -> Ends_by_pair card
  | None -> ( match largest_set rules board with [] -> Goes_on | cards -> Ends_by_set cards)

(* While the stock is empty, the order of columns does not count. *)
let normal board = if board.to_deal = [] then { board with piles = List.sort compare board.piles } else board

module Numbers = Hashtbl.Make (struct
  type t = board

  let equal = ( = )
  let hash = Hashtbl.hash_param 256 256
end)

(* `ending` says why no move is made in a position, if none is. *)
let judge_count game ~ending start claimed =
  let rules = game.single.rules in
  let numbers = Numbers.create 1000 and waiting = Queue.create () in
  let table = ref PositiveMap.empty in
  let add board =
    if not (Numbers.mem numbers board) then begin
      if is_cleared board then raise Exploring.Won;
      if Numbers.length numbers = claimed then raise Exploring.Too_many;
      Numbers.add numbers board (Numbers.length numbers + 1);
      Queue.add board waiting
    end
  in
  let visit board =
    let ending = ending board in
    table := PositiveMap.add (Exploring.positive (Numbers.find numbers board)) (board, ending) !table;
    if ending = Goes_on then
      List.iter (fun after -> add (normal after)) (next rules game.run game.single.full_columns board)
  in
  let explore () =
    add (normal start);
    while not (Queue.is_empty waiting) do
      visit (Queue.pop waiting)
    done
  in
  match explore () with
  | exception Exploring.Won -> Wrong "the game can be won"
  | exception Exploring.Too_many -> Wrong (Printf.sprintf "more than %s can be reached" (count_of_positions claimed))
  | () when Numbers.length numbers < claimed -> wrong_count (Numbers.length numbers) claimed
  | () ->
      let key board =
        Exploring.positive (Option.value (Numbers.find_opt numbers (normal board)) ~default:(claimed + 1))
      in
      if check_table rules game.run game.single.full_columns !table key start then Loss_proved
      else Wrong "the proved checker refuses the positions"

let judged is_proved = if is_proved then Loss_proved else Wrong "the proved checker refuses the cards that wait"

let judge_cards game board text =
  let rules = game.single.rules in
  match String.split_on_char '>' text with
  | [ card; place ] -> (
      match cards_of_text card @ cards_of_text place with
      | [ card; place ] when card_text card ^ ">" ^ card_text place = text ->
          if not (fits rules card place) then fail "%s is not the only place of %s" (card_text place) (card_text card);
          judged (check_pair rules board card)
      | _ -> fail "%S is not a pair of cards" text)
  | _ -> judged (check_set rules board (Patience.read_cards rules text))

let judge game row =
  if row.verdict <> "unwinnable" then not_covered "the verdict %s" row.verdict;
  let rules = game.single.rules in
  let board = read_layout game row.layout in
  let count ending number = judge_count game ~ending board (Patience.read_size_of_table number) in
  let cards_wait = game.copies = 1 && is_one_place rules in
  let cards_wait_for_places = game.copies = 1 && rules.moving_on <> AnyCards && not cards_wait in
  match String.split_on_char ' ' row.evidence with
  | [ "*"; number ] -> count (fun _ -> Goes_on) number
  | [ "waits"; "*"; number ] when cards_wait -> count (ending rules) number
  | [ "waits"; "*"; number ] when cards_wait_for_places -> count (ending_by_places game) number
  | [ "waits"; cards ] when cards_wait -> judge_cards game board cards
  | _ -> fail "%S is not the evidence of a loss" row.evidence
