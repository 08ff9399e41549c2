// The page: its controls, and how it starts.

// Takes what changes, and shows what follows from it. Gives a promise of the drawing.
function choose(change) {
  Object.assign(state, change);
  if ("m" in change) showEvery();
  if ("c" in change) {
    at("class").value = String(state.c);
    offer();
  }
  if ("c" in change || "m" in change || "side" in change) {
    state.use = null;
    showBest();
    markClass();
  }
  if ("side" in change) for (const part of document.querySelectorAll(".explorer")) part.dataset.side = state.side;
  if ("k" in change) showOverlap();
  at("k-said").textContent = grouped(k());
  at("k").setAttribute("aria-valuetext", `${k()} terms`);
  showCard();
  return showMap();
}

// The terms that a search offers; it finds others too.
function offer() {
  const sorted = own().terms.map((term) => data.terms[term]).sort();
  at("known").replaceChildren(...sorted.map((term) => element("option", { value: term })));
}

function methodButton({ name, colour }) {
  const dot = element("span", { class: "dot", "--dot": colour });
  const pressed = String(state.focus === name);
  const button = element("button", { type: "button", "aria-pressed": pressed }, dot, name);
  button.addEventListener("click", () => {
    const place = [...at("methods").children].indexOf(button.parentElement);
    state.focus = state.focus === name ? null : name;
    give(views.performance, performanceSets());
    at("methods").children[place].firstChild.focus();
  });
  return button;
}

function performanceSets() {
  const classifier = at("classifier").value;
  const methods = methodsOf(data.findings, classifier);
  at("methods").replaceChildren(...methods.map((one) => element("li", {}, methodButton(one))));
  return curveSets(data.findings, classifier, methods, state.focus, views.performance);
}

function showTheme(dark) {
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  at("theme").setAttribute("aria-pressed", String(dark));
}

function listen() {
  at("class").addEventListener("change", (event) => choose({ c: Number(event.target.value) }));
  at("metric").addEventListener("change", (event) => choose({ m: Number(event.target.value) }));
  at("k").addEventListener("input", (event) => choose({ k: Number(event.target.value) }));
  at("search").addEventListener("input", (event) => find(event.target.value));
  for (const side of at("controls").elements.side) {
    side.addEventListener("change", () => choose({ side: side.value }));
  }
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && state.term !== null) choose({ term: null });
  });
  for (const form of document.forms) form.addEventListener("submit", (event) => event.preventDefault());
  at("theme").setAttribute("aria-pressed", String(matchMedia("(prefers-color-scheme: dark)").matches));
  at("theme").addEventListener("click", () => showTheme(at("theme").getAttribute("aria-pressed") !== "true"));
  at("classifier")?.addEventListener("change", () => {
    state.focus = null;
    give(views.performance, performanceSets());
  });
}

// A view that is drawing hears of its new width, and takes other data when it is done.
async function startMap() {
  views.map = await draw("map", held.charts.map, {
    points: pointRows(), lines: [], floors: [], found: [], labels: [],
  });
  views.map.addEventListener("click", (event, item) => {
    if (item?.datum?.first !== undefined) choose({ term: termOf(item.datum.first) });
  });
  views.map.addSignalListener("width", () => setTimeout(() => give(views.map, { labels: mapLabels(views.map) })));
  await showMap();
}

async function start() {
  document.documentElement.dataset.script = "on";
  tip.hidden = true;
  document.body.append(tip);
  for (const table of document.querySelectorAll("table.data")) {
    makeCopyable(table);
    makeSortable(table);
  }
  listen();
  choose({ c: data.first, m: 0, k: data.opening, side: "for" });
  await startMap();
  if (data.findings) {
    views.performance = await draw("performance-chart", held.charts.performance, performanceSets());
    views.performance.addSignalListener("width", () => setTimeout(() => give(views.performance, performanceSets())));
    await give(views.performance, performanceSets());
  }
  performance.mark("ready");
  document.documentElement.dataset.ready = "yes";
}

start();
