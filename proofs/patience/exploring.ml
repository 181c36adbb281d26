(* Finds the positions of the easier game, and has the proved checker check them. Nothing in this file is trusted: if
   it is wrong, the checker refuses. It counts the positions as Dealmill's other referees do. *)
open Patience_proved
open Rows

(* One of all positions that differ in the order of columns and cells, or in how far the stock is turned, if that
   makes no difference. *)
let normal rules (absent, position) =
  let talon = position.turning in
  let sort cards = List.sort compare cards in
  let whole_groups = List.length talon.waste mod rules.draw = 0 || talon.stock = [] in
  let turning =
    if rules.unlimited && whole_groups then { talon with stock = all_cards talon; waste = [] } else talon
  in
  ( absent,
    {
      position with
      columns = List.sort compare position.columns;
      face_down = sort position.face_down;
      cells = sort position.cells;
      open_reserve = sort position.open_reserve;
      foundations = sort position.foundations;
      turning;
    } )

(* The state after all cards have become absent that can: idle ones, and those that fit absent ones. *)
let rec absorbed rules idle (absent, position) =
  let absent = List.sort_uniq compare absent in
  let leaves card = member card idle || fits_absent rules absent card in
  let position = settled rules (restricted absent position) in
  let lifted =
    List.filter_map
      (fun ((above, card), _) -> if leaves card then Some (card :: above) else None)
      (lifts rules position)
  in
  let offered =
    if rules.draw > 1 then []
    else List.filter leaves (List.map fst (offers rules position))
  in
  match List.concat lifted @ offered with
  | [] -> normal rules (absent, position)
  | cards -> absorbed rules idle (cards @ absent, position)

let following rules idle (absent, position) =
  let discarded (card, after) = if fits_absent rules absent card then Some (card :: absent, after) else None in
  let discards = if rules.draw = 1 then [] else List.filter_map discarded (offers rules position) in
  let moved = List.map (fun after -> (absent, after)) (moves rules absent position) in
  List.map (absorbed rules idle) (moved @ discards)

(* States by their numbers, from 1. Hashtbl.hash looks at few cards only. *)
module Numbers = Hashtbl.Make (struct
  type t = card list * position

  let equal = ( = )
  let hash (absent, position) = Hashtbl.hash (Hashtbl.hash_param 256 256 absent, Hashtbl.hash_param 256 256 position)
end)

exception Won
exception Too_many

(* The numbers of all states that can be reached; at most `limit`. *)
let reached rules idle start limit =
  let numbers = Numbers.create 1000 and waiting = Queue.create () in
  let add state =
    if not (Numbers.mem numbers state) then begin
      if is_won (snd state) then raise Won;
      if Numbers.length numbers = limit then raise Too_many;
      Numbers.add numbers state (Numbers.length numbers + 1);
      Queue.add state waiting
    end
  in
  add start;
  while not (Queue.is_empty waiting) do
    List.iter add (following rules idle (Queue.pop waiting))
  done;
  numbers

let rec positive number =
  if number = 1 then XH else if number land 1 = 1 then XI (positive (number / 2)) else XO (positive (number / 2))

(* Judge the claim that a position is lost: if these cards are idle, so many positions can be reached, and none is
   won. Idle cards are absent at the start, or become absent when they can be lifted. *)
let judge rules idle ~absent_at_once position claimed =
  let in_stock card = member card (all_cards position.turning) in
  let by_card = rules.draw > 1 && List.exists in_stock idle in
  let easier = if by_card then card_by_card rules else rules in
  let start =
    if by_card then with_turning position { position.turning with passes = 0 } else position
  in
  let at_start = if absent_at_once then idle else [] in
  match reached easier idle (absorbed easier idle (at_start, start)) claimed with
  | exception Won when idle <> [] -> Wrong "the game can be won if the other cards are out of the way"
  | exception Won -> Wrong "the game can be won"
  | exception Too_many -> Wrong (Printf.sprintf "more than %s can be reached" (count_of_positions claimed))
  | numbers when Numbers.length numbers < claimed -> wrong_count (Numbers.length numbers) claimed
  | numbers ->
      let add state number table = PositiveMap.add (positive number) state table in
      let table = Numbers.fold add numbers PositiveMap.empty in
      (* The checker asks for the start without absent cards. *)
      let key more after =
        let state = absorbed easier idle ((if more = [] then at_start else more), after) in
        positive (Option.value (Numbers.find_opt numbers state) ~default:(Numbers.length numbers + 1))
      in
      if check_loss rules by_card table key start then Loss_proved else Wrong "the proved checker refuses the positions"
