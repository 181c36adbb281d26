(* Writes certificates of losses as the steps that the proved checker follows: lists of ranks, and lemmas with hints.
   Nothing in this file is trusted: if it is wrong, the checker refuses. It accepts what Dealmill's other referee does,
   and finds what the steps must name: why an option is closed, and which cards bar the others in a jam. *)
open Card_pairing_proved
open Rows

(* A card is a number here, stack by stack from bottom to top. *)
type deal = {
  stack_of : int array;
  height_of : int array;
  starts : int array;  (* the number of the first card of each stack *)
  heights : int array;  (* the number of cards in each stack *)
  ranks : int array array;  (* the cards of each rank *)
  rank_of : int array;
}

let deal_of position =
  let heights = Array.of_list (List.map List.length position) in
  let start = ref 0 in
  let starts =
    Array.map
      (fun height ->
        let first = !start in
        start := first + height;
        first)
      heights
  in
  let rank_of = Array.of_list (List.concat position) in
  let stacks = List.init (Array.length heights) Fun.id in
  let numbered number = Array.concat (List.map (fun stack -> Array.init heights.(stack) (number stack)) stacks) in
  let cards_of = Array.make (1 + Array.fold_left max 0 rank_of) [] in
  Array.iteri (fun card rank -> cards_of.(rank) <- card :: cards_of.(rank)) rank_of;
  {
    stack_of = numbered (fun stack _ -> stack);
    height_of = numbered (fun _ height -> height);
    starts;
    heights;
    ranks = Array.map (fun cards -> Array.of_list (List.rev cards)) cards_of;
    rank_of;
  }

module Cards = Set.Make (Int)

(* The mates of the cards of taken options, -1 for others, and the cards with which each cannot leave. *)
type choice = { mates : int array; shut : Cards.t array }

let max_work = 200_000_000

(* The steps so far, the latest first; the number of lemmas that the checker knows, and before each open assumption. *)
type proof = {
  deal : deal;
  mutable steps : step list;
  mutable known : int;
  mutable before : int list;
  mutable work : int;
}

let place proof card = (proof.deal.stack_of.(card), proof.deal.height_of.(card))

let emit proof step = proof.steps <- step :: proof.steps

let suppose proof literals =
  let literal (positive, (card, mate)) = { positive; first = place proof card; second = place proof mate } in
  emit proof (Suppose (List.map literal literals));
  proof.before <- proof.known :: proof.before

(* This ends the proof of the lemma that has been assumed to be false, if there is one. *)
let contradict proof step =
  emit proof step;
  match proof.before with
  | known :: before ->
      proof.before <- before;
      proof.known <- known + 1
  | [] -> ()

(* The other two cards of a rank of four. *)
let others deal (card, mate) =
  match Array.to_list deal.ranks.(deal.rank_of.(card)) with
  | [ _; _; _; _ ] as cards -> (
      match List.filter (fun each -> each <> card && each <> mate) cards with
      | [ third; fourth ] -> Some (third, fourth)
      | _ -> None)
  | _ -> None

let is_shut choice (card, mate) = Cards.mem mate choice.shut.(card)

(* The lowest card of each stack that must leave before a pair, if the cards that have mates leave with these. *)
let lowest_before proof mate_of (first, second) =
  let deal = proof.deal in
  let lowest = Array.copy deal.heights in
  let rec need stack height =
    let old = lowest.(stack) in
    if height < old then begin
      lowest.(stack) <- height;
      proof.work <- proof.work + old - height;
      for card = deal.starts.(stack) + height to deal.starts.(stack) + old - 1 do
        let mate = mate_of card in
        if mate >= 0 then need deal.stack_of.(mate) deal.height_of.(mate)
      done
    end
  in
  need deal.stack_of.(first) (deal.height_of.(first) + 1);
  need deal.stack_of.(second) (deal.height_of.(second) + 1);
  lowest

(* The top cards that are left if the cards from the lowest ones upwards leave as long as they can: each with its mate,
   or alone if it has none. *)
let stuck deal mate_of lowest =
  let tops = Array.map pred deal.heights in
  let rec play stack =
    if tops.(stack) >= lowest.(stack) then
      let mate = mate_of (deal.starts.(stack) + tops.(stack)) in
      if mate < 0 then begin
        tops.(stack) <- tops.(stack) - 1;
        play stack
      end
      else
        let next = deal.stack_of.(mate) in
        if next <> stack && tops.(next) = deal.height_of.(mate) then begin
          tops.(stack) <- tops.(stack) - 1;
          tops.(next) <- tops.(next) - 1;
          play next;
          play stack
        end
  in
  Array.iteri (fun stack _ -> play stack) tops;
  let stays (stack, top) = top >= lowest.(stack) in
  List.filter stays (List.mapi (fun stack top -> (stack, top)) (Array.to_list tops))

(* Some cards that wait for each other if an option is taken, too; none if there is no circle. *)
let circle proof choice option =
  let deal = proof.deal in
  if proof.work > max_work then not_covered "a certificate that takes so long to check";
  proof.work <- proof.work + Array.length deal.heights;
  let pairs = option :: Option.to_list (others deal option) in
  let mates = List.concat_map (fun (card, mate) -> [ (card, mate); (mate, card) ]) pairs in
  let mate_of card = match List.assoc_opt card mates with Some mate -> mate | None -> choice.mates.(card) in
  let circle_of (card, mate) =
    let lowest = lowest_before proof mate_of (card, mate) in
    let waits_for card = deal.height_of.(card) >= lowest.(deal.stack_of.(card)) in
    if waits_for card || waits_for mate then Some (stuck deal mate_of lowest) else None
  in
  Option.value (List.find_map circle_of pairs) ~default:[]

(* Why an option is closed. *)
type closed = Open | Shut | Circle of (int * int) list

let closed proof choice (card, mate) =
  if choice.mates.(card) >= 0 || choice.mates.(mate) >= 0 then
    if choice.mates.(card) = mate && not (is_shut choice (card, mate)) then Open else Shut
  else if is_shut choice (card, mate) then Shut
  else match circle proof choice (card, mate) with [] -> Open | barrier -> Circle barrier

(* Tell the checker which cards also leave together when an option is taken. *)
let take_others proof option =
  match others proof.deal option with
  | Some (third, fourth) -> emit proof (Mate (place proof third, place proof fourth))
  | None -> ()

let contradict_closed proof (card, mate) = function
  | Circle barrier ->
      take_others proof (card, mate);
      contradict proof (Jam (false, barrier))
  | Open | Shut -> contradict proof (Alone (place proof card))

(* Note that an option is shut, and tell the checker that the other two cards of its rank do not leave together. *)
let shut proof choice (card, mate) =
  let note (card, mate) =
    choice.shut.(card) <- Cards.add mate choice.shut.(card);
    choice.shut.(mate) <- Cards.add card choice.shut.(mate)
  in
  note (card, mate);
  match others proof.deal (card, mate) with
  | None -> ()
  | Some (third, fourth) ->
      note (third, fourth);
      suppose proof [ (false, (third, fourth)) ];
      contradict proof (Alone (place proof card));
      emit proof (Apply (0, 0))

let exclude proof choice option barrier =
  suppose proof [ (false, option) ];
  contradict_closed proof option (Circle barrier);
  emit proof (Apply (0, 0));
  shut proof choice option

let is_open proof choice option =
  match closed proof choice option with
  | Open -> true
  | Shut -> false
  | Circle barrier ->
      exclude proof choice option barrier;
      false

let take proof choice (card, mate) =
  if choice.mates.(card) < 0 then begin
    let note (card, mate) =
      choice.mates.(card) <- mate;
      choice.mates.(mate) <- card
    in
    note (card, mate);
    Option.iter note (others proof.deal (card, mate));
    take_others proof (card, mate)
  end

let copy choice = { mates = Array.copy choice.mates; shut = Array.copy choice.shut }

(* Lists of ranks *)

let rec refute proof choice rank_of_letter certificate entry =
  if entry = String.length certificate then fail "the certificate ends before every way jams";
  let cards =
    match Hashtbl.find_opt rank_of_letter (String.make 1 certificate.[entry]) with
    | Some rank when choice.mates.(proof.deal.ranks.(rank).(0)) < 0 -> proof.deal.ranks.(rank)
    | _ -> fail "entry %d is not a rank that is still to be paired off" (entry + 1)
  in
  let follow entry mate =
    let option = (cards.(0), mate) in
    suppose proof [ (false, option) ];
    let following =
      match circle proof choice option with
      | [] ->
          let choice = copy choice in
          take proof choice option;
          refute proof choice rank_of_letter certificate entry
      | barrier ->
          contradict_closed proof option (Circle barrier);
          entry
    in
    emit proof (Apply (0, 0));
    following
  in
  let following = Array.fold_left follow (entry + 1) (Array.sub cards 1 3) in
  contradict proof (Alone (place proof cards.(0)));
  following

(* Lemmas with hints *)

(* The options and groups, as certificates number them. *)
let numbering deal =
  let pairs cards index =
    List.init (Array.length cards - 1 - index) (fun next -> (cards.(index), cards.(index + 1 + next)))
  in
  let options cards =
    if Array.length cards <= 4 then pairs cards 0 else List.concat (List.init (Array.length cards) (pairs cards))
  in
  let groups cards = if Array.length cards <= 4 then [ cards.(0) ] else Array.to_list cards in
  let all each = Array.of_list (List.concat_map each (Array.to_list deal.ranks)) in
  (all options, all groups)

(* The number at an index of a text, without leading zeros, and the index after it. *)
let read_number text index =
  let is_digit index = index < String.length text && text.[index] >= '0' && text.[index] <= '9' in
  let rec stop_from index = if is_digit index then stop_from (index + 1) else index in
  if not (is_digit index) then fail "there is no number in %S" text;
  let stop = if text.[index] = '0' then index + 1 else stop_from index in
  if stop - index > 7 then fail "a number in %S is too long" text;
  (int_of_string (String.sub text index (stop - index)), stop)

let read_literals options text =
  let rec literals_from index number =
    if index = String.length text then []
    else begin
      if text.[index] <> '+' && text.[index] <> '-' then fail "%S are not literals" text;
      let difference, stop = read_number text (index + 1) in
      if index > 0 && difference = 0 then fail "there are two literals of option %d" number;
      let number = number + difference in
      if number >= Array.length options then fail "there is no option %d" number;
      (text.[index] = '+', options.(number)) :: literals_from stop number
    end
  in
  literals_from 0 0

type hint = Group of int | Lemma of int | Downwards | Upwards

let read_hints text =
  let rec hints_from index =
    if index = String.length text then []
    else
      match text.[index] with
      | 'v' -> Downwards :: hints_from (index + 1)
      | '^' -> Upwards :: hints_from (index + 1)
      | ('g' | 'l') as letter ->
          let number, stop = read_number text (index + 1) in
          (if letter = 'g' then Group number else Lemma number) :: hints_from stop
      | _ -> fail "%S are not hints" text
  in
  hints_from 0

(* The top card that stays in each stack, if all leave that are uncovered and can leave with one that is uncovered. *)
let staying proof choice upwards =
  let deal = proof.deal in
  let next = Array.map (fun height -> if upwards then 0 else height - 1) deal.heights in
  let is_left stack = next.(stack) >= 0 && next.(stack) < deal.heights.(stack) in
  let uncovered = Array.make (Array.length deal.rank_of) false in
  let waiting = Queue.create () in
  let uncover stack =
    if is_left stack then begin
      let card = deal.starts.(stack) + next.(stack) in
      uncovered.(card) <- true;
      Queue.add card waiting
    end
  in
  let gone = Array.make (Array.length deal.rank_of) false in
  let leave card =
    if not gone.(card) then begin
      gone.(card) <- true;
      let stack = deal.stack_of.(card) in
      next.(stack) <- (next.(stack) + if upwards then 1 else -1);
      uncover stack
    end
  in
  Array.iteri (fun stack _ -> uncover stack) deal.heights;
  while not (Queue.is_empty waiting) do
    let card = Queue.pop waiting in
    let meet mate =
      let stays = not (gone.(card) && gone.(mate)) in
      if mate <> card && uncovered.(mate) && stays && is_open proof choice (card, mate) then begin
        leave card;
        leave mate
      end
    in
    Array.iter meet deal.ranks.(deal.rank_of.(card))
  done;
  List.filter_map
    (fun stack -> if is_left stack then Some (stack, next.(stack)) else None)
    (List.init (Array.length deal.heights) Fun.id)

(* What the lemmas of a certificate say, and the number of each among those that the checker knows. *)
type lemma = { literals : (bool * (int * int)) list; number : int }

let is_false proof choice (positive, (card, mate)) =
  if positive then not (is_open proof choice (card, mate)) else choice.mates.(card) = mate

(* Make the conclusion to which a hint points, and return whether it is a contradiction. *)
let follow proof choice groups lemmas hint =
  match hint with
  | Downwards | Upwards ->
      let barrier = staying proof choice (hint = Upwards) in
      if barrier = [] then fail "there is no jam: all cards leave";
      contradict proof (Jam (hint = Upwards, barrier));
      true
  | Group number -> (
      if number >= Array.length groups then fail "there is no group %d" number;
      let card = groups.(number) in
      let cards = Array.to_list proof.deal.ranks.(proof.deal.rank_of.(card)) in
      match List.filter (fun mate -> mate <> card && is_open proof choice (card, mate)) cards with
      | [] ->
          contradict proof (Alone (place proof card));
          true
      | [ mate ] ->
          emit proof (Mate (place proof card, place proof mate));
          take proof choice (card, mate);
          false
      | mates -> fail "group %d has %d open options" number (List.length mates))
  | Lemma back -> (
      if back < 1 || back > List.length lemmas then fail "there is no lemma %d places before" back;
      let lemma = List.nth lemmas (back - 1) in
      let possible =
        List.filter
          (fun (_, literal) -> not (is_false proof choice literal))
          (List.mapi (fun index literal -> (index, literal)) lemma.literals)
      in
      let apply index = emit proof (Apply (proof.known - 1 - lemma.number, index)) in
      match possible with
      | [] ->
          apply 0;
          let _, (card, _) = List.hd lemma.literals in
          contradict proof (Alone (place proof card));
          true
      | [ (index, (positive, option)) ] ->
          apply index;
          if positive then take proof choice option else shut proof choice option;
          false
      | _ -> fail "%d literals of lemma %d places before can be true" (List.length possible) back)

(* Whether some of the assumptions is a contradiction; then none may follow. *)
let rec assume_false proof choice = function
  | [] -> false
  | (positive, option) :: literals when positive ->
      shut proof choice option;
      assume_false proof choice literals
  | (_, option) :: literals -> (
      match closed proof choice option with
      | Open ->
          take proof choice option;
          assume_false proof choice literals
      | reason ->
          contradict_closed proof option reason;
          if literals <> [] then fail "literals come after a contradiction";
          true)

let rec follow_all proof choice groups lemmas = function
  | [] -> fail "the hints lead to no contradiction"
  | hint :: hints ->
      if follow proof choice groups lemmas hint then begin
        if hints <> [] then fail "hints come after a contradiction"
      end
      else follow_all proof choice groups lemmas hints

let prove proof choice options groups lemmas statement hints =
  let literals = read_literals options statement and hints = read_hints hints in
  let choice = copy choice in
  suppose proof literals;
  if assume_false proof choice literals then begin
    if hints <> [] then fail "hints come after a contradiction"
  end
  else follow_all proof choice groups lemmas hints;
  { literals; number = proof.known - 1 }

let rec follow_steps proof choice options groups lemmas = function
  | [] -> fail "the certificate ends without a contradiction"
  | step :: steps -> (
      match String.split_on_char ':' step with
      | statement :: (_ :: _ as hints) when step.[0] = '+' || step.[0] = '-' ->
          let lemma = prove proof choice options groups lemmas statement (String.concat ":" hints) in
          follow_steps proof choice options groups (lemma :: lemmas) steps
      | _ -> (
          match read_hints step with
          | [ hint ] ->
              if not (follow proof choice groups lemmas hint) then
                follow_steps proof choice options groups lemmas steps
              else if steps <> [] then fail "the certificate continues after a contradiction"
          | _ -> fail "%S is not a hint" step))

let steps_of position rank_of_letter certificate =
  let deal = deal_of position in
  let count = Array.length deal.rank_of in
  let proof = { deal; steps = []; known = 0; before = []; work = 0 } in
  let choice = { mates = Array.make count (-1); shut = Array.make count Cards.empty } in
  let has_trees =
    Hashtbl.fold (fun symbol rank all -> all && String.length symbol = 1 && Array.length deal.ranks.(rank) = 4)
      rank_of_letter true
  in
  if has_trees && not (certificate <> "" && String.contains "+-glv^" certificate.[0]) then begin
    if refute proof choice rank_of_letter certificate 0 < String.length certificate then
      fail "the certificate continues after the entries that are enough"
  end
  else begin
    let options, groups = numbering deal in
    follow_steps proof choice options groups [] (String.split_on_char ' ' certificate)
  end;
  List.rev proof.steps
