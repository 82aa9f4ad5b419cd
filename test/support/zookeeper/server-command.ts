/** Lines of a `zoo.cfg`, under ZooKeeper's own names. Times are in milliseconds. */
export type ServerSettings = Readonly<Record<string, string | number | boolean>>;

/**
 * Settings for tests: short ticks allow sessions of half a second and more. Connections and commands are not limited.
 */
const TEST_SETTINGS: ServerSettings = {
  clientPortAddress: '127.0.0.1',
  tickTime: 300,
  minSessionTimeout: 500,
  maxSessionTimeout: 60_000,
  maxClientCnxns: 0,
  'admin.enableServer': false,
  '4lw.commands.whitelist': '*',
  extendedTypesEnabled: true,
};

/** The text of a `zoo.cfg`: the settings for tests, and those given. */
export function zooCfg(settings: ServerSettings): string {
  const lines = Object.entries({ ...TEST_SETTINGS, ...settings }).map(([name, value]) => `${name}=${value}\n`);
  return lines.join('');
}

export interface ServerCommand {
  readonly classPath: string;
  /** The path of the `zoo.cfg`. */
  readonly configuration: string;
  /** More flags for Java. The last of a kind wins. */
  readonly jvmFlags?: readonly string[];
}

/** The command that runs a server in the foreground, small and quick to start. */
export function javaCommand({ classPath, configuration, jvmFlags = [] }: ServerCommand): readonly string[] {
  return [
    'java',
    '-XX:+UseSerialGC',
    '-XX:TieredStopAtLevel=1',
    '-XX:-UsePerfData',
    '-Xshare:auto',
    '-Xms32m',
    '-Xmx256m',
    '-Dzookeeper.extendedTypesEnabled=true',
    // 64 KiB instead of 64 MiB for each transaction log.
    '-Dzookeeper.preAllocSize=64',
    // Tests kill servers, never the machine, so no test has to wait for its disk.
    '-Dzookeeper.forceSync=no',
    '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn',
    ...jvmFlags,
    '-cp',
    classPath,
    'org.apache.zookeeper.server.quorum.QuorumPeerMain',
    configuration,
  ];
}
