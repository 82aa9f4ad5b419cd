/** True where the environment says that this is no development and no test. */
export function isProduction(): boolean {
  return process.env['NODE_ENV'] === 'production';
}

/** Beginning of our variables, and of those that are probably meant to be. */
export const LIKE_OURS = /^ELASTIC[_-]?JOBS?[_-]/;
/** Variables that Kubernetes sets for each service of a pod's namespace. */
export const SERVICE_LINK = /_SERVICE_HOST$|_SERVICE_PORT(_|$)|_PORT(_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?$/;
/** Rest of the name of variables that only a registry of ZooKeeper needs. */
const OF_ZOOKEEPER = /^(SERVERS?$|NAMESPACE|DIGEST|SASL|TLS|REQUIRE_TLS|ALLOW_OPEN_ACL)/;
/** The variable of the examples in the documentation. */
const OF_EXAMPLES = 'ZOOKEEPER_SERVERS';

/**
 * The variable by which this process was probably meant to use ZooKeeper, whether or not it is read or spelled right;
 * undefined if there is none, or if the environment asks for the embedded registry.
 */
export function findZooKeeperHint(variables: NodeJS.ProcessEnv): string | undefined {
  if (variables['ELASTIC_JOB_REGISTRY'] === 'memory') return undefined;
  const isHint = (name: string) =>
    name === OF_EXAMPLES ||
    (LIKE_OURS.test(name) && !SERVICE_LINK.test(name) && OF_ZOOKEEPER.test(name.replace(LIKE_OURS, '')));
  return Object.keys(variables)
    .toSorted()
    .find((name) => isHint(name) && variables[name] !== '');
}
