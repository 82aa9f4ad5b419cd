import type { NetworkInterfaceInfo } from 'node:os';
import { ConfigurationError } from '../domain/index.js';

/** Choice among several addresses of a host. If both are given, both must fit. */
export interface HostAddressOptions {
  /** The address or name itself. @default chosen among the addresses of this host */
  readonly host?: string;
  /** Name of the interface, such as `eth0`. @default the first that has a fitting address */
  readonly networkInterface?: string;
  /** The beginning of the address, or a regular expression for all of it. @default any address */
  readonly preferredIp?: string;
}

/** As `os.networkInterfaces()` returns them: those that are up, in the host's order. */
type NetworkInterfaces = Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>;

const LOOPBACK = '127.0.0.1';
const LOOPBACKS =
  /^(?:localhost|localhost\.localdomain|.+\.localhost|127(?:\.\d{1,3}){3}|::1|::ffff:127(?:\.\d{1,3}){3})$/i;
/** Addresses that mean nothing beyond the link, or are no host's: fe80::/10, multicast, mapped IPv4, unspecified. */
const UNFIT = /^(?:fe[89ab][0-9a-f]:|ff|::ffff:|::1?$)/i;

/** True for an address or a name that is each host's own. Judges by the text alone, without resolving it. */
export function isLoopbackName(host: string): boolean {
  return LOOPBACKS.test(host);
}

/** True for an address or a name that can be a node of the registry, a part of instance ids, and a plain YAML text. */
export function isHostName(host: string): boolean {
  return /^(?:::)?[a-z\d](?:[\w.:-]{0,98}[a-z\d])?$/i.test(host);
}

/**
 * The address under which a host registers; without one, its name.
 *
 * - An IPv4 address, as in ElasticJob: its name becomes part of node names that Java peers compare as text. ElasticJob
 *   takes the last fitting interface in the JVM's order, which on Linux is the host's order reversed: the first one
 *   here. It silently falls back if the preferred interface or address is missing; here that is an error.
 * - Where ElasticJob finds none: the first IPv6 address, global or unique-local, then the name of the host. Hosts that
 *   all registered as 127.0.0.1 would be one server, which operators disable as a whole.
 *
 * @param name the host's own name
 * @throws {ConfigurationError} if an option is given that no address fits.
 * @see ElasticJob, `IpUtils`
 */
export function chooseHostAddress(interfaces: NetworkInterfaces, options: HostAddressOptions = {}, name = ''): string {
  const { host, networkInterface, preferredIp } = options;
  if (host !== undefined) return host;
  const candidates = externalAddresses(interfaces);
  const fitting = candidates.find(
    ({ interfaceName, address }) =>
      (networkInterface === undefined || interfaceName === networkInterface) &&
      (preferredIp === undefined || isPreferred(address, preferredIp)),
  );
  if (fitting !== undefined) return fitting.address;
  if (networkInterface === undefined && preferredIp === undefined) {
    // An offline laptop and a container without a network still run jobs on a registry of the same host.
    return isHostName(name) && !isLoopbackName(name) ? name : LOOPBACK;
  }
  throw noFittingAddress(options, candidates);
}

interface NamedAddress {
  readonly interfaceName: string;
  readonly address: string;
}

/** IPv4 first. */
function externalAddresses(interfaces: NetworkInterfaces): NamedAddress[] {
  const all = Object.entries(interfaces).flatMap(([interfaceName, addresses = []]) =>
    addresses.filter(({ internal }) => !internal).map((one) => ({ ...one, interfaceName })),
  );
  return [
    ...all.filter(({ family }) => family === 'IPv4'),
    ...all.filter(({ family, address }) => family === 'IPv6' && !UNFIT.test(address)),
  ];
}

function isPreferred(address: string, preferredIp: string): boolean {
  return address.startsWith(preferredIp) || pattern(preferredIp).test(address);
}

function pattern(preferredIp: string): RegExp {
  try {
    return new RegExp(`^(?:${preferredIp})$`);
  } catch (cause) {
    const problem = `preferredIp "${preferredIp}" is neither the beginning of an address nor a regular expression`;
    throw new ConfigurationError('host address', [problem], { cause });
  }
}

function noFittingAddress(options: HostAddressOptions, candidates: readonly NamedAddress[]): ConfigurationError {
  const present = candidates.map(({ interfaceName, address }) => `${interfaceName} ${address}`).join(', ') || 'none';
  const given = Object.entries(options)
    .filter(([, value]) => value !== undefined)
    .map(([field, value]) => `${field} "${value}"`)
    .join(' with ');
  return new ConfigurationError('host address', [`${given} fits no address of this host; it has: ${present}`]);
}
