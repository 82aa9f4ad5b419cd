/**
 * URLs of the page, below the path of the console. `ASSETS` has its files; each of the others is answered with
 * `index.html`, whose script shows what the URL names. `''` is the path of the console itself.
 */
export const PAGE_ROUTES = {
  exact: ['', '/jobs', '/new-job', '/runs', '/servers', '/events', '/audit', '/session'],
  /** With something behind them, such as the name of a job. */
  below: ['/jobs', '/runs', '/servers', '/assets'],
} as const;

/** A URL of the page. */
export interface PageUrl {
  /** Below the path of the console, without its query: `/jobs/settle-orders`. */
  readonly below: string;
  /** The path of the console as seen from this URL: `../`. It holds whatever a proxy has put before the path. */
  readonly base: string;
}

/** Reads URLs that a router has taken for those of the page. */
export class PagePath {
  private readonly pattern: RegExp;

  /** @param path of the console, such as `/elastic-job` */
  constructor(path: string) {
    const literal = path.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
    const exact = PAGE_ROUTES.exact.filter((route) => route !== '').join('|');
    const below = PAGE_ROUTES.below.map((route) => `${route}/[^?#]*`).join('|');
    // Routers do not heed the case, and a prefix may stand before it.
    this.pattern = new RegExp(String.raw`^([^?#]*?${literal})((?:${below}|(?:${exact})?/?))(?:[?#]|$)`, 'is');
  }

  /** Undefined for a URL of another route. */
  find(url: string): PageUrl | undefined {
    const [, whole = '', below] = this.pattern.exec(url) ?? [];
    if (below === undefined) return undefined;
    return { below: below.replace(/^\/$/, ''), base: baseOf(whole, below) };
  }
}

/** @param whole the URL up to the path of the console, with it */
function baseOf(whole: string, below: string): string {
  const depth = below.split('/').length - 1;
  if (depth > 0) return '../'.repeat(depth - 1) || './';
  return `./${whole.slice(whole.lastIndexOf('/') + 1)}/`;
}
