import { fileURLToPath } from 'node:url'
import tailwind from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  // files find each other wherever a proxy serves them; the server fills in the document's paths (src/dashboard)
  base: './',
  plugins: [react(), tailwind()],
  resolve: {
    // the source, so that the dashboard needs no other package built first
    alias: {
      '@railyard/client': fileURLToPath(new URL('../packages/client/src/index.ts', import.meta.url)),
    },
  },
  build: {
    target: 'es2023',
    // the policy allows no data: URL but for images
    assetsInlineLimit: 0,
    // it would write its preload helper as an inline script
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    manifest: true,
  },
})
