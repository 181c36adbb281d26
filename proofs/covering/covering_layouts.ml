(* Rules files and layouts of covering games as the records of Game.v, and back. What this file reads is trusted; see
   docs/proofs/README.md. *)
open Covering_proved
open Rows
open Rules_files

let rank_letters = "A23456789TJQK"
let king_rank = String.length rank_letters

let rank card =
  match String.index_opt rank_letters card.[0] with Some index -> index + 1 | None -> fail "%C is not a rank" card.[0]

(* Rules. Places are numbered as layouts have them: rows from the top, then columns. *)

type game = {
  name : string;
  rules : rules;
  row_sizes : int list;
  covers_of : int list array;
  columns : int;
  column_size : int;
  hides_covered : bool;  (* whether covered cards of the rows lie face down *)
  has_hole : bool;
  stock_size : int;
  counted_passes : int;  (* the most further passes through the stock that a layout can name; 0 if it names none *)
}

let is_covering keys = has_key keys "arrangement.peaks"

(* The cards of each row; peaks beside each other share those of the last one. *)
let row_sizes_of ~peaks ~rows =
  List.init rows (fun row -> if row = rows - 1 then (peaks * row) + 1 else peaks * (row + 1))

let covers_of_rows ~peaks ~rows =
  let sizes = row_sizes_of ~peaks ~rows in
  let first row = List.fold_left ( + ) 0 (List.filteri (fun index _ -> index < row) sizes) in
  let covers row number =
    if row = rows - 1 then []
    else
      let peak = number / (row + 1) in
      let shift = if row = rows - 2 then 0 else peak in
      [ first (row + 1) + number + shift; first (row + 1) + number + shift + 1 ]
  in
  List.concat (List.mapi (fun row size -> List.init size (covers row)) sizes)

let covers_of_columns ~first ~columns ~column_size =
  let covers column height =
    let later = column_size - 1 - height in
    List.init later (fun index -> first + (column * column_size) + height + 1 + index)
  in
  List.concat (List.init columns (fun column -> List.init column_size (covers column)))

(* The numbers of places in Game.v: the last one first, so that each is covered by places before it. *)
let reversed covers =
  let last = List.length covers - 1 in
  List.rev_map (List.map (fun number -> last - number)) covers

let read_game keys =
  List.iter (ignore_key keys) [ "title"; "family" ];
  let number = number keys and yes_or_no = yes_or_no keys in
  let peaks = number "arrangement.peaks" and rows = number "arrangement.rows" in
  let columns = number "arrangement.columns" in
  let column_size = if columns > 0 then number "arrangement.column-size" else 0 in
  let row_sizes = row_sizes_of ~peaks ~rows in
  let first = List.fold_left ( + ) 0 row_sizes in
  let covers = covers_of_rows ~peaks ~rows @ covers_of_columns ~first ~columns ~column_size in
  let has_hole = has_key keys "hole.wrap" in
  let unlimited = (not has_hole) && value keys "stock.passes" = "\"unlimited\"" in
  let passes = if has_hole || unlimited then 1 else number "stock.passes" in
  let rules =
    {
      moves_by = (if has_hole then IntoHole (yes_or_no "hole.wrap") else InPairs (yes_or_no "pairs.overlap"));
      covers = reversed covers;
      all_leave = meaning keys "goal" [ ("\"all\"", true); ("\"arrangement\"", false) ];
      unlimited;
      playable = has_hole || yes_or_no "stock.playable";
    }
  in
  let hides_covered = meaning keys "arrangement.face-down" [ ("\"covered\"", true); ("\"none\"", false) ] in
  check_used keys;
  {
    name = name_of_game keys;
    rules;
    row_sizes;
    covers_of = Array.of_list covers;
    columns;
    column_size;
    hides_covered;
    has_hole;
    stock_size = (4 * king_rank) - List.length covers - (if has_hole then 1 else 0);
    counted_passes = passes - 1;
  }

(* Layouts. A card is its text, and a gap is an empty one. *)

type layout = {
  in_places : string array;
  in_stock : string list;
  in_waste : string list;  (* the free card last *)
  passes_left : int;
  in_hole : string list;
}

let is_card text = String.length text = 2 && String.contains rank_letters text.[0] && String.contains "CHSD" text.[1]

let split text =
  if String.length text mod 2 = 1 then fail "%S is not a list of cards" text;
  List.init (String.length text / 2) (fun index -> String.sub text (2 * index) 2)

let read_row text = List.map (fun card -> if card = "--" then "" else String.uppercase_ascii card) (split text)

let read_column game text =
  let cards = if text = "-" then [] else split text in
  let gaps = game.column_size - List.length cards in
  if gaps < 0 then fail "the column %s has more than %d cards" text game.column_size;
  cards @ List.init gaps (fun _ -> "")

(* Lists of these lengths, one after the other, out of one list. *)
let rec cut sizes items =
  match sizes with
  | [] -> []
  | size :: sizes ->
      let first = List.filteri (fun index _ -> index < size) items in
      first :: cut sizes (List.filteri (fun index _ -> index >= size) items)

let layout_text game layout =
  let is_covered number = List.exists (fun cover -> layout.in_places.(cover) <> "") game.covers_of.(number) in
  let place_text number card =
    if card = "" then "--"
    else if game.hides_covered && is_covered number then
      Printf.sprintf "%c%c" card.[0] (Char.lowercase_ascii card.[1])
    else card
  in
  let row_count = List.fold_left ( + ) 0 game.row_sizes in
  let places = Array.to_list layout.in_places in
  let row_places = List.filteri (fun number _ -> number < row_count) (List.mapi place_text places) in
  let column_places = List.filteri (fun number _ -> number >= row_count) places in
  let column_text cards = match String.concat "" cards with "" -> "-" | text -> text in
  let lists sizes items text = String.concat "/" (List.map text (cut sizes items)) in
  let parts =
    [
      ("columns", lists (List.init game.columns (fun _ -> game.column_size)) column_places column_text);
      ("hole", String.concat "" layout.in_hole);
      ("passes", if game.counted_passes > 0 then string_of_int layout.passes_left else "");
      ("stock", String.concat "" layout.in_stock);
      ("waste", String.concat "" layout.in_waste);
    ]
  in
  let words = List.filter_map (fun (part, text) -> if text = "" then None else Some (part ^ ":" ^ text)) parts in
  String.concat " " (game.name :: lists game.row_sizes row_places (String.concat "") :: words)

let check_cards game cards =
  List.iter (fun card -> if not (is_card card) then fail "%S is not a card" card) cards;
  let repeated card = List.length (List.filter (( = ) card) cards) > 1 in
  (match List.find_opt repeated cards with Some card -> fail "%s occurs several times" card | None -> ());
  let count number = List.length (List.filter (fun card -> rank card = number) cards) in
  let check number =
    if count number <> count (king_rank - number) then
      fail "%d cards of one rank and %d of that with which it leaves" (count number) (count (king_rank - number))
  in
  if not game.has_hole then List.iter check (List.init (king_rank - 1) succ)

let check_gaps game layout =
  let check number card =
    if card = "" && List.exists (fun cover -> layout.in_places.(cover) <> "") game.covers_of.(number) then
      fail "a card is missing under another one"
  in
  Array.iteri check layout.in_places

let check_layout game layout =
  let in_places = List.filter (( <> ) "") (Array.to_list layout.in_places) in
  check_cards game (in_places @ layout.in_stock @ layout.in_waste @ layout.in_hole);
  check_gaps game layout;
  let beside = List.length layout.in_stock + List.length layout.in_waste in
  if beside > game.stock_size then fail "stock and waste have more than %d cards" game.stock_size;
  if layout.passes_left < 0 || layout.passes_left > game.counted_passes then
    fail "more than %d further passes" game.counted_passes;
  if List.length layout.in_hole <> (if game.has_hole then 1 else 0) then
    fail "the hole has %d cards on top" (List.length layout.in_hole);
  if game.has_hole && layout.in_waste <> [] then fail "there is no waste"

let read_layout game text =
  match String.split_on_char ' ' text with
  | name :: rows :: words ->
      if name <> game.name then fail "the layout is one of %s, but the rules are those of %s" name game.name;
      let parts = read_parts words in
      let part name = Option.value (List.assoc_opt name parts) ~default:"" in
      let rows = List.map read_row (String.split_on_char '/' rows) in
      if List.map List.length rows <> game.row_sizes then fail "the rows have other sizes than those of %s" game.name;
      let columns = if game.columns = 0 then [] else String.split_on_char '/' (part "columns") in
      if List.length columns <> game.columns then fail "there are %d columns" (List.length columns);
      let layout =
        {
          in_places = Array.of_list (List.concat (rows @ List.map (read_column game) columns));
          in_stock = split (part "stock");
          in_waste = split (part "waste");
          passes_left = Option.value (int_of_string_opt (part "passes")) ~default:0;
          in_hole = split (part "hole");
        }
      in
      check_layout game layout;
      if layout_text game layout <> text then fail "%S is not the canonical text of its position" text;
      layout
  | _ -> fail "%S is not a layout" text

(* The position of a layout: ranks only, places numbered as in Game.v, and the free card of the waste first. *)
let position_of layout =
  let place card = if card = "" then None else Some (rank card) in
  {
    places = List.rev_map place (Array.to_list layout.in_places);
    turning =
      {
        stock = List.map rank layout.in_stock;
        waste = List.rev_map rank layout.in_waste;
        passes = layout.passes_left;
      };
    hole = (match layout.in_hole with [ card ] -> rank card | _ -> 0);
  }

(* The ranks of a position, in the order of a layout: places, stock, waste, hole, and the further passes. *)
let ranks_text position =
  let letter rank = if rank = 0 then "-" else String.make 1 rank_letters.[rank - 1] in
  let letters ranks = String.concat "" (List.map letter ranks) in
  let places = List.rev_map (Option.value ~default:0) position.places in
  let talon = position.turning in
  String.concat " "
    [ letters places; letters talon.stock; letters (List.rev talon.waste); letter position.hole; string_of_int talon.passes ]
