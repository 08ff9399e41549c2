// Term search: drawn terms, and terms of which the page contains only the counts.

const termIndex = (() => {
  let index = null;
  return () => {
    if (index) return index;
    index = { position: new Map(), starts: [] };
    let start = 0;
    data.terms.forEach((term, t) => {
      if (!index.position.has(term)) index.position.set(term, t);
      index.starts.push(start);
      start += 2 + 2 * data.counts[start + 1];
    });
    return index;
  };
})();

// Returns the counts of a term in the chosen class, and its index among the drawn terms or -1.
function lookUp(text) {
  const { position, starts } = termIndex();
  if (!position.has(text)) return null;
  const t = position.get(text), [df, classes] = data.counts.slice(starts[t], starts[t] + 2);
  const pairs = data.counts.slice(starts[t] + 2, starts[t] + 2 + 2 * classes);
  const pair = pairs.findIndex((value, i) => i % 2 === 0 && value === state.c);
  const tp = pair < 0 ? 0 : pairs[pair + 1];
  return { text, tp, fp: df - tp, i: data.classes[state.c].terms.indexOf(t) };
}

// Returns the term itself in any case, else the first with this prefix; drawn terms come first.
function findTerm(text) {
  const query = text.toLowerCase(), drawn = currentClass().terms.map((t) => data.terms[t]);
  if (termIndex().position.has(text)) return text;
  for (const terms of [drawn, data.terms]) {
    const exact = terms.find((term) => term.toLowerCase() === query);
    if (exact !== undefined) return exact;
  }
  for (const terms of [drawn, data.terms]) {
    const match = terms.find((term) => term.toLowerCase().startsWith(query));
    if (match !== undefined) return match;
  }
  return null;
}

function search(text) {
  const query = text.trim(), term = query ? findTerm(query) : null;
  choose({ term });
  if (query && term === null) byId("card").replaceChildren(element("p", {}, isolatedText(query), missingReason()), closeButton());
}

function missingReason() {
  if (data.minDf === 0) return " does not occur in these documents.";
  const terms = data.minDf === null ? "drawn terms" : `drawn terms and of terms in at least ${formatCount(data.minDf)} documents`;
  return ` is not available: to stay small, the page contains only the counts of ${terms}.`;
}

function closeButton() {
  const button = element("button", { type: "button", class: "close", "aria-label": "Close" }, "×");
  button.addEventListener("click", () => {
    byId("search").value = "";
    choose({ term: null });
  });
  return button;
}

function showCard() {
  if (state.term === null) return byId("card").replaceChildren();
  const { tp, fp, i } = lookUp(state.term), list = element("dl");
  for (const [name, text] of [...countEntries(tp, fp), ...scoreEntries(i)]) {
    list.append(element("dt", {}, name), element("dd", {}, text));
  }
  const direction = directionAt(rates(tp, fp));
  const head = element("h3", {}, isolatedText(state.term), `: ${directionText(direction)} term of `, isolatedText(currentClass().name));
  const snippets = i < 0 ? [] : [...snippetsOf(i, true), ...snippetsOf(i, false)].slice(0, 2);
  const excerpts = snippets.map(([before, hit, after]) =>
    element("p", { class: "use", dir: "auto" }, before, element("strong", {}, hit), after));
  const note = element("p", { class: "note" }, "This term is not drawn for this class, so its scores are not available.");
  byId("card").replaceChildren(head, closeButton(), ...excerpts, list, ...(i < 0 ? [note] : []));
}

function scoreEntries(i) {
  if (i < 0) return [];
  const scores = data.metrics.map(({ name }, m) => {
    const rank = currentClass().best[m].indexOf(i);
    return [name, formatScore(scoreOf(i, m)) + (rank >= 0 ? `, rank ${rank + 1}` : "")];
  });
  const { alpha, p, q } = currentClass();
  const tests = alpha === null ? [] : [["p", formatP(p[i])], ["q", formatP(q[i])], ["significant", isInsignificant(i) ? "no" : "yes"]];
  return [["effect", effectText(i)], ...tests, ...scores];
}
