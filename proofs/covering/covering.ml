(* Judges losses of covering games by the proved checkers. What this file reads is trusted; see docs/proofs/README.md. *)
open Covering_proved
open Rows
open Covering_layouts

let read_number text =
  let is_number = Str.string_match (Str.regexp "^[1-9][0-9]*$") text 0 && String.length text <= 10 in
  if is_number then int_of_string text else fail "%S is not a number of positions" text

let judge_in_hole game position claimed =
  match hole_loss game.rules position with
  | None -> Wrong "the game can be won"
  | Some number when number = claimed -> Loss_proved
  | Some number -> wrong_count number claimed

let max_positions = 100_000

(* Pairs are named by their lower ranks. *)
let read_pairs text =
  if not (Str.string_match (Str.regexp {|^\*A?2?3?4?5?6?$|}) text 0) || text = "*" then
    fail "%S does not name pairs by their lower ranks, in order" text;
  List.init (String.length text - 1) (fun index -> rank (String.sub text (index + 1) 1))

let judge_in_pairs game position ~is_open pairs number =
  let ranks = read_pairs pairs and claimed = read_number number in
  if claimed > max_positions then not_covered "more than %d positions" max_positions;
  Covering_pairs.judge game.rules ~is_open ranks position claimed

let judge game row =
  if row.verdict <> "unwinnable" then not_covered "the verdict %s" row.verdict;
  let position = position_of (read_layout game row.layout) in
  match String.split_on_char ' ' row.evidence with
  | [ "*"; number ] when game.has_hole -> judge_in_hole game position (read_number number)
  | [ pairs; number ] when not game.has_hole -> judge_in_pairs game position ~is_open:true pairs number
  | [ "stock"; pairs; number ] when not game.has_hole -> judge_in_pairs game position ~is_open:false pairs number
  | _ -> fail "%S is not the evidence of a loss" row.evidence
