import { sees } from '../state/index.js';
import { texts } from '../text/index.js';

/** Stands where an action would, and says why none is offered. */
export function MayNot() {
  const { job: t, roles, session: words } = texts.value;
  return <span class="faint small">{sees('operator') ? words.readOnly : t.mayNot(roles.viewer, roles.operator)}</span>;
}
