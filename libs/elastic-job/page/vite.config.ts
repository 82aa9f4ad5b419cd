// npm run build:page: the page of the console as it is packed, in libs/elastic-job/dist/page.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { defineConfig, type Plugin } from 'vite';

export default defineConfig({
  root: fileURLToPath(new URL('./', import.meta.url)),
  // The console is served below any path: index.html names its base, and modules find each other by their own URLs.
  base: './',
  build: {
    outDir: '../dist/page',
    emptyOutDir: true,
    target: 'es2023',
    modulePreload: { polyfill: false },
    // The policy of the page allows no data: URL.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    license: { fileName: 'THIRD-PARTY-NOTICES.md' },
    // All that the first view needs is one file. Of the files that lazy views share with it, a browser asks for six at
    // a time. The optimization of chunks would put code into it that lazy views share among each other.
    rolldownOptions: {
      experimental: { chunkOptimization: false },
      output: { codeSplitting: { groups: [{ name: 'page', tags: ['$initial'] }] } },
    },
  },
  plugins: [compressed()],
});

/** Puts a `.br` and a `.gz` beside each asset, once and for all as small as they can be. */
function compressed(): Plugin {
  return {
    name: 'compressed',
    writeBundle({ dir = '' }, bundle) {
      for (const { fileName } of Object.values(bundle)) {
        if (!/^assets\/.*\.(js|css|svg)$/.test(fileName)) continue;
        const path = join(dir, fileName);
        const bytes = readFileSync(path);
        writeFileSync(`${path}.br`, brotliCompressSync(bytes));
        writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
      }
    },
  };
}
