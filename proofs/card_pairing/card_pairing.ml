(* Judges rows of card pairing by the proved checkers. The reader of layouts is trusted; see docs/proofs/README.md. *)
open Card_pairing_proved
open Rows

let rank_letters = "A23456789TJQKBCD"
let stack_names = "0123456789abcdefghijklmnopqrstuvwxyz"
let max_cards = 1_024
let max_stacks = 1_024

(* Layouts *)

let texts_of_word listed word =
  if word = "-" then []
  else if not listed then List.map (String.make 1) (List.of_seq (String.to_seq word))
  else
    let length = String.length word in
    String.split_on_char ',' (if String.ends_with ~suffix:"," word then String.sub word 0 (length - 1) else word)

let is_letter text = String.length text = 1 && String.contains rank_letters text.[0]

let check_symbol listed text =
  let is_symbol = Str.string_match (Str.regexp "^[A-Z0-9]+$") text 0 && String.length text <= 8 in
  if not (if listed then is_symbol else is_letter text) then fail "%S is not a rank" text

(* The text of stacks in list form. If no stack has two cards, a comma follows the first that has one. *)
let list_form stacks =
  let short = List.for_all (fun stack -> List.length stack < 2) stacks in
  let rec words = function
    | [ symbol ] :: stacks when short -> (symbol ^ ",") :: List.map word stacks
    | stack :: stacks -> word stack :: words stacks
    | [] -> []
  and word stack = if stack = [] then "-" else String.concat "," stack in
  String.concat " " (words stacks)

(* The symbols of each stack from bottom to top. *)
let read_layout text =
  let listed = String.contains text ',' in
  let words = String.split_on_char ' ' text in
  let stacks = List.map (texts_of_word listed) words in
  let symbols = List.concat stacks in
  if List.compare_length_with stacks 2 < 0 || List.compare_length_with stacks max_stacks > 0 then
    fail "the layout has %d stacks" (List.length stacks);
  if List.mem "" words then fail "a stack of the layout has no text";
  if symbols = [] || List.compare_length_with symbols max_cards > 0 then
    fail "the layout has %d cards" (List.length symbols);
  List.iter (check_symbol listed) symbols;
  if listed && (List.for_all is_letter symbols || list_form stacks <> text) then
    fail "the layout is not in its canonical form";
  stacks

(* The ranks, numbered in the order in which they first occur, and the number of cards of each. *)
let number_ranks stacks =
  let numbers = Hashtbl.create 100 in
  let number symbol =
    match Hashtbl.find_opt numbers symbol with
    | Some number -> number
    | None ->
        let number = Hashtbl.length numbers in
        Hashtbl.add numbers symbol number;
        number
  in
  let position = List.map (List.map number) stacks in
  (position, numbers)

let check_counts position =
  let counts = Hashtbl.create 100 in
  let count rank = Option.value (Hashtbl.find_opt counts rank) ~default:0 in
  List.iter (fun rank -> Hashtbl.replace counts rank (count rank + 1)) (List.concat position);
  Hashtbl.iter (fun _ count -> if count mod 2 = 1 then fail "a rank occurs %d times" count) counts

(* Moves *)

let read_move stacks text =
  let name index =
    match String.index_opt stack_names text.[index] with Some stack -> stack | None -> fail "%S is not a move" text
  in
  if stacks <= String.length stack_names then
    if String.length text = 2 then (name 0, name 1) else fail "%S is not a move" text
  else
    let number = {|\(0\|[1-9][0-9]*\)|} in
    if String.length text < 16 && Str.string_match (Str.regexp (Printf.sprintf "^%s,%s$" number number)) text 0 then
      (int_of_string (Str.matched_group 1 text), int_of_string (Str.matched_group 2 text))
    else fail "%S is not a move" text

let judge row =
  let position, numbers = number_ranks (read_layout row.layout) in
  check_counts position;
  if row.verdict = "winnable" then
    let moves = List.map (read_move (List.length position)) (String.split_on_char ' ' row.evidence) in
    if check_win position moves then Win_proved else Wrong "the proved checker refuses the play"
  else
    let steps = Elaboration.steps_of position numbers row.evidence in
    if check_loss position steps then Loss_proved else Wrong "the proved checker refuses the steps"
