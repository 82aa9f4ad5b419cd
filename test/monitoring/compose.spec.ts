import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { COMPOSE, COMPOSE_TEXT, mountsOf, servicesOf, ZOOKEEPER_VARIABLES } from './compose.js';
import { DASHBOARD } from './files.js';

const { services, configs, volumes } = COMPOSE;
const worker = services['worker']!;
const zooKeepers = servicesOf('zookeeper');
const { scripts, devDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));

/** Settings of Grafana by variables of the form GF_SECTION_KEY. @see https://grafana.com/docs/grafana/latest/setup-grafana/configure-grafana/ */
const GRAFANA_VARIABLES = [
  'GF_AUTH_ANONYMOUS_ENABLED',
  'GF_AUTH_ANONYMOUS_ORG_ROLE',
  'GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH',
];

describe('compose.yaml', () => {
  it('has three ZooKeepers, three workers, Prometheus and Grafana', () => {
    expect(zooKeepers).toHaveLength(3);
    expect(worker.scale).toBe(3);
    expect(servicesOf('prom/prometheus')).toHaveLength(1);
    expect(servicesOf('grafana/grafana')).toHaveLength(1);
  });

  it('pins each image to a version', () => {
    const [, from] = /^FROM (\S+)$/m.exec(worker.build!.dockerfile_inline)!;
    const images = [from, ...Object.values(services).flatMap(({ image = [] }) => image)];
    expect(images.filter((image) => !/:v?\d+\.\d+\.\d+(-[\w-]+)?$/.test(image!))).toEqual([]);
  });

  it('mounts only files, volumes and texts that exist', () => {
    const mounted = Object.values(services).flatMap(mountsOf);
    const isFile = ({ source }: { source: string }) => source.startsWith('./');
    expect(mounted.filter(isFile).map(({ source }) => source)).toContain('./docs/operate/alerts.yml');
    expect(mounted.filter((mount) => isFile(mount) && !existsSync(mount.source))).toEqual([]);
    expect(mounted.filter((mount) => !isFile(mount) && !(mount.source in volumes))).toEqual([]);
    const texts = Object.values(services).flatMap(({ configs: used = [] }) => used.map(({ source }) => source));
    expect(texts.toSorted()).toEqual(Object.keys(configs).toSorted());
  });

  it('names only services that exist', () => {
    const awaited = Object.values(services).flatMap(({ depends_on: on = [] }) =>
      Array.isArray(on) ? on : Object.keys(on),
    );
    const urls = [...COMPOSE_TEXT.matchAll(/http:\/\/([a-z][\w-]*):/g)].map(([, host]) => host!);
    const servers = String(worker.environment!['ELASTIC_JOB_SERVERS'])
      .split(',')
      .map((server) => server.split(':')[0]!);
    expect(servers).toEqual(zooKeepers.map(([name]) => name));
    expect([...awaited, ...urls, ...servers].filter((name) => !(name in services))).toEqual([]);
  });

  it('has nothing that Compose would replace by a variable of the shell', () => {
    expect(COMPOSE_TEXT).not.toContain('$');
  });

  it('publishes ports on this host alone', () => {
    const ports = Object.values(services).flatMap(({ ports: published = [] }) => published);
    expect(ports.filter((port) => !/^127\.0\.0\.1:\d+:\d+$/.test(port))).toEqual([]);
  });

  it('makes an ensemble of the ZooKeepers, by variables of their image', () => {
    const lines = String(zooKeepers[0]![1].environment!['ZOO_SERVERS']).split(' ');
    expect(lines).toEqual(zooKeepers.map(([name], index) => `server.${index + 1}=${name}:2888:3888;2181`));
    for (const [index, [, { environment = {}, volumes: kept = [] }]] of zooKeepers.entries()) {
      expect(environment).toMatchObject({ ZOO_MY_ID: index + 1, ZOO_SERVERS: lines.join(' ') });
      expect(Object.keys(environment).filter((name) => !(name in ZOOKEEPER_VARIABLES))).toEqual([]);
      expect(kept.map((volume) => volume.split(':')[1])).toEqual(['/data', '/datalog']);
    }
  });

  it('gives a worker only variables that the library or the demo reads', () => {
    const documented = readFileSync('docs/reference/environment.md', 'utf8');
    const demo = ['apps/demo/src/main.ts', 'apps/demo/src/cities/cities.module.ts']
      .map((file) => readFileSync(file, 'utf8'))
      .join('\n');
    const isKnown = (name: string) =>
      name === 'NODE_ENV' || documented.includes(`| \`${name}\``) || demo.includes(`process.env.${name} `);
    expect(Object.keys(worker.environment!).filter((name) => !isKnown(name))).toEqual([]);
  });

  it('builds the demo by commands of this repository', () => {
    const lines = worker.build!.dockerfile_inline.trim().split('\n');
    const commands = lines.filter((line) => line.startsWith('RUN ')).flatMap((line) => line.slice(4).split(' && '));
    expect(lines.find((line) => line.startsWith('COPY'))).toBe('COPY . .');
    expect(commands).toEqual(['npm ci', 'npx nest build demo', 'mkdir /statistics', 'chown node:node /statistics']);
    expect(scripts['test:monitoring']).toMatch(/^nest build demo && /);
    expect(devDependencies).toHaveProperty('@nestjs/cli');
    // All that stands in the repository is in the image.
    const left = readFileSync('.dockerignore', 'utf8').trim().split('\n');
    const ignored = readFileSync('.gitignore', 'utf8').split('\n');
    expect(left.filter((line) => line !== '.git/' && !ignored.includes(line))).toEqual([]);
  });

  it('lets a worker drain before it is killed', () => {
    const seconds = Number(/^(\d+)s$/.exec(worker.stop_grace_period!)![1]);
    expect(seconds).toBeGreaterThan(35);
  });

  it('shows the dashboard as the home of Grafana, over Prometheus', () => {
    const [, grafana] = servicesOf('grafana/grafana')[0]!;
    const variables = Object.keys(grafana.environment!);
    const { datasources } = parse(configs['grafana-datasource']!.content);
    const { providers } = parse(configs['grafana-dashboards']!.content);
    const [mounted] = mountsOf(grafana);
    expect(variables.filter((name) => !GRAFANA_VARIABLES.includes(name))).toEqual([]);
    expect(datasources).toMatchObject([{ type: 'prometheus', url: 'http://prometheus:9090', isDefault: true }]);
    expect(mounted).toEqual({
      source: './docs/operate/grafana.json',
      target: grafana.environment!['GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH'],
    });
    expect(mounted!.target.startsWith(`${providers[0].options.path}/`)).toBe(true);
    expect(grafana.configs!.map(({ target }) => target)).toEqual([
      expect.stringMatching('^/etc/grafana/provisioning/datasources/'),
      expect.stringMatching('^/etc/grafana/provisioning/dashboards/'),
    ]);
    expect(DASHBOARD.uid).toBe('elastic-job');
  });
});
