import { inOwnContext } from '../async-context/index.js';
import { hearRejection, messageOf, type OnThrown, readable } from '../domain/index.js';
import type { TaskBackend } from './task-backend.js';
import type { TaskTemplate } from './task-order.js';

/**
 * The fault that a backend finds in a template; undefined if there is none. A check that fails is a fault as well, and
 * `onThrown` hears what it has thrown.
 */
export function findTemplateFault(
  backend: Pick<TaskBackend, 'findFault'>,
  template: TaskTemplate,
  onThrown: OnThrown = () => {},
): string | undefined {
  try {
    const fault: unknown = inOwnContext(() => backend.findFault(template));
    hearRejection(fault);
    if (typeof fault === 'string') return fault;
    if (fault === undefined || fault === null) return undefined;
    return `its findFault must return a text or undefined, but has returned ${typeof fault}`;
  } catch (thrown) {
    const error = readable(thrown);
    onThrown(error);
    return `its findFault has thrown: ${messageOf(error)}`;
  }
}
