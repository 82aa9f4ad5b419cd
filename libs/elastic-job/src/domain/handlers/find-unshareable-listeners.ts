import type { ElasticJobListener } from './listener.js';

/**
 * Finds the distribute-once listeners that Java peers do not call: these wait for all items, and an item of such a peer
 * never arrives. One text each, with the remedy.
 * @param javaListenerTypes types that Java reads when it starts; it does not start if it lacks one
 */
export function findUnshareableListeners(
  onceListeners: readonly Pick<ElasticJobListener, 'type'>[],
  javaListenerTypes: readonly string[],
): string[] {
  return onceListeners.filter(({ type }) => type === undefined || !javaListenerTypes.includes(type)).map(describe);
}

function describe({ type }: Pick<ElasticJobListener, 'type'>): string {
  if (type === undefined) {
    return (
      'a distribute-once listener has no type by which Java could find it; give it the type of the listener that the ' +
      'Java peers have, and name that in jobListenerTypes'
    );
  }
  return (
    `jobListenerTypes lacks "${type}" where Java reads it, so Java peers do not call this distribute-once listener; ` +
    'start once with overwrite: true, or add it to the list in the config node, and then restart the Java peers'
  );
}
