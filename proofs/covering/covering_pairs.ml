(* Finds the positions of the easier game for some pairs of ranks that matter, and has the proved checker check them.
   Nothing in this file is trusted: if it is wrong, the checker refuses. It counts the positions as Dealmill's other
   referees do.

   A position is three sets of bits and a number: the places that have cards, those cards of the stock that are left,
   how many of these lie in the waste, and the further passes. Idle cards of the stock are left out: nothing depends on
   them. *)
open Covering_proved
open Rows

type state = { places_left : int; stock_left : int; turned : int; passes_left : int }

type game = {
  rules : rules;
  is_open : bool;
  place_ranks : int array;  (* 0 is a gap *)
  covers : int array;  (* the places that cover each, as bits *)
  idle : int;  (* the places with idle cards *)
  order : int array;  (* the ranks of the stock, in the order of turning; those of an open one, as it lies *)
}

let has set bit = set land (1 lsl bit) <> 0
let without set bit = set land lnot (1 lsl bit)
let numbers_in set size = List.filter (has set) (List.init size Fun.id)
let set_of numbers = List.fold_left (fun set number -> set lor (1 lsl number)) 0 numbers

let load rules ~is_open ranks position =
  let place_ranks = Array.of_list (List.map (Option.value ~default:0) position.places) in
  let size = Array.length place_ranks in
  let talon = position.turning in
  let order = if is_open then talon.stock @ talon.waste else List.rev_append talon.waste talon.stock in
  let live = List.filter (matters ranks) in
  let is_idle number = place_ranks.(number) > 0 && not (matters ranks place_ranks.(number)) in
  let game =
    {
      rules;
      is_open;
      place_ranks;
      covers = Array.of_list (List.map set_of rules.covers);
      idle = set_of (List.filter is_idle (List.init size Fun.id));
      order = Array.of_list (live order);
    }
  in
  let start =
    {
      places_left = set_of (List.filter (fun number -> place_ranks.(number) > 0) (List.init size Fun.id));
      stock_left = (1 lsl Array.length game.order) - 1;
      turned = List.length (live talon.waste);
      passes_left = talon.passes;
    }
  in
  (game, start)

(* Idle cards leave that are free: no card covers one with a lower number. *)
let settled game places =
  let leave left number =
    if has game.idle number && left land game.covers.(number) = 0 then without left number else left
  in
  List.fold_left leave places (numbers_in places (Array.length game.place_ranks))

(* It does not matter how far a stock is turned that can be turned at any time. *)
let normal game state =
  let places_left = settled game state.places_left in
  if game.is_open || game.rules.unlimited then { state with places_left; turned = 0; passes_left = 0 }
  else { state with places_left }

let is_won game state =
  state.places_left = 0 && (game.is_open || (not game.rules.all_leave) || state.stock_left = 0)

(* The cards that turning uncovers in this pass, alone and with the next one, and the state after they are taken. *)
let drawn_in_pass game state =
  let stock = numbers_in state.stock_left (Array.length game.order) in
  let take turned cards = { state with stock_left = List.fold_left without state.stock_left cards; turned } in
  let rec draw index = function
    | [] -> []
    | _ :: later when index < state.turned - 1 -> draw (index + 1) later
    | card :: later ->
        let both =
          match later with
          | next :: _ when game.rules.playable -> [ ([ card; next ], take index [ card; next ]) ]
          | _ -> []
        in
        (([ card ], take index [ card ]) :: both) @ draw (index + 1) later
  in
  draw 0 stock

(* The same, also in the next pass: then, of those that are buried now. *)
let drawn game state =
  let stock = numbers_in state.stock_left (Array.length game.order) in
  if game.is_open then
    let rank card = game.order.(card) in
    let is_first card = not (List.exists (fun other -> other < card && rank other = rank card) stock) in
    List.map
      (fun card -> ([ card ], { state with stock_left = without state.stock_left card }))
      (List.filter is_first stock)
  else
    let buried = List.filteri (fun index _ -> index < state.turned - 1) stock in
    let next_pass =
      if state.passes_left > 0 then drawn_in_pass game { state with turned = 0; passes_left = state.passes_left - 1 }
      else []
    in
    drawn_in_pass game state @ List.filter (fun (cards, _) -> List.mem (List.hd cards) buried) next_pass

let following game state =
  let rank number = game.place_ranks.(number) in
  let left = state.places_left in
  let places = numbers_in left (Array.length game.place_ranks) in
  let above number = left land game.covers.(number) in
  let free = List.filter (fun number -> above number = 0) places in
  let overlap = game.rules.moves_by = InPairs true in
  let goes_with number mate =
    rank number + rank mate = 13 && (above mate = 0 && mate > number || (overlap && above mate = 1 lsl number))
  in
  let pairs_with number =
    List.filter_map
      (fun mate ->
        if goes_with number mate then Some { state with places_left = without (without left number) mate } else None)
      places
  in
  let all_drawn = drawn game state in
  let drawn_with number (cards, after) =
    match cards with
    | [ card ] when game.order.(card) + rank number = 13 -> Some { after with places_left = without left number }
    | _ -> None
  in
  let both_drawn (cards, after) =
    match cards with [ x; y ] when game.order.(x) + game.order.(y) = 13 -> Some after | _ -> None
  in
  List.concat_map pairs_with free
  @ List.concat_map (fun number -> List.filter_map (drawn_with number) all_drawn) free
  @ List.filter_map both_drawn all_drawn
  |> List.map (normal game)

exception Won
exception Too_many

(* All states that can be reached; at most `limit`. *)
let reached game start limit =
  let states = Hashtbl.create 1000 and waiting = Queue.create () in
  let add state =
    if not (Hashtbl.mem states state) then begin
      if is_won game state then raise Won;
      if Hashtbl.length states = limit then raise Too_many;
      Hashtbl.add states state ();
      Queue.add state waiting
    end
  in
  add (normal game start);
  while not (Queue.is_empty waiting) do
    List.iter add (following game (Queue.pop waiting))
  done;
  List.of_seq (Hashtbl.to_seq_keys states)

let ranks_left game state =
  List.map (Array.get game.order) (numbers_in state.stock_left (Array.length game.order))

let position_of game state =
  let place number rank = if has state.places_left number then Some rank else None in
  let cards = ranks_left game state in
  let waste = List.filteri (fun index _ -> index < state.turned) cards in
  {
    places = Array.to_list (Array.mapi place game.place_ranks);
    turning =
      {
        stock = List.filteri (fun index _ -> index >= state.turned) cards;
        waste = List.rev waste;
        passes = state.passes_left;
      };
    hole = 0;
  }

let rec positive number =
  if number = 1 then XH else if number land 1 = 1 then XI (positive (number / 2)) else XO (positive (number / 2))

(* What tells apart positions of which one covers the other if it comes first in turning. *)
let cards_of_position game position =
  let is_card = function Some _ -> true | None -> false in
  let bits = List.mapi (fun number card -> if is_card card then 1 lsl number else 0) position.places in
  let talon = position.turning in
  (settled game (List.fold_left ( + ) 0 bits), List.rev_append talon.waste talon.stock)

let cards_of_state game state = (state.places_left, ranks_left game state)

(* The states from which turning leads to all others with the same cards, by these cards, numbered from 1. *)
let first_states game states =
  let firsts = Hashtbl.create 1000 in
  let add state =
    let cards = cards_of_state game state in
    let comes_first =
      match Hashtbl.find_opt firsts cards with
      | Some (first, _) -> (-state.passes_left, state.turned) < (-first.passes_left, first.turned)
      | None -> true
    in
    let number =
      match Hashtbl.find_opt firsts cards with Some (_, number) -> number | None -> Hashtbl.length firsts + 1
    in
    if comes_first then Hashtbl.replace firsts cards (state, number)
  in
  List.iter add states;
  firsts

(* More turns than these take no stock from the first pass to the end of the last one, or around. *)
let max_turns = 1_000

(* Judge the claim that a position is lost: so many positions of the easier game can be reached, and none is won. *)
let judge rules ~is_open ranks position claimed =
  let game, start = load rules ~is_open ranks position in
  match reached game start claimed with
  | exception Won -> Wrong "the easier game can be won"
  | exception Too_many -> Wrong (Printf.sprintf "more than %s can be reached" (count_of_positions claimed))
  | states when List.length states < claimed -> wrong_count (List.length states) claimed
  | states ->
      let firsts = first_states game states in
      let add _ (state, number) table = PositiveMap.add (positive number) (position_of game state) table in
      let table = Hashtbl.fold add firsts PositiveMap.empty in
      let key position =
        match Hashtbl.find_opt firsts (cards_of_position game position) with
        | Some (_, number) -> positive number
        | None -> positive (Hashtbl.length firsts + 1)
      in
      if pairs_loss rules ranks is_open max_turns table key position then Loss_proved
      else Wrong "the proved checker refuses the positions"
