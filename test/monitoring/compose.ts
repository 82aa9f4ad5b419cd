import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

interface Mount {
  readonly source: string;
  readonly target: string;
}

export interface Service {
  readonly image?: string;
  readonly build?: { readonly context: string; readonly dockerfile_inline: string };
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string | number>>;
  /** `source:target`, or `source:target:ro`. */
  readonly volumes?: readonly string[];
  readonly configs?: readonly Mount[];
  readonly ports?: readonly string[];
  readonly depends_on?: readonly string[] | Readonly<Record<string, unknown>>;
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly scale?: number;
  readonly stop_grace_period?: string;
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly configs: Readonly<Record<string, { readonly content: string }>>;
  readonly volumes: Readonly<Record<string, unknown>>;
}

export const COMPOSE_TEXT = readFileSync(new URL('../../compose.yaml', import.meta.url), 'utf8');
export const COMPOSE: Compose = parse(COMPOSE_TEXT, { merge: true });

/**
 * Variables of the image zookeeper:3.9.5, and the line of `zoo.cfg` that its entry point writes for each.
 * @see https://github.com/31z4/zookeeper-docker/blob/master/3.9.5/docker-entrypoint.sh
 */
export const ZOOKEEPER_VARIABLES: Readonly<Record<string, string | undefined>> = {
  ZOO_MY_ID: undefined,
  ZOO_SERVERS: undefined,
  ZOO_TICK_TIME: 'tickTime',
  ZOO_INIT_LIMIT: 'initLimit',
  ZOO_SYNC_LIMIT: 'syncLimit',
  ZOO_AUTOPURGE_SNAPRETAINCOUNT: 'autopurge.snapRetainCount',
  ZOO_AUTOPURGE_PURGEINTERVAL: 'autopurge.purgeInterval',
  ZOO_MAX_CLIENT_CNXNS: 'maxClientCnxns',
  ZOO_STANDALONE_ENABLED: 'standaloneEnabled',
  ZOO_ADMINSERVER_ENABLED: 'admin.enableServer',
  ZOO_4LW_COMMANDS_WHITELIST: '4lw.commands.whitelist',
};

/** The services whose image begins so, by name. */
export function servicesOf(image: string): readonly (readonly [string, Service])[] {
  return Object.entries(COMPOSE.services).filter(([, service]) => service.image?.startsWith(`${image}:`));
}

/** Files and volumes that a service mounts. */
export function mountsOf({ volumes = [] }: Service): readonly Mount[] {
  return volumes.map((volume) => {
    const [source = '', target = ''] = volume.split(':');
    return { source, target };
  });
}

/** A text that is the same elsewhere, but for addresses and paths that are given. */
export function translate(text: string, places: ReadonlyMap<string, string>): string {
  let translated = text;
  for (const [from, to] of places) translated = translated.replaceAll(from, to);
  return translated;
}
