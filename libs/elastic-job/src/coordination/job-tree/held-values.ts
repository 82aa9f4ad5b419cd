import type { JobPaths } from './job-paths.js';

/**
 * True for values on which every instance decides, which are kept in memory. Other values are loaded where they are
 * needed.
 */
export function isHeld(paths: JobPaths, path: string): boolean {
  switch (paths.parse(path).kind) {
    case 'root':
    case 'config':
    case 'usable-config':
    case 'instance':
    case 'session':
    case 'server':
    case 'leader':
    case 'item-instance':
    case 'next-instance-ip':
    // Held because its stat tells if it belongs to a session; the value does not matter.
    case 'resharding-processing':
    case 'guarantee':
    case 'after':
      return true;
    case 'laid':
      return path === paths.term;
    case 'other':
      return path === paths.guarantees;
    default:
      return false;
  }
}
