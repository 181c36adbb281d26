(* Writes the layouts after each move, separated by tabs, for every layout on standard input: tests compare them with
   those of other programs. Usage: moves NAME.toml < LAYOUTS *)
open Layouts

let () =
  let game = read_game Sys.argv.(1) in
  let write _ line =
    let rules, position = read_layout game line in
    Proved.moves rules [] position |> List.map (layout_text game rules) |> String.concat "\t" |> print_endline
  in
  each_line stdin write
