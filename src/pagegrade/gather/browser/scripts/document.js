// The document as it is now. In a copy, elements that are hidden carry data-pagegrade-hidden with the way how (off,
// veiled or clipped, as parse/cascade/drawn.py reads them); the page itself is not touched. Shadow roots are no part.
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
  const copy = document.documentElement.cloneNode(true);
  const originals = document.createTreeWalker(document.documentElement, NodeFilter.SHOW_ELEMENT);
  const copies = document.createTreeWalker(copy, NodeFilter.SHOW_ELEMENT);
  const skipped = new Set(["HEAD", "SCRIPT", "STYLE", "NOSCRIPT", "TEMPLATE", "META", "LINK", "TITLE", "BASE"]);
  let elements = 0;
  for (let from = originals.currentNode, to = copies.currentNode; from && to; ) {
    elements += 1;
    to.removeAttribute(mark);
    if (!skipped.has(from.tagName) && !from.closest("head")) {
      const hidden = hiddenHow(from);
      if (hidden) to.setAttribute(mark, hidden);
    }
    from = originals.nextNode();
    to = copies.nextNode();
  }
  const type = document.doctype;
  const doctype = type
    ? `<!DOCTYPE ${type.name}${type.publicId ? ` PUBLIC "${type.publicId}"` : ""}${
        type.systemId ? `${type.publicId ? "" : " SYSTEM"} "${type.systemId}"` : ""
      }>`
    : "";
  const html = doctype + copy.outerHTML;
  return {
    html: html.slice(0, most),
    cut: html.length > most,
    elements,
    title: document.title.slice(0, 1000),
    url: location.href.slice(0, 8192),
    height: Math.ceil(Math.max(document.documentElement.scrollHeight, document.body ? document.body.scrollHeight : 0)),
    heap: performance.memory ? performance.memory.usedJSHeapSize : null,
  };
})
