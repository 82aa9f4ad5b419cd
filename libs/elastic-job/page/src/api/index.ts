// The API as the page uses it: requests, readings that stay up to date, and the one stream of all tabs.
export { asProblem, change, get, getText, refusedSessions, renewedSessions } from './client.js';
export { listen, type LiveState, liveState, staleSince, startLive } from './live.js';
export { useNewestFirst } from './newest-first.js';
export { apiPath, BASE, pathTo } from './place.js';
export { ApiProblem, isOutcomeUnknown } from './problem.js';
export { present } from './present.js';
export { createReading, type Reading, useReading } from './reading.js';
