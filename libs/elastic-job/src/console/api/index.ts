// The API of operations as a whole: one table of routes, and the class that answers a request by it.
export { ConsoleApi, type ConsoleApiParts } from './console-api.js';
export { CONSOLE_ROUTES } from './console-routes.js';
export { openApiOf } from './openapi.js';
export { packedDocument } from './packed-document.js';
export type { Answers, ConsoleMethod, ConsoleRoute } from './route.js';
export type { IdentityDoor, JobDoor, JobView, StreamDoor } from './doors.js';
export { API } from './router.js';
