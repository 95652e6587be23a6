// Images as they are drawn, and fonts that were used for text; in shadow trees, too. Bounded.
((describe, most) => {
  // Both sides, or one and a ratio; a floor that holds the image, or a place outside of the flow.
  const hasSpace = (node, style) => {
    if (style.position === "absolute" || style.position === "fixed") return true;
    const map = node.computedStyleMap();
    const isSet = (name) => !["auto", "none", "min-content", "max-content", "fit-content"].includes(`${map.get(name)}`);
    const sides = [isSet("width"), isSet("height")].filter(Boolean).length;
    return sides === 2 || (sides === 1 && /\d/.test(style.aspectRatio));
  };
  const images = [];
  const roots = [document];
  for (let at = 0; at < roots.length && at < 10000; at += 1) {
    const walker = document.createTreeWalker(roots[at], NodeFilter.SHOW_ELEMENT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (node.shadowRoot) roots.push(node.shadowRoot);
      if (node.localName !== "img" || !node.complete || !node.naturalWidth || images.length >= most) continue;
      const found = describe.call(node);
      const style = getComputedStyle(node);
      const drawn = found.width > 0 && found.height > 0;
      // The natural size is divided by the density of the chosen candidate; a copy without candidates has its pixels.
      const copy = new Image();
      copy.src = node.currentSrc;
      const whole = copy.complete && copy.naturalWidth > 0;
      images.push({
        url: /^https?:/.test(node.currentSrc) ? node.currentSrc.slice(0, 2000) : "",
        selector: found.selector,
        html: found.html,
        natural_width_px: whole ? copy.naturalWidth : node.naturalWidth,
        natural_height_px: whole ? copy.naturalHeight : node.naturalHeight,
        x_px: found.x,
        y_px: found.y,
        // Of the content box in the layout: a box around a rotated image has other proportions.
        width_px: drawn ? node.width : 0,
        height_px: drawn ? node.height : 0,
        fit: style.objectFit.slice(0, 20),
        lazy: node.loading === "lazy",
        declared_url: /^https?:/.test(node.src) ? node.src.slice(0, 2000) : "",
        has_space: hasSpace(node, style),
      });
    }
  }
  const text = (value) => String(value ?? "").slice(0, 200);
  const fonts = [...document.fonts]
    .filter((font) => font.status !== "unloaded")
    .slice(0, most)
    .map((font) => ({
      family: text(font.family).replace(/^["']|["']$/g, ""),
      weight: text(font.weight),
      style: text(font.style),
      display: text(font.display),
    }));
  return { images, fonts };
})
