// The verdict on every record of the store.

function verdict_parts(verdict) {
  const violations = verdict.violations ?? [];
  const counts = Object.entries(verdict).filter(([, value]) => typeof value === "number");
  const tables = [make("table", { id: "invariants" },
    make("thead", {}, make("tr", {}, ["Invariant", "Says", "Checked", "Violations"].map((each) => make("th", {}, each)))),
    make("tbody", {}, (verdict.invariants ?? []).map((each) => row({
      Invariant: code(each.id),
      Says: each.statement,
      Checked: counted.format(each.checked),
      Violations: each.violations === 0 ? pill("none", "good") : pill(counted.format(each.violations), "bad"),
    }))))];
  if (violations.length > 0) {
    tables.unshift(make("h2", {}, "Violations"), make("ul", { id: "violations" }, violations.map((each) =>
      make("li", {}, Object.entries(each).flatMap(([name, value]) => [`${name}: `, named(value), " · "]).slice(0, -1)))));
  }
  const counted_members = counts.map(([name, value]) => [name.replaceAll("_", " "), counted.format(value)]);
  return [make("dl", { class: "facts" }, facts(Object.fromEntries(counted_members))), ...tables];
}

$("run-audit").addEventListener("click", async () => {
  $("run-audit").disabled = true;
  $("audit").replaceChildren();
  say("audit-said", "Reading every record…");
  const verdict = await read("audit-said", "/v1/audit", { patience: 600000 });
  $("run-audit").disabled = false;
  if (verdict === null) return;
  say("audit-said", verdict.clean ? "Everything holds." : "Something does not hold.", !verdict.clean);
  $("audit").replaceChildren(...verdict_parts(verdict));
});
