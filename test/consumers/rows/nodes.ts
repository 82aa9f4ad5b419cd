import { nest11, nest12 } from './nest-new.js';
import type { Row } from './row.js';

export const ROWS: readonly Row[] = [
  {
    name: 'nodes',
    title: 'Node 20, 22, 24 and 26, each with the built projects of Nest 11 and 12',
    uses: ['nest-11', 'nest-12'],
    async run(site) {
      const projects = [await nest11(site), await nest12(site)];
      for (const major of [20, 22, 24, 26]) {
        const nodes = await site.project(`node-${major}`);
        await nodes.write('package.json', { private: true });
        await nodes.run(`npm i node@${major}`);
        const node = `${nodes.folder}/node_modules/node/bin/node`;
        await nodes.run(`${node} --version`);
        for (const project of projects) await project.serve(`${node} dist/main.js`);
      }
    },
  },
];
