/** The nodes of a job. A view of its own loads them. */
export const tree = {
  title: 'Tree',
  asOf: (time: string) => `read at ${time}`,
  again: 'Read again',
  copyAll: 'Copy all',
  copy: (path: string) => `Copy ${path}`,
  copied: 'Copied',
  copyFailed: 'The browser did not copy it',
  open: 'Open all',
  close: 'Close all',
  children: (count: number) => `${count.toLocaleString('en')} ${count === 1 ? 'node' : 'nodes'}`,
  more: (count: number) => `Show ${count.toLocaleString('en')} more`,
  hidden: 'Secrets are hidden, and addresses are ip1, ip2 and so on.',
  cut: 'The tree is too large to be read whole. These are its first nodes.',
  prefix: 'Nodes name other jobs',
  prefixMore: 'You see the jobs of a prefix alone, so the tree of none is shown to you.',
};
export type TreeTexts = typeof tree;
