// The first screen: three selectors, the winner in one sentence, and all that competed.

const SHOWN = 12; // bars before the button
const CUT = 6; // times the best: longer bars are cut

const chosen = { place: 0, need: 0, setting: "", load: "", all: false };
const place = () => data.places[chosen.place];
const need = () => place().needs[chosen.need];
const loads = () => need().settings[chosen.setting];

const nameOf = (one) => capital([one.need, one.limit].filter(Boolean).join(", "));

function main(one) {
  const setting = Object.keys(one.settings)[0];
  return { setting, load: Object.keys(one.settings[setting]).at(-1) };
}

// Keeps what was chosen as far as there is such a choice, and shows it.
function choose(change) {
  const before = place().needs.length ? nameOf(need()) : "";
  Object.assign(chosen, change, { all: false });
  const needs = place().needs;
  if ("place" in change) {
    const same = needs.findIndex((one) => nameOf(one) === before);
    chosen.need = "need" in change ? change.need : Math.max(same, 0);
  }
  if (!needs.length) return;
  if (!(chosen.setting in need().settings)) chosen.setting = main(need()).setting;
  if (!(chosen.load in loads())) chosen.load = Object.keys(loads()).at(-1);
  showAnswer();
  remember();
}

function remember() {
  const words = new URLSearchParams({
    gpu: place().where, need: nameOf(need()), setting: chosen.setting, load: chosen.load });
  history.replaceState(null, "", `#${words}`);
}

// What an address such as #gpu=...&need=... asks for.
function asked() {
  const words = new URLSearchParams(location.hash.slice(1));
  const found = data.places.findIndex((one) => one.where === words.get("gpu"));
  if (found < 0) return { place: 0, need: 0 };
  const needs = data.places[found].needs.map(nameOf);
  return { place: found, need: Math.max(needs.indexOf(words.get("need")), 0),
           setting: words.get("setting"), load: words.get("load") };
}

function showAnswer() {
  const answer = loads()[chosen.load];
  fill(byId("need"), place().needs.map((one, at) => [`${at}`, nameOf(one)]), `${chosen.need}`);
  fill(byId("setting"), Object.keys(need().settings).map((one) => [one, one]), chosen.setting);
  fill(byId("load"), Object.keys(loads()).map((one) => [one, one]), chosen.load);
  byId("load-name").textContent = `At which ${need().load}?`;
  byId("sentence").replaceChildren(...withNames(answer.sentence));
  byId("include").replaceChildren(...includeOf(answer.best));
  byId("caption").textContent = `${need().unit}, median; whiskers: quartiles; ` +
    `${need().rate ? "longer" : "shorter"} is better`;
  const rows = visible(answer.entries);
  const limit = scaleOf(answer.entries);
  byId("bars").replaceChildren(...rows.map((entry) => bar(entry, limit, answer)));
  const hidden = answer.entries.length - rows.length;
  byId("more").textContent = `Show the other ${hidden}`;
  byId("more").hidden = hidden === 0;
  byId("legend").replaceChildren(...legend(rows, answer));
  for (const own of byId("glance").querySelectorAll("button")) {
    own.setAttribute("aria-current", own.value === `${chosen.need}`);
  }
}

function includeOf(name) {
  if (!name) return [];
  const known = data.primitives[need().program][name];
  const lines = known.include.map((header) => `#include <${header}>`);
  const about = known.help || known.label;
  if (!lines.length) {
    const whose = need().library.includes(name) ? "CUDA's own"
      : `in workloads/${need().program}/, not a header of the library`;
    return [make("p", { className: "quiet" }, `${capital(about)}; ${whose}.`)];
  }
  return [commandBlock([...lines, known.type].filter(Boolean)),
          make("p", { className: "quiet" }, `${capital(about)}.`)];
}

// The first rows, and CUDA's own wherever they stand.
function visible(entries) {
  if (chosen.all || entries.length <= SHOWN) return entries;
  const isOwn = ([name]) => need().library.includes(name);
  const others = entries.filter((one) => !isOwn(one));
  const shown = new Set(others.slice(0, SHOWN - (entries.length - others.length)));
  return entries.filter((one) => isOwn(one) || shown.has(one));
}

// The value at the right end of the bars.
function scaleOf(entries) {
  const highest = entries.filter((one) => one.length > 3).map((one) => one[5]);
  const most = Math.max(...highest, 0);
  return need().rate ? most : Math.min(most, CUT * Math.min(...highest));
}

function bar([name, standing, said, low, median, high], limit, answer) {
  const known = data.primitives[need().program][name];
  const own = need().library.includes(name);
  const kind = [standing, own ? "own" : "", name in need().less ? "less" : "", median ? "" : "failed"];
  const share = (value) => `${(100 * Math.min(value, limit)) / limit}%`;
  const track = make("div", { className: "track" });
  if (median) {
    const fillOf = make("i", { className: median > limit ? "cut" : "" });
    fillOf.style.width = share(median);
    track.append(fillOf);
    if (high <= limit) {
      const whisker = make("u");
      whisker.style.left = share(low);
      whisker.style.width = `${(100 * (high - low)) / limit}%`;
      track.append(whisker);
    }
  }
  const title = [known.label, known.help, median ? `launch, thread blocks per SM x threads: ${said}` : ""]
    .filter(Boolean).join("\n");
  return make("div", { className: `row ${kind.filter(Boolean).join(" ")}`, title },
              make("span", { className: "name" }, name), track,
              make("span", { className: "value" }, median ? digits(median) : ""),
              make("span", { className: "remark" }, remark(name, standing, said, median, answer)));
}

function remark(name, standing, said, median, answer) {
  if (!median) return said;
  if (name in need().less) return "does less";
  if (standing === "best") return "fastest";
  if (standing === "level") return "level, within noise";
  const best = answer.entries.find((one) => one[0] === answer.best)[4];
  return need().rate ? `${digits(best / median)}x fewer` : `${digits(median / best)}x as long`;
}

// At least three digits, and none after the point that say nothing.
function digits(value) {
  return value < 100 ? value.toPrecision(3) : Math.round(value).toLocaleString("en");
}

function legend(rows, answer) {
  const less = rows.map(([name]) => name).filter((name) => name in need().less);
  const there = { best: answer.best, level: rows.some((one) => one[1] === "level"),
                  own: rows.some(([name]) => need().library.includes(name)),
                  less: less.length, cut: !need().rate && rows.some((one) => one[4] > scaleOf(answer.entries)) };
  const words = { best: "fastest", level: "level: quartiles overlap, or at most 3 % apart",
                  own: "CUDA's own",
                  less: `does less: ${less.map((name) => `${name}, ${need().less[name]}`).join("; ")}`,
                  cut: `cut at ${CUT} times the fastest` };
  return Object.keys(words).filter((key) => there[key])
    .map((key) => make("span", { className: `key ${key}` }, words[key]));
}

// Beside the answer: verdicts by paper, and the winner for each need.
function showPlace() {
  const here = place();
  byId("facts").textContent = [
    here.sms && `${here.sms} SMs${here.ghz && `, ${here.ghz} GHz`}`,
    here.driver && `driver ${here.driver}`, here.dates.at(-1) && span(here.dates),
    here.recorded ? "" : "a run of your own"].filter(Boolean).join(" · ");
  byId("counts").replaceChildren(...Object.entries(here.counts).map(([paper, counts]) =>
    make("button", { type: "button", className: "paper", onclick: () => showPaper(paper) },
         make("b", {}, capital(data.papers[paper])),
         make("span", { className: "stack", ariaHidden: "true" }, ...data.verdicts.map((verdict) => {
           const part = make("i", { className: slug(verdict) });
           part.style.flexGrow = counts[verdict];
           return part;
         })),
         make("span", { className: "quiet" }, data.verdicts.filter((one) => counts[one])
           .map((one) => `${one} ${counts[one]}`).join(" · ")))));
  byId("missing").replaceChildren(...withNames(here.missing));
  byId("glance").replaceChildren(...here.needs.map((one, at) => {
    const { setting, load } = main(one);
    const answer = one.settings[setting][load];
    return make("li", {}, make("button", {
      type: "button", value: `${at}`, title: `${setting}, ${load}\n${answer.sentence.replaceAll("`", "")}`,
      onclick: () => choose({ need: at, setting, load }) },
      make("span", { className: one.limit ? "limit" : "" }, one.limit || capital(one.need)),
      make("b", {}, answer.best ?? "none"),
      make("span", { className: "value" }, answer.lead ? `${digits(answer.lead)}x` : "")));
  }));
}

const span = (dates) => (dates.length > 1 ? `${dates[0]} to ${dates.at(-1)}` : dates[0]);
