(* Judges losses by positions without the arrangement of cards that were moved, as quotient * 13289. It finds the
   positions, and what refutes some of them, and has the proved checker check both. Nothing in this file is trusted, but
   [check_covered]: if the rest is wrong, the checker refuses. It counts as Dealmill's other referees do. *)
open Patience_proved
open Rows

let check_covered game rules =
  if (not (without_arrangement rules)) || game.Layouts.has_hole || rules.to_hole || game.stacked then
    not_covered "positions without the arrangement of moved cards by these rules"

(* One of all positions that differ in how far the stock is turned, if that makes no difference. *)
let normal rules position =
  let { columns; face_down; open_reserve; _ } = position in
  { (snd (Exploring.normal rules ([], { position with columns = [] }))) with columns; face_down; open_reserve }

module Numbers = Hashtbl.Make (struct
  type t = position

  let equal = ( = )
  let hash position = Hashtbl.hash (Hashtbl.hash_param 256 256 position.columns, Hashtbl.hash_param 256 256 position)
end)

(* What could ever be done from a position, if whatever was possible once stayed possible: the cards that are ever up,
   those that came to the columns, and whether there is ever space for a king. *)
type relaxed = { up : bool array; came : bool array; mutable space : bool }

let relaxed rules deck position =
  let suit_number suit = match suit with Clubs -> 0 | Hearts -> 1 | Spades -> 2 | Diamonds -> 3 in
  let number card = (4 * height rules card) + suit_number card.suit_of in
  let kind card = (2 * height rules card) + if red card then 1 else 0 in
  let above card = (2 * (height rules card + 1)) + if red card then 0 else 1 in
  let cards = (4 * rules.ranks) + 4 and kinds = (2 * rules.ranks) + 2 in
  let moved = moved_cards deck position and shown = shown_cards deck position in
  let is_shown = Array.make cards false and was_moved = Array.make cards false in
  let shown_kind = Array.make kinds false and bare = Array.make kinds false in
  let goes = kings_go rules in
  let state =
    { up = Array.make cards false; came = Array.make cards false; space = has_space rules deck position }
  in
  let changed = ref true in
  let set array index =
    if not array.(index) then begin
      array.(index) <- true;
      changed := true
    end
  in
  let comes card =
    set state.came (number card);
    set is_shown (number card);
    set shown_kind (kind card);
    set bare (kind card)
  in
  let give_space () =
    if goes && not state.space then begin
      state.space <- true;
      changed := true
    end
  in
  let is_free card = (is_king rules card && state.space) || (shown_kind.(above card) && bare.(above card)) in
  let leaves card = state.up.(number card) || is_free card in
  let rises card =
    set state.up (number card);
    if is_king rules card then give_space ();
    if was_moved.(number card) && height rules card + 1 < rules.ranks then set bare (above card)
  in
  List.iter (fun card -> was_moved.(number card) <- true) moved;
  List.iter
    (fun card ->
      is_shown.(number card) <- true;
      shown_kind.(kind card) <- true;
      if was_bare rules moved shown card then bare.(kind card) <- true)
    shown;
  List.iter (fun card -> state.up.(number card) <- true) position.foundations;
  let all_of_stock = all_cards position.turning in
  let at_first = List.map fst (offers rules position) in
  let rec take_apart column =
    match column with
    | card :: under when leaves card ->
        let left = dealt_cards rules position.face_down under in
        let taken = List.length under - List.length left in
        List.iteri (fun index card -> if index < taken then comes card) under;
        (match left with card :: _ -> comes card | [] -> ());
        if under = [] then give_space ();
        take_apart left
    | _ -> ()
  in
  let come_back card =
    let is_below other = member card (lower rules other) in
    let on_it = List.filter is_below position.foundations in
    if can_come_back rules card && is_free card && List.for_all (fun other -> state.came.(number other)) on_it then
      comes card
  in
  while !changed do
    changed := false;
    let offered =
      position.open_reserve @ if List.exists leaves at_first then all_of_stock else at_first
    in
    let can_rise card =
      (is_shown.(number card) && bare.(kind card)) || List.mem card offered
    in
    List.iter
      (fun card ->
        let is_next = List.for_all (fun other -> state.up.(number other)) (lower rules card) in
        if (not state.up.(number card)) && is_next && can_rise card then rises card)
      deck;
    List.iter (fun card -> if is_free card then comes card) offered;
    List.iter take_apart position.columns;
    List.iter come_back position.foundations
  done;
  let chosen array = List.filter (fun card -> array.(number card)) deck in
  ((chosen state.up, chosen state.came), state.space)

(* Why a position is refuted, if it is. *)
let refutation rules deck position =
  let ((up, _), _) as reached = relaxed rules deck position in
  if List.length up < List.length deck then Some reached else None

exception Won
exception Too_many

(* The numbers of all positions that can be reached, and why those are refuted that are; at most `limit`. *)
let reached rules deck start limit =
  let numbers = Numbers.create 1000 and refutations = Hashtbl.create 1000 and waiting = Queue.create () in
  let size = List.length deck in
  let add position =
    let position = normal rules (after_safe rules deck size position) in
    if not (Numbers.mem numbers position) then begin
      if List.length position.foundations = size then raise Won;
      if Numbers.length numbers = limit then raise Too_many;
      let number = Numbers.length numbers + 1 in
      Numbers.add numbers position number;
      match refutation rules deck position with
      | Some reason -> Hashtbl.add refutations number reason
      | None -> Queue.add position waiting
    end
  in
  add start;
  while not (Queue.is_empty waiting) do
    List.iter add (quotient_moves rules deck (Queue.pop waiting))
  done;
  (numbers, refutations)

(* Judge the claim that a position is lost: so many positions can be reached, and none is won. *)
let judge rules position claimed =
  let deck = Layouts.deck rules in
  match reached rules deck (quotient_of rules position) claimed with
  | exception Won -> Wrong "the game can be won"
  | exception Too_many -> Wrong (Printf.sprintf "more than %s can be reached" (count_of_positions claimed))
  | numbers, _ when Numbers.length numbers < claimed -> wrong_count (Numbers.length numbers) claimed
  | numbers, refutations ->
      let number position = Option.value (Numbers.find_opt numbers position) ~default:0 in
      let key position = Exploring.positive (number (normal rules position) + 1) in
      let add position number table = PositiveMap.add (Exploring.positive (number + 1)) position table in
      let table = Numbers.fold add numbers PositiveMap.empty in
      let hint position = Hashtbl.find_opt refutations (number position) in
      if check_quotient rules deck table key hint position then Loss_proved
      else Wrong "the proved checker refuses the positions"
