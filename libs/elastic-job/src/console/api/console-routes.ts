import { ITEM_CHANGE_ROUTES, JOB_CHANGE_ROUTES, SERVER_CHANGE_ROUTES } from './change-routes.js';
import { HISTORY_ROUTES } from './history-routes.js';
import { READ_ROUTES, SESSION_ROUTES } from './read-routes.js';
import type { ConsoleRoute } from './route.js';

/** Every route of the API, below `/api/v1`. */
export const CONSOLE_ROUTES: readonly ConsoleRoute[] = [
  ...SESSION_ROUTES,
  ...READ_ROUTES,
  ...HISTORY_ROUTES,
  ...JOB_CHANGE_ROUTES,
  ...ITEM_CHANGE_ROUTES,
  ...SERVER_CHANGE_ROUTES,
];
