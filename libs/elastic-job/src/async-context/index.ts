// The async context (`AsyncLocalStorage`) that code runs in: the package's own behind its public calls, and one of its
// own in each function of a user.
export { inOwnContext, inPackageContext, publicCalls } from './async-context.js';
