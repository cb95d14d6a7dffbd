import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['vitest/*.test.mjs'],
    // the first start of a minute takes some seconds
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
