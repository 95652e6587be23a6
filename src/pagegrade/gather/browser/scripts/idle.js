// What a page did last, for the wait until its load is over: milliseconds since the last change of what is measured (a
// long task, a paint of first or largest content, the end of loading), and since the last unexpected layout shift;
// whether anything was painted, the state of the document, and when first or larger content was painted last.
// Runs in an isolated world; the first call installs the observers.
(() => {
  if (!globalThis.pagegradeIdle) {
    const state = { change: 0, shift: 0, paint: 0 };
    globalThis.pagegradeIdle = state;
    const watch = (type, note) =>
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) note(entry);
      }).observe({ type, buffered: true });
    const changed = (entry) => {
      state.change = Math.max(state.change, entry.startTime + entry.duration);
    };
    const painted = (entry) => {
      changed(entry);
      state.paint = Math.max(state.paint, entry.startTime);
    };
    watch("longtask", changed);
    watch("paint", painted);
    watch("largest-contentful-paint", painted);
    watch("layout-shift", (entry) => {
      if (!entry.hadRecentInput) state.shift = Math.max(state.shift, entry.startTime);
    });
  }
  const now = performance.now();
  const { change, shift, paint } = globalThis.pagegradeIdle;
  const [navigation] = performance.getEntriesByType("navigation");
  const loaded = navigation ? navigation.loadEventEnd : 0;
  const painted = performance.getEntriesByName("first-contentful-paint").length > 0;
  return [now - Math.max(change, loaded), now - shift, painted, document.readyState, paint];
})()
