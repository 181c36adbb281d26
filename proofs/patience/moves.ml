(* Writes the layouts after each move, separated by tabs, for every layout on standard input: tests compare them with
   those of other programs. Usage: moves NAME.toml < LAYOUTS *)
open Rows
open Layouts

(* Only the rank in the hole counts: the card there is one that is nowhere else. *)
let text_of game rules position =
  let is_free card = not (List.mem card (cards_of position)) in
  let cards rank = List.map (fun (suit, _) -> { Patience_proved.rank; suit_of = suit }) suits in
  let in_hole = Option.map (fun rank -> List.find is_free (cards rank)) position.Patience_proved.hole in
  layout_text game rules position (Option.to_list in_hole)

let texts_of_moves game line =
  let rules, position = read_layout game line in
  List.map (text_of game rules) (Patience_proved.moves rules [] position)

let texts_of_moves_of_suits (game : Whole_suits.game) line =
  let board = Whole_suits.read_layout game line in
  Patience_proved.next game.single.rules game.run game.full_columns board |> List.map (Whole_suits.layout_text game)

let () =
  let path = Sys.argv.(1) in
  let texts =
    if Whole_suits.has_whole_suits path then texts_of_moves_of_suits (Whole_suits.read_game path)
    else texts_of_moves (read_game path)
  in
  each_line stdin (fun _ line -> print_endline (String.concat "\t" (texts line)))
