// Histograms of the red, green and blue values of pictures (near-white pixels left out), and some of them as WebP.
// Runs in an empty page of its own: pictures are decoded by the browser that drew them, not by us.
(async (pictures, kept, width) => {
  const histograms = [];
  const webp = {};
  const white = 249;
  for (let index = 0; index < pictures.length; index += 1) {
    const bytes = Uint8Array.from(atob(pictures[index]), (character) => character.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes], { type: "image/jpeg" }));
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
    const context = canvas.getContext("2d", { willReadFrequently: true });
    context.drawImage(bitmap, 0, 0);
    const pixels = context.getImageData(0, 0, bitmap.width, bitmap.height).data;
    const counts = new Array(768).fill(0);
    for (let at = 0; at < pixels.length; at += 4) {
      if (pixels[at] < white || pixels[at + 1] < white || pixels[at + 2] < white) {
        counts[pixels[at]] += 1;
        counts[256 + pixels[at + 1]] += 1;
        counts[512 + pixels[at + 2]] += 1;
      }
    }
    histograms.push(counts);
    if (kept.includes(index)) {
      const scale = Math.min(1, width / bitmap.width);
      const small = new OffscreenCanvas(Math.round(bitmap.width * scale), Math.round(bitmap.height * scale));
      small.getContext("2d").drawImage(bitmap, 0, 0, small.width, small.height);
      const blob = await small.convertToBlob({ type: "image/webp", quality: 0.6 });
      const data = new Uint8Array(await blob.arrayBuffer());
      let text = "";
      for (let at = 0; at < data.length; at += 8192) text += String.fromCharCode(...data.subarray(at, at + 8192));
      webp[index] = [small.width, small.height, btoa(text)];
    }
    bitmap.close();
  }
  return { histograms, webp };
})
