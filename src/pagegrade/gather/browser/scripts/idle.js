// Milliseconds since the last long task of the page, and since its first contentful paint (-1: none yet).
// Runs in an isolated world; the first call installs the observer.
(() => {
  if (!globalThis.pagegradeIdle) {
    const state = { end: 0 };
    globalThis.pagegradeIdle = state;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) state.end = Math.max(state.end, entry.startTime + entry.duration);
    }).observe({ type: "longtask", buffered: true });
  }
  const now = performance.now();
  const paint = performance.getEntriesByName("first-contentful-paint")[0];
  return [now - globalThis.pagegradeIdle.end, paint ? now - paint.startTime : -1, document.readyState];
})()
