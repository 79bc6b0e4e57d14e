"use strict";
const report = JSON.parse(document.getElementById("report").textContent);
const panel = document.getElementById("panel");
const boxes = [...document.querySelectorAll(".group")];
const edges = [...document.querySelectorAll(".edge")];
const us = (ns) => (ns / 1000).toFixed(1) + " us";
const bytes = (n) => n.toLocaleString("en") + " bytes";
const percent = (now, before) => before > 0 ? " (" + ((now / before - 1) * 100).toFixed(0) + " %)" : "";

// An element with text or children; text is never read as markup.
function element(tag, attributes, ...children) {
  const out = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name === "onclick") out.onclick = value; else out.setAttribute(name, value);
  }
  out.append(...children);
  return out;
}
const row = (name, ...value) => element("tr", {}, element("th", {}, name), element("td", {}, ...value));
const table = (...rows) => element("table", {}, ...rows);

function mark(chosen, around, matches) {
  boxes.forEach((box, n) => {
    box.classList.toggle("chosen", chosen.includes(n));
    box.classList.toggle("around", around.includes(n));
    box.classList.toggle("faded", matches !== undefined && !matches.includes(n));
  });
  edges.forEach((edge) => {
    const ends = [Number(edge.dataset.from), Number(edge.dataset.to)];
    edge.classList.toggle("chosen", ends.some((n) => chosen.includes(n)));
  });
}

function refusal(r) {
  const show = (event) => {
    event.stopPropagation();
    mark([], r.kernels);
    if (r.kernels.length) boxes[r.kernels[0]].scrollIntoView({ block: "center", inline: "center" });
  };
  const out = element("div", { class: "refusal", onclick: show },
    element("code", { class: "code" }, r.code), " ",
    element("span", { class: "muted" }, "would save " + us(r.saved_ns) + ", " + bytes(r.saved_bytes)),
    element("div", {}, element("code", {}, r.nodes.join(" | "))),
    element("div", {}, r.message));
  if (r.flip) out.append(element("div", { class: "flip" }, "would fuse " + r.flip));
  return out;
}

function overview() {
  mark([], []);
  const s = report.summary;
  const bound = s.lower_bound_ns ? "; lower bound " + us(s.lower_bound_ns) + ", gap " + (s.gap * 100).toFixed(2) + " %" : "";
  const search = element("input", { type: "search", placeholder: "ONNX node" });
  search.oninput = () => {
    const text = search.value.toLowerCase();
    const found = report.groups.map((g, n) => g.nodes.some((name) => name.toLowerCase().includes(text)) ? n : -1);
    mark([], [], text ? found.filter((n) => n >= 0) : undefined);
    const first = found.find((n) => n >= 0);
    if (text && first !== undefined) boxes[first].scrollIntoView({ block: "center", inline: "center" });
  };
  const key = (colour, what) => [element("span", { class: "key", style: "background:" + colour }), what];
  panel.replaceChildren(
    element("h1", {}, report.model + " on " + report.device),
    table(
      row("kernels", s.kernels + " for " + s.operators + " operators" + percent(s.kernels, s.operators)),
      row("bytes between them", bytes(s.intermediate_bytes) + percent(s.intermediate_bytes, s.unfused_intermediate_bytes)),
      row("layout conversions", s.conversion_kernels + " kernels, " + s.merged_conversions + " within others, " + bytes(s.conversion_bytes)),
      row("price", us(s.price_ns) + percent(s.price_ns, s.unfused_price_ns) + bound),
      row("chosen by", report.policy + ", numerics " + report.numerics)),
    element("div", { class: "muted" }, ...key("#3b82f6", "contraction"), ...key("#8b5cf6", "reduction"),
      ...key("#22c55e", "pointwise"), ...key("#6b7280", "data movement"),
      element("div", {}, "The bar in a box is its price. Click a box or a refusal.")),
    search,
    element("h2", {}, "What stayed apart, what costs most first"),
    ...refusals(report.refusals, 10));
}

// The first refusals, and a button for the others.
function refusals(list, most) {
  const out = list.slice(0, most).map(refusal);
  if (list.length > most) {
    const button = element("button", {}, "and " + (list.length - most) + " that cost less");
    button.onclick = (event) => { event.stopPropagation(); button.replaceWith(...list.slice(most).map(refusal)); };
    out.push(button);
  }
  return out.length ? out : [element("div", { class: "muted" }, "nothing")];
}

function show(number) {
  const g = report.groups[number];
  const around = report.refusals.filter((r) => r.kernels.includes(number));
  mark([number], [...new Set(around.flatMap((r) => r.kernels))].filter((n) => n !== number));
  const p = g.price;
  const parts = [["launch", p.launch_ns], ["vector", p.vector_ns], ["matrix", p.matrix_ns],
    ["memory", p.memory_ns], ["fill and drain", p.fill_drain_ns]].filter((x) => x[1] > 0);
  const rows = [
    row("price", us(g.price_ns), element("div", { class: "muted" }, parts.map((x) => x[0] + " " + us(x[1])).join(", "))),
    row("saves", us(g.saved_ns) + ", " + bytes(g.saved_bytes)),
    row("reads, writes", bytes(g.read_bytes) + ", " + bytes(g.written_bytes)),
    row("scratchpad peak", bytes(g.scratchpad_peak_bytes)),
    row("blocks", String(g.blocks)),
  ];
  if (g.runner_up) {
    const dearer = g.runner_up.price_ns - g.runner_up.instead_of_ns;
    rows.push(row("runner-up", g.runner_up.change + ": " + us(g.runner_up.price_ns) + " instead of " +
      us(g.runner_up.instead_of_ns) + " (" + (dearer >= 0 ? "+" : "") + us(dearer) + ")"));
  }
  panel.replaceChildren(
    element("button", { onclick: overview }, "overview"),
    element("h1", {}, element("code", {}, g.kernel)),
    element("div", { class: "muted" }, g.message),
    table(...rows),
    element("h2", {}, "Operators"),
    table(...g.operators.map((o) => row(o.operator, element("code", {}, o.nodes.join(", ")),
      element("div", { class: "muted" }, element("code", {}, o.result))))),
    element("h2", {}, "Refusals around it"),
    ...refusals(around, 10));
  panel.scrollTop = 0;
}

boxes.forEach((box, n) => { box.onclick = () => show(n); });
overview();
