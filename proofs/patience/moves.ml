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

let () =
  let game = read_game Sys.argv.(1) in
  let write _ line =
    let rules, position = read_layout game line in
    Patience_proved.moves rules [] position |> List.map (text_of game rules) |> String.concat "\t" |> print_endline
  in
  each_line stdin write
