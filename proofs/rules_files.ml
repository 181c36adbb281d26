(* Rules files: the text that `dealmill games NAME --rules` writes into NAME.toml, with every key that matters. What this
   file reads is trusted; see docs/proofs/README.md. *)
open Rows

type keys = {
  path : string;
  values : (string, string) Hashtbl.t;  (* as they are written, such as "\"red-black\"" for tableau.build *)
  used : (string, unit) Hashtbl.t;
}

let read_keys path =
  let values = Hashtbl.create 30 and table = ref "" in
  let read number line =
    let line = String.trim line in
    let length = String.length line in
    match String.index_opt line '=' with
    | None when line = "" -> ()
    | None when line.[0] = '[' && line.[length - 1] = ']' -> table := String.sub line 1 (length - 2) ^ "."
    | Some index when line.[0] <> '#' ->
        let key = !table ^ String.trim (String.sub line 0 index) in
        if Hashtbl.mem values key then fail "%s, line %d: %s occurs twice" path number key;
        Hashtbl.add values key (String.trim (String.sub line (index + 1) (length - index - 1)))
    | _ -> fail "%s, line %d: write this file with dealmill games NAME --rules" path number
  in
  each_line_of_file path read;
  { path; values; used = Hashtbl.create 30 }

let has_key keys key = Hashtbl.mem keys.values key
let ignore_key keys key = Hashtbl.replace keys.used key ()

let value keys key =
  Hashtbl.replace keys.used key ();
  match Hashtbl.find_opt keys.values key with
  | Some value -> value
  | None -> fail "%s: %s is missing; write this file with dealmill games NAME --rules" keys.path key

let meaning keys key values =
  match List.assoc_opt (value keys key) values with
  | Some meaning -> meaning
  | None -> fail "%s: the proof does not cover %s = %s" keys.path key (value keys key)

let number keys key =
  match int_of_string_opt (value keys key) with
  | Some number when number >= 0 -> number
  | _ -> fail "%s: %s = %s is not a number" keys.path key (value keys key)

let yes_or_no keys key = meaning keys key [ ("true", true); ("false", false) ]

(* No key may be left over: it could change the game. *)
let check_used keys =
  let check key _ = if not (Hashtbl.mem keys.used key) then fail "%s: the proof does not cover %s" keys.path key in
  Hashtbl.iter check keys.values

let name_of_game keys = Filename.remove_extension (Filename.basename keys.path)
