// How much text is drawn, how much of it is small, and where; in shadow trees, too. Not that of SVG, whose sizes are in
// units of the drawing. Bounded.
((describe, smallPx, most) => {
  let characters = 0;
  let smallCharacters = 0;
  const places = new Map();
  const styles = new Map();
  const styleOf = (element) => {
    if (!styles.has(element)) {
      const box = element.getBoundingClientRect();
      const drawn = element.checkVisibility({ visibilityProperty: true }) && (box.width > 1 || box.height > 1);
      styles.set(element, drawn ? parseFloat(getComputedStyle(element).fontSize) : 0);
    }
    return styles.get(element);
  };
  const roots = [document];
  let left = 100000;
  for (let at = 0; at < roots.length && at < 10000; at += 1) {
    const walker = document.createTreeWalker(roots[at], NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node && left > 0; node = walker.nextNode()) {
      left -= 1;
      if (node.shadowRoot) roots.push(node.shadowRoot);
      const element = node.nodeType === 3 ? node.parentElement || node.parentNode.host : null;
      const length = element && !element.ownerSVGElement ? node.data.replace(/\s+/g, "").length : 0;
      const size = length ? styleOf(element) : 0;
      if (!size) continue;
      characters += length;
      if (size >= smallPx) continue;
      smallCharacters += length;
      places.set(element, (places.get(element) || 0) + length);
    }
  }
  const small = [...places].sort((one, other) => other[1] - one[1]).slice(0, most).map(([element, length]) => {
    const { selector, html } = describe.call(element);
    return { selector, html, size_px: styleOf(element), characters: length };
  });
  return { characters, small_characters: smallCharacters, small };
})
