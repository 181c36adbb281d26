(* Rows of exports, and what is said of them. What this file reads is trusted; see docs/proofs/README.md. *)

exception Not_read of string
exception Not_covered of string

let fail format = Printf.ksprintf (fun reason -> raise (Not_read reason)) format
let not_covered format = Printf.ksprintf (fun reason -> raise (Not_covered reason)) format

type row = { layout : string; verdict : string; evidence : string }
type judgement = Win_proved | Loss_proved | Wrong of string

let count_of_positions number = if number = 1 then "1 position" else Printf.sprintf "%d positions" number

let wrong_count number claimed =
  Wrong (Printf.sprintf "%s can be reached, not %d" (count_of_positions number) claimed)

(* Lines of files, which are numbered from 1. *)

let rec each_line ?(number = 1) channel act =
  match input_line channel with
  | line ->
      act number line;
      each_line ~number:(number + 1) channel act
  | exception End_of_file -> ()

let each_line_of_file path act =
  let channel = open_in_bin path in
  Fun.protect ~finally:(fun () -> close_in channel) (fun () -> each_line channel act)

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

let read_row line =
  let texts = texts_of_json line in
  let text key = match List.assoc_opt key texts with Some text -> text | None -> fail "there is no %s" key in
  let verdict = text "verdict" in
  if verdict <> "winnable" && verdict <> "unwinnable" then not_covered "the verdict %s" verdict;
  { layout = text "layout"; verdict; evidence = text "evidence" }

(* The parts of a layout, such as stock:6H4S. *)
let read_parts words =
  let read word =
    match String.split_on_char ':' word with [ part; value ] -> (part, value) | _ -> fail "%S is not a part" word
  in
  List.map read words
