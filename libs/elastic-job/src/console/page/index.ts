// The page for browsers: its files as the build has packed them, and how they are answered.
export { PageFiles } from './page-files.js';
export { PAGE_ROUTES, PagePath } from './page-path.js';
