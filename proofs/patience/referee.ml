(* Judges the losses in an export by the proved checker.

   Usage: referee NAME.toml EXPORT.jsonl

   NAME.toml is what `dealmill games NAME --rules` writes, and EXPORT.jsonl what `dealmill export` does. Each row that
   is not proved is named, with its line and why. Exit codes: 0 all rows are proved, 1 a loss is not proved, 2 a file
   cannot be read, 3 a row is not covered by the proof. What this file reads is trusted; see docs/proofs/README.md. *)
open Proved
open Layouts

exception Not_covered of string

let not_covered format = Printf.ksprintf (fun reason -> raise (Not_covered reason)) format
let max_positions = 100_000

let json_object =
  let pair = {|"[^"\\]*": ?\("\([^"\\]\|\\.\)*"\|[-+.0-9eE]+\|null\|true\|false\)|} in
  Str.regexp (Printf.sprintf {|^{%s\(, ?%s\)*}$|} pair pair)

(* The texts in a JSON object on one line, by their keys. Texts with escapes are left out. *)
let texts_of_json line =
  if not (Str.string_match json_object line 0) then fail "it is not a row of an export";
  let text = Str.regexp {|"\([a-z]+\)": ?"\([^"\\]*\)"|} in
  let rec texts_from start =
    match Str.search_forward text line start with
    | exception Not_found -> []
    | _ ->
        let pair = (Str.matched_group 1 line, Str.matched_group 2 line) in
        let stop = Str.match_end () in
        pair :: texts_from stop
  in
  texts_from 0

let in_order cards = List.sort_uniq (fun x y -> compare (x.suit_of, x.rank) (y.suit_of, y.rank)) cards

let read_live game rules text =
  let cards = cards_of_text text in
  if cards = [] || in_order cards <> cards then fail "the cards %S are not in order: each once, by suits and ranks"
    text;
  List.iter (fun card -> if card.rank > rules.ranks then fail "%s is not in the deck" (card_text card)) cards;
  if game.has_hole || rules.moving_on = AnyCards then not_covered "a list of cards by these rules";
  cards

let read_number text =
  match int_of_string_opt text with
  | Some number when number > 0 && string_of_int number = text -> number
  | _ -> fail "%S is not a number of positions" text

(* The absent cards, and the number of positions. Cards that cannot come back from a foundation are not absent. *)
let read_evidence game rules position evidence =
  match String.split_on_char ' ' evidence with
  | [ cards; number ] ->
      let number = read_number number in
      if number > max_positions then not_covered "more than %d positions" max_positions;
      let stays card =
        member card position.foundations && ((not rules.removable) || (rules.first_stay && height rules card = 0))
      in
      let absent =
        if cards = "*" then []
        else
          let live = read_live game rules cards in
          List.filter (fun card -> not (member card live || stays card)) (deck rules)
      in
      (absent, number)
  | _ -> fail "%S is not the evidence of a loss" evidence

let judge_row game texts =
  let text key = match List.assoc_opt key texts with Some text -> text | None -> fail "there is no %s" key in
  let verdict = text "verdict" in
  if verdict <> "unwinnable" then not_covered "the verdict %s" verdict;
  let rules, position = read_layout game (text "layout") in
  let absent, number = read_evidence game rules position (text "evidence") in
  Exploring.judge rules absent position number

let () =
  if Array.length Sys.argv <> 3 then begin
    prerr_endline "usage: referee NAME.toml EXPORT.jsonl";
    exit 2
  end;
  let proved = ref 0 and wrong = ref 0 and uncovered = ref 0 in
  let report count number kind reason =
    incr count;
    Printf.printf "line %d: %s: %s\n" number kind reason
  in
  let judge game number line =
    match judge_row game (texts_of_json line) with
    | Exploring.Proved -> incr proved
    | Exploring.Wrong reason | (exception Not_read reason) -> report wrong number "wrong" reason
    | exception Not_covered reason -> report uncovered number "not covered" reason
  in
  (try
     let game = read_game Sys.argv.(1) in
     each_line_of_file Sys.argv.(2) (judge game)
   with Not_read reason | Sys_error reason ->
     prerr_endline ("referee: " ^ reason);
     exit 2);
  Printf.printf "%d losses proved, %d wrong, %d rows not covered\n" !proved !wrong !uncovered;
  exit (if !wrong > 0 then 1 else if !uncovered > 0 then 3 else 0)
