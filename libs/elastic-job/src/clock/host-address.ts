import type { NetworkInterfaceInfo } from 'node:os';
import { ConfigurationError } from '../domain/index.js';

/** Choice among several addresses of a host. If both are given, both must fit. */
export interface HostAddressOptions {
  /** Name of the interface, such as `eth0`. @default the first that has a fitting address */
  readonly networkInterface?: string;
  /** The beginning of the address, or a regular expression for all of it. @default any address */
  readonly preferredIp?: string;
}

/** As `os.networkInterfaces()` returns them: those that are up, in the host's order. */
type NetworkInterfaces = Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>;

const LOOPBACK = '127.0.0.1';

/**
 * The IPv4 address under which a host registers. IPv6 is not used, as in ElasticJob, because the address becomes part
 * of node names that Java peers compare as text.
 *
 * ElasticJob takes the last fitting interface in the JVM's order, which on Linux is the host's order reversed: the
 * first one here. It silently falls back if the preferred interface or address is missing; here that is an error.
 *
 * @throws {ConfigurationError} if an option is given that no address fits.
 * @see ElasticJob, `IpUtils`
 */
export function chooseHostAddress(interfaces: NetworkInterfaces, options: HostAddressOptions = {}): string {
  const { networkInterface, preferredIp } = options;
  const candidates = externalAddresses(interfaces);
  const fitting = candidates.find(
    ({ name, address }) =>
      (networkInterface === undefined || name === networkInterface) &&
      (preferredIp === undefined || isPreferred(address, preferredIp)),
  );
  if (fitting !== undefined) return fitting.address;
  if (networkInterface === undefined && preferredIp === undefined) {
    // An offline laptop and a container without a network still run jobs on a registry of the same host. A registry
    // elsewhere cannot be reached from here anyway, so no other host ever sees this address.
    return LOOPBACK;
  }
  throw noFittingAddress(options, candidates);
}

interface NamedAddress {
  readonly name: string;
  readonly address: string;
}

function externalAddresses(interfaces: NetworkInterfaces): NamedAddress[] {
  return Object.entries(interfaces).flatMap(([name, addresses = []]) =>
    addresses
      .filter(({ family, internal }) => family === 'IPv4' && !internal)
      .map(({ address }) => ({ name, address })),
  );
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
  const present = candidates.map(({ name, address }) => `${name} ${address}`).join(', ') || 'none';
  const given = Object.entries(options)
    .filter(([, value]) => value !== undefined)
    .map(([field, value]) => `${field} "${value}"`)
    .join(' with ');
  return new ConfigurationError('host address', [`${given} fits no IPv4 address of this host; it has: ${present}`]);
}
