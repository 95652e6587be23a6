// What the page's origin keeps in the browser: kinds, names and sizes, never values. Bounded.
(async (most) => {
  const found = [];
  const add = (kind, name, size) => {
    if (found.length < most) found.push({ kind, name: String(name).slice(0, 100), size_bytes: size });
  };
  const bytes = (text) => new Blob([text]).size;
  for (const [kind, open] of [["local_storage", () => localStorage], ["session_storage", () => sessionStorage]]) {
    try {
      const area = open();
      for (let at = 0; at < area.length && found.length < most; at += 1) {
        const name = area.key(at);
        add(kind, name, bytes(name) + bytes(area.getItem(name) ?? ""));
      }
    } catch {
      // An opaque origin has none.
    }
  }
  try {
    for (const { name } of await indexedDB.databases()) add("indexed_db", name, null);
  } catch {}
  try {
    for (const name of await caches.keys()) add("cache", name, null);
  } catch {}
  return found;
})
