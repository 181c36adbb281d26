(* Judges losses by positions by ranks from which a walk is possible, as walks * 7276. It finds the positions, and has
   the proved checker check them. Nothing in this file is trusted: if it is wrong, the checker refuses. It counts the
   positions as Dealmill's other referees do. *)
open Patience_proved
open Rows

let check_covered rules = if not (has_walks_only rules) then fail "walks prove nothing by these rules"

(* One of all positions that differ in the order of columns and cells. *)
let normal position =
  { position with stacks = List.sort compare position.stacks; singles = List.sort compare position.singles }

module Numbers = Hashtbl.Make (struct
  type t = ranked

  let equal = ( = )
  let hash position = Hashtbl.hash_param 256 256 position
end)

(* The numbers of all positions with a walk that can be reached, and of the first one; at most `limit`. *)
let reached rules places start limit =
  let numbers = Numbers.create 1000 and waiting = Queue.create () in
  let add position =
    if not (Numbers.mem numbers position) then begin
      if position.stacks = [] && position.singles = [] then raise Exploring.Won;
      if Numbers.length numbers = limit then raise Exploring.Too_many;
      Numbers.add numbers position (Numbers.length numbers + 1);
      Queue.add position waiting
    end
  in
  add (normal start);
  while not (Queue.is_empty waiting) do
    let position = Queue.pop waiting in
    if may_walk rules position then
      List.iter
        (fun after -> if may_walk rules after then add (normal after))
        (ranked_moves rules places position)
  done;
  numbers

(* Judge the claim that a position is lost: so many positions by ranks can be reached, and none is won. *)
let judge rules position claimed =
  let in_hole = match position.hole with Some rank -> rank | None -> fail "there is no hole" in
  match reached rules (places rules position) (by_ranks rules position in_hole) claimed with
  | exception Exploring.Won -> Wrong "the game can be won"
  | exception Exploring.Too_many -> Wrong (Printf.sprintf "more than %s can be reached" (count_of_positions claimed))
  | numbers when Numbers.length numbers < claimed -> wrong_count (Numbers.length numbers) claimed
  | numbers ->
      let add position number table = PositiveMap.add (Exploring.positive number) position table in
      let table = Numbers.fold add numbers PositiveMap.empty in
      let key position =
        Exploring.positive (Option.value (Numbers.find_opt numbers (normal position)) ~default:(claimed + 1))
      in
      if check_walks rules table key position then Loss_proved else Wrong "the proved checker refuses the positions"
