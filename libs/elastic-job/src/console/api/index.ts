// The API of operations as a whole: one table of routes, and the class that answers a request by it.
export { ConsoleApi, type ConsoleApiParts } from './console-api.js';
export { CONSOLE_ROUTES } from './console-routes.js';
export { answerNames, openApiOf } from './openapi.js';
export { BODY_LIMITS } from './read-body.js';
export { API } from './router.js';
