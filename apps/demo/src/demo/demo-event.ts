/** Event of an instance for the demo. Plain values, since workers send them between processes. */
export type DemoEvent =
  /** The store accepted a write: `added` cities were new. `token` is decimal, since JSON has no bigint. */
  | { kind: 'wrote'; instance: string; item: number; token: string; added: number }
  /** The store refused a write, because a newer run of the item had written. */
  | { kind: 'refused'; instance: string; item: number }
  /** The instance registered, for the first time or after the loss of its session. */
  | { kind: 'joined'; instance: string; instanceId: string }
  /** The instance, as leader, has assigned the items: pairs of item and instance id. */
  | { kind: 'resharded'; instance: string; owners: [item: number, instanceId: string][] }
  /** The task of an item is in another state. `launch` is counted from 1, anew for each target. */
  | { kind: 'task'; instance: string; item: number; launch: number; state: string; detail?: string };
