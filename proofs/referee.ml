(* Judges the rows of an export by the proved checkers.

   Usage: referee GAME EXPORT.jsonl

   GAME is card-pairing or camelot, or for any other game NAME.toml, which `dealmill games NAME --rules` writes.
   EXPORT.jsonl is what `dealmill export` writes. Each row that is not proved is listed with its line and why. Exit
   codes: 0 all rows are proved, 1 a row is wrong, 2 a file cannot be read, 3 a row is not covered by the proofs. *)
open Rows

let judge_of_game = function
  | "card-pairing" -> Card_pairing.judge
  | "camelot" -> Camelot.judge
  | path when Filename.check_suffix path ".toml" ->
      let keys = Rules_files.read_keys path in
      if Covering_layouts.is_covering keys then Covering.judge (Covering_layouts.read_game keys)
      else if Whole_suits.has_whole_suits keys then Whole_suits.judge (Whole_suits.read_game keys)
      else Patience.judge (Layouts.read_game keys)
  | name -> fail "%s is not a game: write card-pairing, camelot, or NAME.toml for another game" name

let () =
  if Array.length Sys.argv <> 3 then begin
    prerr_endline "usage: referee GAME EXPORT.jsonl";
    exit 2
  end;
  let wins = ref 0 and losses = ref 0 and wrong = ref 0 and uncovered = ref 0 in
  let report count number kind reason =
    incr count;
    Printf.printf "line %d: %s: %s\n" number kind reason
  in
  let act judge number line =
    match judge (read_row line) with
    | Win_proved -> incr wins
    | Loss_proved -> incr losses
    | Wrong reason | (exception Not_read reason) -> report wrong number "wrong" reason
    | exception Not_covered reason -> report uncovered number "not covered" reason
  in
  (try
     let judge = judge_of_game Sys.argv.(1) in
     each_line_of_file Sys.argv.(2) (act judge)
   with Not_read reason | Sys_error reason ->
     prerr_endline ("referee: " ^ reason);
     exit 2);
  Printf.printf "%d wins and %d losses proved, %d wrong, %d rows not covered\n" !wins !losses !wrong !uncovered;
  exit (if !wrong > 0 then 1 else if !uncovered > 0 then 3 else 0)
