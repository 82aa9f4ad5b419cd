import { ConfigurationError, findQuote, QUOTES_ARE_KEPT } from '../domain/index.js';

// Characters that ZooKeeper's PathUtils.validatePath refuses: control, surrogate, private-use and special characters.
const FORBIDDEN_CHARACTERS = String.raw`\u0000-\u001f\u007f-\u009f\ud800-\uf8ff\ufff0-\uffff`;
const FORBIDDEN = new RegExp(`[${FORBIDDEN_CHARACTERS}]`);
// Nearly all paths are legal and every request names some, so one test must do for a legal path.
const LEGAL = new RegExp(String.raw`^(?:/(?!\.\.?(?:/|$))[^/${FORBIDDEN_CHARACTERS}]+)+$`);

/**
 * The part of the registry below which an adapter lives. Paths of the port are relative to it: with the namespace
 * `shop/orders`, the port's `/settle` is the server's `/shop/orders/settle`, and its `/` is `/shop/orders`.
 *
 * @throws {ConfigurationError} for a name that ZooKeeper would refuse: `/` at an end, an empty, `.` or `..` level,
 * control characters, or `zookeeper` (reserved by the server) as the first level. Also for a name with a quote, or with
 * white space at an end: it would be another namespace than the one that was meant.
 */
export class Namespace {
  /** The server's path of the namespace. */
  readonly root: string;
  private readonly rootBytes: number;
  private readonly below: string;

  constructor(readonly name: string) {
    this.root = `/${name}`;
    this.rootBytes = Buffer.byteLength(this.root);
    this.below = `${this.root}/`;
    const problem = nameProblem(name) ?? pathProblem(this.root);
    if (problem) {
      throw new ConfigurationError('registry', [
        `namespace ${JSON.stringify(name)} ${problem}; use a name such as "orders" or "shop/orders"`,
      ]);
    }
  }

  /**
   * Returns the server's path for a path of the port. @throws {ConfigurationError} if ZooKeeper would refuse the path.
   */
  absolute(path: string): string {
    assertLegal(path);
    return this.absoluteOf(path);
  }

  /** As `absolute`, for a path that was checked before. */
  absoluteOf(path: string): string {
    return path === '/' ? this.root : this.root + path;
  }

  /** Server's paths of all its levels, parents first: of `/shop/orders`, `/shop` and `/shop/orders`. */
  get levels(): readonly string[] {
    const names = this.name.split('/');
    return names.map((_, depth) => `/${names.slice(0, depth + 1).join('/')}`);
  }

  /** Size of the server's path in bytes of UTF-8. */
  absoluteBytes(path: string): number {
    return this.rootBytes + (path === '/' ? 0 : Buffer.byteLength(path));
  }

  /** Returns the port's path for a path of the server, or undefined outside the namespace. */
  relative(absolutePath: string): string | undefined {
    if (absolutePath === this.root) return '/';
    return absolutePath.startsWith(this.below) ? absolutePath.slice(this.root.length) : undefined;
  }
}

function nameProblem(name: string): string | undefined {
  if (name.split('/')[0] === 'zookeeper') return 'is reserved by the server';
  const quote = findQuote(name);
  if (quote !== undefined) return `has the quote ${quote}; ${QUOTES_ARE_KEPT}`;
  return name === name.trim() ? undefined : `begins or ends with white space; ${QUOTES_ARE_KEPT}`;
}

/** @throws {ConfigurationError} for a path of the port that ZooKeeper would refuse */
export function assertLegal(path: string): void {
  const problem = path === '/' ? undefined : pathProblem(path);
  if (problem) throw new ConfigurationError('registry', [`path ${JSON.stringify(path)} ${problem}`]);
}

function pathProblem(path: string): string | undefined {
  if (LEGAL.test(path)) return undefined;
  if (!path.startsWith('/')) return 'does not begin with "/"';
  const levels = path.slice(1).split('/');
  if (levels.includes('')) return 'has an empty level';
  if (levels.includes('.') || levels.includes('..')) return 'has a relative level';
  if (FORBIDDEN.test(path)) return 'has a character that ZooKeeper forbids';
  return undefined;
}
