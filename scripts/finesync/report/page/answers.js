// The first screen: three selectors, the winner in one sentence, and all that competed.

const SHOWN = 12; // bars before the button
const CUT = 6; // times the best: longer bars are cut

const ALONE = -1; // no other place beside the chosen one

const chosen = { place: 0, beside: ALONE, need: 0, setting: "", load: "", all: false };
const place = () => data.places[chosen.place];
const other = () => data.places[chosen.beside];
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
    if (chosen.beside === chosen.place) chosen.beside = ALONE;
  }
  if (!needs.length) return;
  if (!(chosen.setting in need().settings)) chosen.setting = main(need()).setting;
  if (!(chosen.load in loads())) chosen.load = Object.keys(loads()).at(-1);
  showAnswer();
}

// The reader's choice, which the address keeps.
function pick(change) {
  choose(change);
  remember();
}

function remember() {
  const words = new URLSearchParams({ gpu: place().where, ...(other() && { beside: other().where }),
    ...(place().needs.length && { need: nameOf(need()), setting: chosen.setting, load: chosen.load }) });
  history.replaceState(null, "", `#${words}`);
}

// What an address such as #gpu=...&need=... asks for.
function asked() {
  const words = new URLSearchParams(location.hash.slice(1));
  const found = data.places.findIndex((one) => one.where === words.get("gpu"));
  if (found < 0) return { place: 0, need: 0 };
  const needs = data.places[found].needs.map(nameOf);
  return { place: found, beside: data.places.findIndex((one) => one.where === words.get("beside")),
           need: Math.max(needs.indexOf(words.get("need")), 0),
           setting: words.get("setting"), load: words.get("load") };
}

// The same need, setting and load on the other GPU; nothing if it was not measured there.
function answerBeside() {
  const same = other()?.needs.find((one) => nameOf(one) === nameOf(need()));
  return same?.settings[chosen.setting]?.[chosen.load];
}

function showAnswer() {
  const answer = loads()[chosen.load];
  const beside = answerBeside();
  fill(byId("need"), place().needs.map((one, at) => [`${at}`, nameOf(one), one.group]), `${chosen.need}`);
  fill(byId("beside"), [[`${ALONE}`, "nothing"], ...data.places.map((one, at) => [`${at}`, one.name])
    .filter((_, at) => at !== chosen.place)], `${chosen.beside}`);
  fill(byId("setting"), Object.keys(need().settings).map((one) => [one, one]), chosen.setting);
  fill(byId("load"), Object.keys(loads()).map((one) => [one, one]), chosen.load);
  byId("load-name").textContent = `At which ${need().load}?`;
  byId("sentence").replaceChildren(...withNames(answer.sentence));
  byId("other").replaceChildren(...(other() ? withNames(
    `${other().name}, the thin bars: ${beside?.sentence ?? "not measured there."}`) : []));
  byId("include").replaceChildren(...includeOf(answer.best));
  byId("caption").textContent = `${need().unit}, median; whiskers: quartiles; ` +
    `${need().rate ? "longer" : "shorter"} is better`;
  const rows = visible(answer);
  const limit = scaleOf([...answer.entries, ...(beside?.entries ?? [])]);
  byId("bars").replaceChildren(...(answer.without ? [loop(answer.without, limit)] : []),
    ...rows.map((entry) => bar(entry, limit, answer, beside?.entries.find(([name]) => name === entry[0]))));
  const hidden = answer.entries.filter((one) => !rows.includes(one));
  const folded = hidden.filter(isFolded).length;
  byId("more").textContent = `Show the other ${hidden.length}${
    folded ? ` (${folded} as papers print them, or steps of research)` : ""}`;
  byId("more").hidden = !hidden.length;
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
  const example = data.examples[known.family];
  return [commandBlock([...lines, known.type].filter(Boolean)),
          make("p", { className: "quiet" }, `${capital(about)}.`),
          ...(example ? [commandBlock(example.lines), make("p", { className: "quiet" },
            `All ${known.family} are used alike. The whole program: `, fileLink(example.file))] : [])];
}

const isFolded = ([name]) => data.primitives[need().program][name].folded;

// The first rows, CUDA's own wherever they stand, and what is only for readers of a paper where it is the answer.
function visible({ entries, best }) {
  if (chosen.all) return entries;
  const isKept = ([name]) => name === best || need().library.includes(name);
  const others = entries.filter((one) => !isKept(one) && !isFolded(one));
  const shown = new Set(others.slice(0, SHOWN - entries.filter(isKept).length));
  return entries.filter((one) => isKept(one) || shown.has(one));
}

// The value at the right end of the bars.
function scaleOf(entries) {
  const highest = entries.filter((one) => one.length > 3).map((one) => one[5]);
  const most = Math.max(...highest, 0);
  return need().rate ? most : Math.min(most, CUT * Math.min(...highest));
}

function track([low, median, high], limit) {
  const share = (value) => `${(100 * Math.min(value, limit)) / limit}%`;
  const made = make("div", { className: "track" });
  if (!median) return made;
  const fillOf = make("i", { className: median > limit ? "cut" : "" });
  fillOf.style.width = share(median);
  made.append(fillOf);
  if (high <= limit) {
    const whisker = make("u");
    whisker.style.left = share(low);
    whisker.style.width = `${(100 * (high - low)) / limit}%`;
    made.append(whisker);
  }
  return made;
}

// What the loop takes without the primitive: the other work in it.
function loop(spread, limit) {
  return make("div", { className: "row without" }, make("span", { className: "name" }, "the loop without it"),
              track(spread, limit), make("span", { className: "value" }, digits(spread[1])),
              make("span", { className: "remark" }, "other work alone"));
}

function bar([name, standing, said, ...spread], limit, answer, beside) {
  const [, median] = spread;
  const known = data.primitives[need().program][name];
  const own = need().library.includes(name);
  const kind = [standing, own ? "own" : "", name in need().less ? "less" : "", median ? "" : "failed"];
  const title = [known.label, known.help, median ? `launch, thread blocks per SM x threads: ${said}` : ""]
    .filter(Boolean).join("\n");
  return make("div", { className: `row ${kind.filter(Boolean).join(" ")}`, title },
              make("span", { className: "name" }, name),
              make("div", {}, track(spread, limit), ...(beside ? [track(beside.slice(3), limit)] : [])),
              make("span", { className: "value" }, median ? digits(median) : ""),
              make("span", { className: "remark" }, remark(name, standing, said, median, answer, beside)));
}

function remark(name, standing, said, median, answer, beside) {
  if (!median) return said;
  if (other()) return beside?.[4] ? `there ${digits(beside[4])}, ${digits(beside[4] / median)}x` : "not there";
  if (name in need().less) return "does less";
  if (standing === "best") {
    return answer.entries.find((one) => one[1])[0] === name ? "fastest" : "level with the fastest";
  }
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
  const words = { best: "the answer", level: "level: quartiles overlap, or at most 3 % apart",
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
         make("span", { className: "stack", ariaHidden: "true" }, ...data.verdicts.flatMap((verdict) => {
           const striped = dissenting(paper).filter((one) => one.verdict === verdict).length;
           return [["", counts[verdict] - striped], ["dissenting", striped]].map(([kind, number]) => {
             const part = make("i", { className: `${slug(verdict)} ${kind}` });
             part.style.flexGrow = number;
             return part;
           });
         })),
         make("span", { className: "quiet" }, [
           ...data.verdicts.filter((one) => counts[one]).map((one) => `${one} ${counts[one]}`),
           dissenting(paper).length && `striped: by the paper's own program otherwise ${dissenting(paper).length}`]
           .filter(Boolean).join(" · ")))));
  byId("missing").replaceChildren(...withNames(here.missing));
  byId("glance").replaceChildren(...here.needs.flatMap((one, at) => {
    const { setting, load } = main(one);
    const answer = one.settings[setting][load];
    const heading = one.group === here.needs[at - 1]?.group ? [] : [make("li", { className: "quiet" }, one.group)];
    return [...heading, make("li", {}, make("button", {
      type: "button", value: `${at}`, title: `${setting}, ${load}\n${answer.sentence.replaceAll("`", "")}`,
      onclick: () => pick({ need: at, setting, load }) },
      make("span", { className: one.limit ? "limit" : "" }, one.limit || capital(one.need)),
      make("b", {}, answer.best ?? "none"),
      make("span", { className: "value" }, answer.lead ? `${digits(answer.lead)}x` : "")))];
  }));
}

// The verdicts on a paper's claims with which the paper's own program disagrees.
function dissenting(paper) {
  return data.claims.filter((one) => one.paper === paper).map(judgedOf).filter((one) => one.dissent);
}

const span = (dates) => (dates.length > 1 ? `${dates[0]} to ${dates.at(-1)}` : dates[0]);
