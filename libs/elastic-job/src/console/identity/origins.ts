import { mustBe, rule } from '../../domain/index.js';
import { type ConsoleRequest, ConsoleProblem } from '../contract/index.js';
import { headerOf } from './addresses.js';

const HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;
const HOSTS = 'a list of names such as "ops.example.com", with a port if another than the standard one is asked for';

/** Rule of the option `hosts`. */
export const hostsRule = rule(
  HOSTS,
  (value) => Array.isArray(value) && value.length > 0 && value.every((entry) => urlOf('http:', entry) !== undefined),
  mustBe(HOSTS),
);

/** The URL of a host, which has its name in one form. @returns undefined for what is no host */
function urlOf(protocol: string, host: unknown): URL | undefined {
  if (typeof host !== 'string' || !HOST.test(host)) return undefined;
  try {
    return new URL(`${protocol}//${host}`);
  } catch {
    return undefined;
  }
}

function hostOf(request: ConsoleRequest): string | undefined {
  return headerOf(request, 'host') ?? headerOf(request, ':authority');
}

/** True if the client has asked for this host by a name that no name server can give to another one. */
export function asksForLoopback(request: ConsoleRequest): boolean {
  const url = urlOf('http:', hostOf(request));
  return url !== undefined && isLoopbackName(url.hostname);
}

function isLoopbackName(name: string): boolean {
  return name === 'localhost' || name === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(name);
}

/**
 * Which sites may ask. A page of another site can make a browser send requests, with cookies of the console's own site
 * (which `SameSite` prevents in most browsers), or give its own name the console's address (DNS rebinding).
 */
export class Origins {
  private readonly names: ReadonlySet<string> | undefined;
  /** With their ports. */
  private readonly hosts: ReadonlySet<string>;

  /** @param isLoopbackOnly true if no host is allowed but this one, unless `hosts` are given */
  constructor(
    hosts: readonly string[] | undefined,
    private readonly isLoopbackOnly: boolean,
  ) {
    // As https, since a standard port is left out in `Origin`, and a plain one stands there.
    const urls = (hosts ?? []).flatMap((host) => urlOf('https:', host) ?? []);
    this.names = hosts && new Set(urls.map(({ hostname }) => hostname));
    this.hosts = new Set(urls.map(({ host }) => host));
  }

  /** @throws {ConsoleProblem} 421 for a `Host` that is not the console's */
  assertHost(request: ConsoleRequest): void {
    const url = urlOf('http:', hostOf(request));
    if (url !== undefined && this.isOwnName(url.hostname)) return;
    const detail = 'The header Host does not name a host of this console. Ask for one that the option hosts has.';
    throw new ConsoleProblem(421, 'HOST_NOT_ALLOWED', detail, { option: 'hosts' });
  }

  private isOwnName(name: string): boolean {
    if (this.names) return this.names.has(name);
    return !this.isLoopbackOnly || isLoopbackName(name);
  }

  /**
   * @param mayLack true for a caller whom a browser of another site cannot imitate
   * @throws {ConsoleProblem} 403 for a change that another site may have made a browser ask for
   */
  assertOrigin(request: ConsoleRequest, isSecure: boolean, mayLack: boolean): void {
    const origin = headerOf(request, 'origin');
    const site = headerOf(request, 'sec-fetch-site');
    if (origin === undefined && site === undefined && mayLack) return;
    if (this.isOwn(origin, hostOf(request), isSecure) && (site === undefined || site === 'same-origin')) return;
    const detail =
      'A change needs the header Origin of the console itself, as its own page sends it, or a token. ' +
      'Behind a proxy that changes Host, name the public host in the option hosts.';
    throw new ConsoleProblem(403, 'ORIGIN_NOT_ALLOWED', detail, { option: 'hosts' });
  }

  private isOwn(origin: string | undefined, host: string | undefined, isSecure: boolean): boolean {
    const [, protocol = '', rest] = /^(https?:)\/\/([^/]+)$/.exec(origin ?? '') ?? [];
    const url = urlOf(protocol, rest);
    // A page that came unencrypted may have been changed on its way.
    if (url === undefined || (isSecure && protocol !== 'https:')) return false;
    return url.host === urlOf(protocol, host)?.host || this.hosts.has(url.host);
  }
}
