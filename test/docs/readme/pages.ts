/** Pages that a reader follows in one project, one after the other. */
export const FOLLOWED_PAGES: readonly string[] = ['README.md', 'docs/production/checklist.md'];
