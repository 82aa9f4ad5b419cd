import type { JobPaths } from './job-paths.js';

/**
 * True for the values by which every instance decides: they are kept in memory. Others are loaded by whom they concern.
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
    // Not for its value, but to know whether it is a session's.
    case 'resharding-processing':
    case 'guarantee':
    case 'after':
      return true;
    case 'other':
      return path === paths.guarantees || path === paths.term;
    default:
      return false;
  }
}
