// Any term can be looked up: those that are drawn, and those whose counts alone the page holds.

const indexOfTerms = (() => {
  let known = null;
  return () => {
    if (known) return known;
    known = { place: new Map(), starts: [] };
    let start = 0;
    data.terms.forEach((term, t) => {
      if (!known.place.has(term)) known.place.set(term, t);
      known.starts.push(start);
      start += 2 + 2 * data.counts[start + 1];
    });
    return known;
  };
})();

// The counts of a term in the chosen class, and its place among the drawn, -1 where it is not drawn.
function sought(text) {
  const { place, starts } = indexOfTerms();
  if (!place.has(text)) return null;
  const t = place.get(text), [df, classes] = data.counts.slice(starts[t], starts[t] + 2);
  const pairs = data.counts.slice(starts[t] + 2, starts[t] + 2 + 2 * classes);
  const own = pairs.findIndex((value, i) => i % 2 === 0 && value === state.c);
  const tp = own < 0 ? 0 : pairs[own + 1];
  return { text, tp, fp: df - tp, i: data.classes[state.c].terms.indexOf(t) };
}

// The term itself in any case, else the first that begins so, those that are drawn before the others.
function nearest(text) {
  const wanted = text.toLowerCase(), drawn = own().terms.map((t) => data.terms[t]);
  if (indexOfTerms().place.has(text)) return text;
  for (const terms of [drawn, data.terms]) {
    const exact = terms.find((term) => term.toLowerCase() === wanted);
    if (exact !== undefined) return exact;
  }
  for (const terms of [drawn, data.terms]) {
    const begun = terms.find((term) => term.toLowerCase().startsWith(wanted));
    if (begun !== undefined) return begun;
  }
  return null;
}

function find(text) {
  const wanted = text.trim(), term = wanted ? nearest(wanted) : null;
  choose({ term });
  if (wanted && term === null) at("card").replaceChildren(element("p", {}, nameOf(wanted), whyNot()), closing());
}

function whyNot() {
  if (data.least === 0) return " is in none of these documents.";
  const held = data.least === null ? "terms drawn" : `terms in at least ${amount(data.least)} documents, and those drawn`;
  return ` is not here: to stay small, the page holds the counts of the ${held}. It is rarer, or in no document.`;
}

function closing() {
  const close = element("button", { type: "button", class: "close", "aria-label": "Close" }, "×");
  close.addEventListener("click", () => {
    at("search").value = "";
    choose({ term: null });
  });
  return close;
}

function showCard() {
  if (state.term === null) return at("card").replaceChildren();
  const { tp, fp, i } = sought(state.term), list = element("dl");
  for (const [name, text] of [...countLines(tp, fp), ...figuresOf(i)]) {
    list.append(element("dt", {}, name), element("dd", {}, text));
  }
  const side = spoken(sideAt(rates(tp, fp)));
  const head = element("h3", {}, nameOf(state.term), ` speaks ${side} `, nameOf(own().name));
  const uses = i < 0 ? [] : [...usesOf(i, true), ...usesOf(i, false)].slice(0, 2);
  const said = uses.map(([before, hit, after]) =>
    element("p", { class: "use", dir: "auto" }, before, element("strong", {}, hit), after));
  const note = element("p", { class: "note" }, "It is not among the terms drawn for this class, so its scores are not here.");
  at("card").replaceChildren(head, closing(), ...said, list, ...(i < 0 ? [note] : []));
}

function figuresOf(i) {
  if (i < 0) return [];
  const scores = data.metrics.map(({ name }, m) => {
    const rank = own().best[m].indexOf(i);
    return [name, score(scoreOf(i, m)) + (rank >= 0 ? `, rank ${rank + 1}` : "")];
  });
  const chance = own().floors[state.m][0] === null ? [] : [["above chance", isChance(i) ? "no" : "yes"]];
  return [["effect", effectText(i)], ...chance, ...scores];
}
