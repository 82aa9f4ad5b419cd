import type { SharedProject, Site } from '../site.js';

/** One way in which an application has the package. */
export interface Row {
  readonly name: string;
  readonly title: string;
  /** It is one of those that CI runs. */
  readonly isShort?: boolean;
  /** Those of its projects that other rows use, too. */
  readonly uses?: readonly SharedProject[];
  /** Rejects if the application does not build, test or run. */
  readonly run: (site: Site) => Promise<void>;
}
