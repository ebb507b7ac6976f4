// The claims: a table that can be sorted and filtered.

const COLUMNS = { id: "Claim", published: "Published", measured: "Measured here", verdict: "Verdict",
                  ours: "Our primitives" };
const order = { column: "id", down: false };

const judgedOf = (claim) => place().verdicts[claim.id] ?? {};

function sortKey(claim) {
  if (order.column === "id") return data.claims.indexOf(claim);
  if (order.column === "verdict") return data.verdicts.indexOf(judgedOf(claim).verdict);
  return judgedOf(claim)[order.column] ?? claim[order.column] ?? "";
}

function wanted(claim) {
  const judged = judgedOf(claim);
  const text = byId("of-text").value.trim().toLowerCase();
  return ["", claim.paper].includes(byId("of-paper").value) &&
    ["", judged.verdict].includes(byId("of-verdict").value) &&
    [claim.id, claim.text, claim.source, claim.published, ...Object.values(judged)]
      .join(" ").toLowerCase().includes(text);
}

function showClaims() {
  const found = data.claims.filter(wanted);
  const numeric = new Intl.Collator("en", { numeric: true });
  found.sort((one, other) => numeric.compare(sortKey(one), sortKey(other)));
  if (order.down) found.reverse();
  byId("claim-rows").replaceChildren(...found.map(claimRow));
  byId("found").textContent = `${found.length} of ${data.claims.length}`;
  for (const heading of byId("headings").children) {
    const own = heading.dataset.column === order.column;
    heading.setAttribute("aria-sort", own ? (order.down ? "descending" : "ascending") : "none");
  }
}

function claimRow(claim) {
  const judged = judgedOf(claim);
  const cell = (column, ...children) => make("td", {},
    make("div", { "data-heading": COLUMNS[column] }, ...children));
  const row = make("tr", { id: claim.id },
    make("td", { className: "claim" }, make("details", {},
      make("summary", {}, make("b", {}, claim.id), ` ${claim.text}`), ...detailsOf(claim, judged)),
    ...(judged.why ? [make("p", { className: "quiet why" }, judged.why)] : [])),
    cell("published", claim.published), cell("measured", judged.measured ?? ""),
    cell("verdict", make("span", { className: `verdict ${slug(judged.verdict ?? "")}` },
                         judged.words ?? "not judged")),
    cell("ours", judged.ours ?? ""));
  // A division of its own: the verdict's is cut after a few lines.
  if (judged.dissent) row.children[3].append(make("div", { className: "dissent" }, judged.dissent));
  return row;
}

function detailsOf(claim, judged) {
  const said = {
    Source: `${data.papers[claim.paper]}, ${claim.source}`, "With quartiles": judged.quartiles,
    "At the paper's own operating point": judged.at_published_latency, "Missing": judged.missing,
    "Also": judged.again, "The papers' own programs": judged.originals, "Stand-ins for inputs": judged.stand_ins,
    "To repeat it": judged.minutes && `about ${judged.minutes} minutes here` };
  const list = make("dl", {}, ...Object.entries(said).filter(([, text]) => text)
    .flatMap(([name, text]) => [make("dt", {}, name), make("dd", {}, text)]));
  return claim.commands.length ? [list, commandBlock(claim.commands)] : [list];
}

function showPaper(paper) {
  byId("of-paper").value = paper;
  byId("of-verdict").value = byId("of-text").value = "";
  showClaims();
  byId("claims").scrollIntoView();
}

function prepareClaims() {
  fill(byId("of-paper"), [["", "all"], ...Object.entries(data.papers)], "");
  fill(byId("of-verdict"), [["", "all"], ...data.verdicts.map((one) => [one, one])], "");
  for (const id of ["of-paper", "of-verdict", "of-text"]) byId(id).oninput = showClaims;
  byId("headings").replaceChildren(...Object.entries(COLUMNS).map(([column, heading]) =>
    make("th", { scope: "col", "data-column": column }, make("button", {
      type: "button",
      onclick: () => {
        order.down = order.column === column && !order.down;
        order.column = column;
        showClaims();
      } }, heading))));
}
