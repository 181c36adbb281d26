// Stepping without reloading the page, boards in lists, and polling while a run is in progress. Everything also works without this file.

const POLL_MS = 2000;
const MOST_PAGES = 50;
const pages = new Map();

// Returns the document at a URL.
async function fetched(url) {
  const response = await fetch(url, { headers: { Accept: "text/html" } });
  if (!response.ok) throw new Error(response.statusText);
  return new DOMParser().parseFromString(await response.text(), "text/html");
}

function stepper() {
  return document.getElementById("stepper");
}

// Returns the URL of this page at another step.
function at(step) {
  const url = new URL(location.href);
  url.searchParams.set(stepper().dataset.parameter, step);
  return url;
}

function load(step) {
  const url = at(step).href;
  if (pages.size > MOST_PAGES) pages.clear();
  if (!pages.has(url)) pages.set(url, fetched(url));
  return pages.get(url);
}

let wanted = null;

// Shows another step. The address changes with it, so that it can be shared; the focus stays where it was.
async function go(step) {
  const last = Number(stepper().dataset.last);
  wanted = Math.min(Math.max(step, 0), last);
  const asked = wanted;
  try {
    const found = await load(asked);
    if (asked !== wanted) return; // a later key has overtaken this one
    show(found.getElementById("stepper").cloneNode(true)); // the page itself is kept for the next visit
    history.replaceState(null, "", at(asked));
    if (asked < last) load(asked + 1);
  } catch {
    location.href = at(asked); // the page of an error says more
  }
}

function show(next) {
  const old = stepper();
  const { scrollLeft, scrollTop } = old.querySelector(".picture");
  old.dataset.step = next.dataset.step;
  for (const part of ["figure", ".tools", ".moves", ".tree"]) {
    const there = old.querySelector(part);
    if (there) replace(there, next.querySelector(part));
  }
  Object.assign(old.querySelector(".picture"), { scrollLeft, scrollTop }); // a large picture keeps its place
  const slider = old.querySelector("input[type=range]");
  const other = next.querySelector("input[type=range]");
  slider.value = other.value;
  slider.setAttribute("aria-valuetext", other.getAttribute("aria-valuetext"));
  old.querySelector("output").textContent = next.querySelector("output").textContent;
  renewControls(old, next);
  reveal();
}

// Scrolls the list so that it shows the current move, without moving the page.
function reveal() {
  const list = stepper().querySelector(":scope > .moves, :scope > .tree");
  const current = list?.querySelector("[aria-current]");
  if (!current) return;
  const above = current.getBoundingClientRect().top - list.getBoundingClientRect().top;
  const below = above + current.offsetHeight - list.clientHeight;
  if (above < 0 || below > 0) list.scrollTop += above - (list.clientHeight - current.offsetHeight) / 2;
}

let playing = null;

// Shows one step after the other until the last one or `stop`; from the first one if the last one is shown.
function play() {
  const [button, speed] = stepper().querySelectorAll(".play, .player select");
  if (playing) return stop();
  const { step, last } = stepper().dataset;
  if (step === last) go(0);
  button.textContent = "❚❚ Pause";
  const next = async () => {
    await go(Number(stepper().dataset.step) + 1);
    if (stepper().dataset.step === stepper().dataset.last) stop();
    else if (playing) playing = setTimeout(next, 1000 / speed.value);
  };
  playing = setTimeout(next, step === last ? 1000 / speed.value : 0);
}

function stop() {
  clearTimeout(playing);
  playing = null;
  const button = stepper().querySelector(".play");
  if (button) button.textContent = "▶ Play";
}

async function copy(button) {
  const text = button.dataset.copy === "link" ? location.href : await (await fetch(stepper().querySelector(".text").href)).text();
  await navigator.clipboard.writeText(text);
  const name = button.textContent;
  button.textContent = "Copied";
  setTimeout(() => (button.textContent = name), 1500);
}

// A swipe over a picture that does not scroll is a step.
function onSwipe(event) {
  const picture = event.target.closest(".picture:not(.large)");
  if (!picture || !event.isPrimary || event.pointerType === "mouse") return;
  const ended = (end) => {
    const [across, down] = [end.clientX - event.clientX, end.clientY - event.clientY];
    if (Math.abs(across) > 40 && Math.abs(across) > 2 * Math.abs(down)) go(current() - Math.sign(across));
  };
  addEventListener("pointerup", ended, { once: true });
  addEventListener("pointercancel", () => removeEventListener("pointerup", ended), { once: true });
}

function current() {
  return wanted ?? Number(stepper().dataset.step);
}

// Replaces the content of an element, which keeps the focus.
function replace(there, by) {
  const focused = there.contains(document.activeElement) ? document.activeElement.dataset.step : undefined;
  there.replaceChildren(...by.childNodes);
  if (focused !== undefined) there.querySelector(`[data-step="${focused}"]`)?.focus();
}

// The buttons before and after the form.
function renewControls(old, next) {
  const names = [...old.querySelectorAll(".controls > .button")];
  const others = [...next.querySelectorAll(".controls > .button")];
  names.forEach((button, place) => {
    const focused = button === document.activeElement;
    button.replaceWith(others[place]);
    if (focused) (others[place].href ? others[place] : stepper().querySelector("figure")).focus();
  });
}

const KEYS = {
  ArrowLeft: (step) => step - 1,
  ArrowRight: (step) => step + 1,
  ArrowUp: (step) => step - 10,
  ArrowDown: (step) => step + 10,
  Home: () => 0,
  End: () => Infinity,
};

function onKey(event) {
  if (event.ctrlKey || event.altKey || event.metaKey || event.shiftKey || !(event.key in KEYS)) return;
  const focused = document.activeElement;
  const scrolls = focused.matches("input, .large");
  const free = focused === document.body || (stepper().contains(focused) && !scrolls);
  if (!free) return;
  event.preventDefault();
  stop();
  go(KEYS[event.key](current()));
}

function onClick(event) {
  const button = event.target.closest("button");
  if (button?.matches(".play")) return play();
  if (button?.dataset.copy) return copy(button);
  const link = event.target.closest("a[data-step]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  stop();
  go(Number(link.dataset.step));
}

// A game that is played on: the next position replaces this one, and the address follows, so that "back" takes a move back.
async function playOn(url) {
  try {
    const next = (await fetched(url)).getElementById("play");
    document.getElementById("play").replaceWith(next);
    history.pushState(null, "", url);
  } catch {
    location.href = url; // the page of an error says more
  }
}

function onTap(event) {
  const link = event.target.closest("#play figure a, #play a[data-play]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  playOn(link.getAttribute("href"));
}

// "u" takes a move back, and "h" shows a hint.
function onPlayKey(event) {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  const link = document.querySelector(`#play a[data-key="${CSS.escape(event.key)}"]`);
  if (link) playOn(link.getAttribute("href"));
}

// Asks for the page again while it is visible, and replaces what has changed in the elements that have an id. Rows are
// never added or moved.
async function poll() {
  if (!document.hidden) {
    try {
      const found = await fetched(location.href);
      if (document.getElementById("sorting") && !found.getElementById("sorting")) return location.reload();
      for (const part of found.querySelectorAll("main [id]:not(#stepper, #stepper *)")) {
        const there = document.getElementById(part.id);
        if (there && there.innerHTML !== part.innerHTML && !there.contains(document.activeElement)) {
          there.replaceChildren(...part.childNodes);
        }
      }
      if (!found.querySelector("main[data-live]")) {
        document.querySelector(".live")?.replaceChildren("Finished");
        return;
      }
    } catch {
      // the server is away; the next attempt may succeed
    }
  }
  setTimeout(poll, POLL_MS);
}

// Boards in a list are loaded when they come into view; `loading="lazy"` loads those far below, too.
const boards = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    if (!isIntersecting) continue;
    target.src = target.dataset.src;
    boards.unobserve(target);
  }
});
for (const image of document.querySelectorAll("img[data-src]")) boards.observe(image);

// A search that has found nothing so far goes on by itself.
const further = document.querySelector("a[data-continue]");
if (further && !document.hidden) location.replace(further.href);

if (stepper()?.querySelector(".controls")) {
  document.addEventListener("keydown", onKey);
  stepper().addEventListener("click", onClick);
  stepper().querySelector("input[type=range]").addEventListener("input", (event) => go(Number(event.target.value)));
  stepper().addEventListener("pointerdown", onSwipe);
  stepper().classList.add("scripted");
  stepper().querySelector(".player").hidden = false;
  stepper().querySelector(".copies").hidden = !navigator.clipboard;
  reveal();
}
if (document.getElementById("play")) {
  document.addEventListener("click", onTap);
  document.addEventListener("keydown", onPlayKey);
  addEventListener("popstate", () => location.reload());
}
if (document.querySelector("main[data-live]")) setTimeout(poll, POLL_MS);
