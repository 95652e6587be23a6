// The element before this one that is about as high as this one moved down: what was inserted there, or grew. Of a box
// around an image or a frame of that height, the image or the frame.
(function (describe, down) {
  const element = this.nodeType === 1 ? this : this.parentElement;
  const fits = (one) => {
    const { height } = one.getBoundingClientRect();
    return height >= down * 0.8 && height <= down * 1.5 + 40;
  };
  for (let node = element, levels = 0; node && levels < 8; node = node.parentElement, levels += 1) {
    for (let one = node.previousElementSibling, seen = 0; one && seen < 20; one = one.previousElementSibling, seen += 1) {
      if (!fits(one)) continue;
      const inner = [...one.querySelectorAll("img, iframe, video, embed, object")].slice(0, 20).find(fits);
      return describe.call(inner || one);
    }
  }
  return null;
})
