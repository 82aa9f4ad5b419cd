import { ConfigurationError } from '../domain/index.js';
import { PLACE } from './findings.js';

const XML = /^\ufeff?\s*<(?:[?!]|[\w.-])/;
/** The elements of ElasticJob 2, or its schema. */
const OF_VERSION_2 = /<job:(?:simple|dataflow|script)\b|dangdang/;

/**
 * Refuses the XML of Spring. Java has written what it means, placeholders and defaults included, to the registry: that
 * is read instead.
 * @throws {ConfigurationError} with the way to go on
 */
export function refuseXml(text: string): void {
  if (!XML.test(text)) return;
  const isOld = OF_VERSION_2.test(text);
  const reader = isOld ? 'importElasticJob2Configuration' : 'importElasticJobConfiguration';
  const typed = isOld ? '' : ' The text of /{namespace}/{job} is className, or type if it is HTTP or SCRIPT.';
  throw new ConfigurationError(PLACE, [
    'it is Spring XML, which is not read. Java has written each job of it to the registry, with all defaults: give ' +
      `${reader} the text of each config node (zkCli.sh get /{namespace}/{job}/config).${typed} server-lists, ` +
      "namespace and digest of the zookeeper element become servers, namespace and digest of the module's registry",
  ]);
}
