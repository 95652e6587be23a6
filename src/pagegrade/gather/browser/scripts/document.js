// The document as it is drawn now: a copy in which open shadow trees stand in place of their hosts' children, with the
// assigned nodes in place of slots. Elements that are hidden carry data-pagegrade-hidden with the way how (off, veiled
// or clipped, as parse/cascade/drawn.py reads them); the page itself is not touched.
((most) => {
  const mark = "data-pagegrade-hidden";
  const hiddenHow = (element) => {
    if (!element.checkVisibility()) return "off";
    if (!element.checkVisibility({ visibilityProperty: true })) return "veiled";
    const box = element.getBoundingClientRect();
    const gone = box.right + scrollX <= 0 || box.bottom + scrollY <= 0;
    const tiny = box.width <= 1 && box.height <= 1 && getComputedStyle(element).overflow !== "visible";
    return element.textContent && (gone || tiny) ? "clipped" : "";
  };
  const skipped = new Set(["HEAD", "SCRIPT", "STYLE", "NOSCRIPT", "TEMPLATE", "META", "LINK", "TITLE", "BASE"]);
  // An id names an element of its own tree only, so ids of shadow trees and references to them get a number.
  const references = "id for form list headers aria-labelledby aria-describedby aria-controls aria-owns aria-details aria-activedescendant aria-errormessage aria-flowto popovertarget".split(" ");
  let trees = 0;
  let elements = 0;
  let frames = 0;
  const copyOf = (node, tree, inHead) => {
    if (node.nodeType !== 1) return node.cloneNode(false);
    elements += 1;
    const copy = node.cloneNode(node.localName === "template");
    copy.removeAttribute(mark);
    if (tree) {
      for (const name of references) {
        const value = copy.getAttribute(name);
        if (value) copy.setAttribute(name, value.trim().split(/\s+/).map((id) => `${id}--tree-${tree}`).join(" "));
      }
    }
    if (!inHead && !skipped.has(node.tagName)) {
      const hidden = hiddenHow(node);
      if (hidden) copy.setAttribute(mark, hidden);
      else if (node.localName === "iframe" || node.localName === "frame") frames += 1;
    }
    return copy;
  };
  const root = document.documentElement;
  const whole = copyOf(root, 0, false);
  // Whose children are to be copied into what: (nodes, next one, copied parent, number of their tree, within the head).
  const open = [];
  const descend = (node, copy, tree, inHead) => {
    if (node.shadowRoot) {
      trees += 1;
      open.push([node.shadowRoot.childNodes, 0, copy, trees, inHead]);
      // The tree that the host itself is in: assigned nodes belong to it.
      treeOf.set(node.shadowRoot, tree);
    } else if (node.childNodes.length && node.localName !== "template") {
      open.push([node.childNodes, 0, copy, tree, inHead]);
    }
  };
  const treeOf = new Map();
  descend(root, whole, 0, false);
  while (open.length) {
    const top = open[open.length - 1];
    const [nodes, at, parent, tree, inHead] = top;
    if (at >= nodes.length) {
      open.pop();
      continue;
    }
    top[1] += 1;
    const node = nodes[at];
    if (tree && node.localName === "slot") {
      const assigned = node.assignedNodes();
      elements += 1;
      if (assigned.length) open.push([assigned, 0, parent, treeOf.get(node.getRootNode()) || 0, inHead]);
      else open.push([node.childNodes, 0, parent, tree, inHead]);
      continue;
    }
    const within = inHead || node.nodeName === "HEAD";
    const copy = copyOf(node, tree, within);
    parent.appendChild(copy);
    if (node.nodeType === 1) descend(node, copy, tree, within);
  }
  const type = document.doctype;
  const doctype = type
    ? `<!DOCTYPE ${type.name}${type.publicId ? ` PUBLIC "${type.publicId}"` : ""}${
        type.systemId ? `${type.publicId ? "" : " SYSTEM"} "${type.systemId}"` : ""
      }>`
    : "";
  const html = doctype + whole.outerHTML;
  return {
    html: html.slice(0, most),
    cut: html.length > most,
    elements,
    frames,
    title: document.title.slice(0, 1000),
    url: location.href.slice(0, 8192),
    height: Math.ceil(Math.max(root.scrollHeight, document.body ? document.body.scrollHeight : 0)),
  };
})
