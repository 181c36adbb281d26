(* Writes the positions after each move, separated by tabs, for every layout on standard input: tests compare them with
   those of other programs. Those of patiences are layouts, those of covering games only ranks.
   Usage: moves NAME.toml < LAYOUTS *)
open Rows

(* Only the rank in the hole counts: the card there is one that is nowhere else. *)
let patience_text game rules position =
  let open Layouts in
  let is_free card = not (List.mem card (cards_of position)) in
  let cards rank = List.map (fun (suit, _) -> { Patience_proved.rank; suit_of = suit }) suits in
  let in_hole = Option.map (fun rank -> List.find is_free (cards rank)) position.Patience_proved.hole in
  layout_text game rules position (Option.to_list in_hole)

let texts_of_patience game line =
  let rules, position = Layouts.read_layout game line in
  let moves =
    if game.deals_rows then Patience_proved.row_moves rules game.full_columns else Patience_proved.moves rules []
  in
  List.map (patience_text game rules) (moves position)

let texts_of_whole_suits (game : Whole_suits.game) line =
  let board = Whole_suits.read_layout game line in
  List.map (Whole_suits.layout_text game)
    (Patience_proved.next game.single.rules game.run game.single.full_columns board)

let texts_of_covering_game game line =
  let open Covering_layouts in
  List.map ranks_text (Covering_proved.moves game.rules (position_of (read_layout game line)))

let () =
  let keys = Rules_files.read_keys Sys.argv.(1) in
  let texts =
    if Covering_layouts.is_covering keys then texts_of_covering_game (Covering_layouts.read_game keys)
    else if Whole_suits.has_whole_suits keys then texts_of_whole_suits (Whole_suits.read_game keys)
    else texts_of_patience (Layouts.read_game keys)
  in
  each_line stdin (fun _ line -> print_endline (String.concat "\t" (texts line)))
