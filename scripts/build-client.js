// @ts-check
import { fileURLToPath } from 'node:url'
import { buildPackage } from './packages/build-package.js'

// npm run build --workspace @railyard/client, and npm ci by itself: the bundles and the types of
// packages/client. JavaScript, since npm ci may run it with another Node than the service's

await buildPackage({
  name: '@railyard/client',
  folder: fileURLToPath(new URL('../packages/client/', import.meta.url)),
  // a page that takes payments loads it
  mostGzippedBytes: 12_000,
})
