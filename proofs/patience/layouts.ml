(* Rules files and layouts as the records of Game.v, and back. What this file reads is trusted; see
   docs/proofs/README.md. *)
open Patience_proved
open Rows
open Rules_files

(* Cards: a rank and a suit; a small letter for the suit lies face down. *)

let rank_letters = "A23456789TJQK"
let suits = [ (Clubs, 'C'); (Hearts, 'H'); (Spades, 'S'); (Diamonds, 'D') ]

let rank_of_letter letter =
  match String.index_opt rank_letters letter with Some index -> index + 1 | None -> fail "%C is not a rank" letter

let suit_of_letter letter =
  match List.find_opt (fun (_, known) -> known = Char.uppercase_ascii letter) suits with
  | Some (suit, _) -> suit
  | None -> fail "%C is not a suit" letter

let cards_of_text text =
  if String.length text mod 2 = 1 then fail "%S is not a list of cards" text;
  List.init
    (String.length text / 2)
    (fun index -> { rank = rank_of_letter text.[2 * index]; suit_of = suit_of_letter text.[(2 * index) + 1] })

let card_text ?(face_down = false) card =
  let letter = List.assoc card.suit_of suits in
  Printf.sprintf "%c%c" rank_letters.[card.rank - 1] (if face_down then Char.lowercase_ascii letter else letter)

let cards_text cards = String.concat "" (List.map (fun card -> card_text card) cards)

let deck rules =
  List.concat_map
    (fun index -> List.map (fun (suit, _) -> { rank = index + 1; suit_of = suit }) suits)
    (List.init rules.ranks Fun.id)

(* Rules: the text that `dealmill games NAME --rules` writes into NAME.toml. It has every key that matters. *)

type game = {
  name : string;
  rules : rules;
  column_count : int;
  has_face_down : bool;
  base_is_dealt : bool;
  has_hole : bool;
  stacked : bool;
  reserve_size : int;
  stock_size : int;
  deals_rows : bool;  (* the stock goes to the columns *)
  full_columns : bool;  (* but not while one is empty *)
  counts_passes : bool;  (* whether a layout says how many passes are left *)
  most_passes : int;  (* how many are left at most, if it does *)
}

(* Keys that say how cards are dealt, and what a game is called: no position depends on them. *)
let keys_of_deals = [ "title"; "family"; "numbers"; "tableau.deal"; "cells.filled" ]

let builds =
  [
    ("\"any-suit\"", AnySuit);
    ("\"red-black\"", RedBlack);
    ("\"same-suit\"", SameSuit);
    ("\"same-colour\"", SameColour);
    ("\"other-suit\"", OtherSuit);
  ]

let movings = [ ("\"card\"", OneCard); ("\"run\"", BuiltRun); ("\"any\"", AnyCards) ]

let fillings = [ ("\"any\"", AnyCard); ("\"kings\"", LastRank); ("\"none\"", NoCard) ]

let ranks_by_text = List.init 13 (fun index -> (Printf.sprintf "\"%c\"" rank_letters.[index], index + 1))

let read_game keys =
  List.iter (ignore_key keys) keys_of_deals;
  let value = value keys and meaning key = meaning keys key and number = number keys and yes_or_no = yes_or_no keys in
  let base_is_dealt = value "foundations.base" = "\"dealt\"" in
  let has_hole = value "hole.base" <> "\"none\"" in
  let deals_rows = (not has_hole) && value "stock.to" = "\"tableau\"" in
  if deals_rows then List.iter (ignore_key keys) [ "stock.draw"; "stock.passes" ];
  let rules =
    {
      ranks = number "deck.ranks";
      base = (if base_is_dealt then 1 else meaning "foundations.base" ranks_by_text);
      build = meaning "tableau.build" (("\"none\"", NoBuilding) :: builds);
      moving_on = meaning "tableau.move" movings;
      spaces = meaning "tableau.spaces" (("\"reserve\"", FromReserve) :: fillings);
      removable = yes_or_no "foundations.removable";
      first_stay =
        meaning "foundations.initial"
          [ ("\"all\"", true); ("\"one\"", false); ("\"others\"", false); ("\"none\"", false) ];
      cell_count = number "cells.count";
      draw = (if deals_rows then 1 else number "stock.draw");
      unlimited = deals_rows || value "stock.passes" = "\"unlimited\"";
      to_hole = deals_rows || meaning "stock.to" [ ("\"waste\"", false); ("\"hole\"", true) ];
      wrap = yes_or_no "hole.wrap";
    }
  in
  let counts_passes = (not (rules.unlimited || rules.to_hole)) && number "stock.passes" > 1 in
  let most_passes = if counts_passes then number "stock.passes" - 1 else 0 in
  let has_face_down = value "tableau.face-down" <> "\"none\"" in
  let column_count = List.length (String.split_on_char ',' (value "tableau.sizes")) in
  let stacked = yes_or_no "reserve.stacked" in
  let reserve_size = number "reserve.size" and stock_size = number "stock.size" in
  let full_columns = deals_rows && has_key keys "stock.full-columns" && yes_or_no "stock.full-columns" in
  check_used keys;
  {
    name = name_of_game keys;
    rules;
    column_count;
    has_face_down;
    base_is_dealt;
    has_hole;
    stacked;
    reserve_size;
    stock_size;
    deals_rows;
    full_columns;
    counts_passes;
    most_passes;
  }

(* Layouts: the name of the game, its columns, and parts, see docs/patience.md. *)

let cards_of position =
  List.concat position.columns @ position.cells @ position.open_reserve @ position.reserve @ position.turning.stock
  @ position.turning.waste @ position.foundations

(* Every card occurs once. In a game with a hole, those below its top card are nowhere. *)
let check_cards game rules cards =
  let check card =
    match List.length (List.filter (same_card card) cards) with
    | 1 -> ()
    | 0 when game.has_hole -> ()
    | count -> fail "%s occurs %d times" (card_text card) count
  in
  List.iter check (deck rules);
  List.iter (fun card -> if card.rank > rules.ranks then fail "%s is not in the deck" (card_text card)) cards

(* Face-down cards come first, if there are any, and the top one lies face up. *)
let check_columns game columns =
  if List.length columns <> game.column_count then
    fail "there are %d columns, not %d" (List.length columns) game.column_count;
  let cards = Str.regexp (if game.has_face_down then {|^\(.[chsd]\)*\(.[CHSD]\)+$|} else {|^\(.[CHSD]\)+$|}) in
  let check column = if column <> "" && not (Str.string_match cards column 0) then fail "%S is not a column" column in
  List.iter check columns

(* No place has more cards than the rules allow, and first cards that stay on the foundations are there. *)
let check_sizes game position =
  let check part count limit = if count > limit then fail "%d cards are in %s, not %d" count part limit in
  let { stock; waste; _ } = position.turning in
  check "cells" (List.length position.cells) game.rules.cell_count;
  check "reserve" (List.length position.open_reserve + List.length position.reserve) game.reserve_size;
  check "stock and waste" (List.length stock + List.length waste) game.stock_size;
  if game.rules.to_hole then check "waste" (List.length waste) 0;
  let first = List.filter (fun card -> height game.rules card = 0) position.foundations in
  if game.rules.first_stay && List.length first < List.length suits then fail "first cards are missing"

(* The cards of a foundation, from its top card down to the first. *)
let cards_below rules top =
  List.init (height rules top + 1) (fun index -> { top with rank = ((rules.base - 1 + index) mod rules.ranks) + 1 })

(* The layout of a position, with this card on top of the hole, if there is one. *)
let layout_text game rules position in_hole =
  let column cards =
    match List.rev_map (fun card -> card_text ~face_down:(member card position.face_down) card) cards with
    | [] -> "-"
    | texts -> String.concat "" texts
  in
  let top_of (suit, _) =
    let higher x y = compare (height rules y) (height rules x) in
    match List.filter (fun card -> card.suit_of = suit) position.foundations |> List.sort higher with
    | top :: _ -> [ top ]
    | [] -> []
  in
  let talon = position.turning in
  let parts =
    [
      ("base", if game.base_is_dealt then String.make 1 rank_letters.[rules.base - 1] else "");
      ("cells", cards_text position.cells);
      ("foundations", cards_text (List.concat_map top_of suits));
      ("hole", cards_text in_hole);
      ("passes", if game.counts_passes then string_of_int talon.passes else "");
      ("reserve", cards_text (position.open_reserve @ List.rev position.reserve));
      ("stock", cards_text talon.stock);
      ("waste", cards_text (List.rev talon.waste));
    ]
  in
  let words = List.filter_map (fun (part, text) -> if text = "" then None else Some (part ^ ":" ^ text)) parts in
  String.concat " " (game.name :: String.concat "/" (List.map column position.columns) :: words)

(* The rules of the game with the base of this layout, and its position. *)
let read_layout game text =
  match String.split_on_char ' ' text with
  | name :: columns :: words ->
      if name <> game.name then fail "the layout is one of %s, but the rules are those of %s" name game.name;
      let parts = read_parts words in
      let part name = Option.value (List.assoc_opt name parts) ~default:"" in
      let cards name = cards_of_text (part name) in
      let base =
        if not game.base_is_dealt then game.rules.base
        else if part "base" = "" then fail "there is no base"
        else rank_of_letter (part "base").[0]
      in
      let rules = { game.rules with base } in
      let columns = List.map (fun text -> if text = "-" then "" else text) (String.split_on_char '/' columns) in
      let face_down text = List.filteri (fun index _ -> text.[(2 * index) + 1] >= 'a') (cards_of_text text) in
      let reserve = cards "reserve" in
      let in_hole = cards "hole" in
      let position =
        {
          columns = List.map (fun text -> List.rev (cards_of_text text)) columns;
          face_down = List.concat_map face_down columns;
          cells = cards "cells";
          open_reserve = (if game.stacked then [] else reserve);
          reserve = (if game.stacked then List.rev reserve else []);
          turning =
            {
              stock = cards "stock";
              waste = List.rev (cards "waste");
              passes = Option.value (int_of_string_opt (part "passes")) ~default:0;
            };
          hole =
            (match (game.has_hole, in_hole) with
            | true, [ card ] -> Some card.rank
            | false, [] -> None
            | _ -> fail "the hole has %d cards on top" (List.length in_hole));
          foundations = List.concat_map (cards_below rules) (cards "foundations");
        }
      in
      check_cards game rules (cards_of position @ in_hole);
      check_columns game columns;
      check_sizes { game with rules } position;
      (* Earlier versions left out that no pass is left. *)
      let says_passes = List.mem_assoc "passes" parts in
      if says_passes && not game.counts_passes then fail "%s has no passes" game.name;
      if position.turning.passes > game.most_passes then fail "%d passes are too many" position.turning.passes;
      if layout_text { game with counts_passes = says_passes } rules position in_hole <> text then
        fail "%S is not the canonical text of its position" text;
      (rules, settled rules position)
  | _ -> fail "%S is not a layout" text
