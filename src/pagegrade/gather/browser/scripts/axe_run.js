// Runs axe-core on the top document and reports what is broken, undecided or right, bounded.
(async (most, rules) => {
  const OF_TEXT = new Set(["color-contrast"]);
  const cut = (text, length) => String(text ?? "").slice(0, length);
  const options = {
    resultTypes: ["violations", "incomplete"],
    iframes: false,
    selectors: true,
    elementRef: true,
    rules,
  };
  const found = await axe.run(document, options);
  const values = (check) =>
    Object.entries(check.data && typeof check.data === "object" ? check.data : {})
      .filter(([, value]) => ["string", "number", "boolean"].includes(typeof value))
      .slice(0, 12)
      .map(([name, value]) => [cut(name, 60), cut(value, 200)]);
  const characters = (node) => {
    const own = [...(node.element?.childNodes ?? [])].filter((child) => child.nodeType === 3);
    return own.reduce((sum, text) => sum + text.data.replace(/\s+/g, "").length, 0);
  };
  // Of the elements of a long list that are kept, those with most of the text come first.
  const listed = (rule) => {
    const nodes = rule.nodes.map((node) => ({ node, length: OF_TEXT.has(rule.id) ? characters(node) : 0 }));
    return nodes.sort((one, other) => other.length - one.length).slice(0, most);
  };
  const report = (outcome) => (rule) => ({
    rule: cut(rule.id, 80),
    impact: cut(rule.impact, 20),
    help: cut(rule.help, 300),
    help_url: cut(rule.helpUrl, 300),
    outcome,
    node_count: rule.nodes.length,
    nodes: listed(rule).map(({ node, length }) => ({
      selector: cut(node.target.flat().join(" "), 1000),
      html: cut(node.html, 300),
      summary: cut(node.failureSummary, 600),
      data: [...node.any, ...node.all, ...node.none].flatMap(values).slice(0, 24),
      characters: length,
    })),
  });
  return {
    version: axe.version,
    results: [
      ...found.violations.map(report("violation")),
      ...found.incomplete.map(report("incomplete")),
      ...found.passes.map((rule) => ({
        rule: cut(rule.id, 80), impact: "", help: "", help_url: "", outcome: "pass", node_count: 0, nodes: [],
      })),
    ],
  };
})
