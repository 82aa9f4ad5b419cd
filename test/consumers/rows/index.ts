import { ROWS as EXAMPLES } from './examples.js';
import { ROWS as MODULES } from './modules.js';
import { ROWS as NEST_NEW } from './nest-new.js';
import { ROWS as NODES } from './nodes.js';
import { ROWS as OPTIONAL_PACKAGES } from './optional-packages.js';
import { ROWS as PACKAGE_MANAGERS } from './package-managers.js';
import type { Row } from './row.js';

export type { Row } from './row.js';

export const ROWS: readonly Row[] = [
  ...NEST_NEW,
  ...MODULES,
  ...NODES,
  ...OPTIONAL_PACKAGES,
  ...PACKAGE_MANAGERS,
  ...EXAMPLES,
];
