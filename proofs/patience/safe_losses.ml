(* Judges losses by positions in which safe cards have gone up, as safe * 25797, also of the easier game, and by those
   among them that a relaxed game leaves, as cut * 1357. It finds the positions, and what happens before each of them,
   and has the proved checker check both. Nothing in this file is trusted: if it is wrong, the checker refuses. It counts
   as Dealmill's other referees do. *)
open Patience_proved
open Rows

let check_covered game rules ~refutes =
  let has_other_moves = game.Layouts.has_hole || rules.to_hole in
  if has_other_moves || if refutes then rules.cell_count > 0 else rules.moving_on = AnyCards then
    not_covered "positions in which safe cards have gone up by these rules"

(* For each card, the least set that contains it, and with each card those that go up before it, or fit it; these only
   if cards move in groups. *)
let sets_of rules deck =
  let fitting card = if are_groups rules then List.filter (fun other -> fits rules other card) deck else [] in
  let needed card = lower rules card @ fitting card in
  let rec closure set = function
    | [] -> set
    | card :: waiting when List.mem card set -> closure set waiting
    | card :: waiting -> closure (card :: set) (needed card @ waiting)
  in
  List.map (fun card -> (card, closure [] [ card ])) deck

(* The cards of each suit, the first one of its foundation first. *)
let suits_of rules deck =
  let in_order = List.sort (fun card other -> compare (height rules card) (height rules other)) deck in
  List.map (fun (suit, _) -> List.filter (fun card -> card.suit_of = suit) in_order) Layouts.suits

(* The first safe card that can be moved. In a stock that is not turned as often as one likes, it stays; and so does
   every card if any cards move, and those that fit it could come back from foundations. *)
let risen rules suits sets (absent, position) =
  let none_come_back = (not rules.removable) || rules.build = SameSuit || rules.build = NoBuilding in
  let may_rise card =
    (are_groups rules || none_come_back) && (rules.unlimited || not (List.mem card (all_cards position.turning)))
  in
  let rise_of card =
    if may_rise card && is_safe_by_sets rules sets absent position card then
      Option.map (fun after -> (card, (absent, after))) (rise rules position card)
    else None
  in
  let next suit = List.find_opt (fun card -> not (is_gone absent position card)) suit in
  List.find_map rise_of (List.filter_map next suits)

(* What happens without a move, and the state after it. *)
let rec settled_state rules suits sets idle (absent, position) =
  let more = if idle = [] then absent else fst (Exploring.absorbed rules idle (absent, position)) in
  let left = more <> List.sort_uniq compare absent in
  let state = if left then (more, settled rules (restricted more position)) else (absent, position) in
  let first = if left then [ Leave more ] else [] in
  match risen rules suits sets state with
  | None -> (first, state)
  | Some (card, after) ->
      let rest, last = settled_state rules suits sets idle after in
      (first @ (Rise card :: rest), last)

(* The relaxed game from a position, played to its end: what was ever true of its cards, by their numbers. *)
let relaxed_game rules position =
  let suit_number suit = match suit with Clubs -> 0 | Hearts -> 1 | Spades -> 2 | Diamonds -> 3 in
  let number card = (4 * height rules card) + suit_number card.suit_of in
  let table () = Array.make (4 * rules.ranks) false in
  let bare = table () and ups = table () and lifted = table () and left = table () in
  let space = ref (List.mem [] position.columns) and reserve = ref position.reserve and changed = ref true in
  let all_of_stock = all_cards position.turning and cards = Layouts.cards_of position in
  let set array card =
    if not array.(number card) then begin
      array.(number card) <- true;
      changed := true
    end
  in
  let fits_bare card = List.exists (fun other -> bare.(number other) && fits rules card other) cards in
  let leaves card = ups.(number card) || (!space && fills rules card) || fits_bare card in
  let rec take_apart above = function
    | [] -> ()
    | card :: under ->
        let along other = moves_with rules other card && not (List.mem card position.face_down) in
        (match above with Some other when not left.(number other) -> () | _ -> set bare card);
        if bare.(number card) || Option.fold ~none:true ~some:along above then begin
          set lifted card;
          if leaves card then begin
            set left card;
            if under = [] && not !space then begin
              space := true;
              changed := true
            end
          end;
          take_apart (Some card) under
        end
  in
  let rec take_reserve () =
    match !reserve with
    | card :: under ->
        set bare card;
        if leaves card || (rules.spaces = FromReserve && !space) then begin
          reserve := under;
          take_reserve ()
        end
    | [] -> ()
  in
  let is_up card = ups.(number card) in
  List.iter (set bare) (position.foundations @ position.open_reserve @ List.map fst (offers rules position));
  List.iter (set ups) position.foundations;
  (* Where no card of the stock is played, all will be dealt to the columns. *)
  if rules.to_hole then List.iter (set bare) all_of_stock;
  while !changed do
    changed := false;
    List.iter (take_apart None) position.columns;
    take_reserve ();
    if List.exists (fun card -> bare.(number card) && leaves card) all_of_stock then List.iter (set bare) all_of_stock;
    List.iter (fun card -> if bare.(number card) && List.for_all is_up (lower rules card) then set ups card) cards
  done;
  let ever array card = array.(number card) in
  let reached =
    { once_bare = ever bare; once_up = ever ups; once_lifted = ever lifted; once_left = ever left; once_space = !space }
  in
  if List.for_all is_up cards then None else Some reached

(* The numbers of all states that can be reached, without moves in those that are refuted; at most `limit`. *)
let reached ~normal ~after ~refutation start limit =
  let numbers = Exploring.Numbers.create 1000 and waiting = Queue.create () in
  let add state =
    let state = normal state in
    if not (Exploring.Numbers.mem numbers state) then begin
      if is_won (snd state) then raise Exploring.Won;
      if Exploring.Numbers.length numbers = limit then raise Exploring.Too_many;
      Exploring.Numbers.add numbers state (Exploring.Numbers.length numbers + 1);
      if refutation (snd state) = None then Queue.add state waiting
    end
  in
  add start;
  while not (Queue.is_empty waiting) do
    List.iter add (after (Queue.pop waiting))
  done;
  numbers

(* Judge the claim that so many states can be reached, and none is won; `check` has the proved checker check them. *)
let judge_count ~idle ~normal ~after ~refutation ~check start claimed =
  match reached ~normal ~after ~refutation start claimed with
  | exception Exploring.Won when idle <> [] -> Wrong "the game can be won if the other cards are out of the way"
  | exception Exploring.Won -> Wrong "the game can be won"
  | exception Exploring.Too_many ->
      Wrong (Printf.sprintf "more than %s can be reached" (count_of_positions claimed))
  | numbers when Exploring.Numbers.length numbers < claimed ->
      wrong_count (Exploring.Numbers.length numbers) claimed
  | numbers -> if check numbers then Loss_proved else Wrong "the proved checker refuses the positions"

(* The states by their numbers, as the checker asks for them. *)
let table_of numbers entry =
  let add state number table = PositiveMap.add (Exploring.positive number) (entry state) table in
  Exploring.Numbers.fold add numbers PositiveMap.empty

let key_of numbers state =
  let number = Exploring.Numbers.find_opt numbers state in
  Exploring.positive (Option.value number ~default:(Exploring.Numbers.length numbers + 1))

(* Judge the claim that a position is lost: if safe cards go up at once, so many positions can be reached, and none is
   won. Idle cards become absent when they can be lifted. *)
let judge rules idle ~refutes position claimed =
  let deck = Layouts.deck rules in
  let sets = sets_of rules deck and suits = suits_of rules deck in
  let settled_to = settled_state rules suits sets idle in
  let normal state = Exploring.normal rules (snd (settled_to state)) in
  let after (absent, position) = List.map (fun next -> (absent, next)) (moves rules absent position) in
  let refutation position = if refutes then relaxed_game rules position else None in
  let check numbers =
    let stages absent position = fst (settled_to (absent, position)) in
    let key absent position = key_of numbers (Exploring.normal rules (absent, position)) in
    check_ahead rules sets (table_of numbers Fun.id) stages key (fun _ -> refutation) position
  in
  judge_count ~idle ~normal ~after ~refutation ~check ([], position) claimed
