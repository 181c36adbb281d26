(* Judges rows of Camelot by the proved checkers. The reader of decks is trusted; see docs/proofs/README.md. *)
open Camelot_proved
open Rows

let values = "A234567890JQK"
let slot_names = "abcdefghijklmnop"

let read_deck text =
  let value symbol =
    match String.index_opt values symbol with Some index -> index + 1 | None -> fail "%C is not a card" symbol
  in
  let deck = List.map value (List.of_seq (String.to_seq text)) in
  let four_times value = List.length (List.filter (( = ) value) deck) = 4 in
  if not (List.length deck = 52 && List.for_all four_times (List.init 13 succ)) then
    fail "it is not a deck of 52 cards";
  deck

let read_slots text =
  let slot name =
    match String.index_opt slot_names name with Some slot -> slot | None -> fail "%C is not a slot" name
  in
  if text = "" then fail "there is a word without slots";
  List.map slot (List.of_seq (String.to_seq text))

(* One word is a dealing phase, or a removal. *)
let read_word text =
  if text <> "" && text.[0] = '-' then
    match read_slots (String.sub text 1 (String.length text - 1)) with
    | [ slot ] -> [ RemoveTen slot ]
    | [ first; second ] -> [ RemoveTwo (first, second) ]
    | _ -> fail "%S does not name one or two slots" text
  else List.map (fun slot -> Deal slot) (read_slots text)

(* Two words in a row that deal are not a trace, even if they deal to the right slots. *)
let read_trace text =
  let words = String.split_on_char ' ' text in
  let deals word = word <> "" && word.[0] <> '-' in
  let rec check = function
    | first :: (second :: _ as following) ->
        if deals first && deals second then fail "nothing is removed between %S and %S" first second;
        check following
    | _ -> ()
  in
  check words;
  List.concat_map read_word words

(* The least number of cards that fill the board. *)
let read_number deck text =
  match int_of_string_opt text with
  | Some number when string_of_int number = text && 16 <= number && number < 52 ->
      let filled = List.filter (check_loss deck) (List.init number Fun.id) in
      if filled <> [] then fail "%d is not the least number: %d cards fill the board" number (List.hd filled);
      number
  | _ -> fail "%S is not a number of cards from 16 to 51" text

let judge row =
  let deck = read_deck row.layout in
  if row.verdict = "winnable" then
    if check_win deck (read_trace row.evidence) then Win_proved else Wrong "the proved checker refuses the play"
  else if check_loss deck (read_number deck row.evidence) then Loss_proved
  else Wrong "the cards that must stay do not fill the board"
