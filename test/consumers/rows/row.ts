import type { SharedProject, Site } from '../site.js';

/** One way in which an application has the package. */
export interface Row {
  readonly name: string;
  readonly title: string;
  /** True for a row that CI runs. */
  readonly isShort?: boolean;
  /** Projects of this row that other rows use, too. */
  readonly uses?: readonly SharedProject[];
  /** Rejects if the application does not build, test or run. */
  readonly run: (site: Site) => Promise<void>;
}
