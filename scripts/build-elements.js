// @ts-check
import { fileURLToPath } from 'node:url'
import { buildPackage } from './packages/build-package.js'

// npm run build --workspace @railyard/elements, and npm ci by itself: the bundles and the types of
// packages/elements. JavaScript, since npm ci may run it with another Node than the service's

await buildPackage({
  name: '@railyard/elements',
  folder: fileURLToPath(new URL('../packages/elements/', import.meta.url)),
  // every checkout page of a merchant loads it
  mostGzippedBytes: 5_000,
})
