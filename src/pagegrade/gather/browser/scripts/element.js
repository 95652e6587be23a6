// Facts about one element: a selector that finds it, its start tag, its box on the page.
(function () {
  const element = this.nodeType === 1 ? this : this.parentElement;
  if (!element) return null;
  const parts = [];
  for (let node = element; node && node.nodeType === 1 && parts.length < 12; node = node.parentElement) {
    if (node.id && document.querySelectorAll(`#${CSS.escape(node.id)}`).length === 1) {
      parts.unshift(`#${CSS.escape(node.id)}`);
      break;
    }
    const name = node.localName;
    const same = node.parentElement ? [...node.parentElement.children].filter((one) => one.localName === name) : [];
    parts.unshift(same.length > 1 ? `${CSS.escape(name)}:nth-of-type(${same.indexOf(node) + 1})` : CSS.escape(name));
  }
  const box = element.getBoundingClientRect();
  return {
    selector: parts.join(" > ").slice(0, 1000),
    html: element.cloneNode(false).outerHTML.replace(/<\/[^<]*$/, "").slice(0, 300),
    x: box.x + scrollX,
    y: box.y + scrollY,
    width: box.width,
    height: box.height,
  };
})
